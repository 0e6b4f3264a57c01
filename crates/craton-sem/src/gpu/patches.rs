//! The arrays of `kernels/patch.cu`, which assembles patches of neighbouring elements of degree 4 in shared memory.

use std::cmp::Reverse;

use craton_device::Scalar;
use craton_mesh::Geometry;
use rayon::prelude::*;

use super::nodes::{DeviceNodes, DevicePatch, PADDING};
use super::patterns::Groups;
use crate::discretisation::Discretisation;
use craton_sem_kernels::ElementData;

use super::images::Storage;
use super::runs::Run;
use super::sites::{self, Sites};

/// Largest number of elements of a patch.
pub const ELEMENTS: usize = 24;
/// Points per axis.
pub const N: usize = 5;
/// Threads of a block.
pub const THREADS: usize = 128;
/// Planes of a patch, each of which has its own thread.
pub const PLANES: usize = ELEMENTS * N;
/// Points of a plane.
pub const PLANE_POINTS: usize = N * N;
/// Size of the slots of an element for one component, in floats.
const SLOTS: usize = 165;
/// Number of values of a patch header.
pub const HEADER: usize = 12;

/// Input arrays of the kernel, patch by patch.
#[derive(Default)]
pub struct PatchArrays {
    /// The headers.
    pub patches: Vec<[u32; HEADER]>,
    /// Byte offsets of the staged nodes of a thread's plane, two per word: `[wiring][3][thread][4]`.
    pub connection: Vec<[u32; 4]>,
    /// Byte offset of the last point of the plane: `[wiring][thread]`.
    pub last_connection: Vec<u16>,
    /// Summation tables (see [`sums`]) of the wirings; the length of each is a multiple of 8.
    pub tables: Vec<u16>,
    /// Device numbers of the shared nodes of each patch.
    pub surface: Vec<u32>,
    /// Geometry, `[patch][value][element]`.
    pub geometry: Vec<f32>,
    /// Material constants in shared memory, `[patch][value][element]`.
    pub constants: Vec<Vec<f32>>,
    /// Material parameters that vary inside elements, `[patch][row][word][thread]`.
    pub words: Vec<Vec<u32>>,
    /// Bytes of shared memory that each patch needs.
    pub shared_bytes: Vec<usize>,
    /// First entry of each patch in `surface`, and the number of entries at the end.
    pub first_surface: Vec<u32>,
}

/// Order of the inner nodes of a patch that reduces bank conflicts in shared memory.
///
/// Nodes that more elements share come first. Nodes with equal numbers of elements are sorted by point, then by element, as threads are. Among the next
/// [`WINDOW`] nodes, the one with the fewest bank conflicts comes first, counting its slots and its own position.
pub fn order(local: &[u16], inner: usize) -> Vec<u16> {
    let places = places_of(local);
    order_by_banks(&places[..inner], Banks::new(true)).into_iter().map(|node| node as u16).collect()
}

/// The points of the elements that each local node of a patch belongs to.
fn places_of(local: &[u16]) -> Vec<Vec<Place>> {
    let points = (N * N * N) as u32;
    let mut places = vec![Vec::new(); local.iter().max().map_or(0, |&last| usize::from(last) + 1)];
    for (place, &node) in local.iter().enumerate() {
        places[usize::from(node)].push(Place::new(place as u32 / points, place as u32 % points));
    }
    places
}

/// Order of nodes, the most shared first, that reduces bank conflicts.
fn order_by_banks(places: &[Vec<Place>], mut banks: Banks) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..places.len()).collect();
    sorted.sort_by_key(|&node| (Reverse(places[node].len()), places[node][0].point, places[node][0].element));
    for nodes in sorted.chunk_by_mut(|&a, &b| places[a].len() == places[b].len()) {
        for next in 0..nodes.len() {
            let window = nodes[next..].iter().take(WINDOW).enumerate();
            let best = window.map(|(index, &node)| (banks.conflicts(&places[node]), index)).min();
            nodes[next..=next + best.map_or(0, |(_, index)| index)].rotate_right(1);
            banks.take(&places[nodes[next]]);
        }
    }
    sorted
}

/// Number of candidates that [`order`] compares.
const WINDOW: usize = 24;

/// A point of an element of a patch.
#[derive(Clone, Copy)]
struct Place {
    element: u32,
    point: u32,
    /// Shared-memory bank of its slot.
    bank: u8,
    /// Index of the warp read that loads the displacement of this point.
    read: u8,
}

impl Place {
    fn new(element: u32, point: u32) -> Self {
        let plane = point / (N * N) as u32;
        let warp = (element * N as u32 + plane) / 32;
        Self {
            element,
            point,
            bank: (slot(element as usize, point as usize) / 4 % 32) as u8,
            read: (warp * (N * N) as u32 + point % (N * N) as u32) as u8,
        }
    }
}

/// Bank accesses of the nodes that have been ordered so far.
struct Banks {
    /// Position of the next node.
    next: usize,
    /// Number of threads of the current warp in each bank, for each slot index.
    sums: Vec<[u8; 32]>,
    /// Number of nodes in each bank, for each warp read of planes; empty if nodes are not read in this order.
    reads: Vec<[u8; 32]>,
}

impl Banks {
    fn new(are_read: bool) -> Self {
        let reads = if are_read { PLANES.div_ceil(32) * N * N } else { 0 };
        Self { next: 0, sums: Vec::new(), reads: vec![[0; 32]; reads] }
    }

    /// Number of bank conflicts that a node would add.
    fn conflicts(&self, places: &[Place]) -> u32 {
        let sums = places.iter().zip(&self.sums).map(|(place, met)| u32::from(met[usize::from(place.bank)]));
        let reads = places.iter().filter_map(|place| self.reads.get(usize::from(place.read)));
        let reads = reads.map(|met| u32::from(met[self.next % 32]));
        sums.sum::<u32>() + reads.sum::<u32>()
    }

    fn take(&mut self, places: &[Place]) {
        if self.next.is_multiple_of(32) {
            self.sums.clear();
        }
        self.sums.resize(self.sums.len().max(places.len()), [0; 32]);
        for (place, met) in places.iter().zip(&mut self.sums) {
            met[usize::from(place.bank)] += 1;
            if let Some(met) = self.reads.get_mut(usize::from(place.read)) {
                met[self.next % 32] += 1;
            }
        }
        self.next += 1;
    }
}

/// How the elements of a patch are connected to its nodes. Patches with equal local nodes have the same wiring.
struct Wiring {
    connection: Vec<[u32; 4]>,
    last_connection: Vec<u16>,
    table: Vec<u16>,
    /// Rows of inner and shared nodes in the table, and the start of the offsets among shared nodes.
    rows: [usize; 2],
    targets: usize,
}

impl Wiring {
    fn new(patch: &DevicePatch, components: usize) -> Self {
        let (table, rows, targets) = sums(patch, components);
        let connection = connection_of(patch, patch.inner.next_multiple_of(THREADS), components);
        Self {
            connection: (0..3).flat_map(|q| connection.iter().map(move |plane| packed(&plane[8 * q..]))).collect(),
            last_connection: connection.iter().map(|plane| plane[N * N - 1]).collect(),
            table,
            rows,
            targets,
        }
    }
}

impl PatchArrays {
    /// Builds the arrays for the patches of `on`, which `runs` contain.
    pub fn new<T: Scalar>(on: &Discretisation<T>, nodes: &DeviceNodes, runs: &[Run]) -> Self {
        let local: Vec<(usize, &[u16])> = nodes.patches.iter().map(|patch| (patch.inner, &patch.local[..])).collect();
        let groups = Groups::new(&local);
        let wirings = groups.compute(|patch| Wiring::new(&nodes.patches[patch], nodes.components()));
        let storage: Vec<Storage> = runs.iter().flat_map(|run| run.patches.clone().map(|_| run.storage)).collect();
        let lanes = T::lanes(on.isa);
        let lay_out = |((patch, data), &storage): ((&DevicePatch, &ElementData<T>), &Storage)| {
            let geometry = geometry_of(data, on.mesh().geometry, patch.elements.len(), lanes);
            (geometry, sites::of_patch(data, patch.elements.len(), lanes, storage))
        };
        let parts: Vec<(Vec<f32>, Sites)> =
            nodes.patches.par_iter().zip(&on.of(nodes.phase).patches).zip(&storage).map(lay_out).collect();
        let mut all = Self::default();
        let mut first_table = Vec::with_capacity(wirings.len());
        for wiring in &wirings {
            first_table.push(all.tables.len() / 8);
            all.connection.extend(&wiring.connection);
            all.last_connection.extend(&wiring.last_connection);
            all.tables.extend(&wiring.table);
        }
        for ((patch, part), &group) in nodes.patches.iter().zip(parts).zip(&groups.of) {
            all.append(patch, &wirings[group as usize], [group, first_table[group as usize] as u32], part, nodes);
        }
        all.first_surface.push(all.surface.len() as u32);
        all
    }

    /// Appends a patch.
    ///
    /// # Arguments
    /// * `wired` – number of its wiring, and the start of the table in units of 8
    fn append(
        &mut self,
        patch: &DevicePatch,
        wiring: &Wiring,
        wired: [u32; 2],
        (geometry, sites): (Vec<f32>, Sites),
        nodes: &DeviceNodes,
    ) {
        let components = nodes.components();
        let [number, first_table] = wired;
        let first_surface = self.surface.len() as u32;
        self.patches.push([
            patch.first_inner,
            patch.inner as u32,
            first_surface,
            patch.shared.len() as u32,
            first_table,
            (wiring.table.len() / 8) as u32,
            wiring.rows[0] as u32,
            wiring.rows[1] as u32,
            0,
            0,
            wiring.targets as u32,
            number,
        ]);
        // One more entry for threads without a node.
        let staged = patch.inner.next_multiple_of(THREADS) + patch.shared.len().next_multiple_of(PADDING) + PADDING;
        let inner = patch.inner.next_multiple_of(PADDING);
        let nodes_and_slots = components * (ELEMENTS * SLOTS + staged + inner) + inner;
        let floats = nodes_and_slots + geometry.len() + sites.constants.len();
        self.shared_bytes.push(4 * floats + 2 * wiring.table.len());
        self.first_surface.push(first_surface);
        self.surface.extend(padded(patch.shared.iter().map(|&shared| nodes.first_shared + shared).collect()));
        self.geometry.extend(geometry);
        self.constants.push(sites.constants);
        self.words.push(sites.words);
    }

    /// Stores the range of its sources in the header of each patch, given the patch of each source in ascending order.
    pub fn place_sources(&mut self, patches: impl Iterator<Item = usize>) {
        for (source, patch) in patches.enumerate() {
            let [first, end] = [8, 9];
            let header = &mut self.patches[patch];
            if header[first] == header[end] {
                header[first] = source as u32;
            }
            header[end] = source as u32 + 1;
        }
    }
}

/// Byte offsets of the staged nodes of each thread's plane.
fn connection_of(patch: &DevicePatch, staged_inner: usize, components: usize) -> Vec<[u16; N * N]> {
    let offset = |thread: usize, p: usize| -> u16 {
        let (element, k) = (thread / N, thread % N);
        if thread >= PLANES || element >= patch.elements.len() {
            return 0;
        }
        let local = usize::from(patch.local[element * N * N * N + k * N * N + p]);
        let staged = if local < patch.inner { local } else { staged_inner + local - patch.inner };
        (4 * components * staged) as u16
    };
    (0..THREADS).map(|thread| std::array::from_fn(|p| offset(thread, p))).collect()
}

/// Packs eight offsets into 16 bytes.
fn packed(offsets: &[u16]) -> [u32; 4] {
    std::array::from_fn(|word| u32::from(offsets[2 * word]) | u32::from(offsets[2 * word + 1]) << 16)
}

/// Pads a list of node numbers to a multiple of 16 bytes.
fn padded(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.resize(numbers.len().next_multiple_of(PADDING), 0);
    numbers
}

/// Byte offset of the slot of a point of an element, for the first component.
fn slot(element: usize, point: usize) -> u16 {
    let (i, j, k) = (point % N, point / N % N, point / (N * N));
    (4 * (SLOTS * element + 33 * k + j + 5 * i)) as u16
}

/// Offset of a slot that is always zero.
const NO_SLOT: u16 = 4 * (N * N) as u16;

/// The summation table of a patch, in rows of [`THREADS`] inner nodes and rows of shared nodes. It consists of
/// 1. the largest number of slots of a node, for each row;
/// 2. the byte offsets of the slots, row by row and slot by slot;
/// 3. the byte offset of each sum among the shared nodes, row by row.
///
/// Returns the padded table, the numbers of inner and shared rows, and the start of part 3.
fn sums(patch: &DevicePatch, components: usize) -> (Vec<u16>, [usize; 2], usize) {
    let places = places_of(&patch.local);
    let (inner, surface) = places.split_at(patch.inner);
    let on_surface = order_by_banks(surface, Banks::new(false));
    let surface: Vec<Vec<Place>> = on_surface.iter().map(|&node| surface[node].clone()).collect();
    let rows = || [inner, &surface].into_iter().flat_map(|nodes| nodes.chunks(THREADS));
    let most = |row: &[Vec<Place>]| row.iter().map(Vec::len).max().unwrap_or(0);
    let mut table: Vec<u16> = rows().map(|row| most(row) as u16).collect();
    for row in rows() {
        let offset = |thread: usize, index: usize| {
            let place = row.get(thread).and_then(|places| places.get(index));
            place.map_or(NO_SLOT, |place| slot(place.element as usize, place.point as usize))
        };
        let all = (0..most(row)).flat_map(|index| (0..THREADS).map(move |thread| (thread, index)));
        table.extend(all.map(|(thread, index)| offset(thread, index)));
    }
    let rows_of_surface = surface.len().div_ceil(THREADS);
    // Threads without a node write after the last one.
    let nowhere = surface.len().next_multiple_of(PADDING);
    let target = |index: usize| (4 * components * on_surface.get(index).copied().unwrap_or(nowhere)) as u16;
    let targets = table.len();
    table.extend((0..rows_of_surface * THREADS).map(target));
    table.resize(table.len().next_multiple_of(8), 0);
    (table, [patch.inner.div_ceil(THREADS), rows_of_surface], targets)
}

/// Geometry, `[value][element]`: the seven vectors of a trilinear map, or 27 control nodes. Unused elements repeat the last one.
fn geometry_of<T: Scalar>(data: &ElementData<T>, geometry: Geometry, elements: usize, lanes: usize) -> Vec<f32> {
    let nodes = geometry.per_element();
    let values: Vec<Vec<f32>> = (0..ELEMENTS)
        .map(|slot| {
            let element = slot.min(elements - 1);
            let control =
                |row: usize| data.geometry[(element / lanes * 3 * nodes + row) * lanes + element % lanes].to_f64();
            match geometry {
                Geometry::Linear8 => trilinear(control),
                Geometry::Quadratic27 => (0..3 * nodes).map(|row| control(row) as f32).collect(),
            }
        })
        .collect();
    transposed(&values)
}

/// Coefficients of xi, eta, zeta, xi eta, xi zeta, eta zeta, xi eta zeta in the trilinear map of eight corners.
fn trilinear(control: impl Fn(usize) -> f64) -> Vec<f32> {
    const TERMS: [[bool; 3]; 7] = [
        [true, false, false],
        [false, true, false],
        [false, false, true],
        [true, true, false],
        [true, false, true],
        [false, true, true],
        [true, true, true],
    ];
    let sign = |corner: usize, term: &[bool; 3]| -> f64 {
        (0..3).filter(|&axis| term[axis]).map(|axis| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 }).product()
    };
    let component =
        |term, c: usize| (0..8).map(|corner| sign(corner, term) * control(3 * corner + c)).sum::<f64>() / 8.0;
    TERMS.iter().flat_map(|term| (0..3).map(move |c| component(term, c) as f32)).collect()
}

/// Transposes `[row][value]` to `[value][row]`.
pub fn transposed(rows: &[Vec<f32>]) -> Vec<f32> {
    (0..rows[0].len()).flat_map(|value| rows.iter().map(move |row| row[value])).collect()
}
