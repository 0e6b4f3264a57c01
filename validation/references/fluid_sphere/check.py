"""Checks of sphere.py: convergence, residuals of the boundary conditions, and independent solutions.

    python check.py               prints the differences; takes ten seconds; needs numpy only

The independent solutions are spectral elements in radius with exact modes in time (a weak form with strains, without potentials or Bessel functions),
the closed form of the static radial displacement, the closed form of the direct wave, and reciprocity with a force on the surface.
"""

import numpy as np

from sphere import A, B, C, DT, LAMBDA, M0, MU, R0, RECEIVERS, RHO, RHO_F, SIGMA, T0, T_END, Sphere, Transform, legendre, seismograms


def elements(edges, degree=12):
    """Quadrature radii, weights, values and slopes of the Lagrange functions of radial elements, and the indices of the edges."""
    ll, modes = np.polynomial.legendre, np.eye(degree + 1)
    x, weight = ll.leggauss(degree + 4)
    inverse = np.linalg.inv(ll.legvander(-np.cos(np.pi * np.arange(degree + 1) / degree), degree))
    value, slope = ll.legval(x, modes).T @ inverse, ll.legval(x, ll.legder(modes)).T @ inverse
    count = len(edges) - 1
    r, w, b, d = [], [], *np.zeros((2, count, x.size, count * degree + 1))
    for i, (low, high) in enumerate(zip(edges, edges[1:])):
        half = (high - low) / 2
        r.append(low + half * (1 + x))
        w.append(half * weight)
        b[i, :, i * degree : (i + 1) * degree + 1], d[i, :, i * degree : (i + 1) * degree + 1] = value, slope / half
    return np.concatenate(r), np.concatenate(w), np.concatenate(b), np.concatenate(d), degree * np.arange(count + 1)


def by_elements(l, radii):
    """The same functions of degree l as series in time: pressure in the core and displacement in the shell by spectral elements, exact modes in time."""
    ll = l * (l + 1)
    r, w, b, d, core = elements([0, 1000e3, R0, 2500e3, A])
    stiff, mass = d.T * (w * r**2) @ d + b.T * (w * ll) @ b, b.T * (w * r**2) @ b / C**2
    force = np.zeros(len(mass))
    force[core[2]] = (2 * l + 1) / (4 * np.pi * C**2)
    r, w, b, d, shell = elements([A, 4000e3, 4500e3, 5100e3, 5700e3, B])
    n, m, o, r1 = len(mass), b.shape[1], 0 * b, r[:, None]
    up, slope, across = np.hstack((b, o)), np.hstack((d, o)), np.hstack((o, b))
    hoop = (2 * up - ll * across) / r1
    terms = [(LAMBDA, slope + hoop), (2 * MU, slope), (MU, hoop), (MU * ll, np.hstack((o, d)) - across / r1 + up / r1), (MU * ll * (ll - 2), across / r1)]
    size = n + m * (2 if l else 1)
    big_k, big_m = np.zeros((2, size, size))
    big_k[:n, :n], big_m[:n, :n] = stiff, mass
    big_k[n:, n:] = sum(c * (t.T * (w * r**2) @ t) for c, t in terms)[: size - n, : size - n]
    big_m[n:, n:] = (RHO * (up.T * (w * r**2) @ up + ll * across.T * (w * r**2) @ across))[: size - n, : size - n]
    big_m[n - 1, n], big_k[n, n - 1] = RHO_F * A**2, -(A**2)  # dp/dr = -rho u_tt in the core, traction p on the shell
    square, shapes = np.linalg.eig(np.linalg.solve(big_m, big_k))
    drive = np.linalg.solve(shapes, np.linalg.solve(big_m, np.concatenate((force, np.zeros(size - n)))))
    omega = np.sqrt(square.astype(complex))
    x, weight = np.polynomial.legendre.leggauss(24)
    s = DT / 2 * (1 + x)
    kernel = DT / 2 * weight * (DT - s) * np.sinc(omega[:, None] * (DT - s) / np.pi)
    rate = lambda t: -M0 * (t - T0) / SIGMA**3 / np.sqrt(2 * np.pi) * np.exp(-(((t - T0) / SIGMA) ** 2) / 2)
    start = -int(9 * SIGMA - T0) // int(DT)
    last, now, history = *np.zeros((2, size), complex), []
    for step in range(start, int(T_END / DT) + 1):
        history.append(now)
        t = step * DT
        last, now = now, 2 * np.cos(omega * DT) * now - last + kernel @ (rate(t + s) + rate(t - s)) * drive
    history = (np.array(history[-start:]) @ shapes.T).real
    result = {}
    for radius in radii:
        series = np.zeros((len(history), 3))
        if radius < A:
            series[:, 2] = history[:, core[3]]
        else:
            place = n + shell[{A: 0, 4500e3: 2, B: 5}[radius]]
            series[:, 0] = history[:, place]
            series[:, 1] = history[:, place + m] if l else 0
        result[radius] = series
    return result


def difference(first, second):
    """Relative L2 difference of the columns, the largest that is not of a zero column."""
    return max(np.linalg.norm(first[:, i] - second[:, i]) / np.linalg.norm(second[:, i]) for i in range(3) if np.any(second[:, i]))


def check():
    """Prints the checks."""
    _, own, residual = seismograms()
    print(f"boundary conditions: largest residual relative to the sum of the magnitudes of its terms {residual:.1e}")
    for name, arguments in {"window x 2 (half the frequency step)": (32768.0, 26.0, 150), "more damping": (16384.0, 30.0, 150), "less damping": (16384.0, 22.0, 150),
                            "degree 220": (16384.0, 26.0, 220), "degree 100": (16384.0, 26.0, 100)}.items():
        other = seismograms(*arguments)[1]
        print(f"{name}: relative L2 difference {max(difference(other[key], own[key]) for key in own):.1e}")

    sums, radii = {name: 0 for name in RECEIVERS}, {r for r, _ in RECEIVERS.values()}
    for l in range(71):
        fields = by_elements(l, radii)
        for name, (r, theta) in RECEIVERS.items():
            p, slope = legendre(71, theta)
            sums[name] = sums[name] + fields[r] * (p[l], slope[l], p[l])
    for name, series in sums.items():
        series = series if RECEIVERS[name][0] > A else series * (0, 0, 1)
        print(f"{name}: relative L2 difference from spectral elements in the time domain, degrees to 70: {difference(own[name], series):.1e}")

    sphere, stiff, volume = Sphere(np.array([-1e-6j]), 2), 3 * LAMBDA + 2 * MU, 4 / 3 * np.pi * A**3
    u = sphere.field(0, B, sphere.solve(0)[0])[0, 0] * 1j * sphere.w[0]
    gain = A + stiff * B**3 / (4 * MU * A**2)
    alpha = 1 / (volume * stiff * (B**3 / A**3 - 1) + RHO_F * C**2 * 4 * np.pi * A**2 * gain)
    exact = alpha * (B + stiff * B / (4 * MU))
    print(f"static radial displacement of the surface for 1 N m, degree 0: {u.real:.9e} m, closed form {exact:.9e} m")

    r, theta = RECEIVERS["c060"]
    distance, bounce = np.sqrt(r**2 + R0**2 - 2 * r * R0 * np.cos(np.radians(theta))), np.radians(np.linspace(0, theta, 2001))
    path = sum(np.sqrt(A**2 + x**2 - 2 * A * x * np.cos(angle)) for x, angle in ((R0, bounce), (r, np.radians(theta) - bounce))).min()
    for sigma, text in ((12.0, "all terms, sigma 12 s, until the reflection"), (SIGMA, "terms of the source alone, sigma 60 s")):
        transform = Transform(sigma=sigma)
        sphere, polynomial = Sphere(transform.w, 400), legendre(400, theta)[0]
        total = sum(polynomial[l] * (sphere.field(l, r, sphere.solve(l)[0]) if sigma < SIGMA else sphere.direct(l, r, R0)) for l in range(320 if sigma < SIGMA else 151))
        p, t = transform.to_time(total)[:, 2], transform.times - T0 - distance / C
        exact = -M0 * t / sigma**3 / np.sqrt(2 * np.pi) * np.exp(-((t / sigma) ** 2) / 2) / (4 * np.pi * C**2 * distance)
        end = transform.times < T0 + path / C - 6 * sigma if sigma < SIGMA else transform.times < T_END
        print(f"direct wave in the core, {text} (to {transform.times[end][-1]:g} s): relative L2 {np.linalg.norm((p - exact)[end]) / np.linalg.norm(exact[end]):.1e}")

    transform = Transform()
    sphere, polynomial, u, p = Sphere(transform.w, 150), legendre(150, 30)[0], 0, 0
    for l in range(151):
        u = u + polynomial[l] * sphere.field(l, B, sphere.solve(l)[0])[:, 0] * 1j * sphere.w
        p = p + polynomial[l] * sphere.field(l, R0, sphere.solve(l, force=True)[0], force=True)[:, 2] / (RHO_F * C**2)
    print(f"reciprocity, explosion to surface (30 degrees) and surface force to pressure: relative L2 {np.linalg.norm(u + p) / np.linalg.norm(u):.1e}")


if __name__ == "__main__":
    check()
