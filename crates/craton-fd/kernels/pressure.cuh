// Relaxation of pressure: memory variables of a fluid, as on the host (`acoustic/relaxation.rs`, `pressure.rs` of craton-fd-kernels).
#pragma once

namespace craton {

// Factors of a memory variable: decay, and the polynomial of Y over loss.
constexpr int PRESSURE_FACTORS = 4;

struct PressureRelaxation {
    const REAL* loss;     // 1/Q of the cells, with the layout of the fields
    const REAL* factors;  // [set][parity of the indices][factor]
    REAL* memory;         // of the shot, [set][index]
    unsigned sets;

    __device__ __forceinline__ PressureRelaxation(const Grid& grid, const REAL* loss, const REAL* factors, REAL* memory, unsigned sets, unsigned shot)
        : loss(loss), factors(factors), memory(memory + (size_t)grid.length * sets * shot), sets(sets) {}
};

// The unrelaxed change of pressure, as the host computes it: in a row of zeros.
__device__ __forceinline__ REAL unrelaxed(REAL rate) { return without_negligible(op::add((REAL)0, rate)); }

// Advances the memory variables of a set at the points of a thread, and changes their pressure by what has relaxed. `place`: of the first point.
__device__ __forceinline__ void relax(const PressureRelaxation& relaxation, unsigned set, const Place& place, const Lanes<WIDTH>& loss,
                                      const Lanes<WIDTH>& change, Lanes<WIDTH>& memory, Lanes<WIDTH>& pressure) {
    const REAL* const factors = relaxation.factors + (set * 8 + place.j % 2 * 2 + place.k % 2 * 4) * PRESSURE_FACTORS;
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) {
        // The first point of a thread has an even index along x.
        const REAL* const own = factors + l % 2 * PRESSURE_FACTORS;
        const REAL polynomial[3] = {own[1], own[2], own[3]};
        REAL moved, relaxed;
        relax_pressure(own[0], loss.v[l], polynomial, change.v[l], memory.v[l], moved, relaxed);
        pressure.v[l] = op::add(pressure.v[l], relaxed);
        memory.v[l] = without_negligible(moved);
    }
}

}  // namespace craton
