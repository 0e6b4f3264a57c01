"""Computes third derivatives of the potential of single prisms to fifty digits, and writes twenty digits to third.csv next to this file (needs mpmath).

The prisms and points are every fourth of prisms.csv, and for each prism the row after it. Corner by corner: U_xxy is the double difference of z x / (r (x² + y²)),
U_xyz minus that of 1/r; U_xxx follows from Laplace's equation. Before writing, the program checks the closed form against a difference of its tensor.
"""

import csv
import itertools
import pathlib

from mpmath import mp, mpf, nstr, sqrt

from prisms import closed_form

mp.dps = 130
G = mpf("6.67430e-11")
NAMES = ["eee", "een", "eeu", "enn", "enu", "euu", "nnn", "nnu", "nuu", "uuu"]


def third(bounds, rho, point):
    d = [[mpf(b) - mpf(p) for b in bounds[2 * a : 2 * a + 2]] for a, p in enumerate(point)]
    twice = {(a, b): mpf(0) for a in range(3) for b in range(3) if a != b}
    enu = mpf(0)
    for corner in itertools.product(range(2), repeat=3):
        sign = (-1) ** (sum(corner) + 1)
        x = [d[a][corner[a]] for a in range(3)]
        r = sqrt(sum(c * c for c in x))
        enu -= sign / r
        for a, b in twice:
            c = 3 - a - b
            twice[a, b] += sign * x[a] * x[c] / (r * (x[a] ** 2 + x[b] ** 2))
    een, eeu, enn, nnu, euu, nuu = (twice[k] for k in ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)))
    values = [-(enn + euu), een, eeu, enn, enu, euu, -(een + nuu), nnu, nuu, -(eeu + nnu)]
    return [G * mpf(rho) * v for v in values]


def check():
    bounds, rho, point = [-20, 30, -15, 10, -80, -30], 1000, [17, 3, 5]
    h = mpf(10) ** -30
    for axis, places in enumerate(((0, 1, 2, 3, 4, 5), (1, 3, 4, 6, 7, 8), (2, 4, 5, 7, 8, 9))):
        ends = [[mpf(p) + (s * h if a == axis else 0) for a, p in enumerate(point)] for s in (-1, 1)]
        low, high = (closed_form(bounds, rho, end)[4:] for end in ends)
        for number, place in enumerate(places):
            slope = (high[number] - low[number]) / (2 * h)
            assert abs(slope - third(bounds, rho, point)[place]) < mpf(10) ** -30


if __name__ == "__main__":
    check()
    here = pathlib.Path(__file__).parent
    with open(here / "prisms.csv") as given, open(here / "third.csv", "w") as out:
        rows = list(csv.reader(given))[1:]
        print("west,east,south,north,bottom,top,density,x,y,z," + ",".join(NAMES), file=out)
        for row in (row for number, row in enumerate(rows) if number % 4 < 2):
            numbers = [float(word) for word in row[:10]]
            try:
                values = third(numbers[:6], numbers[6], numbers[7:])
            except ZeroDivisionError:
                # On the line of an edge.
                continue
            print(",".join([*row[:10], *(nstr(v, 20) for v in values)]), file=out)
