//! The arrays of `kernels/patch.cu`, which assembles patches of neighbouring elements of degree 4 in shared memory.

use std::collections::HashMap;

use craton_device::Scalar;
use craton_mesh::Geometry;
use rayon::prelude::*;

use super::bank_order::{Place, interior_of};
use super::nodes::{DeviceNodes, DevicePatch, PADDING};
use super::patterns::Groups;
use crate::discretisation::Discretisation;
use craton_sem_kernels::ElementData;

use super::images::Storage;
use super::number_runs;
use super::rows::joined;
use super::runs::Run;
use super::sites::{self, Sites};
use super::sums::{self, SumTable};

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
pub const SLOTS: usize = 165;
/// Number of values of a patch header.
pub const HEADER: usize = 14;

/// Input arrays of the kernel, patch by patch.
#[derive(Default)]
pub struct PatchArrays {
    /// The headers.
    pub patches: Vec<[u32; HEADER]>,
    /// Byte offsets of the staged nodes of a thread's plane, two per word: `[wiring][3][plane][4]`.
    pub connection: Vec<[u32; 4]>,
    /// Byte offset of the last point of the plane: `[wiring][plane]`.
    pub last_connection: Vec<u16>,
    /// Summation tables of the wirings, and of the nodes inside elements, the same for all patches with the same number of elements.
    pub tables: Vec<u16>,
    /// Runs of the device numbers of the shared nodes of each patch; the length of each list is a multiple of 4.
    pub surface: Vec<u32>,
    /// Geometry, `[patch][value][element]`.
    pub geometry: Vec<f32>,
    /// Material constants in shared memory, `[patch][value][element]`.
    pub constants: Vec<Vec<f32>>,
    /// Material parameters that vary inside elements, `[patch][row][word][thread]`.
    pub words: Vec<Vec<u32>>,
    /// Bytes of shared memory that each patch needs.
    pub shared_bytes: Vec<usize>,
    /// First of the sums of each patch at its shared nodes, and the number of sums at the end.
    pub first_surface: Vec<u32>,
}

/// How the elements of a patch are connected to its nodes. Patches with equal local nodes have the same wiring.
struct Wiring {
    connection: Vec<[u32; 4]>,
    last_connection: Vec<u16>,
    sums: SumTable,
    /// Nodes inside elements.
    interior: &'static [Place],
}

impl Wiring {
    fn new(patch: &DevicePatch, components: usize) -> Self {
        let connection = connection_of(patch, patch.inner.next_multiple_of(THREADS), components);
        Self {
            connection: (0..3).flat_map(|q| connection.iter().map(move |plane| packed(&plane[8 * q..]))).collect(),
            last_connection: connection.iter().map(|plane| plane[N * N - 1]).collect(),
            sums: SumTable::new(patch, components),
            interior: interior_of(&patch.local, patch.inner),
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
            ((geometry, surface_of(patch, nodes)), sites::of_patch(data, patch.elements.len(), lanes, storage))
        };
        let parts = nodes.patches.par_iter().zip(&on.of(nodes.phase).patches).zip(&storage).map(lay_out);
        let (lists, sites): (Vec<_>, Vec<Sites>) = parts.unzip();
        let (geometry, surface): (Vec<Vec<f32>>, Vec<Vec<u32>>) = lists.into_iter().unzip();
        let mut all =
            Self { first_surface: vec![0], geometry: joined(&geometry), surface: joined(&surface), ..Self::default() };
        let mut of_interior = HashMap::new();
        let mut own_tables = Vec::with_capacity(wirings.len());
        for wiring in &wirings {
            own_tables.push(all.add_table(&wiring.sums.table));
            all.connection.extend(&wiring.connection);
            all.last_connection.extend(&wiring.last_connection);
        }
        let mut first_run = 0;
        let lists = geometry.iter().zip(&surface).zip(sites);
        for ((patch, ((geometry, surface), sites)), &group) in nodes.patches.iter().zip(lists).zip(&groups.of) {
            let wiring = &wirings[group as usize];
            let inside = wiring.interior;
            let interior =
                *of_interior.entry(inside.len()).or_insert_with(|| all.add_table(&sums::of_interior(inside)));
            let tables = [own_tables[group as usize], interior];
            let wired = [group, wiring.sums.targets as u32, inside.len() as u32];
            all.append(patch, wired, tables, [first_run, surface.len()], (geometry.len(), sites), nodes.components());
            first_run += surface.len();
        }
        all
    }

    /// Appends a summation table. Returns its start and its length, in units of 8.
    fn add_table(&mut self, table: &[u16]) -> [u32; 2] {
        let first = self.tables.len() / 8;
        self.tables.extend(table);
        [first, table.len() / 8].map(|entries| entries as u32)
    }

    /// Appends the header and the sites of a patch.
    ///
    /// # Arguments
    /// * `wired` – number of its wiring, the start of the places of sums in its table, and the number of nodes inside elements
    /// * `tables` – starts and lengths of its table and of that of the nodes inside elements
    /// * `surface` – start and length of the runs of its shared nodes
    /// * `geometry` – number of its values
    fn append(
        &mut self,
        patch: &DevicePatch,
        [wiring, targets, inside]: [u32; 3],
        tables: [[u32; 2]; 2],
        surface: [usize; 2],
        (geometry, sites): (usize, Sites),
        components: usize,
    ) {
        let first_surface = self.first_surface[self.first_surface.len() - 1];
        self.patches.push([
            patch.first_inner,
            patch.inner as u32,
            first_surface,
            patch.shared.len() as u32,
            tables[0][0],
            tables[0][1],
            surface[0] as u32,
            surface[1] as u32,
            0,
            0,
            targets,
            wiring,
            inside,
            tables[1][0],
        ]);
        // One more entry for threads without a node.
        let staged = patch.inner.next_multiple_of(THREADS) + patch.shared.len().next_multiple_of(PADDING) + PADDING;
        let inner = patch.inner.next_multiple_of(PADDING);
        let nodes_and_slots = components * (ELEMENTS * SLOTS + staged + inner) + inner;
        let floats = nodes_and_slots + geometry + sites.constants.len();
        self.shared_bytes.push(4 * floats + 16 * (tables[0][1] + tables[1][1]) as usize);
        self.first_surface.push(first_surface + patch.shared.len().next_multiple_of(PADDING) as u32);
        self.constants.push(sites.constants);
        self.words.push(sites.words);
    }

    /// Number of sums of the patches at their shared nodes.
    pub fn n_sums(&self) -> usize {
        self.first_surface.last().map_or(0, |&end| end as usize)
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

/// Runs of the device numbers of the shared nodes of a patch.
fn surface_of(patch: &DevicePatch, nodes: &DeviceNodes) -> Vec<u32> {
    let numbers: Vec<u32> = patch.shared.iter().map(|&shared| nodes.first_shared + shared).collect();
    let mut runs = number_runs::of_numbers(&numbers);
    runs.resize(runs.len().next_multiple_of(PADDING), 0);
    runs
}

/// Byte offsets of the staged nodes of each plane.
fn connection_of(patch: &DevicePatch, staged_inner: usize, components: usize) -> Vec<[u16; N * N]> {
    let offset = |plane: usize, p: usize| -> u16 {
        let (element, k) = (plane / N, plane % N);
        if element >= patch.elements.len() {
            return 0;
        }
        let local = usize::from(patch.local[element * N * N * N + k * N * N + p]);
        let staged = if local < patch.inner { local } else { staged_inner + local - patch.inner };
        (4 * components * staged) as u16
    };
    (0..PLANES).map(|plane| std::array::from_fn(|p| offset(plane, p))).collect()
}

/// Packs eight offsets into 16 bytes.
fn packed(offsets: &[u16]) -> [u32; 4] {
    std::array::from_fn(|word| u32::from(offsets[2 * word]) | u32::from(offsets[2 * word + 1]) << 16)
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
