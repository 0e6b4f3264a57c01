//! The kernels as the program carries them; those of rare orders are compiled when they are asked for.

use craton_device::Scalar;
use craton_device::gpu::{Gpu, GpuError, Image, Module};

use super::boxes::THREADS;

const HEADERS: [(&str, &str); 12] = [
    ("staggered.cuh", include_str!("../../kernels/staggered.cuh")),
    ("grid.cuh", include_str!("../../kernels/grid.cuh")),
    ("lanes.cuh", include_str!("../../kernels/lanes.cuh")),
    ("slopes.cuh", include_str!("../../kernels/slopes.cuh")),
    ("ring.cuh", include_str!("../../kernels/ring.cuh")),
    ("column.cuh", include_str!("../../kernels/column.cuh")),
    ("elastic_slopes.cuh", include_str!("../../kernels/elastic_slopes.cuh")),
    ("layers.cuh", include_str!("../../kernels/layers.cuh")),
    ("moves.cuh", include_str!("../../kernels/moves.cuh")),
    ("shots.cuh", include_str!("../../kernels/shots.cuh")),
    ("tile_edges.cuh", include_str!("../../kernels/tile_edges.cuh")),
    ("tile_layers.cuh", include_str!("../../kernels/tile_layers.cuh")),
];

/// What was compiled ahead of time: file and macros, PTX, machine code for some chips.
type Built = (&'static str, &'static str, &'static [(u32, &'static [u8])]);
const BUILT: &[Built] = include!("../../kernels/built/images.rs");

/// Points along x that a thread of `kernels/step.cu` owns: 16 bytes where the stencil is short; less where what it reaches would not fit beside that of
/// its neighbours in the cache of a multiprocessor, or what it keeps along z in the shared memory of a block.
pub fn width<T: Scalar>(gpu: &Gpu, half_length: usize) -> usize {
    let widest = match (size_of::<T>(), half_length) {
        (4, ..=2) => 4,
        (4, _) | (_, ..=2) => 2,
        _ => 1,
    };
    let fits = |width: usize| column_bytes::<T>(half_length, width) <= gpu.info().shared_per_block;
    if fits(widest) { widest } else { widest.div_ceil(2) }
}

/// Shared memory in which the threads of a block keep values along z: three rows of derivatives, all that a stencil reaches [bytes].
pub fn column_bytes<T: Scalar>(half_length: usize, width: usize) -> u32 {
    (3 * 2 * half_length * width * size_of::<T>() * THREADS) as u32
}

/// `kernels/step.cu`.
pub fn step<T: Scalar>(gpu: &Gpu, half_length: usize) -> Result<Module, GpuError> {
    let [half_length, width] = [half_length, width::<T>(gpu, half_length)].map(|number| number.to_string());
    let defines = [("HALF_LENGTH", &*half_length), ("REAL", real::<T>()), ("WIDTH", &*width)];
    load(gpu, "step.cu", include_str!("../../kernels/step.cu"), &defines)
}

/// `kernels/taps.cu`.
pub fn taps<T: Scalar>(gpu: &Gpu) -> Result<Module, GpuError> {
    load(gpu, "taps.cu", include_str!("../../kernels/taps.cu"), &[("REAL", real::<T>())])
}

/// What a thread and a block of `kernels/acoustic.cu` move.
#[derive(Debug, Clone, Copy)]
pub struct ShotShape {
    /// Points along x of a thread.
    pub width: usize,
    /// Rows of a block, each of 32 threads.
    pub rows: u32,
    /// Blocks that a multiprocessor runs at once, at least: what bounds the registers of a thread.
    pub blocks: u32,
    /// Planes that a thread marches through at most: more, since it reads those before the first twice; fewer, since neighbours drift apart.
    pub deep: usize,
}

impl ShotShape {
    /// The fastest one of those that were tried, for waves along so many axes: in space long stencils need more registers.
    pub fn of(axes: usize, half_length: usize) -> Self {
        let (rows, blocks, deep) = match (axes, half_length) {
            (2, _) => (4, 8, 1),
            (_, ..=4) => (16, 2, 6),
            _ => (8, 2, 16),
        };
        Self { width: 4, rows, blocks, deep }
    }

    /// Shared memory in which the threads of a block keep what they derive along z: in space all that a stencil reaches [bytes].
    pub fn kept_bytes(&self, axes: usize, half_length: usize) -> u32 {
        if axes == 2 { 0 } else { 32 * self.rows * (2 * half_length * self.width * size_of::<f32>()) as u32 }
    }
}

/// `kernels/acoustic.cu`, in single precision.
pub fn acoustic(gpu: &Gpu, half_length: usize, axes: usize, shape: ShotShape) -> Result<Module, GpuError> {
    let ShotShape { width, rows, blocks, .. } = shape;
    let [half_length, axes, width] = [half_length, axes, width].map(|number| number.to_string());
    let [rows, blocks] = [rows, blocks].map(|number| number.to_string());
    let defines = [
        ("HALF_LENGTH", &*half_length),
        ("REAL", "float"),
        ("WIDTH", &*width),
        ("AXES", &*axes),
        ("ROWS", &*rows),
        ("BLOCKS", &*blocks),
    ];
    load(gpu, "acoustic.cu", include_str!("../../kernels/acoustic.cu"), &defines)
}

/// What a block of `kernels/acoustic_tiles.cu` moves.
pub struct TileShape {
    /// Warps of a block.
    pub warps: usize,
    /// Rows of a thread.
    pub depth: usize,
}

/// The fastest one of those that were tried.
pub const TILE: TileShape = TileShape { warps: 16, depth: 7 };

/// `kernels/acoustic_tiles.cu`, in single precision.
pub fn acoustic_tiles(gpu: &Gpu, half_length: usize) -> Result<Module, GpuError> {
    let [half_length, warps, depth] = [half_length, TILE.warps, TILE.depth].map(|number| number.to_string());
    let defines = [
        ("HALF_LENGTH", &*half_length),
        ("REAL", "float"),
        ("WIDTH", "4"),
        ("AXES", "2"),
        ("WARPS", &*warps),
        ("DEPTH", &*depth),
    ];
    load(gpu, "acoustic_tiles.cu", include_str!("../../kernels/acoustic_tiles.cu"), &defines)
}

fn real<T>() -> &'static str {
    if size_of::<T>() == 4 { "float" } else { "double" }
}

fn load(gpu: &Gpu, name: &str, source: &str, defines: &[(&str, &str)]) -> Result<Module, GpuError> {
    let image = Image { name, source, headers: &HEADERS, defines, ..Image::default() };
    let key = [vec![name.to_owned()], image.define_options()].concat().join(" ");
    match BUILT.iter().find(|(built, ..)| *built == key) {
        Some((_, ptx, machine_code)) => gpu.module(&Image { ptx: Some(ptx), machine_code, ..image }),
        None => gpu.module(&image),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is built with other numbers would be compiled again whenever a program begins.
    #[test]
    fn what_is_built_ahead_has_the_shapes_that_are_asked_for() {
        for (key, ..) in BUILT {
            let number = |name: &str| -> usize {
                let mut defines = key.split(" -D").filter_map(|define| define.split_once('='));
                defines.find(|define| define.0 == name).expect("a number").1.parse().expect("a number")
            };
            if key.starts_with("acoustic_tiles.cu") {
                assert_eq!([number("WARPS"), number("DEPTH")], [TILE.warps, TILE.depth], "{key}");
            } else if key.starts_with("acoustic.cu") {
                let shape = ShotShape::of(number("AXES"), number("HALF_LENGTH"));
                let asked = [shape.width, shape.rows as usize, shape.blocks as usize];
                assert_eq!(["WIDTH", "ROWS", "BLOCKS"].map(number), asked, "{key}");
            }
        }
    }
}
