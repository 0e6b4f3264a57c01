//! The element kernel against the oracle: every degree, geometry, law, material, precision and instruction set of this processor.

use crate::common::{Nodes, Setup, earth, gradient, rock, tilted, transverse, transverse_gradient};
use craton_device::{Isa, Scalar};
use craton_mesh::{Geometry, HexMesh};
use craton_model::{EarthModel, Medium};
use craton_sem::{Field, Precision, SemOperator};
use craton_testkit::meshes::{Lattice, doubled_box};
use craton_testkit::oracle::{NodeField, relative_difference};
use craton_testkit::random::Random;

/// Relative difference due to rounding.
fn tolerance<T: Scalar>() -> f64 {
    if T::NAME == "double" { 1e-12 } else { 4e-6 }
}

/// Compares the velocity after one step from a random displacement with dt M^-1 f of the oracle.
fn compare<T: Precision>(setup: &Setup) {
    let mut operator = setup.operator::<T>(0.7);
    let oracle = setup.oracle(&operator);
    let nodes = Nodes::new(&operator, &oracle);
    let mut random = Random::new(setup.degree as u64);
    let field: NodeField = (0..oracle.n_nodes()).map(|_| random.vector()).collect();
    nodes.write(&mut operator, Field::Displacement, &field);
    let start = nodes.read(&operator, Field::Displacement);
    operator.advance_alone(1);
    let dt = operator.dt();
    let velocity = |(force, mass): ([f64; 3], &f64)| force.map(|f| dt * f / mass);
    let expected: NodeField = oracle.forces(&start).into_iter().zip(oracle.mass()).map(velocity).collect();
    let difference = relative_difference(&nodes.read(&operator, Field::Velocity), &expected);
    let name = format!("{}, {}, degree {}", T::NAME, setup.isa.name(), setup.degree);
    assert!(difference < tolerance::<T>(), "{name}: {difference:e}");
}

fn compare_all(mesh: &HexMesh, models: &[EarthModel]) {
    for degree in 1..=10 {
        for model in models {
            for isa in Isa::available() {
                let setup = Setup { isa, ..Setup::new(mesh.clone(), model.clone(), degree) };
                compare::<f32>(&setup);
                compare::<f64>(&setup);
            }
        }
    }
}

/// Two layers of 2 x 3 elements, with region 1 in the lower layer. 12 elements leave lanes unused in every instruction set except one.
fn two_layers(geometry: Geometry) -> HexMesh {
    // The same shift distorts elements of 27 nodes far more than elements of 8. Nearly folded corners would reduce the accuracy of single precision.
    let amount = if geometry == Geometry::Linear8 { 0.25 } else { 0.12 };
    let mut mesh = Lattice { geometry, ..Lattice::new([2, 3, 2]) }.deformed(amount, 11);
    mesh.region = (0..12).map(|element| u16::from(element < 6)).collect();
    mesh
}

fn isotropic() -> Vec<EarthModel> {
    let soft = Medium::isotropic(3000.0, 1000.0, 2000.0).unwrap();
    vec![earth([rock().into(), soft.into()]), earth([gradient(), soft.into()])]
}

fn anisotropic() -> Vec<EarthModel> {
    vec![earth([tilted().into(), rock().into()]), earth([gradient(), tilted().into()])]
}

fn transversely_isotropic() -> Vec<EarthModel> {
    vec![earth([transverse().into(), transverse_gradient()]), earth([transverse_gradient(), rock().into()])]
}

#[test]
fn isotropic_forces_equal_the_oracle_on_8_nodes() {
    compare_all(&two_layers(Geometry::Linear8), &isotropic());
}

#[test]
fn isotropic_forces_equal_the_oracle_on_27_nodes() {
    compare_all(&two_layers(Geometry::Quadratic27), &isotropic());
}

#[test]
fn transversely_isotropic_forces_equal_the_oracle_on_8_nodes() {
    compare_all(&two_layers(Geometry::Linear8), &transversely_isotropic());
}

#[test]
fn transversely_isotropic_forces_equal_the_oracle_on_27_nodes() {
    compare_all(&two_layers(Geometry::Quadratic27), &transversely_isotropic());
}

#[test]
fn anisotropic_forces_equal_the_oracle_on_8_nodes() {
    compare_all(&two_layers(Geometry::Linear8), &anisotropic());
}

#[test]
fn anisotropic_forces_equal_the_oracle_on_27_nodes() {
    compare_all(&two_layers(Geometry::Quadratic27), &anisotropic());
}

#[test]
fn forces_equal_the_oracle_on_doubling_and_periodic_meshes() {
    let periodic = Lattice { periodic: [true; 3], ..Lattice::new([3, 4, 5]) };
    for mesh in [doubled_box(Geometry::Quadratic27), periodic.deformed(0.2, 4)] {
        for model in isotropic() {
            compare::<f64>(&Setup::new(mesh.clone(), model, 4));
        }
    }
}

#[test]
fn isotropic_equals_its_21_coefficients() {
    let same = Medium::anisotropic(rock().stiffness(), rock().rho()).unwrap();
    let [two, twenty_one] = [rock(), same].map(|medium| {
        let setup = Setup::new(two_layers(Geometry::Quadratic27), earth([medium.into(), medium.into()]), 4);
        let on = setup.discretise::<f64>();
        let stable = on.stable().dt;
        let mut operator = SemOperator::new(on, 1e-4, &[], &[], setup.workers());
        let oracle = setup.oracle(&operator);
        let nodes = Nodes::new(&operator, &oracle);
        let mut random = Random::new(9);
        let field: NodeField = (0..oracle.n_nodes()).map(|_| random.vector()).collect();
        nodes.write(&mut operator, Field::Displacement, &field);
        operator.advance_alone(50);
        (stable, nodes.read(&operator, Field::Displacement))
    });
    assert!(two.0 > 1e-4 && (two.0 / twenty_one.0 - 1.0).abs() < 1e-5);
    let difference = relative_difference(&twenty_one.1, &two.1);
    assert!(difference < 1e-12, "{difference:e}");
}
