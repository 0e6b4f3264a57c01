// Gradients of an acoustic shot: forward steps that store increments of the fields, and the transposed scheme backwards in time, which correlates them with
// the adjoint fields.
//
// Compile-time: as `acoustic.cu`, without relaxation.

#include "device.cuh"
#include "staggered.cuh"
#include "grid.cuh"
#include "lanes.cuh"
#include "slopes.cuh"
#include "ring.cuh"
#include "layers.cuh"
#include "shots.cuh"
#include "acoustic_moves.cuh"
#include "increments.cuh"
#include "adjoint.cuh"
#include "counter.cuh"

// One half of a step forward, as `CRATON_MOVE` in `acoustic.cu`. `increments` to `stored`: see `Stored`.
#define CRATON_STORE(name, half)                                                                                                \
    extern "C" __global__ void __launch_bounds__(craton::THREADS, BLOCKS)                                                       \
        name(craton::Grid grid, unsigned deep, craton::Coefficients coefficients, const REAL* __restrict__ factors,             \
             craton::Slabs slabs, const REAL* __restrict__ profiles, REAL* __restrict__ memory, unsigned memories,              \
             const unsigned* __restrict__ starts, const craton::Tap* __restrict__ taps, const REAL* __restrict__ amplitudes,    \
             unsigned steps, const unsigned* __restrict__ first, unsigned step, REAL* fields, REAL* __restrict__ increments,    \
             const unsigned* __restrict__ segment, unsigned every, unsigned stored) {                                           \
        using namespace craton;                                                                                                 \
        const unsigned now = *first + step;                                                                                     \
        const Layers layers = {slabs, profiles, memory + (size_t)half * memories};                                              \
        const Forward forward = {layers, {starts, taps, amplitudes, steps}, now};                                               \
        const Stored of_steps = {increments, segment, every, stored};                                                           \
        move_half<half == 1>(grid, deep, coefficients, factors, layers, Storing(forward, of_steps.of(grid, now), stored), fields); \
    }                                                                                                                           \
    CRATON_ENTRY(name)

CRATON_STORE(store_velocities, 0)
CRATON_STORE(store_pressure, 1)

// One half of a step backwards. `memory`: adjoint memory of both halves, then what the layers add to the fields of both. `points`, `residual`: see `Injected`,
// in each step of a recording. `last`: number of steps of the shot; the recording begins after `*first` steps backwards. `correlated`: see `Correlation`.
#define CRATON_RETREAT(name, half)                                                                                              \
    extern "C" __global__ void __launch_bounds__(craton::THREADS, BLOCKS)                                                       \
        name(craton::Grid grid, unsigned deep, const __grid_constant__ craton::Coefficients coefficients,                       \
             const REAL* __restrict__ factors,                                                                                  \
             const __grid_constant__ craton::Slabs slabs, const REAL* __restrict__ profiles, REAL* __restrict__ memory, unsigned memories,              \
             const unsigned* __restrict__ starts, const uint2* __restrict__ points, const REAL* __restrict__ residual,          \
             unsigned count, unsigned last, const unsigned* __restrict__ first, unsigned step, REAL* fields,                    \
             REAL* __restrict__ increments, const unsigned* __restrict__ segment, unsigned every, unsigned stored,              \
             double* __restrict__ correlated) {                                                                                 \
        using namespace craton;                                                                                                 \
        const unsigned now = last - 1 - *first - step;                                                                          \
        const Layers layers = {slabs, profiles, memory + (size_t)half * memories};                                              \
        REAL* const added = memory + (size_t)2 * memories;                                                                      \
        const Stored of_steps = {increments, segment, every, stored};                                                           \
        const Adjoint adjoint = {layers,                                                                                        \
                                 added + (size_t)half * memories,                                                               \
                                 added + (size_t)(1 - half) * memories,                                                         \
                                 {starts, points, residual + (size_t)step * count},                                             \
                                 {correlated, (double)every},                                                                   \
                                 of_steps.of(grid, now),                                                                        \
                                 stored};                                                                                       \
        move_half<half == 1>(grid, deep, coefficients, factors, layers, adjoint, fields);                                       \
    }                                                                                                                           \
    CRATON_ENTRY(name)

CRATON_RETREAT(retreat_velocities, 0)
CRATON_RETREAT(retreat_pressure, 1)

// The residual at the points of the channels in the steps of a recording, [step][point], times the factors of the points. `ranges`: of the weights of each
// point. `residual`: [step of the shot][channel]. blockIdx.y is the step.
extern "C" __global__ void spread_residual(craton::Grid grid, const REAL* __restrict__ factors, const uint2* __restrict__ points, unsigned count,
                                           const unsigned* __restrict__ ranges, const unsigned* __restrict__ channels, const REAL* __restrict__ weights,
                                           const REAL* __restrict__ residual, unsigned width, unsigned last, const unsigned* __restrict__ first,
                                           REAL* __restrict__ values) {
    using namespace craton;
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x, before = *first + blockIdx.y;
    if (n >= count || before >= last) return;
    const REAL* const of_step = residual + (size_t)(last - 1 - before) * width;
    REAL sum = 0;
    for (unsigned entry = ranges[n]; entry < ranges[n + 1]; ++entry) sum = op::fma(weights[entry], of_step[channels[entry]], sum);
    values[(size_t)blockIdx.y * count + n] = op::mul(sum, factors[(size_t)grid.length * points[n].x + points[n].y]);
}

CRATON_ENTRY(spread_residual)

// Adds the adjoint pressure over its factor at each position of monopoles, times the amplitude of the step, to the sums of the positions. A block per position. `ranges`: of the
// points of each position. `amplitudes`: [position][step], the last of `steps` is that of all later ones.
extern "C" __global__ void sample_monopoles(craton::Grid grid, const REAL* __restrict__ factors, const unsigned* __restrict__ ranges,
                                            const unsigned* __restrict__ points, const REAL* __restrict__ weights, const REAL* __restrict__ amplitudes,
                                            unsigned steps, unsigned last, const unsigned* __restrict__ first, unsigned step,
                                            const REAL* __restrict__ fields, double* __restrict__ sums) {
    using namespace craton;
    CRATON_SHARED(double, parts);
    const size_t pressure = (size_t)grid.length * PRESSURE;
    const unsigned now = last - 1 - *first - step;
    double sum = 0;
    for (unsigned n = ranges[blockIdx.x] + threadIdx.x; n < ranges[blockIdx.x + 1]; n += blockDim.x) {
        const size_t at = pressure + points[n];
        sum += (double)weights[n] / (double)factors[at] * (double)fields[at];
    }
    parts[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned n = 1; n < blockDim.x; ++n) sum += parts[n];
    sums[blockIdx.x] += sum * (double)amplitudes[(size_t)blockIdx.x * steps + min(now, steps - 1)];
}

CRATON_ENTRY(sample_monopoles)
