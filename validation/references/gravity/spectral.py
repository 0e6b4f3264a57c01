"""Filters a small map with harmonica 0.7.0, and writes it and the results to spectral.csv next to this file (needs harmonica).

The map is periodic, without padding: harmonica's filters are applied to its Fourier transform as they are.
"""

import pathlib

import harmonica
import numpy
import xarray


def main():
    x, y = 250.0 * numpy.arange(12), 400.0 * numpy.arange(9)
    values = numpy.random.default_rng(3).normal(size=(y.size, x.size))
    grid = xarray.DataArray(values, coords={"northing": y, "easting": x}, dims=("northing", "easting"))
    results = [
        values,
        harmonica.upward_continuation(grid, 300.0).values,
        harmonica.derivative_easting(grid, method="fft").values,
        harmonica.derivative_northing(grid, method="fft").values,
        harmonica.derivative_upward(grid).values,
        harmonica.reduction_to_pole(grid, 57.0, -12.0).values,
        harmonica.reduction_to_pole(grid, 57.0, -12.0, magnetization_inclination=30.0, magnetization_declination=75.0).values,
    ]
    with open(pathlib.Path(__file__).with_suffix(".csv"), "w", encoding="ascii") as file:
        print("value,upward_300,east,north,up,pole,pole_remanent", file=file)
        for row in zip(*(result.ravel() for result in results)):
            print(",".join(repr(float(number)) for number in row), file=file)


main()
