// The shape of a patch in shared memory: threads, elements, and where the point of an element has its slot.

#pragma once

#include "laws.cuh"
#include "gll4.cuh"

namespace craton {
namespace {

constexpr int N = 5;
constexpr int ELEMENTS = 24;         // of a patch, at most
constexpr int PLANES = ELEMENTS * N;  // threads at work
constexpr int THREADS = 128;
// Slots of an element: point (i, j, k) stands at 33 k + j + 5 i. Planes and columns of neighbouring threads then lie in different banks.
constexpr int SLOTS = 165;
constexpr int COMPONENT = ELEMENTS * SLOTS;
constexpr int GEOMETRY = CONTROL == 2 ? 21 : 81;

// A slot that no point has, in the first element: it stays zero.
constexpr int NO_SLOT = N * N;

__device__ __forceinline__ constexpr int slot_of(int i, int j, int k) { return 33 * k + j + 5 * i; }

// An entry of a table of five by a number that may be known at run time only: selections, so that no table is put into memory.
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
