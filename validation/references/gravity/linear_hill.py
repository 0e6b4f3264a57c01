"""Fields of a Gaussian hill whose density is a linear function of depth, by quadrature in polar coordinates around each station.

The integral along z has a closed form; the radial one is a Gauss rule on geometric intervals, the azimuthal one a trapezoidal rule. Prints the rows of
`LINEAR_HILL` in `crates/craton-gravity/tests/all/relief.rs`: x, y, height above the surface, g (e, n, u) in m/s2 and the tensor (ee, en, eu, nn, nu, uu) in 1/s2.
"""

import numpy as np

G = 6.6743e-11
HEIGHT, SIGMA, DENSITY, SLOPE = 400.0, 500.0, 2400.0, 0.3


def surface(x, y):
    return HEIGHT * np.exp(-(x * x + y * y) / (2 * SIGMA * SIGMA))


def fields(x0, y0, above, azimuths, nodes):
    z0 = surface(x0, y0) + above
    edges = np.concatenate([[0.0], np.geomspace(1e-7, 50.0, 120), np.arange(75.0, 5000.0, 25.0)])
    t, w = np.polynomial.legendre.leggauss(nodes)
    phi = (np.arange(azimuths) + 0.5) * 2 * np.pi / azimuths
    cos, sin = np.cos(phi), np.sin(phi)
    total = np.zeros(9)
    a, b = DENSITY + SLOPE * (HEIGHT - z0), -SLOPE
    for low, high in zip(edges[:-1], edges[1:]):
        s = 0.5 * (high - low) * t + 0.5 * (high + low)
        weight = 0.5 * (high - low) * w * s * 2 * np.pi
        top = surface(x0 + np.outer(s, cos), y0 + np.outer(s, sin)) - z0
        ss = s[:, None]

        def integrals(z):
            """Of (a + b z) times 1/r3, z/r3, 1/r5, z/r5, z2/r5 along z."""
            r = np.hypot(ss, z)
            i3, z3, zz3 = z / (ss**2 * r), -1 / r, np.arcsinh(z / ss) - z / r
            i5 = (z / r**3 + 2 * i3) / (3 * ss**2)
            z5, zz5 = -1 / (3 * r**3), z**3 / (3 * ss**2 * r**3)
            zzz5 = -1 / r + ss**2 / (3 * r**3)
            return np.stack([a * i3 + b * z3, a * z3 + b * zz3, a * i5 + b * z5, a * z5 + b * zz5, a * zz5 + b * zzz5])

        i3, z3, i5, z5, zz5 = integrals(top) - integrals(np.full_like(top, -z0))
        x, y = ss * cos, ss * sin
        kernels = [x * i3, y * i3, z3, 3 * x * x * i5 - i3, 3 * x * y * i5, 3 * x * z5, 3 * y * y * i5 - i3, 3 * y * z5, 3 * zz5 - i3]
        total += [np.sum(weight * kernel.mean(axis=1)) for kernel in kernels]
    return G * total


if __name__ == "__main__":
    for x, y in [(0.0, 0.0), (300.0, -150.0), (287.3, 411.9)]:
        for above in (1e-3, 2.0, -2.0):
            fine, coarse = fields(x, y, above, 4096, 16), fields(x, y, above, 2048, 12)
            change = [np.linalg.norm((fine - coarse)[part]) / np.linalg.norm(fine[part]) for part in (slice(0, 3), slice(3, 9))]
            print(f"    [{x}, {y}, {above}, " + ", ".join(f"{value:.10e}" for value in fine) + "],", "#", *(f"{c:.1e}" for c in change))
