// Spectral elements of any degree, law and precision: every element writes its forces to its own slots; the nodes then sum them.
//
// The mesh fixes the order of the sums over slots, so the result does not depend on the scheduling of blocks.
//
// A launch computes a run of elements of one law. Compile-time: POINTS (per axis), CONTROL (control nodes per axis, 2 or 3), LAW (a law of
// element.cuh), REAL, SUMS (where forces are stored).

#include "device.cuh"
#include "element.cuh"
#include "pml.cuh"

namespace craton {
namespace {

// 0: forces are stored in the slots of their element, `slots[element][component][point]`. 1 and 2 exist for comparison: they add to
// `slots[node][4]`, 1 atomically, 2 without atomics, in launches of elements that share no node.
#ifndef SUMS
#define SUMS 0
#endif

constexpr int N = POINTS;
constexpr int N2 = N * N;
constexpr int N3 = N * N * N;
constexpr int G = CONTROL;
constexpr int C = LAW::components;
// Elements per block: two to four warps of columns.
constexpr int ELEMENTS = N2 >= 64 ? 1 : 128 / N2;

// One-dimensional tables, in the layout of the host.
struct Tables {
    REAL derivative[N][N];        // [i][m]: derivative of basis function m at point i
    REAL shape[N][G];             // [i][a]: shape function of control node a at point i
    REAL shape_derivative[N][G];  // [i][a]
    REAL weight[N];
    REAL points[N];
    REAL short_waves[N][N];  // [i][m]: quadratic form of the damping of short waves
};

// Shared memory of an element.
struct Workspace {
    REAL u[C][N3];        // displacement, or potential of a fluid; overwritten plane by plane with the forces
    REAL work[C][N3];     // derivative along zeta; overwritten with the flux along zeta
    REAL flux[2][C][N2];  // fluxes along xi and eta on a plane
};

// Positions and derivatives on the column (i, j), contracted over the first two axes: one per control node along zeta.
struct Column {
    REAL position[G][3], along_xi[G][3], along_eta[G][3];
};

__device__ void contract_column(const Tables& tables, const REAL* nodes, int i, int j, Column& column) {
    for (int c = 0; c < G; ++c) {
        for (int d = 0; d < 3; ++d) {
            REAL position = 0, along_xi = 0, along_eta = 0;
            for (int b = 0; b < G; ++b) {
                REAL row = 0, slope = 0;
                for (int a = 0; a < G; ++a) {
                    const REAL x = nodes[((c * G + b) * G + a) * 3 + d];
                    row = op::fma(tables.shape[i][a], x, row);
                    slope = op::fma(tables.shape_derivative[i][a], x, slope);
                }
                position = op::fma(tables.shape[j][b], row, position);
                along_eta = op::fma(tables.shape_derivative[j][b], row, along_eta);
                along_xi = op::fma(tables.shape[j][b], slope, along_xi);
            }
            column.position[c][d] = position;
            column.along_xi[c][d] = along_xi;
            column.along_eta[c][d] = along_eta;
        }
    }
}

// jacobian[axis][component] at point k of the column.
__device__ __forceinline__ void jacobian_at(const Tables& tables, const Column& column, int k, REAL (&jacobian)[3][3]) {
    for (int d = 0; d < 3; ++d) {
        REAL xi = 0, eta = 0, zeta = 0;
        for (int c = 0; c < G; ++c) {
            xi = op::fma(tables.shape[k][c], column.along_xi[c][d], xi);
            eta = op::fma(tables.shape[k][c], column.along_eta[c][d], eta);
            zeta = op::fma(tables.shape_derivative[k][c], column.position[c][d], zeta);
        }
        jacobian[0][d] = xi;
        jacobian[1][d] = eta;
        jacobian[2][d] = zeta;
    }
}

// The absorbing axes of an element: the last `axes` of xi, eta, zeta.
struct Layers {
    int axes;
    const REAL* coefficients;  // [axis][point along it][coefficient], zeta first
    REAL* memory;              // [axis][derivative, force][component][point]

    __device__ __forceinline__ bool absorbs(int axis) const { return axis + axes > 2; }

    // Filters a value at a point: 0 xi, 1 eta, 2 zeta.
    __device__ __forceinline__ void filter(int axis, Filtered what, int along, int point, int component, REAL& value) const {
        if (!absorbs(axis)) return;
        const REAL* own = coefficients + ((2 - axis) * N + along) * PML_COEFFICIENTS;
        value = Filter<REAL>{own[0], own[1], own[2]}(value, memory[((2 * (2 - axis) + what) * C + component) * N3 + point]);
    }

    // Damping of short waves along the axis `line` at a point: the sum of that of the other axes.
    __device__ __forceinline__ REAL damping(int line, const int (&point)[3]) const {
        REAL sum = 0;
        for (int axis = 0; axis < 3; ++axis) {
            if (axis != line && absorbs(axis)) sum += coefficients[((2 - axis) * N + point[axis]) * PML_COEFFICIENTS + PML_COEFFICIENTS - 1];
        }
        return sum;
    }
};

// Stores the force at a point of an element as `SUMS` specifies.
__device__ __forceinline__ void put(REAL* slots, unsigned element, int point, const unsigned* nodes, const REAL (&force)[C]) {
#if SUMS == 0
    for (int c = 0; c < C; ++c) slots[((size_t)element * C + c) * N3 + point] = force[c];
#else
    REAL* node = slots + (size_t)nodes[(size_t)element * N3 + point] * 4;
#if SUMS == 1 && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    atomicAdd(reinterpret_cast<float4*>(node), make_float4(force[0], force[1], force[2], 0.0f));
#else
    for (int c = 0; c < 3; ++c) {
        if (SUMS == 1) {
            atomicAdd(node + c, force[c]);
        } else {
            node[c] += force[c];
        }
    }
#endif
#endif
}

}  // namespace
}  // namespace craton

// Computes the forces -K u of every element [N] and stores them as `SUMS` specifies.
//
// A thread owns a column of points along zeta. `nodes[element][point]`, `u[node][component]` [m], `control[element][node][component]` [m],
// `material[element][parameter][point]` [Pa], or without the point if `varies` is 0; `axes[element][coefficient][component]` if the law has an axis. The
// moduli relax at the points of `selection` (1: odd indices, 2: not on a face, 3: all): `moduli[element][mechanism][lambda_l, mu_l][relaxing point]` [Pa], or without
// the point, and `memory[element][mechanism][variable][relaxing point]`. `pml_axes` axes of the elements absorb: `pml[element]` and `pml_memory[element]` are in the
// layout of `Layers`. These six contain only the elements from `first` on. `v` are the rates of `u`; only layers read them.
extern "C" __global__ void element_forces(const craton::Tables* __restrict__ tables_, const unsigned* __restrict__ nodes,
                                          const REAL* __restrict__ u, const REAL* __restrict__ v, const REAL* __restrict__ control,
                                          const REAL* __restrict__ material, unsigned varies, const REAL* __restrict__ axes,
                                          unsigned mechanisms, unsigned selection, const REAL* __restrict__ decays,
                                          const REAL* __restrict__ moduli, REAL* __restrict__ memory, unsigned pml_axes,
                                          const REAL* __restrict__ pml, REAL* __restrict__ pml_memory, unsigned first, unsigned end,
                                          REAL* __restrict__ slots) {
    using namespace craton;
    CRATON_SHARED(Workspace, workspaces);
    const Tables& tables = *tables_;
    const int within = threadIdx.x / N2, column_index = threadIdx.x % N2;
    const int i = column_index % N, j = column_index / N;
    const unsigned in_run = blockIdx.x * ELEMENTS + within, element = first + in_run;
    const bool active = element < end;
    Workspace& at = workspaces[within];
    const Layers layers{(int)pml_axes, pml + (size_t)in_run * pml_axes * N * PML_COEFFICIENTS, pml_memory + (size_t)in_run * pml_axes * 2 * C * N3};
    Column column;
    if (active) {
        contract_column(tables, control + (size_t)element * (G * G * G * 3), i, j, column);
        for (int k = 0; k < N; ++k) {
            const int p = column_index + N2 * k;
            const REAL* node = u + (size_t)nodes[(size_t)element * N3 + p] * C;
            for (int c = 0; c < C; ++c) at.u[c][p] = node[c];
        }
        for (int k = 0; k < N; ++k) {
            for (int c = 0; c < C; ++c) {
                REAL sum = 0;
                for (int m = 0; m < N; ++m) sum = op::fma(tables.derivative[k][m], at.u[c][column_index + N2 * m], sum);
                layers.filter(2, DERIVATIVE, k, column_index + N2 * k, c, sum);
                at.work[c][column_index + N2 * k] = sum;
            }
        }
    }
    __syncthreads();
    for (int k = 0; k < N; ++k) {
        const int p = column_index + N2 * k;
        if (active) {
            REAL reference[C][3], jacobian[3][3], flux[3][C];
            Site<LAW, REAL> site;
            for (int c = 0; c < C; ++c) {
                REAL xi = 0, eta = 0;
                for (int m = 0; m < N; ++m) {
                    xi = op::fma(tables.derivative[i][m], at.u[c][m + N * j + N2 * k], xi);
                    eta = op::fma(tables.derivative[j][m], at.u[c][i + N * m + N2 * k], eta);
                }
                layers.filter(0, DERIVATIVE, i, p, c, xi);
                layers.filter(1, DERIVATIVE, j, p, c, eta);
                reference[c][0] = xi;
                reference[c][1] = eta;
                reference[c][2] = at.work[c][p];
            }
            jacobian_at(tables, column, k, jacobian);
            const int sites = varies ? N3 : 1;
            const REAL* own = material + (size_t)in_run * LAW::parameters * sites + (varies ? p : 0);
            for (int q = 0; q < LAW::parameters; ++q) site.parameters[q] = own[q * sites];
            if (LAW::has_axis) {
                const REAL xi[3] = {tables.points[i], tables.points[j], tables.points[k]};
                unit_axis(*(const REAL(*)[4][3])(axes + (size_t)in_run * 12), xi, site.axis);
            }
            const REAL minus_weight = -tables.weight[i] * tables.weight[j] * tables.weight[k];
            const unsigned relaxing = selection == 1 ? 8 : selection == 2 ? (N - 2) * (N - 2) * (N - 2) : N3, step = varies ? relaxing : 1;
            const unsigned place = selection == 1   ? i / 2 + 2 * (j / 2) + 4 * (k / 2)
                                   : selection == 2 ? i - 1 + (N - 2) * (j - 1 + (N - 2) * (k - 1))
                                                    : p;
            const bool relaxes = selection == 1   ? i & j & k & 1
                                 : selection == 2 ? i % (N - 1) > 0 && j % (N - 1) > 0 && k % (N - 1) > 0
                                                  : true;
            const Mechanisms<REAL> at_point{relaxes ? mechanisms : 0, decays,
                                            moduli + (size_t)in_run * 2 * mechanisms * step + (varies ? place : 0), step,
                                            memory + (size_t)in_run * 6 * mechanisms * relaxing + place, relaxing};
            point_flux<LAW>(jacobian, minus_weight, reference, site, at_point, flux);
            for (int c = 0; c < C; ++c) {
                at.flux[0][c][column_index] = flux[0][c];
                at.flux[1][c][column_index] = flux[1][c];
                at.work[c][p] = flux[2][c];
            }
        }
        __syncthreads();
        if (active) {
            for (int c = 0; c < C; ++c) {
                REAL sum = 0;
                if (pml_axes > 1) {
                    REAL along_eta = 0;
                    for (int m = 0; m < N; ++m) {
                        sum = op::fma(tables.derivative[m][i], at.flux[0][c][m + N * j], sum);
                        along_eta = op::fma(tables.derivative[m][j], at.flux[1][c][i + N * m], along_eta);
                    }
                    layers.filter(0, FORCE, i, p, c, sum);
                    layers.filter(1, FORCE, j, p, c, along_eta);
                    sum += along_eta;
                } else {
                    for (int m = 0; m < N; ++m) {
                        sum = op::fma(tables.derivative[m][i], at.flux[0][c][m + N * j], sum);
                        sum = op::fma(tables.derivative[m][j], at.flux[1][c][i + N * m], sum);
                    }
                }
                at.u[c][p] = sum;
            }
        }
        __syncthreads();
    }
    if (active) {
        for (int k = 0; k < N; ++k) {
            const int p = column_index + N2 * k;
            REAL force[C];
            for (int c = 0; c < C; ++c) {
                force[c] = at.u[c][p];
                if (pml_axes > 0) {
                    REAL along_zeta = 0;
                    for (int m = 0; m < N; ++m) along_zeta = op::fma(tables.derivative[m][k], at.work[c][column_index + N2 * m], along_zeta);
                    layers.filter(2, FORCE, k, p, c, along_zeta);
                    force[c] += along_zeta;
                } else {
                    for (int m = 0; m < N; ++m) force[c] = op::fma(tables.derivative[m][k], at.work[c][column_index + N2 * m], force[c]);
                }
            }
            put(slots, element, p, nodes, force);
        }
    }
    if (SUMS > 0 || pml_axes == 0) return;
    // Short waves are damped: rates overwrite the fields.
    __syncthreads();
    if (active) {
        for (int k = 0; k < N; ++k) {
            const int p = column_index + N2 * k;
            for (int c = 0; c < C; ++c) at.u[c][p] = v[(size_t)nodes[(size_t)element * N3 + p] * C + c];
        }
    }
    __syncthreads();
    if (!active) return;
    for (int k = 0; k < N; ++k) {
        const int point[3] = {i, j, k};
        const REAL weights[3] = {tables.weight[i], tables.weight[j], tables.weight[k]};
        const int strides[3] = {1, N, N2}, p = column_index + N2 * k;
        for (int c = 0; c < C; ++c) {
            REAL force = 0;
            for (int line = 0; line < 3; ++line) {
                REAL mode = 0;
                for (int m = 0; m < N; ++m) {
                    mode = op::fma(tables.short_waves[point[line]][m], at.u[c][p + (m - point[line]) * strides[line]], mode);
                }
                force += layers.damping(line, point) * weights[(line + 1) % 3] * weights[(line + 2) % 3] * mode;
            }
            slots[((size_t)element * C + c) * N3 + p] -= force;
        }
    }
}

CRATON_ENTRY(element_forces)
