// Values and derivatives along z of a thread that marches along z.
#pragma once

namespace craton {

constexpr unsigned THREADS = 256;

// The row c that differentiates a field along z, or 3 if none does.
__device__ constexpr int row_along_z(Half half, int field) {
    for (int c = 0; c < 3; ++c) {
        if (source_of(half, c, 2) == field) return c;
    }
    return 3;
}

// The last plane that the derivative of row c along z reads, relative to the current one.
__device__ constexpr int reach_along_z(Half half, int c) { return reach_of(is_whole_slope(half, c, 2)); }

// The derivatives of three rows along z; each value is read from global memory once.
template <Half HALF, int W, bool KEEPS>
struct Column {
    static constexpr int SLOTS = 2 * HALF_LENGTH;
    // Values of long stencils are copied asynchronously while the previous plane is computed.
    static constexpr bool AHEAD = HALF_LENGTH > 2;

    Lanes<W>* own;  // [row][slot][thread of the block]
    const REAL* sources;
    const Grid& grid;
    const REAL* coefficients;
    Lanes<W> taken[3];  // derivatives of the current plane, if the next values are copied asynchronously

    // The ring of the values that row C reads.
    template <int C>
    __device__ __forceinline__ auto ring() const {
        const REAL* const field = sources + (size_t)grid.length * source_of(HALF, C, 2);
        return Ring<W, is_whole_slope(HALF, C, 2), THREADS, AHEAD>{own + C * SLOTS * THREADS, field, (int)grid.stride[2]};
    }

    // To be called before the first plane.
    __device__ __forceinline__ void begin(const Place& place) const {
#pragma unroll
        for (int before = SLOTS - 1; before >= (AHEAD ? 0 : 1); --before) bring_all(place, -before);
    }

    // To be called at each plane, before any other read.
    __device__ __forceinline__ void arrive(const Place& place) const {
        if constexpr (AHEAD) {
            wait_copies<0>();
        } else {
            bring_all(place, 0);
        }
    }

    // To be called after `arrive` at a plane whose derivatives are needed. `more`: whether it is not the last plane.
    __device__ __forceinline__ void take(const Place& place, bool more) {
        if constexpr (AHEAD) {
            taken[0] = derive<0>(place);
            taken[1] = derive<1>(place);
            taken[2] = derive<2>(place);
        }
        pass(place, more);
    }

    // To be called after `arrive` at any other plane.
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

    // Reads the values that the stencils of the plane `ahead` planes further are the first to use.
    __device__ __forceinline__ void bring_all(const Place& place, int ahead) const {
        ring<0>().bring(place, ahead);
        ring<1>().bring(place, ahead);
        ring<2>().bring(place, ahead);
        if constexpr (AHEAD) commit_copies();
    }
};

// Variant for kernels in which the memory of layers leaves no room for the rings: each value is read when it is used.
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
