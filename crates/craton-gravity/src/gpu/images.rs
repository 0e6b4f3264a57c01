//! The kernels as the program carries them.

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Image, Kernel, Launch};

use crate::{Field, Fields};

const HEADERS: [(&str, &str); 9] = [
    ("real.cuh", include_str!("../../kernels/real.cuh")),
    ("elementary.cuh", include_str!("../../kernels/elementary.cuh")),
    ("fields.cuh", include_str!("../../kernels/fields.cuh")),
    ("closed_form.cuh", include_str!("../../kernels/closed_form.cuh")),
    ("multipole.cuh", include_str!("../../kernels/multipole.cuh")),
    ("body.cuh", include_str!("../../kernels/body.cuh")),
    ("pieces.cuh", include_str!("../../kernels/pieces.cuh")),
    ("pairs.cuh", include_str!("../../kernels/pairs.cuh")),
    ("runs.cuh", include_str!("../../kernels/runs.cuh")),
];

/// What was compiled ahead of time: file and macros, PTX, machine code for some chips.
type Built = (&'static str, &'static str, &'static [(u32, &'static [u8])]);
const BUILT: &[Built] = include!("../../kernels/built/images.rs");

/// How a pair of a prism and a point is computed; sums of pairs are in double precision always.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// As [`forward`](crate::forward) does: ten digits of each pair.
    Double,
    /// Differences of coordinates as if in double precision, the rest in single: 2e-4 of each pair at worst, errors that mostly cancel in sums of many.
    Single,
}

/// Threads of a block, a point or a prism each, for which kernels are built.
pub const BLOCK: usize = 128;

/// What is summed: prisms at points, or points with weights at prisms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    Forward,
    Transposed,
}

impl Product {
    /// The file, its text, and the kernel that sums runs.
    fn source(self) -> [&'static str; 3] {
        match self {
            Self::Forward => ["prisms.cu", include_str!("../../kernels/prisms.cu"), "sum_runs"],
            Self::Transposed => ["transpose.cu", include_str!("../../kernels/transpose.cu"), "sum_weighted"],
        }
    }
}

/// The kernels of a product, one precision and some fields.
#[derive(Clone)]
pub struct Kernels {
    pub product: Product,
    pub precision: Precision,
    /// What they sum.
    pub fields: Fields,
    pub sum_runs: Kernel,
    pub add_runs: Kernel,
}

impl Kernels {
    /// # Arguments
    /// * `block` – threads of a block; NVRTC compiles what is not [`BLOCK`]
    pub fn load(
        gpu: &Gpu,
        product: Product,
        precision: Precision,
        fields: Fields,
        block: usize,
    ) -> Result<Self, GpuError> {
        let [name, source, sum_runs] = product.source();
        let (bits, points) = (fields.bits().to_string(), block.to_string());
        let mut defines = defines(precision, &bits).to_vec();
        if block != BLOCK {
            defines.push(("POINTS", &points));
        }
        let image = Image { name, source, headers: &HEADERS, defines: &defines, ..Image::default() };
        let module = match built(&image) {
            Some((_, ptx, machine_code)) => gpu.module(&Image { ptx: Some(ptx), machine_code, ..image })?,
            None => gpu.module(&image)?,
        };
        let [sum_runs, add_runs] = [module.kernel(sum_runs)?, module.kernel("add_runs")?];
        Ok(Self { product, precision, fields, sum_runs, add_runs })
    }

    /// Queues the addition of `count` sums, `[sum][total]`, to `len` totals, in their order.
    pub fn add(&self, sums: &Buffer<f64>, count: usize, totals: &mut Buffer<f64>, len: usize) -> Result<(), GpuError> {
        self.add_runs.launch(Launch::covering(len, BLOCK as u32), args![sums, count as u32, len as u32, totals])
    }

    /// Appends the values of fields that are asked for.
    ///
    /// # Arguments
    /// * `totals` – of all fields that are summed, `[field][point]`; `values` – of each field that is asked for
    pub fn pick(&self, asked: Fields, totals: &[f64], values: &mut [Vec<f64>]) {
        let points = totals.len() / self.fields.iter().count();
        let places = self.fields.iter().zip(totals.chunks_exact(points));
        let places = places.filter(|&(field, _)| asked.contains(field));
        values.iter_mut().zip(places).for_each(|(values, (_, totals))| values.extend_from_slice(totals));
    }
}

fn defines(precision: Precision, fields: &str) -> [(&str, &str); 2] {
    let real = match precision {
        Precision::Double => "double",
        Precision::Single => "float",
    };
    [("REAL", real), ("FIELDS", fields)]
}

/// What was built of an image, if it was.
fn built(image: &Image) -> Option<&'static Built> {
    let key = [vec![image.name.to_owned()], image.define_options()].concat().join(" ");
    BUILT.iter().find(|(built, ..)| *built == key)
}

/// The least set of fields there are kernels for that holds those asked for. Any two components share so much that all cost little more than some.
pub fn summed_for(asked: Fields) -> Fields {
    let up = Fields::from_iter([Field::Up]);
    if asked.is_within(up) { up } else { Fields::ALL }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kernels_that_are_asked_for_are_built() {
        let precisions = [Precision::Double, Precision::Single];
        for (product, precision) in
            [Product::Forward, Product::Transposed].into_iter().flat_map(|p| precisions.map(|q| (p, q)))
        {
            for asked in Field::ALL.map(|field| Fields::from_iter([field])).into_iter().chain([Fields::ALL]) {
                let (name, fields) = (product.source()[0], summed_for(asked).bits().to_string());
                let image = Image { name, defines: &defines(precision, &fields), ..Image::default() };
                assert!(built(&image).is_some(), "{product:?}, {precision:?}, {asked:?}");
            }
        }
    }
}
