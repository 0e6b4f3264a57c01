// One step of a patch of adjacent elements of degree 4 in single precision: staged, computed and summed in shared memory.
//
// A thread owns a plane zeta = const of an element, in registers; the same threads own the planes eta = const for the derivative along zeta and its
// transpose. Inner nodes are updated in place; the sums at nodes on the surface of the patch are written to separate slots, which `move_nodes` adds in
// the order of the patches. The mesh fixes the order of every sum: results do not depend on the scheduling of blocks.
//
// A launch computes a run of patches of one law. Compile-time: CONTROL (control nodes per axis, 2 or 3), LAW (a law of element.cuh), VARIES (see
// plane_sites.cuh), RELAXES (see element.cuh), PML (see plane_pml.cuh).

#include "device.cuh"
#include "async.cuh"
#include "patch_sums.cuh"
#include "runs.cuh"
#include "sources.cuh"
#include "plane_passes.cuh"
#include "plane_pml.cuh"

namespace craton {
namespace {

// Surface nodes that a thread copies at a time.
constexpr int BATCH = 8;
// Resident blocks per multiprocessor, which registers and shared memory limit.
constexpr int BLOCKS = C == 1 ? 4 : 2;

// A patch in the layout of the host. Runs of inner nodes begin at multiples of 4.
struct Patch {
    unsigned first_inner;    // its inner nodes are consecutive
    unsigned inner;          // their number
    unsigned first_surface;  // the first of its entries in `surface_sums`
    unsigned surface;        // nodes on its surface
    unsigned table;          // offset of its table of slots, in units of 8
    unsigned table_length;   // in the same units
    unsigned runs;           // the first word of its entry in `surface`
    unsigned runs_length;    // number of these words, a multiple of 4
    unsigned first_source, end_source;
    unsigned targets;         // offset of those of the surface in the table
    unsigned wiring;          // its entry in `connection`
    unsigned interior;        // nodes inside elements, the last inner ones
    unsigned interior_table;  // offset of their table of slots, in units of 8
};

// Computes the thread's entries of a list of node numbers in runs, from entry `first` on, a multiple of 32.
__device__ __forceinline__ void load_ids(const unsigned* __restrict__ runs, unsigned first, unsigned count, unsigned (&ids)[BATCH]) {
    const unsigned place = first + threadIdx.x;
    const uint2* own = (const uint2*)runs + place / 32;
    uint2 chunks[BATCH];
#pragma unroll
    for (int q = 0; q < BATCH; ++q) {
        if (place + q * THREADS < count) chunks[q] = own[q * WARPS];
    }
#pragma unroll
    for (int q = 0; q < BATCH; ++q) {
        if (place + q * THREADS < count) ids[q] = runs[run_of(chunks[q], threadIdx.x)] + (place + q * THREADS);
    }
}

// Copies values of the surface of a patch to shared memory, in a copy group of its own.
__device__ __forceinline__ void copy_surface(float* shared, const float* values, const unsigned* surface, unsigned count) {
#pragma unroll 1
    for (unsigned first = 0; first < count; first += BATCH * THREADS) {
        unsigned ids[BATCH];
        load_ids(surface, first, count, ids);
#pragma unroll
        for (int q = 0; q < BATCH; ++q) {
            const unsigned node = first + q * THREADS + threadIdx.x;
            if (node < count) {
#pragma unroll
                for (int c = 0; c < C; ++c) copy_async<4>(shared + C * node + c, values + (size_t)ids[q] * C + c);
            }
        }
    }
    commit_copies();
}

// Prefetches into the L2 cache what a later block will stage; called by one thread.
__device__ __forceinline__ void bring_nearer(const Patch& next, unsigned number, const uint4* connection, const uint4* tables,
                                             const unsigned* surface, const float* geometry, const float* u, const float* v) {
    const unsigned inner_bytes = ((next.inner + 3) & ~3u) * 4;
    prefetch(surface + next.runs, next.runs_length * 4);
    prefetch(connection + (size_t)next.wiring * 3 * PLANES, 3 * PLANES * 16);
    prefetch(u + (size_t)next.first_inner * C, C * inner_bytes);
    prefetch(geometry + (size_t)number * GEOMETRY * ELEMENTS, GEOMETRY * ELEMENTS * 4);
    prefetch(tables + next.table, next.table_length * 16);
    prefetch(v + (size_t)next.first_inner * C, C * inner_bytes);
}

}  // namespace
}  // namespace craton

// Advances every patch by one step, one block per patch.
//
// `connection[wiring][3][plane]` and `last_connection[wiring][plane]` contain, for the 25 points of a plane, the byte offset of the node among the
// staged nodes of a patch; `surface` contains the numbers of the nodes on the surface of each patch in runs: chunks of 32 nodes, see `run_of`, then for each
// run the difference of a number and its position; `geometry[patch][value][element]`; `constants[patch][value][element]`, `words[patch][row][word][thread]`,
// `moduli` and `memory` are in the layout of plane_sites.cuh, `pml` and `pml_memory` in that of plane_pml.cuh, only for the patches from `first` on. A block
// prefetches for the patch `ahead` blocks later, which is the number of blocks that run at a time.
extern "C" __global__ void __launch_bounds__(128, craton::BLOCKS)
    advance_patches(const craton::Patch* __restrict__ patches, unsigned first, const uint4* __restrict__ connection,
                    const unsigned short* __restrict__ last_connection, const uint4* __restrict__ tables,
                    const unsigned* __restrict__ surface, const float* __restrict__ geometry,
                    const float* __restrict__ constants, const unsigned* __restrict__ words, unsigned mechanisms,
                    const float* __restrict__ decays, const float* __restrict__ moduli, float* __restrict__ memory,
                    const float* __restrict__ pml, float* __restrict__ pml_memory,
                    const float* __restrict__ dt_over_mass, float dt,
                    const craton::Source* __restrict__ sources, const float* __restrict__ source_weights,
                    const float* __restrict__ histories, const unsigned* __restrict__ step,
                    float* __restrict__ u, float* __restrict__ v, float* __restrict__ surface_sums, unsigned ahead) {
    using namespace craton;
    CRATON_SHARED(float, shared);
    __shared__ unsigned long long barriers[2];
    const unsigned thread = threadIdx.x, own = first + blockIdx.x, number = own + ahead, end = first + gridDim.x;
    const bool active = thread < PLANES;
    const unsigned safe_thread = active ? thread : 0;
    const Patch patch = patches[own];
    const Patch next = patches[min(number, end - 1)];
    uint4 packed[3];
#pragma unroll
    for (int q = 0; q < 3; ++q) packed[q] = connection[((size_t)patch.wiring * 3 + q) * PLANES + safe_thread];
    const unsigned short last = last_connection[(size_t)patch.wiring * PLANES + safe_thread];
    unsigned ids[BATCH];
    load_ids(surface + patch.runs, 0, patch.surface, ids);

    // Shared memory: slots of the elements, then the staged arrays. Threads beyond the nodes of the last row also compute: displacements have room for
    // complete rows, velocities may overwrite the geometry, which is no longer needed by then, and masses are read from the table behind them.
    const unsigned inner_bytes = ((patch.inner + 3) & ~3u) * 4, inner = rows_of(patch.inner, 0) * THREADS;
    float* slots = shared;
    float* staged_u = slots + C * COMPONENT;
    float* staged_v = staged_u + C * (inner + ((patch.surface + 3) & ~3u) + 4);
    float* staged_geometry = staged_v + C * (inner_bytes / 4);
    static_assert(GEOMETRY * ELEMENTS >= C * THREADS, "the geometry has room for a row of velocities");
    float* staged_constants = staged_geometry + GEOMETRY * ELEMENTS;
    float* staged_mass = staged_constants + STAGED * ELEMENTS;
    unsigned short* table = (unsigned short*)(staged_mass + inner_bytes / 4);
    unsigned short* interior_table = table + 8 * patch.table_length;

    // Displacements and geometry first; arrays needed only at the end follow in a second group.
    float* own_u = u + (size_t)patch.first_inner * C;
    float* own_v = v + (size_t)patch.first_inner * C;
    const Staging staging(barriers);
    staging.start<0>(staged_u, own_u, C * inner_bytes);
    staging.start<0>(staged_geometry, geometry + (size_t)own * GEOMETRY * ELEMENTS, GEOMETRY * ELEMENTS * 4);
    if (STAGED > 0) staging.start<0>(staged_constants, constants + (size_t)blockIdx.x * STAGED * ELEMENTS, STAGED * ELEMENTS * 4);
    const unsigned* own_words = words + (size_t)blockIdx.x * N * ROW_WORDS * PLANES;
    if (ROW_WORDS > 0 && thread == 0) prefetch(own_words, ROW_WORDS * PLANES * 4);
    if (RELAXES > 0 && thread == 0) {
        const unsigned bytes = 24 * mechanisms * RELAXING_POINTS * RELAXING_PLANES;
        prefetch((const char*)memory + (size_t)blockIdx.x * bytes, bytes);
    }
    if (PML > 0 && thread == 0) PlanePml(pml, pml_memory, 0).bring_nearer<DERIVATIVE>();
    for (unsigned first = 0; first < patch.surface; first += BATCH * THREADS) {
        if (first > 0) load_ids(surface + patch.runs, first, patch.surface, ids);
#pragma unroll
        for (int q = 0; q < BATCH; ++q) {
            const unsigned node = first + q * THREADS + thread;
            if (node < patch.surface) {
#pragma unroll
                for (int c = 0; c < C; ++c) {
                    copy_async<4>(staged_u + C * (inner + node) + c, u + (size_t)ids[q] * C + c);
                }
            }
        }
    }
    staging.commit<0>();
    staging.start<1>(table, tables + patch.table, patch.table_length * 16);
    staging.start<1>(interior_table, tables + patch.interior_table, (patch.interior + 38) / 8 * 16);
    staging.start<1>(staged_v, own_v, C * inner_bytes);
    staging.start<1>(staged_mass, dt_over_mass + patch.first_inner, inner_bytes);
    staging.commit<1>();
    if (thread < C) slots[thread * COMPONENT + NO_SLOT] = 0;

    const unsigned element = thread / N, k = thread % N;
    const unsigned safe_element = active ? element : 0;
    const float zeta = pick<gll4::point>(k);
    const float weight = pick<gll4::weight>(k);
    float* plane_slots = slots + SLOTS * safe_element + 33 * k;
    float* column_slots = slots + SLOTS * safe_element + k;

    staging.wait<0>();
    if (thread == 0 && number < end) bring_nearer(next, number, connection, tables, surface, geometry, u, v);
    float field[C][N * N];
    if (active) {
#pragma unroll
        for (int p = 0; p < N * N; ++p) {
            const unsigned word = p == 24 ? last
                                          : ((p / 2 % 4 == 0   ? packed[p / 8].x
                                              : p / 2 % 4 == 1 ? packed[p / 8].y
                                              : p / 2 % 4 == 2 ? packed[p / 8].z
                                                               : packed[p / 8].w) >>
                                             (p % 2 * 16) & 0xffffu);
            const float* node = (const float*)((const char*)staged_u + word);
#pragma unroll
            for (int c = 0; c < C; ++c) {
                field[c][p] = node[c];
                plane_slots[c * COMPONENT + slot_of(p % N, p / N, 0)] = field[c][p];
            }
        }
    }
    __syncthreads();
    const PlanePml layers(pml, pml_memory, safe_element);
    if constexpr (PML > 0) {
        // The displacements of the surface are no longer needed: its velocities overwrite them.
        copy_surface(staged_u + C * inner, v, surface + patch.runs, patch.surface);
        if (thread == 0) layers.bring_nearer<FORCE>();
    }
    if (active) pass_along_zeta<false>(column_slots, layers);
    __syncthreads();
    if (active) {
        float eta[C][N * N];
        Plane plane(staged_geometry + element, zeta);
        Sites sites(staged_constants + element, own_words + thread, zeta);
        const PlaneRelaxation relaxation(mechanisms, decays, moduli, memory, element, k);
        derive_plane(field, eta);
        layers.filter_plane<DERIVATIVE>(field, eta);
        pass_over_plane(plane, sites, relaxation, -weight, field, eta, plane_slots);
        if constexpr (PML > 1) {
            diverge_along_xi(field);
            diverge_along_eta(eta);
            layers.filter_plane<FORCE>(field, eta);
            add_plane(field, eta);
        } else {
            diverge_plane(field, eta);
        }
    }
    __syncthreads();
    if (active) pass_along_zeta<true>(column_slots, layers);
    __syncthreads();
    if (active) {
#pragma unroll
        for (int p = 0; p < N * N; ++p) {
#pragma unroll
            for (int c = 0; c < C; ++c) plane_slots[c * COMPONENT + slot_of(p % N, p / N, 0)] += field[c][p];
        }
    }
    if (PML > 0) wait_copies<0>();
    staging.wait<1>();
    if constexpr (PML > 0) {
        const StagedVelocities velocities{staged_v, staged_u, inner * C * 4, connection + (size_t)patch.wiring * 3 * PLANES,
                                          last_connection + (size_t)patch.wiring * PLANES};
        if (active) layers.damp_plane(velocities, plane_slots);
        __syncthreads();
        if constexpr (PML > 1) {
            if (active) layers.damp_columns(velocities, column_slots);
            __syncthreads();
        }
    }

    for (unsigned s = patch.first_source; s < patch.end_source; ++s) {
        const float amplitude = sources[s].amplitude(histories, *step);
        if (amplitude == 0) continue;
        if (active && element == sources[s].element) {
            for (int p = 0; p < N * N; ++p) {
                for (int c = 0; c < C; ++c) {
                    plane_slots[c * COMPONENT + slot_of(p % N, p / N, 0)] +=
                        amplitude * source_weights[((size_t)s * C + c) * 125 + 25 * k + p];
                }
            }
        }
        __syncthreads();
    }

    const unsigned warp = thread / 32, first_interior = patch.inner - patch.interior;
    const unsigned short* most = table + WARPS + warp;
    const unsigned short* entries = table + table[warp] + thread % 32;
    const Rows rows{staged_u + C * thread, staged_v + C * thread, staged_mass + thread, dt};
    unsigned row = 0;
    for (; row < rows_of(first_interior, warp); ++row) {
        rows.move<1>(row, [&](float (&sum)[1][C]) { sum_row(slots, most[WARPS * row], entries, sum[0]); });
    }
    // The position of the thread's node among those inside elements is that of its row and this difference.
    const unsigned shift = thread - first_interior;
    const unsigned inner_rows = rows_of(patch.inner, warp);
    for (; row + 3 <= inner_rows; row += 3) {
        rows.move<3>(row, [&](float (&sum)[3][C]) { take_slots(slots, interior_table + (row * THREADS + shift), sum); });
    }
    for (; row < inner_rows; ++row) {
        rows.move<1>(row, [&](float (&sum)[1][C]) { take_slots(slots, interior_table + (row * THREADS + shift), sum); });
    }
    // The displacements of the surface are no longer needed; its sums overwrite them, in the order of the surface.
    char* surface_u = (char*)(staged_u + C * inner);
    const unsigned short* targets = (const unsigned short*)table + patch.targets + thread;
    most += WARPS * rows_of(first_interior, 0);
    for (row = 0; row < rows_of(patch.surface, warp); ++row) {
        float sum[C];
        sum_row(slots, most[WARPS * row], entries, sum);
        float* target = (float*)(surface_u + targets[row * THREADS]);
#pragma unroll
        for (int c = 0; c < C; ++c) target[c] = sum[c];
    }
    prepare_write_back();
    __syncthreads();
    write_back(own_u, staged_u, own_v, staged_v, C * inner_bytes, surface_sums + (size_t)patch.first_surface * C, staged_u + C * inner,
               ((patch.surface + 3) & ~3u) * 4 * C);
}

CRATON_ENTRY(advance_patches)
