//! Input of `kernels/plane_sites.cuh` at the points of a patch: material parameters and symmetry axis.

use craton_device::Scalar;
use craton_sem_kernels::{ElementData, MaterialKind, Pml, Rheology};

use super::images::Storage;
use super::patches::{ELEMENTS, N, PLANE_POINTS, PLANES, transposed};

/// Parameters are packed if the packing error is less than this fraction of the P-wave modulus. The limit is small because phase errors of a wave accumulate
/// along its path.
const PACKED_EXACT: f64 = 2e-7;
/// Largest integer of a packed parameter.
const LARGEST: f64 = 32767.0;

/// Material parameters of a patch in the layout of the kernel.
#[derive(Default)]
pub struct Sites {
    /// Values in shared memory, `[value][element]`: constant parameters or the decoding coefficients of packed ones, followed by the symmetry axis.
    pub constants: Vec<f32>,
    /// Values that vary inside elements, `[row][word][thread]`: floats, or two 15-bit integers per word.
    pub words: Vec<u32>,
}

/// Access to the material parameters of a patch.
struct Parameters<'a, T: Scalar> {
    data: &'a ElementData<T>,
    lanes: usize,
    count: usize,
}

impl<T: Scalar> Parameters<'_, T> {
    /// Parameter `q` at a point of an element.
    fn at(&self, element: usize, point: usize, q: usize) -> f64 {
        let (sites, site) = if self.data.material_varies { (N * N * N, point) } else { (1, 0) };
        let row = (element / self.lanes * sites + site) * self.count + q;
        self.data.material[row * self.lanes + element % self.lanes].to_f64()
    }

    /// Packing of the parameters of an element.
    fn packed(&self, element: usize) -> Packed {
        let points = if self.data.material_varies { N * N * N } else { 1 };
        let ranges = (0..self.count).map(|q| {
            let values = (0..points).map(|point| self.at(element, point, q));
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)])
        });
        Packed::new(&ranges.collect::<Vec<_>>())
    }
}

/// Packing of the parameters of an element in 15-bit integers: value = offset + step × integer. All parameters have the same step, so that the error is at
/// most 1/65534 of the largest range of a parameter in the element.
struct Packed {
    step: f64,
    lows: Vec<f64>,
}

impl Packed {
    fn new(ranges: &[[f64; 2]]) -> Self {
        let largest = ranges.iter().map(|[low, high]| high - low).fold(0.0, f64::max);
        // Single precision, as in the kernel; the factor ensures that no integer exceeds the largest one.
        let step = f64::from((largest / LARGEST) as f32) * (1.0 + 1e-6);
        Self { step, lows: ranges.iter().map(|range| range[0]).collect() }
    }

    fn number(&self, q: usize, value: f64) -> u32 {
        if self.step == 0.0 { 0 } else { ((value - self.lows[q]) / self.step).round().clamp(0.0, LARGEST) as u32 }
    }

    /// Decoding coefficients: the factor and the offsets of fma(2 + number / 16384, factor, offset).
    fn code(&self) -> Vec<f32> {
        let factor = self.step * 16384.0;
        std::iter::once(factor)
            .chain(self.lows.iter().map(|low| low - 2.0 * factor))
            .map(|value| value as f32)
            .collect()
    }
}

/// Storage of the parameters of a run of patches: packed if that is accurate enough.
pub fn storage<T: Scalar>(rheology: Rheology, varies: bool, patches: &[ElementData<T>], lanes: usize) -> Storage {
    let is_exact = |data: &ElementData<T>| {
        let parameters = Parameters { data, lanes, count: rheology.parameters() };
        (0..data.batches * lanes).all(|element| {
            // P-wave modulus perpendicular to the axis: lambda + 2 mu.
            let modulus = parameters.at(element, 0, 0) + 2.0 * parameters.at(element, 0, 1);
            0.5 * parameters.packed(element).step < PACKED_EXACT * modulus
        })
    };
    let can_be_packed = |data: &ElementData<T>| has_points(data, lanes) && is_exact(data);
    match (rheology.material, varies) {
        // Few elements are in edges and corners of layers.
        _ if rheology.pml.axes() > 1 => Storage::Point,
        // 21 coefficients are stored at every point in any case.
        (MaterialKind::Anisotropic, _) => Storage::Point,
        (_, false) => Storage::Element,
        (MaterialKind::TransverselyIsotropic, true)
            if rheology.pml == Pml::None && patches.iter().all(can_be_packed) =>
        {
            Storage::Packed
        }
        (_, true) => Storage::Point,
    }
}

/// Whether the elements of a patch have the degree of the patch kernel.
fn has_points<T: Scalar>(data: &ElementData<T>, lanes: usize) -> bool {
    data.nodes.len() == data.batches * lanes * N * N * N
}

/// Builds the parameters of a patch with this number of elements.
pub fn of_patch<T: Scalar>(data: &ElementData<T>, elements: usize, lanes: usize, storage: Storage) -> Sites {
    let parameters = Parameters { data, lanes, count: data.rheology.parameters() };
    let coefficients = data.rheology.axis_coefficients();
    let packed = |element| parameters.packed(element);
    let codes: Vec<Packed> = (0..elements).filter(|_| storage == Storage::Packed).map(packed).collect();
    let constants_of = |element: usize| -> Vec<f32> {
        let mut own = match storage {
            Storage::Packed => codes[element].code(),
            Storage::Point => Vec::new(),
            Storage::Element => (0..parameters.count).map(|q| parameters.at(element, 0, q) as f32).collect(),
        };
        let row = |row| data.axes[(element / lanes * coefficients + row) * lanes + element % lanes];
        own.extend((0..coefficients).map(|at| row(at).to_f64() as f32));
        own
    };
    let constants: Vec<Vec<f32>> = (0..ELEMENTS).map(|slot| constants_of(slot.min(elements - 1))).collect();
    let words = match storage {
        Storage::Element => Vec::new(),
        Storage::Point => {
            words(elements, parameters.count, |element, point, q| (parameters.at(element, point, q) as f32).to_bits())
        }
        Storage::Packed => {
            let number = |element: usize, point, q| codes[element].number(q, parameters.at(element, point, q));
            in_halves(&words(elements, parameters.count, number), N * parameters.count)
        }
    };
    Sites { constants: if constants[0].is_empty() { Vec::new() } else { transposed(&constants) }, words }
}

/// One word for each parameter, `[row][point of the row][parameter][thread]`. Threads without an element repeat the last one.
fn words(elements: usize, parameters: usize, word: impl Fn(usize, usize, usize) -> u32) -> Vec<u32> {
    let mut all = Vec::with_capacity(PLANE_POINTS * parameters * PLANES);
    for point in 0..PLANE_POINTS {
        for q in 0..parameters {
            let of_thread = |thread: usize| word((thread / N).min(elements - 1), thread % N * PLANE_POINTS + point, q);
            all.extend((0..PLANES).map(of_thread));
        }
    }
    all
}

/// Packs two integers of each row into a word: `[row][word][thread]`.
///
/// # Arguments
/// * `of_row` – integers of a row
fn in_halves(numbers: &[u32], of_row: usize) -> Vec<u32> {
    let mut all = Vec::new();
    for row in numbers.chunks(of_row * PLANES) {
        for pair in row.chunks(2 * PLANES) {
            let (low, high) = pair.split_at(PLANES);
            all.extend(low.iter().enumerate().map(|(thread, low)| low | high.get(thread).copied().unwrap_or(0) << 16));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_parameters_are_accurate_to_15_bits() {
        let ranges = [[3.1e10, 3.6e10], [2.0e10, 2.1e10], [-4e8, 3e8]];
        let packed = Packed::new(&ranges);
        let code = packed.code();
        for (q, [low, high]) in ranges.into_iter().enumerate() {
            for part in [0.0, 0.123, 0.5, 0.987, 1.0] {
                let value = low + part * (high - low);
                let number = packed.number(q, value);
                let float = f32::from_bits(0x4000_0000 | number << 8);
                let read = f64::from(float.mul_add(code[0], code[1 + q]));
                assert!((read - value).abs() < 0.51 * packed.step + 1e-7 * high.abs(), "{value} {read}");
            }
        }
    }
}
