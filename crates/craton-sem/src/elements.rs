//! Builds the arrays of the element kernel from the mesh and the Earth model.

use craton_device::{AlignedVec, Scalar};
use craton_mesh::{ElementMap, HexMesh};
use craton_model::EarthModel;
use craton_numerics::gll::Gll;
use craton_sem_kernels::{ElementData, Rheology};

use crate::estimates;
use crate::layout::PatchNodes;
use crate::moduli::{Moduli, medium_in_element};
use crate::pml::PmlProfile;

/// Inputs that all patches share.
pub struct Recipe<'a> {
    /// The mesh, with its elements in patch order.
    pub mesh: &'a HexMesh,
    /// The Earth model.
    pub model: &'a EarthModel,
    /// The Gauss-Lobatto-Legendre rule.
    pub gll: &'a Gll,
    /// Number of SIMD lanes of the kernel.
    pub lanes: usize,
    /// The damping of the layers around the domain, if there are any.
    pub pml: Option<&'a PmlProfile>,
}

/// Kernel arrays and masses of a patch.
pub struct PatchElements<T: Scalar> {
    /// Arrays of the kernel.
    pub data: ElementData<T>,
    /// Mass of each element's points without contributions of its neighbours, `[batch][point][lane]` [kg]; in a fluid the integral of 1/κ [m³/Pa].
    pub element_mass: AlignedVec<T>,
    /// Mass of each local node without contributions of other patches.
    pub node_mass: Vec<f64>,
    /// Estimate of the largest eigenvalue of each element, up to a factor that all elements have in common.
    pub estimates: Vec<f64>,
}

impl Recipe<'_> {
    fn points(&self) -> usize {
        self.gll.points.len().pow(3)
    }

    /// Builds the arrays of a patch.
    ///
    /// # Arguments
    /// * `local` – local nodes of its points, `[element][point]`
    pub fn build<T: Scalar>(&self, rheology: Rheology, nodes: &PatchNodes, local: &[u16]) -> PatchElements<T> {
        let (points, lanes) = (self.points(), self.lanes);
        let batches = nodes.elements.len().div_ceil(lanes);
        let varies = nodes.elements.clone().any(|e| self.model.varies_in_elements(usize::from(self.mesh.region[e])));
        let sites = if varies { points } else { 1 };
        let relaxing_sites = if varies { rheology.relaxation.points(self.gll.points.len()) } else { 1 };
        let relaxing = relaxing_sites * rheology.relaxing_moduli();
        let mut patch = PatchElements {
            data: ElementData {
                rheology,
                batches,
                nodes: vec![0; batches * points * lanes],
                geometry: AlignedVec::zeroed(batches * self.mesh.geometry.per_element() * 3 * lanes),
                material: AlignedVec::zeroed(batches * sites * rheology.parameters() * lanes),
                material_varies: varies,
                axes: AlignedVec::zeroed(batches * rheology.axis_coefficients() * lanes),
                relaxing: AlignedVec::zeroed(batches * relaxing * lanes),
                pml: AlignedVec::zeroed(batches * rheology.pml_constants(self.gll.points.len()) * lanes),
            },
            element_mass: AlignedVec::zeroed(batches * points * lanes),
            // Written explicitly: the system maps a zeroed page twice if it is read before it is written.
            node_mass: std::iter::repeat_n(0.0, nodes.len()).collect(),
            estimates: Vec::with_capacity(nodes.elements.len()),
        };
        let mut site = Site::new(self);
        for slot in 0..batches * lanes {
            self.fill_slot(nodes, local, slot, &mut site, &mut patch);
        }
        patch
    }

    /// Fills lane `slot` of a patch. Lanes beyond its elements repeat the last element and write to the spare node.
    fn fill_slot<T: Scalar>(
        &self,
        nodes: &PatchNodes,
        local: &[u16],
        slot: usize,
        site: &mut Site,
        patch: &mut PatchElements<T>,
    ) {
        let (points, lanes) = (self.points(), self.lanes);
        let (batch, lane) = (slot / lanes, slot % lanes);
        let within = slot.min(nodes.elements.len() - 1);
        let is_spare = slot != within;
        let element = nodes.elements.start + within;
        let spread = |row: usize, per_batch: usize| (batch * per_batch + row) * lanes + lane;

        site.visit(self, element, &patch.data);
        let control = site.relative_control_nodes(self.mesh, element);
        for (row, value) in control.as_flattened().iter().enumerate() {
            patch.data.geometry[spread(row, 3 * control.len())] = T::from_f64(*value);
        }
        for (row, &value) in site.moduli.parameters.iter().enumerate() {
            patch.data.material[spread(row, site.moduli.parameters.len())] = T::from_f64(value);
        }
        for (row, &value) in site.moduli.relaxing.iter().enumerate() {
            patch.data.relaxing[spread(row, site.moduli.relaxing.len())] = T::from_f64(value);
        }
        for (row, &value) in site.pml.iter().enumerate() {
            patch.data.pml[spread(row, site.pml.len())] = T::from_f64(value);
        }
        if !is_spare {
            patch.estimates.push(site.estimate);
        }
        for (row, &value) in site.axis.as_flattened().iter().enumerate() {
            patch.data.axes[spread(row, 12)] = T::from_f64(value);
        }
        for (point, &mass) in site.mass.iter().enumerate() {
            let node = local[within * points + point];
            patch.element_mass[spread(point, points)] = T::from_f64(mass);
            patch.data.nodes[spread(point, points)] = if is_spare { nodes.len() as u16 } else { node };
            if !is_spare {
                patch.node_mass[usize::from(node)] += mass;
            }
        }
    }
}

/// Buffers for the construction of an element.
struct Site {
    map: ElementMap,
    positions: Vec<[f64; 3]>,
    jacobians: Vec<[[f64; 3]; 3]>,
    moduli: Moduli,
    /// Coefficients of the symmetry axis; empty if the rheology has no axis.
    axis: Vec<[f64; 3]>,
    mass: Vec<f64>,
    /// See [`PatchElements::estimates`].
    estimate: f64,
    /// Constants of the absorbing axes.
    pml: Vec<f64>,
}

impl Site {
    fn new(recipe: &Recipe) -> Self {
        Self {
            map: ElementMap::new(recipe.mesh.geometry, &recipe.gll.points),
            positions: Vec::new(),
            jacobians: Vec::new(),
            moduli: Moduli::default(),
            axis: Vec::new(),
            mass: Vec::new(),
            estimate: 0.0,
            pml: Vec::new(),
        }
    }

    /// Computes the parameters, axis and masses of an element of a patch.
    fn visit<T: Scalar>(&mut self, recipe: &Recipe, element: usize, patch: &ElementData<T>) {
        let (rheology, varies) = (patch.rheology, patch.material_varies);
        let mut buffer = [[0.0; 3]; 27];
        let control = recipe.mesh.points_of(element as u32, &mut buffer);
        self.map.jacobians(control, &mut self.jacobians);
        let media = recipe.mesh.medium_points_of(element as u32, &mut buffer);
        if varies {
            self.map.positions(media, &mut self.positions);
        } else {
            // The first point is the first control node.
            self.positions.splice(.., [media[0]]);
        }
        self.moduli.fill(recipe, rheology, element, &self.positions);
        self.mass.clear();
        let inertia = self.moduli.inertia.iter().cycle();
        let points = self.jacobians.iter().enumerate().zip(inertia);
        let mass = |((point, jacobian), inertia): ((usize, &[[f64; 3]; 3]), &f64)| {
            inertia * quadrature_weight(recipe.gll, point) * determinant(jacobian)
        };
        self.mass.extend(points.map(mass));
        self.estimate =
            estimates::largest_eigenvalue(rheology.material, recipe.mesh.geometry, &self.jacobians, &self.moduli);
        self.axis.clear();
        if rheology.axis_coefficients() > 0 {
            self.axis.extend(axis_of(recipe, element));
        }
        self.absorb(recipe, element as u32);
    }

    /// Computes the constants of the absorbing axes of an element from its masses.
    fn absorb(&mut self, recipe: &Recipe, element: u32) {
        self.pml.clear();
        let (Some(pml), Some(profile)) = (&recipe.mesh.pml, recipe.pml) else { return };
        let Some(own) = pml.of(element).filter(|own| profile.is_matched(own)) else { return };
        let centre = recipe.mesh.medium_position(element, [0.0; 3]);
        let medium = medium_in_element(recipe.model, recipe.mesh, element, centre);
        let shear = if medium.is_fluid() { 0.0 } else { medium.slowest() };
        // The weights of an element add up to 8.
        let mass = 0.125 * self.mass.iter().sum::<f64>();
        profile.constants(pml, own, recipe.gll, [mass, shear], &mut self.pml);
    }

    /// Control nodes relative to the first one of the element, so that single precision resolves them independently of the origin.
    fn relative_control_nodes(&self, mesh: &HexMesh, element: usize) -> Vec<[f64; 3]> {
        let mut buffer = [[0.0; 3]; 27];
        let control = mesh.points_of(element as u32, &mut buffer);
        control.iter().map(|x| std::array::from_fn(|c| x[c] - control[0][c])).collect()
    }
}

/// Quadrature weight of a point of the reference cube.
pub fn quadrature_weight(gll: &Gll, point: usize) -> f64 {
    let n = gll.points.len();
    gll.weights[point % n] * gll.weights[point / n % n] * gll.weights[point / (n * n)]
}

/// Determinant of a matrix.
pub fn determinant(m: &[[f64; 3]; 3]) -> f64 {
    m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
}

/// Coefficients of the symmetry axis of an element, linear in the reference coordinates: its value at the centre, and half the difference between the
/// centres of opposite faces along each axis. The law normalises it at each point.
fn axis_of(recipe: &Recipe, element: usize) -> [[f64; 3]; 4] {
    let region = usize::from(recipe.mesh.region[element]);
    let axis_at = |xi: [f64; 3]| recipe.model.axis_in_space(region, recipe.mesh.medium_position(element as u32, xi));
    let slope = |axis: usize| {
        let [low, high] = [-1.0, 1.0].map(|end| {
            let mut xi = [0.0; 3];
            xi[axis] = end;
            axis_at(xi)
        });
        [0, 1, 2].map(|c| 0.5 * (high[c] - low[c]))
    };
    [axis_at([0.0; 3]), slope(0), slope(1), slope(2)]
}
