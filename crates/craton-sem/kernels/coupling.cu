// Forces between solids and fluids at wet nodes, stored in slots of their own.
//
// Compile-time: REAL.

#include "device.cuh"

namespace craton {
namespace {

// A fluid and a solid node at the same position, with the slots of the forces on them. Their area vectors are `[pair][component]`, out of the fluid [m2].
struct Pair {
    unsigned fluid, solid;
    unsigned fluid_slot, solid_slot;
};

}  // namespace
}  // namespace craton

// Change of volume of the fluid nodes: area . displacement of the solid [m3].
extern "C" __global__ void push_fluid(const craton::Pair* __restrict__ pairs, const REAL* __restrict__ areas, unsigned count,
                                      const REAL* __restrict__ u, REAL* __restrict__ fluid_slots) {
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) return;
    const craton::Pair pair = pairs[index];
    const REAL *node = u + (size_t)pair.solid * 3, *area = areas + (size_t)index * 3;
    fluid_slots[pair.fluid_slot] = area[0] * node[0] + area[1] * node[1] + area[2] * node[2];
}

CRATON_ENTRY(push_fluid)

// Force of the fluid on the solid nodes [N], from the changes of the potential's rate in a step; its components are `stride` values apart.
extern "C" __global__ void push_solid(const craton::Pair* __restrict__ pairs, const REAL* __restrict__ areas, unsigned count,
                                      const REAL* __restrict__ changes, unsigned first_change, REAL dt, REAL* __restrict__ solid_slots,
                                      unsigned stride) {
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) return;
    const craton::Pair pair = pairs[index];
    const REAL pressure = -changes[pair.fluid - first_change] / dt;
    for (unsigned c = 0; c < 3; ++c) solid_slots[pair.solid_slot + (size_t)c * stride] = areas[(size_t)index * 3 + c] * pressure;
}

CRATON_ENTRY(push_solid)
