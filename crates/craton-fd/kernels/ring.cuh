// What the stencils of a thread reach along z while it marches there.
#pragma once

namespace craton {

// The last plane, seen from the own one, to which a derivative along z reaches.
__device__ constexpr int reach_of(bool is_whole) { return is_whole ? HALF_LENGTH - 1 : HALF_LENGTH; }

// The values of a field under its derivative along z, each read once in a march: it stays in shared memory until no stencil of the thread reaches it. Its place is the
// thread's own, so nothing waits at a barrier. `OF_BLOCK`: threads of a block; `AHEAD`: values are asked for by copies for which the thread waits later.
template <int W, bool WHOLE, unsigned OF_BLOCK, bool AHEAD>
struct Ring {
    static constexpr int SLOTS = 2 * HALF_LENGTH;
    static constexpr int REACH = reach_of(WHOLE);

    Lanes<W>* own;  // [slot][thread of the block]
    const REAL* field;
    int stride;  // from plane to plane

    // Where the value of a plane stands.
    __device__ __forceinline__ Lanes<W>& at(int plane) const { return own[(unsigned)(plane + SLOTS) % SLOTS * OF_BLOCK]; }

    // Reads what the stencils around the plane so many planes ahead are the first to reach; it takes the place of what none reaches any more.
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
