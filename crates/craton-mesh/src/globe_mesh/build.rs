//! From a plan to a mesh: sheets of control nodes, nodes inside layers, elements of rings and caps, and the central cube.

use std::sync::Arc;

use super::GlobePlan;
use super::centre::{Centre, direction};
use super::nodes::{Node, Nodes};
use super::sheet::{Loop, Sheet};
use super::spec::GlobeSpec;
use super::tiles::others;
use crate::error::MeshError;
use crate::layers::{Layer, LayerKind, MOST_ELEMENTS, Place, Profile, Slab, lerp};
use crate::mesh::{BoundaryFace, HexMesh, Side};

/// Builds the mesh of a plan.
pub(super) fn build(of: &GlobePlan) -> Result<HexMesh, MeshError> {
    let count = of.n_elements() as u64;
    if count > MOST_ELEMENTS {
        return Err(MeshError::TooLarge { what: "elements", count, limit: MOST_ELEMENTS });
    }
    let centre = of.centre();
    let mut builder =
        Builder { of, centre, nodes: Nodes::new(of.window.is_none()), mesh: empty(of.spec, count as usize) };
    let mut above = builder.add_sheet(of.plan[0].counts, 0, 0.0)?;
    for (index, layer) in of.plan.iter().enumerate() {
        let below = builder.add_sheet(layer.counts_below(), layer.stratum, layer.depth[1])?;
        let section = Arc::new(Section::new(of.spec, layer));
        let nodes = builder.add_inside(layer, section, [above, below])?;
        builder.add_ring(layer, &nodes, index == 0);
        builder.add_caps(layer, &nodes, index == 0);
        above = below;
    }
    builder.add_cube(above)?;
    builder.finish()
}

/// An empty mesh with reserved capacity for its elements.
fn empty(spec: &GlobeSpec, n_elements: usize) -> HexMesh {
    HexMesh {
        geometry: spec.geometry,
        control_nodes: Vec::new(),
        connectivity: Vec::with_capacity(n_elements * spec.geometry.per_element()),
        region: Vec::with_capacity(n_elements),
        faces: Vec::new(),
        twin: Vec::new(),
        tile: Vec::new(),
        pml: None,
    }
}

/// The profile of a layer and its axis; the profile is extruded along the loop around the axis.
struct Section {
    profile: Profile,
    axis: usize,
    around: Loop,
}

impl Section {
    fn new(spec: &GlobeSpec, layer: &Layer) -> Self {
        let (axis, profile) = match layer.kind {
            LayerKind::Plain => (0, Profile::plain(spec.geometry, 0..layer.counts[0], layer.counts[0])),
            LayerKind::Doubling(axis) => {
                let count = layer.counts[axis];
                (axis, Profile::doubling(spec.geometry, 0..count, count))
            }
        };
        let steps = others(axis).map(|other| (spec.geometry.per_axis() - 1) * layer.counts[other]);
        Self { profile, axis, around: Loop { steps } }
    }

    /// A point of the cube from its coordinates along the axis of the profile and along the two other axes.
    fn point<T: Copy>(&self, along: T, [first, second]: [T; 2]) -> [T; 3] {
        let mut point = [along; 3];
        let [a, b] = others(self.axis);
        point[a] = first;
        point[b] = second;
        point
    }

    /// Number of quadrilaterals of the profile for each column at its top: one, or six for every four.
    fn column(&self, quad: usize, columns: usize) -> usize {
        quad * columns / self.profile.quads.len()
    }
}

/// A sheet, and its block of nodes.
type SheetNodes = (usize, Sheet);

/// Blocks of the control nodes of a layer.
struct LayerNodes {
    section: Arc<Section>,
    sheets: [SheetNodes; 2],
    /// Between the sheets in the ring.
    ring: usize,
    /// Between the sheets inside the two caps.
    caps: [usize; 2],
}

impl LayerNodes {
    /// The profile's node `node` at a step of the loop.
    fn in_ring(&self, node: u32, step: usize) -> Node {
        let Section { profile, around, .. } = &*self.section;
        let on = |&(block, sheet): &SheetNodes, along: u32| Node {
            block,
            index: sheet.number(self.section.point(along as usize, around.point(step))),
        };
        match profile.places[node as usize] {
            Place::Top(along) => on(&self.sheets[0], along),
            Place::Bottom(along) => on(&self.sheets[1], along),
            Place::Inside(index) => {
                Node { block: self.ring, index: index as usize + profile.inside.len() * (step % around.count()) }
            }
        }
    }

    /// The node of a cap, at the lower (0) or upper (1) end of the axis, at a point in steps along the two other axes and at this height: 0 at the bottom,
    /// 1 at half height, 2 at the top.
    fn in_cap(&self, end: usize, [i, j]: [usize; 2], height: usize) -> Node {
        let Section { profile, axis, around } = &*self.section;
        let (block, sheet) = match height {
            0 => self.sheets[1],
            2 => self.sheets[0],
            _ => {
                let [n, m] = around.steps;
                if i == 0 || i == n || j == 0 || j == m {
                    // The profile has one inner node at each end: the midpoint of the vertical edge there.
                    let at = profile.inside.iter().position(|point| point[0] == end as f64);
                    let index = at.expect("elements of 27 nodes have a node there");
                    let step = around.step([i, j]);
                    return Node { block: self.ring, index: index + profile.inside.len() * step };
                }
                return Node { block: self.caps[end], index: (i - 1) + (n - 1) * (j - 1) };
            }
        };
        Node { block, index: sheet.number(self.section.point(end * sheet.steps[*axis], [i, j])) }
    }
}

/// Coordinate, from -1 to 1, after a number of steps; exactly antisymmetric.
fn along(index: usize, steps: usize) -> f64 {
    (2.0 * index as f64 - steps as f64) / steps as f64
}

struct Builder<'a> {
    of: &'a GlobePlan<'a>,
    centre: Centre,
    nodes: Nodes<'a>,
    mesh: HexMesh,
}

impl<'a> Builder<'a> {
    /// Control nodes along an edge of an element, without the last.
    fn stride(&self) -> usize {
        self.of.spec.geometry.per_axis() - 1
    }

    /// Adds the nodes of a sheet at a depth (0 to 1) of a stratum.
    fn add_sheet(&mut self, counts: [usize; 3], stratum: usize, depth: f64) -> Result<SheetNodes, MeshError> {
        let sheet = Sheet { steps: counts.map(|count| self.stride() * count) };
        let block = self.nodes.add(sheet.count(), Some(stratum), move |index| {
            let point = sheet.point(index);
            ([0, 1, 2].map(|axis| along(point[axis], sheet.steps[axis])), depth)
        })?;
        Ok((block, sheet))
    }

    /// Adds the nodes between the sheets of a layer: those of the ring, then those inside the caps.
    fn add_inside(
        &mut self,
        layer: &Layer,
        section: Arc<Section>,
        sheets: [SheetNodes; 2],
    ) -> Result<LayerNodes, MeshError> {
        let [n, m] = section.around.steps;
        let per_step = section.profile.inside.len();
        let others = move |point: [usize; 2]| [along(point[0], n), along(point[1], m)];
        let (stratum, [top, bottom]) = (Some(layer.stratum), layer.depth);
        let of_ring = Arc::clone(&section);
        let ring = self.nodes.add(per_step * section.around.count(), stratum, move |index| {
            let [share, height] = of_ring.profile.inside[index % per_step];
            let cube = of_ring.point(2.0 * share - 1.0, others(of_ring.around.point(index / per_step)));
            (cube, lerp([bottom, top], height))
        })?;
        let in_cap = if self.stride() == 1 { 0 } else { (n - 1) * (m - 1) };
        let mut caps = [0; 2];
        for (block, end) in caps.iter_mut().zip([-1.0, 1.0]) {
            let of_cap = Arc::clone(&section);
            *block = self.nodes.add(in_cap, stratum, move |index| {
                let point = [1 + index % (n - 1), 1 + index / (n - 1)];
                (of_cap.point(end, others(point)), lerp([top, bottom], 0.5))
            })?;
        }
        Ok(LayerNodes { section, sheets, ring, caps })
    }

    /// Position [m] of a node at a depth (0 to 1) of a stratum; the last stratum ends at the central cube.
    fn position(&self, stratum: Option<usize>, (cube, depth): ([f64; 3], f64)) -> Result<[f64; 3], MeshError> {
        let Some(stratum) = stratum else { return Ok(self.centre.position(cube)) };
        let GlobePlan { spec, slabs, .. } = self.of;
        let towards = direction(cube);
        let place = (spec.place)(towards);
        let strata = spec.strata();
        let on_ray = |depth: f64| -> Result<[f64; 3], MeshError> {
            let slabs: &[Slab] = slabs;
            let radius = spec.radius + strata.inside(slabs, stratum, depth, place)?;
            Ok(towards.map(|x| radius * x))
        };
        if stratum + 1 < spec.strata.len() {
            return on_ray(depth);
        }
        let [top, bottom] = [on_ray(0.0)?, self.centre.position(cube)];
        Ok([0, 1, 2].map(|axis| lerp([top[axis], bottom[axis]], depth)))
    }

    /// Adds the elements of the four blocks around the axis of a layer's profile.
    fn add_ring(&mut self, layer: &Layer, nodes: &LayerNodes, is_first: bool) {
        let (n, stride) = (self.of.spec.geometry.per_axis(), self.stride());
        let Section { profile, around, axis } = &*nodes.section;
        let tiles: Vec<usize> = (0..profile.quads.len())
            .map(|quad| {
                self.of.tiling.along(*axis, nodes.section.column(quad, layer.counts[*axis]), layer.counts[*axis])
            })
            .collect();
        for row in 0..around.count() / stride {
            let tile_of = self.of.ring_tiles(layer, *axis, around, row);
            for (quad, &tile) in profile.quads.iter().zip(&tiles) {
                let tile = tile_of(tile);
                if !self.of.has(tile) {
                    continue;
                }
                for local in 0..n * n * n {
                    // Across the profile, along it, and up: a right-handed element.
                    let [across, along, up] = [local % n, local / n % n, local / (n * n)];
                    let node = self.nodes.number(nodes.in_ring(quad[along + n * up], row * stride + across));
                    self.mesh.connectivity.push(node);
                }
                let is_on_surface = is_first && profile.touches(quad, |place| matches!(place, Place::Top(_)));
                self.end_element(layer, tile, is_on_surface);
            }
        }
    }

    /// Adds the elements of the two blocks at the ends of the axis of a layer's profile.
    fn add_caps(&mut self, layer: &Layer, nodes: &LayerNodes, is_first: bool) {
        let (n, stride) = (self.of.spec.geometry.per_axis(), self.stride());
        let (axis, counts) = (nodes.section.axis, nodes.section.around.steps.map(|steps| steps / stride));
        let tiles = [0, 1].map(|side| {
            let column = |column| self.of.tiling.along(others(axis)[side], column, counts[side]);
            (0..counts[side]).map(column).collect::<Vec<usize>>()
        });
        for end in 0..2 {
            for index in 0..counts[0] * counts[1] {
                let element = [index % counts[0], index / counts[0]];
                let tile = self.of.tiling.in_block(axis, end, [tiles[0][element[0]], tiles[1][element[1]]]);
                if !self.of.has(tile) {
                    continue;
                }
                let corner = element.map(|element| stride * element);
                for local in 0..n * n * n {
                    let mut place = [local % n, local / n % n];
                    if end == 0 {
                        // Seen from outside, the order of the two axes is reversed at the lower end.
                        place.reverse();
                    }
                    let point = [corner[0] + place[0], corner[1] + place[1]];
                    let node = self.nodes.number(nodes.in_cap(end, point, local / (n * n) * (2 / stride)));
                    self.mesh.connectivity.push(node);
                }
                self.end_element(layer, tile, is_first);
            }
        }
    }

    /// Completes an element of a tile, whose upper face may be on the surface.
    fn end_element(&mut self, layer: &Layer, tile: u32, is_on_surface: bool) {
        let element = self.mesh.region.len() as u32;
        self.mesh.region.push(self.of.spec.strata[layer.stratum].region);
        if !self.of.tiling.is_whole() {
            self.mesh.tile.push(tile);
        }
        if is_on_surface {
            self.mesh.faces.push(BoundaryFace { element, face: 5, side: Side::Top });
        }
    }

    /// Adds the central cube inside a sheet.
    fn add_cube(&mut self, (block, sheet): SheetNodes) -> Result<(), MeshError> {
        let (n, stride) = (self.of.spec.geometry.per_axis(), self.stride());
        let steps = sheet.steps;
        let inside = steps.map(|steps| steps - 1);
        let in_cube = self.nodes.add(inside.into_iter().product(), None, move |index| {
            let point = [index % inside[0], index / inside[0] % inside[1], index / (inside[0] * inside[1])];
            ([0, 1, 2].map(|axis| along(1 + point[axis], steps[axis])), 0.0)
        })?;
        let node = |point: [usize; 3]| {
            if (0..3).any(|axis| point[axis] == 0 || point[axis] == steps[axis]) {
                return Node { block, index: sheet.number(point) };
            }
            let [i, j, k] = point.map(|step| step - 1);
            Node { block: in_cube, index: i + inside[0] * (j + inside[1] * k) }
        };
        let counts = steps.map(|steps| steps / stride);
        for element in 0..counts.into_iter().product::<usize>() {
            let element = [element % counts[0], element / counts[0] % counts[1], element / (counts[0] * counts[1])];
            let tile = self.of.tiling.in_cube(element);
            if !self.of.has(tile) {
                continue;
            }
            for local in 0..n * n * n {
                let place = [local % n, local / n % n, local / (n * n)];
                let number = self.nodes.number(node([0, 1, 2].map(|axis| stride * element[axis] + place[axis])));
                self.mesh.connectivity.push(number);
            }
            self.end_element(self.of.plan.last().expect("a stratum has a layer"), tile, false);
        }
        Ok(())
    }

    /// The mesh with the positions of its nodes.
    fn finish(mut self) -> Result<HexMesh, MeshError> {
        let mut positions = self.nodes.positions(|stratum, place| self.position(stratum, place))?;
        if let Some(deformation) = self.of.spec.deformation {
            use rayon::prelude::*;
            positions.par_iter_mut().for_each(|node| *node = deformation.position(*node));
        }
        self.mesh.twin = (0..positions.len() as u32).collect();
        self.mesh.control_nodes = positions;
        Ok(self.mesh)
    }
}
