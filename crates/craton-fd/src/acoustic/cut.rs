//! What each block of threads moves of a shot on a GPU: some rows of 128 points, or a tile that stays on the chip.

use super::layout::Layout;
use crate::gpu::images::{ShotShape, TILE};
use crate::layout::GROUP;

/// Points along x of a thread of the tiles.
const WIDTH: usize = 4;
/// Threads side by side along x.
const LANES: usize = 32;
/// Fields of a plane.
const FIELDS: usize = 3;

/// How the points of a shot are shared among blocks.
#[derive(Debug, Clone, Copy)]
pub enum Cut {
    /// Blocks of rows: along x, and of the rows of all planes.
    Rows(Blocks),
    /// Tiles of a plane.
    Tiles(Tiling),
}

/// Blocks of rows of 128 points, by which taps are told apart. In a plane each has some of its rows; in space each has rows of one plane across z, they
/// follow one another along z, and a thread block marches through several.
#[derive(Debug, Clone, Copy)]
pub struct Blocks {
    shape: ShotShape,
    /// Along x, of the rows of a plane across z, and along z.
    count: [usize; 3],
    /// Planes that a thread block marches through.
    pub deep: usize,
}

/// A plane in tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    /// Tiles along x and z.
    pub across: usize,
    pub down: usize,
    /// Shots whose tiles move at once.
    pub at_once: usize,
    /// Vectors of points along x of a tile; the last ones may have fewer.
    pub vectors: usize,
    /// Rows in all.
    planes: usize,
    /// Rows of a tile; some may have one fewer.
    rows: usize,
    half_length: usize,
}

/// What a device has room for.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Tiles at once.
    pub tiles: usize,
    /// Shared memory of one [bytes].
    pub shared: usize,
}

impl Cut {
    /// Blocks of a shot.
    pub fn blocks(&self) -> usize {
        match self {
            Self::Rows(blocks) => blocks.count.iter().product(),
            Self::Tiles(tiling) => tiling.tiles(),
        }
    }

    /// The block of a shot in which a place moves.
    pub fn block_of(&self, layout: &Layout, at: usize) -> usize {
        match self {
            Self::Rows(blocks) => blocks.place(layout, at),
            Self::Tiles(tiling) => tiling.place(layout, at).0,
        }
    }
}

impl Blocks {
    /// Of a plane or of space.
    ///
    /// # Arguments
    /// * `planes` – along z
    /// * `at_once` – blocks of a shot that a device has room for: where there would be fewer, each marches through fewer planes
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

    /// Thread blocks of a shot.
    pub fn launched(&self) -> u32 {
        let [across, down, along_z] = self.count;
        (across * down * along_z.div_ceil(self.deep)) as u32
    }

    /// The block of a place.
    fn place(&self, layout: &Layout, at: usize) -> usize {
        let ([i, j, k], [across, _, planes]) = (indices(layout, at), self.count);
        let (x, rows) = (i / self.shape.width / LANES, self.shape.rows as usize);
        if layout.cells[1] == 1 { x + across * (k / rows) } else { (x + across * (j / rows)) * planes + k }
    }
}

impl Tiling {
    /// Of a plane of which some shots move side by side; none where there is no room for all tiles of a shot at once.
    ///
    /// As many shots move at once as there is room for, in turns of about as many, and their tiles take all of it.
    ///
    /// # Arguments
    /// * `planes` – rows in which anything moves
    pub fn of(room: Room, layout: &Layout, half_length: usize, planes: usize, shots: usize) -> Option<Self> {
        let all = layout.groups * GROUP / WIDTH;
        let vectors = all.div_ceil(all.div_ceil(LANES));
        let across = all.div_ceil(vectors);
        let side = half_length.div_ceil(WIDTH);
        let most_rows = (1..=TILE.warps * TILE.depth).rfind(|&rows| held_bytes(rows, half_length) <= room.shared)?;
        // Stencils reach the next tile alone, and images beyond a free top stand beside their tile.
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

    /// Tiles of a shot.
    pub fn tiles(&self) -> usize {
        self.across * self.down
    }

    /// Rows of a tile on the chip, with those that stencils reach.
    pub fn held_rows(&self) -> usize {
        self.rows + 2 * self.half_length
    }

    /// Shared memory of a tile.
    pub fn shared_bytes(&self) -> u32 {
        held_bytes(self.rows, self.half_length) as u32
    }

    /// Pairs of values that a tile gives its neighbours in a half of a step, as `kernels/tile_edges.cuh` counts them.
    pub fn pairs(&self) -> usize {
        2 * LANES * edge_parts(self.rows, self.half_length)
    }

    /// The tile of a place, and column and row in it.
    pub fn place(&self, layout: &Layout, at: usize) -> (usize, [u32; 2]) {
        let [i, _, k] = indices(layout, at);
        let x = i / (self.vectors * WIDTH);
        let start = |z: usize| self.planes * z / self.down;
        let z = (0..self.down).rposition(|z| start(z) <= k).expect("the first tile begins with the first row");
        (x + z * self.across, [(i - x * self.vectors * WIDTH) as u32, (k - start(z)) as u32])
    }
}

/// Some of 32 vectors of the edges of a tile that its neighbours see: beside it, and its ends.
fn edge_parts(rows: usize, half_length: usize) -> usize {
    2 * rows.div_ceil(LANES / half_length.div_ceil(WIDTH)) + 2 * half_length
}

/// What a tile of so many rows holds on the chip [bytes]: its fields with what stencils reach around it, factors of layers, places of edges, and where its
/// taps begin.
fn held_bytes(rows: usize, half_length: usize) -> usize {
    let pitch = (LANES + 2 * half_length.div_ceil(WIDTH) + 1) * WIDTH;
    let factors = 2 * 3 * (LANES * WIDTH + TILE.warps * TILE.depth);
    let words = FIELDS * pitch * (rows + 2 * half_length) + factors + 2 * LANES * edge_parts(rows, half_length) + 8;
    words * size_of::<f32>()
}

/// The point of a place.
fn indices(layout: &Layout, at: usize) -> [usize; 3] {
    let from_first = at - layout.row(0, 0);
    let (plane, rest) = (from_first / layout.stride[2], from_first % layout.stride[2]);
    [rest % layout.stride[1], rest / layout.stride[1], plane]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An H200, as its driver says.
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
        // A thread block marches through fewer planes where there would be too few of them.
        assert_eq!([12, 13, 18, 19, 1000].map(|at_once| Blocks::new(&layout, shape, 7, at_once).deep), [6, 3, 3, 1, 1]);
    }

    #[test]
    fn a_plane_takes_the_device_alone_or_beside_others() {
        // The shot of the thesis fills it.
        assert_eq!(tiles(H200, [1481, 1101], 8, 1), Some([12, 11, 1, 101]));
        assert_eq!(tiles(H200, [1481, 1101], 8, 16), Some([12, 11, 1, 101]));
        assert_eq!(tiles(H200, [1481, 1101], 4, 1), Some([12, 11, 1, 101]));
        // Four shots of four tiles each have room at once, and more of it than that.
        assert_eq!(tiles(H200, [240, 200], 8, 4), Some([2, 16, 4, 13]));
        assert_eq!(tiles(H200, [240, 200], 8, 1), Some([2, 22, 1, 10]));
        // Of seven shots of twenty tiles six have room; turns of four and three take more of it.
        assert_eq!(tiles(H200, [500, 500], 8, 7), Some([4, 8, 4, 63]));
    }

    #[test]
    fn a_plane_without_room_is_not_cut() {
        assert_eq!(tiles(H200, [1481, 1200], 8, 1), None);
        assert_eq!(tiles(H200, [2000, 1101], 8, 1), None);
        assert_eq!(tiles(Room { tiles: 0, ..H200 }, [100, 100], 8, 1), None);
        // Fewer rows than stencils reach.
        assert_eq!(tiles(H200, [200, 8], 8, 1), None);
        assert_eq!(tiles(H200, [200, 9], 8, 1), Some([2, 1, 1, 9]));
        assert_eq!(tiles(Room { shared: 20 << 10, ..H200 }, [200, 100], 8, 1), None);
    }
}
