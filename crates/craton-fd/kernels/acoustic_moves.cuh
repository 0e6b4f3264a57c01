// Half a step of acoustic shots in blocks of rows, as the scheme of a kernel performs it. A thread updates WIDTH points along x of one row. In 3D it marches along
// z, and keeps the values that it differentiates along z in shared memory.
//
// A scheme has sources (`starts()`: of the taps of each block), and says what becomes of a derivative in absorbing layers (`stretch`) and of updated points before they are stored (`act`).
#pragma once

namespace craton {

constexpr unsigned THREADS = 32 * ROWS;
// Size of a cache line [bytes].
constexpr unsigned LINE = 128;

// The points that a thread updates in one plane.
struct Own {
    Place place;
    unsigned end;    // end of the planes of the thread
    unsigned block;  // index in `starts()` of the taps that act on the points; in 3D that of plane 0, which those of the next planes follow
    bool is_driven;  // whether any taps act on the planes of the thread
    unsigned sides;  // bit mask of the sides whose layers contain the points
};

__device__ __forceinline__ unsigned block_of(const Own& own) { return AXES == 2 ? own.block : own.block + own.place.k; }

// Finds the points of a thread; false if it has none. `planes`: number of planes to update; `deep`: planes per thread (in 2D always one).
__device__ __forceinline__ bool locate(const Grid& grid, unsigned half, unsigned planes, unsigned deep, Own& own) {
    const unsigned across = (grid.groups * (GROUP / WIDTH) + 31) / 32, down = AXES == 2 ? 1 : (grid.cells[1] + ROWS - 1) / ROWS;
    const unsigned x = blockIdx.x % across, y = blockIdx.x / across % down, z = blockIdx.x / (across * down), row = threadIdx.x / 32;
    Place& place = own.place;
    place.i = (x * 32 + threadIdx.x % 32) * WIDTH;
    place.j = AXES == 2 ? 0 : y * ROWS + row;
    place.k = AXES == 2 ? z * ROWS + row : z * deep;
    place.at = grid.origin + place.i + place.j * grid.stride[1] + place.k * grid.stride[2];
    own.end = min(AXES == 2 ? place.k + 1 : place.k + deep, planes);
    const unsigned blocks = AXES == 2 ? gridDim.x : across * down * grid.extent[2];
    own.block = (half * gridDim.z + blockIdx.z) * blocks + (AXES == 2 ? blockIdx.x : (across * y + x) * grid.extent[2]);
    return place.i < grid.groups * GROUP && place.j < grid.cells[1] && place.k < planes;
}

// Advances to the next plane.
__device__ __forceinline__ void go_on(const Grid& grid, Own& own) {
    ++own.place.k;
    own.place.at += grid.stride[2];
}

// Prefetches into the L2 cache what the next plane is the first to read, one thread per cache line. `pressure`: whether pressure is updated.
__device__ __forceinline__ void bring_nearer(const Grid& grid, const REAL* factors, const REAL* fields, const Place& place, bool pressure) {
    if (place.i % (LINE / sizeof(REAL)) != 0) return;
    const unsigned next = place.at + grid.stride[2];
#pragma unroll
    for (unsigned field = 0; field < FIELDS; ++field) {
        const bool moves = pressure == (field == PRESSURE);
        // The column already copies the field that is differentiated along z.
        if (moves) prefetch(factors + (size_t)grid.length * field + next);
        if (moves || (pressure && field != AXES - 1)) prefetch(fields + (size_t)grid.length * field + next);
    }
}

// Stores the updated points of a field, with their image `image` planes above, beyond a free surface. `before`: values before the update; `is_odd`: the image
// has the opposite sign.
template <unsigned FIELD, class Scheme>
__device__ __forceinline__ void finish(const Grid& grid, const Scheme& scheme, const Own& own, unsigned image, bool is_odd, const Lanes<WIDTH>& before,
                                       Lanes<WIDTH>& moved, REAL* fields) {
    REAL* const target = fields + (size_t)grid.length * FIELD + own.place.at;
    scheme.template act<FIELD>(grid, own, before, moved);
    write(target, moved);
    if (image == 0) return;
    if (is_odd) {
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) moved.v[l] = -moved.v[l];
    }
    write(target + (size_t)image * grid.stride[2], moved);
}

// Updates a field by its rate.
template <unsigned FIELD, int D, class Scheme>
__device__ __forceinline__ void move(const Grid& grid, const REAL* factors, REAL (&slopes)[WIDTH][D], const Scheme& scheme, const Own& own, unsigned image,
                                     bool is_odd, REAL* fields) {
    Lanes<WIDTH> before, moved, factor;
    read(fields + (size_t)grid.length * FIELD + own.place.at, before);
    read_once(factors + (size_t)grid.length * FIELD + own.place.at, factor);
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) {
        moved.v[l] = without_negligible(op::add(before.v[l], rate(factor.v[l], slopes[l])));
    }
    finish<FIELD>(grid, scheme, own, image, is_odd, before, moved, fields);
}

// Updates a velocity component from the derivative of pressure along its axis.
template <int V, class Scheme>
__device__ __forceinline__ void move_velocity(const Grid& grid, const Coefficients& coefficients, const REAL* factors, const Scheme& scheme, const Own& own,
                                              Lanes<WIDTH> slope, REAL* fields) {
    constexpr int AXIS = axis_of(V);
    scheme.template stretch<AXIS, true>(grid, coefficients, own, slope);
    REAL slopes[WIDTH][1];
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) slopes[l][0] = slope.v[l];
    const unsigned image = AXIS == 2 ? image_of(grid, 2 * grid.cells[2], own.place.k) : 0;
    move<V, 1>(grid, factors, slopes, scheme, own, image, false, fields);
}

// The derivative of a field of the shot along an axis, from values in global memory.
template <int AXIS, bool WHOLE>
__device__ __forceinline__ Lanes<WIDTH> slope_of(const Grid& grid, const Coefficients& coefficients, const REAL* fields, unsigned field, const Place& place) {
    const REAL* const own = fields + (size_t)grid.length * field + place.at;
    return regular_slope<AXIS, WHOLE, WIDTH>(InField<WIDTH>{own}, (int)grid.stride[AXIS], coefficients.along[AXIS]);
}

// Updates all velocity components; `along_z`: the derivative of pressure along z.
template <class Scheme>
__device__ __forceinline__ void velocities_of(const Grid& grid, const Coefficients& coefficients, const REAL* factors, const Scheme& scheme, const Own& own,
                                              const Lanes<WIDTH>& along_z, REAL* fields) {
    move_velocity<AXES - 1>(grid, coefficients, factors, scheme, own, along_z, fields);
    // Above the uppermost cells only the vertical velocity at the free surface exists.
    if (own.place.k >= grid.cells[2]) return;
    const Lanes<WIDTH> along_x = slope_of<0, true>(grid, coefficients, fields, PRESSURE, own.place);
    move_velocity<0>(grid, coefficients, factors, scheme, own, along_x, fields);
#if AXES == 3
    const Lanes<WIDTH> along_y = slope_of<1, true>(grid, coefficients, fields, PRESSURE, own.place);
    move_velocity<1>(grid, coefficients, factors, scheme, own, along_y, fields);
#endif
}

// Updates the pressure; `along_z`: the derivative of the vertical velocity along z.
template <class Scheme>
__device__ __forceinline__ void pressure_of(const Grid& grid, const Coefficients& coefficients, const REAL* factors, const Scheme& scheme, const Own& own,
                                            const Lanes<WIDTH>& along_z, REAL* fields) {
    Lanes<WIDTH> along[AXES];
    along[0] = slope_of<0, false>(grid, coefficients, fields, 0, own.place);
    scheme.template stretch<0, false>(grid, coefficients, own, along[0]);
#if AXES == 3
    along[1] = slope_of<1, false>(grid, coefficients, fields, 1, own.place);
    scheme.template stretch<1, false>(grid, coefficients, own, along[1]);
#endif
    along[AXES - 1] = along_z;
    scheme.template stretch<2, false>(grid, coefficients, own, along[AXES - 1]);
    REAL slopes[WIDTH][AXES];
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) {
#pragma unroll
        for (int axis = 0; axis < AXES; ++axis) slopes[l][axis] = along[axis].v[l];
    }
    const unsigned image = image_of(grid, 2 * grid.cells[2] - 1, own.place.k);
    if constexpr (Scheme::RELAXING) scheme.move_relaxing(grid, factors, slopes, own, image, fields);
    else move<PRESSURE, AXES>(grid, factors, slopes, scheme, own, image, true, fields);
}

// Performs one half of the step of a shot at the points of a thread, in 3D plane by plane.
template <bool IS_PRESSURE, class Scheme>
__device__ __forceinline__ void move_half(const Grid& grid, unsigned deep, const Coefficients& coefficients, const REAL* factors, const Layers& layers,
                                          const Scheme& scheme, REAL* fields) {
    // The field that is differentiated along z; the first half takes the derivative at whole points.
    constexpr unsigned UNDER = IS_PRESSURE ? AXES - 1 : PRESSURE;
    Own own;
    if (!locate(grid, IS_PRESSURE, IS_PRESSURE ? grid.cells[2] : grid.extent[2], deep, own)) return;
    own.is_driven = scheme.starts()[block_of(own)] < scheme.starts()[block_of(own) + own.end - own.place.k];
    const unsigned across = sides_around(layers, 0, own.place.i) | (AXES == 3 ? sides_around(layers, 1, own.place.j) : 0);
    const auto move_plane = [&](const Lanes<WIDTH>& along_z) {
        own.sides = across | sides_around(layers, 2, own.place.k);
        if constexpr (IS_PRESSURE) pressure_of(grid, coefficients, factors, scheme, own, along_z, fields);
        else velocities_of(grid, coefficients, factors, scheme, own, along_z, fields);
    };
#if AXES == 2
    move_plane(slope_of<2, !IS_PRESSURE>(grid, coefficients, fields, UNDER, own.place));
#else
    CRATON_SHARED(Lanes<WIDTH>, columns);
    using Column = Ring<WIDTH, !IS_PRESSURE, THREADS, true>;
    const Column column = {columns + threadIdx.x, fields + (size_t)grid.length * UNDER, (int)grid.stride[2]};
#pragma unroll
    for (int before = Column::SLOTS - 1; before >= 0; --before) column.bring(own.place, -before);
    commit_copies();
#pragma unroll 1
    for (; own.place.k < own.end; go_on(grid, own)) {
        wait_copies<0>();
        const Lanes<WIDTH> along_z = column.derive(own.place, coefficients.along[2]);
        if (own.place.k + 1 < own.end) {
            column.bring(own.place, 1);
            commit_copies();
            bring_nearer(grid, factors, fields, own.place, IS_PRESSURE);
        }
        move_plane(along_z);
    }
#endif
}

// A step with sources, in which layers stretch derivatives.
struct Forward {
    static constexpr bool RELAXING = false;

    const Layers& layers;
    Sources sources;
    unsigned step;

    __device__ __forceinline__ const unsigned* starts() const { return sources.starts; }

    // Applies the layers normal to an axis to a derivative, one side after the other: the memory of both sides at once would take registers of all threads.
    template <int AXIS, bool WHOLE>
    __device__ __forceinline__ void stretch(const Grid&, const Coefficients&, const Own& own, Lanes<WIDTH>& slope) const {
#pragma unroll
        for (int side = 2 * AXIS; side < 2 * AXIS + 2; ++side) {
            if (!(own.sides >> side & 1)) continue;
            const Slab& slab = layers.slabs.of_side[side];
            Lanes<WIDTH> memory;
            read(memory_of<AXIS>(layers, slab, own.place), memory);
            stretch_slope<AXIS, WHOLE>(layers, slab, own.place, memory, slope);
        }
    }

    // Adds sources.
    template <unsigned FIELD>
    __device__ __forceinline__ void act(const Grid&, const Own& own, const Lanes<WIDTH>&, Lanes<WIDTH>& moved) const {
        if (own.is_driven) push(sources, starts()[block_of(own)], starts()[block_of(own) + 1], FIELD, own.place.at, step, moved);
    }
};

}  // namespace craton
