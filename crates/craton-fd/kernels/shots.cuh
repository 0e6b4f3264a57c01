// Code common to all kernels of acoustic shots: source taps, memory variables of layers, the law, images beyond a free surface.
#pragma once

namespace craton {

// Fields of a shot: velocities along its axes, then pressure.
constexpr unsigned PRESSURE = AXES, FIELDS = AXES + 1;

// The axis of a velocity component.
__device__ constexpr int axis_of(int velocity) { return AXES == 2 ? 2 * velocity : velocity; }

// The weight of a source at a point, added per step and unit amplitude; or the weight of a point in a channel.
struct Tap {
    unsigned field, at, owner;
    float weight;
};

// The sources of a launch: the first tap of each block of all shots, and the taps.
struct Sources {
    const unsigned* starts;
    const Tap* taps;
    const REAL* amplitudes;  // [source][step]
    unsigned steps;          // number of steps per source; the last amplitude holds for all later steps
};

// Adds a tap, if it acts on one of the points from `at` on.
__device__ __forceinline__ void add(const Sources& sources, const Tap& tap, unsigned at, unsigned step, Lanes<WIDTH>& moved) {
    const REAL amplitude = sources.amplitudes[(size_t)tap.owner * sources.steps + min(step, sources.steps - 1)];
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) {
        if (tap.at == at + l) moved.v[l] = op::add(moved.v[l], op::mul((REAL)tap.weight, amplitude));
    }
}

// Adds the taps from `first` to `end` that act on a field.
__device__ __forceinline__ void push(const Sources& sources, unsigned first, unsigned end, unsigned field, unsigned at, unsigned step,
                                     Lanes<WIDTH>& moved) {
    // Few points have a source: unrolled code would cost all other points more.
#pragma unroll 1
    for (unsigned n = first; n < end; ++n) {
        const Tap tap = sources.taps[n];
        if (tap.field == field && tap.at - at < WIDTH) add(sources, tap, at, step, moved);
    }
}

// Address of the memory variable that the layer of a side has for the derivative along its axis at a point: [k][j][i].
template <int AXIS>
__device__ __forceinline__ REAL* memory_of(const Layers& layers, const Slab& slab, const Place& place) {
    const unsigned i = AXIS == 0 ? place.i - slab.start : place.i, j = AXIS == 1 ? place.j - slab.start : place.j;
    const unsigned k = AXIS == 2 ? place.k - slab.start : place.k;
    return layers.memory + slab.memory + (size_t)(k * slab.rows + j) * slab.width + i;
}

__device__ __forceinline__ unsigned along(int axis, const Place& place) { return axis == 0 ? place.i : axis == 1 ? place.j : place.k; }

// Advances the memory variables of the layer of a side for the derivative normal to it, and stretches the derivative.
template <int AXIS, bool WHOLE>
__device__ __forceinline__ void stretch_slope(const Layers& layers, const Slab& slab, const Place& place, Lanes<WIDTH>& memory, Lanes<WIDTH>& slope) {
    const unsigned within = along(AXIS, place) - slab.start, range = slab.end - slab.start;
    const REAL* const factors = layers.factors + slab.factors + within + (WHOLE ? 0 : 3 * range);
    Lanes<WIDTH> own[3];
#pragma unroll
    for (int n = 0; n < 3; ++n) {
        // Along x a range consists of whole groups, and its factors come first: they are aligned to 16 bytes.
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

// Memory variables of the layers normal to an axis, read before the derivative is known.
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

// Applies the layers normal to an axis to a derivative.
template <int AXIS, bool WHOLE>
__device__ __forceinline__ void stretch_slope(const Layers& layers, const Place& place, Memories<AXIS>& memories, Lanes<WIDTH>& slope) {
#pragma unroll
    for (int side = 0; side < 2; ++side) {
        if (!(memories.sides >> side & 1)) continue;
        stretch_slope<AXIS, WHOLE>(layers, layers.slabs.of_side[2 * AXIS + side], place, memories.of_side[side], slope);
    }
}

// Whether the top is a free surface: then there is a velocity above the uppermost cells.
__device__ __forceinline__ bool is_free(const Grid& grid) { return grid.extent[2] > grid.cells[2]; }

// The rate of a field by the law, from one derivative or from all.
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

// Distance in planes from plane k to its image above a free surface, at plane `twice` - k; 0 if no stencil reads the image.
__device__ __forceinline__ unsigned image_of(const Grid& grid, unsigned twice, unsigned k) {
    const unsigned image = twice - k;
    return is_free(grid) && image > k && image < grid.cells[2] + HALF_LENGTH ? image - k : 0;
}

}  // namespace craton
