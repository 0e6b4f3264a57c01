"""Computes the main field with ppigrf 2.1.0 (IGRF-14), and writes it to igrf.csv next to this file (needs ppigrf).

Years between epochs are means of those of the epochs, since the field is linear in time; ppigrf itself counts days instead of decimal years.
"""

import pathlib
from datetime import datetime

import ppigrf


def main():
    with open(pathlib.Path(__file__).with_suffix(".csv"), "w", encoding="ascii") as file:
        print("year,longitude,latitude,height_m,east_nt,north_nt,up_nt", file=file)
        places = [(5.3, 60.4, 0.0), (-68.15, -16.5, 3650.0), (139.7, 35.7, 400e3), (-120.0, -89.0, 2800.0), (200.0, 89.9, 0.0), (0.0, 0.0, -3000.0)]
        for year in (1900.0, 1967.5, 1995.0, 2020.0, 2022.5, 2025.0, 2030.0):
            epochs = [int(year)] if year % 5 == 0 else [int(year // 5 * 5), int(year // 5 * 5 + 5)]
            for longitude, latitude, height in places:
                fields = [ppigrf.igrf(longitude, latitude, height / 1000, datetime(epoch, 1, 1)) for epoch in epochs]
                mean = [sum(float(field[axis].squeeze()) for field in fields) / len(fields) for axis in range(3)]
                print(",".join(repr(float(x)) for x in (year, longitude, latitude, height, *mean)), file=file)


main()
