// Layout of a patch in shared memory: threads, elements, and the slots of the points of an element.
//
// Compile-time: CONTROL (control nodes per axis, 2 or 3), LAW (a law of element.cuh).

#pragma once

#include "element.cuh"
#include "gll4.cuh"

namespace craton {
namespace {

constexpr int N = 5;
// Unknowns of a node.
constexpr int C = LAW::components;
constexpr int ELEMENTS = 24;         // maximum per patch
constexpr int PLANES = ELEMENTS * N;  // active threads
constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;
// Slots per element: point (i, j, k) has slot 33 k + j + 5 i, so that planes and columns of neighbouring threads are in different banks.
constexpr int SLOTS = 165;
constexpr int COMPONENT = ELEMENTS * SLOTS;
constexpr int GEOMETRY = CONTROL == 2 ? 21 : 81;

// A slot of the first element that no point uses; it stays zero.
constexpr int NO_SLOT = N * N;

__device__ __forceinline__ constexpr int slot_of(int i, int j, int k) { return 33 * k + j + 5 * i; }

// An entry of a table of five by an index that may be known only at run time: selections avoid a table in memory.
template <float Table(int)>
__device__ __forceinline__ float pick(int k) {
    return k == 0 ? Table(0) : k == 1 ? Table(1) : k == 2 ? Table(2) : k == 3 ? Table(3) : Table(4);
}
template <float Table(int, int)>
__device__ __forceinline__ float pick(int k, int m) {
    return k == 0 ? Table(0, m) : k == 1 ? Table(1, m) : k == 2 ? Table(2, m) : k == 3 ? Table(3, m) : Table(4, m);
}

}  // namespace
}  // namespace craton
