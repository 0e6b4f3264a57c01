//! Small lattice-based meshes for tests.

use craton_mesh::{
    BoundaryFace, BoxSpec, Flat, Geometry, HexMesh, Horizontal, Side, SizeField, Stratum, Surface, mesh_box,
};

use crate::random::Random;

/// A box of regularly arranged elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    /// Elements along x, y, z; at least 3 along a periodic axis.
    pub counts: [usize; 3],
    /// Edge lengths of the box [m]; it starts at the origin and its top is at z = 0.
    pub lengths: [f64; 3],
    /// 8 or 27 control nodes per element.
    pub geometry: Geometry,
    /// Periodic axes.
    pub periodic: [bool; 3],
}

const SIDES: [[Side; 2]; 3] = [[Side::XMin, Side::XMax], [Side::YMin, Side::YMax], [Side::Bottom, Side::Top]];

impl Lattice {
    /// A box of cubes of 100 m with 27 control nodes and no periodic axis.
    pub fn new(counts: [usize; 3]) -> Self {
        let lengths = counts.map(|count| 100.0 * count as f64);
        Self { counts, lengths, geometry: Geometry::Quadratic27, periodic: [false; 3] }
    }

    /// The mesh; region 0 everywhere.
    pub fn mesh(&self) -> HexMesh {
        let mut mesh = HexMesh {
            geometry: self.geometry,
            control_nodes: Vec::new(),
            connectivity: Vec::new(),
            region: vec![0; self.counts.iter().product()],
            faces: Vec::new(),
            twin: Vec::new(),
            tile: Vec::new(),
            pml: None,
        };
        let lines = self.counts.map(|count| count * (self.geometry.per_axis() - 1) + 1);
        for place in places(lines) {
            mesh.control_nodes.push(self.position(place, lines));
            let image = [0, 1, 2].map(|a| if self.periodic[a] { place[a] % (lines[a] - 1) } else { place[a] });
            mesh.twin.push(number(image, lines) as u32);
        }
        for (element, place) in places(self.counts).enumerate() {
            self.add_nodes(&mut mesh, place, lines);
            self.add_faces(&mut mesh, place, element as u32);
        }
        mesh
    }

    /// The mesh, [`shaken`] by up to `amount` (below 0.3) of the distance between control nodes.
    pub fn deformed(&self, amount: f64, seed: u64) -> HexMesh {
        let per_element = (self.geometry.per_axis() - 1) as f64;
        let distance = [0, 1, 2].map(|axis| amount * self.lengths[axis] / (self.counts[axis] as f64 * per_element));
        shaken(self.mesh(), distance, seed)
    }

    /// The mesh with its control nodes, including those of the sides, moved along a smooth wave with the period of the box, by up to `amount` times its lengths.
    pub fn waved(&self, amount: f64) -> HexMesh {
        let mut mesh = self.mesh();
        let turn = std::f64::consts::TAU;
        for point in &mut mesh.control_nodes {
            let [x, y, z] = [0, 1, 2].map(|axis| turn * point[axis] / self.lengths[axis]);
            let wave =
                [(x + 1.0).sin() * (y + z).cos(), (y - 2.0).sin() * (x - z).cos(), (z + 0.5).cos() * (x + y).sin()];
            *point = [0, 1, 2].map(|axis| point[axis] + amount * self.lengths[axis] * wave[axis]);
        }
        mesh
    }

    fn position(&self, place: [usize; 3], lines: [usize; 3]) -> [f64; 3] {
        let [x, y, z] = [0, 1, 2].map(|axis| self.lengths[axis] * place[axis] as f64 / (lines[axis] - 1) as f64);
        [x, y, z - self.lengths[2]]
    }

    fn add_nodes(&self, mesh: &mut HexMesh, element: [usize; 3], lines: [usize; 3]) {
        let n = self.geometry.per_axis();
        let nodes = places([n; 3]).map(|inside| {
            let place = [0, 1, 2].map(|axis| element[axis] * (n - 1) + inside[axis]);
            number(place, lines) as u32
        });
        mesh.connectivity.extend(nodes);
    }

    fn add_faces(&self, mesh: &mut HexMesh, place: [usize; 3], element: u32) {
        for axis in (0..3).filter(|&axis| !self.periodic[axis]) {
            for end in 0..2 {
                if place[axis] == [0, self.counts[axis] - 1][end] {
                    mesh.faces.push(BoundaryFace { element, face: (2 * axis + end) as u8, side: SIDES[axis][end] });
                }
            }
        }
    }
}

/// A mesh of a box with its control nodes moved at random by up to `distance` [m] along each axis; sides stay plane, and periodic images stay consistent.
pub fn shaken(mut mesh: HexMesh, distance: [f64; 3], seed: u64) -> HexMesh {
    let mut random = Random::new(seed);
    let shifts: Vec<_> = mesh.twin.iter().map(|_| random.vector()).collect();
    let bounds = mesh.bounding_box();
    for (axis, distance) in distance.into_iter().enumerate() {
        let glued = mesh.faces.iter().all(|face| !SIDES[axis].contains(&face.side));
        for (point, &twin) in mesh.control_nodes.iter_mut().zip(&mesh.twin) {
            let on_side = point[axis] == bounds[0][axis] || point[axis] == bounds[1][axis];
            if glued || !on_side {
                point[axis] += distance * shifts[twin as usize][axis];
            }
        }
    }
    mesh
}

/// A single element with 8 or 27 control nodes moved at random.
pub fn one_element(geometry: Geometry, seed: u64) -> HexMesh {
    let mut mesh = Lattice { geometry, ..Lattice::new([1; 3]) }.mesh();
    let mut random = Random::new(seed);
    for point in &mut mesh.control_nodes {
        let shift = random.vector();
        *point = [0, 1, 2].map(|axis| point[axis] + 6.0 * shift[axis]);
    }
    mesh
}

/// Element sizes [m] and fastest speeds [m/s] of strata, constant within each.
pub struct PerStratum<'a>(pub &'a [(f64, f64)]);

impl SizeField for PerStratum<'_> {
    fn size(&self, stratum: usize, _: f64, _: f64) -> f64 {
        self.0[stratum].0
    }

    fn fastest(&self, stratum: usize, _: f64, _: f64) -> f64 {
        self.0[stratum].1
    }
}

/// Strata with these tops, each with a separate region.
pub fn strata<'a>(tops: &[&'a dyn Surface]) -> Vec<Stratum<'a>> {
    tops.iter().enumerate().map(|(region, &top)| Stratum { top, region: region as u16 }).collect()
}

/// A box of 800 m by 800 m by 1200 m whose elements double from 100 m at the top to 200 m below: region 0 above z = -200 m, region 1 below.
pub fn doubled_box(geometry: Geometry) -> HexMesh {
    let sizes = PerStratum(&[(105.0, 1000.0), (210.0, 2000.0)]);
    let tops = strata(&[&Flat(0.0), &Flat(-200.0)]);
    let mut spec = BoxSpec::new([0.0, 800.0], [0.0, 800.0], -1200.0, tops, &sizes);
    spec.geometry = geometry;
    spec.horizontal = Horizontal::Elements([8, 8]);
    mesh_box(&spec).expect("a box that the mesher can fill")
}

/// A slow layer with topography over two faster ones, 1600 m by 1600 m by 3000 m: two doubling layers.
pub fn hilly(geometry: Geometry) -> HexMesh {
    let sizes = PerStratum(&[(100.0, 1000.0), (210.0, 2000.0), (420.0, 4000.0)]);
    let hills = |x: f64, y: f64| 60.0 * (x / 300.0).sin() * (y / 400.0).cos();
    let basin = |x: f64, y: f64| -300.0 + 40.0 * (x / 500.0).cos() + 0.03 * y;
    let base = Flat(-900.0);
    let mut spec = BoxSpec::new([0.0, 1600.0], [-800.0, 800.0], -3000.0, strata(&[&hills, &basin, &base]), &sizes);
    spec.geometry = geometry;
    mesh_box(&spec).expect("a box that the mesher can fill")
}

/// Indices (i, j, k) of a grid, i fastest.
fn places([nx, ny, nz]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..nx * ny * nz).map(move |index| [index % nx, index / nx % ny, index / (nx * ny)])
}

/// Linear index of a grid position.
fn number([i, j, k]: [usize; 3], [nx, ny, _]: [usize; 3]) -> usize {
    i + nx * (j + ny * k)
}
