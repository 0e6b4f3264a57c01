// What steps add to the fields of a shot, and their correlation with the adjoint fields (`gradient/increments.rs`).
#pragma once

namespace craton {

// Values of a row without its padding before the first point: whole groups.
__device__ __forceinline__ unsigned row_of(const Grid& grid) { return grid.groups * GROUP; }

// Index of a point in arrays without halos.
__device__ __forceinline__ size_t compact(const Grid& grid, const Place& place) {
    return (size_t)(place.k * grid.cells[1] + place.j) * row_of(grid) + place.i;
}

// Number of points of such an array: cells, and the faces above the uppermost ones.
__device__ __forceinline__ size_t points_of(const Grid& grid) { return (size_t)row_of(grid) * grid.cells[1] * (grid.cells[2] + 1); }

// The stored increments of a segment of steps, as a kernel argument: [stored step][field][point].
struct Stored {
    REAL* values;
    const unsigned* segment;  // first step and end
    unsigned every;           // steps per stored step
    unsigned fields;          // the last ones of the shot: pressure, or all

    // Those of a step; null if it is not stored.
    __device__ __forceinline__ REAL* of(const Grid& grid, unsigned step) const {
        if (step < segment[0] || step >= segment[1] || (step + 1) % every != 0) return nullptr;
        return values + ((step + 1) / every - segment[0] / every - 1) * fields * points_of(grid);
    }
};

// Whether a field is one of the last `fields`, and its number among them.
__device__ __forceinline__ bool has(unsigned fields, unsigned field) { return field + fields >= FIELDS; }
__device__ __forceinline__ size_t number_of(unsigned fields, unsigned field) { return field + fields - FIELDS; }

// A step whose increments are stored.
struct Storing : Forward {
    REAL* increments;  // of the step, or null
    unsigned fields;

    __device__ __forceinline__ Storing(const Forward& forward, REAL* increments, unsigned fields)
        : Forward(forward), increments(increments), fields(fields) {}

    template <unsigned FIELD>
    __device__ __forceinline__ void act(const Grid& grid, const Own& own, const Lanes<WIDTH>& before, Lanes<WIDTH>& moved) const {
        Forward::act<FIELD>(grid, own, before, moved);
        if (!increments || !has(fields, FIELD)) return;
        Lanes<WIDTH> added;
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) added.v[l] = op::sub(moved.v[l], before.v[l]);
        write_once(increments + number_of(fields, FIELD) * points_of(grid) + compact(grid, own.place), added);
    }
};

// Sums over steps of adjoint fields times increments, in double precision: [field][point].
struct Correlation {
    double* sums;
    double weight;  // of a stored step

    // Adds the products of the points of a thread.
    __device__ __forceinline__ void add(size_t at, const REAL* increments, const Lanes<WIDTH>& adjoint) const {
        Lanes<WIDTH> forward;
        read_once(increments + at, forward);
#pragma unroll
        for (int l = 0; l < WIDTH; l += 2) {
            double2* const pair = reinterpret_cast<double2*>(sums + at + l);
            double2 own = *pair;
            own.x += weight * (double)adjoint.v[l] * (double)forward.v[l];
            own.y += weight * (double)adjoint.v[l + 1] * (double)forward.v[l + 1];
            *pair = own;
        }
    }
};

}  // namespace craton
