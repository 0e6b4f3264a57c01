//! Estimates of the largest eigenvalue of elements, which select those whose eigenvalues are computed.
//!
//! In an element with constant Jacobian and a medium of P and S waves with the speeds p and s, the stiffest mode that is a product of functions of the
//! reference coordinates, and polarised along d, has the eigenvalue
//!
//! κ Σ_l ((p² - s²) (d·∇ξ_l)² + s² |∇ξ_l|²)
//!
//! with a constant κ of the degree. The estimate is its maximum over d and some points of the element, without κ. The true eigenvalues of distorted elements are
//! 0.6 to 1.9 times κ times the estimate, and those of an element in which it is constant 1.0 to 1.4 times (`estimates_are_proportional_to_eigenvalues`).

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
    let at = |point: usize| {
        let medium = if moduli.inertia.len() > 1 { point } else { 0 };
        let parameters = &moduli.parameters[medium * per_point..][..per_point];
        of_point(&jacobians[point], squared_speeds(material, parameters, moduli.inertia[medium]))
    };
    // Where the map has its control nodes.
    let places = match geometry {
        Geometry::Linear8 => &[0, along - 1][..],
        Geometry::Quadratic27 => &[0, along / 2, along - 1],
    };
    let plane = |k: usize| places.iter().flat_map(move |&j| places.iter().map(move |&i| i + along * (j + along * k)));
    places.iter().flat_map(|&k| plane(k)).map(at).fold(0.0, f64::max)
}

/// Squares of the speeds of fast and slow waves [m²/s²].
fn squared_speeds(material: MaterialKind, parameters: &[f64], inertia: f64) -> [f64; 2] {
    let largest = |moduli: &[f64]| moduli.iter().copied().fold(0.0, f64::max);
    let [fast, slow] = match (material, parameters) {
        (MaterialKind::Isotropic, &[lambda, mu]) => [lambda + 2.0 * mu, mu],
        // λ, μ, α/2, β/4, γ: A = λ + 2 μ, C = A + 2 α + β + 4 γ, L = μ + γ, N = μ.
        (MaterialKind::TransverselyIsotropic, &[lambda, mu, alpha, beta, gamma]) => {
            let axial = lambda + 2.0 * mu;
            [axial.max(axial + 4.0 * alpha + 4.0 * beta + 4.0 * gamma), mu.max(mu + gamma)]
        }
        (MaterialKind::Anisotropic, c) => [largest(&[c[0], c[6], c[11]]), largest(&[c[15], c[18], c[20]])],
        // The potential of a fluid has no direction.
        (_, parameters) => [parameters[0]; 2],
    };
    [fast / inertia, slow / inertia]
}

/// The estimate at a point with a Jacobian matrix.
fn of_point(jacobian: &[[f64; 3]; 3], [fast, slow]: [f64; 2]) -> f64 {
    let scale = 1.0 / determinant(jacobian);
    let cofactor = |row: usize, column: usize| {
        let [a, b, c, d] = [(row + 1) % 3, (row + 2) % 3, (column + 1) % 3, (column + 2) % 3];
        jacobian[a][c] * jacobian[b][d] - jacobian[a][d] * jacobian[b][c]
    };
    // Gradient l has the components scale * cofactor(i, l).
    let gradients: [[f64; 3]; 3] = std::array::from_fn(|l| std::array::from_fn(|i| scale * cofactor(i, l)));
    let matrix: [[f64; 3]; 3] = std::array::from_fn(|i| {
        std::array::from_fn(|j| gradients.iter().map(|gradient| gradient[i] * gradient[j]).sum())
    });
    let trace = matrix[0][0] + matrix[1][1] + matrix[2][2];
    (fast - slow) * largest_of(&matrix) + slow * trace
}

/// Largest eigenvalue of a symmetric positive matrix, at most 15 % too large: the eighth root of the trace of the eighth power.
fn largest_of(matrix: &[[f64; 3]; 3]) -> f64 {
    let square = |m: &[[f64; 3]; 3]| -> [[f64; 3]; 3] {
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| m[i][k] * m[k][j]).sum()))
    };
    let scale = matrix[0][0] + matrix[1][1] + matrix[2][2];
    let scaled = matrix.map(|row| row.map(|value| value / scale));
    let fourth = square(&square(&scaled));
    let trace: f64 = fourth.as_flattened().iter().map(|value| value * value).sum();
    scale * trace.sqrt().sqrt().sqrt()
}

#[cfg(test)]
mod tests {
    use craton_device::{Isa, Scalar};
    use craton_mesh::{Geometry, HexMesh};
    use craton_model::{EarthModel, Medium};
    use craton_numerics::gll::Gll;
    use craton_physics::{Love, Stiffness};
    use craton_sem_kernels::Scratch;
    use craton_testkit::meshes::Lattice;

    use crate::elements::Recipe;
    use crate::kernels::Kernels;
    use crate::layout::PatchNodes;
    use crate::rheologies::Rheologies;
    use crate::stability::{RANKED, largest_eigenvalues};

    /// Largest eigenvalue of each element of a mesh over its estimate.
    fn ratios(mesh: &HexMesh, medium: Medium, degree: usize) -> Vec<f64> {
        let (gll, isa, model) = (Gll::new(degree).unwrap(), Isa::detect(), EarthModel::homogeneous(medium));
        let rheologies = Rheologies::new(&model, degree, true).of_elements(mesh);
        let kernels = Kernels::<f64>::new(&gll, mesh.geometry, rheologies[..1].iter().copied());
        let recipe = Recipe { mesh, model: &model, gll: &gll, lanes: f64::lanes(isa), pml: None };
        let mut scratch = Scratch::new(degree + 1, isa);
        let points = (degree + 1).pow(3);
        let local: Vec<u16> = (0..points as u16).collect();
        let ratio = |(element, rheology)| {
            let nodes = PatchNodes { elements: element..element + 1, inner: points, shared: Vec::new() };
            let patch = recipe.build(rheology, &nodes, &local);
            largest_eigenvalues(kernels.of(rheology), isa, &patch, 0, 60, &mut scratch)[0] / patch.estimates[0]
        };
        rheologies.into_iter().enumerate().map(ratio).collect()
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

    #[test]
    fn estimates_are_proportional_to_eigenvalues() {
        let rock = |vp, vs| Medium::isotropic(vp, vs, 2700.0).unwrap();
        let love = Love::from_speeds([5200.0, 6400.0], [3000.0, 3700.0], 0.9, 2700.0);
        let axis = [0.6, 0.0, 0.8];
        let transverse = Medium::transversely_isotropic(love, axis, 2700.0).unwrap();
        let tilted = Medium::anisotropic(Stiffness::transversely_isotropic_about(love, axis), 2700.0).unwrap();
        let media =
            [rock(6000.0, 3464.0), rock(6000.0, 4600.0), rock(3000.0, 300.0), rock(1500.0, 0.0), transverse, tilted];
        for degree in [2, 4, 7] {
            let mut all: Vec<f64> = Vec::new();
            for medium in media {
                for (number, mesh) in meshes().iter().enumerate() {
                    let own = ratios(mesh, medium, degree);
                    let (low, high) =
                        (own.iter().copied().fold(f64::INFINITY, f64::min), own.iter().copied().fold(0.0, f64::max));
                    println!("{degree} {:?} {number}: {low:.3} {high:.3}", medium.mean_speeds());
                    all.extend(own);
                }
            }
            let [least, greatest] =
                [all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(0.0, f64::max)];
            println!("degree {degree}: {least:.3} {greatest:.3}, {:.3}", least / greatest);
            assert!(least / greatest > RANKED, "degree {degree}: {least} to {greatest}");
        }
    }
}
