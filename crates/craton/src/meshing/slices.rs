//! Slices of the mesh of a box, a chunk or the globe: each process meshes its own tiles and those that touch them. Slices of boxes are vertical.

use std::ops::Range;

use craton_mesh::{BoxPlan, GlobePlan, HexMesh, QualityReport, imbalance, regular_partition};

use super::sizes::WaveSizes;
use super::{PlannedElements, checked, mesh, with_globe_plan, with_plan};
use crate::error::{Error, Problem};
use crate::setup::Setup;

/// Largest load of a slice relative to the mean in small meshes. Slices consist of whole tiles, so that the division of the whole mesh by patches is better
/// balanced.
const MOST_IMBALANCE: f64 = 1.1;

/// The same in meshes of more than [`LARGE`] elements per process, of which no process should have the whole.
const MOST_IMBALANCE_OF_LARGE: f64 = 1.3;

/// Number of elements of a process from which on the memory of the whole mesh matters.
const LARGE: usize = 100_000;

/// Largest load of a slice relative to the mean.
fn most_imbalance(elements: usize, processes: usize) -> f64 {
    if elements > LARGE * processes { MOST_IMBALANCE_OF_LARGE } else { MOST_IMBALANCE }
}

/// A vertical slice of the mesh of a scenario with the tiles that touch it, meshed alone.
pub struct MeshSlice {
    /// The elements of the slice and of the tiles around it, with the control nodes of the whole mesh.
    pub mesh: HexMesh,
    /// Their quality.
    pub quality: QualityReport,
    /// The slice of each tile of the whole mesh: `x + of[0] * y`, from its indices.
    pub part_of_tile: Vec<u32>,
    /// Number of elements of the whole mesh, which is not built.
    pub elements_of_whole: usize,
}

/// Meshes one of many vertical slices of the domain of a scenario; memory and time are those of the slice.
///
/// # Arguments
/// * `of` – number of slices along x and y
/// * `at` – indices of the slice along x and y
/// # Errors
/// A globe or the mesh of another program; a domain that cannot be divided into these slices, and all errors of the whole mesh: see
/// [`craton_mesh::BoxPlan::slice`].
///
/// # Panics
/// If the method of the scenario is not the spectral-element method.
///
/// Verified by `slices_of_a_scenario_are_parts_of_its_mesh`.
pub fn mesh_slice(setup: &Setup, of: [usize; 2], at: [usize; 2]) -> Result<MeshSlice, Error> {
    let key = if setup.mesh.is_some() { "domain.mesh" } else { "domain.globe" };
    if setup.frame.is_globe() || setup.mesh.is_some() {
        let problem = Problem::new(key, "cannot be meshed in slices");
        return Err(Error::OfKey(Box::new(problem.hint("mesh it as a whole"))));
    }
    with_plan(setup, &WaveSizes::new(setup), |plan| {
        let window = plan.window(plan.with_neighbours(&plan.slice(of, at)?));
        let (mesh, quality) = checked(window.build()?, setup)?;
        let part = |[x, y]: [usize; 2]| x + of[0] * y;
        Ok(MeshSlice {
            mesh,
            quality,
            part_of_tile: parts_of_tiles(plan, of, part)?,
            elements_of_whole: plan.n_elements(),
        })
    })
}

/// The part of each tile.
///
/// # Arguments
/// * `part` – the part of a slice, by its indices
fn parts_of_tiles(plan: &BoxPlan, of: [usize; 2], part: impl Fn([usize; 2]) -> usize) -> Result<Vec<u32>, Error> {
    let mut parts = vec![0; plan.tiles().iter().product()];
    for at in (0..of[1]).flat_map(|y| (0..of[0]).map(move |x| [x, y])) {
        for tile in plan.numbers(&plan.slice(of, at)?) {
            parts[tile as usize] = part(at) as u32;
        }
    }
    Ok(parts)
}

/// The processes that divide a mesh.
#[derive(Clone, Copy)]
pub struct Processes<'a> {
    /// Number of this process.
    pub rank: usize,
    /// Number of processes.
    pub count: usize,
    /// Number of parts of a process, by the number of elements of the whole mesh.
    pub parts: &'a dyn Fn(usize) -> usize,
}

/// The mesh of a process.
pub struct ProcessMesh {
    /// Its elements: the whole mesh, or a slice of it with the tiles that touch it.
    pub mesh: HexMesh,
    /// Their quality.
    pub quality: QualityReport,
    /// The division of the mesh, if this process has a slice of it.
    pub slices: Option<Slices>,
}

/// Division of a mesh into slices.
#[derive(Debug, Clone)]
pub struct Slices {
    /// Number of parts of all processes.
    pub parts: usize,
    /// The part of each tile of the whole mesh.
    pub part_of_tile: Vec<u32>,
    /// Number of elements of the whole mesh, which is not built.
    pub elements_of_whole: usize,
}

impl Slices {
    /// The process of the part of a tile; all processes have equal numbers of parts.
    ///
    /// # Arguments
    /// * `processes` – number of processes
    pub fn rank_of(&self, tile: u32, processes: usize) -> usize {
        self.part_of_tile[tile as usize] as usize * processes / self.parts
    }

    /// Largest acceptable load of a slice relative to the mean.
    ///
    /// # Arguments
    /// * `processes` – number of processes
    pub fn most_imbalance(&self, processes: usize) -> f64 {
        most_imbalance(self.elements_of_whole, processes)
    }
}

/// Meshes the slice of a process, or the whole domain if it cannot be divided into slices of similar size.
///
/// # Arguments
/// * `fits` – rejects too many elements before the mesh is built
/// # Errors
/// As [`mesh`].
pub fn mesh_of_process(
    setup: &Setup,
    processes: Option<Processes>,
    fits: impl FnOnce(PlannedElements) -> Result<(), Error>,
) -> Result<ProcessMesh, Error> {
    let Some(processes) = processes.filter(|all| all.count > 1 && setup.mesh.is_none()) else {
        let (mesh, quality) = mesh(setup, fits)?;
        return Ok(ProcessMesh { mesh, quality, slices: None });
    };
    let sizes = WaveSizes::new(setup);
    match setup.frame.is_globe() {
        true => with_globe_plan(setup, &sizes, |plan| of_globe(setup, plan, processes, fits)),
        false => with_plan(setup, &sizes, |plan| of_box(setup, plan, processes, fits)),
    }
}

/// The mesh of a process of a globe.
fn of_globe(
    setup: &Setup,
    plan: &GlobePlan,
    Processes { rank, count, parts }: Processes,
    fits: impl FnOnce(PlannedElements) -> Result<(), Error>,
) -> Result<ProcessMesh, Error> {
    let whole = PlannedElements::of_globe(plan);
    let parts = count * parts(whole.all);
    let costs: Vec<f64> = plan.sizes().into_iter().map(|size| size as f64).collect();
    let division = regular_partition(&plan.middles(), &costs, parts);
    let most = most_imbalance(whole.all, count);
    let Some(part_of_tile) = division.ok().filter(|of| imbalance(&costs, of, parts) <= most) else {
        fits(whole)?;
        let (mesh, quality) = checked(plan.build()?, setup)?;
        return Ok(ProcessMesh { mesh, quality, slices: None });
    };
    let slices = Slices { parts, part_of_tile, elements_of_whole: whole.all };
    let own: Vec<bool> = (0..plan.tiles() as u32).map(|tile| slices.rank_of(tile, count) == rank).collect();
    let mut tiles = plan.with_neighbours(&own);
    if setup.method.sem().local_time_steps {
        // Levels in a tile depend on the tiles that touch it.
        tiles = plan.with_neighbours(&tiles);
    }
    let window = plan.window(tiles);
    fits(PlannedElements { here: window.n_elements(), ..whole })?;
    let (mesh, quality) = checked(window.build()?, setup)?;
    Ok(ProcessMesh { mesh, quality, slices: Some(slices) })
}

/// The mesh of a process of a box or a chunk.
fn of_box(
    setup: &Setup,
    plan: &BoxPlan,
    Processes { rank, count, parts }: Processes,
    fits: impl FnOnce(PlannedElements) -> Result<(), Error>,
) -> Result<ProcessMesh, Error> {
    let whole = PlannedElements::of_box(setup, plan);
    let division = Division::best(setup, plan, count, parts(whole.all));
    let most = most_imbalance(whole.all, count);
    let Some((_, division)) = division.filter(|(imbalance, _)| *imbalance <= most) else {
        fits(whole)?;
        let (mesh, quality) = checked(plan.build()?, setup)?;
        return Ok(ProcessMesh { mesh, quality, slices: None });
    };
    let mut tiles = plan.with_neighbours(&division.tiles_of(plan, rank)?);
    if setup.elements_across_layers() != [0; 6] || setup.method.sem().local_time_steps {
        // The layers outside a tile and the levels in it depend on the tiles that touch it.
        tiles = plan.with_neighbours(&tiles);
    }
    let window = plan.window(tiles);
    fits(PlannedElements { here: window.n_elements(), ..whole })?;
    let (mesh, quality) = checked(window.build()?, setup)?;
    let part_of_tile = parts_of_tiles(plan, division.of(), |at| division.part(at))?;
    let slices = Slices { parts: count * division.parts, part_of_tile, elements_of_whole: whole.all };
    Ok(ProcessMesh { mesh, quality, slices: Some(slices) })
}

/// A division of a box into a rectangle of processes, each of which has slices next to each other along one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Division {
    /// Processes along x and y.
    processes: [usize; 2],
    /// Number of slices of a process.
    parts: usize,
    /// Axis along which they are.
    along: usize,
}

impl Division {
    /// The best balanced division of a box, and its imbalance; of equally balanced ones, the one with the smallest area between slices.
    fn best(setup: &Setup, plan: &BoxPlan, count: usize, parts: usize) -> Option<(f64, Self)> {
        let [x, y] = [setup.x, setup.y].map(|[from, to]| to - from);
        let divisors = (1..=count).filter(|along_x| count.is_multiple_of(*along_x));
        let of_axis = |along: usize| {
            divisors.clone().map(move |along_x| Self { processes: [along_x, count / along_x], parts, along })
        };
        let all = of_axis(0).chain(of_axis(1).filter(|_| parts > 1));
        let across = setup.elements_across_layers().map(usize::from);
        let before = |axis: usize, tile: usize| {
            let [low, high] = [across[2 * axis], across[2 * axis + 1]];
            let outside = if tile > 0 { low } else { 0 } + if tile == plan.tiles()[axis] { high } else { 0 };
            plan.units_before(axis, tile) + outside
        };
        let balanced = all.filter_map(|one| Some((one.imbalance(plan.tiles(), before)?, one)));
        let area = |one: &Self| {
            let [along_x, along_y] = one.of();
            y * (along_x - 1) as f64 + x * (along_y - 1) as f64
        };
        balanced.min_by(|(a, one), (b, other)| a.total_cmp(b).then(area(one).total_cmp(&area(other))))
    }

    /// Number of slices along x and y.
    fn of(&self) -> [usize; 2] {
        let mut of = self.processes;
        of[self.along] *= self.parts;
        of
    }

    /// Width of the widest slice relative to the mean, over both axes; `None` if there are more slices than tiles.
    ///
    /// # Arguments
    /// * `before` – width of the tiles along an axis before one of them
    fn imbalance(&self, tiles: [usize; 2], before: impl Fn(usize, usize) -> usize) -> Option<f64> {
        let of = self.of();
        let ratio = |axis: usize| {
            let start = |slice: usize| before(axis, slice * tiles[axis] / of[axis]);
            let widest = (0..of[axis]).map(|slice| start(slice + 1) - start(slice)).max().unwrap_or(0);
            (widest * of[axis]) as f64 / start(of[axis]) as f64
        };
        (0..2).all(|axis| of[axis] <= tiles[axis]).then(|| ratio(0) * ratio(1))
    }

    /// The part of a slice, by its indices: parts of a process have consecutive numbers.
    fn part(&self, at: [usize; 2]) -> usize {
        let mut process = at;
        process[self.along] /= self.parts;
        (process[0] + self.processes[0] * process[1]) * self.parts + at[self.along] % self.parts
    }

    /// The tiles of a process.
    fn tiles_of(&self, plan: &BoxPlan, rank: usize) -> Result<[Range<usize>; 2], Error> {
        let mut first = [rank % self.processes[0], rank / self.processes[0]];
        first[self.along] *= self.parts;
        let mut last = first;
        last[self.along] += self.parts - 1;
        let [from, to] = [plan.slice(self.of(), first)?, plan.slice(self.of(), last)?];
        Ok([from[0].start..to[0].end, from[1].start..to[1].end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_process_are_consecutive() {
        for (processes, parts, along) in [([3, 2], 1, 0), ([3, 2], 4, 0), ([1, 5], 2, 1), ([4, 1], 3, 1)] {
            let division = Division { processes, parts, along };
            let of = division.of();
            let all = (0..of[1]).flat_map(|y| (0..of[0]).map(move |x| [x, y]));
            let mut found: Vec<usize> = all.clone().map(|at| division.part(at)).collect();
            for at in all {
                let mut process = at;
                process[along] /= parts;
                assert_eq!(division.part(at) / parts, process[0] + processes[0] * process[1], "{division:?} {at:?}");
            }
            found.sort_unstable();
            assert!(found.into_iter().eq(0..processes[0] * processes[1] * parts), "{division:?}");
        }
    }

    #[test]
    fn a_division_of_few_tiles_is_unbalanced() {
        let division = Division { processes: [2, 2], parts: 1, along: 0 };
        let equal = |_, tile| tile;
        assert_eq!(division.imbalance([4, 6], equal), Some(1.0));
        assert_eq!(division.imbalance([3, 6], equal), Some(4.0 / 3.0));
        assert_eq!(division.imbalance([1, 6], equal), None);
        // Tiles of 1, 1, 1 and 2 units along x.
        let unequal = |axis, tile| if axis == 0 { [0, 1, 2, 3, 5][tile] } else { tile };
        assert_eq!(division.imbalance([4, 6], unequal), Some(1.2));
    }
}
