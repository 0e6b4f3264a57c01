// The step counter of recorded launches.
#pragma once

// Advances it by the steps of a recording.
extern "C" __global__ void count_steps(unsigned* first, unsigned steps) { *first += steps; }

CRATON_ENTRY(count_steps)
