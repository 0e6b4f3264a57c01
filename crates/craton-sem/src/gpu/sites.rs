//! What `kernels/plane_sites.cuh` reads at the points of a patch: parameters of the law and its axis.

use craton_device::Scalar;
use craton_sem_kernels::ElementData;

use super::patches::{ELEMENTS, N, PLANE_POINTS, PLANES, transposed};

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

/// The parameters of a patch of so many elements.
///
/// # Arguments
/// * `varies` – whether the kernel reads parameters that vary inside elements
pub fn of_patch<T: Scalar>(data: &ElementData<T>, elements: usize, lanes: usize, varies: bool) -> Sites {
    let parameters = Parameters { data, lanes, count: data.rheology.parameters() };
    let coefficients = data.rheology.axis_coefficients();
    // The kernel of anisotropic elements reads 21 coefficients per point in any case.
    let varies = varies || parameters.count == 21;
    let is_packed = varies && coefficients > 0;
    let codes: Vec<Packed> = if is_packed { (0..elements).map(|e| parameters.packed(e)).collect() } else { Vec::new() };
    let constants_of = |element: usize| -> Vec<f32> {
        let mut own = match (varies, is_packed) {
            (_, true) => codes[element].code(),
            (true, _) => Vec::new(),
            (false, _) => (0..parameters.count).map(|q| parameters.at(element, 0, q) as f32).collect(),
        };
        let axis =
            (0..coefficients).map(|row| data.axes[(element / lanes * coefficients + row) * lanes + element % lanes]);
        own.extend(axis.map(|value| value.to_f64() as f32));
        own
    };
    let constants: Vec<Vec<f32>> = (0..ELEMENTS).map(|slot| constants_of(slot.min(elements - 1))).collect();
    let mut sites = Sites { constants: transposed(&constants), words: Vec::new() };
    if !varies {
        return sites;
    }
    let place_of = |thread: usize, p: usize| ((thread / N).min(elements - 1), thread % N * PLANE_POINTS + p);
    for row in 0..N {
        let number = |thread: usize, index: usize| -> u32 {
            let (element, point) = place_of(thread, row * N + (index / parameters.count).min(N - 1));
            let q = index % parameters.count;
            let value = parameters.at(element, point, q);
            if is_packed { codes[element].number(q, value) } else { (value as f32).to_bits() }
        };
        let values = N * parameters.count;
        if is_packed {
            let word = |word: usize, thread| {
                number(thread, 2 * word) | if 2 * word + 1 < values { number(thread, 2 * word + 1) << 16 } else { 0 }
            };
            sites.words.extend(
                (0..values.div_ceil(2))
                    .flat_map(|at| (0..PLANES).map(move |thread| (at, thread)))
                    .map(|(at, thread)| word(at, thread)),
            );
        } else {
            sites.words.extend(
                (0..values)
                    .flat_map(|at| (0..PLANES).map(move |thread| (at, thread)))
                    .map(|(at, thread)| number(thread, at)),
            );
        }
    }
    sites
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
