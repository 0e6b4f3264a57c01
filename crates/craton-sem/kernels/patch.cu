// One step of a patch of neighbouring elements, degree 4, single precision: staged, computed and summed in shared memory.
//
// A thread owns a plane of an element (zeta = const) in registers; the same threads own the planes eta = const for the derivative along zeta and
// its transpose. Inner nodes move in place; the sums at nodes on the patch's surface go to slots of their own, which `move_nodes` adds in the
// order of the patches. Every sum has an order that the mesh fixes: results do not depend on how blocks are scheduled.
//
// Compile-time: CONTROL (control nodes per axis, 2 or 3), LAW (Isotropic, Anisotropic), VARIES (0: one set of parameters per element).

#include "device.cuh"
#include "async.cuh"
#include "element.cuh"
#include "gll4.cuh"

namespace craton {
namespace {

constexpr int N = 5;
constexpr int ELEMENTS = 24;         // of a patch, at most
constexpr int PLANES = ELEMENTS * N;  // threads at work
constexpr int THREADS = 128;
// Slots of an element: point (i, j, k) stands at 33 k + j + 5 i. Planes and columns of neighbouring threads then lie in different banks.
constexpr int SLOTS = 165;
constexpr int COMPONENT = ELEMENTS * SLOTS;
constexpr int GEOMETRY = CONTROL == 2 ? 21 : 81;
// Surface nodes that a thread has under way at a time.
constexpr int BATCH = 8;
// A slot that no point has, in the first element: it stays zero.
constexpr int NO_SLOT = N * N;

__device__ __forceinline__ constexpr int slot_of(int i, int j, int k) { return 33 * k + j + 5 * i; }

// A patch as the host lays it out. Runs of inner nodes begin at multiples of 4.
struct Patch {
    unsigned first_inner;    // its inner nodes follow one another
    unsigned inner;          // their number
    unsigned first_surface;  // of its entries in `surface` and `sums`
    unsigned surface;        // nodes on its surface
    unsigned table;          // where its table of slots begins, in units of 8
    unsigned table_length;   // likewise
    unsigned inner_rows, surface_rows;  // of its sums, a node per thread
    unsigned first_source, end_source;
    unsigned targets;  // where those of the surface begin in the table
};

// A point source in a patch: the element within it, and the row of `histories`.
struct Source {
    unsigned element, history;
};

// The geometry of a thread's plane: tangents at (xi_i, eta_j), prepared row by row.
#if CONTROL == 2
struct Plane {
    float a[3], b[3], c[3], e[3], f[3], g[3], h[3];  // x_xi = a + b eta, x_eta = c + b xi, x_zeta = e + f xi + g eta + h xi eta
    float row_xi[3], row_zeta[3], row_slope[3];

    __device__ __forceinline__ Plane(const float* vectors, float zeta) {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            const float* v = vectors + d * ELEMENTS;  // xi, eta, zeta, xi eta, xi zeta, eta zeta, xi eta zeta
            h[d] = v[18 * ELEMENTS];
            f[d] = v[12 * ELEMENTS];
            g[d] = v[15 * ELEMENTS];
            e[d] = v[6 * ELEMENTS];
            a[d] = op::fma(f[d], zeta, v[0]);
            c[d] = op::fma(g[d], zeta, v[3 * ELEMENTS]);
            b[d] = op::fma(h[d], zeta, v[9 * ELEMENTS]);
        }
    }
    __device__ __forceinline__ void row(int j) {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            row_xi[d] = op::fma(b[d], gll4::point(j), a[d]);
            row_zeta[d] = op::fma(g[d], gll4::point(j), e[d]);
            row_slope[d] = op::fma(h[d], gll4::point(j), f[d]);
        }
    }
    __device__ __forceinline__ void jacobian(int i, float (&jacobian)[3][3]) const {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            jacobian[0][d] = row_xi[d];
            jacobian[1][d] = op::fma(b[d], gll4::point(i), c[d]);
            jacobian[2][d] = op::fma(row_slope[d], gll4::point(i), row_zeta[d]);
        }
    }
};
#else
// Adds factor * value; factors that are zero or one when compiled cost nothing.
__device__ __forceinline__ void add(float& sum, bool& begun, float factor, float value) {
    if (factor == 0.0f) return;
    sum = begun ? op::fma(factor, value, sum) : (factor == 1.0f ? value : op::mul(factor, value));
    begun = true;
}

struct Plane {
    const float* nodes;  // [c][b][a][component], `ELEMENTS` apart, in shared memory
    float shape[3], slope[3];  // along zeta
    float position[3][3], along_eta[3][3], along_zeta[3][3];  // [a][component]

    __device__ __forceinline__ Plane(const float* nodes, float zeta) : nodes(nodes) {
        shape[0] = 0.5f * zeta * (zeta - 1.0f);
        shape[1] = 1.0f - zeta * zeta;
        shape[2] = 0.5f * zeta * (zeta + 1.0f);
        slope[0] = zeta - 0.5f;
        slope[1] = -2.0f * zeta;
        slope[2] = zeta + 0.5f;
    }
    __device__ __forceinline__ void row(int j) {
#pragma unroll
        for (int a = 0; a < 3; ++a) {
#pragma unroll
            for (int d = 0; d < 3; ++d) {
                float sums[3] = {0, 0, 0};
                bool begun[3] = {false, false, false};
#pragma unroll
                for (int b = 0; b < 3; ++b) {
                    if (gll4::shape(j, b) == 0.0f && gll4::slope(j, b) == 0.0f) continue;
                    const float* column = nodes + ((b * 3 + a) * 3 + d) * ELEMENTS;
                    const float low = column[0], middle = column[27 * ELEMENTS], high = column[54 * ELEMENTS];
                    const float at = op::fma(shape[2], high, op::fma(shape[1], middle, op::mul(shape[0], low)));
                    add(sums[0], begun[0], gll4::shape(j, b), at);
                    add(sums[1], begun[1], gll4::slope(j, b), at);
                    if (gll4::shape(j, b) != 0.0f) {
                        const float along = op::fma(slope[2], high, op::fma(slope[1], middle, op::mul(slope[0], low)));
                        add(sums[2], begun[2], gll4::shape(j, b), along);
                    }
                }
                position[a][d] = sums[0];
                along_eta[a][d] = sums[1];
                along_zeta[a][d] = sums[2];
            }
        }
    }
    __device__ __forceinline__ void jacobian(int i, float (&jacobian)[3][3]) const {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            float sums[3] = {0, 0, 0};
            bool begun[3] = {false, false, false};
#pragma unroll
            for (int a = 0; a < 3; ++a) {
                add(sums[0], begun[0], gll4::slope(i, a), position[a][d]);
                add(sums[1], begun[1], gll4::shape(i, a), along_eta[a][d]);
                add(sums[2], begun[2], gll4::shape(i, a), along_zeta[a][d]);
            }
            for (int axis = 0; axis < 3; ++axis) jacobian[axis][d] = sums[axis];
        }
    }
};
#endif

// One of five values, by a number known at run time.
__device__ __forceinline__ float pick(int k, float low, float next, float middle, float high, float last) {
    return k == 0 ? low : k == 1 ? next : k == 2 ? middle : k == 3 ? high : last;
}

// Column pass: each thread replaces five columns along zeta by their derivative, or by its transpose.
template <bool Transposed>
__device__ __forceinline__ void pass_along_zeta(float* slots) {
#pragma unroll 1
    for (int i = 0; i < N; ++i) {
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            float* column = slots + c * COMPONENT + 5 * i;
            float values[N];
#pragma unroll
            for (int k = 0; k < N; ++k) values[k] = column[33 * k];
#pragma unroll
            for (int k = 0; k < N; ++k) {
                float sum = 0;
                bool begun = false;
#pragma unroll
                for (int m = 0; m < N; ++m) {
                    const float factor = Transposed ? gll4::derivative(m, k) : gll4::derivative(k, m);
                    if (factor == 0.0f) continue;
                    sum = begun ? op::fma(factor, values[m], sum) : op::mul(factor, values[m]);
                    begun = true;
                }
                column[33 * k] = sum;
            }
        }
    }
}

// The plane of a thread: derivatives in the plane, law, and the transposed derivatives added to `force`. The derivative along zeta stands in the
// slots; the flux along zeta takes its place.
__device__ __forceinline__ void pass_over_plane(Plane& geometry, const float* material, float minus_weight_zeta,
                                                const float (&u)[3][N * N], float (&force)[3][N * N], float* slots) {
#if !VARIES
    float parameters[LAW::parameters];
#pragma unroll
    for (int q = 0; q < LAW::parameters; ++q) parameters[q] = material[q * ELEMENTS];
#endif
#pragma unroll
    for (int c = 0; c < 3; ++c)
#pragma unroll
        for (int p = 0; p < N * N; ++p) force[c][p] = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) {
        geometry.row(j);
#if VARIES
        // The parameters of the next row come nearer meanwhile.
        if (threadIdx.x == 0 && j + 1 < N) prefetch(material + (j + 1) * N * LAW::parameters * PLANES, N * LAW::parameters * PLANES * 4);
#endif
#pragma unroll
        for (int i = 0; i < N; ++i) {
#if VARIES
            const int p = i + N * j;
            float parameters[LAW::parameters];
#pragma unroll
            for (int q = 0; q < LAW::parameters; ++q) parameters[q] = material[(p * LAW::parameters + q) * PLANES];
#endif
            float reference[3][3], jacobian[3][3], flux[3][3];
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                float xi = 0, eta = 0;
#pragma unroll
                for (int m = 0; m < N; ++m) {
                    if (gll4::derivative(i, m) != 0.0f) xi = op::fma(gll4::derivative(i, m), u[c][m + N * j], xi);
                    if (gll4::derivative(j, m) != 0.0f) eta = op::fma(gll4::derivative(j, m), u[c][i + N * m], eta);
                }
                reference[c][0] = xi;
                reference[c][1] = eta;
                reference[c][2] = slots[c * COMPONENT + slot_of(i, j, 0)];
            }
            geometry.jacobian(i, jacobian);
            const float minus_weight = minus_weight_zeta * (gll4::weight(i) * gll4::weight(j));
            point_flux<LAW>(jacobian, minus_weight, reference, parameters, flux);
#pragma unroll
            for (int c = 0; c < 3; ++c) {
#pragma unroll
                for (int m = 0; m < N; ++m) {
                    if (gll4::derivative(i, m) != 0.0f) {
                        force[c][m + N * j] = op::fma(gll4::derivative(i, m), flux[0][c], force[c][m + N * j]);
                    }
                    if (gll4::derivative(j, m) != 0.0f) {
                        force[c][i + N * m] = op::fma(gll4::derivative(j, m), flux[1][c], force[c][i + N * m]);
                    }
                }
                slots[c * COMPONENT + slot_of(i, j, 0)] = flux[2][c];
            }
        }
    }
}

// The thread's share of a list of numbers, from place `first` on.
__device__ __forceinline__ void load_ids(const unsigned* __restrict__ list, unsigned first, unsigned count, unsigned (&ids)[BATCH]) {
#pragma unroll
    for (int q = 0; q < BATCH; ++q) {
        const unsigned place = first + q * THREADS + threadIdx.x;
        ids[q] = place < count ? list[place] : 0;
    }
}

// Adds the next `Count` slots of each thread's node.
template <int Count>
__device__ __forceinline__ void add_slots(const float* slots, const unsigned short*& entries, float (&sum)[3]) {
    const float* slot[Count];
#pragma unroll
    for (int s = 0; s < Count; ++s) slot[s] = (const float*)((const char*)slots + entries[s * THREADS]);
#pragma unroll
    for (int s = 0; s < Count; ++s) {
#pragma unroll
        for (int c = 0; c < 3; ++c) sum[c] += slot[s][c * COMPONENT];
    }
    entries += Count * THREADS;
}

// Sums the slots of a row of nodes, a thread each: `most` of them, those that a node does not have being zero.
__device__ __forceinline__ void sum_row(const float* slots, unsigned most, const unsigned short*& entries, float (&sum)[3]) {
    sum[0] = sum[1] = sum[2] = 0;
    if (most == 1) return add_slots<1>(slots, entries, sum);
    for (; most >= 4; most -= 4) add_slots<4>(slots, entries, sum);
    if (most & 2) add_slots<2>(slots, entries, sum);
    if (most & 1) add_slots<1>(slots, entries, sum);
}

// Brings what a later block will stage nearer; called by one thread.
__device__ __forceinline__ void bring_nearer(const Patch& next, unsigned number, const uint4* connection, const uint4* tables,
                                             const unsigned* surface, const float* geometry, const float* u, const float* v) {
    const unsigned inner_bytes = ((next.inner + 3) & ~3u) * 4;
    prefetch(surface + next.first_surface, ((next.surface + 3) & ~3u) * 4);
    prefetch(connection + (size_t)number * 3 * THREADS, 3 * THREADS * 16);
    prefetch(u + (size_t)next.first_inner * 3, 3 * inner_bytes);
    prefetch(geometry + (size_t)number * GEOMETRY * ELEMENTS, GEOMETRY * ELEMENTS * 4);
    prefetch(tables + next.table, next.table_length * 16);
    prefetch(v + (size_t)next.first_inner * 3, 3 * inner_bytes);
}

// The thread's column of the rows of inner nodes.
struct Rows {
    const float* slots;
    float *u, *v;
    const float* mass;
    float dt;

    // Moves `Count` rows at once, each of `most` slots at most.
    template <int Count>
    __device__ __forceinline__ void move(unsigned first, unsigned most, const unsigned short*& entries) const {
        float displacement[Count][3], velocity[Count][3], scale[Count], sum[Count][3];
#pragma unroll
        for (int r = 0; r < Count; ++r) {
            const unsigned at = (first + r) * THREADS;
            scale[r] = mass[at];
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                velocity[r][c] = v[3 * at + c];
                displacement[r][c] = u[3 * at + c];
            }
        }
#pragma unroll
        for (int r = 0; r < Count; ++r) {
            if (Count > 1) {
                sum[r][0] = sum[r][1] = sum[r][2] = 0;
                add_slots<1>(slots, entries, sum[r]);
            } else {
                sum_row(slots, most, entries, sum[r]);
            }
        }
#pragma unroll
        for (int r = 0; r < Count; ++r) {
            const unsigned at = (first + r) * THREADS;
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                const float moved = op::fma(scale[r], sum[r][c], velocity[r][c]);
                v[3 * at + c] = moved;
                u[3 * at + c] = op::fma(dt, moved, displacement[r][c]);
            }
        }
    }
};

}  // namespace
}  // namespace craton

// One step of every patch, a block each.
//
// `connection[patch][3][thread]` and `last_connection[patch][thread]` hold, for the 25 points of a thread's plane, the byte offset of its node among the
// patch's staged nodes; `geometry[patch][value][element]`; `material[patch][site][parameter][thread]`, or `[patch][parameter][element]`. Patches `ahead` blocks later are
// brought nearer: as many as run at a time.
extern "C" __global__ void __launch_bounds__(128, 2)
    advance_patches(const craton::Patch* __restrict__ patches, unsigned first, const uint4* __restrict__ connection,
                    const unsigned short* __restrict__ last_connection, const uint4* __restrict__ tables,
                    const unsigned* __restrict__ surface, const float* __restrict__ geometry,
                    const float* __restrict__ material, const float* __restrict__ dt_over_mass, float dt,
                    const craton::Source* __restrict__ sources, const float* __restrict__ source_weights,
                    const float* __restrict__ histories, unsigned steps, const unsigned* __restrict__ step,
                    float* __restrict__ u, float* __restrict__ v, float* __restrict__ surface_sums, unsigned ahead) {
    using namespace craton;
    CRATON_SHARED(float, shared);
    __shared__ unsigned long long barriers[2];
    const unsigned thread = threadIdx.x, own = first + blockIdx.x, number = own + ahead, end = first + gridDim.x;
    const Patch patch = patches[own];
    const Patch next = patches[min(number, end - 1)];
    uint4 packed[3];
#pragma unroll
    for (int q = 0; q < 3; ++q) packed[q] = connection[((size_t)own * 3 + q) * THREADS + thread];
    const unsigned short last = last_connection[(size_t)own * THREADS + thread];
    unsigned ids[BATCH];
    load_ids(surface + patch.first_surface, 0, patch.surface, ids);

    // Shared memory: slots of the elements, then what is staged. Rows of inner nodes are whole.
    const unsigned inner_bytes = ((patch.inner + 3) & ~3u) * 4, inner = patch.inner_rows * THREADS;
    float* slots = shared;
    float* staged_u = slots + 3 * COMPONENT;
    float* staged_v = staged_u + 3 * (inner + ((patch.surface + 3) & ~3u) + 4);
    float* staged_mass = staged_v + 3 * inner;
    float* staged_geometry = staged_mass + inner;
    float* staged_material = staged_geometry + GEOMETRY * ELEMENTS;
    unsigned short* table = (unsigned short*)(staged_material + (VARIES ? 0 : LAW::parameters * ELEMENTS));

    // Displacements and geometry first; what is needed only at the end follows in a group of its own.
    float* own_u = u + (size_t)patch.first_inner * 3;
    float* own_v = v + (size_t)patch.first_inner * 3;
    const Staging staging(barriers);
    staging.start<0>(staged_u, own_u, 3 * inner_bytes);
    staging.start<0>(staged_geometry, geometry + (size_t)own * GEOMETRY * ELEMENTS, GEOMETRY * ELEMENTS * 4);
#if VARIES
    const float* own_material = material + (size_t)own * N * N * LAW::parameters * PLANES;
    if (thread == 0) prefetch(own_material, N * LAW::parameters * PLANES * 4);
#else
    staging.start<0>(staged_material, material + (size_t)own * LAW::parameters * ELEMENTS, LAW::parameters * ELEMENTS * 4);
#endif
    for (unsigned first = 0; first < patch.surface; first += BATCH * THREADS) {
        if (first > 0) load_ids(surface + patch.first_surface, first, patch.surface, ids);
#pragma unroll
        for (int q = 0; q < BATCH; ++q) {
            const unsigned node = first + q * THREADS + thread;
            if (node < patch.surface) {
#pragma unroll
                for (int c = 0; c < 3; ++c) copy_async<4>(staged_u + 3 * (inner + node) + c, u + (size_t)ids[q] * 3 + c);
            }
        }
    }
    staging.commit<0>();
    staging.start<1>(table, tables + patch.table, patch.table_length * 16);
    staging.start<1>(staged_v, own_v, 3 * inner_bytes);
    staging.start<1>(staged_mass, dt_over_mass + patch.first_inner, inner_bytes);
    staging.commit<1>();
    if (thread < 3) slots[thread * COMPONENT + NO_SLOT] = 0;

    const unsigned element = thread / N, k = thread % N;
    const bool active = thread < PLANES;
    const unsigned safe_element = active ? element : 0;
    const float zeta = pick(k, gll4::point(0), gll4::point(1), gll4::point(2), gll4::point(3), gll4::point(4));
    const float weight = pick(k, gll4::weight(0), gll4::weight(1), gll4::weight(2), gll4::weight(3), gll4::weight(4));
    float* plane_slots = slots + SLOTS * safe_element + 33 * k;
    float* column_slots = slots + SLOTS * safe_element + k;

    staging.wait<0>();
    if (thread == 0 && number < end) bring_nearer(next, number, connection, tables, surface, geometry, u, v);
    float field[3][N * N];
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
            for (int c = 0; c < 3; ++c) {
                field[c][p] = node[c];
                plane_slots[c * COMPONENT + slot_of(p % N, p / N, 0)] = field[c][p];
            }
        }
    }
    __syncthreads();
    if (active) pass_along_zeta<false>(column_slots);
    __syncthreads();
    float force[3][N * N];
    if (active) {
        Plane plane(staged_geometry + element, zeta);
#if VARIES
        const float* own = own_material + thread;
#else
        const float* own = staged_material + element;
#endif
        pass_over_plane(plane, own, -weight, field, force, plane_slots);
    }
    __syncthreads();
    if (active) pass_along_zeta<true>(column_slots);
    __syncthreads();
    if (active) {
#pragma unroll
        for (int p = 0; p < N * N; ++p) {
#pragma unroll
            for (int c = 0; c < 3; ++c) plane_slots[c * COMPONENT + slot_of(p % N, p / N, 0)] += force[c][p];
        }
    }
    staging.wait<1>();

    for (unsigned s = patch.first_source; s < patch.end_source; ++s) {
        const float amplitude = histories[(size_t)sources[s].history * steps + *step];
        if (active && element == sources[s].element) {
            for (int p = 0; p < N * N; ++p) {
                for (int c = 0; c < 3; ++c) {
                    plane_slots[c * COMPONENT + slot_of(p % N, p / N, 0)] +=
                        amplitude * source_weights[((size_t)s * 3 + c) * 125 + 25 * k + p];
                }
            }
        }
        __syncthreads();
    }

    const unsigned short* most = table;
    const unsigned short* entries = table + patch.inner_rows + patch.surface_rows + thread;
    const Rows rows{slots, staged_u + 3 * thread, staged_v + 3 * thread, staged_mass + thread, dt};
    unsigned row = 0;
    for (; row < patch.inner_rows && most[row] > 1; ++row) rows.move<1>(row, most[row], entries);
    for (; row + 3 <= patch.inner_rows; row += 3) rows.move<3>(row, 1, entries);
    for (; row < patch.inner_rows; ++row) rows.move<1>(row, 1, entries);
    // The displacements of the surface have been read; its sums take their place, in the order of the surface.
    char* surface_u = (char*)(staged_u + 3 * inner);
    const unsigned short* targets = (const unsigned short*)table + patch.targets + thread;
    for (row = 0; row < patch.surface_rows; ++row) {
        float sum[3];
        sum_row(slots, most[patch.inner_rows + row], entries, sum);
        float* target = (float*)(surface_u + targets[row * THREADS]);
#pragma unroll
        for (int c = 0; c < 3; ++c) target[c] = sum[c];
    }
    prepare_write_back();
    __syncthreads();
    write_back(own_u, staged_u, own_v, staged_v, 3 * inner_bytes, surface_sums + (size_t)patch.first_surface * 3, staged_u + 3 * inner,
               ((patch.surface + 3) & ~3u) * 12);
}

CRATON_ENTRY(advance_patches)
