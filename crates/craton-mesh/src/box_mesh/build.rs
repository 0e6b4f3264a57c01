//! From a plan to a mesh: sheets of control nodes between layers, nodes inside layers, elements, boundary faces.

use rayon::prelude::*;

use super::BoxPlan;
use super::spec::BoxSpec;
use super::window::Window;
use crate::error::MeshError;
use crate::layers::{Layer, LayerKind, MOST_ELEMENTS, Place, Profile, Slab, lerp};
use crate::mesh::{BoundaryFace, HexMesh, Side};

/// Tolerance of the image of a periodic point, in units of the box.
const PERIODIC_TOLERANCE: f64 = 1e-6;

/// Number of control nodes per task.
const PER_TASK: usize = 4096;

/// Sides of the box across x and y.
const SIDES: [[Side; 2]; 2] = [[Side::XMin, Side::XMax], [Side::YMin, Side::YMax]];

/// Builds the mesh of a plan.
pub(super) fn build(of: &BoxPlan) -> Result<HexMesh, MeshError> {
    let (count, BoxPlan { spec, slabs, plan, window, .. }) = (of.n_elements() as u64, of);
    if count > MOST_ELEMENTS {
        return Err(MeshError::TooLarge { what: "elements", count, limit: MOST_ELEMENTS });
    }
    let sections: Vec<Section> = plan.iter().map(|layer| Section::new(spec, window, layer)).collect();
    let in_sheet =
        |[x, y, _]: [usize; 3]| lines(spec, window.columns(0, x).len()) * lines(spec, window.columns(1, y).len());
    let nodes = in_sheet(plan[0].counts)
        + plan.iter().map(|layer| in_sheet(layer.counts_below())).sum::<usize>()
        + sections.iter().map(Section::n_inside).sum::<usize>();
    let mut builder = Builder { spec, slabs, window, mesh: empty(spec, count as usize, nodes) };
    let mut sheet = builder.add_sheet(plan[0].counts, 0, 0.0)?;
    for (index, (layer, section)) in plan.iter().zip(&sections).enumerate() {
        let below = builder.add_sheet(layer.counts_below(), layer.stratum, layer.depth[1])?;
        let inside = builder.add_inside(layer, section)?;
        let nodes = LayerNodes { section, sheets: [sheet, below], inside };
        let ends = [index == 0, index + 1 == plan.len()];
        builder.add_elements(layer, &nodes, ends);
        sheet = below;
    }
    builder.check_periodic()?;
    Ok(builder.mesh)
}

/// An empty mesh with reserved capacity.
fn empty(spec: &BoxSpec, n_elements: usize, n_nodes: usize) -> HexMesh {
    HexMesh {
        geometry: spec.geometry,
        control_nodes: Vec::with_capacity(n_nodes),
        connectivity: Vec::with_capacity(n_elements * spec.geometry.per_element()),
        region: Vec::with_capacity(n_elements),
        faces: Vec::new(),
        twin: Vec::with_capacity(n_nodes),
        tile: Vec::with_capacity(n_elements),
        pml: None,
    }
}

/// A horizontal sheet of control nodes, x fastest.
#[derive(Clone, Copy)]
struct Sheet {
    first: u32,
    /// Control nodes along x
    width: u32,
}

/// The profile of a layer and the axis along it; the profile is extruded along the other axis.
struct Section {
    profile: Profile,
    axis: usize,
    /// Lines of control nodes across the profile
    lines: usize,
}

impl Section {
    fn new(spec: &BoxSpec, window: &Window, layer: &Layer) -> Self {
        let axis = match layer.kind {
            LayerKind::Plain => 0,
            LayerKind::Doubling(axis) => axis,
        };
        let count = layer.counts[axis];
        let columns = window.columns(axis, count);
        let profile = match layer.kind {
            LayerKind::Plain => Profile::plain(spec.geometry, columns, count),
            LayerKind::Doubling(_) => Profile::doubling(spec.geometry, columns, count),
        };
        let across = window.columns(1 - axis, layer.counts[1 - axis]).len();
        Self { profile, axis, lines: lines(spec, across) }
    }

    /// Control nodes between the sheets.
    fn n_inside(&self) -> usize {
        self.profile.inside.len() * self.lines
    }
}

/// Control nodes across `count` elements.
fn lines(spec: &BoxSpec, count: usize) -> usize {
    (spec.geometry.per_axis() - 1) * count + 1
}

/// Numbers of the control nodes of a layer.
struct LayerNodes<'a> {
    section: &'a Section,
    sheets: [Sheet; 2],
    inside: u32,
}

impl LayerNodes<'_> {
    /// Number of the profile's node `node` on a line.
    fn number(&self, node: u32, line: usize) -> u32 {
        let line = line as u32;
        let on = |sheet: Sheet, along: u32| {
            let [x, y] = if self.section.axis == 0 { [along, line] } else { [line, along] };
            sheet.first + x + sheet.width * y
        };
        match self.section.profile.places[node as usize] {
            Place::Top(along) => on(self.sheets[0], along),
            Place::Bottom(along) => on(self.sheets[1], along),
            Place::Inside(index) => self.inside + index + self.section.profile.inside.len() as u32 * line,
        }
    }
}

/// A control node to be created: its fractions along x and y, its depth (0 to 1) in the stratum, and the node that represents it.
struct Node {
    along: [f64; 2],
    depth: f64,
    twin: u32,
}

/// Position along an axis of the node that represents node `index` of `count`: the first one for a periodic last.
fn wrap(is_periodic: bool, index: usize, count: usize) -> usize {
    if is_periodic && index + 1 == count { 0 } else { index }
}

struct Builder<'a> {
    spec: &'a BoxSpec<'a>,
    slabs: &'a [Slab],
    window: &'a Window,
    mesh: HexMesh,
}

impl Builder<'_> {
    /// Fraction along an axis of the box of each line of control nodes across the columns of the window, of `count` columns of the box.
    fn places(&self, axis: usize, count: usize) -> impl Fn(usize) -> f64 + Sync + 'static {
        let step = self.spec.geometry.per_axis() - 1;
        let first = step * self.window.columns(axis, count).start;
        move |line| (first + line) as f64 / (step * count) as f64
    }

    /// Adds the nodes of a sheet at a depth (0 to 1) of a stratum.
    fn add_sheet(&mut self, [x, y, _]: [usize; 3], stratum: usize, depth: f64) -> Result<Sheet, MeshError> {
        let [nx, ny] = [(0, x), (1, y)].map(|(axis, count)| lines(self.spec, self.window.columns(axis, count).len()));
        let sheet = Sheet { first: self.first_node(nx * ny)?, width: nx as u32 };
        let (along_x, along_y) = (self.places(0, x), self.places(1, y));
        let periodic = self.spec.periodic;
        self.add_nodes(nx * ny, stratum, |index| {
            let (i, j) = (index % nx, index / nx);
            let along = [along_x(i), along_y(j)];
            let twin = sheet.first as usize + wrap(periodic[0], i, nx) + nx * wrap(periodic[1], j, ny);
            Node { along, depth, twin: twin as u32 }
        })?;
        Ok(sheet)
    }

    /// Adds the nodes between the sheets of a layer, line by line.
    fn add_inside(&mut self, layer: &Layer, section: &Section) -> Result<u32, MeshError> {
        let Section { profile, axis, lines } = section;
        let per_line = profile.inside.len();
        let first = self.first_node(section.n_inside())?;
        let at = |end: f64| profile.inside.iter().position(move |point| point[0] == end);
        // A single inner node is at each end: the midpoint of the vertical edge there.
        let ends = if self.spec.periodic[*axis] { [at(0.0), at(1.0)] } else { [None; 2] };
        let across = self.places(1 - axis, layer.counts[1 - axis]);
        let is_periodic = self.spec.periodic[1 - axis];
        self.add_nodes(section.n_inside(), layer.stratum, |index| {
            let (index, line) = (index % per_line, index / per_line);
            let [s, height] = profile.inside[index];
            let mut along = [across(line); 2];
            along[*axis] = s;
            let image = if ends[1] == Some(index) { ends[0] } else { None };
            let twin = first as usize + image.unwrap_or(index) + per_line * wrap(is_periodic, line, *lines);
            let depth = lerp([layer.depth[1], layer.depth[0]], height);
            Node { along, depth, twin: twin as u32 }
        })?;
        Ok(first)
    }

    fn first_node(&self, more: usize) -> Result<u32, MeshError> {
        let first = self.mesh.control_nodes.len();
        let (count, limit) = ((first + more) as u64, u64::from(u32::MAX));
        if count > limit {
            return Err(MeshError::TooLarge { what: "control nodes", count, limit });
        }
        Ok(first as u32)
    }

    /// Adds `count` nodes of a stratum on all threads; `node` returns each by its number from 0.
    ///
    /// # Errors
    /// That of the first node with an error, independent of the threads.
    fn add_nodes(
        &mut self,
        count: usize,
        stratum: usize,
        node: impl Fn(usize) -> Node + Sync,
    ) -> Result<(), MeshError> {
        let (spec, slabs, first) = (self.spec, self.slabs, self.mesh.control_nodes.len());
        let HexMesh { control_nodes, twin, .. } = &mut self.mesh;
        control_nodes.resize(first + count, [0.0; 3]);
        twin.resize(first + count, 0);
        let fill = |(task, (points, twins)): (usize, (&mut [[f64; 3]], &mut [u32]))| -> Result<(), MeshError> {
            for (index, (point, twin)) in points.iter_mut().zip(twins).enumerate() {
                let node = node(PER_TASK * task + index);
                let [x, y] = [lerp(spec.x, node.along[0]), lerp(spec.y, node.along[1])];
                let flat = [x, y, spec.strata().inside(slabs, stratum, node.depth, [x, y])?];
                *point = spec.deformation.map_or(flat, |deformation| deformation.position(flat));
                *twin = node.twin;
            }
            Ok(())
        };
        let tasks = control_nodes[first..].par_chunks_mut(PER_TASK).zip(twin[first..].par_chunks_mut(PER_TASK));
        tasks.enumerate().map(fill).find_first(Result::is_err).unwrap_or(Ok(()))
    }

    /// Adds the elements of a layer; `ends` is whether it is the first and whether it is the last layer.
    fn add_elements(&mut self, layer: &Layer, nodes: &LayerNodes, ends: [bool; 2]) {
        let n = self.spec.geometry.per_axis();
        let Section { profile, axis, lines } = nodes.section;
        let region = self.spec.strata[layer.stratum].region;
        let rows = (lines - 1) / (n - 1);
        let last_quad = match layer.kind {
            LayerKind::Plain => profile.quads.len() - 1,
            LayerKind::Doubling(_) => profile.quads.len() - 3,
        };
        for row in 0..rows {
            for (index, quad) in profile.quads.iter().enumerate() {
                let mut at = [[false; 2]; 3];
                at[*axis] = [index == 0, index == last_quad];
                at[1 - axis] = [row == 0, row + 1 == rows];
                at[2] = [
                    ends[1] && profile.touches(quad, |place| matches!(place, Place::Bottom(_))),
                    ends[0] && profile.touches(quad, |place| matches!(place, Place::Top(_))),
                ];
                self.add_faces(at);
                self.mesh.region.push(region);
                self.mesh.tile.push(self.tile(layer, *axis, [index, row]));
            }
        }
        self.connect(nodes, rows);
    }

    /// The tile of an element of a layer.
    ///
    /// # Arguments
    /// * `axis` – axis of the profile
    /// * `place` – index of the quadrilateral in the profile, and row across it
    fn tile(&self, layer: &Layer, axis: usize, [index, row]: [usize; 2]) -> u32 {
        let along = match layer.kind {
            LayerKind::Plain => index,
            // Six elements of a brick below four columns.
            LayerKind::Doubling(_) => index / 6 * 4,
        };
        let mut tiles = [0; 2];
        for (axis, column) in [(axis, along), (1 - axis, row)] {
            let count = layer.counts[axis];
            tiles[axis] = self.window.tile(axis, self.window.columns(axis, count).start + column, count);
        }
        self.window.number(tiles)
    }

    /// Adds the connectivity of a layer with `rows` rows of elements.
    fn connect(&mut self, nodes: &LayerNodes, rows: usize) {
        let n = self.spec.geometry.per_axis();
        let Section { profile, axis, .. } = nodes.section;
        let per_row = profile.quads.len() * n * n * n;
        let connectivity = &mut self.mesh.connectivity;
        let first = connectivity.len();
        connectivity.resize(first + rows * per_row, 0);
        let of_row = |(row, connectivity): (usize, &mut [u32])| {
            for (quad, own) in profile.quads.iter().zip(connectivity.chunks_exact_mut(n * n * n)) {
                for (local, own) in own.iter_mut().enumerate() {
                    let place = [local % n, local / n % n, local / (n * n)];
                    let (along, across) = (place[*axis], place[1 - axis]);
                    *own = nodes.number(quad[along + n * place[2]], row * (n - 1) + across);
                }
            }
        };
        connectivity[first..].par_chunks_exact_mut(per_row).enumerate().for_each(of_row);
    }

    /// Adds the boundary faces of the next element; `at` is, per axis, whether it is at the lower and at the upper end.
    fn add_faces(&mut self, at: [[bool; 2]; 3]) {
        let element = self.mesh.region.len() as u32;
        let [x, y] = SIDES;
        for (axis, sides) in [x, y, [Side::Bottom, Side::Top]].into_iter().enumerate() {
            if axis < 2 && self.spec.periodic[axis] {
                continue;
            }
            let is_outside = if axis < 2 { self.window.has_sides(axis) } else { [true; 2] };
            for end in 0..2 {
                if at[axis][end] && is_outside[end] {
                    let face = (2 * axis + end) as u8;
                    self.mesh.faces.push(BoundaryFace { element, face, side: sides[end] });
                }
            }
        }
    }

    /// Refuses periodic sides whose points are not one box length apart.
    fn check_periodic(&self) -> Result<(), MeshError> {
        if self.spec.periodic == [false; 2] {
            return Ok(());
        }
        let lengths = self.spec.lengths();
        let tolerance = PERIODIC_TOLERANCE * (lengths[0] + lengths[1]);
        for (node, &twin) in self.mesh.twin.iter().enumerate() {
            let [here, image] = [node, twin as usize].map(|node| self.mesh.control_nodes[node]);
            let off = |axis: usize| {
                let gap = here[axis] - image[axis];
                let length = lengths.get(axis).copied().unwrap_or(0.0);
                if gap > 0.5 * length { gap - length } else { gap }
            };
            let offset = (0..3).map(|axis| off(axis).powi(2)).sum::<f64>().sqrt();
            if offset > tolerance {
                let [x, y, z] = here;
                return Err(MeshError::PeriodicMismatch { x, y, z, offset });
            }
        }
        Ok(())
    }
}
