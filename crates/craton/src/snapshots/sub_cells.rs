//! The surface and the volume: elements divided between their GLL points into small quadrilaterals or hexahedra.

use std::collections::HashMap;
use std::path::Path;

use craton_device::Scalar;
use craton_formats::vtk::{CellBlock, CellKind, Field, Mesh, NodeOrder, write_vtu};
use craton_mesh::{ElementMap, FACE_AXES, HexMesh, Location, Side, face_point};
use craton_sem::{NodePlace, SemOperator};

use super::shown::{Sampled, Sampler, Shown};
use crate::error::Error;

/// An element, or one of its faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The element.
    pub element: u32,
    /// Its face.
    pub face: Option<u8>,
}

/// Pieces of the mesh, divided between their GLL points.
pub struct SubCells {
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// GLL points along an axis, in [-1, 1].
    gll: Vec<f64>,
    /// 2 for faces, 3 for elements.
    dimension: usize,
    /// Positions of the nodes [m], each once.
    points: Vec<[f64; 3]>,
    /// Where their fields stand.
    places: Vec<NodePlace>,
    /// Corners of the cells, lexicographic, piece by piece.
    corners: Vec<u32>,
}

impl SubCells {
    /// The top of the domain.
    pub fn surface<T: Scalar>(operator: &SemOperator<T>) -> Self {
        let top = operator.mesh().faces.iter().filter(|face| face.side == Side::Top);
        Self::new(operator, top.map(|face| Piece { element: face.element, face: Some(face.face) }).collect(), 2)
    }

    /// The whole domain.
    pub fn volume<T: Scalar>(operator: &SemOperator<T>) -> Self {
        let elements = 0..operator.mesh().n_elements() as u32;
        Self::new(operator, elements.map(|element| Piece { element, face: None }).collect(), 3)
    }

    fn new<T: Scalar>(operator: &SemOperator<T>, pieces: Vec<Piece>, dimension: usize) -> Self {
        let mesh = operator.mesh();
        let gll = operator.gll().points.clone();
        let degree = gll.len() - 1;
        let mut builder = Builder::new(mesh, &gll);
        let step = |digits: usize, base: usize| -> usize {
            (0..dimension).map(|axis| digits / base.pow(axis as u32) % base * gll.len().pow(axis as u32)).sum()
        };
        let mut corners = Vec::with_capacity((pieces.len() * degree.pow(dimension as u32)) << dimension);
        for &piece in &pieces {
            let numbers = builder.number(mesh, piece, &operator.places(piece.element));
            for cell in 0..degree.pow(dimension as u32) {
                corners.extend((0..1 << dimension).map(|corner| numbers[step(cell, degree) + step(corner, 2)]));
            }
        }
        Self { pieces, dimension, points: builder.points, places: builder.places, corners, gll }
    }

    /// Writes a frame: what is continuous at the nodes, the rest inside the cells.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write<T: Scalar>(&self, path: &Path, time: f64, sampler: &Sampler<T>, shown: &[Shown]) -> Result<(), Error> {
        let sampled: Vec<Sampled> = shown.iter().map(|&shown| self.sampled(sampler, shown)).collect();
        let fields = |nodal: bool| -> Vec<Field> {
            sampled.iter().filter(|field| field.is_nodal() == nodal).map(Sampled::field).collect()
        };
        let kind = if self.dimension == 2 { CellKind::Quad } else { CellKind::Hexahedron };
        let cells = CellBlock { kind, nodes: &self.corners, order: NodeOrder::Lexicographic };
        let mesh = Mesh {
            points: &self.points,
            cells: &[cells],
            point_data: &fields(true),
            cell_data: &fields(false),
            time: Some(time),
        };
        Ok(write_vtu(path, &mesh)?)
    }

    fn sampled<T: Scalar>(&self, sampler: &Sampler<T>, shown: Shown) -> Sampled {
        let workers = sampler.operator.workers();
        match shown.is_nodal() {
            true => Sampled::new(shown, self.points.len(), workers, |node, value| {
                sampler.at_node(self.places[node], shown, value);
            }),
            false => Sampled::new(shown, self.corners.len() >> self.dimension, workers, |cell, value| {
                sampler.at_point(&self.centre(cell), shown, value);
            }),
        }
    }

    /// The middle of a cell between its GLL points.
    fn centre(&self, cell: usize) -> Location {
        let degree = self.gll.len() - 1;
        let per_piece = degree.pow(self.dimension as u32);
        let Piece { element, face } = self.pieces[cell / per_piece];
        let middle = |axis: u32| {
            let below = cell % per_piece / degree.pow(axis) % degree;
            0.5 * (self.gll[below] + self.gll[below + 1])
        };
        let xi = match face {
            Some(face) => face_point(face, [middle(0), middle(1)]),
            None => [middle(0), middle(1), middle(2)],
        };
        Location { element, xi }
    }

    /// The cell around a point of a face, and its four corners with their bilinear weights.
    ///
    /// # Arguments
    /// * `piece` – number of the face among the pieces
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

/// Numbers nodes by first use.
struct Builder {
    map: ElementMap,
    positions: Vec<[f64; 3]>,
    per_axis: usize,
    /// The last x and y of the mesh, beyond which there may be a periodic image [m].
    far_ends: [f64; 2],
    known: HashMap<(NodePlace, [bool; 2]), u32>,
    points: Vec<[f64; 3]>,
    places: Vec<NodePlace>,
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
            places: Vec::new(),
        }
    }

    /// Numbers of the points of a piece, lexicographic; those that were met for the first time are added.
    fn number(&mut self, mesh: &HexMesh, piece: Piece, places: &[NodePlace]) -> Vec<u32> {
        let mut buffer = [[0.0; 3]; 27];
        self.map.positions(mesh.points_of(piece.element, &mut buffer), &mut self.positions);
        let of_piece: Vec<usize> = match piece.face {
            Some(face) => points_of_face(face, self.per_axis),
            None => (0..places.len()).collect(),
        };
        let number = |point: usize| {
            let (position, place) = (self.positions[point], places[point]);
            // A node of a periodic side has two positions, and is two points of a picture.
            let image = [0, 1].map(|axis| position[axis] > self.far_ends[axis]);
            *self.known.entry((place, image)).or_insert_with(|| {
                self.points.push(position);
                self.places.push(place);
                self.points.len() as u32 - 1
            })
        };
        of_piece.into_iter().map(number).collect()
    }
}

/// Points of a face among those of its element, lexicographic in the face's own two axes.
fn points_of_face(face: u8, per_axis: usize) -> Vec<usize> {
    let stride = |axis: usize| per_axis.pow(axis as u32);
    let [normal, first, second] = FACE_AXES[usize::from(face)];
    let origin = if face.is_multiple_of(2) { 0 } else { (per_axis - 1) * stride(normal) };
    let points = 0..per_axis * per_axis;
    points.map(|point| origin + point % per_axis * stride(first) + point / per_axis * stride(second)).collect()
}
