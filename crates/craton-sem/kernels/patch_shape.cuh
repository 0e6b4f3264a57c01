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

}  // namespace
}  // namespace craton
