//! What `kernels/plane_sites.cuh` reads at the points of a patch: parameters of the law and its axis.

use craton_device::Scalar;
use craton_sem_kernels::{ElementData, Rheology};

use super::images::Storage;
use super::patches::{ELEMENTS, N, PLANE_POINTS, PLANES, transposed};

/// Parameters are packed where that changes none by more than this part of the modulus of P waves. It has to be small: the phase of a wave gathers the
/// error of its speed along the way.
const PACKED_EXACT: f64 = 2e-7;
/// Largest number that a packed parameter stores.
const LARGEST: f64 = 32767.0;

/// The parameters of a patch as its kernel reads them.
#[derive(Default)]
pub struct Sites {
    /// What stays in shared memory, `[value][element]`: the parameters of an element, or the code of those that vary; then its axis.
    pub constants: Vec<f32>,
    /// What varies inside elements, `[row][word][thread]`: floats, or numbers of 15 bits in halves of words.
    pub words: Vec<u32>,
}

/// Parameters of the elements of a patch.
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

    /// All parameters of an element, packed.
    fn packed(&self, element: usize) -> Packed {
        let points = if self.data.material_varies { N * N * N } else { 1 };
        let ranges = (0..self.count).map(|q| {
            let values = (0..points).map(|point| self.at(element, point, q));
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)])
        });
        Packed::new(&ranges.collect::<Vec<_>>())
    }
}

/// Numbers of 15 bits for the parameters of an element: value = offset + step number, with one step for all parameters, so that each is stored
/// to 1/65534 of the largest range that one has in the element.
struct Packed {
    step: f64,
    lows: Vec<f64>,
}

impl Packed {
    fn new(ranges: &[[f64; 2]]) -> Self {
        let largest = ranges.iter().map(|[low, high]| high - low).fold(0.0, f64::max);
        // In single precision, as the kernel has it: no number exceeds the largest one.
        let step = f64::from((largest / LARGEST) as f32) * (1.0 + 1e-6);
        Self { step, lows: ranges.iter().map(|range| range[0]).collect() }
    }

    fn number(&self, q: usize, value: f64) -> u32 {
        if self.step == 0.0 { 0 } else { ((value - self.lows[q]) / self.step).round().clamp(0.0, LARGEST) as u32 }
    }

    /// The factor and the offsets of fma(2 + number / 16384, factor, offset).
    fn code(&self) -> Vec<f32> {
        let factor = self.step * 16384.0;
        std::iter::once(factor)
            .chain(self.lows.iter().map(|low| low - 2.0 * factor))
            .map(|value| value as f32)
            .collect()
    }
}

/// How the kernel of patches reads the parameters of a run of patches: packed where that is exact enough.
pub fn storage<T: Scalar>(rheology: Rheology, varies: bool, patches: &[ElementData<T>], lanes: usize) -> Storage {
    let is_exact = |data: &ElementData<T>| {
        let parameters = Parameters { data, lanes, count: rheology.parameters() };
        (0..data.batches * lanes).all(|element| {
            // The modulus of P waves across the axis: lambda + 2 mu.
            let modulus = parameters.at(element, 0, 0) + 2.0 * parameters.at(element, 0, 1);
            0.5 * parameters.packed(element).step < PACKED_EXACT * modulus
        })
    };
    let can_be_packed = |data: &ElementData<T>| has_points(data, lanes) && is_exact(data);
    match (rheology, varies) {
        // 21 coefficients are read at every point in any case.
        (Rheology::Anisotropic, _) => Storage::Point,
        (_, false) => Storage::Element,
        (Rheology::TransverselyIsotropic, true) if patches.iter().all(can_be_packed) => Storage::Packed,
        (_, true) => Storage::Point,
    }
}

/// Whether the elements of a patch have the points that the kernel of patches is made for.
fn has_points<T: Scalar>(data: &ElementData<T>, lanes: usize) -> bool {
    data.nodes.len() == data.batches * lanes * N * N * N
}

/// The parameters of a patch of so many elements.
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

/// A word for each parameter, `[row][point of the row][parameter][thread]`; threads without an element have those of the last one.
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

/// Two numbers of each row, of so many, in a word: `[row][word][thread]`.
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
    fn packed_parameters_are_exact_to_the_last_of_15_bits() {
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
