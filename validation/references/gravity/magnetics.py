"""Computes magnetic fields of prisms with choclo 0.3.2, and writes them to magnetics.csv next to this file (needs choclo).

SimPEG 0.25.2 (Simulation3DIntegral, one cell) agrees with the flux densities to 5.6e-10, the difference of its magnetic constant from that of CODATA 2018.
Flux density in T, its gradient in T/m; the last row is a dipole, as a cube of 1 mm at 1 km.
"""

import pathlib
import random

from choclo import dipole, prism

COMPONENTS = [prism.magnetic_ee, prism.magnetic_en, prism.magnetic_eu, prism.magnetic_nn, prism.magnetic_nu, prism.magnetic_uu]


def main():
    draw = random.Random(7)
    with open(pathlib.Path(__file__).with_suffix(".csv"), "w", encoding="ascii") as file:
        print("west,east,south,north,bottom,top,m_e,m_n,m_u,x,y,z,b_e,b_n,b_u,b_ee,b_en,b_eu,b_nn,b_nu,b_uu", file=file)
        for size in ((50, 50, 50), (400, 30, 90), (20, 60, 200)):
            bounds = [s * f for s in size for f in (-0.5, 0.5)]
            for distance in (0.7, 1.0, 2.0, 5.0):
                for _ in range(3):
                    point = [distance * max(size) * draw.choice((-1, 1)) * draw.uniform(0.7, 1.0) for _ in range(3)]
                    m = [draw.uniform(-5, 5) for _ in range(3)]
                    at = (*point, *bounds, *m)
                    values = [*prism.magnetic_field(*at), *(component(*at) for component in COMPONENTS)]
                    print(",".join(repr(float(x)) for x in (*bounds, *m, *point, *values)), file=file)
        m, point, half = (3.0, -1.0, 2.0), (600.0, -500.0, 624.4997998398398), 5e-4
        values = dipole.magnetic_field(*point, 0.0, 0.0, 0.0, *(x * (2 * half) ** 3 for x in m))
        cube = [-half, half] * 3
        print(",".join(repr(float(x)) for x in (*cube, *m, *point, *values)) + 6 * ",nan", file=file)


main()
