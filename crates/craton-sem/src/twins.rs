//! Elements with the same bits, for which what depends on an element alone is computed once.

use std::collections::HashMap;

use craton_device::Scalar;

use crate::elements::PatchElements;

/// Largest number of known elements.
const MOST: usize = 1 << 16;

/// Values of elements that were computed before.
#[derive(Default)]
pub struct KnownElements {
    values: HashMap<[u64; 2], f64>,
}

impl KnownElements {
    /// The values of the elements of a batch, one per lane. They are computed unless elements with the same shape, material and masses are known.
    ///
    /// # Arguments
    /// * `compute` – computes the values of all lanes; each depends on the arrays of its own lane only
    pub fn values<T: Scalar>(
        &mut self,
        patch: &PatchElements<T>,
        batch: usize,
        lanes: usize,
        compute: impl FnOnce() -> Vec<f64>,
    ) -> Vec<f64> {
        // Elements with a material that varies inside them are hardly ever equal.
        if patch.data.material_varies {
            return compute();
        }
        let keys = keys(patch, batch, lanes);
        let known: Option<Vec<f64>> = keys.iter().map(|key| self.values.get(key).copied()).collect();
        known.unwrap_or_else(|| {
            let values = compute();
            if self.values.len() > MOST {
                self.values.clear();
            }
            self.values.extend(keys.into_iter().zip(values.iter().copied()));
            values
        })
    }
}

/// A hash of each element of a batch: its rheology, shape, material and masses.
fn keys<T: Scalar>(patch: &PatchElements<T>, batch: usize, lanes: usize) -> Vec<[u64; 2]> {
    /// Odd numbers without structure, the fractions of the golden ratio and of the square root of two, and rotations.
    const FACTORS: [(u64, u32); 2] = [(0x9E37_79B9_7F4A_7C15, 29), (0x6A09_E667_F3BC_C909, 17)];
    let mix = |key: &mut [u64; 2], value: u64| {
        for (part, (factor, rotation)) in key.iter_mut().zip(FACTORS) {
            *part = (part.rotate_left(rotation) ^ value).wrapping_mul(factor);
        }
    };
    let mut keys = vec![[0; 2]; lanes];
    let data = &patch.data;
    for values in [&data.geometry, &data.material, &data.axes, &patch.element_mass] {
        let per_batch = values.len() / data.batches;
        for row in values[batch * per_batch..][..per_batch].chunks_exact(lanes) {
            keys.iter_mut().zip(row).for_each(|(key, value)| mix(key, value.to_f64().to_bits()));
        }
    }
    keys.iter_mut().for_each(|key| mix(key, u64::from(data.rheology.material as u8)));
    keys
}
