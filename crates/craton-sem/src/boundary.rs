//! Boundary conditions at the sides of the domain.

use craton_mesh::{BoundaryFace, HexMesh, Numbering, Side, face_point};
use craton_model::{EarthModel, Elasticity, Medium};
use craton_numerics::gll::Gll;
use craton_physics::paraxial_damping;
use craton_sem_kernels::Phase;
use rayon::prelude::*;

use crate::elements::{determinant, quadrature_weight};
use crate::moduli::medium_in_element;
use crate::plan::Plan;
use crate::pml::PmlProfile;

/// Boundary condition at a side of the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// Zero traction.
    Free,
    /// First-order paraxial condition, which absorbs waves at normal incidence.
    Absorbing,
    /// Zero displacement.
    Rigid,
    /// The outer end of an absorbing layer: the displacement of a solid and the potential of a fluid are zero.
    LayerEnd,
}

/// Boundary condition of each side. Periodic sides have no faces, so that their entries are ignored.
#[derive(Debug, Clone, Copy)]
pub struct Boundaries {
    /// x = min, x = max, y = min, y = max, bottom, top.
    pub sides: [Boundary; 6],
}

impl Boundaries {
    /// Boundary condition of a side.
    pub fn of(&self, side: Side) -> Boundary {
        self.sides[match side {
            Side::XMin => 0,
            Side::XMax => 1,
            Side::YMin => 2,
            Side::YMax => 3,
            Side::Bottom => 4,
            Side::Top => 5,
        }]
    }
}

/// Whether each global node lies on a side with this boundary condition.
pub fn nodes_on(mesh: &HexMesh, numbering: &Numbering, boundaries: &Boundaries, kind: Boundary) -> Vec<bool> {
    let mut on = vec![false; numbering.n_nodes];
    for face in mesh.faces.iter().filter(|face| boundaries.of(face.side) == kind) {
        let nodes = numbering.nodes_of(face.element);
        for point in points_of_face(numbering.degree + 1, face.face) {
            on[nodes[point.0] as usize] = true;
        }
    }
    on
}

/// Whether each global node is damped: those on absorbing sides, and those in sponges.
pub fn damped_nodes(
    (mesh, gll): (&HexMesh, &Gll),
    numbering: &Numbering,
    boundaries: &Boundaries,
    profile: Option<&PmlProfile>,
) -> Vec<bool> {
    let mut on = nodes_on(mesh, numbering, boundaries, Boundary::Absorbing);
    if let (Some(pml), Some(profile)) = (&mesh.pml, profile) {
        for (element, point, _) in profile.sponge_points(pml, gll) {
            on[numbering.nodes_of(element)[point] as usize] = true;
        }
    }
    on
}

/// Contributions to the damping at points: (element, point, damping as xx, yy, zz, yz, xz, xy) [kg/s]; in a fluid the first one alone [m⁴ s/kg].
pub fn damping(plan: &Plan, model: &EarthModel) -> Vec<(u32, usize, [f64; 6])> {
    [of_faces(plan, model), of_sponges(plan, model)].concat()
}

/// Mass times the damping rate at the points of sponges.
fn of_sponges(plan: &Plan, model: &EarthModel) -> Vec<(u32, usize, [f64; 6])> {
    let Plan { mesh, gll, pml, .. } = plan;
    let (Some(layers), Some(profile)) = (&mesh.pml, pml) else { return Vec::new() };
    let n = gll.points.len();
    let of_point = |(element, point, rate): (u32, usize, f64)| {
        let xi = [point % n, point / n % n, point / (n * n)].map(|index| gll.points[index]);
        let medium = medium_in_element(model, mesh, element, mesh.medium_position(element, xi));
        let volume = quadrature_weight(gll, point) * determinant(&mesh.jacobian(element, xi));
        let own = match plan.phase_of(element) {
            Phase::Solid => [1.0, 1.0, 1.0, 0.0, 0.0, 0.0].map(|unit| unit * medium.rho() * volume * rate),
            Phase::Fluid => [volume * rate / (medium.rho() * medium.fastest().powi(2)), 0.0, 0.0, 0.0, 0.0, 0.0],
        };
        (element, point, own)
    };
    profile.sponge_points(layers, gll).into_iter().map(of_point).collect()
}

/// The impedance of absorbing faces times their area, at their points.
fn of_faces(plan: &Plan, model: &EarthModel) -> Vec<(u32, usize, [f64; 6])> {
    let Plan { mesh, gll, boundaries, .. } = plan;
    let n = gll.points.len();
    let of_face = |face: &BoundaryFace| {
        let of_point = |(point, [a, b]): (usize, [usize; 2])| {
            let along = [gll.points[a], gll.points[b]];
            let scaled = mesh.face_normal(face.element, face.face, along);
            let area = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
            let normal = scaled.map(|x| x / area);
            let position = mesh.medium_position(face.element, face_point(face.face, along));
            let medium = medium_in_element(model, mesh, face.element, position);
            let impedance = match plan.phase_of(face.element) {
                Phase::Solid => impedance(&medium, normal),
                Phase::Fluid => [1.0 / (medium.rho() * medium.fastest()), 0.0, 0.0, 0.0, 0.0, 0.0],
            };
            let weight = gll.weights[a] * gll.weights[b] * area;
            (face.element, point, impedance.map(|x| x * weight))
        };
        points_of_face(n, face.face).map(of_point).collect::<Vec<_>>()
    };
    let absorbing = mesh.faces.par_iter().filter(|face| boundaries.of(face.side) == Boundary::Absorbing);
    absorbing.flat_map_iter(of_face).collect()
}

/// Impedance: traction per particle velocity of plane waves that leave along `normal` [kg/m2/s], xx, yy, zz, yz, xz, xy.
///
/// Σ ρ c p pᵀ over the three plane waves of that direction; in an isotropic solid ρ vp n nᵀ + ρ vs (I - n nᵀ).
fn impedance(medium: &Medium, normal: [f64; 3]) -> [f64; 6] {
    match medium.elasticity() {
        Elasticity::Isotropic { vp, vs } => paraxial_damping(medium.rho(), *vp, *vs, normal).to_voigt(),
        Elasticity::Transverse { .. } | Elasticity::Anisotropic(_) => {
            let mut sum = [0.0; 6];
            for wave in medium.stiffness().christoffel(medium.rho(), normal) {
                let [x, y, z] = wave.polarisation;
                for (sum, product) in sum.iter_mut().zip([x * x, y * y, z * z, y * z, x * z, x * y]) {
                    *sum += medium.rho() * wave.speed * product;
                }
            }
            sum
        }
    }
}

/// Points of a face of an element with `n` points per axis: (point, indices along the two axes of the face).
pub fn points_of_face(n: usize, face: u8) -> impl Iterator<Item = (usize, [usize; 2])> {
    let end = if face.is_multiple_of(2) { 0 } else { n - 1 };
    let stride = [1, n, n * n];
    let axis = usize::from(face / 2);
    let [first, second] = [[1, 2], [0, 2], [0, 1]][axis];
    (0..n * n).map(move |q| {
        let (a, b) = (q % n, q / n);
        (end * stride[axis] + a * stride[first] + b * stride[second], [a, b])
    })
}
