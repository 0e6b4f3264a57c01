//! Checks that the oracle itself is consistent, before anything is compared with it.

use craton_mesh::{Geometry, Side};
use craton_model::{EarthModel, Medium};
use craton_testkit::meshes::{Lattice, doubled_box, one_element};
use craton_testkit::oracle::Oracle;

fn rock() -> EarthModel {
    EarthModel::homogeneous(Medium::isotropic(6000.0, 3464.0, 2700.0).unwrap())
}

#[test]
fn stiffness_is_symmetric_and_has_six_motions_without_force() {
    for geometry in [Geometry::Linear8, Geometry::Quadratic27] {
        let oracle = Oracle::new(&one_element(geometry, 3), &rock(), 2);
        let k = oracle.stiffness_matrix();
        let largest = k.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (row, values) in k.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                assert!((value - k[column][row]).abs() < 1e-13 * largest);
            }
        }
        let rotations: [fn([f64; 3]) -> [f64; 3]; 3] =
            [|[_, y, z]| [0.0, -z, y], |[x, _, z]| [z, 0.0, -x], |[x, y, _]| [-y, x, 0.0]];
        for motion in rotations {
            let u: Vec<_> = oracle.positions().iter().map(|&x| motion(x)).collect();
            let forces = oracle.forces(&u);
            assert!(forces.as_flattened().iter().all(|f| f.abs() < 1e-12 * largest * 100.0));
        }
    }
}

#[test]
fn uniform_strain_stores_the_energy_of_the_volume() {
    // u = (e x, 0, 0) in 300 m x 200 m x 100 m: lambda + 2 mu = rho vp^2 times e^2 times the volume.
    let lattice = Lattice { counts: [3, 2, 1], ..Lattice::new([3, 2, 1]) };
    let oracle = Oracle::new(&lattice.deformed(0.2, 5), &rock(), 3);
    let u: Vec<_> = oracle.positions().iter().map(|x| [1e-3 * x[0], 0.0, 0.0]).collect();
    let exact = 2700.0 * 6000.0_f64.powi(2) * 1e-6 * 6e6;
    assert!((oracle.elastic_product(&u, &u) / exact - 1.0).abs() < 1e-12);
    assert!((oracle.mass().iter().sum::<f64>() / (2700.0 * 6e6) - 1.0).abs() < 1e-12);
}

#[test]
fn power_iteration_finds_the_stiffest_motion_of_a_cube() {
    // A cube of water of edge h with its mass at the corners: the divergence at a corner is a sum of differences along three edges, each shared
    // with a neighbour, so nothing is stiffer than the swelling u = (x, y, z), which has 12 vp^2 / h^2.
    let water = EarthModel::homogeneous(Medium::isotropic(1500.0, 0.0, 1000.0).unwrap());
    let oracle = Oracle::new(&Lattice { geometry: Geometry::Linear8, ..Lattice::new([1; 3]) }.mesh(), &water, 1);
    let exact = 12.0 * 1500.0_f64.powi(2) / 1e4;
    assert!((oracle.largest_eigenvalue(200) / exact - 1.0).abs() < 1e-10);
    let swelling: Vec<_> = oracle.positions().iter().map(|x| [x[0] - 50.0, x[1] - 50.0, x[2] + 50.0]).collect();
    let quotient = oracle.elastic_product(&swelling, &swelling) / oracle.mass_product(&swelling, &swelling);
    assert!((quotient / exact - 1.0).abs() < 1e-12);
}

#[test]
fn meshes_are_sound() {
    let volume = |mesh: &craton_mesh::HexMesh| Oracle::new(mesh, &rock(), 4).mass().iter().sum::<f64>() / 2700.0;
    for geometry in [Geometry::Linear8, Geometry::Quadratic27] {
        let lattice = Lattice { geometry, periodic: [true; 3], ..Lattice::new([3, 4, 3]) };
        for mesh in [lattice.mesh(), lattice.deformed(0.2, 1), lattice.waved(0.02)] {
            assert!((volume(&mesh) / 3.6e7 - 1.0).abs() < 1e-12, "periodic boxes keep their volume");
            assert!(mesh.faces.is_empty());
        }
        assert_eq!(Lattice { geometry, ..Lattice::new([3, 4, 3]) }.mesh().faces.len(), 2 * (12 + 12 + 9));
    }
}

#[test]
fn doubled_box_has_two_sizes() {
    let mesh = doubled_box(Geometry::Quadratic27);
    assert!(mesh.region.contains(&0) && mesh.region.contains(&1));
    let on = |side| mesh.faces.iter().filter(|face| face.side == side).count();
    assert_eq!((on(Side::Top), on(Side::Bottom)), (64, 16));
}
