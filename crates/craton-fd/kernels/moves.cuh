// Update of the fields from the derivatives: rates by the laws, time step, sponge.
#pragma once

namespace craton {

// λ, 1/μ and ρ of all cells, padded like the fields.
struct Material {
    const REAL *lambda, *inverse_mu, *rho;
};

// For each axis, offset of the sponge factors at whole points, which those at half points follow, and number of either.
struct SpongeShape {
    unsigned first[3], count[3];
};

struct Sponge {
    const REAL* factors;  // null without a sponge
    const SpongeShape& shape;
};

// The nine derivatives, stretched by the layers. All are computed before the first branch, so that the latencies of their reads overlap.
// AXES: bit mask of the axes that may have layers normal to them.
template <Half HALF, unsigned AXES, int W>
struct Stretched {
    Lanes<W> values[3][3];  // [axis][row]

    template <class Slopes>
    __device__ __forceinline__ Stretched(const Slopes& slopes, const Layers& layers, unsigned sides) {
        take<0>(slopes);
        take<1>(slopes);
        take<2>(slopes);
        if (sides == 0) return;
        if constexpr (AXES & 1) stretch<HALF, 0>(layers, sides, slopes.place, values[0]);
        if constexpr (AXES & 2) stretch<HALF, 1>(layers, sides, slopes.place, values[1]);
        if constexpr (AXES & 4) stretch<HALF, 2>(layers, sides, slopes.place, values[2]);
    }

    template <int AXIS, class Slopes>
    __device__ __forceinline__ void take(const Slopes& slopes) {
        values[AXIS][0] = slopes.template slope<0, AXIS>();
        values[AXIS][1] = slopes.template slope<1, AXIS>();
        values[AXIS][2] = slopes.template slope<2, AXIS>();
    }

    template <int C, int AXIS>
    __device__ __forceinline__ const Lanes<W>& slope() const {
        return values[AXIS][C];
    }
};

// Number of factors at a point with several solids in a half of the step.
__device__ constexpr int mixed_of(Half half) { return half == VELOCITIES ? 3 : 12; }

// Changes the derivatives at a point with several solids, so that the laws below give the rates of their mixture.
// factors: those of its group from its own lane on, [factor][lane].
template <Half HALF>
__device__ __forceinline__ void mix(const REAL* factors, Lanes<1> slopes[3][3]) {
    if constexpr (HALF == VELOCITIES) {
#pragma unroll
        for (int c = 0; c < 3; ++c) {
#pragma unroll
            for (int axis = 0; axis < 3; ++axis) slopes[axis][c].v[0] = op::mul(factors[c * GROUP], slopes[axis][c].v[0]);
        }
        return;
    }
    REAL mixing[9], normal[3], mixed[3];
#pragma unroll
    for (int entry = 0; entry < 9; ++entry) mixing[entry] = factors[entry * GROUP];
#pragma unroll
    for (int c = 0; c < 3; ++c) normal[c] = slopes[c][c].v[0];
    mixed_slopes(mixing, normal, mixed);
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        const int a = c == 0 ? 1 : 0, b = c == 2 ? 1 : 2;
        const REAL shear = factors[(9 + c) * GROUP];
        slopes[c][c].v[0] = mixed[c];
        slopes[b][a].v[0] = op::mul(shear, slopes[b][a].v[0]);
        slopes[a][b].v[0] = op::mul(shear, slopes[a][b].v[0]);
    }
}

// Number of fields updated in a half of the step.
__device__ constexpr int fields_of(Half half) { return half == VELOCITIES ? 3 : 6; }

// The fields updated in one half of the step. All are computed before the first is written, so that no read waits for a write.
template <Half HALF, int W>
struct Targets {
    REAL* fields;
    const Grid& grid;
    const Sponge& sponge;
    REAL dt;
    Place place;
    bool is_once;  // whether they are used only once and should not stay in the caches
    Lanes<W> moved[fields_of(HALF)];

    __device__ __forceinline__ REAL* at(int field) const { return fields + (size_t)grid.length * field + place.at; }

    __device__ __forceinline__ void take(int field) {
        if (is_once) {
            read_once(at(field), moved[field]);
        } else {
            read(at(field), moved[field]);
        }
    }

    // Advances a field by its rate. TAKEN: whether `moved` holds it already.
    template <int FIELD, bool TAKEN>
    __device__ __forceinline__ void move(const Lanes<W>& rate) {
        if (!TAKEN) take(FIELD);
#pragma unroll
        for (int l = 0; l < W; ++l) moved[FIELD].v[l] = op::fma(dt, rate.v[l], moved[FIELD].v[l]);
    }

    __device__ __forceinline__ REAL factor(int field, int axis, unsigned index) const {
        return sponge.factors[sponge.shape.first[axis] + (is_whole(HALF, field, axis) ? 0 : sponge.shape.count[axis]) + index];
    }

    // Number of points of a field along an axis.
    __device__ __forceinline__ unsigned count(int field, int axis) const {
        return is_whole(HALF, field, axis) ? grid.extent[axis] : grid.cells[axis];
    }

    // Applies the sponges to all fields, and writes each field where it has points.
    __device__ __forceinline__ void write_all() {
        if (sponge.factors) {
#pragma unroll
            for (int f = 0; f < fields_of(HALF); ++f) {
                const REAL across = op::mul(factor(f, 1, place.j), factor(f, 2, place.k));
#pragma unroll
                for (int l = 0; l < W; ++l) moved[f].v[l] = op::mul(moved[f].v[l], op::mul(factor(f, 0, place.i + l), across));
            }
        }
#pragma unroll
        for (int f = 0; f < fields_of(HALF); ++f) {
#pragma unroll
            for (int l = 0; l < W; ++l) moved[f].v[l] = without_negligible(moved[f].v[l]);
            const unsigned points = place.j < count(f, 1) && place.k < count(f, 2) ? count(f, 0) : 0;
            if (place.i + W <= points) {
                if (is_once) {
                    write_once(at(f), moved[f]);
                } else {
                    write(at(f), moved[f]);
                }
            } else {
#pragma unroll
                for (int l = 0; l < W; ++l) {
                    if (place.i + l < points) at(f)[l] = moved[f].v[l];
                }
            }
        }
    }
};

// Updates a velocity component: dv_C/dt = (div σ)_C / ρ.
template <int C, int W, class Slopes>
__device__ __forceinline__ void move_velocity(const Material& material, const Slopes& slopes, Targets<VELOCITIES, W>& to) {
    const Lanes<W> x = slopes.template slope<C, 0>(), y = slopes.template slope<C, 1>(), z = slopes.template slope<C, 2>();
    const REAL* const rho = material.rho + to.place.at;
    const Lanes<W> lower = before<W>(rho, to.grid.stride[C], C);
    Lanes<W> own, rate;
    read(rho, own);
#pragma unroll
    for (int l = 0; l < W; ++l) {
        const REAL pair[2] = {lower.v[l], own.v[l]};
        REAL buoyancy;
        face_buoyancy(pair, buoyancy);
        rate.v[l] = op::mul(buoyancy, op::add(op::add(x.v[l], y.v[l]), z.v[l]));
    }
    to.template move<C, false>(rate);
}

// Values in the four cells around an edge, normal to A and B.
template <int A, int B, int W>
struct FourCells {
    Lanes<W> own, before_a, before_b, corner;

    // values: from the place of the points on
    __device__ __forceinline__ FourCells(const REAL* values, const Grid& grid)
        : before_a(before<W>(values, grid.stride[A], A)), before_b(before<W>(values, grid.stride[B], B)),
          corner(before<W>(values - grid.stride[B], grid.stride[A], A)) {
        read(values, own);
    }

    __device__ __forceinline__ void at(int lane, REAL (&cells)[4]) const {
        cells[0] = own.v[lane];
        cells[1] = before_a.v[lane];
        cells[2] = before_b.v[lane];
        cells[3] = corner.v[lane];
    }
};

// Updates the three normal stresses.
template <bool TAKEN, int W, class Slopes>
__device__ __forceinline__ void move_normal(const Material& material, const Slopes& slopes, Targets<STRESSES, W>& to) {
    const Lanes<W> x = slopes.template slope<0, 0>(), y = slopes.template slope<1, 1>(), z = slopes.template slope<2, 2>();
    Lanes<W> lambda, inverse_mu, rates[3];
    read(material.lambda + to.place.at, lambda);
    read(material.inverse_mu + to.place.at, inverse_mu);
#pragma unroll
    for (int l = 0; l < W; ++l) {
        const REAL own[3] = {x.v[l], y.v[l], z.v[l]};
        REAL three[3];
        normal_stress_rates(lambda.v[l], inverse_mu.v[l], own, three);
#pragma unroll
        for (int c = 0; c < 3; ++c) rates[c].v[l] = three[c];
    }
    to.template move<0, TAKEN>(rates[0]);
    to.template move<1, TAKEN>(rates[1]);
    to.template move<2, TAKEN>(rates[2]);
}

// Updates the shear stress on faces normal to A along B.
template <int A, int B, bool TAKEN, int W, class Slopes>
__device__ __forceinline__ void move_shear(const Material& material, const Slopes& slopes, Targets<STRESSES, W>& to) {
    const Lanes<W> ab = slopes.template slope<A, B>(), ba = slopes.template slope<B, A>();
    const FourCells<A, B, W> inverse_mu(material.inverse_mu + to.place.at, to.grid);
    Lanes<W> rate;
#pragma unroll
    for (int l = 0; l < W; ++l) {
        const REAL pair[2] = {ab.v[l], ba.v[l]};
        REAL cells[4], mu;
        inverse_mu.at(l, cells);
        edge_modulus(cells, mu);
        shear_stress_rate(mu, pair, rate.v[l]);
    }
    to.template move<voigt(A, B), TAKEN>(rate);
}

// Updates all fields of one half of the step. TAKEN: whether `to.moved` holds them already.
template <Half HALF, bool TAKEN, int W, class Slopes>
__device__ __forceinline__ void move(const Material& material, const Slopes& slopes, Targets<HALF, W>& to) {
    if constexpr (HALF == VELOCITIES) {
        move_velocity<0>(material, slopes, to);
        move_velocity<1>(material, slopes, to);
        move_velocity<2>(material, slopes, to);
    } else {
        move_normal<TAKEN>(material, slopes, to);
        move_shear<1, 2, TAKEN>(material, slopes, to);
        move_shear<0, 2, TAKEN>(material, slopes, to);
        move_shear<0, 1, TAKEN>(material, slopes, to);
    }
    to.write_all();
}

}  // namespace craton
