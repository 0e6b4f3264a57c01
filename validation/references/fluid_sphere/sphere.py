"""Explosion in the fluid core of an elastic sphere: reference seismograms by a sum over Legendre polynomials.

    python sphere.py [FOLDER]     write the seismograms into FOLDER (default: the current one); takes a second
    python check.py               check them: convergence, residuals and independent solutions; takes ten seconds

Needs numpy only. A homogeneous solid shell with a free surface surrounds a homogeneous fluid core; no gravity, no rotation, no attenuation. The solution
is axisymmetric about the line from the centre through the source; theta is the angle from it. Fields are sums over l of f_l(r) P_l(cos theta) with the
time factor exp(i w t). Units are SI.

Fluid:  p = source + F j_l(kr), displacement grad(p) / (rho w^2); the source is M'' exp(-ikR) / (4 pi c^2 R), expanded by the addition theorem.
Shell:  u = grad(phi) + curl curl(r psi); phi and psi are sums of j_l and h_l of the second kind.
At the core: continuous u_r and sigma_rr, sigma_rt = 0. At the surface: sigma_rr = sigma_rt = 0. These are five equations for five coefficients.

The frequency has a constant negative imaginary part, which damps what the periodic transform wraps around; the seismograms are corrected for it. It also
keeps the arguments away from the real axis, so no j_l or h_l vanishes and all of them can be kept as logarithms, without overflow at any l.
"""

import os
import sys

import numpy as np

A, B = 3480e3, 6371e3  # radii of the core and of the surface
VP, VS, RHO = 11000.0, 6000.0, 4500.0  # shell
C, RHO_F = 8500.0, 10500.0  # core
MU = RHO * VS**2
LAMBDA = RHO * VP**2 - 2 * MU
R0, M0, SIGMA, T0 = 2000e3, 1e20, 60.0, 300.0  # source: radius, moment; width and centre of the Gaussian moment rate
DT, T_END = 2.0, 3000.0
CUT = 1.32  # product of the highest frequency and sigma, where the Gaussian's spectrum is 1e-15
RECEIVERS = {"s005": (B, 5), "s030": (B, 30), "s090": (B, 90), "s150": (B, 150), "s175": (B, 175), "m120": (4500e3, 120), "c060": (2500e3, 60)}
ACCURACY = "1e-9 by other windows, dampings and degrees; spectral elements in radius with exact modes in time (check.py) agree to 3e-7, limited by their rounding (relative L2)"


class Radial:
    """Logarithms of j_l(z) and h_l(z) (second kind) for l = 0 to lmax and an array of arguments, and their derivatives z f' / f."""

    def __init__(self, z, lmax):
        order = np.arange(lmax + 2)
        start = int(lmax + np.abs(z).max() + 60)
        ratio_j, ratio_h = (np.zeros((lmax + 2, z.size), complex) for _ in range(2))  # f_l / f_(l-1)
        ratio = 0
        for l in range(start, 0, -1):  # downwards, the stable direction for j_l
            ratio = 1 / ((2 * l + 1) / z - ratio)
            if l <= lmax + 1:
                ratio_j[l] = ratio
        ratio_h[1] = 1 / z + 1j
        for l in range(2, lmax + 2):
            ratio_h[l] = (2 * l - 1) / z - 1 / ratio_h[l - 1]
        self.values = []
        for ratio, first in ((ratio_j, np.sin(z) / z), (ratio_h, 1j * np.exp(-1j * z) / z)):
            ratio[0] = first
            logarithm = np.cumsum(np.log(ratio), axis=0)
            self.values.append((logarithm[:-1], order[:-1, None] - z * ratio[1:]))


class Sphere:
    """The sphere at an array of complex frequencies, for degrees up to lmax."""

    def __init__(self, w, lmax):
        self.w, self.lmax, self.tables = w, lmax, {}

    def function(self, kind, speed, l, r, reference):
        """f_l(w r / speed), divided by its value at the reference radius, and r times its derivative divided by it; kind is 0 for j, 1 for h."""
        for radius in (r, reference):
            if (speed, radius) not in self.tables:
                self.tables[speed, radius] = Radial(self.w * radius / speed, self.lmax)
        logarithm, slope = self.tables[speed, r].values[kind]
        return np.exp(logarithm[l] - self.tables[speed, reference].values[kind][0][l]), slope[l]

    def shell(self, l, r):
        """Rows u_r, u_theta, sigma_rr, sigma_rt (the second and fourth without dP_l/dtheta), columns phi: j, h, psi: j, h; for l = 0 only phi."""
        columns, ll = [], l * (l + 1)
        for kind, reference in ((0, B), (1, A)):
            f, d = self.function(kind, VP, l, r, reference)
            k2 = (self.w / VP) ** 2
            normal = -(LAMBDA + 2 * MU) * k2 * f + 2 * MU * f * (ll - 2 * d) / r**2
            columns.append((d * f / r, f / r, normal, 2 * MU * f * (d - 1) / r**2))
        for kind, reference in ((0, B), (1, A)) if l else ():
            f, d = self.function(kind, VS, l, r, reference)
            k2 = (self.w / VS) ** 2
            shear = MU * f * (2 * (ll - 1 - d) / r**2 - k2)
            columns.append((ll * f / r, (1 + d) * f / r, 2 * MU * ll * f * (d - 1) / r**2, shear))
        return np.array(columns).transpose(2, 1, 0)

    def fluid(self, l, r, f, d):
        """Rows u_r, u_theta, p of a pressure f with the logarithmic derivative d / r."""
        scale = RHO_F * self.w**2 * r
        return np.array((f * d / scale, f / scale, f)).T

    def direct(self, l, r, r0):
        """Rows u_r, u_theta, p at r of an explosion in the unbounded fluid at r0, for the moment rate 1 at all frequencies."""
        self.function(0, C, l, r, r0)
        inner, outer = (self.tables[C, radius].values for radius in (min(r, r0), max(r, r0)))
        product = np.exp(inner[0][0][l] + outer[1][0][l])
        amplitude = 1j * self.w / (4 * np.pi * C**2) * (-1j * self.w / C) * (2 * l + 1)
        return self.fluid(l, r, amplitude * product, (outer[1] if r > r0 else inner[0])[1][l])

    def solve(self, l, r0=R0, force=False):
        """Coefficients of an explosion at r0 (moment rate 1) or of a radial force of 1 N on the surface at theta = 0; also the relative residual."""
        size = 5 if l else 3
        matrix, right = np.zeros((self.w.size, size, size), complex), np.zeros((self.w.size, size), complex)
        rows = [0, 2, 3] if l else [0, 2]
        matrix[:, : len(rows), :-1] = self.shell(l, A)[:, rows]
        matrix[:, len(rows) :, :-1] = self.shell(l, B)[:, rows[1:]]
        reflected = self.fluid(l, A, *self.function(0, C, l, A, A))
        matrix[:, 0, -1], matrix[:, 1, -1] = -reflected[:, 0], reflected[:, 2]
        if force:
            right[:, len(rows)] = (2 * l + 1) / (4 * np.pi * B**2)
        else:
            source = self.direct(l, A, r0)
            right[:, 0], right[:, 1] = source[:, 0], -source[:, 2]
        scale = np.ones((size, 1))
        scale[1:] = A / MU
        matrix, right = matrix * scale, right[..., None] * scale
        solution = np.linalg.solve(matrix, right)
        residual = np.abs(matrix @ solution - right) / np.maximum(np.abs(matrix) @ np.abs(solution), 1e-300)
        return solution[..., 0], residual.max()

    def field(self, l, r, solution, r0=R0, force=False):
        """Rows u_r, u_theta, p at radius r, without P_l or its derivative; p is zero in the shell."""
        if r >= A:
            field = np.einsum("wij,wj->wi", self.shell(l, r)[:, :2], solution[:, :-1])
            return np.hstack((field, np.zeros((self.w.size, 1))))
        field = self.fluid(l, r, *self.function(0, C, l, r, A)) * solution[:, -1:]
        return field if force else field + self.direct(l, r, r0)


class Transform:
    """Complex frequencies of a window and the transform to time, of a response to the moment rate 1."""

    def __init__(self, window=16384.0, decay=26.0, sigma=SIGMA):
        """The damping is exp(-decay) over the window."""
        self.count = int(round(window / DT))
        self.damping = decay / window
        self.w = 2 * np.pi * np.arange(int(CUT / sigma * window) + 1) / window - 1j * self.damping
        self.spectrum = M0 * np.exp(-((self.w * sigma) ** 2) / 2 - 1j * self.w * T0)
        self.times = np.arange(0, T_END + DT / 2, DT)

    def to_time(self, response):
        """Rows of the response are frequencies, rows of the result times."""
        series = np.fft.irfft(response * self.spectrum[:, None], self.count, axis=0)[: self.times.size] / DT
        return series * np.exp(self.damping * self.times)[:, None]


def legendre(lmax, theta):
    """P_l(cos theta) and its derivative by theta."""
    x, p = np.cos(np.radians(theta)), np.ones(lmax + 1)
    slope = np.zeros(lmax + 1)
    p[1], slope[1] = x, 1
    for l in range(2, lmax + 1):
        p[l] = ((2 * l - 1) * x * p[l - 1] - (l - 1) * p[l - 2]) / l
        slope[l] = slope[l - 2] + (2 * l - 1) * p[l - 1]
    return p, -np.sin(np.radians(theta)) * slope


def seismograms(window=16384.0, decay=26.0, lmax=150):
    """Times, the columns u_r, u_theta, p of every receiver, and the largest residual of the boundary conditions."""
    transform = Transform(window, decay)
    sphere = Sphere(transform.w, lmax)
    sums = {name: np.zeros((transform.w.size, 3), complex) for name in RECEIVERS}
    polynomials = {name: legendre(lmax, theta) for name, (_, theta) in RECEIVERS.items()}
    worst = 0.0
    for l in range(lmax + 1):
        solution, residual = sphere.solve(l)
        worst = max(worst, residual)
        fields = {r: sphere.field(l, r, solution) for r, _ in RECEIVERS.values()}
        for name, (p, slope) in polynomials.items():
            sums[name] += fields[RECEIVERS[name][0]] * (p[l], slope[l], p[l])
    return transform.times, {name: transform.to_time(value) for name, value in sums.items()}, worst


def write(folder):
    """Writes the tables."""
    times, traces, _ = seismograms()
    for name, (r, theta) in RECEIVERS.items():
        for suffix in ("u", "p") if r < A else ("u",):
            pressure = suffix == "p"
            place = "on the surface" if r == B else "in the shell" if r > A else "in the core"
            up, east, p = traces[name].T
            columns = [p] if pressure else [0 * up, east, up]
            with open(os.path.join(folder, f"{name}_{suffix}.txt"), "w", encoding="ascii", newline="\n") as file:
                file.write(f"""# Sphere with a fluid core, explosion in the core: {"pressure [Pa]" if pressure else "displacement [m]"}, t in s
# model: radius 6371 km, free surface; solid above 3480 km with vp 11000 m/s, vs 6000 m/s, rho 4500 kg/m3; fluid below with c 8500 m/s, rho 10500 kg/m3; no gravity, rotation or attenuation
# source: radius 2000 km, longitude 0, latitude 0; moment rate Mxx = Myy = Mzz = 1e20 N m s(t), s a Gaussian of unit area, sigma 60 s, centre 300 s
# receiver 0: {place}, radius {r / 1e3:g} km, longitude {theta}, latitude 0; the distance from the source is {theta} degrees
# provenance: sphere.py in this folder, Legendre sum to degree 150 at complex frequencies to 0.022 Hz
# accuracy: {ACCURACY}
# columns: t {"x0" if pressure else "r0_N r0_E r0_U"}
""")
                for t, *row in zip(times, *columns):
                    file.write(f"{t:.4f} " + " ".join("0" if not pressure and i == 0 else f"{v:.10e}" for i, v in enumerate(row)) + "\n")


if __name__ == "__main__":
    write(sys.argv[1] if len(sys.argv) > 1 else ".")
