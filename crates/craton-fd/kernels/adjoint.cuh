// The transposed scheme of acoustic shots, backwards in time (`gradient/adjoint.rs`): layers act on fields before these are differentiated. What a layer adds to
// a field is stored in its slab. Stencils read the field, and near the layer also the slab.
#pragma once

namespace craton {

// What the layer of a side adds to the values that the derivative along its axis reads; zero outside the layer.
template <int AXIS, bool WHOLE>
struct InSlab {
    const REAL* added;    // of the slab, [k][j][i]
    long long own;        // offset of the own point, which may be outside the layer
    int within, range;    // index of the own point in the layer, and number of indices of the layer
    int stride;           // distance in the slab between neighbours along the axis
    int twice;            // twice the index of a free top; beyond it are images

    __device__ __forceinline__ InSlab(const Grid& grid, const Slab& slab, const REAL* added, const Place& place) : added(added + slab.memory) {
        within = (int)along(AXIS, place) - (int)slab.start;
        range = slab.end - slab.start;
        stride = AXIS == 0 ? 1 : AXIS == 1 ? (int)slab.width : (int)(slab.width * slab.rows);
        const long long i = AXIS == 0 ? within : (int)place.i, j = AXIS == 1 ? within : (int)place.j, k = AXIS == 2 ? within : (int)place.k;
        own = (k * slab.rows + j) * slab.width + i;
        twice = AXIS == 2 && is_free(grid) ? 2 * (int)(grid.cells[2] - slab.start) - (WHOLE ? 1 : 0) : 1 << 30;
    }

    __device__ __forceinline__ Lanes<WIDTH> at(int steps, int) const {
        int index = within + (AXIS == 0 ? steps * WIDTH : steps);
        // Pressure is odd about the top, the velocity even.
        const bool is_image = AXIS == 2 && 2 * index > twice;
        if (is_image) index = twice - index;
        Lanes<WIDTH> value;
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) value.v[l] = 0;
        if (index < 0 || index >= range) return value;
        read(added + own + (long long)(index - within) * stride, value);
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) value.v[l] = is_image && WHOLE ? -value.v[l] : value.v[l];
        return value;
    }
};

// The derivative of what a layer adds. Few points are near a layer: unrolled code along y and z would take registers of all others.
template <int AXIS, bool WHOLE>
__device__ __forceinline__ Lanes<WIDTH> slope_in(const InSlab<AXIS, WHOLE>& values, const REAL* coefficients) {
    if constexpr (AXIS == 0) {
        return regular_slope<AXIS, WHOLE, WIDTH>(values, 0, coefficients);
    } else {
        Lanes<WIDTH> sum;
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) sum.v[l] = 0;
#pragma unroll 1
        for (int m = 0; m < HALF_LENGTH; ++m) {
            const Lanes<WIDTH> above = values.at(m + (WHOLE ? 0 : 1), 0), below = values.at(-m - (WHOLE ? 1 : 0), 0);
#pragma unroll
            for (int l = 0; l < WIDTH; ++l) sum.v[l] = op::fma(coefficients[m], op::sub(above.v[l], below.v[l]), sum.v[l]);
        }
        return sum;
    }
}

// Whether a derivative along an axis reads values of a layer.
template <int AXIS>
__device__ __forceinline__ bool reaches(const Slab& slab, const Place& place) {
    constexpr unsigned REACH = AXIS == 0 ? (HALF_LENGTH + WIDTH - 1) / WIDTH * WIDTH : HALF_LENGTH;
    const unsigned first = along(AXIS, place), last = first + (AXIS == 0 ? WIDTH - 1 : 0);
    return slab.start < slab.end && last + REACH >= slab.start && first < slab.end + REACH;
}

// The residual of a recording at the points of the channels: the points of each block in ascending order, and their values in each step.
struct Injected {
    const unsigned* starts;  // of the points of each block
    const uint2* points;     // field and index
    const REAL* values;      // of the step

    // Adds the values of the points of a thread.
    __device__ __forceinline__ void add(unsigned first, unsigned end, unsigned field, unsigned at, Lanes<WIDTH>& moved) const {
        unsigned high = end;
#pragma unroll 1
        while (first < high) {
            const unsigned middle = (first + high) / 2;
            const uint2 point = points[middle];
            if (point.x < field || (point.x == field && point.y < at)) first = middle + 1;
            else high = middle;
        }
#pragma unroll 1
        for (; first < end && points[first].x == field && points[first].y - at < WIDTH; ++first) {
            const unsigned lane = points[first].y - at;
#pragma unroll
            for (int l = 0; l < WIDTH; ++l) {
                if (lane == l) moved.v[l] = op::add(moved.v[l], values[first]);
            }
        }
    }
};

// A step backwards in time.
struct Adjoint {
    static constexpr bool RELAXING = false;

    const Layers& layers;        // with the adjoint memory of the updated fields
    REAL* added;                 // what the layers add to the updated fields
    const REAL* added_to_other;  // and to those that are differentiated
    Injected residual;
    Correlation correlation;
    const REAL* increments;  // of the forward step, or null
    unsigned fields;         // number of correlated fields

    __device__ __forceinline__ const unsigned* starts() const { return residual.starts; }

    // Adds the derivative of what the layers normal to an axis have added to the field.
    template <int AXIS, bool WHOLE>
    __device__ __forceinline__ void stretch(const Grid& grid, const Coefficients& coefficients, const Own& own, Lanes<WIDTH>& slope) const {
#pragma unroll 1
        for (int side = 2 * AXIS; side < 2 * AXIS + 2; ++side) {
            const Slab& slab = layers.slabs.of_side[side];
            if (!reaches<AXIS>(slab, own.place)) continue;
            const InSlab<AXIS, WHOLE> values(grid, slab, added_to_other, own.place);
            const Lanes<WIDTH> more = slope_in(values, coefficients.along[AXIS]);
#pragma unroll
            for (int l = 0; l < WIDTH; ++l) slope.v[l] = op::add(slope.v[l], more.v[l]);
        }
    }

    // Adds the residual, correlates, and applies the layers.
    template <unsigned FIELD>
    __device__ __forceinline__ void act(const Grid& grid, const Own& own, const Lanes<WIDTH>&, Lanes<WIDTH>& moved) const {
        if (own.is_driven) residual.add(starts()[block_of(own)], starts()[block_of(own) + 1], FIELD, own.place.at, moved);
        if (increments && has(fields, FIELD)) {
            correlation.add(number_of(fields, FIELD) * points_of(grid) + compact(grid, own.place), increments, moved);
        }
        if constexpr (FIELD == PRESSURE) {
            spread<0, false>(own, moved);
            if constexpr (AXES == 3) spread<1, false>(own, moved);
            spread<2, false>(own, moved);
        } else {
            spread<axis_of(FIELD), true>(own, moved);
        }
    }

    // The transposed stretching of the layers normal to an axis: `stretch_transposed` in `gradient/transposed.rs`. The upper side is first.
    template <int AXIS, bool WHOLE>
    __device__ __forceinline__ void spread(const Own& own, Lanes<WIDTH> value) const {
#pragma unroll
        for (int side = 2 * AXIS + 1; side >= 2 * AXIS; --side) {
            if (!(own.sides >> side & 1)) continue;
            const Slab& slab = layers.slabs.of_side[side];
            const unsigned within = along(AXIS, own.place) - slab.start, range = slab.end - slab.start;
            const REAL* const factors = layers.factors + slab.factors + within + (WHOLE ? 0 : 3 * range);
            REAL* const at = memory_of<AXIS>(layers, slab, own.place);
            Lanes<WIDTH> memory, change;
            read(at, memory);
#pragma unroll
            for (int l = 0; l < WIDTH; ++l) {
                const REAL* const lane = factors + (AXIS == 0 ? l : 0);
                const REAL sum = op::add(memory.v[l], value.v[l]);
                const REAL stretched = op::fma(lane[2 * range], value.v[l], op::mul(lane[range], sum));
                change.v[l] = op::sub(stretched, value.v[l]);
                memory.v[l] = without_negligible(op::mul(lane[0], sum));
                value.v[l] = stretched;
            }
            write(at, memory);
            write(added + (at - layers.memory), change);
        }
    }
};

}  // namespace craton
