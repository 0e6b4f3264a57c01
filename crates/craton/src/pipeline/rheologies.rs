//! The rheologies of the elements of a scenario, before and after its mesh is known.

use std::collections::HashSet;

use craton_mesh::HexMesh;
use craton_sem::{OwnTiles, Relaxation, Rheologies, Rheology};

use crate::comm::Ranks;
use crate::error::Error;
use crate::placing::{elements_with_points, fibre_points};
use crate::setup::Setup;

/// Fraction of a wavelength's points that elements with memory at some points must have: one wavelength but for rounding.
const FINE: f64 = 0.98;

/// The expected rheology of each region before the mesh is known: elements of a given size count as long ones, which
/// have memory at all points.
pub fn expected(setup: &Setup) -> Rheologies {
    let sem = setup.method.sem();
    let is_fine = sem.elements.is_none() && sem.element_size.is_none();
    Rheologies::new(&setup.model, sem.degree, is_fine && sem.points_per_wavelength >= FINE * sem.degree as f64)
}

/// Additional memory variables per element [–] on average, because elements around sources and receivers have memory at
/// all points.
pub fn more_memory(setup: &Setup, elements: usize) -> f64 {
    /// An element and its neighbours.
    const AROUND: usize = 27;
    let along = setup.method.sem().degree + 1;
    let of_region = |rheology: &Rheology| {
        let (Relaxation::Odd { mechanisms } | Relaxation::Inner { mechanisms }) = rheology.relaxation else { return 0 };
        let full = Rheology { relaxation: Relaxation::Full { mechanisms }, ..*rheology };
        full.memory(along) - rheology.memory(along)
    };
    let more = expected(setup).by_region().iter().map(of_region).max().unwrap_or(0);
    let in_faults: usize = setup.faults.iter().map(|fault| fault.points.len()).sum();
    let near = (AROUND * (setup.sources.len() + setup.receivers.len() + fibre_points(setup).count()) + in_faults)
        .min(elements);
    more as f64 * near as f64 / elements.max(1) as f64
}

/// The rheology of each region, and whether its medium varies inside elements.
pub fn of_regions(setup: &Setup) -> Vec<(Rheology, bool)> {
    let rheologies = expected(setup);
    let all = rheologies.by_region().iter().enumerate();
    all.map(|(region, &rheology)| (rheology, setup.model.varies_in_elements(region))).collect()
}

/// The rheologies of the elements of a mesh with these points per wavelength. Elements with too few points per wavelength store memory variables at all points,
/// as do the elements with sources and receivers and their neighbours: where only some points relax, strain concentrates at them, which changes the amplitude
/// of a source. Every rank must call this function.
///
/// # Arguments
/// * `tiles` – the tiles of this process, and the ranks
/// # Errors
/// A rank that is lost.
pub fn of_mesh(
    setup: &Setup,
    mesh: &HexMesh,
    points_per_wavelength: &[f64],
    tiles: OwnTiles,
) -> Result<Rheologies, Error> {
    let degree = setup.method.sem().degree;
    let rheologies = Rheologies::new(&setup.model, degree, true);
    if !rheologies.have_coarse_memory() {
        return Ok(rheologies);
    }
    let with_points = elements_with_points(setup, mesh, &|element| tiles.has(mesh.tile_of(element)));
    // All processes with the whole mesh find the same elements.
    let near = near(mesh, &with_points, tiles.ranks, tiles.is_own.is_some())?;
    Ok(with_long_elements(rheologies.with_full_memory_in(near.into_iter()), degree, points_per_wavelength))
}

/// Rheologies with memory variables at all points of the elements that have few points per wavelength.
pub fn with_long_elements(rheologies: Rheologies, degree: usize, points_per_wavelength: &[f64]) -> Rheologies {
    let is_long = |points: &f64| *points < FINE * degree as f64;
    let long = (0..).zip(points_per_wavelength).filter(|(_, points)| is_long(points)).map(|(element, _)| element);
    rheologies.with_full_memory_in(long)
}

/// The elements of a mesh that share control nodes with some elements of this process, or of all processes.
fn near(mesh: &HexMesh, own: &[u32], ranks: &dyn Ranks, of_all: bool) -> Result<Vec<u32>, Error> {
    let nodes: HashSet<u32> = own.iter().flat_map(|&element| mesh.nodes_of(element)).copied().collect();
    let touches = |element: &u32| mesh.nodes_of(*element).iter().any(|node| nodes.contains(node));
    let near = (0..mesh.n_elements() as u32).filter(touches);
    if !of_all {
        return Ok(near.collect());
    }
    let keys = mesh.keys();
    let near: Vec<u64> = near.map(|element| keys[element as usize]).collect();
    let all = ranks.all_gather(bytemuck::cast_slice(&near))?;
    let all: HashSet<u64> = all.iter().flat_map(|bytes| bytemuck::pod_collect_to_vec::<u8, u64>(bytes)).collect();
    Ok((0..).zip(keys).filter(|(_, key)| all.contains(key)).map(|(element, _)| element).collect())
}
