// Relaxation of stress: memory variables of its components, as on the host (`relaxation.rs`, `sweep/relax.rs`).
#pragma once

namespace craton {

// Memory variables of a set at a point: one per stress component.
constexpr int COMPONENTS = 6;
// Factors of a memory variable: decay, and the polynomials of Yκ and Yμ over loss.
constexpr int FACTORS = 7;

struct Relaxation {
    const REAL *bulk, *shear;  // 1/Qκ and 1/(μ Qμ) of all cells, padded like the fields
    const REAL* factors;       // [set][parity of the indices][factor]
    REAL* memory;              // [set][component][index]
    unsigned sets;
};

// The factors of a set at the points of a thread: those of even and of odd points along x.
struct SetFactors {
    const REAL* factors;
    unsigned first;  // parity of the first point along x

    __device__ __forceinline__ SetFactors(const Relaxation& relaxation, const Place& place, unsigned set)
        : factors(relaxation.factors + (set * 8 + place.j % 2 * 2 + place.k % 2 * 4) * FACTORS), first(place.i % 2) {}

    __device__ __forceinline__ const REAL* of(int lane) const { return factors + (first + lane) % 2 * FACTORS; }
};

// Advances the memory variable of a stress component, and changes the stress by what has relaxed. `rate`: of the stress that the mechanism relaxes.
template <int W>
__device__ __forceinline__ void relax(const SetFactors& factors, REAL dt, const Lanes<W>& rate, Lanes<W>& memory, Lanes<W>& stress) {
#pragma unroll
    for (int l = 0; l < W; ++l) {
        REAL moved, relaxed;
        relax_stress(factors.of(l)[0], op::mul(dt, rate.v[l]), memory.v[l], moved, relaxed);
        stress.v[l] = op::add(stress.v[l], relaxed);
        memory.v[l] = without_negligible(moved);
    }
}

// Relaxes the normal stresses.
template <int W, class Slopes>
__device__ __forceinline__ void relax_normal(const Relaxation& relaxation, const SetFactors& factors, const Material& material, const Slopes& slopes,
                                             Lanes<W>* memory, Targets<STRESSES, W>& to) {
    const Lanes<W> x = slopes.template slope<0, 0>(), y = slopes.template slope<1, 1>(), z = slopes.template slope<2, 2>();
    Lanes<W> lambda, inverse_mu, bulk, shear, rates[3];
    read(material.lambda + to.place.at, lambda);
    read(material.inverse_mu + to.place.at, inverse_mu);
    read(relaxation.bulk + to.place.at, bulk);
    read(relaxation.shear + to.place.at, shear);
#pragma unroll
    for (int l = 0; l < W; ++l) {
        const REAL* const own = factors.of(l);
        const REAL losses[2] = {bulk.v[l], shear.v[l]}, three[3] = {x.v[l], y.v[l], z.v[l]};
        const REAL polynomials[2][3] = {{own[1], own[2], own[3]}, {own[4], own[5], own[6]}};
        REAL found[3];
        relaxing_normal_rates(lambda.v[l], inverse_mu.v[l], losses, polynomials, three, found);
#pragma unroll
        for (int c = 0; c < 3; ++c) rates[c].v[l] = found[c];
    }
#pragma unroll
    for (int c = 0; c < 3; ++c) relax<W>(factors, to.dt, rates[c], memory[c], to.moved[c]);
}

// Relaxes the shear stress on faces normal to A along B.
template <int A, int B, int W, class Slopes>
__device__ __forceinline__ void relax_shear(const Relaxation& relaxation, const SetFactors& factors, const Material& material, const Slopes& slopes,
                                            Lanes<W>* memory, Targets<STRESSES, W>& to) {
    const Lanes<W> ab = slopes.template slope<A, B>(), ba = slopes.template slope<B, A>();
    const FourCells<A, B, W> moduli(material.inverse_mu + to.place.at, to.grid), shear(relaxation.shear + to.place.at, to.grid);
    Lanes<W> rate;
#pragma unroll
    for (int l = 0; l < W; ++l) {
        const REAL* const own = factors.of(l);
        const REAL polynomial[3] = {own[4], own[5], own[6]}, pair[2] = {ab.v[l], ba.v[l]};
        REAL cells[4], losses[4], mu;
        moduli.at(l, cells);
        shear.at(l, losses);
        edge_modulus(cells, mu);
        relaxing_shear_rate(mu, losses, polynomial, pair, rate.v[l]);
    }
    constexpr int FIELD = voigt(A, B);
    relax<W>(factors, to.dt, rate, memory[FIELD], to.moved[FIELD]);
}

// Relaxes the stresses, which `to.moved` holds before their step.
template <int W, class Slopes>
__device__ __forceinline__ void relax_all(const Relaxation& relaxation, const Material& material, const Slopes& slopes, Targets<STRESSES, W>& to) {
#pragma unroll 1
    for (unsigned set = 0; set < relaxation.sets; ++set) {
        const SetFactors factors(relaxation, to.place, set);
        REAL* const own = relaxation.memory + (size_t)to.grid.length * (set * COMPONENTS) + to.place.at;
        Lanes<W> memory[COMPONENTS];
#pragma unroll
        for (int c = 0; c < COMPONENTS; ++c) read_once(own + (size_t)to.grid.length * c, memory[c]);
        relax_normal(relaxation, factors, material, slopes, memory, to);
        relax_shear<1, 2>(relaxation, factors, material, slopes, memory, to);
        relax_shear<0, 2>(relaxation, factors, material, slopes, memory, to);
        relax_shear<0, 1>(relaxation, factors, material, slopes, memory, to);
#pragma unroll
        for (int c = 0; c < COMPONENTS; ++c) write_once(own + (size_t)to.grid.length * c, memory[c]);
    }
}

}  // namespace craton
