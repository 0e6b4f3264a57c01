// Values that the stencils of a thread read while it marches along z.
#pragma once

namespace craton {

// The last plane that a derivative along z reads, relative to the current one.
__device__ constexpr int reach_of(bool is_whole) { return is_whole ? HALF_LENGTH - 1 : HALF_LENGTH; }

// Ring buffer of a field that is differentiated along z. A march reads each value once; it stays in shared memory until no stencil of the thread needs it. Slots are
// private to a thread, so no barrier is needed. `OF_BLOCK`: threads per block; `AHEAD`: values are copied asynchronously, and the thread waits for them later.
template <int W, bool WHOLE, unsigned OF_BLOCK, bool AHEAD>
struct Ring {
    static constexpr int SLOTS = 2 * HALF_LENGTH;
    static constexpr int REACH = reach_of(WHOLE);

    Lanes<W>* own;  // [slot][thread of the block]
    const REAL* field;
    int stride;  // distance between planes

    // The slot for the value of a plane.
    __device__ __forceinline__ Lanes<W>& at(int plane) const { return own[(unsigned)(plane + SLOTS) % SLOTS * OF_BLOCK]; }

    // Reads the value that the stencil of the plane `ahead` planes further is the first to use; it overwrites one that no stencil needs any more.
    __device__ __forceinline__ void bring(const Place& place, int ahead) const {
        const int planes = ahead + REACH;
        const REAL* const from = field + place.at + planes * stride;
        Lanes<W>& to = at((int)place.k + planes);
        if constexpr (AHEAD) {
            copy_async<sizeof(Lanes<W>)>(&to, from);
        } else {
            Lanes<W> value;
            read(from, value);
            to = value;
        }
    }

    // The derivative at a plane whose values have arrived.
    __device__ __forceinline__ Lanes<W> derive(const Place& place, const REAL* coefficients) const {
        Lanes<W> taps[SLOTS];
#pragma unroll
        for (int m = 0; m < SLOTS; ++m) taps[m] = at((int)place.k + REACH - SLOTS + 1 + m);
        return sum_of_taps(taps, coefficients);
    }
};

}  // namespace craton
