//! What the benchmarks solve: a box of general hexahedra.

use craton_mesh::{BoxSpec, Doubling, Flat, Geometry, HexMesh, Horizontal, Stratum, UniformSize, mesh_box};
use craton_model::{EarthModel, Interface, Knot, Material, Medium, Profile, Region};
use craton_physics::{Stiffness, Thomsen};

/// Polynomial degree.
pub const DEGREE: usize = 4;
/// Edge of an element before deformation [m].
const EDGE: f64 = 100.0;

/// What is measured.
#[derive(Clone, Copy)]
pub struct Variant {
    /// Control nodes of the elements.
    pub geometry: Geometry,
    /// 21 coefficients instead of two.
    pub anisotropic: bool,
    /// Material that changes inside elements.
    pub per_point: bool,
}

/// A box whose elements are bent in all directions.
pub fn mesh(geometry: Geometry, counts: [usize; 3]) -> HexMesh {
    let [x, y, z] = counts.map(|count| EDGE * count as f64);
    let bend = |[x, y, z]: [f64; 3]| {
        let wave = |a: f64, b: f64| 15.0 * (a / 230.0).sin() * (b / 310.0).cos();
        [x + wave(y, z), y + wave(z, x), z + wave(x, y)]
    };
    let sizes = UniformSize { size: EDGE, speed: 6000.0 };
    let top = Flat(0.0);
    let mut spec = BoxSpec::new([0.0, x], [0.0, y], -z, vec![Stratum { top: &top, region: 0 }], &sizes);
    spec.geometry = geometry;
    spec.horizontal = Horizontal::Elements([counts[0], counts[1]]);
    spec.doubling = Doubling::Never;
    spec.deformation = Some(&bend);
    mesh_box(&spec).expect("a box that can be meshed")
}

/// The Earth of a variant.
pub fn model(variant: Variant) -> EarthModel {
    let solid = Thomsen { vp: 4000.0, vs: 2200.0, epsilon: 0.25, delta: 0.1, gamma: 0.2, rho: 2500.0 };
    let stiffness = Stiffness::tti(solid, 0.6, 0.9).expect("a solid");
    let tilted = Medium::anisotropic(stiffness, solid.rho).expect("a solid");
    let rock = Medium::isotropic(6000.0, 3464.0, 2700.0).expect("a rock");
    let knot = |z, vp| Knot { z, vp, vs: 0.577 * vp, rho: 2500.0 };
    let gradient = Profile::new(vec![knot(0.0, 5000.0), knot(-10_000.0, 7000.0)]).expect("knots in order");
    let material: Material = if variant.per_point { gradient.into() } else { rock.into() };
    let region = |z, material| Region { top: Interface::Flat(z), material };
    let mut regions = vec![region(0.0, material)];
    if variant.anisotropic {
        // A second region, in which no element lies, makes all elements carry 21 coefficients.
        regions.push(region(-1e6, tilted.into()));
    }
    EarthModel::new(regions).expect("layers in order")
}
