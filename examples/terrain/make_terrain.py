"""Makes the terrain and the stations of this example in the current folder; needs only Python.

The mountain is a smooth volcano on a sloping plain. Gravity "observed" at the stations is that of a normal Earth with the spherical cap between station and
datum, less the effect of the terrain, plus that of a sphere of light rock below the summit: -300 kg/m3, radius 3500 m, centre 4500 m below the datum. The last
column is the attraction of the sphere alone, which the complete Bouguer anomaly should show.
"""

import math
import random

STEP, SIDE = 500.0, 81
G, DENSITY = 6.67430e-11, 2670.0
LATITUDE = 42.0


def height(x, y):
    distance = math.hypot(x, y)
    cone = 1900.0 * math.exp(-((distance / 5500.0) ** 2)) - 350.0 * math.exp(-((distance / 900.0) ** 2))
    ridges = 120.0 * math.exp(-((distance / 9000.0) ** 2)) * math.cos(5 * math.atan2(y, x) + distance / 1500.0)
    return round(450.0 + 0.008 * x - 0.005 * y + cone + ridges * min(1.0, distance / 2500.0), 2)


def normal_gravity(latitude, h):
    """Normal gravity of GRS80: the gradient of the potential in ellipsoidal coordinates (Heiskanen and Moritz, 1967, section 2-8)."""
    a, f, gm, omega = 6378137.0, 1 / 298.257222101, 3986005e8, 7292115e-11
    b = a * (1 - f)
    e = math.sqrt(a * a - b * b)
    phi = math.radians(latitude)
    vertical = a / math.sqrt(1 - f * (2 - f) * math.sin(phi) ** 2)
    r, z = (vertical + h) * math.cos(phi), ((1 - f) ** 2 * vertical + h) * math.sin(phi)
    d = r * r + z * z - e * e
    u = math.sqrt((d + math.hypot(d, 2 * e * z)) / 2)
    sin = z / u
    cos = r / math.hypot(u, e)

    def series(t, over):
        return sum((-1) ** (n + 1) * over(n) / ((2 * n + 1) * (2 * n + 3)) * t ** (-2 * n) for n in range(1, 12))

    q0 = series(b / e, lambda n: 2 * n) * e / b
    q, slope = series(u / e, lambda n: 2 * n) * e / u, series(u / e, lambda n: 6)
    far2 = u * u + e * e
    radial = gm / far2 + omega**2 * a * a * e / far2 * slope / q0 * (sin * sin / 2 - 1 / 6) - omega**2 * u * cos * cos
    aside = (omega**2 * a * a * q / q0 / math.sqrt(far2) - omega**2 * math.sqrt(far2)) * sin * cos
    return math.hypot(radial, aside) / math.sqrt((u * u + e * e * sin * sin) / far2)


def prism(west, east, south, north, bottom, top, station):
    """Downward attraction of a prism, corner by corner."""
    total = 0.0
    for i, x in enumerate((west - station[0], east - station[0])):
        for j, y in enumerate((south - station[1], north - station[1])):
            for k, z in enumerate((bottom - station[2], top - station[2])):
                r = math.sqrt(x * x + y * y + z * z)
                term = 0.0
                if x != 0.0:
                    term += x * math.log(y + r)
                if y != 0.0:
                    term += y * math.log(x + r)
                if z != 0.0:
                    term -= z * math.atan(x * y / (z * r))
                total += (-1) ** (i + j + k) * term
    return -G * DENSITY * total


def cap(h):
    """Downward attraction of the spherical cap below a station, by the trapezoidal rule over thin caps."""
    radius, edge, count = 6371000.0, 166735.0 / 6371000.0, 400
    station, total = radius + h, 0.0
    for n in range(count + 1):
        s = 1 - h / station * n / count
        far = math.sqrt((1 - s) ** 2 + 4 * s * math.sin(edge / 2) ** 2)
        total += (0.5 if n in (0, count) else 1.0) * s * s * (1 - ((1 - s) - 2 * math.sin(edge / 2) ** 2) / far)
    return 2 * math.pi * G * DENSITY * h * total / count


def main():
    places = [STEP * (n - SIDE // 2) for n in range(SIDE)]
    with open("terrain.asc", "w", encoding="ascii") as file:
        corner = places[0] - STEP / 2
        print(f"ncols {SIDE}\nnrows {SIDE}\nxllcorner {corner}\nyllcorner {corner}\ncellsize {STEP}\nnodata_value -9999", file=file)
        for y in reversed(places):
            print(*(height(x, y) for x in places), file=file)
    draw = random.Random(11)
    stations = sorted({(draw.randrange(12, SIDE - 12), draw.randrange(12, SIDE - 12)) for _ in range(150)})
    low, high = places[0] - STEP / 2, places[-1] + STEP / 2
    with open("stations.csv", "w", encoding="ascii") as file:
        print("station,x,y,z,latitude,gravity,sphere", file=file)
        for number, (i, j) in enumerate(stations):
            station = (places[i], places[j], height(places[i], places[j]))
            latitude = round(LATITUDE + station[1] / 111070.0, 6)
            terrain = sum(
                prism(x - STEP / 2, x + STEP / 2, y - STEP / 2, y + STEP / 2, 0.0, height(x, y), station) for x in places for y in places
            )
            level = prism(low, high, low, high, 0.0, station[2], station)
            depth = station[2] + 4500.0
            distance = math.sqrt(station[0] ** 2 + station[1] ** 2 + depth**2)
            sphere = G * 4 / 3 * math.pi * 3500.0**3 * -300.0 * depth / distance**3
            gravity = normal_gravity(latitude, station[2]) + cap(station[2]) + terrain - level + sphere
            print(f"M{number:03d},{station[0]},{station[1]},{station[2]},{latitude},{1e5 * gravity:.6f},{1e5 * sphere:.6f}", file=file)


main()
