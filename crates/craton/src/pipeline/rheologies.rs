//! The rheologies of the elements of a scenario, before and after its mesh is known.

use craton_mesh::HexMesh;
use craton_sem::{Plan, Relaxation, Rheologies, Rheology};

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

/// The rheologies of the elements of a mesh with these points per wavelength: elements with too few points per wavelength store memory variables at all points.
///
/// # Errors
/// A source or receiver that is in no element.
pub fn of_mesh(setup: &Setup, mesh: &HexMesh, points_per_wavelength: &[f64]) -> Result<Rheologies, Error> {
    let degree = setup.method.sem().degree;
    let rheologies = Rheologies::new(&setup.model, degree, true);
    if !rheologies.have_coarse_memory() {
        return Ok(rheologies);
    }
    let is_long = |points: &f64| *points < FINE * degree as f64;
    let long = (0..).zip(points_per_wavelength).filter(|(_, points)| is_long(points)).map(|(element, _)| element);
    Ok(rheologies.with_full_memory_near(mesh, &elements_with_points(setup, mesh)?).with_full_memory_in(long))
}

/// Description of the points with memory variables, and of the elements that have them; `None` if all elements are elastic.
pub fn points_with_memory(plan: &Plan) -> Option<String> {
    let (all, along) = (plan.mesh().n_elements(), plan.gll().points.len());
    let mut elements = [0; 4];
    for element in 0..all {
        let kind = match plan.rheology_of(element as u32).relaxation {
            Relaxation::None => 0,
            Relaxation::Odd { .. } => 1,
            Relaxation::Inner { .. } => 2,
            Relaxation::Full { .. } => 3,
        };
        elements[kind] += 1;
    }
    let (of_element, inner) = (along.pow(3), along.saturating_sub(2).pow(3));
    let points =
        [format!("8 of {of_element} points"), format!("{inner} of {of_element} points"), "all points".to_owned()];
    let shares = points.iter().zip(&elements[1..]).filter(|(_, count)| **count > 0);
    let shares = shares
        .map(|(points, &count)| format!("at {points} of {:.1} % of the elements", 100.0 * count as f64 / all as f64));
    let shares: Vec<String> = shares.collect();
    (!shares.is_empty()).then(|| format!("memory variables {}", shares.join(", ")))
}
