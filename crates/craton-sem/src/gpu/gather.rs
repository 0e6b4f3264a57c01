//! The arrays of `kernels/gather.cu`, which supports any degree, law and precision. Each element writes its forces to its own slots.

use std::collections::HashMap;

use craton_device::Scalar;
use craton_numerics::lagrange;
use craton_sem_kernels::{Phase, control_points, short_waves};
use rayon::prelude::*;

use super::nodes::DeviceNodes;
use super::rows::Rows;
use super::runs::Run;
use crate::discretisation::Discretisation;
use crate::plan::Plan;

/// Input arrays of the kernel.
pub struct GatherArrays<T> {
    /// One-dimensional tables: derivative matrix, shape functions, their derivatives, weights, points, damping of short waves.
    pub tables: Vec<T>,
    /// Node number of each point, `[element][point]`.
    pub nodes: Vec<u32>,
    /// Control nodes, `[element][control node][component]` [m].
    pub control: Vec<T>,
}

impl<T: Scalar> GatherArrays<T> {
    /// Builds the arrays for the elements of `on`.
    pub fn new(on: &Discretisation<T>, nodes: &DeviceNodes) -> Self {
        let lanes = T::lanes(on.isa);
        let rows = 3 * on.mesh().geometry.per_element();
        let patches = nodes.patches.par_iter().zip(&on.of(nodes.phase).patches);
        let control = patches.flat_map_iter(|(patch, data)| {
            let elements = 0..patch.elements.len();
            elements.flat_map(move |element| {
                (0..rows).map(move |row| data.geometry[(element / lanes * rows + row) * lanes + element % lanes])
            })
        });
        let elements = nodes
            .patches
            .iter()
            .enumerate()
            .flat_map(|(patch, own)| (0..own.elements.len()).map(move |at| (patch, at)));
        Self {
            tables: tables(on),
            nodes: elements.flat_map(|(patch, within)| nodes.of_element(patch, within)).collect(),
            control: control.collect(),
        }
    }
}

/// Material arrays of the elements of a run.
pub struct RunArrays<T> {
    /// Parameters, `[element][parameter][point]`, or `[element][parameter]` if they are constant in elements [Pa].
    pub material: Vec<T>,
    /// Coefficients of the symmetry axis, `[element][coefficient][component]` [–]; one value if the law has no axis.
    pub axes: Vec<T>,
}

impl<T: Scalar> RunArrays<T> {
    /// Builds the arrays for the elements of a run.
    pub fn new(on: &Discretisation<T>, nodes: &DeviceNodes, run: &Run) -> Self {
        let lanes = T::lanes(on.isa);
        let points = on.gll().points.len().pow(3);
        let parameters = run.rheology.parameters();
        let coefficients = run.rheology.axis_coefficients();
        let data = &on.of(nodes.phase).patches[run.patches.clone()];
        let patches = || nodes.patches[run.patches.clone()].par_iter().zip(data);
        let material = patches().flat_map_iter(|(patch, data)| {
            let own_sites = if data.material_varies { points } else { 1 };
            let sites = if run.varies { points } else { 1 };
            (0..patch.elements.len() * parameters * sites).map(move |at| {
                let (element, q, site) = (at / (parameters * sites), at / sites % parameters, at % sites % own_sites);
                data.material[((element / lanes * own_sites + site) * parameters + q) * lanes + element % lanes]
            })
        });
        let axes = patches().flat_map_iter(|(patch, data)| {
            (0..patch.elements.len() * coefficients).map(move |at| {
                let (element, row) = (at / coefficients, at % coefficients);
                data.axes[(element / lanes * coefficients + row) * lanes + element % lanes]
            })
        });
        let mut axes: Vec<T> = axes.collect();
        axes.resize(axes.len().max(1), T::default());
        Self { material: material.collect(), axes }
    }
}

fn tables<T: Scalar>(on: &Discretisation<T>) -> Vec<T> {
    let gll = on.gll();
    let n = gll.points.len();
    let control = control_points(on.mesh().geometry.per_axis());
    let derivative = lagrange::derivative_matrix(&gll.points);
    let shapes = gll.points.iter().flat_map(|&x| lagrange::basis(&control, x));
    let slopes = gll.points.iter().flat_map(|&x| lagrange::basis_derivative(&control, x));
    derivative
        .into_iter()
        .chain(shapes)
        .chain(slopes)
        .chain(gll.weights.iter().copied())
        .chain(gll.points.iter().copied())
        .chain((0..n * n).map(|at| short_waves(gll, at / n, at % n)))
        .map(T::from_f64)
        .collect()
}

/// The force of one point of one element on its node.
#[derive(Debug, Clone, Copy)]
pub struct PointForce {
    /// Element number in the plan.
    pub element: u32,
    /// Point number in the element.
    pub point: u32,
}

/// The point forces of each sum of a phase, given as (patch of the plan, local node counted from the first shared one).
pub fn point_forces(plan: &Plan, phase: Phase, sums: &[(u32, u32)]) -> Vec<Vec<PointForce>> {
    let (points, of) = (plan.gll.points.len().pow(3), plan.of(phase));
    let mut known = HashMap::new();
    let of_sum = |&(patch, slot): &(u32, u32)| {
        let nodes = &of.layout.patches[patch as usize];
        let by_slot = known.entry(patch).or_insert_with(|| {
            let mut by_slot = vec![Vec::new(); nodes.shared.len()];
            for (place, &local) in of.local[patch as usize].iter().enumerate() {
                if let Some(slot) = usize::from(local).checked_sub(nodes.inner) {
                    let element = (nodes.elements.start + place / points) as u32;
                    by_slot[slot].push(PointForce { element, point: (place % points) as u32 });
                }
            }
            by_slot
        });
        by_slot[slot as usize].clone()
    };
    sums.iter().map(of_sum).collect()
}

/// The slots of each node of the device, in ascending order of the plan's elements.
///
/// # Arguments
/// * `points` – number of points of an element
/// * `received` – (element of the plan, node of the device, slot index) of each force from another part, in ascending order
/// * `wet` – (node of the device, slot index) of each force of the other phase
pub fn places(nodes: &DeviceNodes, points: usize, received: &[[u32; 3]], wet: &[[u32; 2]]) -> Rows {
    let mut patches: Vec<usize> = (0..nodes.patches.len()).collect();
    patches.sort_unstable_by_key(|&patch| nodes.patches[patch].elements.start);
    let visit = |visit: &mut dyn FnMut(u32, u32)| {
        let mut received = received.iter().peekable();
        for &patch in &patches {
            let own = &nodes.patches[patch];
            while let Some(&[_, node, place]) =
                received.next_if(|&&[element, ..]| (element as usize) < own.elements.start)
            {
                visit(node, place);
            }
            for within in 0..own.elements.len() {
                let first = (own.first_element as usize + within) * nodes.components() * points;
                for (point, node) in nodes.of_element(patch, within).enumerate() {
                    visit(node, (first + point) as u32);
                }
            }
        }
        received.for_each(|&[_, node, place]| visit(node, place));
        wet.iter().for_each(|&[node, place]| visit(node, place));
    };
    let mut offsets = vec![0_u32; nodes.end as usize + 1];
    visit(&mut |node, _| offsets[node as usize + 1] += 1);
    for node in 0..nodes.end as usize {
        offsets[node + 1] += offsets[node];
    }
    let mut next = offsets.clone();
    let mut values = vec![0; offsets[nodes.end as usize] as usize];
    visit(&mut |node, place| {
        values[next[node as usize] as usize] = place;
        next[node as usize] += 1;
    });
    Rows { offsets, values }
}
