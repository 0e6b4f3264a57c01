//! The steps that single elements allow, before their patches are known.

use std::ops::Range;

use craton_device::{Isa, Workers};
use craton_mesh::HexMesh;
use craton_model::EarthModel;
use craton_numerics::gll::Gll;
use craton_sem_kernels::{Precision, Rheology, Scratch};
use rayon::prelude::*;

use crate::SemError;
use crate::elements::Recipe;
use crate::kernels::Kernels;
use crate::layout::PatchNodes;
use crate::levels::{Choice, Levels};
use crate::own_tiles::OwnTiles;
use crate::parts::cost_of;
use crate::rheologies::Rheologies;
use crate::stability::largest_eigenvalues;

/// Number of Lanczos iterations. The levels need steps within some percent; the stable step of the run is determined afterwards, with the levels.
const ITERATIONS: usize = 12;

impl Levels {
    /// The levels of a mesh that cost least; `None` if a single step for all elements costs about as much.
    ///
    /// Elements of absorbing layers and elements between solids and fluids have the step of the run. Every process must call this function.
    ///
    /// # Arguments
    /// * `tiles` – the tiles of this process; its mesh has two rings of tiles around them
    /// # Errors
    /// A degree outside 1 to 10, a rank that is lost.
    pub fn of_model<T: Precision>(
        mesh: &HexMesh,
        degree: usize,
        model: &EarthModel,
        rheologies: &Rheologies,
        isa: Isa,
        tiles: OwnTiles,
        workers: &Workers,
    ) -> Result<Option<Self>, SemError> {
        let gll = Gll::new(degree)?;
        let of_elements = rheologies.of_elements(mesh);
        let recipe = Recipe { mesh, model, gll: &gll, lanes: T::lanes(isa), pml: rheologies.pml() };
        let steps = workers.run(|| element_steps::<T>(&recipe, &of_elements, isa));
        // Costs are multiples of a hundredth.
        let costs: Vec<f64> = of_elements.iter().map(|&rheology| (100.0 * cost_of(rheology)).round()).collect();
        let is_tied = tied(mesh, &of_elements);
        Ok(Self::choose(&Choice { mesh, steps: &steps, costs: &costs, is_tied: &is_tied, tiles })?)
    }
}

/// The largest stable step of each element without its neighbours [s].
fn element_steps<T: Precision>(recipe: &Recipe, of_elements: &[Rheology], isa: Isa) -> Vec<f64> {
    let mut kinds = of_elements.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let kernels = Kernels::new(recipe.gll, recipe.mesh.geometry, kinds.into_iter());
    let along = recipe.gll.points.len();
    let of_batch = |scratch: &mut Scratch<T>, elements: &Range<usize>| -> Vec<f64> {
        let rheology = of_elements[elements.start];
        let points = elements.len() * along.pow(3);
        let local: Vec<u16> = (0..points as u16).collect();
        let nodes = PatchNodes { elements: elements.clone(), inner: points, shared: Vec::new() };
        let batch = recipe.build(rheology, &nodes, &local);
        let values = largest_eigenvalues(kernels.of(rheology), isa, &batch, 0, ITERATIONS, scratch);
        values.into_iter().take(elements.len()).map(|value| 2.0 / value.sqrt()).collect()
    };
    let batches = batches(of_elements, recipe.lanes);
    batches.par_iter().map_init(|| Scratch::new(along, isa), of_batch).flatten_iter().collect()
}

/// Consecutive elements of one rheology, at most `lanes` of them.
fn batches(of_elements: &[Rheology], lanes: usize) -> Vec<Range<usize>> {
    let mut first = 0;
    let mut all = Vec::new();
    for equal in of_elements.chunk_by(|one, other| one == other) {
        let end = first + equal.len();
        all.extend((first..end).step_by(lanes).map(|start| start..end.min(start + lanes)));
        first = end;
    }
    all
}

/// Whether each element must have the step of the run: in layers, whose filters follow the true motion, and where solids and fluids meet.
fn tied(mesh: &HexMesh, of_elements: &[Rheology]) -> Vec<bool> {
    let mut has = vec![[false; 2]; mesh.twin.len()];
    let corners = |element: usize| mesh.corners_of(element as u32).map(|node| mesh.twin[node as usize] as usize);
    for (element, rheology) in of_elements.iter().enumerate() {
        corners(element).into_iter().for_each(|node| has[node][rheology.phase() as usize] = true);
    }
    let is_wet = |element: usize| corners(element).into_iter().any(|node| has[node] == [true; 2]);
    let in_layer = |element: usize| mesh.pml.as_ref().is_some_and(|pml| pml.of(element as u32).is_some());
    (0..of_elements.len()).map(|element| in_layer(element) || is_wet(element)).collect()
}
