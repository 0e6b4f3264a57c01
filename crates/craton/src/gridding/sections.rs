//! Material of the cells of a grid, section by section.
//!
//! Away from interfaces a cell has the medium of its region, and near flat interfaces what a cell has depends on its height only. In each column, the
//! elevations of the interfaces at all positions that matter for a cell divide the heights into segments, and only the cells of segments that a curved
//! interface cuts, or whose volume is finer than the cells, are evaluated one by one. The results are those of the evaluation of each cell.

use std::ops::Range;
use std::sync::OnceLock;

use craton_fd::{Kind, Material, Mixture, Row, Section, Sections};
use craton_model::{EarthModel, Interface};

use super::materials::{CUT, Materials, REACH, SIDES};
use super::{CellKinds, GridPlan};

/// The cells of a grid, as a source of its medium.
pub struct GridSections<'a> {
    plan: &'a GridPlan,
    materials: Materials<'a>,
    /// Heights of the centres of the cells [m].
    heights: Vec<f64>,
    /// The planes in which each interface may cut cells, from the top of the second region on, if it is flat.
    flat: Vec<Option<Range<usize>>>,
    /// What cells have at each height below each interface, `[k][region]`, where that depends on the height only.
    levels: Vec<OnceLock<Box<Cell>>>,
}

/// What a cell has.
#[derive(Debug, Clone, Copy)]
struct Cell {
    material: Material,
    mixture: Option<Mixture>,
    losses: [f64; 2],
}

/// Cells of a column, up to the next segment.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Segment {
    /// Index along z of the first cell above.
    end: usize,
    content: Content,
}

/// What determines the cells of a segment.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Content {
    /// Air.
    Air,
    /// A homogeneous region.
    Constant(usize),
    /// The height, below the top of a region.
    Level(usize),
    /// The position in a region.
    Position(usize),
    /// The position; several regions or points of a volume are in or around each cell.
    Several,
}

impl<'a> GridSections<'a> {
    /// The cells of a grid in a model.
    pub fn new(plan: &'a GridPlan, model: &'a EarthModel) -> Self {
        let (materials, regions) = (Materials::new(model), model.regions());
        let heights: Vec<f64> = (0..plan.grid.cells[2]).map(|k| plan.centre_of_material([0, 0, k])[2]).collect();
        let levels = (0..heights.len() * regions.len()).map(|_| OnceLock::new()).collect();
        let mut sections = Self { plan, materials, heights, flat: Vec::new(), levels };
        let flat = |top: &Interface| match top {
            Interface::Flat(z) => Some(sections.cut([*z; 2])),
            Interface::Grid(_) | Interface::Mesh(_) => None,
        };
        sections.flat = regions[1..].iter().map(|region| flat(&region.top)).collect();
        sections
    }

    /// The planes whose cells may be cut by an interface between two elevations [m].
    fn cut(&self, [low, high]: [f64; 2]) -> Range<usize> {
        let spacing = self.plan.grid.spacing[2];
        let below = self.heights.partition_point(|z| z + CUT[2] * spacing <= low);
        below..self.heights.partition_point(|z| z + CUT[0] * spacing <= high).max(below)
    }

    /// The planes within [`REACH`] of elevations [m].
    fn near(&self, [low, high]: [f64; 2]) -> Range<usize> {
        let ([before, after], spacing) = (REACH, self.plan.grid.spacing[2]);
        let below = self.heights.partition_point(|z| z + after * spacing < low);
        below..self.heights.partition_point(|z| z - before * spacing <= high).max(below)
    }

    /// What a cell has, from its position.
    fn cell(&self, cell: [usize; 3], is_lossy: bool) -> Cell {
        let (materials, spacing, centre) =
            (&self.materials, self.plan.grid.spacing, self.plan.centre_of_material(cell));
        Cell {
            material: materials.of_cell(centre, spacing),
            mixture: materials.mixture(centre, spacing, self.plan.shift_of_volumes(cell)),
            losses: if is_lossy { materials.losses_of_cell(centre, spacing) } else { [0.0; 2] },
        }
    }

    /// The segments of a column, upwards.
    fn column(&self, cell: [usize; 2]) -> Vec<Segment> {
        let (regions, top) = (self.materials.model.regions(), self.heights.len());
        if regions.iter().any(|region| matches!(region.top, Interface::Mesh(_))) {
            return vec![Segment { end: top, content: Content::Several }];
        }
        let centre = self.plan.centre_of_material([cell[0], cell[1], 0]);
        let column = Column::new(self, [centre[0], centre[1]]);
        let ranges = column.cuts.iter().chain(&column.curved);
        let mut ends: Vec<usize> = ranges.flat_map(|range| [range.start, range.end]).collect();
        ends.extend([column.air, top]);
        ends.sort_unstable();
        ends.dedup();
        let mut segments: Vec<Segment> = Vec::with_capacity(ends.len());
        let mut start = 0;
        for end in ends.into_iter().filter(|end| (1..=top).contains(end)) {
            let content = column.content(self, start);
            match segments.last_mut().filter(|last| last.content == content) {
                Some(last) => last.end = end,
                None => segments.push(Segment { end, content }),
            }
            start = end;
        }
        segments
    }
}

/// The interfaces in a column of cells.
struct Column {
    /// The planes in which cells may be cut by each interface, from the top of the second region on.
    cuts: Vec<Range<usize>>,
    /// The planes near curved interfaces, in which cells may not depend on the height only.
    curved: Vec<Range<usize>>,
    /// The first plane in air.
    air: usize,
}

impl Column {
    /// # Arguments
    /// * `x`, `y` – centre of the column [m]
    fn new(sections: &GridSections, [x, y]: [f64; 2]) -> Self {
        let regions = sections.materials.model.regions();
        let [dx, dy, _] = sections.plan.grid.spacing;
        let bounds = |top: &Interface| match top {
            Interface::Grid(grid) => {
                let around = |at: f64, spacing: f64| [at - REACH[0] * spacing, at + REACH[1] * spacing];
                Some(grid.bounds(around(x, dx), around(y, dy)))
            }
            Interface::Flat(_) | Interface::Mesh(_) => None,
        };
        let cut = |(number, flat): (usize, &Option<Range<usize>>)| match flat {
            Some(range) => range.clone(),
            None => sections.cut(sampled(&regions[number + 1].top, [x, y], [dx, dy])),
        };
        let cuts = sections.flat.iter().enumerate().map(cut).collect();
        let (surface, count) = (sections.materials.model.surface(), sections.heights.len());
        let mut curved: Vec<Range<usize>> =
            regions[1..].iter().filter_map(|region| bounds(&region.top)).map(|own| sections.near(own)).collect();
        curved.extend(bounds(surface).map(|own| sections.near(own).start..count));
        let ground = surface.elevation(x, y);
        Self { cuts, curved, air: sections.heights.partition_point(|&z| z <= ground) }
    }

    /// What determines the cell of a plane.
    fn content(&self, sections: &GridSections, k: usize) -> Content {
        let materials = &sections.materials;
        if k >= self.air {
            return Content::Air;
        }
        let upper = self.cuts.iter().take_while(|cut| k < cut.start).count();
        let lower = self.cuts.iter().take_while(|cut| k < cut.end).count();
        let is_stratified = || (upper..=lower).all(|region| materials.model.is_stratified(region));
        let is_cut = self.cuts.iter().any(|cut| cut.contains(&k));
        match is_cut {
            true if is_stratified() && !self.curved.iter().any(|near| near.contains(&k)) => Content::Level(upper),
            true => Content::Several,
            false if materials.is_finer_in(upper, sections.plan.grid.spacing) => Content::Several,
            false if materials.is_constant(upper) => Content::Constant(upper),
            false if is_stratified() => Content::Level(upper),
            false => Content::Position(upper),
        }
    }
}

/// Lowest and highest elevation [m] of an interface at the positions that decide whether it cuts a cell.
fn sampled(top: &Interface, [x, y]: [f64; 2], [dx, dy]: [f64; 2]) -> [f64; 2] {
    let cut = CUT.into_iter().flat_map(|along_x| CUT.map(|along_y| [along_x, along_y]));
    let corners = SIDES.into_iter().flat_map(|along_x| SIDES.map(|along_y| [along_x, along_y]));
    let places = cut.chain(corners).chain([[0.0; 2]]);
    let elevations = places.map(|[along_x, along_y]| top.elevation(x + along_x * dx, y + along_y * dy));
    elevations.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], z| [low.min(z), high.max(z)])
}

impl CellKinds for GridSections<'_> {
    fn kind(&self, cell: [usize; 3]) -> Kind {
        let material = self.materials.of_cell(self.plan.centre_of_material(cell), self.plan.grid.spacing);
        match (material == Material::AIR, material.mu == 0.0) {
            (true, _) => Kind::Air,
            (false, true) => Kind::Fluid,
            (false, false) => Kind::Solid,
        }
    }
}

impl Sections for GridSections<'_> {
    type Section<'b>
        = GridSection<'b>
    where
        Self: 'b;

    fn section<'b>(&'b self, x: &'b [usize], j: usize) -> GridSection<'b> {
        let is_flat = |top: &Interface| matches!(top, Interface::Flat(_));
        let regions = self.materials.model.regions();
        let is_uniform = regions.iter().all(|region| is_flat(&region.top));
        let columns = x.iter().take(if is_uniform { 1 } else { x.len() });
        let columns: Vec<Vec<Segment>> = columns.map(|&i| self.column([i, j])).collect();
        let cursors = vec![0; columns.len()];
        let centre = |&i: &usize| self.plan.centre_of_material([i, j, 0])[0];
        let (centres, y) = (x.iter().map(centre).collect(), self.plan.centre_of_material([0, j, 0])[1]);
        GridSection { sections: self, x, j, centres, y, columns, cursors, unchanged: 0..0 }
    }
}

/// A section of [`GridSections`].
pub struct GridSection<'a> {
    sections: &'a GridSections<'a>,
    x: &'a [usize],
    j: usize,
    /// Coordinates of the centres of the cells along x and y [m].
    centres: Vec<f64>,
    y: f64,
    /// The segments of each column, or of one column if all are alike.
    columns: Vec<Vec<Segment>>,
    /// The current segment of each column.
    cursors: Vec<usize>,
    /// Planes that equal the current one.
    unchanged: Range<usize>,
}

impl GridSection<'_> {
    /// Moves to the segments of a plane and finds the planes above it that are equal.
    fn advance(&mut self, k: usize) {
        self.unchanged = k..usize::MAX;
        for (cursor, column) in self.cursors.iter_mut().zip(&self.columns) {
            while column[*cursor].end <= k {
                *cursor += 1;
            }
            let is_same = matches!(column[*cursor].content, Content::Air | Content::Constant(_));
            let end = if is_same { column[*cursor].end } else { k + 1 };
            self.unchanged.end = self.unchanged.end.min(end);
        }
    }

    /// What the cell at a place of the row has.
    fn cell(&self, place: usize, k: usize, is_lossy: bool) -> Cell {
        let GridSection { sections, x, j, .. } = *self;
        let (materials, cell) = (&sections.materials, [x[place], j, k]);
        let column = place.min(self.columns.len() - 1);
        let pure = |material, losses| Cell { material, mixture: None, losses };
        match self.columns[column][self.cursors[column]].content {
            Content::Air => pure(Material::AIR, [0.0; 2]),
            Content::Several => sections.cell(cell, is_lossy),
            Content::Level(region) => {
                let level = &sections.levels[k * materials.model.regions().len() + region];
                **level.get_or_init(|| Box::new(sections.cell(cell, is_lossy)))
            }
            Content::Constant(region) | Content::Position(region) => {
                let centre = [self.centres[place], self.y, sections.heights[k]];
                let losses = || materials.losses_in(region, centre);
                pure(materials.in_region(region, centre), if is_lossy { losses() } else { [0.0; 2] })
            }
        }
    }
}

impl Section for GridSection<'_> {
    fn row(&mut self, k: usize, row: &mut Row) -> bool {
        if self.unchanged.contains(&k) {
            return false;
        }
        self.advance(k);
        let is_lossy = !row.losses.is_empty();
        // Where the medium varies with height only, the cells of a row are equal.
        let is_equal = |content: Content| !matches!(content, Content::Several | Content::Position(_));
        if self.columns.len() == 1 && is_equal(self.columns[0][self.cursors[0]].content) {
            let Cell { material, mixture, losses } = self.cell(0, k, is_lossy);
            row.materials.fill(material);
            row.losses.fill(losses);
            row.mixtures
                .extend(mixture.into_iter().flat_map(|mixture| (0..self.x.len()).map(move |place| (place, mixture))));
            return true;
        }
        for place in 0..self.x.len() {
            let Cell { material, mixture, losses } = self.cell(place, k, is_lossy);
            row.materials[place] = material;
            row.mixtures.extend(mixture.map(|mixture| (place, mixture)));
            if is_lossy {
                row.losses[place] = losses;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gridding::tests::{fd, setup_in, slope};

    /// Flat and curved interfaces inside cells, close to one another and crossed by the ground; homogeneous, stratified and lossy regions.
    const MODELS: [&str; 5] = [
        "{ vp = 2500.0, vs = 1200.0, rho = 2200.0 }, { top = -430.0, vp = 4000.0, vs = 2000.0, rho = 2500.0 }",
        "{ vp = 1500.0, vs = 0.0, rho = 1000.0 }, { top = 'slope.asc', vp = 3000.0, vs = 1500.0, rho = 2300.0 }, \
         { top = -630.0, vp = 4000.0, vs = 2000.0, rho = 2500.0 }, { top = -655.0, vp = 4500.0, vs = 2300.0, rho = 2600.0 }",
        "{ vp = 2500.0, vs = 1200.0, rho = 2200.0 }, { top = -800.0, vp = 4000.0, vs = 2000.0, rho = 2500.0 }",
        "{ vp = 2500.0, vs = 1200.0, rho = 2200.0 }, { top = 'slope.asc', vp = 3000.0, vs = 1500.0, rho = 2300.0 }, \
         { top = -920.0, vp = 4000.0, vs = 2000.0, rho = 2500.0 }",
        "{ vp = 2500.0, vs = 1200.0, rho = 2200.0, qp = 90.0, qs = 45.0 }, { top = 'slope.asc', vp = 3000.0, vs = 1500.0, rho = 2300.0 }, \
         { top = -930.0, vp = 4000.0, vs = 2000.0, rho = 2500.0, qp = 200.0, qs = 100.0 }",
    ];

    #[test]
    fn sections_have_the_material_of_each_cell() {
        let folder = slope(300.0);
        let layered = MODELS.map(|layers| vec![format!("model={{ layered = {{ layers = [{layers}] }} }}")]);
        let rows =
            "rows = [[0, 2000, 900, 2000], [333, 3000, 1500, 2300], [333, 3500, 1700, 2400], [900, 5000, 2600, 2700]]";
        let table = vec![format!("model={{ depth_table = {{ {rows} }} }}")];
        for (number, mut changes) in layered.into_iter().chain([table]).enumerate() {
            if number == 2 {
                // The slope is the ground.
                changes.push("domain.topography='slope.asc'".to_owned());
                changes.push("receivers.snap_to_surface=true".to_owned());
            }
            if changes[0].contains("qp") {
                changes.push("attenuation.reference_frequency=1.0".to_owned());
            }
            let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
            let setup = setup_in(folder.path().to_owned(), &changes);
            let plan = GridPlan::new(&setup, fd(&setup));
            let sections = GridSections::new(&plan, &setup.model);
            let is_lossy = plan.mechanisms.is_some();
            let [nx, ny, nz] = plan.grid.cells;
            let x: Vec<usize> = (0..nx).collect();
            let losses = vec![[0.0; 2]; if is_lossy { nx } else { 0 }];
            let mut row = Row { materials: vec![Material::AIR; nx], losses, mixtures: Vec::new() };
            for j in 0..ny {
                let mut section = sections.section(&x, j);
                // Blocks of planes begin anywhere.
                for k in j % 3..nz {
                    row.mixtures.clear();
                    section.row(k, &mut row);
                    let own: Vec<Cell> = x.iter().map(|&i| sections.cell([i, j, k], is_lossy)).collect();
                    assert!(
                        own.iter().zip(&row.materials).all(|(own, row)| own.material == *row),
                        "{changes:?}, {j}, {k}"
                    );
                    assert!(own.iter().zip(&row.losses).all(|(own, row)| own.losses == *row), "{changes:?}, {j}, {k}");
                    let mixtures = own.iter().enumerate().filter_map(|(i, own)| Some((i, own.mixture?)));
                    assert_eq!(mixtures.collect::<Vec<_>>(), row.mixtures, "{changes:?}, {j}, {k}");
                }
            }
        }
    }
}
