// The nine derivatives of elastic waves, at regular points and at points near interfaces.
#pragma once

namespace craton {

// The derivatives at regular points.
template <Half HALF, int W, bool KEEPS>
struct RegularSlopes {
    const Column<HALF, W, KEEPS>& column;
    const Coefficients& coefficients;
    Place place;

    template <int C, int AXIS>
    __device__ __forceinline__ Lanes<W> slope() const {
        if constexpr (AXIS == 2) return column.template slope<C>(place);
        constexpr int FIELD = source_of(HALF, C, AXIS), ROW = row_along_z(HALF, FIELD);
        constexpr bool WHOLE = is_whole_slope(HALF, C, AXIS);
        const InField<W> field = {column.sources + (size_t)column.grid.length * FIELD + place.at};
        const int stride = (int)column.grid.stride[AXIS];
        if constexpr (KEEPS && ROW < 3) {
            const AroundOwn<W> values = {field, column.template ring<ROW>().at((int)place.k)};
            return regular_slope<AXIS, WHOLE, W>(values, stride, coefficients.along[AXIS]);
        }
        return regular_slope<AXIS, WHOLE, W>(field, stride, coefficients.along[AXIS]);
    }
};

// Numbers in the pattern of a class: nine stencils, and the index of the factors that multiply the derivatives, counted from 1, or 0.
constexpr unsigned PATTERN = 10;

// Offset of the first of the 2 L taps along the axis.
template <Half HALF, int C, int AXIS>
__device__ constexpr int first_tap() {
    return is_whole_slope(HALF, C, AXIS) ? -HALF_LENGTH : 1 - HALF_LENGTH;
}

// Derivatives near interfaces: the sum of p_m (f(i + m) - f(i - m)) + q_m f(i + m) + r_m f(i - m), with separate coefficients for each point. Most
// of them are regular there, too: they have the stencil of class 0 and need no table.
template <Half HALF>
struct FoldedSlopes {
    const REAL* sources;
    const Grid& grid;
    const Coefficients& coefficients;
    const unsigned* classes;  // the pattern of each class: its stencils, that of row c along axis a at 3 c + a, and its factors
    const REAL* taps;         // [stencil][m][p, q, r][lane]
    Place place;
    unsigned own_class;

    template <int C, int AXIS>
    __device__ __forceinline__ Lanes<1> slope() const {
        constexpr int L = HALF_LENGTH, FIRST = first_tap<HALF, C, AXIS>();
        const REAL* const source = sources + (size_t)grid.length * source_of(HALF, C, AXIS) + place.at;
        const unsigned stencil = classes[own_class * PATTERN + 3 * C + AXIS];
        const int stride = (int)grid.stride[AXIS];
        REAL sum = 0;
        if (stencil == classes[3 * C + AXIS]) {
#pragma unroll
            for (int m = 0; m < L; ++m) {
                const REAL difference = op::sub(source[(FIRST + L + m) * stride], source[(FIRST + L - 1 - m) * stride]);
                const REAL c = coefficients.along[AXIS][m];
                sum = m == 0 ? op::mul(c, difference) : op::fma(c, difference, sum);
            }
            return {{sum}};
        }
        const REAL* const own = taps + (size_t)stencil * (3 * L * GROUP) + place.i % GROUP;
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
