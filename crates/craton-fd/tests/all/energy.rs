//! The leapfrog scheme conserves its discrete energy.

use crate::common::*;
use craton_fd::{Boundaries, FdOperator, Field, Kind, Material, Medium, Side};
use craton_numerics::staggered::GridPoints;
use craton_testkit::random::Random;

const CELLS: [usize; 3] = [19, 12, 17];
/// Narrow, with two thick layers.
const DEEP: [usize; 3] = [9, 6, 60];

/// Random rock, a layer of water above it, a hill of air on top.
fn layered(random: &mut Random, [i, _, k]: [usize; 3]) -> Material {
    let rock = random_material(random);
    match k {
        13.. if i > 9 => Material::AIR,
        15.. => Material::AIR,
        10.. => Material::from_speeds(1500.0 + 100.0 * random.unit(), 0.0, 1000.0),
        _ => rock,
    }
}

/// Auxetic solids: vS is between 0.707 and 0.86 of vP, and λ is zero in some cells.
fn auxetic(random: &mut Random, [i, j, k]: [usize; 3]) -> Material {
    let vp = 3000.0 + 1000.0 * random.symmetric();
    let solid =
        Material::from_speeds(vp, vp * (0.785 + 0.075 * random.symmetric()), 2000.0 + 600.0 * random.symmetric());
    if (i + j + k) % 5 == 0 { Material { lambda: 0.0, ..solid } } else { solid }
}

/// A box, with the material of any cell in or next to it.
struct Problem {
    size: [usize; 3],
    cells: Vec<Material>,
    side: Side,
}

impl Problem {
    fn material(&self, cell: [i64; 3]) -> Option<Material> {
        let mut inside = [0; 3];
        for axis in 0..3 {
            let n = self.size[axis] as i64;
            inside[axis] = match self.side {
                Side::Periodic => cell[axis].rem_euclid(n),
                Side::Free if !(0..n).contains(&cell[axis]) => return None,
                _ => cell[axis].clamp(0, n - 1),
            } as usize;
        }
        let material = self.cells[inside[0] + self.size[0] * (inside[1] + self.size[1] * inside[2])];
        (material != Material::AIR).then_some(material)
    }

    /// The cells around a point.
    fn around(&self, field: Field, point: [i64; 3]) -> Vec<Option<Material>> {
        let back = field.points().map(|points| if points == GridPoints::Whole { vec![-1, 0] } else { vec![0] });
        let mut cells = Vec::new();
        for z in &back[2] {
            for y in &back[1] {
                for x in &back[0] {
                    cells.push(self.material([point[0] + x, point[1] + y, point[2] + z]));
                }
            }
        }
        cells
    }

    /// Fraction of the volume of a point that lies inside rigid walls.
    fn inside(&self, field: Field, point: [i64; 3]) -> f64 {
        let on_wall = |axis: usize| {
            self.side == Side::Rigid
                && field.points()[axis] == GridPoints::Whole
                && [0, self.size[axis] as i64].contains(&point[axis])
        };
        if (0..3).any(on_wall) { 0.5 } else { 1.0 }
    }

    /// Twice the energy divided by the cell volume, from the velocities before and after the stresses.
    fn energy(&self, operator: &FdOperator<f64>, before: &Saved<f64>, after: &Saved<f64>) -> f64 {
        let mut energy = 0.0;
        let value = |field: Field, state: &Saved<f64>, point: [usize; 3]| {
            let shape = operator.shape(field);
            let index = Field::ALL.iter().position(|&f| f == field).unwrap();
            state.arrays[index][point[0] + shape[0] * (point[1] + shape[1] * point[2])]
        };
        for field in Field::ALL {
            let [nx, ny, nz] = operator.shape(field);
            for number in 0..nx * ny * nz {
                let point = [number % nx, number / nx % ny, number / (nx * ny)];
                let around = self.around(field, point.map(|i| i as i64));
                let own = value(field, before, point);
                energy += operator.volume(field, point[2])
                    * match field {
                        Field::Velocity(_) => {
                            let rho =
                                around.iter().map(|m| m.map_or(0.0, |m| m.rho)).sum::<f64>() / around.len() as f64;
                            rho * own * value(field, after, point)
                        }
                        // Strain energy of the normal stresses, at the cell of the first one.
                        Field::Stress(0) => {
                            let sigma = [0, 1, 2].map(|index| value(Field::Stress(index), before, point));
                            around[0].map_or(0.0, |m| normal_energy(m, sigma))
                        }
                        Field::Stress(1 | 2) => 0.0,
                        Field::Stress(_) => {
                            let compliance =
                                around.iter().map(|m| m.map_or(f64::INFINITY, |m| 1.0 / m.mu)).sum::<f64>() / 4.0;
                            let inside = self.inside(field, point.map(|i| i as i64));
                            if compliance.is_finite() { inside * own * own * compliance } else { 0.0 }
                        }
                    };
            }
        }
        energy
    }
}

/// σ : C⁻¹ : σ of the normal stresses.
fn normal_energy(m: Material, sigma: [f64; 3]) -> f64 {
    let trace: f64 = sigma.iter().sum();
    let square: f64 = sigma.iter().map(|s| s * s).sum();
    if m.mu == 0.0 {
        return (trace / 3.0).powi(2) / m.lambda;
    }
    (square - m.lambda / (3.0 * m.lambda + 2.0 * m.mu) * trace * trace) / (2.0 * m.mu)
}

/// Largest relative change of the energy over 600 steps of some fraction of the stable step.
fn drift_at(
    courant: f64,
    size: [usize; 3],
    half_length: usize,
    side: Side,
    material: impl Fn(&mut Random, [usize; 3]) -> Material,
) -> f64 {
    let mut random = Random::new(7);
    let mut cells = Vec::new();
    let medium = Medium::<f64>::new(cubes(size, 10.0), |cell| {
        cells.push(material(&mut random, cell));
        *cells.last().unwrap()
    });
    let medium = medium.unwrap();
    let problem = Problem { size, cells, side };
    let mut operator = at_courant(&medium, &options(half_length, Boundaries::all(side)), courant, &[], &[]).unwrap();
    excite(&mut operator, &medium, size, &mut random);
    let mut energies = Vec::new();
    for _ in 0..6 {
        let before = Saved::of(&mut operator);
        advance(&mut operator, 1);
        let after = Saved::of(&mut operator);
        energies.push(problem.energy(&operator, &before, &after));
        advance(&mut operator, 99);
    }
    energies.iter().map(|e| (e / energies[0] - 1.0).abs()).fold(0.0, |a: f64, b| if b <= a { a } else { b })
}

/// The same at 0.95 of the stable step.
fn drift(
    size: [usize; 3],
    half_length: usize,
    side: Side,
    material: impl Fn(&mut Random, [usize; 3]) -> Material,
) -> f64 {
    drift_at(0.95, size, half_length, side, material)
}

/// Random pressure in all cells that hold matter, everything else at rest.
fn excite(operator: &mut FdOperator<f64>, medium: &Medium<f64>, size: [usize; 3], random: &mut Random) {
    let mut saved = Saved::of(operator);
    let [nx, ny, nz] = size;
    for number in 0..nx * ny * nz {
        if medium.kind([number % nx, number / nx % ny, number / (nx * ny)]) != Kind::Air {
            let pressure = 1e6 * random.symmetric();
            (3..6).for_each(|field| saved.arrays[field][number] = pressure);
        }
    }
    saved.restore(operator);
}

#[test]
fn a_random_medium_is_stable_at_the_limit() {
    for half_length in [1, 2, 3, 4, 5, 6, 7, 8] {
        for side in [Side::Free, Side::Rigid, Side::Periodic] {
            let drift = drift(CELLS, half_length, side, |random, _| random_material(random));
            assert!(drift < 1e-12, "half-length {half_length} {side:?}: {drift:e}");
        }
    }
}

#[test]
fn rock_water_and_air_conserve_energy() {
    for half_length in [1, 2, 4, 8] {
        for side in [Side::Free, Side::Rigid, Side::Periodic] {
            let drift = drift(CELLS, half_length, side, layered);
            assert!(drift < 1e-12, "half-length {half_length} {side:?}: {drift:e}");
        }
    }
}

#[test]
fn solids_of_negative_lambda_are_stable_at_the_limit() {
    for half_length in [1, 2, 4, 8] {
        for side in [Side::Free, Side::Rigid, Side::Periodic] {
            let drift = drift(CELLS, half_length, side, auxetic);
            assert!(drift < 1e-12, "half-length {half_length} {side:?}: {drift:e}");
        }
    }
}

#[test]
fn flat_interfaces_conserve_energy() {
    for half_length in 2..=8 {
        for side in [Side::Free, Side::Rigid] {
            let drift = drift(DEEP, half_length, side, |random, [_, _, k]| {
                let rock = random_material(random);
                match k {
                    30.. => Material::from_speeds(1500.0 + 100.0 * random.unit(), 0.0, 1000.0),
                    _ => rock,
                }
            });
            assert!(drift < 1e-12, "half-length {half_length} {side:?}: {drift:e}");
        }
    }
}

#[test]
fn flat_interfaces_do_not_shorten_the_stable_step() {
    for half_length in 2..=8 {
        // The stable step of a homogeneous solid is exact.
        let drift = drift_at(0.9999, DEEP, half_length, Side::Free, |_, _| rock());
        assert!(drift < 1e-9, "half-length {half_length}: {drift:e}");
    }
}
