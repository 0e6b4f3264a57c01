// Adjacent points along x, in the registers of one thread.
#pragma once

namespace craton {

// Flushes a value that is negligible in any wave to zero, as on the host.
__device__ __forceinline__ float without_negligible(float x) { return op::abs(x) < 1e-30f ? 0.0f : x; }
__device__ __forceinline__ double without_negligible(double x) { return op::abs(x) < 1e-290 ? 0.0 : x; }

template <int W>
struct alignas(W * sizeof(REAL)) Lanes {
    REAL v[W];
};

__device__ __forceinline__ void read(const REAL* from, Lanes<1>& to) { to.v[0] = *from; }
__device__ __forceinline__ void write(REAL* to, const Lanes<1>& from) { *to = from.v[0]; }
// Access to values that are used only once in a half of the step and should evict nothing from the caches.
__device__ __forceinline__ void read_once(const REAL* from, Lanes<1>& to) { to.v[0] = __ldcs(from); }
__device__ __forceinline__ void write_once(REAL* to, const Lanes<1>& from) { __stcs(to, from.v[0]); }

// Vectors of 8 and 16 bytes, aligned to their size.
#define CRATON_PAIR_OF(real, vector)                                          \
    __device__ __forceinline__ void read(const real* from, Lanes<2>& to) {    \
        const vector q = *reinterpret_cast<const vector*>(from);              \
        to.v[0] = q.x;                                                        \
        to.v[1] = q.y;                                                        \
    }                                                                         \
    __device__ __forceinline__ void write(real* to, const Lanes<2>& from) {   \
        *reinterpret_cast<vector*>(to) = make_##vector(from.v[0], from.v[1]); \
    }                                                                         \
    __device__ __forceinline__ void read_once(const real* from, Lanes<2>& to) { \
        const vector q = __ldcs(reinterpret_cast<const vector*>(from));       \
        to.v[0] = q.x;                                                        \
        to.v[1] = q.y;                                                        \
    }                                                                         \
    __device__ __forceinline__ void write_once(real* to, const Lanes<2>& from) { \
        __stcs(reinterpret_cast<vector*>(to), make_##vector(from.v[0], from.v[1])); \
    }
#define CRATON_PAIR(real) CRATON_PAIR_OF(real, real##2)
#define CRATON_PAIR_IN(real) CRATON_PAIR(real)
CRATON_PAIR_IN(REAL)

#if WIDTH == 4
__device__ __forceinline__ void read(const float* from, Lanes<4>& to) {
    const float4 q = *reinterpret_cast<const float4*>(from);
    to.v[0] = q.x;
    to.v[1] = q.y;
    to.v[2] = q.z;
    to.v[3] = q.w;
}
__device__ __forceinline__ void write(float* to, const Lanes<4>& from) {
    *reinterpret_cast<float4*>(to) = make_float4(from.v[0], from.v[1], from.v[2], from.v[3]);
}
__device__ __forceinline__ void read_once(const float* from, Lanes<4>& to) {
    const float4 q = __ldcs(reinterpret_cast<const float4*>(from));
    to.v[0] = q.x;
    to.v[1] = q.y;
    to.v[2] = q.z;
    to.v[3] = q.w;
}
__device__ __forceinline__ void write_once(float* to, const Lanes<4>& from) {
    __stcs(reinterpret_cast<float4*>(to), make_float4(from.v[0], from.v[1], from.v[2], from.v[3]));
}
#endif

// Prefetches a line of memory into the L2 cache, asynchronously.
__device__ __forceinline__ void prefetch(const REAL* line) {
#if defined(__CUDA_ARCH__)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(line));
#endif
}

// The values one point back along an axis; along x, the vector shifted by one point.
template <int W>
__device__ __forceinline__ Lanes<W> before(const REAL* from, unsigned stride, int axis) {
    Lanes<W> own;
    if (axis != 0) {
        read(from - stride, own);
        return own;
    }
    Lanes<W> moved;
    read(from, own);
    moved.v[0] = from[-1];
#pragma unroll
    for (int l = 1; l < W; ++l) moved.v[l] = own.v[l - 1];
    return moved;
}

}  // namespace craton
