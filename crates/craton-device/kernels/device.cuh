// What every kernel file includes first. On a GPU it gives the macros that tie a kernel to the
// program; on the emulated device host.cuh was included before and has given them already.
#pragma once

#if !defined(CRATON_HOST)

// A pointer to the block's dynamic shared memory.
#define CRATON_SHARED(type, name)                                       \
    extern __shared__ __align__(128) unsigned char craton_shared[];     \
    type* const name = reinterpret_cast<type*>(craton_shared)

// In a loop that waits for what another block does: on the emulated device the others go on.
#define CRATON_PAUSE()

// Names a kernel for the emulated device; a GPU's module names its kernels by itself.
#define CRATON_ENTRY(name)

#endif
