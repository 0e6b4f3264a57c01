// What all kernels of acoustic shots share: taps of sources, memory of layers, the law, the image beyond a free top.
#pragma once

namespace craton {

// Fields of a shot: velocities along its axes, then pressure.
constexpr unsigned PRESSURE = AXES, FIELDS = AXES + 1;

// The axis of a velocity.
__device__ constexpr int axis_of(int velocity) { return AXES == 2 ? 2 * velocity : velocity; }

// What a source adds to a point in a step, for an amplitude of one; or what a channel takes of it.
struct Tap {
    unsigned field, at, owner;
    float weight;
};

// What acts in a launch: of the blocks of all shots, their taps.
struct Sources {
    const unsigned* starts;
    const Tap* taps;
    const REAL* amplitudes;  // [source][step]
    unsigned steps;          // of an amplitude; the last one is that of all later steps
};

// Adds what a tap does to the points from `at` on, if it is one of them.
__device__ __forceinline__ void add(const Sources& sources, const Tap& tap, unsigned at, unsigned step, Lanes<WIDTH>& moved) {
    const REAL amplitude = sources.amplitudes[(size_t)tap.owner * sources.steps + min(step, sources.steps - 1)];
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) {
        if (tap.at == at + l) moved.v[l] = op::add(moved.v[l], op::mul((REAL)tap.weight, amplitude));
    }
}

// The same of some taps and a field.
__device__ __forceinline__ void push(const Sources& sources, unsigned first, unsigned end, unsigned field, unsigned at, unsigned step,
                                     Lanes<WIDTH>& moved) {
    // Few points have a source: long code would cost all others more.
#pragma unroll 1
    for (unsigned n = first; n < end; ++n) {
        const Tap tap = sources.taps[n];
        if (tap.field == field && tap.at - at < WIDTH) add(sources, tap, at, step, moved);
    }
}

// Where the layer of a side remembers the derivative along its axis at a place: [k][j][i].
template <int AXIS>
__device__ __forceinline__ REAL* memory_of(const Layers& layers, const Slab& slab, const Place& place) {
    const unsigned i = AXIS == 0 ? place.i - slab.start : place.i, j = AXIS == 1 ? place.j - slab.start : place.j;
    const unsigned k = AXIS == 2 ? place.k - slab.start : place.k;
    return layers.memory + slab.memory + (size_t)(k * slab.rows + j) * slab.width + i;
}

__device__ __forceinline__ unsigned along(int axis, const Place& place) { return axis == 0 ? place.i : axis == 1 ? place.j : place.k; }

// Moves what the layer of a side remembers of a derivative across it, and stretches the derivative.
template <int AXIS, bool WHOLE>
__device__ __forceinline__ void stretch_slope(const Layers& layers, const Slab& slab, const Place& place, Lanes<WIDTH>& memory, Lanes<WIDTH>& slope) {
    const unsigned within = along(AXIS, place) - slab.start, range = slab.end - slab.start;
    const REAL* const factors = layers.factors + slab.factors + within + (WHOLE ? 0 : 3 * range);
    Lanes<WIDTH> own[3];
#pragma unroll
    for (int n = 0; n < 3; ++n) {
        // Along x a range is whole groups, and its factors stand first: at multiples of 16 bytes.
        if (AXIS == 0) read(factors + n * range, own[n]);
        else own[n].v[0] = factors[n * range];
    }
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) {
        const int at = AXIS == 0 ? l : 0;
        remember(own[0].v[at], own[1].v[at], own[2].v[at], memory.v[l], slope.v[l]);
    }
    write(memory_of<AXIS>(layers, slab, place), memory);
}

// What the layers across an axis remember, brought near before the derivative is known.
template <int AXIS>
struct Memories {
    unsigned sides;
    Lanes<WIDTH> of_side[2];
};

template <int AXIS>
__device__ __forceinline__ Memories<AXIS> recall(const Layers& layers, const Place& place) {
    Memories<AXIS> memories;
    memories.sides = sides_around(layers, AXIS, along(AXIS, place)) >> 2 * AXIS;
#pragma unroll
    for (int side = 0; side < 2; ++side) {
        if (memories.sides >> side & 1) read(memory_of<AXIS>(layers, layers.slabs.of_side[2 * AXIS + side], place), memories.of_side[side]);
    }
    return memories;
}

// What the layers across an axis make of a derivative.
template <int AXIS, bool WHOLE>
__device__ __forceinline__ void stretch_slope(const Layers& layers, const Place& place, Memories<AXIS>& memories, Lanes<WIDTH>& slope) {
#pragma unroll
    for (int side = 0; side < 2; ++side) {
        if (!(memories.sides >> side & 1)) continue;
        stretch_slope<AXIS, WHOLE>(layers, layers.slabs.of_side[2 * AXIS + side], place, memories.of_side[side], slope);
    }
}

// Whether the top is free: there is a velocity above the uppermost cells.
__device__ __forceinline__ bool is_free(const Grid& grid) { return grid.extent[2] > grid.cells[2]; }

// The law, by one derivative or by all.
__device__ __forceinline__ REAL rate(REAL factor, const REAL (&slope)[1]) {
    REAL rate;
    acoustic_rate_1(factor, slope, rate);
    return rate;
}

__device__ __forceinline__ REAL rate(REAL factor, const REAL (&slopes)[AXES]) {
    REAL rate;
#if AXES == 2
    acoustic_rate_2(factor, slopes, rate);
#else
    acoustic_rate_3(factor, slopes, rate);
#endif
    return rate;
}

// How far above plane k its image stands where the top is free: planes `twice` - k; none where no stencil reaches it.
__device__ __forceinline__ unsigned image_of(const Grid& grid, unsigned twice, unsigned k) {
    const unsigned image = twice - k;
    return is_free(grid) && image > k && image < grid.cells[2] + HALF_LENGTH ? image - k : 0;
}

}  // namespace craton
