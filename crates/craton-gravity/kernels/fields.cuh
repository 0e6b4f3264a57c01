// Which fields are summed, FIELDS, a bit for each in the order of `Field`, and what they take of the closed form.
#pragma once

namespace craton {

enum : unsigned {
    POTENTIAL = 1, EAST = 2, NORTH = 4, UP = 8, EAST_EAST = 16, EAST_NORTH = 32, EAST_UP = 64, NORTH_NORTH = 128, NORTH_UP = 256, UP_UP = 512
};

__device__ constexpr bool meets(unsigned fields) { return (FIELDS & fields) != 0; }

__device__ constexpr bool has(int field) { return FIELDS >> field & 1; }

constexpr int ALL = 10;

// How many are summed of the first ones.
__device__ constexpr int summed(int fields) { return fields == 0 ? 0 : summed(fields - 1) + (has(fields - 1) ? 1 : 0); }
constexpr int COUNT = summed(ALL);

// Logarithms of the edges along an axis.
__device__ constexpr bool takes_edges(int axis) {
    return axis == 0 ? meets(POTENTIAL | NORTH | UP | NORTH_UP) : axis == 1 ? meets(POTENTIAL | EAST | UP | EAST_UP) : meets(POTENTIAL | EAST | NORTH | EAST_NORTH);
}

// Solid angles of the faces across an axis.
__device__ constexpr bool takes_angles(int axis) {
    return axis == 0 ? meets(POTENTIAL | EAST | EAST_EAST) : axis == 1 ? meets(POTENTIAL | NORTH | NORTH_NORTH) : meets(POTENTIAL | UP | UP_UP);
}

}  // namespace craton
