//! The kernels embedded in the program; those of rare orders are compiled on request.

use craton_device::Scalar;
use craton_device::gpu::{Built, Gpu, GpuError, Image, Module};

use super::boxes::THREADS;

const HEADERS: [(&str, &str); 20] = [
    ("staggered.cuh", include_str!("../../kernels/staggered.cuh")),
    ("grid.cuh", include_str!("../../kernels/grid.cuh")),
    ("lanes.cuh", include_str!("../../kernels/lanes.cuh")),
    ("slopes.cuh", include_str!("../../kernels/slopes.cuh")),
    ("ring.cuh", include_str!("../../kernels/ring.cuh")),
    ("column.cuh", include_str!("../../kernels/column.cuh")),
    ("elastic_slopes.cuh", include_str!("../../kernels/elastic_slopes.cuh")),
    ("acoustic_moves.cuh", include_str!("../../kernels/acoustic_moves.cuh")),
    ("adjoint.cuh", include_str!("../../kernels/adjoint.cuh")),
    ("counter.cuh", include_str!("../../kernels/counter.cuh")),
    ("increments.cuh", include_str!("../../kernels/increments.cuh")),
    ("layers.cuh", include_str!("../../kernels/layers.cuh")),
    ("moves.cuh", include_str!("../../kernels/moves.cuh")),
    ("relaxation.cuh", include_str!("../../kernels/relaxation.cuh")),
    ("scalar_layers.cuh", include_str!("../../kernels/scalar_layers.cuh")),
    ("shot_samples.cuh", include_str!("../../kernels/shot_samples.cuh")),
    ("shots.cuh", include_str!("../../kernels/shots.cuh")),
    ("pressure.cuh", include_str!("../../kernels/pressure.cuh")),
    ("tile_edges.cuh", include_str!("../../kernels/tile_edges.cuh")),
    ("tile_layers.cuh", include_str!("../../kernels/tile_layers.cuh")),
];

/// The kernels compiled ahead of time.
const BUILT: &[Built] = include!("../../kernels/built/images.rs");

/// Points per thread of `kernels/step.cu` along x: 16 bytes for short stencils, 8 if stresses relax, because memory variables need registers; fewer if the working sets of all blocks would exceed the cache of a
/// multiprocessor, or the values along z the shared memory of a block.
pub fn width<T: Scalar>(gpu: &Gpu, half_length: usize, relaxes: bool) -> usize {
    let widest = match (size_of::<T>(), half_length) {
        (4, ..=2) if !relaxes => 4,
        (4, _) | (_, ..=2) => 2,
        _ => 1,
    };
    let fits = |width: usize| column_bytes::<T>(half_length, width) <= gpu.info().shared_per_block;
    if fits(widest) { widest } else { widest.div_ceil(2) }
}

/// Shared memory per block for values along z: three rows of derivatives over the length of the stencil [bytes].
pub fn column_bytes<T: Scalar>(half_length: usize, width: usize) -> u32 {
    (3 * 2 * half_length * width * size_of::<T>() * THREADS) as u32
}

/// `kernels/step.cu`.
///
/// # Arguments
/// * `relaxes` – whether these are the kernels of stresses that relax; the others have all kernels of elastic media
pub fn step<T: Scalar>(gpu: &Gpu, half_length: usize, relaxes: bool) -> Result<Module, GpuError> {
    let [half_length, width] = [half_length, width::<T>(gpu, half_length, relaxes)].map(|number| number.to_string());
    let defines = [("HALF_LENGTH", &*half_length), ("REAL", real::<T>()), ("WIDTH", &*width)];
    let defines: Vec<(&str, &str)> = defines.into_iter().chain(relaxes.then_some(("RELAXES", "1"))).collect();
    load(gpu, "step.cu", include_str!("../../kernels/step.cu"), &defines)
}

/// `kernels/taps.cu`.
pub fn taps<T: Scalar>(gpu: &Gpu) -> Result<Module, GpuError> {
    load(gpu, "taps.cu", include_str!("../../kernels/taps.cu"), &[("REAL", real::<T>())])
}

/// Work of a thread and of a block of `kernels/acoustic.cu`.
#[derive(Debug, Clone, Copy)]
pub struct ShotShape {
    /// Points per thread along x.
    pub width: usize,
    /// Rows per block, each of 32 threads.
    pub rows: u32,
    /// Minimum number of blocks per multiprocessor, which limits the registers per thread.
    pub blocks: u32,
    /// Maximum number of planes per thread: more reduce redundant reads, fewer keep adjacent blocks in step.
    pub deep: usize,
}

impl ShotShape {
    /// The fastest measured shape for waves along `axes` axes: in 3D, long stencils need more registers.
    pub fn of(axes: usize, half_length: usize) -> Self {
        let (rows, blocks, deep) = match (axes, half_length) {
            (2, _) => (4, 8, 1),
            (_, ..=4) => (16, 2, 6),
            _ => (8, 2, 16),
        };
        Self { width: 4, rows, blocks, deep }
    }

    /// Shared memory per block for derivatives along z, over the length of the stencil; only in 3D [bytes].
    pub fn kept_bytes(&self, axes: usize, half_length: usize) -> u32 {
        if axes == 2 { 0 } else { 32 * self.rows * (2 * half_length * self.width * size_of::<f32>()) as u32 }
    }
}

/// `kernels/acoustic.cu`, in single precision.
///
/// # Arguments
/// * `relaxes` – whether the pressure relaxes
pub fn acoustic(
    gpu: &Gpu,
    half_length: usize,
    axes: usize,
    shape: ShotShape,
    relaxes: bool,
) -> Result<Module, GpuError> {
    load_shot(gpu, "acoustic.cu", include_str!("../../kernels/acoustic.cu"), (half_length, axes, shape, relaxes))
}

/// `kernels/acoustic_gradient.cu`, in single precision.
pub fn acoustic_gradient(gpu: &Gpu, half_length: usize, axes: usize, shape: ShotShape) -> Result<Module, GpuError> {
    let source = include_str!("../../kernels/acoustic_gradient.cu");
    load_shot(gpu, "acoustic_gradient.cu", source, (half_length, axes, shape, false))
}

/// Kernels in blocks of rows.
fn load_shot(
    gpu: &Gpu,
    name: &str,
    source: &str,
    (half_length, axes, shape, relaxes): (usize, usize, ShotShape, bool),
) -> Result<Module, GpuError> {
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
        ("RELAXES", flag(relaxes)),
    ];
    load(gpu, name, source, &defines)
}

/// Work of a thread and of a block of `kernels/scalar.cu`.
#[derive(Debug, Clone, Copy)]
pub struct ScalarShape {
    /// Points per thread along x.
    pub width: usize,
    /// Threads per block.
    pub threads: u32,
    /// Minimum number of blocks per multiprocessor, which limits the registers per thread.
    pub blocks: u32,
    /// Maximum number of planes per thread.
    pub deep: usize,
}

impl ScalarShape {
    /// The fastest measured shape: long stencils need more registers.
    pub fn of(half_length: usize) -> Self {
        let (threads, blocks, deep) = match half_length {
            0..=2 => (512, 2, 64),
            3..=4 => (256, 3, 16),
            _ => (256, 2, 32),
        };
        Self { width: 4, threads, blocks, deep }
    }

    /// The shape of blocks of rows by which sources are sorted.
    pub fn of_sources(self, rows: u32) -> ShotShape {
        ShotShape { width: self.width, rows, blocks: self.blocks, deep: 1 }
    }
}

/// `kernels/scalar.cu`, in single precision.
pub fn scalar(gpu: &Gpu, half_length: usize, shape: ScalarShape) -> Result<Module, GpuError> {
    let ScalarShape { width, threads, blocks, .. } = shape;
    let [half_length, width] = [half_length, width].map(|number| number.to_string());
    let [threads, blocks] = [threads, blocks].map(|number| number.to_string());
    let defines = [
        ("HALF_LENGTH", &*half_length),
        ("REAL", "float"),
        ("WIDTH", &*width),
        ("AXES", "3"),
        ("THREADS", &*threads),
        ("BLOCKS", &*blocks),
    ];
    load(gpu, "scalar.cu", include_str!("../../kernels/scalar.cu"), &defines)
}

/// Work of a block of `kernels/acoustic_tiles.cu`.
pub struct TileShape {
    /// Warps per block.
    pub warps: usize,
    /// Rows per thread.
    pub depth: usize,
}

/// The fastest measured shape.
pub const TILE: TileShape = TileShape { warps: 16, depth: 7 };

/// `kernels/acoustic_tiles.cu`, in single precision.
///
/// # Arguments
/// * `relaxes` – whether the pressure relaxes
pub fn acoustic_tiles(gpu: &Gpu, half_length: usize, relaxes: bool) -> Result<Module, GpuError> {
    let [half_length, warps, depth] = [half_length, TILE.warps, TILE.depth].map(|number| number.to_string());
    let defines = [
        ("HALF_LENGTH", &*half_length),
        ("REAL", "float"),
        ("WIDTH", "4"),
        ("AXES", "2"),
        ("WARPS", &*warps),
        ("DEPTH", &*depth),
        ("RELAXES", flag(relaxes)),
    ];
    load(gpu, "acoustic_tiles.cu", include_str!("../../kernels/acoustic_tiles.cu"), &defines)
}

fn flag(is_set: bool) -> &'static str {
    if is_set { "1" } else { "0" }
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

    /// Kernels built with other shapes would be compiled at every start of a program.
    #[test]
    fn images_are_built_for_the_requested_shapes() {
        for (key, ..) in BUILT {
            let number = |name: &str| -> usize {
                let mut defines = key.split(" -D").filter_map(|define| define.split_once('='));
                defines.find(|define| define.0 == name).expect("a number").1.parse().expect("a number")
            };
            if key.starts_with("acoustic_tiles.cu") {
                assert_eq!([number("WARPS"), number("DEPTH")], [TILE.warps, TILE.depth], "{key}");
            } else if key.starts_with("scalar.cu") {
                let shape = ScalarShape::of(number("HALF_LENGTH"));
                let asked = [shape.width as u32, shape.threads, shape.blocks];
                let built = ["WIDTH", "THREADS", "BLOCKS"].map(|name| number(name) as u32);
                assert_eq!(built, asked, "{key}");
            } else if key.starts_with("acoustic.cu") || key.starts_with("acoustic_gradient.cu") {
                let shape = ShotShape::of(number("AXES"), number("HALF_LENGTH"));
                let asked = [shape.width, shape.rows as usize, shape.blocks as usize];
                assert_eq!(["WIDTH", "ROWS", "BLOCKS"].map(number), asked, "{key}");
            }
        }
    }
}
