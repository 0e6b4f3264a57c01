//! Relaxation of the bulk modulus of a fluid: its mechanisms, and how their memory variables are distributed over the points.

use craton_device::{AlignedVec, Scalar};
use craton_fd_kernels::{PRESSURE_FACTORS, RowFactors};
use craton_physics::{decay, relaxing_part};

use super::layout::Layout;
use super::medium::AcousticMedium;
use crate::layout::GROUP;
use crate::relaxation::MemoryPoints;

/// A standard linear solid, for the bulk modulus.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FluidMechanism {
    /// Relaxation rate [rad/s].
    pub rate: f64,
    /// Coefficient Y as a polynomial of 1/Q: factors of 1/Q, 1/Q², 1/Q³ [–].
    pub polynomial: [f64; 3],
}

/// The mechanisms of a fluid.
#[derive(Debug, Clone, PartialEq)]
pub struct FluidMechanisms {
    /// Their rates and coefficients. If points have one of them, its coefficients are those at its points.
    pub mechanisms: Vec<FluidMechanism>,
    /// Which of them a point has.
    pub points: MemoryPoints,
}

impl FluidMechanisms {
    /// Fraction of the points that have each mechanism \[–\]; `None` if all have all.
    ///
    /// # Arguments
    /// * `mechanisms` – their number, at most 4
    pub fn shares(points: MemoryPoints, mechanisms: usize) -> Option<Vec<f64>> {
        let share = |own: usize| (0..8).filter(|&parity| mechanism_at(parity, mechanisms) == own).count() as f64 / 8.0;
        (points == MemoryPoints::One).then(|| (0..mechanisms).map(share).collect())
    }

    /// Sets of memory variables: variables per point.
    pub fn sets(&self) -> usize {
        self.points.sets(self.mechanisms.len())
    }

    /// The mechanism of a set at a point.
    ///
    /// # Arguments
    /// * `parity` – bit a is set if the index along axis a is odd
    fn at(&self, set: usize, parity: usize) -> &FluidMechanism {
        &self.mechanisms[match self.points {
            MemoryPoints::One => mechanism_at(parity, self.mechanisms.len()),
            MemoryPoints::All => set,
        }]
    }

    /// How an injected volume acts on a point: part of the unrelaxed change of pressure, and of each memory variable [–].
    ///
    /// # Arguments
    /// * `loss` – 1/Q of the cell [–]
    /// * `dt` – time step [s]
    pub fn response(&self, point: [usize; 3], loss: f64, dt: f64) -> (f64, Vec<f64>) {
        let of_set = |set: usize| {
            let FluidMechanism { rate, polynomial } = *self.at(set, parity(point));
            let (part, gain) = (relaxing_part(loss, polynomial), 0.5 + 0.5 * decay(rate, dt));
            [part * (1.0 - gain), part * gain]
        };
        let sets: Vec<[f64; 2]> = (0..self.sets()).map(of_set).collect();
        (1.0 - sets.iter().map(|set| set[0]).sum::<f64>(), sets.iter().map(|set| set[1]).collect())
    }
}

/// The mechanism of a point if each point has one.
///
/// The fastest, which waves feel most, occupies every other point like the black fields of a chessboard, because the shortest waves that this pattern
/// couples with others are far shorter than those of the grid. The others share the white fields.
///
/// # Arguments
/// * `parity` – bit a is set if the index along axis a is odd
fn mechanism_at(parity: usize, mechanisms: usize) -> usize {
    let (is_black, is_odd) = (parity.count_ones().is_multiple_of(2), parity % 2);
    match (mechanisms, is_black) {
        (1, _) => 0,
        (2, _) => usize::from(is_black),
        (3, true) => 2,
        (4, true) => 2 + is_odd,
        _ => is_odd,
    }
}

fn parity(point: [usize; 3]) -> usize {
    let [i, j, k] = point;
    i % 2 + 2 * (j % 2) + 4 * (k % 2)
}

/// Relaxation of the pressure of a shot.
pub struct PressureRelaxation<T: Scalar> {
    /// 1/Q of the cells [–], with the layout of the fields.
    pub loss: AlignedVec<T>,
    /// Factors of each set of memory variables, `[set][row and plane are odd]`.
    factors: Vec<[RowFactors<T>; 4]>,
}

impl<T: Scalar> PressureRelaxation<T> {
    /// The relaxation of a shot, if its fluid has losses.
    pub fn new(medium: &AcousticMedium<T>, layout: &Layout, dt: f64) -> Option<Self> {
        let mechanisms = medium.mechanisms()?;
        let mut loss: AlignedVec<T> = AlignedVec::zeroed(layout.len());
        let [nx, ny, nz] = layout.cells;
        for (k, j) in (0..nz).flat_map(|k| (0..ny).map(move |j| (k, j))) {
            let row = &mut loss[layout.row(j, k)..][..nx];
            row.iter_mut().enumerate().for_each(|(i, loss)| *loss = T::from_f64(medium.loss([i, j, k])));
        }
        let of_row = |set: usize, row: usize| -> RowFactors<T> {
            let lanes: [[f64; PRESSURE_FACTORS]; GROUP] = std::array::from_fn(|lane| {
                let FluidMechanism { rate, polynomial: [a, b, c] } = *mechanisms.at(set, lane % 2 + 2 * row);
                [decay(rate, dt), a, b, c]
            });
            std::array::from_fn(|factor| std::array::from_fn(|lane| T::from_f64(lanes[lane][factor])))
        };
        let factors = (0..mechanisms.sets()).map(|set| std::array::from_fn(|row| of_row(set, row))).collect();
        Some(Self { loss, factors })
    }

    /// Sets of memory variables.
    pub fn sets(&self) -> usize {
        self.factors.len()
    }

    /// Factors of all sets in row (j, k).
    pub fn row(&self, j: usize, k: usize) -> Vec<&RowFactors<T>> {
        self.factors.iter().map(|set| &set[j % 2 + 2 * (k % 2)]).collect()
    }

    /// All factors for GPU kernels, `[set][parity of the indices][factor]`.
    pub fn table(&self) -> Vec<T> {
        let of_set = |set: &[RowFactors<T>; 4]| {
            let of_parity = |parity: usize| set[parity / 2].map(|factor| factor[parity % 2]);
            (0..8).flat_map(of_parity).collect::<Vec<T>>()
        };
        self.factors.iter().flat_map(of_set).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_mechanism_occupies_the_black_fields() {
        let share = |mechanisms| FluidMechanisms::shares(MemoryPoints::One, mechanisms).unwrap();
        assert_eq!([share(1), share(2)], [vec![1.0], vec![0.5; 2]]);
        assert_eq!([share(3), share(4)], [vec![0.25, 0.25, 0.5], vec![0.25; 4]]);
        // A plane has the same shares as a volume.
        for mechanisms in 1..=4 {
            let in_plane = |own| [0, 1, 4, 5].into_iter().filter(|&p| mechanism_at(p, mechanisms) == own).count();
            assert!((0..mechanisms).all(|own| in_plane(own) as f64 / 4.0 == share(mechanisms)[own]));
        }
    }
}
