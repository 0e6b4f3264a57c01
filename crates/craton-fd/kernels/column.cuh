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
__device__ constexpr int reach_along_z(Half half, int c) { return reach_of(is_whole_slope(half, c, 2)); }

// The derivatives of three rows along z, of values that are read from their fields once.
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

    // What row C reaches.
    template <int C>
    __device__ __forceinline__ auto ring() const {
        const REAL* const field = sources + (size_t)grid.length * source_of(HALF, C, 2);
        return Ring<W, is_whole_slope(HALF, C, 2), THREADS, AHEAD>{own + C * SLOTS * THREADS, field, (int)grid.stride[2]};
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
        return ring<C>().derive(place, coefficients);
    }

    // Reads what the stencils around the plane so many planes ahead are the first to reach.
    __device__ __forceinline__ void bring_all(const Place& place, int ahead) const {
        ring<0>().bring(place, ahead);
        ring<1>().bring(place, ahead);
        ring<2>().bring(place, ahead);
        if constexpr (AHEAD) commit_copies();
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
