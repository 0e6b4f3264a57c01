//! The surface and the volume: elements subdivided at their GLL points into small quadrilaterals or hexahedra.

use std::collections::HashMap;

use craton_mesh::{ElementMap, FACE_AXES, HexMesh, Location, face_point};
use craton_sem::{NodePlace, Phase, Selection, Solver};

use super::elements::surface_sheet;
use super::frame::{Fields, Places};
use super::pictures::Sheet;
use super::sampler::{ElementReading, Reading, Sampler};
use super::series::{Earth, Scene};
use super::shown::{Sampled, Shown};
use crate::config::Snapshot;
use crate::error::Error;
use crate::pipeline::{RunningSolver, Scalar};
use crate::setup::Setup;

/// An element, or one of its faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The element.
    pub element: u32,
    /// Its face.
    pub face: Option<u8>,
}

/// Pieces of the mesh, subdivided at their GLL points.
pub struct SubCells<T: Scalar> {
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// GLL points along an axis, in [-1, 1].
    gll: Vec<f64>,
    /// 2 for faces, 3 for elements.
    dimension: usize,
    /// Positions of the nodes [m], without duplicates.
    points: Vec<[f64; 3]>,
    /// Piece of each node, and its point in the element.
    nodes: Vec<(usize, usize)>,
    /// The fields at the nodes, if any quantity is given at nodes and all pieces are solid.
    at_nodes: Option<Reading<T>>,
    /// The fields in the elements of the pieces, if any quantity is given inside cells or any piece is fluid.
    inside: Option<Reading<T>>,
    /// Corners of the cells, lexicographic, piece by piece.
    corners: Vec<u32>,
}

impl<T: Scalar> SubCells<T> {
    /// The top of the domain.
    ///
    /// # Errors
    /// Insufficient device memory.
    pub fn surface(operator: &dyn Solver<T>, snapshot: &Snapshot) -> Result<Self, Error> {
        let top = operator.mesh().top_faces();
        let pieces = top.map(|face| Piece { element: face.element, face: Some(face.face) });
        Self::new(operator, pieces.collect(), 2, snapshot)
    }

    /// The whole domain.
    ///
    /// # Errors
    /// Insufficient device memory.
    pub fn volume(operator: &dyn Solver<T>, snapshot: &Snapshot) -> Result<Self, Error> {
        let elements = operator.mesh().domain_elements();
        Self::new(operator, elements.map(|element| Piece { element, face: None }).collect(), 3, snapshot)
    }

    fn new(operator: &dyn Solver<T>, pieces: Vec<Piece>, dimension: usize, snapshot: &Snapshot) -> Result<Self, Error> {
        let mesh = operator.mesh();
        let gll = operator.gll().points.clone();
        let degree = gll.len() - 1;
        let mut builder = Builder::new(mesh, &gll);
        let step = |digits: usize, base: usize| -> usize {
            (0..dimension).map(|axis| digits / base.pow(axis as u32) % base * gll.len().pow(axis as u32)).sum()
        };
        let mut corners = Vec::with_capacity((pieces.len() * degree.pow(dimension as u32)) << dimension);
        for (number, &piece) in pieces.iter().enumerate() {
            let phase = operator.phase_of(piece.element);
            let numbers = builder.number(mesh, (number, piece), (phase, &operator.places(piece.element)));
            for cell in 0..degree.pow(dimension as u32) {
                corners.extend((0..1 << dimension).map(|corner| numbers[step(cell, degree) + step(corner, 2)]));
            }
        }
        let is_shown = |nodal: bool| Shown::all(snapshot).iter().any(|shown| shown.is_nodal() == nodal);
        let elements: Vec<u32> = pieces.iter().map(|piece| piece.element).collect();
        let is_solid = elements.iter().all(|&element| operator.phase_of(element) == Phase::Solid);
        let point = |&(piece, point): &(usize, usize)| (elements[piece], point as u16);
        let points = builder.nodes.iter().map(point).collect();
        let nodes = || operator.select(Selection::Points(points)).map(Reading::Nodes);
        let inside = || ElementReading::new(operator, &elements).map(Reading::Elements);
        Ok(Self {
            at_nodes: (is_shown(true) && is_solid).then(nodes).transpose()?,
            inside: (is_shown(false) || !is_solid).then(inside).transpose()?,
            nodes: builder.nodes,
            pieces,
            dimension,
            points: builder.points,
            corners,
            gll,
        })
    }

    /// Quantities at nodes: continuous in solids; in fluids those of the first piece that contains the node.
    fn at_nodes(&self, earth: Earth<T>, shown: &[Shown]) -> Result<Vec<Sampled>, Error> {
        let nodal: Vec<Shown> = shown.iter().copied().filter(|shown| shown.is_nodal()).collect();
        let Some(reading) = self.at_nodes.as_ref().or(self.inside.as_ref()).filter(|_| !nodal.is_empty()) else {
            return Ok(Vec::new());
        };
        let sampler = Sampler::new(earth.solver.elements(), earth.model, reading, &nodal)?;
        let sample = |&shown: &Shown| {
            Sampled::new(shown, self.points.len(), earth.solver.workers(), |node, value| match reading {
                Reading::Nodes(_) => sampler.at_node(node, shown, value),
                Reading::Elements(_) => {
                    let (piece, point) = self.nodes[node];
                    sampler.at_point(piece, &self.location(piece, point), shown, value);
                }
            })
        };
        Ok(nodal.iter().map(sample).collect())
    }

    /// The other quantities.
    fn inside(&self, earth: Earth<T>, shown: &[Shown]) -> Result<Vec<Sampled>, Error> {
        let rest: Vec<Shown> = shown.iter().copied().filter(|shown| !shown.is_nodal()).collect();
        let Some(reading) = self.inside.as_ref().filter(|_| !rest.is_empty()) else { return Ok(Vec::new()) };
        let sampler = Sampler::new(earth.solver.elements(), earth.model, reading, &rest)?;
        let sample = |&shown: &Shown| {
            Sampled::new(shown, self.corners.len() >> self.dimension, earth.solver.workers(), |cell, value| {
                let (piece, centre) = self.centre(cell);
                sampler.at_point(piece, &centre, shown, value);
            })
        };
        Ok(rest.iter().map(sample).collect())
    }

    /// A point of the element of a piece.
    fn location(&self, piece: usize, point: usize) -> Location {
        let n = self.gll.len();
        let xi = [point % n, point / n % n, point / (n * n)].map(|i| self.gll[i]);
        Location { element: self.pieces[piece].element, xi }
    }

    /// The piece of a cell, and the centre of the cell between its GLL points.
    fn centre(&self, cell: usize) -> (usize, Location) {
        let degree = self.gll.len() - 1;
        let per_piece = degree.pow(self.dimension as u32);
        let piece = cell / per_piece;
        let Piece { element, face } = self.pieces[piece];
        let middle = |axis: u32| {
            let below = cell % per_piece / degree.pow(axis) % degree;
            0.5 * (self.gll[below] + self.gll[below + 1])
        };
        let xi = match face {
            Some(face) => face_point(face, [middle(0), middle(1)]),
            None => [middle(0), middle(1), middle(2)],
        };
        (piece, Location { element, xi })
    }

    /// The cell around a point of a face, and its four corners with their bilinear weights.
    ///
    /// # Arguments
    /// * `piece` – index of the face among the pieces
    /// * `xi` – the point in the reference cube of the element
    pub fn cell_around(&self, piece: usize, xi: [f64; 3]) -> (usize, [(usize, f64); 4]) {
        let degree = self.gll.len() - 1;
        let [_, first, second] = FACE_AXES[usize::from(self.pieces[piece].face.unwrap_or(5))];
        let split = |xi: f64| {
            let below = self.gll[1..degree].partition_point(|&point| point <= xi);
            (below, (xi - self.gll[below]) / (self.gll[below + 1] - self.gll[below]))
        };
        let ((i, u), (j, v)) = (split(xi[first]), split(xi[second]));
        let cell = (piece * degree + j) * degree + i;
        let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v];
        (cell, std::array::from_fn(|corner| (self.corners[4 * cell + corner] as usize, weights[corner])))
    }
}

impl<T: Scalar> Scene<T> for SubCells<T> {
    /// Samples a frame: continuous quantities at nodes, others inside cells.
    fn sample(&self, earth: Earth<T>, shown: &[Shown]) -> Result<Fields<'_>, Error> {
        let (points, corners) = (&self.points[..], &self.corners[..]);
        let places = match self.dimension {
            2 => Places::Quadrilaterals { points, corners },
            _ => Places::Hexahedra { points, corners },
        };
        let (at_points, in_cells) = (self.at_nodes(earth, shown)?, self.inside(earth, shown)?);
        Ok(Fields { places, at_points, in_cells, hidden: None })
    }

    /// The volume has no pictures.
    fn sheet(&self, setup: &Setup, solver: &RunningSolver<T>) -> Option<Sheet> {
        (self.dimension == 2).then(|| surface_sheet(self, setup, solver.elements()))
    }
}

/// Numbers nodes in the order of first use.
struct Builder {
    map: ElementMap,
    positions: Vec<[f64; 3]>,
    per_axis: usize,
    /// Largest x and y of the mesh, beyond which there may be a periodic image [m].
    far_ends: [f64; 2],
    known: HashMap<(Phase, NodePlace, [bool; 2]), u32>,
    points: Vec<[f64; 3]>,
    /// Piece of each node, and its point in the element.
    nodes: Vec<(usize, usize)>,
}

impl Builder {
    fn new(mesh: &HexMesh, gll: &[f64]) -> Self {
        let [low, high] = mesh.bounding_box();
        Self {
            map: ElementMap::new(mesh.geometry, gll),
            positions: Vec::new(),
            per_axis: gll.len(),
            far_ends: [0, 1].map(|axis| high[axis] - 1e-9 * (high[axis] - low[axis])),
            known: HashMap::new(),
            points: Vec::new(),
            nodes: Vec::new(),
        }
    }

    /// Indices of the points of a piece, lexicographic; new points are added.
    fn number(
        &mut self,
        mesh: &HexMesh,
        (number, piece): (usize, Piece),
        (phase, places): (Phase, &[NodePlace]),
    ) -> Vec<u32> {
        let mut buffer = [[0.0; 3]; 27];
        self.map.positions(mesh.points_of(piece.element, &mut buffer), &mut self.positions);
        let of_piece: Vec<usize> = match piece.face {
            Some(face) => points_of_face(face, self.per_axis),
            None => (0..places.len()).collect(),
        };
        let of_point = |point: usize| {
            let (position, place) = (self.positions[point], places[point]);
            // A node on a periodic side has two positions, and is two points of a picture.
            let image = [0, 1].map(|axis| position[axis] > self.far_ends[axis]);
            *self.known.entry((phase, place, image)).or_insert_with(|| {
                self.points.push(position);
                self.nodes.push((number, point));
                self.points.len() as u32 - 1
            })
        };
        of_piece.into_iter().map(of_point).collect()
    }
}

/// Indices of the points of a face among those of its element, lexicographic in the axes of the face.
fn points_of_face(face: u8, per_axis: usize) -> Vec<usize> {
    let stride = |axis: usize| per_axis.pow(axis as u32);
    let [normal, first, second] = FACE_AXES[usize::from(face)];
    let origin = if face.is_multiple_of(2) { 0 } else { (per_axis - 1) * stride(normal) };
    let points = 0..per_axis * per_axis;
    points.map(|point| origin + point % per_axis * stride(first) + point / per_axis * stride(second)).collect()
}
