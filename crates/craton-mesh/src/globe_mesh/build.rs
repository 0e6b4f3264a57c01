//! From a plan to a mesh: sheets of control nodes, nodes inside layers, elements of rings and caps, and the central cube.

use rayon::prelude::*;

use super::GlobePlan;
use super::centre::{Centre, direction};
use super::sheet::{Loop, Sheet};
use super::spec::GlobeSpec;
use crate::error::MeshError;
use crate::layers::{Layer, LayerKind, MOST_ELEMENTS, Place, Profile, Slab, lerp};
use crate::mesh::{BoundaryFace, HexMesh, Side};

/// Builds the mesh of a plan.
pub(super) fn build(of: &GlobePlan) -> Result<HexMesh, MeshError> {
    let GlobePlan { spec, slabs, plan } = of;
    let count = of.n_elements() as u64;
    if count > MOST_ELEMENTS {
        return Err(MeshError::TooLarge { what: "elements", count, limit: MOST_ELEMENTS });
    }
    let centre = Centre::below(spec.radius + slabs.last().expect("a sphere has a stratum").top);
    let mut builder = Builder { spec, slabs, centre, mesh: empty(spec, count as usize) };
    let mut above = builder.add_sheet(plan[0].counts, 0, 0.0)?;
    for (index, layer) in plan.iter().enumerate() {
        let below = builder.add_sheet(layer.counts_below(), layer.stratum, layer.depth[1])?;
        let section = Section::new(spec, layer);
        let nodes = builder.add_inside(layer, section, [above, below])?;
        builder.add_ring(layer, &nodes, index == 0);
        builder.add_caps(layer, &nodes, index == 0);
        above = below;
    }
    builder.add_cube(above)?;
    if let Some(deformation) = spec.deformation {
        builder.mesh.control_nodes.par_iter_mut().for_each(|node| *node = deformation.position(*node));
    }
    Ok(builder.mesh)
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
        let steps = [1, 2].map(|next| (spec.geometry.per_axis() - 1) * layer.counts[(axis + next) % 3]);
        Self { profile, axis, around: Loop { steps } }
    }

    /// A point of the cube from its coordinates along the axis of the profile and along the two other axes.
    fn point<T: Copy>(&self, along: T, [first, second]: [T; 2]) -> [T; 3] {
        let mut point = [along; 3];
        point[(self.axis + 1) % 3] = first;
        point[(self.axis + 2) % 3] = second;
        point
    }
}

/// Numbers of the control nodes of a layer.
struct LayerNodes {
    section: Section,
    sheets: [Sheet; 2],
    /// First node between the sheets in the ring
    ring: u32,
    /// First nodes between the sheets inside the two caps
    caps: [u32; 2],
}

impl LayerNodes {
    /// Number of the profile's node `node` at a step of the loop.
    fn in_ring(&self, node: u32, step: usize) -> u32 {
        let Section { profile, around, .. } = &self.section;
        let on = |sheet: &Sheet, along: u32| sheet.number(self.section.point(along as usize, around.point(step)));
        match profile.places[node as usize] {
            Place::Top(along) => on(&self.sheets[0], along),
            Place::Bottom(along) => on(&self.sheets[1], along),
            Place::Inside(index) => self.ring + index + (profile.inside.len() * (step % around.count())) as u32,
        }
    }

    /// Number of the node of a cap, at the lower (0) or upper (1) end of the axis, at a point in steps along the two other axes and at this height:
    /// 0 at the bottom, 1 at half height, 2 at the top.
    fn in_cap(&self, end: usize, [i, j]: [usize; 2], height: usize) -> u32 {
        let Section { profile, axis, around } = &self.section;
        let sheet = match height {
            0 => &self.sheets[1],
            2 => &self.sheets[0],
            _ => {
                let [n, m] = around.steps;
                if i == 0 || i == n || j == 0 || j == m {
                    // The profile has one inner node at each end: the midpoint of the vertical edge there.
                    let at = profile.inside.iter().position(|point| point[0] == end as f64);
                    let index = at.expect("elements of 27 nodes have a node there") as u32;
                    return self.ring + index + (profile.inside.len() * around.step([i, j])) as u32;
                }
                return self.caps[end] + ((i - 1) + (n - 1) * (j - 1)) as u32;
            }
        };
        sheet.number(self.section.point(end * sheet.steps[*axis], [i, j]))
    }
}

/// Coordinate, from -1 to 1, after a number of steps; exactly antisymmetric.
fn along(index: usize, steps: usize) -> f64 {
    (2.0 * index as f64 - steps as f64) / steps as f64
}

struct Builder<'a> {
    spec: &'a GlobeSpec<'a>,
    slabs: &'a [Slab],
    centre: Centre,
    mesh: HexMesh,
}

impl Builder<'_> {
    /// Control nodes along an edge of an element, without the last.
    fn stride(&self) -> usize {
        self.spec.geometry.per_axis() - 1
    }

    /// Adds the nodes of a sheet at a depth (0 to 1) of a stratum.
    fn add_sheet(&mut self, counts: [usize; 3], stratum: usize, depth: f64) -> Result<Sheet, MeshError> {
        let sheet = Sheet { first: 0, steps: counts.map(|count| self.stride() * count) };
        let first = self.add_nodes(sheet.count(), stratum, |index| {
            let point = sheet.point(index);
            ([0, 1, 2].map(|axis| along(point[axis], sheet.steps[axis])), depth)
        })?;
        Ok(Sheet { first, ..sheet })
    }

    /// Adds the nodes between the sheets of a layer: those of the ring, then those inside the caps.
    fn add_inside(&mut self, layer: &Layer, section: Section, sheets: [Sheet; 2]) -> Result<LayerNodes, MeshError> {
        let Section { profile, around, .. } = &section;
        let [n, m] = around.steps;
        let per_step = profile.inside.len();
        let others = |point: [usize; 2]| [along(point[0], n), along(point[1], m)];
        let ring = self.add_nodes(per_step * around.count(), layer.stratum, |index| {
            let [share, height] = profile.inside[index % per_step];
            let cube = section.point(2.0 * share - 1.0, others(around.point(index / per_step)));
            (cube, lerp([layer.depth[1], layer.depth[0]], height))
        })?;
        let in_cap = if self.stride() == 1 { 0 } else { (n - 1) * (m - 1) };
        let mut caps = [0; 2];
        for (first, end) in caps.iter_mut().zip([-1.0, 1.0]) {
            *first = self.add_nodes(in_cap, layer.stratum, |index| {
                let point = [1 + index % (n - 1), 1 + index / (n - 1)];
                (section.point(end, others(point)), lerp(layer.depth, 0.5))
            })?;
        }
        Ok(LayerNodes { section, sheets, ring, caps })
    }

    /// Adds nodes of a stratum on all threads and returns the number of the first; `node` returns the position on the surface of the cube and the
    /// depth (0 to 1) in the stratum of each by its index from 0.
    ///
    /// # Errors
    /// That of the first node with an error, independent of the threads.
    fn add_nodes(
        &mut self,
        count: usize,
        stratum: usize,
        node: impl Fn(usize) -> ([f64; 3], f64) + Sync,
    ) -> Result<u32, MeshError> {
        let first = self.mesh.control_nodes.len();
        let (total, limit) = ((first + count) as u64, u64::from(u32::MAX));
        if total > limit {
            return Err(MeshError::TooLarge { what: "control nodes", count: total, limit });
        }
        let at = |index: usize| {
            let (cube, depth) = node(index);
            self.position(stratum, depth, cube)
        };
        let positions: Vec<Result<[f64; 3], MeshError>> = (0..count).into_par_iter().map(at).collect();
        self.mesh.control_nodes.reserve(count);
        for position in positions {
            self.mesh.control_nodes.push(position?);
        }
        self.mesh.twin.extend((first..first + count).map(|node| node as u32));
        Ok(first as u32)
    }

    /// Position [m] of a node at a depth (0 to 1) of a stratum; the last stratum ends at the central cube.
    fn position(&self, stratum: usize, depth: f64, cube: [f64; 3]) -> Result<[f64; 3], MeshError> {
        let towards = direction(cube);
        let place = (self.spec.place)(towards);
        let strata = self.spec.strata();
        let on_ray = |depth: f64| -> Result<[f64; 3], MeshError> {
            let radius = self.spec.radius + strata.inside(self.slabs, stratum, depth, place)?;
            Ok(towards.map(|x| radius * x))
        };
        if stratum + 1 < self.spec.strata.len() {
            return on_ray(depth);
        }
        let [top, bottom] = [on_ray(0.0)?, self.centre.position(cube)];
        Ok([0, 1, 2].map(|axis| lerp([top[axis], bottom[axis]], depth)))
    }

    /// Adds the elements of the four blocks around the axis of a layer's profile.
    fn add_ring(&mut self, layer: &Layer, nodes: &LayerNodes, is_first: bool) {
        let (n, stride) = (self.spec.geometry.per_axis(), self.stride());
        let Section { profile, around, .. } = &nodes.section;
        for row in 0..around.count() / stride {
            for quad in &profile.quads {
                for local in 0..n * n * n {
                    // Across the profile, along it, and up: a right-handed element.
                    let [across, along, up] = [local % n, local / n % n, local / (n * n)];
                    let node = nodes.in_ring(quad[along + n * up], row * stride + across);
                    self.mesh.connectivity.push(node);
                }
                self.end_element(layer, is_first && profile.touches(quad, |place| matches!(place, Place::Top(_))));
            }
        }
    }

    /// Adds the elements of the two blocks at the ends of the axis of a layer's profile.
    fn add_caps(&mut self, layer: &Layer, nodes: &LayerNodes, is_first: bool) {
        let (n, stride) = (self.spec.geometry.per_axis(), self.stride());
        let counts = nodes.section.around.steps.map(|steps| steps / stride);
        for end in 0..2 {
            for index in 0..counts[0] * counts[1] {
                let corner = [index % counts[0], index / counts[0]].map(|element| stride * element);
                for local in 0..n * n * n {
                    let mut place = [local % n, local / n % n];
                    if end == 0 {
                        // Seen from outside, the order of the two axes is reversed at the lower end.
                        place.reverse();
                    }
                    let point = [corner[0] + place[0], corner[1] + place[1]];
                    let node = nodes.in_cap(end, point, local / (n * n) * (2 / stride));
                    self.mesh.connectivity.push(node);
                }
                self.end_element(layer, is_first);
            }
        }
    }

    /// Completes an element, whose upper face may be on the surface.
    fn end_element(&mut self, layer: &Layer, is_on_surface: bool) {
        let element = self.mesh.region.len() as u32;
        self.mesh.region.push(self.spec.strata[layer.stratum].region);
        if is_on_surface {
            self.mesh.faces.push(BoundaryFace { element, face: 5, side: Side::Top });
        }
    }

    /// Adds the central cube inside a sheet.
    fn add_cube(&mut self, sheet: Sheet) -> Result<(), MeshError> {
        let (n, stride) = (self.spec.geometry.per_axis(), self.stride());
        let steps = sheet.steps;
        let inside = steps.map(|steps| steps - 1);
        let first = self.mesh.control_nodes.len();
        let centre = self.centre;
        let at = |index: usize| {
            let point = [index % inside[0], index / inside[0] % inside[1], index / (inside[0] * inside[1])];
            centre.position([0, 1, 2].map(|axis| along(1 + point[axis], steps[axis])))
        };
        let count = inside.into_iter().product::<usize>();
        self.mesh.control_nodes.par_extend((0..count).into_par_iter().map(at));
        self.mesh.twin.extend((first..first + count).map(|node| node as u32));
        let number = |point: [usize; 3]| {
            if (0..3).any(|axis| point[axis] == 0 || point[axis] == steps[axis]) {
                return sheet.number(point);
            }
            let [i, j, k] = point.map(|step| step - 1);
            (first + i + inside[0] * (j + inside[1] * k)) as u32
        };
        let counts = steps.map(|steps| steps / stride);
        for element in 0..counts.into_iter().product::<usize>() {
            let corner = [element % counts[0], element / counts[0] % counts[1], element / (counts[0] * counts[1])];
            for local in 0..n * n * n {
                let place = [local % n, local / n % n, local / (n * n)];
                self.mesh.connectivity.push(number([0, 1, 2].map(|axis| stride * corner[axis] + place[axis])));
            }
            self.mesh.region.push(self.spec.strata.last().expect("a sphere has a stratum").region);
        }
        Ok(())
    }
}
