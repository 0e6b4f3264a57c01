// Derivatives far from interfaces: sums over stencils.
#pragma once

namespace craton {

// Coefficients c_1 to c_L divided by the spacing, along each axis [1/m].
struct Coefficients {
    REAL along[3][8];
};

// The sum of c_m (f(i + m) - f(i - m)) over 2 L taps in ascending order, from the middle outward.
template <int W>
__device__ __forceinline__ Lanes<W> sum_of_taps(const Lanes<W>* taps, const REAL* coefficients) {
    constexpr int L = HALF_LENGTH;
    Lanes<W> sum;
#pragma unroll
    for (int l = 0; l < W; ++l) {
        sum.v[l] = op::mul(coefficients[0], op::sub(taps[L].v[l], taps[L - 1].v[l]));
#pragma unroll
        for (int m = 1; m < L; ++m) {
            sum.v[l] = op::fma(coefficients[m], op::sub(taps[L + m].v[l], taps[L - 1 - m].v[l]), sum.v[l]);
        }
    }
    return sum;
}

// Reads the values of a field around points.
template <int W>
struct InField {
    const REAL* source;

    __device__ __forceinline__ Lanes<W> at(int steps, int stride) const {
        Lanes<W> value;
        read(source + steps * stride, value);
        return value;
    }
};

// The same if the values of the points themselves are in registers.
template <int W>
struct AroundOwn {
    InField<W> field;
    Lanes<W> own;

    __device__ __forceinline__ Lanes<W> at(int steps, int stride) const { return steps == 0 ? own : field.at(steps, stride); }
};

// Derivative far from interfaces: the sum of c_m (f(i + m) - f(i - m)), from the middle outward, of values `stride` apart. WHOLE: at whole points of the axis.
template <int AXIS, bool WHOLE, int W, class Values>
__device__ __forceinline__ Lanes<W> regular_slope(const Values& values, int stride, const REAL* coefficients) {
    constexpr int L = HALF_LENGTH, FIRST = WHOLE ? -L : 1 - L;
    Lanes<W> taps[2 * L];
    if (AXIS == 0) {
        // Complete vectors around the own one; those without a tap are never read.
        constexpr int SIDE = (L + W - 1) / W;
        Lanes<W> window[2 * SIDE + 1];
#pragma unroll
        for (int n = 0; n <= 2 * SIDE; ++n) window[n] = values.at(n - SIDE, W);
#pragma unroll
        for (int m = 0; m < 2 * L; ++m) {
#pragma unroll
            for (int l = 0; l < W; ++l) {
                const int at = SIDE * W + FIRST + m + l;
                taps[m].v[l] = window[at / W].v[at % W];
            }
        }
    } else {
#pragma unroll
        for (int m = 0; m < 2 * L; ++m) taps[m] = values.at(FIRST + m, stride);
    }
    return sum_of_taps(taps, coefficients);
}

}  // namespace craton
