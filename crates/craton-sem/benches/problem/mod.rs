//! The problem of the benchmarks: a box of general hexahedra.

use std::sync::Arc;

use craton_mesh::{BoxSpec, Doubling, Flat, Geometry, HexMesh, Horizontal, Stratum, UniformSize, mesh_box};
use craton_model::{
    Attenuation, EarthModel, Interface, LossField, Losses, Material, Medium, Profile, Region, Transverse,
};
use craton_physics::{QualityLaw, Relaxation, Stiffness, Thomsen, tilted_axis};
use craton_sem::MaterialKind;

/// Polynomial degree.
pub const DEGREE: usize = 4;
/// Mechanisms of elements that relax.
const MECHANISMS: usize = 3;
/// Edge of an element before deformation [m].
const EDGE: f64 = 100.0;

/// Variant of the problem.
#[derive(Clone, Copy)]
pub struct Variant {
    /// Control nodes of the elements.
    pub geometry: Geometry,
    /// Elastic law of the elements.
    pub material: MaterialKind,
    /// Whether the material varies inside elements.
    pub per_point: bool,
    /// Fraction of the elements with this law; the others are isotropic and constant.
    #[allow(dead_code)] // one benchmark mixes them
    pub part: f64,
    /// Quality factors of these elements; infinite if they are elastic.
    pub quality: f64,
}

impl Variant {
    /// Elastic elements.
    pub const fn elastic(geometry: Geometry, material: MaterialKind, per_point: bool) -> Self {
        Self { geometry, material, per_point, part: 1.0, quality: f64::INFINITY }
    }
}

/// A box whose elements are deformed in all directions.
#[allow(dead_code)] // one benchmark needs another part
pub fn mesh(geometry: Geometry, counts: [usize; 3]) -> HexMesh {
    mesh_of(geometry, counts, 1.0)
}

/// A box whose elements are deformed in all directions, with region 0 in the upper fraction `part` and region 1 below.
pub fn mesh_of(geometry: Geometry, counts: [usize; 3], part: f64) -> HexMesh {
    let [x, y, z] = counts.map(|count| EDGE * count as f64);
    let bend = |[x, y, z]: [f64; 3]| {
        let wave = |a: f64, b: f64| 15.0 * (a / 230.0).sin() * (b / 310.0).cos();
        [x + wave(y, z), y + wave(z, x), z + wave(x, y)]
    };
    let sizes = UniformSize { size: EDGE, speed: 6000.0 };
    let top = Flat(0.0);
    let middle = Flat(-(part * counts[2] as f64).round() * EDGE);
    let mut strata = vec![Stratum { top: &top, region: 0 }];
    if part < 1.0 {
        strata.push(Stratum { top: &middle, region: 1 });
    }
    let mut spec = BoxSpec::new([0.0, x], [0.0, y], -z, strata, &sizes);
    spec.geometry = geometry;
    spec.horizontal = Horizontal::Elements([counts[0], counts[1]]);
    spec.doubling = Doubling::Never;
    spec.deformation = Some(&bend);
    mesh_box(&spec).expect("a box that can be meshed")
}

/// The Earth model of a variant.
pub fn model(variant: Variant) -> EarthModel {
    let solid = Thomsen { vp: 4000.0, vs: 2200.0, epsilon: 0.25, delta: 0.1, gamma: 0.2, rho: 2500.0 };
    let rock = Medium::isotropic(6000.0, 3464.0, 2700.0).expect("a rock");
    let gradient = |media: [Transverse; 2]| -> Material {
        let [above, below] = media;
        Profile::through(&[(0.0, above), (-10_000.0, below)]).expect("media in order").into()
    };
    let isotropic = |vp| Transverse::isotropic(vp, 0.577 * vp, 2500.0);
    let transverse = |v| Transverse { vph: 1.03 * v, vsh: 0.6 * v, eta: 0.95, ..isotropic(v) };
    let material = match (variant.material, variant.per_point) {
        (MaterialKind::TransverselyIsotropic, true) => gradient([5000.0, 7000.0].map(transverse)),
        (MaterialKind::TransverselyIsotropic, false) => {
            let axis = tilted_axis(0.6, 0.9).expect("finite angles");
            Medium::transversely_isotropic(solid.love().expect("a solid"), axis, solid.rho).expect("a solid").into()
        }
        // Kernels read these coefficients at every point, whether they vary or not.
        (MaterialKind::Anisotropic, _) => {
            Medium::anisotropic(Stiffness::tti(solid, 0.6, 0.9).expect("a solid"), solid.rho).expect("a solid").into()
        }
        (MaterialKind::Fluid, _) => Medium::isotropic(1500.0, 0.0, 1020.0).expect("water").into(),
        (_, true) => gradient([5000.0, 7000.0].map(isotropic)),
        (_, false) => rock.into(),
    };
    let region = |z, material| Region::elastic(Interface::Flat(z), material);
    let model = EarthModel::new(vec![region(0.0, material), region(-1.0, rock.into())]).expect("interfaces in order");
    let losses = Losses::of_moduli(2.0 * variant.quality, variant.quality).expect("quality factors");
    let relaxation = Relaxation::new([0.1, 10.0], MECHANISMS, QualityLaw::CONSTANT).expect("a band");
    let attenuation = Attenuation::new(relaxation, 1.0).expect("a reference frequency");
    model.with_losses(vec![LossField::Constant(losses), LossField::NONE]).attenuated(Arc::new(attenuation))
}
