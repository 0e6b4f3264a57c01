//! The leapfrog keeps its discrete energy.

mod common;

use common::*;
use craton_fd::{Boundaries, FdOperator, Field, Kind, Medium, Side};
use craton_sim::Operator;
use craton_testkit::random::Random;

/// Runs a shaken random box and returns the least and largest energy over that of the start.
fn energies(half_length: usize, boundaries: Boundaries, steps: usize, courant: f64, air: usize) -> [f64; 2] {
    let mut random = Random::new(7);
    let grid = cubes([20, 18, 16], 10.0);
    let medium = Medium::<f64>::new(grid, |[_, _, k]| {
        let m = random_material(&mut random);
        if k + air >= 16 { craton_fd::Material::AIR } else { m }
    }).unwrap();
    let mut operator = at_courant(&medium, &options(half_length, boundaries), courant, &[], &[]).unwrap();
    shake(&mut operator, &mut random);
    operator.advance(1).unwrap();
    let mut e = Vec::new();
    for _ in 0..steps {
        operator.advance(50).unwrap();
        let f: f64 = Field::ALL[..3].iter().map(|&f| operator.field(f).iter().map(|v| v * v).sum::<f64>()).sum();
        e.push(f);
    }
    println!("L {half_length} start {:e} end {:e} max {:e}", e[0], e[e.len()-1], e.iter().cloned().fold(0.0, f64::max));
    let _ = Kind::Air;
    let _: Option<FdOperator<f64>> = None;
    [e[0], e[e.len() - 1]]
}

#[test]
fn probe_growth() {
    for l in [1, 2, 4, 8] {
        for (name, side) in [("free", Side::Free), ("rigid", Side::Rigid), ("periodic", Side::Periodic)] {
            print!("{name} ");
            energies(l, Boundaries::all(side), 200, 0.9, 0);
        }
    }
}
