// FIELDS: bit mask of the summed fields, in the order of `Field`, and the parts of the closed form that they need.
#pragma once

namespace craton {

enum : unsigned {
    POTENTIAL = 1, EAST = 2, NORTH = 4, UP = 8, EAST_EAST = 16, EAST_NORTH = 32, EAST_UP = 64, NORTH_NORTH = 128, NORTH_UP = 256, UP_UP = 512
};

__device__ constexpr bool meets(unsigned fields) { return (FIELDS & fields) != 0; }

__device__ constexpr bool has(int field) { return FIELDS >> field & 1; }

constexpr int ALL = 10;

// The kind of a field (potential, attraction or tensor), and whether any field of a kind is summed.
constexpr int KINDS = 3;
__device__ constexpr int kind(int field) { return field == 0 ? 0 : field < 4 ? 1 : 2; }
__device__ constexpr bool meets_kind(int kind) {
    return meets(kind == 0 ? POTENTIAL : kind == 1 ? EAST | NORTH | UP : EAST_EAST | EAST_NORTH | EAST_UP | NORTH_NORTH | NORTH_UP | UP_UP);
}

// The number of summed fields among the first `fields`.
__device__ constexpr int summed(int fields) { return fields == 0 ? 0 : summed(fields - 1) + (has(fields - 1) ? 1 : 0); }
constexpr int COUNT = summed(ALL);

// Whether the logarithms of the edges along an axis are needed.
__device__ constexpr bool takes_edges(int axis) {
    return axis == 0 ? meets(POTENTIAL | NORTH | UP | NORTH_UP) : axis == 1 ? meets(POTENTIAL | EAST | UP | EAST_UP) : meets(POTENTIAL | EAST | NORTH | EAST_NORTH);
}

// Whether the solid angles of the faces normal to an axis are needed.
__device__ constexpr bool takes_angles(int axis) {
    return axis == 0 ? meets(POTENTIAL | EAST | EAST_EAST) : axis == 1 ? meets(POTENTIAL | NORTH | NORTH_NORTH) : meets(POTENTIAL | UP | UP_UP);
}

}  // namespace craton
