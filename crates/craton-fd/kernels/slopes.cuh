// The nine derivatives: of regular points, and of points beside contacts.
#pragma once

namespace craton {

// Coefficients c_1 to c_L over the spacing, along each axis [1/m].
struct Coefficients {
    REAL along[3][8];
};

// Offset of the first of the 2 L taps along the axis.
template <Half HALF, int C, int AXIS>
__device__ constexpr int first_tap() {
    return is_whole_slope(HALF, C, AXIS) ? -HALF_LENGTH : 1 - HALF_LENGTH;
}

// The sum of c_m (f(i + m) - f(i - m)) of 2 L taps in order, from the middle outward.
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

// Planes beyond a point to which the derivatives of a field reach: none of those that are not derived along z.
__device__ constexpr unsigned reach_along_z(Half half, int field) {
    for (int c = 0; c < 3; ++c) {
        if (source_of(half, c, 2) == field) return is_whole_slope(half, c, 2) ? HALF_LENGTH - 1 : HALF_LENGTH;
    }
    return 0;
}

// Far from contacts: the sum of c_m (f(i + m) - f(i - m)), from the middle outward, of values `stride` apart. WHOLE: the points are whole ones along the axis.
template <int AXIS, bool WHOLE, int W>
__device__ __forceinline__ Lanes<W> regular_slope(const REAL* source, int stride, const REAL* coefficients) {
    constexpr int L = HALF_LENGTH, FIRST = WHOLE ? -L : 1 - L;
    Lanes<W> taps[2 * L];
    if (AXIS == 0) {
        // Whole vectors around the own one; those that no tap touches are never read.
        constexpr int SIDE = (L + W - 1) / W;
        Lanes<W> window[2 * SIDE + 1];
#pragma unroll
        for (int n = 0; n <= 2 * SIDE; ++n) read(source + (n - SIDE) * W, window[n]);
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
        for (int m = 0; m < 2 * L; ++m) read(source + (FIRST + m) * stride, taps[m]);
    }
    return sum_of_taps(taps, coefficients);
}

// The regular derivatives of elastic waves.
template <Half HALF, int W>
struct RegularSlopes {
    const REAL* sources;
    const Grid& grid;
    const Coefficients& coefficients;
    Place place;

    template <int C, int AXIS>
    __device__ __forceinline__ Lanes<W> slope() const {
        const REAL* const source = sources + (size_t)grid.length * source_of(HALF, C, AXIS) + place.at;
        constexpr bool WHOLE = is_whole_slope(HALF, C, AXIS);
        return regular_slope<AXIS, WHOLE, W>(source, (int)grid.stride[AXIS], coefficients.along[AXIS]);
    }
};

// Beside contacts: the sum of p_m (f(i + m) - f(i - m)) + q_m f(i + m) + r_m f(i - m), each point with taps of its own. Most derivatives are
// regular there, too: those have the pattern of class 0, and need no taps.
template <Half HALF>
struct FoldedSlopes {
    const REAL* sources;
    const Grid& grid;
    const Coefficients& coefficients;
    const unsigned* classes;  // nine patterns each, row c along axis a at 3 c + a
    const REAL* taps;         // [pattern][m][p, q, r][lane]
    Place place;
    unsigned own_class;

    template <int C, int AXIS>
    __device__ __forceinline__ Lanes<1> slope() const {
        constexpr int L = HALF_LENGTH, FIRST = first_tap<HALF, C, AXIS>();
        const REAL* const source = sources + (size_t)grid.length * source_of(HALF, C, AXIS) + place.at;
        const unsigned pattern = classes[own_class * 9 + 3 * C + AXIS];
        const int stride = (int)grid.stride[AXIS];
        REAL sum = 0;
        if (pattern == classes[3 * C + AXIS]) {
#pragma unroll
            for (int m = 0; m < L; ++m) {
                const REAL difference = op::sub(source[(FIRST + L + m) * stride], source[(FIRST + L - 1 - m) * stride]);
                const REAL c = coefficients.along[AXIS][m];
                sum = m == 0 ? op::mul(c, difference) : op::fma(c, difference, sum);
            }
            return {{sum}};
        }
        const REAL* const own = taps + (size_t)pattern * (3 * L * GROUP) + place.i % GROUP;
#pragma unroll
        for (int m = 0; m < L; ++m) {
            const REAL above = source[(FIRST + L + m) * stride], below = source[(FIRST + L - 1 - m) * stride];
            const REAL difference = op::sub(above, below), p = own[3 * m * GROUP];
            sum = m == 0 ? op::mul(p, difference) : op::fma(p, difference, sum);
            sum = op::fma(own[(3 * m + 2) * GROUP], below, op::fma(own[(3 * m + 1) * GROUP], above, sum));
        }
        return {{sum}};
    }
};

}  // namespace craton
