"""Computes the tables of this folder but force_u.txt: a force and a moment tensor in an unbounded solid with constant quality factors.

python3 full_space.py            # needs numpy; writes force_q20_u.txt to moment_q100_u.txt

Aki & Richards (2002), equations 4.23 and 4.29, in the frequency domain with the complex speeds of Kjartansson (1979). The frequencies are damped: their imaginary
part keeps the periodic sum of later arrivals below 1e-7.
"""

import numpy as np

VP, VS, RHO, REFERENCE = 3297.849, 2222.536, 2000.0, 18.0
OFFSET = np.array([120.0, -110.0, 90.0])
FORCE = np.array([0.6, -0.3, 0.8])
MOMENT = np.array([[1.0, 0.5, -0.7], [0.5, -0.4, 0.9], [-0.7, 0.9, 0.3]])
INTERVAL, COUNT = 0.001, 231  # later, reflections from the sides of the validated box arrive
WINDOW = 1 << 14  # samples of a period, at INTERVAL / 4
DAMPING = 16.0


def speed(reference, quality, omega):
    gamma = np.arctan(1.0 / quality) / np.pi
    modulus = reference**2 * np.cos(np.pi * gamma / 2) ** 2
    return np.sqrt(modulus * (1j * omega / (2 * np.pi * REFERENCE)) ** (2 * gamma))


def ricker(t):
    a = (np.pi * 18.0 * (t - 0.1)) ** 2
    return (1 - 2 * a) * np.exp(-a)


def displacement(kind, qp, qs):
    dt = INTERVAL / 4
    t = dt * np.arange(WINDOW)
    sigma = DAMPING / (dt * WINDOW)
    spectrum = np.fft.rfft(ricker(t) * np.exp(-sigma * t)) * dt
    omega = 2 * np.pi * np.fft.rfftfreq(WINDOW, dt) - 1j * sigma
    alpha, beta = speed(VP, qp, omega), speed(VS, qs, omega)
    r = np.linalg.norm(OFFSET)
    g, a = OFFSET / r, 1j * omega
    p, s = np.exp(-a * r / alpha), np.exp(-a * r / beta)
    # The integral of tau exp(-i omega tau) from r / alpha to r / beta.
    inner = lambda travel, wave: -wave * (travel / a + 1 / a**2)
    near = inner(r / beta, s) - inner(r / alpha, p)
    found = []
    for i in range(3):
        if kind == "force":
            along = g @ FORCE
            u = (3 * g[i] * along - FORCE[i]) / r**3 * near
            u = u + g[i] * along / (alpha**2 * r) * p + (FORCE[i] - g[i] * along) / (beta**2 * r) * s
        else:
            m = MOMENT @ g
            q, trace = g @ m, np.trace(MOMENT)
            pattern = 6 * g[i] * q - g[i] * trace - 2 * m[i]
            u = (15 * g[i] * q - 3 * g[i] * trace - 6 * m[i]) / r**4 * near
            u = u + pattern / (alpha * r) ** 2 * p - (pattern - m[i]) / (beta * r) ** 2 * s
            u = u + a * (g[i] * q / (alpha**3 * r) * p + (m[i] - g[i] * q) / (beta**3 * r) * s)
        wave = np.fft.irfft(u * spectrum / (4 * np.pi * RHO) / dt, WINDOW) * np.exp(sigma * t)
        found.append(wave[:: 4][:COUNT])
    return found


for kind in ("force", "moment"):
    for q in (20, 40, 100):
        x, y, z = displacement(kind, 1.5 * q, q)
        with open(f"{kind}_q{q}_u.txt", "w") as file:
            print(f"# displacement [m], components N E Up, of a {kind} in an unbounded solid, Qp {1.5 * q:g}, Qs {q} (Kjartansson)", file=file)
            print("# columns: t r0_N r0_E r0_U", file=file)
            for n in range(COUNT):
                print(f"{n * INTERVAL:.4f} {y[n]:.6e} {x[n]:.6e} {z[n]:.6e}", file=file)
