//! What each block of threads moves of a shot on a GPU: some rows of 128 points, or a tile that stays on the chip.

use craton_device::gpu::DeviceInfo;

use super::layout::Layout;
use crate::gpu::images::{ShotShape, TileShape};
use crate::layout::GROUP;

/// Points along x of a thread of the tiles.
pub const WIDTH: usize = 4;
/// Threads side by side along x.
const LANES: usize = 32;

/// How the points of a shot are shared among blocks.
#[derive(Debug, Clone, Copy)]
pub enum Cut {
    /// Blocks along x and of rows, each of so many.
    Rows { shape: ShotShape, blocks: [u32; 2] },
    /// Tiles of a plane.
    Tiles(Tiling),
}

/// A plane in tiles, so few that each multiprocessor has one at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    /// Tiles along x and z.
    pub across: usize,
    pub down: usize,
    /// Vectors of points along x of a tile; the last ones may have fewer.
    pub vectors: usize,
    /// Rows in all.
    planes: usize,
    /// Distance of a tile's rows in shared memory, and rows there.
    pub pitch: usize,
    pub rows: usize,
}

impl Cut {
    /// Blocks of a shot.
    pub fn blocks(&self) -> usize {
        match self {
            Self::Rows { blocks: [x, y], .. } => (x * y) as usize,
            Self::Tiles(tiling) => tiling.tiles(),
        }
    }

    /// The block of a shot in which a place moves.
    pub fn block_of(&self, layout: &Layout, at: usize) -> usize {
        match self {
            Self::Rows { shape, blocks: [across, _] } => {
                let [i, j, k] = indices(layout, at);
                let row = j + layout.cells[1] * k;
                i / shape.width / LANES + row / shape.rows as usize * *across as usize
            }
            Self::Tiles(tiling) => tiling.place(layout, at).0,
        }
    }
}

impl Tiling {
    /// Of a plane, in as many tiles as a device takes at once; none where they would not fit on its chip.
    ///
    /// # Arguments
    /// * `planes` – rows in which anything moves
    pub fn of(info: &DeviceInfo, shape: TileShape, layout: &Layout, half_length: usize, planes: usize) -> Option<Self> {
        let room = if info.chip == 0 { EMULATED } else { info.multiprocessors as usize };
        let all = layout.groups * GROUP / WIDTH;
        let vectors = all.div_ceil(all.div_ceil(LANES));
        let across = all.div_ceil(vectors);
        let side = half_length.div_ceil(WIDTH);
        // Stencils reach the next tile alone, and images beyond a free top stand beside their tile.
        let fewest = (half_length + 1).max(shape.depth);
        let down = (room / across).min(planes / fewest);
        if down == 0 || all - (across - 1) * vectors < side {
            return None;
        }
        let rows = planes.div_ceil(down);
        let tiling =
            Self { across, down, vectors, planes, pitch: (vectors + 2 * side) * WIDTH, rows: rows + 2 * half_length };
        let fits = rows <= shape.warps * shape.depth && tiling.shared_bytes() <= info.shared_per_block;
        fits.then_some(tiling)
    }

    /// Tiles of a shot.
    pub fn tiles(&self) -> usize {
        self.across * self.down
    }

    /// Shared memory of a tile: three fields.
    pub fn shared_bytes(&self) -> u32 {
        (3 * self.pitch * self.rows * size_of::<f32>()) as u32
    }

    /// Shots whose tiles a device takes at once.
    pub fn at_once(&self, info: &DeviceInfo) -> usize {
        if info.chip == 0 { usize::MAX } else { info.multiprocessors as usize / self.tiles() }
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

/// Tiles at most where blocks run one after the other.
const EMULATED: usize = 24;

/// The point of a place.
fn indices(layout: &Layout, at: usize) -> [usize; 3] {
    let from_first = at - layout.row(0, 0);
    let (plane, rest) = (from_first / layout.stride[2], from_first % layout.stride[2]);
    [rest % layout.stride[1], rest / layout.stride[1], plane]
}
