"""Computes normal gravity with boule 0.6.0 and with mpmath, the attraction of the Bouguer slab with harmonica 0.7.0, and that of spherical caps with mpmath, and writes them
to normal.csv next to this file.

Normal gravity in m/s² at latitudes in degrees and heights in m. boule leaves out the component along the confocal ellipsoid, which is zero on the ellipsoid and
contributes 7e-11 of the whole at 9 km, 1e-7 at 400 km; the values with mpmath, kinds `GRS80 exact` and so on, are the gradient of the potential. Slabs and caps in m/s² for 2670 kg/m3: harmonica's constant is that of CODATA 2018, too.
"""

import pathlib

import boule
import harmonica
import numpy
from mpmath import atan, cos, diff, mp, mpf, nstr, pi, quad, radians, sin, sqrt

mp.dps = 40
G = mpf("6.67430e-11")


def cap(height, density):
    """Attraction of the cap of 166,735 m radius on a sphere of 6371 km, below a station."""
    radius = mpf(6371000)
    station = radius + height
    c = cos(mpf(166735) / radius)

    def thin(r):
        s = r / station
        inner = (1 - s) / abs(1 - s) if s != 1 else 0
        return s * s * (inner - (c - s) / sqrt(1 + s * s - 2 * s * c))

    return 2 * pi * G * density * quad(thin, sorted([radius, station]))


def exact(ellipsoid, latitude, height):
    """Magnitude of the gradient of the potential of Heiskanen and Moritz (1967), equation 2-62, with the centrifugal part."""
    a, f = mpf(ellipsoid.semimajor_axis), mpf(ellipsoid.flattening)
    b, e2, omega2 = a * (1 - f), f * (2 - f), mpf(ellipsoid.angular_velocity) ** 2
    focal = sqrt(a * a - b * b)

    def q(u):
        return ((1 + 3 * u * u / focal**2) * atan(focal / u) - 3 * u / focal) / 2

    def potential(x, z):
        difference = x * x + z * z - focal**2
        u = sqrt((difference + sqrt(difference**2 + 4 * focal**2 * z * z)) / 2)
        rotation = omega2 * a * a / 2 * q(u) / q(b) * ((z / u) ** 2 - mpf(1) / 3) + omega2 / 2 * x * x
        return mpf(ellipsoid.geocentric_grav_const) / focal * atan(focal / u) + rotation

    phi = radians(mpf(latitude))
    vertical = a / sqrt(1 - e2 * sin(phi) ** 2)
    x, z = (vertical + height) * cos(phi), (vertical * (1 - e2) + height) * sin(phi)
    return sqrt(diff(lambda x: potential(x, z), x) ** 2 + diff(lambda z: potential(x, z), z) ** 2)


def main():
    with open(pathlib.Path(__file__).with_suffix(".csv"), "w", encoding="ascii") as file:
        print("kind,latitude,height_m,value", file=file)
        for ellipsoid in (boule.GRS80, boule.WGS84):
            for latitude in (-90.0, -45.5, -0.25, 0.0, 10.0, 30.0, 45.0, 66.6, 89.99, 90.0):
                for height in (0.0, 0.5, 1000.0, 8848.0, 400e3):
                    value = ellipsoid.normal_gravity((0.0, latitude, height), si_units=True)
                    if height < 1e5:
                        print(f"{ellipsoid.name},{latitude!r},{height!r},{float(value)!r}", file=file)
                    value = exact(ellipsoid, latitude, mpf(height))
                    print(f"{ellipsoid.name} exact,{latitude!r},{height!r},{nstr(value, 20)}", file=file)
        for height in (-400.0, 0.25, 100.0, 8848.0):
            # Below the datum harmonica takes rock that replaces water.
            if height > 0:
                slab = 1e-5 * float(harmonica.bouguer_correction(numpy.array([height]), density_crust=2670.0)[0])
                print(f"slab,0.0,{height!r},{slab!r}", file=file)
            print(f"cap,0.0,{height!r},{nstr(cap(mpf(height), 2670), 20)}", file=file)


main()
