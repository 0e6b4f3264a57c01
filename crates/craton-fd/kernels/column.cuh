// What a thread reads and derives along z while it marches.
#pragma once

namespace craton {

constexpr unsigned THREADS = 256;

// Row whose derivative along z is that of a field, or 3.
__device__ constexpr int row_along_z(Half half, int field) {
    for (int c = 0; c < 3; ++c) {
        if (source_of(half, c, 2) == field) return c;
    }
    return 3;
}

// The last plane, seen from the own one, to which the derivative of row c along z reaches.
__device__ constexpr int reach_along_z(Half half, int c) { return is_whole_slope(half, c, 2) ? HALF_LENGTH - 1 : HALF_LENGTH; }

// The values under the derivatives along z, each read from its field once: it stays in shared memory until no stencil of the thread reaches it. Its place is
// the thread's own, so nothing waits at a barrier.
template <Half HALF, int W, bool KEEPS>
struct Column {
    static constexpr int SLOTS = 2 * HALF_LENGTH;
    // Values of long stencils are asked for while the plane before is computed.
    static constexpr bool AHEAD = HALF_LENGTH > 2;

    Lanes<W>* own;  // [row][slot][thread of the block]
    const REAL* sources;
    const Grid& grid;
    const REAL* coefficients;
    Lanes<W> taken[3];  // derivatives of the plane at hand, where the next values have been asked for

    // Where the value of a plane stands.
    __device__ __forceinline__ Lanes<W>& at(int c, int plane) const {
        const unsigned slot = (unsigned)(plane + SLOTS) % SLOTS;
        return own[(c * SLOTS + slot) * THREADS];
    }

    // Before the first plane.
    __device__ __forceinline__ void begin(const Place& place) const {
#pragma unroll
        for (int before = SLOTS - 1; before >= (AHEAD ? 0 : 1); --before) bring_all(place, -before);
    }

    // At each plane, before anything else is read.
    __device__ __forceinline__ void arrive(const Place& place) const {
        if constexpr (AHEAD) {
            wait_copies<0>();
        } else {
            bring_all(place, 0);
        }
    }

    // At a plane whose derivatives are asked for, once it has arrived. `more`: whether it is not the last one.
    __device__ __forceinline__ void take(const Place& place, bool more) {
        if constexpr (AHEAD) {
            taken[0] = derive<0>(place);
            taken[1] = derive<1>(place);
            taken[2] = derive<2>(place);
        }
        pass(place, more);
    }

    // At any other.
    __device__ __forceinline__ void pass(const Place& place, bool more) const {
        if constexpr (AHEAD) {
            if (more) bring_all(place, 1);
        }
    }

    // The derivative of row C along z.
    template <int C>
    __device__ __forceinline__ Lanes<W> slope(const Place& place) const {
        if constexpr (AHEAD) return taken[C];
        return derive<C>(place);
    }

    template <int C>
    __device__ __forceinline__ Lanes<W> derive(const Place& place) const {
        constexpr int FIRST = reach_along_z(HALF, C) - SLOTS + 1;
        Lanes<W> taps[SLOTS];
#pragma unroll
        for (int m = 0; m < SLOTS; ++m) taps[m] = at(C, (int)place.k + FIRST + m);
        return sum_of_taps(taps, coefficients);
    }

    // Reads what the stencils around the plane so many planes ahead are the first to reach; the places are those of the values that none reaches any more.
    __device__ __forceinline__ void bring_all(const Place& place, int ahead) const {
        bring<0>(place, ahead + reach_along_z(HALF, 0));
        bring<1>(place, ahead + reach_along_z(HALF, 1));
        bring<2>(place, ahead + reach_along_z(HALF, 2));
        if constexpr (AHEAD) commit_copies();
    }

    template <int C>
    __device__ __forceinline__ void bring(const Place& place, int planes) const {
        const REAL* const from = sources + (size_t)grid.length * source_of(HALF, C, 2) + place.at + planes * (int)grid.stride[2];
        Lanes<W>& to = at(C, (int)place.k + planes);
        if constexpr (AHEAD) {
            copy_async<sizeof(Lanes<W>)>(&to, from);
        } else {
            Lanes<W> value;
            read(from, value);
            to = value;
        }
    }
};

// Where there is no room for that beside what layers remember: each value is read when it is wanted.
template <Half HALF, int W>
struct Column<HALF, W, false> {
    static constexpr bool AHEAD = false;

    Lanes<W>* own;
    const REAL* sources;
    const Grid& grid;
    const REAL* coefficients;
    Lanes<W> taken[3];

    __device__ __forceinline__ void begin(const Place&) const {}
    __device__ __forceinline__ void arrive(const Place&) const {}
    __device__ __forceinline__ void take(const Place&, bool) const {}
    __device__ __forceinline__ void pass(const Place&, bool) const {}

    template <int C>
    __device__ __forceinline__ Lanes<W> slope(const Place& place) const {
        const InField<W> field = {sources + (size_t)grid.length * source_of(HALF, C, 2) + place.at};
        return regular_slope<2, is_whole_slope(HALF, C, 2), W>(field, (int)grid.stride[2], coefficients);
    }
};

}  // namespace craton
