"""Writes GeoTIFF samples for the tests. The output is committed unchanged.

    python make.py

rasterio 1.4.4 (GDAL 3.10.3), numpy 2.4.6.
"""

from pathlib import Path

import numpy as np
import rasterio
from rasterio.transform import Affine, from_origin
from rasterio.windows import Window

HERE = Path(__file__).parent
TILES = {"tiled": True, "blockxsize": 16, "blockysize": 16, "compress": "deflate"}
UTM = from_origin(500_000.0, 5_300_000.0, 30.0, 30.0)


def elevation(columns, rows, data_type="float64"):
    """1000 + 2 c - 3 r + 0.5 c r at the centres of pixels, in columns c and rows r from the first corner of the image."""
    column, row = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)
    return (1000 + 2 * column - 3 * row + 0.5 * column * row).astype(data_type)


def create(name, shape, data_type, transform, crs, **options):
    bands, rows, columns = shape
    return rasterio.open(HERE / name, "w", driver="GTiff", width=columns, height=rows, count=bands, dtype=data_type,
                         crs=crs, transform=transform, **options)


def write(name, values, transform=UTM, crs="EPSG:32632", **options):
    with create(name, (1, *values.shape), values.dtype.name, transform, crs, **options) as file:
        file.write(values, 1)


def main():
    write("geographic_f32_deflate_tiled.tif", elevation(37, 21, "float32"), from_origin(10.0, 48.0, 0.25, 0.5),
          "EPSG:4326", predictor=3, **TILES)
    holes = elevation(9, 7).round().astype("int16")
    holes[2, 3] = holes[6, 0] = -32768
    write("utm_i16_lzw_point.tif", holes, compress="lzw", predictor=2, nodata=-32768, blockysize=3)
    with rasterio.open(HERE / "utm_i16_lzw_point.tif", "r+") as file:
        file.update_tags(AREA_OR_POINT="Point")
    write("utm_south_f64_big_endian.tif", elevation(5, 4), from_origin(300_000.0, 6_000_000.0, 100.0, 50.0), "EPSG:32719",
          ENDIANNESS="BIG")
    write("utm_u16_lzw_tiled_big_endian.tif", elevation(53, 37, "uint16"), predictor=2, ENDIANNESS="BIG",
          **{**TILES, "compress": "lzw"})
    write("bigtiff_u8_packbits.tif", np.arange(12, dtype="uint8").reshape(3, 4), crs="EPSG:25832", BIGTIFF="YES",
          compress="packbits")
    write("south_up_i32.tif", elevation(4, 3, "int32"), Affine(30.0, 0, 1000.0, 0, 30.0, 2000.0))
    feet = from_origin(2_000_000.0, 700_000.0, 10.0, 10.0)
    with create("survey_feet_u16_scaled.tif", (1, 2, 3), "uint16", feet, "EPSG:2226") as file:
        file.write(np.arange(6, dtype="uint16").reshape(2, 3), 1)
        file.scales, file.offsets, file.units = (0.1,), (-5.0,), ("ft",)
    write("no_system_f16.tif", elevation(3, 2, "float32"), crs=None, NBITS=16)
    write("rotated.tif", elevation(3, 2), Affine.rotation(10) * UTM)
    write("zstd.tif", elevation(3, 2), compress="zstd")
    with create("sparse_f32_tiled.tif", (1, 32, 32), "float32", UTM, "EPSG:32632", SPARSE_OK="TRUE", nodata=-9999,
                **TILES) as file:
        file.write(np.full((16, 16), 7, dtype="float32"), 1, window=Window(16, 0, 16, 16))
    with create("two_bands.tif", (2, 2, 2), "uint8", UTM, "EPSG:32632") as file:
        file.write(np.zeros((2, 2, 2), dtype="uint8"))


main()
