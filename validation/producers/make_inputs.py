"""Writes input files with other programs, and scenarios that use them.

    python make_inputs.py DIRECTORY

Each case is a pair of scenarios, `NAME.toml` and `NAME_plain.toml`: the first reads files of another program, the second
has the same content as plain text, raw numbers or keys. Both must give the same seismograms. Programs: xarray (netCDF-4,
packed and compressed), GMT (if it is installed), segyio, meshio (Gmsh 2.2 and 4.1, Exodus II, VTU), ObsPy (StationXML,
QuakeML).
"""

import shutil
import subprocess
import sys
from pathlib import Path

import meshio
import numpy as np
import obspy
import segyio
import xarray
from obspy.core import event as quake
from obspy.core.inventory import Inventory, Network, Station

SCENARIO = """
duration = 0.4
[domain]
{domain}
[model.{model}]
{material}
[[source]]
{source}
[receivers]
{receivers}
[method.sem]
max_frequency = 8.0
[output]
directory = "results"
seismograms = ["text"]
sample_interval = 0.01
"""

BOX = "x = [0.0, 1200.0]\ny = [0.0, 900.0]\nz = [-800.0, 60.0]"
ROCK = "vp = 3500.0\nvs = 2000.0\nrho = 2400.0"
PARTS = {
    "domain": BOX,
    "model": "homogeneous",
    "material": ROCK,
    "source": "position = [500.0, 400.0, -400.0]\nmoment_tensor = { xx = 1e14, yz = 2e14 }\n"
    "time_function.gaussian = { sigma = 0.03, centre = 0.12 }",
    "receivers": 'stations = [{ code = "XX.A", position = [800.0, 500.0, -200.0] }]',
}


def write(folder, name, other, plain):
    """Writes the two scenarios of a case, from the parts that differ from the common ones."""
    for suffix, parts in (("", other), ("_plain", plain)):
        (folder / f"{name}{suffix}.toml").write_text(SCENARIO.format(**{**PARTS, **parts}))


def hills():
    """Elevations [m] on a grid of x and y, multiples of 0.25."""
    x, y = np.arange(-100.0, 1301.0, 100.0), np.arange(-100.0, 1001.0, 100.0)
    height = 20 * np.sin(x / 250)[None, :] * np.cos(y / 300)[:, None]
    return x, y, np.round(4 * height) / 4


def topography(folder):
    """Grids of xarray and GMT."""
    x, y, height = hills()
    rows = "\n".join(" ".join(f"{value:.2f}" for value in row) for row in height[::-1])
    header = f"ncols {len(x)}\nnrows {len(y)}\nxllcenter {x[0]}\nyllcenter {y[0]}\ncellsize 100\n"
    (folder / "hills.asc").write_text(header + rows + "\n")
    data = xarray.DataArray(height, dims=("y", "x"), coords={"x": x, "y": y}, name="elevation", attrs={"units": "m"})
    packed = {"dtype": "int16", "scale_factor": 0.25, "_FillValue": -32768, "zlib": True, "shuffle": True, "chunksizes": (5, 7)}
    data.to_netcdf(folder / "hills_xarray.nc", encoding={"elevation": packed}, engine="netcdf4")
    plain = {"domain": BOX + '\ntopography = "hills.asc"'}
    write(folder, "xarray", {"domain": BOX + '\ntopography = "hills_xarray.nc"'}, plain)
    if shutil.which("gmt"):
        points = "\n".join(f"{a} {b} {height[j, i]}" for j, b in enumerate(y) for i, a in enumerate(x))
        region = f"-R{x[0]}/{x[-1]}/{y[0]}/{y[-1]}"
        command = ["gmt", "xyz2grd", region, "-I100", "-Ghills_gmt.nc=nd"]
        subprocess.run(command, input=points.encode(), cwd=folder, check=True)
        write(folder, "gmt", {"domain": BOX + '\ntopography = "hills_gmt.nc"'}, plain)


def volumes(folder):
    """A section of wave speeds by segyio, in several sample formats and both byte orders; x is in the field of the source."""
    depth, x = np.arange(0.0, 901.0, 25.0), np.arange(0.0, 1201.0, 50.0)
    vp = (3000 + 0.5 * depth[None, :] + 0.25 * x[:, None]).astype(np.float32)
    values = {"vp": vp, "vs": 0.5 * vp, "rho": np.full_like(vp, 2400.0)}
    shape = f'axes = ["depth", "x"], shape = [{len(depth)}, {len(x)}], spacing = [25.0, 50.0], origin = [0.0, 0.0]'
    for key, speeds in values.items():
        speeds.astype("<f4").tofile(folder / f"{key}.raw")
    plain = "\n".join(f'{key} = {{ file = "{key}.raw", {shape} }}' for key in values)
    cases = (
        ("segyio_ibm", 1, "big", 1.0),
        ("segyio_ieee", 5, "big", 1.0),
        ("segyio_little", 5, "little", 1.0),
        ("segyio_double", 6, "big", 1.0),
        # All values are multiples of 0.125, which makes them integers of 16 bits.
        ("segyio_int16", 3, "big", 0.125),
        ("segyio_uint16_little", 11, "little", 0.125),
    )
    for name, form, endian, factor in cases:
        for key, speeds in values.items():
            spec = segyio.spec()
            spec.format, spec.samples, spec.tracecount, spec.endian = form, depth, len(x), endian
            with segyio.create(folder / f"{name}_{key}.sgy", spec) as file:
                file.bin.update(hdt=25000, mfeet=1)
                for index, place in enumerate(x):
                    file.header[index] = {segyio.su.sx: int(place), segyio.su.scalco: 1, segyio.su.dt: 25000}
                    file.trace[index] = (speeds[index] / factor).astype(file.dtype)
        position = "coordinate_bytes = [73, 77]" + ("" if factor == 1.0 else f", factor = {factor}")
        other = "\n".join(f'{key} = {{ file = "{name}_{key}.sgy", {position} }}' for key in values)
        write(folder, name, {"model": "volume", "material": other}, {"model": "volume", "material": plain})


def meshes(folder):
    """One mesh in the formats of meshio; the plain one is VTU in text."""
    count = [6, 5, 4]
    axes = [np.linspace(0, 1200, count[0] + 1), np.linspace(0, 900, count[1] + 1), np.linspace(-800, 0, count[2] + 1)]
    z, y, x = np.meshgrid(*axes[::-1], indexing="ij")
    points = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    node = lambda i, j, k: i + (count[0] + 1) * (j + (count[1] + 1) * k)
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    cells = [
        [node(i + a, j + b, k + c) for a, b, c in corners]
        for k in range(count[2])
        for j in range(count[1])
        for i in range(count[0])
    ]
    speeds = 1800.0 + 2.0 * np.arange(len(cells))
    fields = {"vp": [1.75 * speeds], "vs": [speeds], "rho": [np.full(len(cells), 2400.0)]}
    mesh = meshio.Mesh(points, [("hexahedron", np.array(cells))], cell_data=fields)
    mesh.write(folder / "plain.vtu", binary=False)
    mesh.write(folder / "mesh.vtu", compression="zlib")
    mesh.write(folder / "mesh.e", file_format="exodus")
    meshio.write(folder / "mesh22.msh", mesh, file_format="gmsh22", binary=True)
    meshio.write(folder / "mesh41.msh", mesh, file_format="gmsh", binary=True)
    material = 'fields = { vp = "vp", vs = "vs", rho = "rho" }'
    part = lambda file: {"domain": f'mesh.file = "{file}"', "model": "mesh", "material": material}
    for name in ("mesh.vtu", "mesh22.msh", "mesh41.msh"):
        write(folder, f"meshio_{name.replace('.', '_')}", part(name), part("plain.vtu"))
    # meshio writes no element variables to Exodus.
    plain = {"domain": 'mesh.file = "plain.vtu"'}
    write(folder, "meshio_exodus", {"domain": 'mesh.file = "mesh.e"'}, plain)


def acquisition(folder):
    """Stations and a moment tensor by ObsPy."""
    domain = BOX + "\nprojection.utm = { zone = 32, origin = { longitude = 9.0, latitude = 46.0 } }"
    place = {"latitude": 46.004, "longitude": 9.008}
    station = Station("A", elevation=0.0, **place)
    Inventory([Network("XX", [station])], source="test").write(str(folder / "stations.xml"), format="STATIONXML")
    write(
        folder,
        "obspy_stationxml",
        {"domain": domain, "receivers": 'stations_file = "stations.xml"'},
        {"domain": domain, "receivers": 'stations = [{ code = "XX.A", longitude = 9.008, latitude = 46.004 }]'},
    )
    origin = quake.Origin(time=obspy.UTCDateTime(2010, 1, 1), latitude=46.003, longitude=9.007, depth=400.0)
    origin.origin_type = "centroid"
    tensor = quake.Tensor(m_rr=1e14, m_tt=-2e14, m_pp=1e14, m_rt=3e13, m_rp=-4e13, m_tp=5e13)
    moment = quake.MomentTensor(tensor=tensor, derived_origin_id=origin.resource_id)
    mechanism = quake.FocalMechanism(moment_tensor=moment)
    event = quake.Event(origins=[origin], focal_mechanisms=[mechanism], event_type="earthquake")
    event.preferred_origin_id, event.preferred_focal_mechanism_id = origin.resource_id, mechanism.resource_id
    obspy.core.event.Catalog([event]).write(str(folder / "event.xml"), format="QUAKEML")
    function = "time_function.gaussian = { sigma = 0.03, centre = 0.12 }"
    # x is east, y north, z up; t is south and p east.
    plain = (
        "longitude = 9.007\nlatitude = 46.003\ndepth = 400.0\n"
        "moment_tensor = { zz = 1e14, yy = -2e14, xx = 1e14, yz = -3e13, xz = -4e13, xy = -5e13 }\n"
    )
    write(
        folder,
        "obspy_quakeml",
        {"domain": domain, "source": 'quakeml = "event.xml"\n' + function},
        {"domain": domain, "source": plain + function},
    )


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} DIRECTORY")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.toml"):
        old.unlink()
    for make in (topography, volumes, meshes, acquisition):
        make(folder)


if __name__ == "__main__":
    main()
