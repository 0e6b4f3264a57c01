//! The kernels as the program carries them.

use craton_device::gpu::{Gpu, GpuError, Image, Kernel};

use crate::{Field, Fields};

const HEADERS: [(&str, &str); 7] = [
    ("real.cuh", include_str!("../../kernels/real.cuh")),
    ("elementary.cuh", include_str!("../../kernels/elementary.cuh")),
    ("fields.cuh", include_str!("../../kernels/fields.cuh")),
    ("closed_form.cuh", include_str!("../../kernels/closed_form.cuh")),
    ("multipole.cuh", include_str!("../../kernels/multipole.cuh")),
    ("body.cuh", include_str!("../../kernels/body.cuh")),
    ("pieces.cuh", include_str!("../../kernels/pieces.cuh")),
];

/// What was compiled ahead of time: file and macros, PTX, machine code for some chips.
type Built = (&'static str, &'static str, &'static [(u32, &'static [u8])]);
const BUILT: &[Built] = include!("../../kernels/built/images.rs");

/// How a pair of a prism and a point is computed; sums of pairs are in double precision always.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// As [`forward`](crate::forward) does: ten digits of each pair.
    Double,
    /// Differences of coordinates as if in double precision, the rest in single: four digits of each pair, whose errors mostly cancel in sums of many.
    Single,
}

/// The kernels of one precision and some fields.
#[derive(Clone)]
pub struct Kernels {
    pub precision: Precision,
    /// What they sum.
    pub fields: Fields,
    pub sum_runs: Kernel,
    pub add_runs: Kernel,
}

impl Kernels {
    pub fn load(gpu: &Gpu, precision: Precision, fields: Fields) -> Result<Self, GpuError> {
        let real = match precision {
            Precision::Double => "double",
            Precision::Single => "float",
        };
        let fields_bits = fields.bits().to_string();
        let image = Image {
            name: "prisms.cu",
            source: include_str!("../../kernels/prisms.cu"),
            headers: &HEADERS,
            defines: &[("REAL", real), ("FIELDS", &fields_bits)],
            ..Image::default()
        };
        let key = [vec![image.name.to_owned()], image.define_options()].concat().join(" ");
        let module = match BUILT.iter().find(|(built, ..)| *built == key) {
            Some((_, ptx, machine_code)) => gpu.module(&Image { ptx: Some(ptx), machine_code, ..image })?,
            None => gpu.module(&image)?,
        };
        let [sum_runs, add_runs] = [module.kernel("sum_runs")?, module.kernel("add_runs")?];
        Ok(Self { precision, fields, sum_runs, add_runs })
    }
}

/// The least set of fields there are kernels for that holds those asked for. Any two components share so much that all cost little more than some.
pub fn summed_for(asked: Fields) -> Fields {
    let up = Fields::from_iter([Field::Up]);
    if asked.is_within(up) { up } else { Fields::ALL }
}
