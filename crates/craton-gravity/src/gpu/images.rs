//! The GPU kernels embedded in the program.

use craton_device::args;
use craton_device::gpu::{Buffer, Built, Gpu, GpuError, Image, Kernel, Launch};

use crate::{Field, Fields};

const HEADERS: [(&str, &str); 11] = [
    ("real.cuh", include_str!("../../kernels/real.cuh")),
    ("elementary.cuh", include_str!("../../kernels/elementary.cuh")),
    ("fields.cuh", include_str!("../../kernels/fields.cuh")),
    ("closed_form.cuh", include_str!("../../kernels/closed_form.cuh")),
    ("multipole.cuh", include_str!("../../kernels/multipole.cuh")),
    ("body.cuh", include_str!("../../kernels/body.cuh")),
    ("pieces.cuh", include_str!("../../kernels/pieces.cuh")),
    ("pairs.cuh", include_str!("../../kernels/pairs.cuh")),
    ("third.cuh", include_str!("../../kernels/third.cuh")),
    ("runs.cuh", include_str!("../../kernels/runs.cuh")),
    ("tesseroid.cuh", include_str!("../../kernels/tesseroid.cuh")),
];

/// The kernels compiled ahead of time.
const BUILT: &[Built] = include!("../../kernels/built/images.rs");

/// Precision of each pair of a prism and a point; sums over pairs are always in double precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Double precision: ten digits for each pair, as in [`forward`](crate::forward).
    Double,
    /// Single precision, with coordinate differences as accurate as in double: relative error of a pair up to 2e-4; errors mostly cancel in sums over many
    /// pairs.
    Single,
}

/// Threads per block of the prebuilt kernels; each thread handles a point or a prism.
pub const BLOCK: usize = 128;

/// The kind of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Prisms,
    /// Prisms with a magnetisation. B and its gradient are in the places of the attraction and of the tensor.
    Magnetised,
    Tesseroids,
}

impl Kind {
    /// Values per body on the device: six bounds, then G times density, and for tesseroids G times its gradient; or μ₀/4π times the magnetisation.
    pub fn numbers(self) -> usize {
        match self {
            Self::Prisms => 7,
            Self::Tesseroids => 8,
            Self::Magnetised => 9,
        }
    }
}

/// Which product is computed: sums over bodies at points, or weighted sums over points for bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    Forward,
    Transposed,
}

impl Product {
    /// File name, source text, and name of the kernel that sums runs.
    fn source(self, kind: Kind) -> [&'static str; 3] {
        let [file, text] = match (kind, self) {
            (Kind::Prisms, Self::Forward) => ["prisms.cu", include_str!("../../kernels/prisms.cu")],
            (Kind::Prisms, Self::Transposed) => ["transpose.cu", include_str!("../../kernels/transpose.cu")],
            (Kind::Magnetised, Self::Forward) => ["magnetics.cu", include_str!("../../kernels/magnetics.cu")],
            (Kind::Magnetised, Self::Transposed) => {
                unreachable!("magnetised prisms have no transposed product on GPUs")
            }
            (Kind::Tesseroids, _) => ["tesseroids.cu", include_str!("../../kernels/tesseroids.cu")],
        };
        [file, text, if self == Self::Forward { "sum_runs" } else { "sum_weighted" }]
    }
}

/// The kernels for one product, precision and set of fields.
#[derive(Clone)]
pub struct Kernels {
    pub product: Product,
    pub precision: Precision,
    /// Fields that the kernels sum.
    pub fields: Fields,
    pub sum_runs: Kernel,
    pub add_runs: Kernel,
}

impl Kernels {
    /// Loads the kernels.
    ///
    /// # Arguments
    /// * `block` – threads per block; sizes other than [`BLOCK`] are compiled by NVRTC, for prisms only
    pub fn load(
        gpu: &Gpu,
        (kind, product): (Kind, Product),
        precision: Precision,
        fields: Fields,
        block: usize,
    ) -> Result<Self, GpuError> {
        let [name, source, sum_runs] = product.source(kind);
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

    /// Enqueues the addition of `count` sums, `[sum][total]`, to `len` totals, in order.
    pub fn add(&self, sums: &Buffer<f64>, count: usize, totals: &mut Buffer<f64>, len: usize) -> Result<(), GpuError> {
        self.add_runs.launch(Launch::covering(len, BLOCK as u32), args![sums, count as u32, len as u32, totals])
    }

    /// Appends the values of the requested fields.
    ///
    /// # Arguments
    /// * `totals` – totals of all summed fields, `[field][point]`; `values` – values of each requested field
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

/// The prebuilt kernel of an image, if there is one.
fn built(image: &Image) -> Option<&'static Built> {
    let key = [vec![image.name.to_owned()], image.define_options()].concat().join(" ");
    BUILT.iter().find(|(built, ..)| *built == key)
}

/// The smallest set of fields with prebuilt kernels that contains the requested ones. The components share so much work that computing all of them costs little
/// more than computing a few.
pub fn summed_for(kind: Kind, asked: Fields) -> Fields {
    let few = match kind {
        Kind::Prisms => Fields::from_iter([Field::Up]),
        Kind::Tesseroids => Fields::ATTRACTION,
        Kind::Magnetised => return Fields::ATTRACTION.union(Fields::TENSOR),
    };
    if asked.is_within(few) { few } else { Fields::ALL }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_required_kernels_are_built() {
        let of_prisms = [Precision::Double, Precision::Single].map(|precision| (Kind::Prisms, precision));
        let all = of_prisms.into_iter().chain([(Kind::Tesseroids, Precision::Double)]);
        let magnetised = [Precision::Double, Precision::Single].map(|one| ((Kind::Magnetised, one), Product::Forward));
        for ((kind, precision), product) in
            all.flat_map(|one| [Product::Forward, Product::Transposed].map(|p| (one, p))).chain(magnetised)
        {
            for asked in Field::ALL.map(|field| Fields::from_iter([field])).into_iter().chain([Fields::ALL]) {
                let (name, fields) = (product.source(kind)[0], summed_for(kind, asked).bits().to_string());
                let image = Image { name, defines: &defines(precision, &fields), ..Image::default() };
                assert!(built(&image).is_some(), "{kind:?}, {product:?}, {precision:?}, {asked:?}");
            }
        }
    }
}
