// Acoustic shots: updates of velocity and pressure, sources and receivers. All shots of a launch have the same model; blockIdx.z is the shot.
//
// Compile-time: HALF_LENGTH (1 to 8), REAL, WIDTH (points per thread, at most 16 bytes), AXES (2 for 2D, 3 for 3D), ROWS (per block, of 32 threads each),
// BLOCKS (minimum number of blocks per multiprocessor), RELAXES (whether the pressure relaxes: 0 or 1).

#include "device.cuh"
#include "staggered.cuh"
#include "grid.cuh"
#include "lanes.cuh"
#include "slopes.cuh"
#include "ring.cuh"
#include "layers.cuh"
#include "shots.cuh"
#include "shot_samples.cuh"
#include "pressure.cuh"
#include "acoustic_moves.cuh"
#include "counter.cuh"

namespace craton {

// A step of a fluid whose pressure may relax.
struct Relaxing : Forward {
    static constexpr bool RELAXING = RELAXES;

    PressureRelaxation relaxation;

    __device__ __forceinline__ Relaxing(const Forward& forward, const PressureRelaxation& relaxation) : Forward(forward), relaxation(relaxation) {}

    // Updates a pressure that relaxes, and its memory variables.
    __device__ __forceinline__ void move_relaxing(const Grid& grid, const REAL* factors, REAL (&slopes)[WIDTH][AXES], const Own& own, unsigned image,
                                                  REAL* fields) const {
        Lanes<WIDTH> moved, factor, loss, change;
        read(fields + (size_t)grid.length * PRESSURE + own.place.at, moved);
        read_once(factors + (size_t)grid.length * PRESSURE + own.place.at, factor);
        read_once(relaxation.loss + own.place.at, loss);
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) {
            change.v[l] = unrelaxed(rate(factor.v[l], slopes[l]));
            moved.v[l] = op::add(moved.v[l], change.v[l]);
        }
#pragma unroll 1
        for (unsigned set = 0; set < relaxation.sets; ++set) {
            REAL* const at = relaxation.memory + (size_t)grid.length * set + own.place.at;
            Lanes<WIDTH> memory;
            read_once(at, memory);
            relax(relaxation, set, own.place, loss, change, memory, moved);
            if (own.is_driven) push(sources, starts()[block_of(own)], starts()[block_of(own) + 1], FIELDS + set, own.place.at, step, memory);
            write_once(at, memory);
        }
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) moved.v[l] = without_negligible(moved.v[l]);
        finish<PRESSURE>(grid, *this, own, image, true, moved, moved, fields);
    }
};

}  // namespace craton

// One half of the step of all shots. `memories`: number of memory variables per shot. `deep`: planes per thread. `step`: step within the recording,
// which begins at step `*first`. `loss` to `sets`: relaxation of the pressure.
#define CRATON_MOVE(name, half)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(craton::THREADS, BLOCKS)                                                       \
        name(craton::Grid grid, unsigned deep, craton::Coefficients coefficients, const REAL* __restrict__ factors,             \
             craton::Slabs slabs, const REAL* __restrict__ profiles, REAL* __restrict__ memory, unsigned memories,              \
             const unsigned* __restrict__ starts, const craton::Tap* __restrict__ taps, const REAL* __restrict__ amplitudes,    \
             unsigned steps, const unsigned* __restrict__ first, unsigned step, REAL* fields, const REAL* __restrict__ loss,    \
             const REAL* __restrict__ mechanisms, REAL* __restrict__ relaxing, unsigned sets) {                                 \
        using namespace craton;                                                                                                 \
        const Layers layers = {slabs, profiles, memory + (size_t)(half * gridDim.z + blockIdx.z) * memories};                   \
        const Forward forward = {layers, {starts, taps, amplitudes, steps}, *first + step};                                     \
        const Relaxing scheme(forward, PressureRelaxation(grid, loss, mechanisms, relaxing, sets, blockIdx.z));                 \
        REAL* const own = fields + (size_t)blockIdx.z * FIELDS * grid.length;                                                   \
        move_half<half == 1>(grid, deep, coefficients, factors, layers, scheme, own);                                           \
    }                                                                                                                           \
    CRATON_ENTRY(name)

CRATON_MOVE(move_velocities, 0)
CRATON_MOVE(move_pressure, 1)

// Samples the channels into the ring buffer, see `sample`.
extern "C" __global__ void listen(const uint4* __restrict__ channels, const uint4* __restrict__ blocks,
                                  const REAL* __restrict__ weights, craton::Grid grid, const REAL* __restrict__ fields,
                                  const unsigned* __restrict__ first, unsigned step, unsigned rows, unsigned width, REAL* __restrict__ ring) {
    using namespace craton;
    const auto array_of = [](unsigned field) { return field; };
    sample(channels, blocks, weights, grid, fields, FIELDS, array_of, *first + step, rows, width, ring);
}

CRATON_ENTRY(listen)
