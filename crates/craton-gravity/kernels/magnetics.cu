// The flux density B of magnetised prisms and its gradient: sums over runs of prisms at tiles of points, then the sums of the runs in their order.
//
// B and its gradient have the places of the attraction and of the tensor: B along an axis k is the tensor minus its trace, times the magnetisation; the gradient
// ij is the sum over k of the third derivatives ijk of the potential times the magnetisation along k.
//
// Compile-time: REAL (precision of a pair; sums are double), FIELDS (1022: all but the potential).

#include "device.cuh"
#include "pairs.cuh"
#include "runs.cuh"
#include "third.cuh"

namespace craton {

static_assert(FIELDS == 1022, "the three components of B and the six of its gradient");

// FAR and LOSS of pairs with third derivatives, as in `src/magnetics/third.rs`; the distance is larger than for the tensor. In single precision the truncation error of
// the multipole is at most 4e-6 of a piece: third derivatives of the pieces of a plate nearly cancel, to a fiftieth of their sum.
constexpr double FAR_THIRD = IS_SINGLE ? 7.0 : 28.0;
constexpr double LOSS_THIRD = IS_SINGLE ? 500.0 : LOSS;

// A prism whose `scale` is its magnetisation along x, y, z.
__device__ __forceinline__ Body magnet_of(const double (&bounds)[3][2], const double (&vector)[3], const double (&origin)[3]) {
    Body body = body_of(bounds, 1, origin);
    const double half = body.half_diagonal, volume = (double)body.size[0] * body.size[1] * body.size[2], reach = (FAR_THIRD + 1.0) * half;
    body.far2 = (REAL)(FAR_THIRD * FAR_THIRD * half * half);
    body.limit3 = reach * reach * reach <= LOSS_THIRD * volume ? at_infinity() : (REAL)(LOSS_THIRD * volume);
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) body.scale[axis] = (REAL)vector[axis];
    return body;
}

// A component of the magnetisation times a value that may diverge: a magnetisation along an edge has no charge there.
__device__ __forceinline__ REAL times_magnetisation(REAL value, REAL component, REAL sum) { return component == 0 ? sum : fused(value, component, sum); }

// Tensor and third derivatives of a prism, per unit of G times density.
struct Pair {
    REAL tensor[6];
    Third third;

    // B, then its gradient, for a magnetisation; the third derivatives are per unit of length.
    __device__ __forceinline__ void magnetised(const REAL (&m)[3], REAL per_unit, REAL (&fields)[9]) const {
        const REAL ee = tensor[0], en = tensor[1], eu = tensor[2], nn = tensor[3], nu = tensor[4], uu = tensor[5];
        // Where the two others diverge, the trace is that outside the prism.
        const REAL own[3] = {trace_free(ee, nn, uu), trace_free(nn, ee, uu), trace_free(uu, ee, nn)};
        const REAL gradient[3] = {m[0] * per_unit, m[1] * per_unit, m[2] * per_unit};
        fields[0] = product(own[0], en, eu, m);
        fields[1] = product(en, own[1], nu, m);
        fields[2] = product(eu, nu, own[2], m);
        fields[3] = product(third.eee(), third.een, third.eeu, gradient);
        fields[4] = product(third.een, third.enn, third.enu, gradient);
        fields[5] = product(third.eeu, third.enu, third.euu, gradient);
        fields[6] = product(third.enn, third.nnn(), third.nnu, gradient);
        fields[7] = product(third.enu, third.nnu, third.nuu, gradient);
        fields[8] = product(third.euu, third.nuu, third.uuu(), gradient);
    }

   private:
    static __device__ __forceinline__ REAL product(REAL x, REAL y, REAL z, const REAL (&m)[3]) {
        return times_magnetisation(z, m[2], times_magnetisation(y, m[1], times_magnetisation(x, m[0], 0)));
    }
    static __device__ __forceinline__ REAL trace_free(REAL own, REAL second, REAL third) {
        const REAL value = -(second + third);
        return value == value ? value : own;
    }
};

__device__ __forceinline__ Pair pair_near(const Piece& piece, float none) {
    REAL fields[ALL];
    closed_form(piece.offsets, piece.size, none, fields);
    Pair pair;
#pragma unroll
    for (int component = 0; component < 6; ++component) pair.tensor[component] = fields[4 + component];
    pair.third = third_near(piece.offsets, piece.size);
    return pair;
}

__device__ __forceinline__ Pair pair_from_afar(const Multipole& of, const Place& place) {
    REAL fields[ALL];
    from_afar(of, place.centre, place.distance2, fields);
    Pair pair;
#pragma unroll
    for (int component = 0; component < 6; ++component) pair.tensor[component] = fields[4 + component];
    pair.third = third_from_afar(of, place.centre, place.distance2);
    return pair;
}

struct Magnetic {
    REAL of[9];
};

// The fields of a prism with a magnetisation.
__device__ __forceinline__ void add_pair(const Pair& pair, const Body& body, Magnetic& sum) {
    Magnetic fields;
    pair.magnetised(body.scale, body.per_unit, fields.of);
#pragma unroll
    for (int field = 0; field < 9; ++field) sum.of[field] = sum.of[field] + fields.of[field];
}

// Fields of a long or flat prism in pieces, as `in_pieces` for gravity.
__device__ __noinline__ Magnetic magnet_in_pieces(const Body& body, Piece whole, float none) {
    Magnetic sum{};
    Way way;
    do {
        Piece piece = whole;
#pragma unroll 1
        for (int cut = way.cuts - 1; cut >= 0; --cut) halve(piece, way.upper >> cut & 1);
        const Place place = place_of(piece.offsets);
        const REAL diagonal2 = dot(piece.size, piece.size), volume = piece.size[0] * piece.size[1] * piece.size[2];
        if (!(place.distance2 < (REAL)(0.25 * FAR_THIRD * FAR_THIRD) * diagonal2)) {
            add_pair(pair_from_afar(multipole_of(piece.size), place), body, sum);
        } else if (way.cuts < DEEPEST && (REAL)LOSS_THIRD * volume < cubed_reach(place, (REAL)0.5 * root(diagonal2))) {
            way.descend();
            continue;
        } else {
            add_pair(pair_near(piece, none), body, sum);
        }
        way.go_on();
    } while (way.cuts > 0);
    return sum;
}

// Sums of a run at a point, in shared memory: in registers they would leave too few for the closed form.
struct Totals {
    double* own;

    __device__ __forceinline__ void add(const Magnetic& sums) const {
#pragma unroll
        for (int field = 0; field < COUNT; ++field) own[field * TILE] = own[field * TILE] + (double)sums.of[field];
    }
};

// Adds a batch of prisms at a point: first those that need not be cut, then the others, both in ascending order.
__device__ __forceinline__ void gather(const Body* bodies, unsigned count, const Point& point, float none, const Totals& totals) {
    unsigned left = 0;
#pragma unroll 1
    for (unsigned number = 0; number < count; ++number) {
        const Body& body = bodies[number];
        const Piece whole = seen_from(body, point);
        const Place place = place_of(whole.offsets);
        Magnetic sums{};
        if (!(place.distance2 < body.far2)) {
            add_pair(pair_from_afar(body.multipole, place), body, sums);
        } else if (body.limit3 < at_infinity() && body.limit3 < cubed_reach(place, body.half_diagonal)) {
            left |= 1u << number;
            continue;
        } else {
            add_pair(pair_near(whole, none), body, sums);
        }
        totals.add(sums);
    }
#pragma unroll 1
    for (; left != 0; left &= left - 1) {
        const Body& body = bodies[__ffs((int)left) - 1];
        totals.add(magnet_in_pieces(body, seen_from(body, point), none));
    }
}

}  // namespace craton

using namespace craton;

// Sums over runs of prisms (blockIdx.y) at tiles of points (blockIdx.x): sums[run][field][point].
//
// numbers: [bound, or component of the magnetisation times mu_0/4pi][prism]; points: [axis][point], n of them; none: value of components of the tensor without a limit.
extern "C" __global__ void __launch_bounds__(TILE, BLOCKS_AT_ONCE)
    sum_runs(const double* numbers, unsigned count, unsigned first_run, const double* points, unsigned n, float none, double* sums) {
    __shared__ Body bodies[TILE];
    __shared__ double kept[COUNT * TILE];
    const Prisms prisms{numbers, count};
    const unsigned start = (first_run + blockIdx.y) * RUN, end = min(start + RUN, count);
    const unsigned own = blockIdx.x * TILE + threadIdx.x;
    const bool is_point = own < n;
    double place[3];
#pragma unroll
    for (unsigned axis = 0; axis < 3; ++axis) place[axis] = is_point ? points[(size_t)axis * n + own] : 0;
    const Totals totals{kept + threadIdx.x};
#pragma unroll
    for (int field = 0; field < COUNT; ++field) totals.own[field * TILE] = 0;
    for (unsigned tile = start; tile < end; tile += TILE) {
        const unsigned staged = min(TILE, end - tile);
        const double origin[3] = {prisms.get(0, tile), prisms.get(2, tile), prisms.get(4, tile)};
        if (threadIdx.x < staged) {
            const unsigned prism = tile + threadIdx.x;
            double bounds[3][2], vector[3];
#pragma unroll
            for (unsigned axis = 0; axis < 3; ++axis) {
                bounds[axis][0] = prisms.get(2 * axis, prism);
                bounds[axis][1] = prisms.get(2 * axis + 1, prism);
                vector[axis] = prisms.get(6 + axis, prism);
            }
            bodies[threadIdx.x] = magnet_of(bounds, vector, origin);
        }
        __syncthreads();
        if (is_point) {
            Point point;
#pragma unroll
            for (int axis = 0; axis < 3; ++axis) point.at[axis] = coordinate(place[axis], origin[axis]);
#pragma unroll 1
            for (unsigned batch = 0; batch < staged; batch += BATCH) {
                gather(bodies + batch, min(BATCH, staged - batch), point, none, totals);
            }
        }
        __syncthreads();
    }
    if (!is_point) return;
    double* const to = sums + (size_t)blockIdx.y * COUNT * n + own;
#pragma unroll
    for (int field = 0; field < COUNT; ++field) to[(size_t)field * n] = totals.own[field * TILE];
}

CRATON_ENTRY(sum_runs)
