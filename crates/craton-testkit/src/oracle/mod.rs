//! Naive reference implementation of the spectral-element method.
//!
//! [`Oracle`] is the discretised Earth, [`Motion`] its leapfrog. Shape functions, metric, law and sums are deliberately implemented a second time: only the
//! mesh, its node numbering and the Earth model are shared with the solver.

mod element;
mod motion;

use craton_mesh::{HexMesh, Numbering};
use craton_model::EarthModel;
use craton_numerics::gll::Gll;

use element::Element;
pub use motion::Motion;

/// A field on the nodes: x, y, z of each.
pub type NodeField = Vec<[f64; 3]>;

/// The discretised Earth.
pub struct Oracle {
    numbering: Numbering,
    elements: Vec<Element>,
    mass: Vec<f64>,
    positions: NodeField,
}

impl Oracle {
    /// Discretises `model` on `mesh` at a polynomial `degree` (1 to 10).
    ///
    /// # Panics
    /// If the mesh or the degree is invalid.
    pub fn new(mesh: &HexMesh, model: &EarthModel, degree: usize) -> Self {
        let numbering = Numbering::new(mesh, degree).expect("a valid mesh");
        let gll = Gll::new(degree).expect("a valid degree");
        let elements: Vec<_> = (0..mesh.n_elements()).map(|e| Element::new(mesh, e as u32, model, &gll)).collect();
        let mut mass = vec![0.0; numbering.n_nodes];
        let mut positions = vec![[0.0; 3]; numbering.n_nodes];
        for (element, data) in elements.iter().enumerate() {
            for (&node, point) in numbering.nodes_of(element as u32).iter().zip(&data.points) {
                mass[node as usize] += point.rho * point.volume;
                positions[node as usize] = point.position;
            }
        }
        Self { numbering, elements, mass, positions }
    }

    /// Number of distinct nodes.
    pub fn n_nodes(&self) -> usize {
        self.mass.len()
    }

    /// Nodes of an element, lexicographic.
    pub fn nodes_of(&self, element: u32) -> &[u32] {
        self.numbering.nodes_of(element)
    }

    /// Mass of each node [kg].
    pub fn mass(&self) -> &[f64] {
        &self.mass
    }

    /// Position of each node [m]; for a node with periodic images, that of one image.
    pub fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    /// Forces -K u [N] of a displacement [m].
    pub fn forces(&self, u: &[[f64; 3]]) -> NodeField {
        let mut forces = vec![[0.0; 3]; u.len()];
        for (element, data) in self.elements.iter().enumerate() {
            let nodes = self.nodes_of(element as u32);
            let local: Vec<_> = nodes.iter().map(|&node| u[node as usize]).collect();
            for (&node, force) in nodes.iter().zip(data.forces(&local)) {
                for c in 0..3 {
                    forces[node as usize][c] += force[c];
                }
            }
        }
        forces
    }

    /// a K b [J]: twice the elastic energy if a and b are the same displacement [m].
    pub fn elastic_product(&self, a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
        -dot(a, &self.forces(b))
    }

    /// Σ m a · b: twice the kinetic energy [J] if a and b are the same velocity [m/s].
    pub fn mass_product(&self, a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
        a.iter().zip(b).zip(&self.mass).map(|((a, b), m)| m * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2])).sum()
    }

    /// Discrete energy [J] that the leapfrog conserves to round-off in a closed box: ½ v M v + ½ u(n) K u(n+1), with v = v(n+½) and u = u(n+1).
    ///
    /// # Source
    /// From v(n+½) - v(n-½) = -dt M⁻¹ K u(n) and K = Kᵀ by summation.
    pub fn leapfrog_energy(&self, u: &[[f64; 3]], v: &[[f64; 3]], dt: f64) -> f64 {
        let before: NodeField = u.iter().zip(v).map(|(u, v)| [0, 1, 2].map(|c| u[c] - dt * v[c])).collect();
        0.5 * self.mass_product(v, v) + 0.5 * self.elastic_product(&before, u)
    }

    /// Lower bound of the largest eigenvalue of M⁻¹ K [1/s²], by `iterations` power iterations.
    pub fn largest_eigenvalue(&self, iterations: usize) -> f64 {
        let mut random = crate::random::Random::new(1);
        let mut u: NodeField = self.mass.iter().map(|_| random.vector()).collect();
        let mut quotient = 0.0;
        for _ in 0..iterations {
            let size = self.mass_product(&u, &u).sqrt();
            u.iter_mut().for_each(|u| *u = u.map(|x| x / size));
            let forces = self.forces(&u);
            quotient = -dot(&u, &forces);
            u = forces.iter().zip(&self.mass).map(|(f, m)| f.map(|x| -x / m)).collect();
        }
        quotient
    }

    /// K as a dense matrix of (3 nodes)² coefficients [N/m], row by row; for meshes of a few elements.
    pub fn stiffness_matrix(&self) -> Vec<Vec<f64>> {
        let size = 3 * self.n_nodes();
        let column = |index: usize| {
            let mut unit = vec![[0.0; 3]; self.n_nodes()];
            unit[index / 3][index % 3] = 1.0;
            self.forces(&unit).as_flattened().iter().map(|f| -f).collect::<Vec<f64>>()
        };
        let columns: Vec<_> = (0..size).map(column).collect();
        (0..size).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
    }
}

/// Σ a · b over all nodes.
pub fn dot(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| a * b).sum()
}

/// ‖a - b‖ / ‖b‖ over all nodes and components.
pub fn relative_difference(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let squares = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    let pairs = a.as_flattened().iter().zip(b.as_flattened());
    (squares(&mut pairs.map(|(a, b)| a - b)) / squares(&mut b.as_flattened().iter().copied())).sqrt()
}
