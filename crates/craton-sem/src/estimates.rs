//! Estimates of the largest eigenvalue of elements, which select those whose eigenvalues are computed.
//!
//! The stiffest modes of an element vary as fast as the degree allows along all of its axes ξ_l, and change its volume. Their eigenvalue is a constant of the
//! degree times p² Σ_l |∇ξ_l|², with the speed p of P waves, if medium and Jacobian are constant. The estimate is the product of the largest p² of the
//! element and the largest sum at its control nodes. `estimates_are_proportional_to_eigenvalues` bounds the ratio of eigenvalue and estimate for distorted elements and different media.

use craton_mesh::Geometry;
use craton_sem_kernels::MaterialKind;

use crate::elements::determinant;
use crate::moduli::Moduli;

/// Estimate of the largest eigenvalue of M⁻¹K of an element, up to a factor.
///
/// # Arguments
/// * `jacobians` – at all points, lexicographic
pub fn largest_eigenvalue(
    material: MaterialKind,
    geometry: Geometry,
    jacobians: &[[[f64; 3]; 3]],
    moduli: &Moduli,
) -> f64 {
    let along = (jacobians.len() as f64).cbrt().round() as usize;
    let per_point = moduli.parameters.len() / moduli.inertia.len();
    let media = moduli.parameters.chunks_exact(per_point).zip(&moduli.inertia);
    let squared_speeds = media.map(|(parameters, inertia)| stiffest_modulus(material, parameters) / inertia);
    let places = match geometry {
        Geometry::Linear8 => &[0, along - 1][..],
        Geometry::Quadratic27 => &[0, along / 2, along - 1],
    };
    let plane = |k: usize| places.iter().flat_map(move |&j| places.iter().map(move |&i| i + along * (j + along * k)));
    let gradients = places.iter().flat_map(|&k| plane(k)).map(|point| squared_gradients(&jacobians[point]));
    squared_speeds.fold(0.0, f64::max) * gradients.fold(0.0, f64::max)
}

/// Modulus of the fastest waves along the axes of the medium [Pa]; 1/ρ of a fluid [m³/kg].
fn stiffest_modulus(material: MaterialKind, parameters: &[f64]) -> f64 {
    match (material, parameters) {
        (MaterialKind::Isotropic, &[lambda, mu]) => lambda + 2.0 * mu,
        // λ, μ, α/2, β/4, γ: A = λ + 2 μ, C = A + 2 α + β + 4 γ.
        (MaterialKind::TransverselyIsotropic, &[lambda, mu, alpha, beta, gamma]) => {
            let axial = lambda + 2.0 * mu;
            axial.max(axial + 4.0 * (alpha + beta + gamma))
        }
        (MaterialKind::Anisotropic, c) => c[0].max(c[6]).max(c[11]),
        (_, parameters) => parameters[0],
    }
}

/// Σ_l |∇ξ_l|² for a Jacobian matrix [1/m²].
fn squared_gradients(jacobian: &[[f64; 3]; 3]) -> f64 {
    let cofactor = |row: usize, column: usize| {
        let [a, b, c, d] = [(row + 1) % 3, (row + 2) % 3, (column + 1) % 3, (column + 2) % 3];
        jacobian[a][c] * jacobian[b][d] - jacobian[a][d] * jacobian[b][c]
    };
    let all = (0..3).flat_map(|row| (0..3).map(move |column| (row, column)));
    all.map(|(row, column)| cofactor(row, column).powi(2)).sum::<f64>() / determinant(jacobian).powi(2)
}

#[cfg(test)]
mod tests {
    use craton_device::{Isa, Scalar};
    use craton_mesh::{Geometry, HexMesh};
    use craton_model::{EarthModel, Interface, Knot, Medium, Profile, Region};
    use craton_numerics::gll::Gll;
    use craton_physics::{Love, Stiffness};
    use craton_sem_kernels::Scratch;
    use craton_testkit::meshes::Lattice;

    use crate::elements::Recipe;
    use crate::kernels::Kernels;
    use crate::layout::PatchNodes;
    use crate::rheologies::Rheologies;
    use crate::stability::{RANKED, largest_eigenvalues};

    /// Number of Lanczos iterations.
    const ITERATIONS: usize = 20;

    /// Largest eigenvalue of each element of a mesh over its estimate.
    fn ratios(mesh: &HexMesh, model: &EarthModel, degree: usize) -> Vec<f64> {
        let (gll, isa) = (Gll::new(degree).unwrap(), Isa::detect());
        let rheologies = Rheologies::new(model, degree, true).of_elements(mesh);
        let kernels = Kernels::<f64>::new(&gll, mesh.geometry, rheologies[..1].iter().copied());
        let recipe = Recipe { mesh, model, gll: &gll, lanes: f64::lanes(isa), pml: None };
        let mut scratch = Scratch::new(degree + 1, isa);
        let batch = |first: usize| -> Vec<f64> {
            let elements = first..mesh.n_elements().min(first + recipe.lanes);
            let points = elements.len() * (degree + 1).pow(3);
            let local: Vec<u16> = (0..points as u16).collect();
            let nodes = PatchNodes { elements, inner: points, shared: Vec::new() };
            let patch = recipe.build(rheologies[first], &nodes, &local);
            let values = largest_eigenvalues(kernels.of(rheologies[first]), isa, &patch, 0, ITERATIONS, &mut scratch);
            values.iter().zip(&patch.estimates).map(|(value, estimate)| value / estimate).collect()
        };
        (0..mesh.n_elements()).step_by(recipe.lanes).flat_map(batch).collect()
    }

    /// Meshes of cubes, plates, needles, sheared and twisted elements.
    fn meshes() -> Vec<HexMesh> {
        let changed = |mesh: &HexMesh, change: &dyn Fn([f64; 3]) -> [f64; 3]| {
            let mut mesh = mesh.clone();
            mesh.control_nodes.iter_mut().for_each(|node| *node = change(*node));
            mesh
        };
        let mut all = Vec::new();
        for (geometry, amount) in [(Geometry::Linear8, 0.3), (Geometry::Quadratic27, 0.12)] {
            let lattice = Lattice { geometry, ..Lattice::new([3, 3, 3]) };
            for mesh in [lattice.mesh(), lattice.deformed(amount, 5)] {
                let changes: [&dyn Fn([f64; 3]) -> [f64; 3]; 5] = [
                    &|place| place,
                    &|[x, y, z]| [x, y, 0.1 * z],
                    &|[x, y, z]| [0.1 * x, 0.15 * y, z],
                    &|[x, y, z]| [x, y, z + 0.8 * x],
                    &|[x, y, z]| [x + 0.7 * y, y, 0.3 * z + 0.4 * x],
                ];
                all.extend(changes.map(|change| changed(&mesh, change)));
            }
        }
        all
    }

    /// Isotropic and anisotropic media, and one whose speed doubles from the top to the bottom of a mesh.
    fn models(mesh: &HexMesh) -> Vec<EarthModel> {
        let rock = |vp, vs| Medium::isotropic(vp, vs, 2700.0).unwrap();
        let mut media = vec![rock(6000.0, 3464.0), rock(6000.0, 4600.0), rock(3000.0, 300.0), rock(1500.0, 0.0)];
        for eta in [0.5, 0.9, 1.15] {
            let love = Love::from_speeds([5200.0, 6400.0], [3000.0, 3700.0], eta, 2700.0);
            let axis = [0.6, 0.0, 0.8];
            media.push(Medium::transversely_isotropic(love, axis, 2700.0).unwrap());
            let tilted = Stiffness::transversely_isotropic_about(love, axis);
            media.push(Medium::anisotropic(tilted, 2700.0).unwrap());
        }
        let heights = mesh.control_nodes.iter().map(|node| node[2]);
        let [bottom, top] = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], z| [a.min(z), b.max(z)]);
        let knot = |z, vp: f64| Knot { z, vp, vs: vp / 1.8, rho: 2700.0 };
        let profile = Profile::new(vec![knot(top, 3000.0), knot(bottom, 6000.0)]).unwrap();
        let region = Region::elastic(Interface::Flat(top), profile.into());
        let all = media.into_iter().map(EarthModel::homogeneous);
        all.chain([EarthModel::new(vec![region]).unwrap()]).collect()
    }

    #[test]
    fn estimates_are_proportional_to_eigenvalues() {
        for degree in [2, 4, 7] {
            let of_mesh = |mesh: &HexMesh| -> Vec<f64> {
                models(mesh).iter().flat_map(|model| ratios(mesh, model, degree)).collect()
            };
            let all: Vec<f64> = meshes().iter().flat_map(of_mesh).collect();
            let [least, greatest] =
                all.iter().fold([f64::INFINITY, 0.0], |[a, b], &ratio| [a.min(ratio), b.max(ratio)]);
            assert!(least / greatest > RANKED, "degree {degree}: {least} to {greatest}");
        }
    }
}
