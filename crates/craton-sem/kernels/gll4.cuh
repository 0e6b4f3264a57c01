// Generated from crate craton-numerics by `cargo xtask generate`: degree 4, for kernels that know their tables when they are compiled.

#pragma once

namespace craton {
namespace gll4 {

// Gauss-Lobatto-Legendre points.
CRATON_LAW constexpr float point(int i) {
    constexpr float table[5] = {-1.0f, -0.65465367f, 0.0f, 0.65465367f, 1.0f};
    return table[i];
}
// Their weights.
CRATON_LAW constexpr float weight(int i) {
    constexpr float table[5] = {0.1f, 0.54444444f, 0.7111111f, 0.54444444f, 0.1f};
    return table[i];
}
// Derivative of basis function m at point i.
CRATON_LAW constexpr float derivative(int i, int m) {
    constexpr float table[5][5] = {{-5.0f, 6.7565026f, -2.6666667f, 1.4101642f, -0.5f}, {-1.2409903f, 0.0f, 1.7457432f, -0.7637626f, 0.25900975f}, {0.375f, -1.3365846f, 0.0f, 1.3365846f, -0.375f}, {-0.25900975f, 0.7637626f, -1.7457432f, 0.0f, 1.2409903f}, {0.5f, -1.4101642f, 2.6666667f, -6.7565026f, 5.0f}};
    return table[i][m];
}
// Quadratic shape function of control node m at point i.
CRATON_LAW constexpr float shape(int i, int m) {
    constexpr float table[5][3] = {{1.0f, 0.0f, 0.0f}, {0.54161257f, 0.5714286f, -0.11304112f}, {0.0f, 1.0f, 0.0f}, {-0.11304112f, 0.5714286f, 0.54161257f}, {0.0f, 0.0f, 1.0f}};
    return table[i][m];
}
// Its derivative.
CRATON_LAW constexpr float slope(int i, int m) {
    constexpr float table[5][3] = {{-1.5f, 2.0f, -0.5f}, {-1.1546537f, 1.3093073f, -0.15465367f}, {-0.5f, 0.0f, 0.5f}, {0.15465367f, -1.3093073f, 1.1546537f}, {0.5f, -2.0f, 1.5f}};
    return table[i][m];
}
// Quadratic form of the two highest Legendre polynomials along a line, weights included.
CRATON_LAW constexpr float short_waves(int i, int m) {
    constexpr float table[5][5] = {{0.055f, -0.10013005f, 0.053333335f, 0.0067967162f, -0.015f}, {-0.10013005f, 0.19055556f, -0.12444445f, 0.027222222f, 0.0067967162f}, {0.053333335f, -0.12444445f, 0.14222223f, -0.12444445f, 0.053333335f}, {0.0067967162f, 0.027222222f, -0.12444445f, 0.19055556f, -0.10013005f}, {-0.015f, 0.0067967162f, 0.053333335f, -0.10013005f, 0.055f}};
    return table[i][m];
}

}  // namespace gll4
}  // namespace craton
