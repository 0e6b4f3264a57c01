//! Distribution of a shot over thread blocks on a GPU: rows of 128 points, or tiles that stay on the chip.

use super::layout::Layout;
use crate::gpu::images::{ShotShape, TILE};
use crate::layout::GROUP;

/// Points per thread of the tiles along x.
const WIDTH: usize = 4;
/// Threads along x.
pub const LANES: usize = 32;
/// Number of fields in 2D.
const FIELDS: usize = 3;

/// Distribution of the points of a shot over thread blocks.
#[derive(Debug, Clone, Copy)]
pub enum Cut {
    /// Blocks of rows.
    Rows(Blocks),
    /// Tiles of a plane.
    Tiles(Tiling),
}

/// Blocks of rows of 128 points, by which sources and receivers are sorted. In 2D each has some rows of the plane. In 3D each has rows of one plane
/// across z, blocks are numbered consecutively along z, and a thread block marches through several.
#[derive(Debug, Clone, Copy)]
pub struct Blocks {
    shape: ShotShape,
    /// Number of blocks along x, along the rows of a plane across z, and along z.
    count: [usize; 3],
    /// Planes per thread block.
    pub deep: usize,
}

/// A plane in tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    /// Tiles along x and z.
    pub across: usize,
    pub down: usize,
    /// Number of concurrent shots.
    pub at_once: usize,
    /// Vectors of points per tile along x; the last tiles may have fewer.
    pub vectors: usize,
    /// Number of all rows.
    planes: usize,
    /// Rows per tile; some tiles may have one fewer.
    rows: usize,
    half_length: usize,
}

/// Capacity of a device.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Number of co-resident tiles.
    pub tiles: usize,
    /// Shared memory per tile [bytes].
    pub shared: usize,
}

impl Cut {
    /// Number of blocks per shot.
    pub fn blocks(&self) -> usize {
        match self {
            Self::Rows(blocks) => blocks.count.iter().product(),
            Self::Tiles(tiling) => tiling.tiles(),
        }
    }

    /// The block of a shot that updates an array index.
    pub fn block_of(&self, layout: &Layout, at: usize) -> usize {
        match self {
            Self::Rows(blocks) => blocks.place(layout, at),
            Self::Tiles(tiling) => tiling.place(layout, at).0,
        }
    }
}

impl Blocks {
    /// Divides a shot in 2D or 3D.
    ///
    /// # Arguments
    /// * `planes` – along z
    /// * `at_once` – number of co-resident blocks per shot on the device; if there are fewer blocks, each marches through fewer planes
    pub fn new(layout: &Layout, shape: ShotShape, planes: usize, at_once: usize) -> Self {
        let across = (layout.groups * GROUP / shape.width).div_ceil(LANES);
        let rows = shape.rows as usize;
        if layout.cells[1] == 1 {
            return Self { shape, count: [across, 1, planes.div_ceil(rows)], deep: 1 };
        }
        let down = layout.cells[1].div_ceil(rows);
        let fills = |&deep: &usize| deep == 1 || across * down * planes.div_ceil(deep) >= at_once;
        let deep = (0..=shape.deep.ilog2()).map(|halvings| shape.deep >> halvings).find(fills).unwrap_or(1);
        Self { shape, count: [across, down, planes], deep }
    }

    /// Number of thread blocks per shot.
    pub fn launched(&self) -> u32 {
        let [across, down, along_z] = self.count;
        (across * down * along_z.div_ceil(self.deep)) as u32
    }

    /// The block of an array index.
    fn place(&self, layout: &Layout, at: usize) -> usize {
        let ([i, j, k], [across, _, planes]) = (indices(layout, at), self.count);
        let (x, rows) = (i / self.shape.width / LANES, self.shape.rows as usize);
        if layout.cells[1] == 1 { x + across * (k / rows) } else { (x + across * (j / rows)) * planes + k }
    }
}

impl Tiling {
    /// Divides a plane for some concurrent shots; `None` if the tiles of one shot cannot be co-resident.
    ///
    /// As many shots as fit are concurrent, in batches of similar size, and their tiles use the whole device.
    ///
    /// # Arguments
    /// * `planes` – number of rows with fields
    pub fn of(room: Room, layout: &Layout, half_length: usize, planes: usize, shots: usize) -> Option<Self> {
        let all = layout.groups * GROUP / WIDTH;
        let vectors = all.div_ceil(all.div_ceil(LANES));
        let across = all.div_ceil(vectors);
        let side = half_length.div_ceil(WIDTH);
        let most_rows = (1..=TILE.warps * TILE.depth).rfind(|&rows| held_bytes(rows, half_length) <= room.shared)?;
        // Stencils reach only the next tile, and images beyond a free top are stored with their tile.
        let fewest_rows = (half_length + 1).max(TILE.depth);
        if most_rows < fewest_rows || all - (across - 1) * vectors < side {
            return None;
        }
        let at_once = (room.tiles / (across * planes.div_ceil(most_rows))).min(shots);
        if at_once == 0 {
            return None;
        }
        let at_once = shots.div_ceil(shots.div_ceil(at_once));
        let down = (room.tiles / at_once / across).min(planes / fewest_rows);
        let rows = planes.checked_div(down)? + usize::from(!planes.is_multiple_of(down));
        let tiling = Self { across, down, at_once, vectors, planes, rows, half_length };
        (rows <= most_rows).then_some(tiling)
    }

    /// Number of tiles per shot.
    pub fn tiles(&self) -> usize {
        self.across * self.down
    }

    /// Rows of a tile on the chip, including the halo of the stencils.
    pub fn held_rows(&self) -> usize {
        self.rows + 2 * self.half_length
    }

    /// Shared memory per tile [bytes].
    pub fn shared_bytes(&self) -> u32 {
        held_bytes(self.rows, self.half_length) as u32
    }

    /// Number of pairs of values that a tile sends to its neighbours in half a step, as in `kernels/tile_edges.cuh`.
    pub fn pairs(&self) -> usize {
        2 * LANES * edge_parts(self.rows, self.half_length)
    }

    /// The tile of an array index, and column and row in it.
    pub fn place(&self, layout: &Layout, at: usize) -> (usize, [u32; 2]) {
        let [i, _, k] = indices(layout, at);
        let x = i / (self.vectors * WIDTH);
        let start = |z: usize| self.planes * z / self.down;
        let z = (0..self.down).rposition(|z| start(z) <= k).expect("the first tile begins with the first row");
        (x + z * self.across, [(i - x * self.vectors * WIDTH) as u32, (k - start(z)) as u32])
    }
}

/// Number of groups of 32 vectors in the edges of a tile that its neighbours read: at its sides and its ends.
fn edge_parts(rows: usize, half_length: usize) -> usize {
    2 * rows.div_ceil(LANES / half_length.div_ceil(WIDTH)) + 2 * half_length
}

/// Shared memory of a tile with a number of rows [bytes]: its fields with halos, factors of layers, indices of edges, and offsets of its sources and
/// receivers.
fn held_bytes(rows: usize, half_length: usize) -> usize {
    let pitch = (LANES + 2 * half_length.div_ceil(WIDTH) + 1) * WIDTH;
    let factors = 2 * 3 * (LANES * WIDTH + TILE.warps * TILE.depth);
    let words = FIELDS * pitch * (rows + 2 * half_length) + factors + 2 * LANES * edge_parts(rows, half_length) + 8;
    words * size_of::<f32>()
}

/// The point at an array index.
fn indices(layout: &Layout, at: usize) -> [usize; 3] {
    let from_first = at - layout.row(0, 0);
    let (plane, rest) = (from_first / layout.stride[2], from_first % layout.stride[2]);
    [rest % layout.stride[1], rest / layout.stride[1], plane]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The capacity of an H200.
    const H200: Room = Room { tiles: 132, shared: 227 << 10 };

    fn tiles(room: Room, cells: [usize; 2], half_length: usize, shots: usize) -> Option<[usize; 4]> {
        let layout = Layout::new([cells[0], 1, cells[1]], half_length);
        let tiling = Tiling::of(room, &layout, half_length, cells[1], shots)?;
        assert!(tiling.shared_bytes() as usize <= room.shared && tiling.tiles() * tiling.at_once <= room.tiles);
        Some([tiling.across, tiling.down, tiling.at_once, tiling.rows])
    }

    #[test]
    fn each_place_of_a_volume_is_in_the_block_of_its_row_and_plane() {
        let shape = ShotShape::of(3, 4);
        let (cells, rows) = ([300, 19, 6], shape.rows as usize);
        let layout = Layout::new(cells, 4);
        let blocks = Blocks::new(&layout, shape, cells[2] + 1, 1);
        assert_eq!((blocks.count, blocks.deep, blocks.launched()), ([3, 2, 7], 6, 12));
        for [i, j, k] in [[0, 0, 0], [127, 7, 3], [128, 7, 3], [299, 18, 6], [5, 16, 0]] {
            let at = layout.row(j, k) + i;
            assert_eq!(Cut::Rows(blocks).block_of(&layout, at), (i / 128 + 3 * (j / rows)) * 7 + k, "{i} {j} {k}");
        }
        // A thread block marches through fewer planes if there would be too few blocks.
        assert_eq!([12, 13, 18, 19, 1000].map(|at_once| Blocks::new(&layout, shape, 7, at_once).deep), [6, 3, 3, 1, 1]);
    }

    #[test]
    fn one_or_several_concurrent_planes_fill_the_device() {
        // The shot of the thesis fills it.
        assert_eq!(tiles(H200, [1481, 1101], 8, 1), Some([12, 11, 1, 101]));
        assert_eq!(tiles(H200, [1481, 1101], 8, 16), Some([12, 11, 1, 101]));
        assert_eq!(tiles(H200, [1481, 1101], 4, 1), Some([12, 11, 1, 101]));
        // Four shots of four tiles each fit concurrently, with space to spare.
        assert_eq!(tiles(H200, [240, 200], 8, 4), Some([2, 16, 4, 13]));
        assert_eq!(tiles(H200, [240, 200], 8, 1), Some([2, 22, 1, 10]));
        // Six of seven shots of twenty tiles fit; batches of four and three use more of the device.
        assert_eq!(tiles(H200, [500, 500], 8, 7), Some([4, 8, 4, 63]));
    }

    #[test]
    fn a_plane_that_does_not_fit_is_not_divided() {
        assert_eq!(tiles(H200, [1481, 1200], 8, 1), None);
        assert_eq!(tiles(H200, [2000, 1101], 8, 1), None);
        assert_eq!(tiles(Room { tiles: 0, ..H200 }, [100, 100], 8, 1), None);
        // Fewer rows than the half-length of the stencil.
        assert_eq!(tiles(H200, [200, 8], 8, 1), None);
        assert_eq!(tiles(H200, [200, 9], 8, 1), Some([2, 1, 1, 9]));
        assert_eq!(tiles(Room { shared: 20 << 10, ..H200 }, [200, 100], 8, 1), None);
    }
}
