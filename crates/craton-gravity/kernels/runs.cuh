// Summation of runs.
#pragma once

// Adds the sums of runs to the totals, in the order of the runs.
extern "C" __global__ void add_runs(const double* sums, unsigned runs, unsigned n, double* totals) {
    const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
    if (own >= n) return;
    double total = totals[own];
    for (unsigned run = 0; run < runs; ++run) total = total + sums[(size_t)run * n + own];
    totals[own] = total;
}

CRATON_ENTRY(add_runs)
