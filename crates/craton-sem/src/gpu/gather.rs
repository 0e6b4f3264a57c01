//! The arrays of `kernels/gather.cu`: any degree, law and precision, forces of elements in slots of their own.

use craton_device::Scalar;
use craton_numerics::lagrange;
use rayon::prelude::*;

use super::nodes::DeviceNodes;
use crate::discretisation::Discretisation;
use crate::kernel::control_points;

/// Everything the kernel reads.
pub struct GatherArrays<T> {
    /// One-dimensional tables: derivative, shape functions, their derivatives, weights.
    pub tables: Vec<T>,
    /// Node of each point, `[element][point]`.
    pub nodes: Vec<u32>,
    /// `[element][control node][component]` [m].
    pub control: Vec<T>,
    /// `[element][parameter][point]` [Pa], or without the point.
    pub material: Vec<T>,
    /// Whether materials vary inside elements.
    pub varies: bool,
}

impl<T: Scalar> GatherArrays<T> {
    /// Lays the elements of `on` out.
    pub fn new(on: &Discretisation<T>, nodes: &DeviceNodes) -> Self {
        let varies = on.patches.iter().any(|patch| patch.material_varies);
        let lanes = T::lanes(on.isa);
        let rows = 3 * on.mesh.geometry.per_element();
        let points = on.gll.points.len().pow(3);
        let patches = || nodes.patches.par_iter().zip(&on.patches);
        let control = patches().flat_map_iter(|(patch, data)| {
            (0..patch.elements.len() * rows).map(move |at| {
                let (element, row) = (at / rows, at % rows);
                data.geometry[(element / lanes * rows + row) * lanes + element % lanes]
            })
        });
        let material = patches().flat_map_iter(|(patch, data)| {
            let own_sites = if data.material_varies { points } else { 1 };
            let sites = if varies { points } else { 1 };
            let parameters = data.material.len() / (data.batches * own_sites * lanes);
            (0..patch.elements.len() * parameters * sites).map(move |at| {
                let (element, q, site) = (at / (parameters * sites), at / sites % parameters, at % sites % own_sites);
                data.material[((element / lanes * own_sites + site) * parameters + q) * lanes + element % lanes]
            })
        });
        let elements = 0..on.mesh.n_elements() as u32;
        Self {
            tables: tables(on),
            nodes: elements.flat_map(|element| nodes.of_element(element)).collect(),
            control: control.collect(),
            material: material.collect(),
            varies,
        }
    }
}

fn tables<T: Scalar>(on: &Discretisation<T>) -> Vec<T> {
    let gll = &on.gll;
    let control = control_points(on.mesh.geometry.per_axis());
    let derivative = lagrange::derivative_matrix(&gll.points);
    let shapes = gll.points.iter().flat_map(|&x| lagrange::basis(&control, x));
    let slopes = gll.points.iter().flat_map(|&x| lagrange::basis_derivative(&control, x));
    derivative.into_iter().chain(shapes).chain(slopes).chain(gll.weights.iter().copied()).map(T::from_f64).collect()
}

/// Where the forces on each node of the device stand: offsets, and the places of its slots in ascending order of the elements.
pub fn places(nodes: &DeviceNodes, points: usize, elements: u32) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0_u32; nodes.end as usize + 1];
    for node in (0..elements).flat_map(|element| nodes.of_element(element)) {
        offsets[node as usize + 1] += 1;
    }
    for node in 0..nodes.end as usize {
        offsets[node + 1] += offsets[node];
    }
    let mut next = offsets.clone();
    let mut places = vec![0; offsets[nodes.end as usize] as usize];
    for element in 0..elements {
        for (point, node) in nodes.of_element(element).enumerate() {
            places[next[node as usize] as usize] = element * (3 * points) as u32 + point as u32;
            next[node as usize] += 1;
        }
    }
    (offsets, places)
}
