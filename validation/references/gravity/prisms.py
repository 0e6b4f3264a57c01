"""Computes the gravity of single prisms to fifty digits, and writes thirty digits to prisms.csv next to this file (needs mpmath).

The closed form is a sum over edges (logarithms) and faces (solid angles, corner by corner), in enough digits that fifty remain after cancellation.
Before writing, the program checks it far from faces against a product of Gauss rules. Coordinates are doubles, so that no reader rounds them.
"""

import itertools
import pathlib
import random

from mpmath import atan2, log, mp, mpf, nstr, sqrt
from mpmath.calculus.quadrature import GaussLegendre

mp.dps = 130
G = mpf("6.67430e-11")
FIELDS = ["v", "e", "n", "u", "ee", "en", "eu", "nn", "nu", "uu"]


def edge(along, across):
    """Integral of 1/r along an edge."""
    rho2 = sum(a * a for a in across)
    length = along[1] - along[0]
    r = sum(sqrt(rho2 + a * a) for a in along)
    return log((r + length) / (r - length))


def angle(x, y, z, side):
    """Solid angle of a face at the distance x, with the sign of x; in its plane, the one-sided limit from outside the prism."""
    sign = (x > 0) - (x < 0) or side
    total = mpf(0)
    for j, k in itertools.product(range(2), repeat=2):
        r = sqrt(x * x + y[j] ** 2 + z[k] ** 2)
        total += (-1) ** (j + k) * atan2(y[j] * z[k], abs(x) * r)
    return sign * total


def closed_form(bounds, rho, point):
    d = [[mpf(b) - mpf(p) for b in bounds[2 * a : 2 * a + 2]] for a, p in enumerate(point)]
    edges, angles, faces = {}, {}, {}
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        for j, k in itertools.product(range(2), repeat=2):
            edges[a, b, j, k] = edges[a, c, k, j] = edge(d[a], (d[b][j], d[c][k]))
        for i in range(2):
            angles[a, i] = angle(d[a][i], d[b], d[c], 1 - 2 * i)
    sign = (-1, 1)
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        for i in range(2):
            faces[a, i] = -d[a][i] * angles[a, i] + sum(
                sign[j] * (d[b][j] * edges[c, a, i, j] + d[c][j] * edges[b, a, i, j]) for j in range(2)
            )
    v = sum(sign[i] * d[a][i] * faces[a, i] for a in range(3) for i in range(2)) / 2
    g = [faces[a, 0] - faces[a, 1] for a in range(3)]
    diagonal = [angles[a, 0] - angles[a, 1] for a in range(3)]
    off = {
        c: sum(sign[j] * sign[k] * edges[c, (c + 1) % 3, j, k] for j, k in itertools.product(range(2), repeat=2))
        for c in range(3)
    }
    return [G * mpf(rho) * t for t in (v, *g, diagonal[0], off[2], off[1], diagonal[1], off[0], diagonal[2])]


def quadrature(bounds, rho, point):
    rule = GaussLegendre(mp).calc_nodes(3, 200)
    axes = []
    for a in range(3):
        low, high = (mpf(b) - mpf(point[a]) for b in bounds[2 * a : 2 * a + 2])
        axes.append([((low + high) / 2 + (high - low) / 2 * x, (high - low) / 2 * w) for x, w in rule])
    sums = [mpf(0)] * 10
    for (x, wx), (y, wy), (z, wz) in itertools.product(*axes):
        r = sqrt(x * x + y * y + z * z)
        m, u = wx * wy * wz / r, (x / r, y / r, z / r)
        terms = [m, *(m * c / r for c in u)]
        terms += [m / r**2 * (3 * u[i] * u[j] - (i == j)) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
        sums = [s + t for s, t in zip(sums, terms)]
    return [G * mpf(rho) * s for s in sums]


def check():
    bounds, point = (-20, 30, -15, 10, -80, -30), (400, -250, 300)
    for ours, theirs in zip(closed_form(bounds, 1000, point), quadrature(bounds, 1000, point)):
        assert abs(ours - theirs) < mpf("1e-35") * abs(theirs), (ours, theirs)


def cases():
    """Prisms near the origin and at map coordinates; points inside, close to all singularities, and up to a distance of a million sizes."""
    draw = random.Random(20261122)
    sizes = [(1, 1, 1), (50, 50, 50), (30, 30, 3000), (1, 1, 10000), (1000, 1000, 1), (2, 7, 40), (400, 3, 90), (100, 100, 0.5)]
    for number, size in enumerate(sizes):
        for origin in ((0.0, 0.0, 0.0), (531072.25, 4812345.5, -1234.75)):
            bounds = [origin[a] + s * f for a, s in enumerate(size) for f in (-0.5, 0.5)]
            centre, half = [(bounds[2 * a] + bounds[2 * a + 1]) / 2 for a in range(3)], [s / 2 for s in size]
            points = []
            for _ in range(4):
                points.append([c + h * draw.uniform(-1, 1) for c, h in zip(centre, half)])
            for gap in (1e-1, 1e-4, 1e-8):
                for fixed in (1, 2, 3):
                    axes = draw.sample(range(3), fixed)
                    point = [c + h * draw.uniform(-1, 1) for c, h in zip(centre, half)]
                    for a in axes:
                        point[a] = centre[a] + draw.choice((-1, 1)) * (half[a] + min(size) * gap * draw.choice((-1, 1)))
                    points.append(point)
            point = [c + h * draw.uniform(-1, 1) for c, h in zip(centre, half)]
            point[number % 3] = bounds[2 * (number % 3) + 1]
            points.append(point)
            for scale in (1, 2, 5, 10, 20, 22, 25, 50, 100, 1e3, 1e4, 1e5, 1e6):
                direction = [draw.gauss(0, 1) for _ in range(3)]
                length = sum(x * x for x in direction) ** 0.5
                reach = max(size) * scale
                points.append([c + x / length * reach for c, x in zip(centre, direction)])
                # On the continuation of an edge and of a face, where logarithms and angles are most sensitive.
                ahead = [centre[0] + half[0], centre[1] + half[1], centre[2] + reach + half[2]]
                points.append(ahead)
                points.append([centre[0] + reach + half[0], centre[1], centre[2] + half[2]])
            for point in points:
                yield bounds, 1000.0 if number % 2 else -350.0, point


def main():
    check()
    path = pathlib.Path(__file__).with_suffix(".csv")
    with path.open("w", encoding="ascii") as file:
        print("west,east,south,north,bottom,top,density,x,y,z," + ",".join(FIELDS), file=file)
        for bounds, rho, point in cases():
            values = [nstr(value, 30, min_fixed=0, max_fixed=0) for value in closed_form(bounds, rho, point)]
            print(",".join([repr(float(x)) for x in (*bounds, rho, *point)] + values), file=file)


if __name__ == "__main__":
    main()
