//! Pieces of a mesh that represent it in previews.

use std::ops::Range;

use craton_mesh::{BoxPlan, HexMesh, QualityReport};
use craton_model::Interface;
use rayon::prelude::*;

use super::{
    PlannedElements, WaveSizes, WaveSpeeds, checked, of_given_mesh, vertical_extent, with_changed_plan, with_globe_plan,
};
use crate::error::Error;
use crate::setup::Setup;

/// Approximate number of elements of a tile of a box.
const TILE: usize = 2048;
/// Number of places along each side of a box at which the thickness of layers is compared.
const PLACES: usize = 33;
/// Number of pieces at regular distances in the order of the elements of a mesh, and their share of the elements of the sample.
const SPREAD: usize = 10;
/// Number of elements around the quickest element of each region.
const AROUND: usize = 400;

/// The mesh of a scenario, or pieces of it.
pub enum Sampled {
    /// The whole mesh with its quality.
    Whole(Box<(HexMesh, QualityReport)>),
    /// Pieces.
    Pieces(Box<Pieces>),
}

/// Pieces of the mesh of a scenario.
pub struct Pieces {
    /// Elements of the whole mesh.
    pub planned: PlannedElements,
    /// Number of faces of elements on the sides of the domain.
    pub faces: usize,
    /// The elements of the pieces, and their quality.
    pub mesh: HexMesh,
    pub quality: QualityReport,
    /// The whole mesh, if it was built.
    pub whole: Option<HexMesh>,
    /// Whether all columns of the mesh are alike, so that the pieces have the smallest and the slowest elements.
    pub is_exact: bool,
}

/// The mesh of a scenario, or pieces of it if it has more elements.
///
/// # Arguments
/// * `most` – number of elements of a mesh that is built, and approximate number of those of the pieces
/// * `fits` – rejects too many elements
/// # Errors
/// As [`super::mesh`]; surfaces that intersect and inverted elements are found in the pieces only.
pub fn sampled(
    setup: &Setup,
    most: usize,
    fits: impl FnOnce(PlannedElements) -> Result<(), Error>,
) -> Result<Sampled, Error> {
    if let Some(given) = &setup.mesh {
        let planned = PlannedElements::of_given(setup, given);
        fits(planned)?;
        return of_mesh(setup, given.to_mesh(), planned, most).map_err(of_given_mesh);
    }
    let sizes = WaveSizes::new(setup);
    if setup.frame.is_globe() {
        return with_globe_plan(setup, &sizes, |plan| {
            let planned = PlannedElements::of_globe(plan);
            fits(planned)?;
            of_mesh(setup, plan.build()?, planned, most)
        });
    }
    let without_images = |spec: &mut craton_mesh::BoxSpec| (spec.periodic, spec.tile) = ([false; 2], TILE);
    let sample = with_changed_plan(setup, &sizes, without_images, |plan| {
        let planned = PlannedElements::of_box(setup, plan);
        fits(planned)?;
        if planned.all <= most { Ok(None) } else { of_box(setup, plan, planned, most).map(Some) }
    })?;
    match sample {
        Some(pieces) => {
            let whole = match setup.output.snapshots.is_empty() {
                true => None,
                false => Some(super::with_plan(setup, &sizes, |plan| Ok(plan.build()?))?),
            };
            Ok(Sampled::Pieces(Box::new(Pieces { whole, ..pieces })))
        }
        None => {
            let (mesh, quality) = super::mesh(setup, |_| Ok(()))?;
            Ok(Sampled::Whole(Box::new((mesh, quality))))
        }
    }
}

/// Tiles of a box: some in its middle, and if columns differ, others at regular distances and where a layer is thinnest.
fn of_box(setup: &Setup, plan: &BoxPlan, planned: PlannedElements, most: usize) -> Result<Pieces, Error> {
    let (model, tiles) = (&setup.model, plan.tiles());
    let is_flat = model.regions().iter().all(|region| matches!(region.top, Interface::Flat(_)));
    let is_exact = is_flat
        && setup.frame.sphere().is_none()
        && (0..model.regions().len()).all(|region| model.is_stratified(region));
    let of_tile = plan.n_elements() as f64 / tiles.iter().product::<usize>() as f64;
    let across = ((most as f64 / of_tile).sqrt() as usize).max(1);
    let middle = tiles.map(|count| {
        let length = across.min(count);
        (count - length) / 2..(count - length) / 2 + length
    });
    let mut windows = vec![middle.clone()];
    if !is_exact {
        let mut others: Vec<[usize; 2]> = Vec::new();
        let ends = |count: usize| [0, count / 2, count - 1];
        others.extend(ends(tiles[0]).into_iter().flat_map(|x| ends(tiles[1]).map(|y| [x, y])));
        others.extend(thinnest(setup).into_iter().map(|place| tile_at(setup, tiles, place)));
        others.sort_unstable();
        others.dedup();
        let is_inside = |own: &[usize; 2]| own.iter().zip(&middle).all(|(tile, range)| range.contains(tile));
        let single = |own: [usize; 2]| own.map(|tile| tile..tile + 1);
        windows.extend(others.into_iter().filter(|own| !is_inside(own)).map(single));
    }
    let built: Vec<HexMesh> = windows
        .into_par_iter()
        .map(|tiles: [Range<usize>; 2]| Ok(plan.window(tiles).build()?))
        .collect::<Result<_, Error>>()?;
    let mut built = built.into_iter();
    let mut mesh = built.next().expect("there is a window in the middle");
    mesh.tile.clear();
    built.for_each(|other| mesh.add(&other));
    let (mesh, quality) = checked(mesh, setup)?;
    let one = |side: usize| std::array::from_fn(|own| u16::from(own == side));
    let faces = (0..6).map(|side| plan.n_elements_with_pml(one(side)) - plan.n_elements()).sum();
    Ok(Pieces { planned, faces, mesh, quality, whole: None, is_exact })
}

/// The tile of a box at a place [m].
fn tile_at(setup: &Setup, tiles: [usize; 2], place: [f64; 2]) -> [usize; 2] {
    let ends = [setup.x, setup.y];
    [0, 1].map(|axis| {
        let [from, to] = ends[axis];
        (((place[axis] - from) / (to - from) * tiles[axis] as f64) as usize).min(tiles[axis] - 1)
    })
}

/// The places x, y [m] at which each region of a box is thinnest.
fn thinnest(setup: &Setup) -> Vec<[f64; 2]> {
    let along = |[from, to]: [f64; 2], index: usize| from + (to - from) * index as f64 / (PLACES - 1) as f64;
    let regions = setup.model.regions();
    let place = |index: usize| [along(setup.x, index % PLACES), along(setup.y, index / PLACES)];
    let of_region = |region: usize| {
        let thickness = |[x, y]: [f64; 2]| {
            let bottom = regions.get(region + 1).map_or(setup.z[0], |below| below.top.elevation(x, y));
            regions[region].top.elevation(x, y) - bottom
        };
        let places = (0..PLACES * PLACES).map(place);
        places.min_by(|a, b| thickness(*a).total_cmp(&thickness(*b))).expect("there are places")
    };
    (0..regions.len()).map(of_region).collect()
}

/// A mesh, or pieces of it: at regular distances in the order of its elements, and around the element of each region that waves cross in the shortest time.
fn of_mesh(setup: &Setup, mesh: HexMesh, planned: PlannedElements, most: usize) -> Result<Sampled, Error> {
    let count = mesh.n_elements();
    if planned.all <= most {
        let (mesh, quality) = checked(mesh, setup)?;
        return Ok(Sampled::Whole(Box::new((mesh, quality))));
    }
    let centres = mesh.centroids();
    let spread = (0..SPREAD).map(|piece| ((2 * piece + 1) * count / (2 * SPREAD), most / SPREAD));
    let quickest = quickest(setup, &mesh).into_iter().map(|element| (element, AROUND));
    let seeds: Vec<(usize, usize)> = spread.chain(quickest).collect();
    let around = |(seed, number): (usize, usize)| {
        let centre = centres[seed];
        let distance = |at: &[f64; 3]| at.iter().zip(centre).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let mut order: Vec<(f64, u32)> = centres.iter().map(distance).zip(0..).collect();
        order.select_nth_unstable_by(number.min(count - 1), |a, b| a.0.total_cmp(&b.0));
        order[..number.min(count)].iter().map(|(_, element)| *element).collect::<Vec<u32>>()
    };
    let mut elements: Vec<u32> = seeds.into_par_iter().flat_map_iter(around).collect();
    elements.par_sort_unstable();
    elements.dedup();
    let (pieces, quality) = checked(mesh.subset(&elements), setup)?;
    let (faces, whole) = (mesh.faces.len(), (!setup.output.snapshots.is_empty()).then_some(mesh));
    Ok(Sampled::Pieces(Box::new(Pieces { planned, faces, mesh: pieces, quality, whole, is_exact: false })))
}

/// The element of each region with the shortest time of the fastest wave along an edge.
fn quickest(setup: &Setup, mesh: &HexMesh) -> Vec<usize> {
    let speeds = WaveSpeeds::new(setup);
    let time = |element: usize| {
        let corners = mesh.corners_of(element as u32).map(|corner| mesh.control_nodes[corner as usize]);
        let edges = (0..3)
            .flat_map(|axis| (0..8).filter(move |corner| corner >> axis & 1 == 0).map(move |c| [c, c | 1 << axis]));
        let square = |[a, b]: [usize; 2]| corners[a].iter().zip(corners[b]).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let shortest = edges.map(square).fold(f64::INFINITY, f64::min).sqrt();
        let [low, high] = vertical_extent(mesh, element as u32, &setup.frame);
        shortest / speeds.fastest(usize::from(mesh.region[element]), low, high)
    };
    let least = |mut all: Vec<(f64, usize)>, element: usize| {
        let (region, time) = (usize::from(mesh.region[element]), time(element));
        if all.len() <= region {
            all.resize(region + 1, (f64::INFINITY, 0));
        }
        if time < all[region].0 {
            all[region] = (time, element);
        }
        all
    };
    let both = |mut all: Vec<(f64, usize)>, other: Vec<(f64, usize)>| {
        all.resize(all.len().max(other.len()), (f64::INFINITY, 0));
        all.iter_mut().zip(other).for_each(|(own, other)| {
            if (other.0, other.1) < *own {
                *own = other;
            }
        });
        all
    };
    let of_regions = (0..mesh.n_elements()).into_par_iter().fold(Vec::new, least).reduce(Vec::new, both);
    of_regions.into_iter().filter(|(time, _)| time.is_finite()).map(|(_, element)| element).collect()
}
