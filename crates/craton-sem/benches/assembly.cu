// Moves nodes by forces that were added to them, and clears the forces: `forces[node][4]`, `u[node][3]`, `v[node][3]`.

#include "device.cuh"

extern "C" __global__ void move_by_forces(float4* __restrict__ forces, const float* __restrict__ dt_over_mass, unsigned nodes, float dt,
                                          float* __restrict__ u, float* __restrict__ v) {
    const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    const float4 force = forces[node];
    const float scale = dt_over_mass[node], sums[3] = {force.x, force.y, force.z};
    forces[node] = make_float4(0, 0, 0, 0);
    for (int c = 0; c < 3; ++c) {
        const size_t value = (size_t)node * 3 + c;
        v[value] += scale * sums[c];
        u[value] += dt * v[value];
    }
}

CRATON_ENTRY(move_by_forces)
