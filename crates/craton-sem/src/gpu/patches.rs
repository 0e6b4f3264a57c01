//! The arrays of `kernels/patch.cu`: patches of neighbouring elements of degree 4, assembled in shared memory.

use std::cmp::Reverse;
use std::ops::Range;

use craton_device::Scalar;
use craton_mesh::Geometry;
use rayon::prelude::*;

use super::nodes::{DeviceNodes, DevicePatch, PADDING};
use crate::discretisation::Discretisation;
use crate::kernel::ElementData;

/// Elements of a patch, at most.
pub const ELEMENTS: usize = 24;
/// Points per axis.
const N: usize = 5;
/// Threads of a block, and those that own a plane.
pub const THREADS: usize = 128;
const PLANES: usize = ELEMENTS * N;
/// Floats of an element's slots, of one component.
const SLOTS: usize = 165;
/// Values of a patch's header.
const HEADER: usize = 10;

/// Everything the kernel reads, patch by patch.
#[derive(Default)]
pub struct PatchArrays {
    /// The headers.
    pub patches: Vec<[u32; HEADER]>,
    /// Byte offsets of the staged nodes of a thread's plane, in pairs: `[patch][3][thread][4]`.
    pub connection: Vec<[u32; 4]>,
    /// That of the last point: `[patch][thread]`.
    pub last_connection: Vec<u16>,
    /// Diagonals of the sums, and the offsets of the slots: multiples of 8 for each patch.
    pub tables: Vec<u16>,
    /// Node numbers on the surfaces, patch by patch.
    pub surface: Vec<u32>,
    /// `[patch][value][element]`.
    pub geometry: Vec<f32>,
    /// `[patch][site][parameter][thread]`, or `[patch][parameter][element]` if constant in every element.
    pub material: Vec<f32>,
    /// Whether materials vary inside elements.
    pub varies: bool,
    /// Bytes of shared memory that the largest patch needs.
    pub shared_bytes: usize,
    /// First entry of each patch in `surface`, and their number.
    pub first_surface: Vec<u32>,
}

/// The order of local nodes that keeps the banks of shared memory apart: first the nodes that most elements share; among those that as many share,
/// by the point they are of the first element that has them, then by that element, so that neighbouring threads meet neighbouring elements;
/// where their slots would lie in the same bank as those of the nodes before them, later ones come first.
pub fn order(local: &[u16], range: Range<usize>) -> Vec<u16> {
    let mut places = vec![Vec::new(); range.len()];
    for (place, &node) in local.iter().enumerate() {
        if let Some(places) = usize::from(node).checked_sub(range.start).and_then(|index| places.get_mut(index)) {
            places.push(place as u32);
        }
    }
    let points = (N * N * N) as u32;
    let mut nodes: Vec<usize> = (0..places.len()).collect();
    nodes.sort_by_key(|&node| {
        let first = places[node][0];
        (Reverse(places[node].len()), first % points, first / points)
    });
    let banks = |node: usize| {
        places[node].iter().map(|&place| slot((place / points) as usize, (place % points) as usize) / 4 % 32)
    };
    let mut warp = Warp::default();
    let mut ordered = Vec::with_capacity(nodes.len());
    for class in nodes.chunk_by_mut(|&a, &b| places[a].len() == places[b].len()) {
        for next in 0..class.len() {
            let window = &class[next..class.len().min(next + WINDOW)];
            let cost = |&(_, &node): &(usize, &usize)| warp.conflicts(banks(node));
            let free = window.iter().enumerate().find(|candidate| cost(candidate) == 0);
            let best = free.or_else(|| window.iter().enumerate().min_by_key(cost));
            let chosen = next + best.map_or(0, |(index, _)| index);
            class[next..=chosen].rotate_right(1);
            warp.take(banks(class[next]));
            ordered.push((range.start + class[next]) as u16);
        }
    }
    ordered
}

/// Candidates that [`order`] looks at.
const WINDOW: usize = 48;

/// How often the threads of a warp meet each bank, one list for each of their slots.
#[derive(Default)]
struct Warp {
    threads: usize,
    met: Vec<[u8; 32]>,
}

impl Warp {
    /// Threads that a thread with slots in these banks would have to wait for.
    fn conflicts(&self, banks: impl Iterator<Item = u16>) -> u32 {
        banks.zip(&self.met).map(|(bank, met)| u32::from(met[usize::from(bank)])).sum()
    }

    fn take(&mut self, banks: impl Iterator<Item = u16>) {
        if self.threads % 32 == 0 {
            self.met.clear();
        }
        self.threads += 1;
        for (slot, bank) in banks.enumerate() {
            if slot == self.met.len() {
                self.met.push([0; 32]);
            }
            self.met[slot][usize::from(bank)] += 1;
        }
    }
}

impl PatchArrays {
    /// Lays the patches of `on` out.
    pub fn new<T: Scalar>(on: &Discretisation<T>, nodes: &DeviceNodes) -> Self {
        let varies = on.patches.iter().any(|patch| patch.material_varies) || on.anisotropic();
        let parts: Vec<Self> = nodes
            .patches
            .par_iter()
            .zip(&on.patches)
            .map(|(patch, data)| Self::of_patch(patch, data, on.mesh.geometry, T::lanes(on.isa), varies, nodes))
            .collect();
        let mut all = Self { varies, ..Self::default() };
        for part in parts {
            all.append(part);
        }
        all.first_surface.push(all.surface.len() as u32);
        all
    }

    fn append(&mut self, part: Self) {
        for mut header in part.patches {
            header[2] += self.surface.len() as u32;
            header[4] += (self.tables.len() / 8) as u32;
            self.first_surface.push(self.surface.len() as u32);
            self.patches.push(header);
        }
        self.connection.extend(part.connection);
        self.last_connection.extend(part.last_connection);
        self.tables.extend(part.tables);
        self.surface.extend(part.surface);
        self.geometry.extend(part.geometry);
        self.material.extend(part.material);
        self.shared_bytes = self.shared_bytes.max(part.shared_bytes);
    }

    fn of_patch<T: Scalar>(
        patch: &DevicePatch,
        data: &ElementData<T>,
        geometry: Geometry,
        lanes: usize,
        varies: bool,
        nodes: &DeviceNodes,
    ) -> Self {
        let elements = patch.elements.len();
        let staged_inner = patch.inner.next_multiple_of(PADDING);
        let (tables, diagonals) = sums(patch);
        let connection = |thread: usize, p: usize| -> u16 {
            let (element, k) = (thread / N, thread % N);
            if thread >= PLANES || element >= elements {
                return 0;
            }
            let local = usize::from(patch.local[element * N * N * N + k * N * N + p]);
            let staged = if local < patch.inner { local } else { staged_inner + local - patch.inner };
            (12 * staged) as u16
        };
        let pair = |thread, p| u32::from(connection(thread, p)) | u32::from(connection(thread, p + 1)) << 16;
        let packed = |q: usize, thread: usize| std::array::from_fn(|word| pair(thread, 8 * q + 2 * word));
        let geometry_values = geometry_of(data, geometry, elements, lanes);
        let material = material_of(data, elements, lanes, varies);
        let staged_material = if varies { 0 } else { material.len() };
        let staged = staged_inner + patch.shared.len().next_multiple_of(PADDING);
        Self {
            patches: vec![[
                patch.first_inner,
                patch.inner as u32,
                0,
                patch.shared.len() as u32,
                0,
                (tables.len() / 8) as u32,
                diagonals[0] as u32,
                diagonals[1] as u32,
                0,
                0,
            ]],
            connection: (0..3)
                .flat_map(|q| (0..THREADS).map(move |thread| (q, thread)))
                .map(|(q, t)| packed(q, t))
                .collect(),
            last_connection: (0..THREADS).map(|thread| connection(thread, N * N - 1)).collect(),
            shared_bytes: 4
                * (3 * ELEMENTS * SLOTS + 3 * staged + 4 * staged_inner + geometry_values.len() + staged_material)
                + 2 * tables.len(),
            tables,
            surface: patch.shared.iter().map(|&shared| nodes.first_shared + shared).collect(),
            geometry: geometry_values,
            material,
            varies,
            first_surface: Vec::new(),
        }
    }

    /// Tells each patch which sources are its own, from the patch of each source, in ascending order.
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

/// Byte offset of the slot of a point of an element, of the first component.
fn slot(element: usize, point: usize) -> u16 {
    let (i, j, k) = (point % N, point / N % N, point / (N * N));
    (4 * (SLOTS * element + 33 * k + j + 5 * i)) as u16
}

/// The table of a patch: how many inner nodes have more than d slots, for each d; the same of the surface; then, d by d, the slots of
/// those nodes. Returns it, padded, and the numbers of diagonals.
fn sums(patch: &DevicePatch) -> (Vec<u16>, [usize; 2]) {
    let points = N * N * N;
    let mut slots_of = vec![Vec::new(); patch.moved_to.len()];
    for (place, &local) in patch.local.iter().enumerate() {
        slots_of[usize::from(local)].push(slot(place / points, place % points));
    }
    let (inner, surface) = slots_of.split_at(patch.inner);
    let longest = |nodes: &[Vec<u16>]| nodes.first().map_or(0, Vec::len);
    let mut table = Vec::new();
    for nodes in [inner, surface] {
        debug_assert!(nodes.is_sorted_by(|a, b| a.len() >= b.len()), "the order of nodes puts the most shared first");
        table.extend((0..longest(nodes)).map(|d| nodes.partition_point(|slots| slots.len() > d) as u16));
    }
    for nodes in [inner, surface] {
        for d in 0..longest(nodes) {
            table.extend(nodes.iter().map_while(|slots| slots.get(d)));
        }
    }
    table.resize(table.len().next_multiple_of(8), 0);
    (table, [longest(inner), longest(surface)])
}

/// `[value][element]`: the seven vectors of a trilinear map, or 27 control nodes; elements beyond the last repeat it.
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

/// Vectors along xi, eta, zeta, xi eta, xi zeta, eta zeta, xi eta zeta of a map given by eight corners.
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

/// `[site][parameter][thread]`, or `[parameter][element]`.
fn material_of<T: Scalar>(data: &ElementData<T>, elements: usize, lanes: usize, varies: bool) -> Vec<f32> {
    let points = N * N * N;
    let sites = if data.material_varies { points } else { 1 };
    let parameters = data.material.len() / (data.batches * sites * lanes);
    let value = |element: usize, point: usize, q: usize| -> f32 {
        let site = if data.material_varies { point } else { 0 };
        data.material[((element / lanes * sites + site) * parameters + q) * lanes + element % lanes].to_f64() as f32
    };
    if !varies {
        let of_element = |q| (0..ELEMENTS).map(move |slot| value(slot.min(elements - 1), 0, q));
        return (0..parameters).flat_map(of_element).collect();
    }
    let of_thread = |p: usize, q: usize| {
        (0..PLANES).map(move |thread| value((thread / N).min(elements - 1), thread % N * N * N + p, q))
    };
    (0..N * N).flat_map(|p| (0..parameters).map(move |q| (p, q))).flat_map(|(p, q)| of_thread(p, q)).collect()
}

/// `[value][row]` from `[row][value]`.
fn transposed(rows: &[Vec<f32>]) -> Vec<f32> {
    (0..rows[0].len()).flat_map(|value| rows.iter().map(move |row| row[value])).collect()
}
