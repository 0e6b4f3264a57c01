"""Tables of the gravity file. Written by `cargo xtask generate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict, Union


class Azimuthal(TypedDict, total=False):
    """An azimuthal equidistant projection around a point anywhere on Earth. Distances and directions from its origin are exact; other lengths are too long by
    up to 0.01 % at 156 km and 0.1 % at 494 km from the origin. Components E and N are true east and north."""

    origin: GeographicPoint
    """The point at x = 0, y = 0."""

    azimuth: float
    """Azimuth of the y axis at the origin, clockwise from north [degrees]."""


class Ball(TypedDict, total=False):
    """A sphere, discretised into the cubes of a lattice (planes at multiples of `cell`) whose centres lie inside it."""

    centre: Sequence[float]
    """Centre [x, y, z] [m]."""

    radius: float
    """Radius [m]."""

    cell: float
    """Edge length of the cubes [m]."""

    density: Union[float, Any]
    """Density [kg/m3]."""


class Block(TypedDict, total=False):
    """A rectangular block."""

    x: Sequence[float]
    """Limits along x [m]."""

    y: Sequence[float]
    """Limits along y [m]."""

    z: Sequence[float]
    """Limits along z [m]."""

    density: Union[float, Any]
    """Density [kg/m3]."""


class Body(TypedDict, total=False):
    """A body with mass. Densities may be contrasts with the surroundings, of either sign."""

    prisms: Union[Prisms, Any]
    """A list of prisms."""

    ubc: UbcMesh
    """A UBC-GIF tensor mesh with a density model."""

    volume: CellVolume
    """A density volume: each value fills the cell around its grid point."""

    layer: Layer
    """A layer between two surfaces."""

    ball: Ball
    """A sphere, discretised into cubes."""

    block: Block
    """A single rectangular block."""

    scenario: ScenarioModel
    """The density of a scenario's Earth model."""

    tesseroids: Tesseroids
    """A list of tesseroids: cells between meridians, parallels and spheres."""


class BodyMagnetisation(TypedDict, total=False):
    """The magnetisation of a body: induced and remanent magnetisation add up."""

    susceptibility: float
    """Volume susceptibility (SI) of all prisms of the body."""

    susceptibility_per_density: float
    """Factor from the densities of the body to an additional susceptibility: 1 for a body whose densities are
    susceptibilities, such as a UBC-GIF model of susceptibility (with a `density_factor` of 1). Prisms with density 0
    are left out of meshes."""

    remanent: Remanent
    """Remanent magnetisation of all prisms of the body."""

    vectors: str
    """Table with the remanent magnetisation of each prism of the body, in their order: columns `m_e`, `m_n` and `m_u`
    [A/m]."""


class CellVolume(TypedDict, total=False):
    """A density volume: each value fills the cell around its grid point. Craton reads single-precision values; double
    precision only from netCDF without `spacing` and `origin`."""

    density: Union[VolumeFile, Any]
    """The densities [kg/m3], on three axes."""

    reference: float
    """Reference density, subtracted everywhere to give the density contrast [kg/m3]."""

    coordinates: Coordinates
    """Coordinates of the axes. With `geographic`, x is the longitude and y the latitude, also in `axes`, `spacing` and `origin`."""


class Compute(TypedDict, total=False):
    """The devices and threads of a run."""

    device: DeviceNames
    """The device: `"auto"` uses the available GPUs if Craton expects them to be faster, otherwise the CPU; `"cpu"`;
    `"cuda"` uses all GPUs and fails without one; `"cuda:1"` is GPU number 1; a list selects several GPUs. GPUs
    compute direct sums. The number of GPUs does not change a bit of the results; GPU and CPU differ by round-off."""

    devices: int
    """Number of GPUs; all of them by default. The results do not depend on it."""

    threads: int
    """Number of worker threads; one per core by default. The results do not depend on it."""


class DensityLaw(TypedDict, total=False):
    """Density as a function of depth, or of each column."""

    constant: float
    """Constant density [kg/m3]."""

    columns: DensityLawColumns
    """Density of each column, from a grid with the grid points of the surfaces."""

    polynomial: DensityLawPolynomial
    """Polynomial in depth."""

    exponential: DensityLawExponential
    """Exponential law: `deep + (shallow - deep) exp(-depth / scale)`."""


class DensityLawColumns(TypedDict, total=False):
    """Density of each column, from a grid with the grid points of the surfaces."""

    file: Union[str, Any]
    """The grid: ESRI ASCII, netCDF, GeoTIFF or lines `x y density`."""

    variable: str
    """Name of the netCDF variable. Without it, the values must be the only variable and have no unit."""

    factor: float
    """Factor on the values: 1000 for densities in g/cm3."""


class DensityLawExponential(TypedDict, total=False):
    """Exponential law: `deep + (shallow - deep) exp(-depth / scale)`."""

    shallow: float
    """Density at depth 0 [kg/m3]."""

    deep: float
    """Density at great depth [kg/m3]."""

    scale: float
    """Depth scale: the depth at which the difference has decayed to 1/e [m]."""

    datum: float
    """z of depth 0 [m]; by default the top of each column."""


class DensityLawPolynomial(TypedDict, total=False):
    """Polynomial in depth."""

    coefficients: Sequence[float]
    """Coefficients of depth to the powers 0, 1, 2 ... [kg/m3, depth in m]."""

    datum: float
    """z of depth 0 [m]; by default the top of each column."""


class Draped(TypedDict, total=False):
    """A grid draped over a surface, at the grid points of the surface file or at others. Between the grid points of its
    file the surface is interpolated by monotone cubics, which do not overshoot."""

    surface: str
    """The surface: ESRI ASCII, netCDF with the elevation as its only variable, or lines `x y z`."""

    above: float
    """Height above the surface [m]."""

    lowest: float
    """Lower limit of the point heights [m], such as the sea level above the sea floor."""

    x: Sequence[float]
    """First and last x [m]; the extent of the surface by default."""

    y: Sequence[float]
    """First and last y [m]; the extent of the surface by default."""

    count: Sequence[int]
    """Number of points along x and y; by default the grid points of the surface within the extent."""

    spacing: Sequence[float]
    """Grid spacing along x and y [m], instead of `count`. The extent must be a multiple of it."""


class GeographicColumns(TypedDict, total=False):
    """Names of the columns of a table of points in longitude and latitude, or of the netCDF variables."""

    longitude: str
    """Column of the longitude, positive east."""

    latitude: str
    """Column of the latitude, positive north: geocentric, or geodetic with `ellipsoid`."""

    height: str
    """Column of the height above the reference sphere or `ellipsoid`."""

    name: str
    """Column of point names, such as station codes, which Craton copies to the results. By default there are no names."""


class GeographicGrid(TypedDict, total=False):
    """A grid in longitude and latitude at constant height above the reference sphere or `ellipsoid`."""

    longitude: Sequence[float]
    """First and last longitude [degrees]."""

    latitude: Sequence[float]
    """First and last latitude [degrees]: geocentric, or geodetic with `ellipsoid`."""

    count: Sequence[int]
    """Number of points along longitude and latitude; either this or `spacing`."""

    spacing: Sequence[float]
    """Grid spacing along longitude and latitude [degrees], instead of `count`. The extent must be a multiple of it."""

    height: float
    """Height of the grid above the reference sphere or `ellipsoid` [m]."""


class GeographicList(TypedDict, total=False):
    """A list of points in longitude, latitude and height above the reference sphere or `ellipsoid`, from a file or from `rows`."""

    file: Union[str, Any]
    """File with the columns or variables `longitude`, `latitude` (degrees) and `height` [m], or with the names
    in `columns`."""

    format: ListFormat
    """File format; by default from the file name: `.npy`, `.nc`; all other names are a `table`."""

    columns: GeographicColumns
    """Column names of the file, if they differ from the default. Other columns are ignored."""

    rows: Sequence[Sequence[float]]
    """Points [longitude, latitude, height], in degrees and m."""


class GeographicPoint(TypedDict, total=False):
    """A geographic point."""

    longitude: float
    """Longitude, positive east [degrees]."""

    latitude: float
    """Latitude, positive north [degrees]."""


class GivenField(TypedDict, total=False):
    """The main field by its intensity and direction."""

    intensity: float
    """Intensity [nT]."""

    inclination: float
    """Angle below the horizontal [degrees], positive down."""

    declination: float
    """Angle of the horizontal component from the y axis, clockwise [degrees]."""


class IgrfField(TypedDict, total=False):
    """The main field of IGRF-14 at a date and a place, with y to the true north."""

    date: str
    """Date, from 1900-01-01 to 2030-01-01."""

    longitude: float
    """Longitude [degrees]."""

    latitude: float
    """Geodetic latitude [degrees]."""

    height: float
    """Height above the ellipsoid [m]."""


class Layer(TypedDict, total=False):
    """A layer between two surfaces, discretised into columns below the grid points of the surfaces. At least one surface
    is a file."""

    top: Height
    """The upper surface: z [m], or a file with the elevations."""

    bottom: Height
    """The lower surface: z [m], or a file with the elevations."""

    density: Union[DensityLaw, Any]
    """Density of the layer."""

    inverted_density: float
    """Density where the `top` surface lies below the `bottom` surface [kg/m3]. For topography about z = 0 with rock of
    2670, use the contrast of water to rock: 1030 - 2670. By default such columns are an error."""

    slices: int
    """Number of slices of the thickest column if density varies with depth; slices of the other columns are no
    thicker. By default Craton chooses the number that reaches `method.accuracy` (1e-5 if there is none) at 16 of
    the points, with at most 512 slices and 30 million prisms. In longitude and latitude it estimates the error with
    at most 3 million tesseroids: 12 slices of 240,000 grid points, a subset of those of a larger layer. Columns that
    do not fit into memory are refused before they are built. The report gives the remaining error and the sufficient
    number."""

    holes: Holes
    """Columns below grid points without a value in a surface or in the densities: gaps (NODATA, NaN) of ESRI ASCII,
    GeoTIFF and netCDF files."""

    tops: Tops
    """Shape of the top of the columns. Without a file for the upper surface, tops are always flat."""

    coordinates: Coordinates
    """Coordinates of the surfaces and of the densities."""


class LevelGrid(TypedDict, total=False):
    """A grid at constant height."""

    x: Sequence[float]
    """First and last x [m]."""

    y: Sequence[float]
    """First and last y [m]."""

    count: Sequence[int]
    """Number of points along x and y; either this or `spacing`."""

    spacing: Sequence[float]
    """Grid spacing along x and y [m], instead of `count`. The extent must be a multiple of it."""

    z: float
    """Height of the grid above z = 0 [m]."""


class Magnetisation(TypedDict, total=False):
    """The magnetisation of the bodies, for magnetic fields. The problem is then a magnetic one: `fields` are `tfa`, `b_e`
    and the others that begin with `b_` and `tfa_`."""

    field: MainField
    """The main field of the Earth, which induces magnetisation and gives the direction of the total-field anomaly."""

    body: Sequence[BodyMagnetisation]
    """The magnetisation of each body, in the order of the bodies."""


class MainField(TypedDict, total=False):
    """The main field of the Earth, uniform over the region."""

    given: GivenField
    """The field by its intensity and direction."""

    igrf: IgrfField
    """The International Geomagnetic Reference Field IGRF-14."""


class Method(TypedDict, total=False):
    """How the sums over prisms are computed."""

    accuracy: float
    """Largest error, as a fraction of the largest value over all points, for potential, attraction and tensor
    separately. By default sums are exact: ten digits for each prism at each point."""

    path: Path
    """The summation algorithm."""

    precision: Precision
    """Precision of a prism's field on GPUs without `accuracy`. CPUs always compute in double precision."""

    find_overlaps: bool
    """Search for overlapping prisms, and report the first ones."""


class Output(TypedDict, total=False):
    """The output files and their folder."""

    directory: str
    """Folder of the results, relative to the working directory."""

    formats: Sequence[OutputFormat]
    """Formats of the results, one or more files each. By default a CSV table, and netCDF for a grid."""

    units: Units
    """Units of the results. Column names include the unit."""

    pictures: bool
    """Whether to draw pictures."""


class PointColumns(TypedDict, total=False):
    """Names of the columns of a table, or of the netCDF variables."""

    x: str
    """Column of x, positive east."""

    y: str
    """Column of y, positive north."""

    z: str
    """Column of z, positive up."""

    name: str
    """Column of point names, such as station codes, which Craton copies to the results. By default there are no names."""


class PointFile(TypedDict, total=False):
    """A list of points, from a file or from `rows`."""

    file: Union[str, Any]
    """File with the columns or variables `x`, `y` and `z` [m], or with the names in `columns`."""

    format: ListFormat
    """File format; by default from the file name: `.npy`, `.nc`, and `.loc`, `.grv` and `.gg` for UBC-GIF; all other
    names are a `table`."""

    columns: PointColumns
    """Column names of the file, if they differ from the default. Other columns are ignored."""

    rows: Sequence[Sequence[float]]
    """Points [x, y, z] [m]."""

    projection: Projection
    """Projection for points whose x and y are longitude and latitude [degrees]: Craton projects them."""


PointLine = TypedDict("PointLine", {
    "from": "Sequence[float]",
    "to": "Sequence[float]",
    "count": "int",
}, total=False)


class Points(TypedDict, total=False):
    """The observation points: exactly one kind."""

    grid: LevelGrid
    """A grid at constant height."""

    draped: Draped
    """A grid draped over a surface."""

    line: PointLine
    """Points along a straight line, such as a profile or a borehole."""

    list: Union[PointFile, Any]
    """A list of points."""

    receivers: ScenarioReceivers
    """The receivers of a scenario."""

    geographic_grid: GeographicGrid
    """A grid in longitude and latitude at constant height above the reference sphere."""

    geographic_list: GeographicList
    """A list of points in longitude, latitude and height above the reference sphere."""


class PrismColumns(TypedDict, total=False):
    """Names of the columns of a table, or of the netCDF variables."""

    west: str
    """Column of the western faces."""

    east: str
    """Column of the eastern faces."""

    south: str
    """Column of the southern faces."""

    north: str
    """Column of the northern faces."""

    bottom: str
    """Column of the lower faces."""

    top: str
    """Column of the upper faces."""

    density: Union[str, Any]
    """Column of the densities."""


class Prisms(TypedDict, total=False):
    """A list of prisms, from a file or from `rows`."""

    file: Union[str, Any]
    """File with the columns or variables `west`, `east`, `south`, `north`, `bottom`, `top` (m) and `density` (kg/m3),
    or with the names in `columns`."""

    format: ListFormat
    """File format; by default from the file name: `.npy`, `.nc`; all other names are a `table`."""

    columns: PrismColumns
    """Column names of the file, if they differ from the default. Other columns are ignored."""

    density_factor: float
    """Factor on the densities of the file and of `rows`: 1000 for densities in g/cm3."""

    rows: Sequence[Sequence[float]]
    """Prisms [west, east, south, north, bottom, top, density], in m and kg/m3."""


class ProjectionAzimuthal(TypedDict, total=False):
    """Azimuthal equidistant projection of the WGS84 ellipsoid: distances and directions from the origin are exact."""

    azimuthal: Azimuthal
    """No description."""


class ProjectionUtm(TypedDict, total=False):
    """Universal transverse Mercator on the WGS84 ellipsoid."""

    utm: Utm
    """No description."""


class Reduction(TypedDict, total=False):
    """Reduction of gravity that was observed at the points to free-air, Bouguer and complete Bouguer anomalies. The points
    are a list from a file. The bodies are the masses between the surface of the terrain and the datum, whose
    attraction gives the terrain correction."""

    observed: str
    """Column of the observed gravity in the file of the points."""

    unit: ObservedUnit
    """Unit of the observed gravity."""

    latitude: str
    """Column of the geodetic latitude in the file of the points [degrees]; not needed for points with a `projection`."""

    height: str
    """Column of the heights for normal gravity [m]: heights above the ellipsoid for gravity disturbances; by default
    the heights z of the points."""

    ellipsoid: ReferenceEllipsoid
    """The ellipsoid of normal gravity."""

    density: Union[float, Any]
    """Density of the Bouguer slab [kg/m3]."""

    datum: float
    """Height of the datum [m], where the slab and the bodies end."""

    curvature: bool
    """Whether to bend the slab to a spherical cap of 166.7 km radius (Bullard's term B)."""

    radius: float
    """Radius around each station to which the terrain correction extends [m]: at least ten times the width of a column,
    and at most the distance from any station to the edge of the bodies. By default it extends to the edges of the bodies."""

    atmosphere: bool
    """Whether to correct for the mass of the atmosphere."""


class ReferenceSphere(TypedDict, total=False):
    """The reference sphere of bodies and points in longitude, latitude and height, unless the problem has an `ellipsoid`.
    Latitudes are geocentric: the angle at the centre of the sphere."""

    radius: float
    """Radius of the sphere at height 0 [m]. With 0, heights are distances from the centre."""


class Remanent(TypedDict, total=False):
    """A remanent magnetisation."""

    intensity: float
    """Intensity [A/m]."""

    inclination: float
    """Angle below the horizontal [degrees], positive down."""

    declination: float
    """Angle of the horizontal component from the y axis, clockwise [degrees]."""


class ScenarioModel(TypedDict, total=False):
    """The density of a scenario's Earth model, with layers, volumes and topography as in the wave simulation, discretised
    into cells of its box."""

    file: Union[str, Any]
    """The scenario file."""

    set: Sequence[str]
    """Changes of scenario keys, as with `--set`."""

    cell: float
    """Edge length of the cells [m]. Cells fill the box exactly, so that their edges may be slightly shorter."""

    reference: float
    """Reference density, subtracted everywhere below the ground [kg/m3]."""


class ScenarioReceivers(TypedDict, total=False):
    """The receivers of a scenario."""

    file: Union[str, Any]
    """The scenario file."""

    set: Sequence[str]
    """Changes of scenario keys, as with `--set`."""


class Tables(TypedDict, total=False):
    """A gravity or magnetic problem: bodies, observation points, and the requested fields.

    SI units except for results; x east, y north, z up, or longitude, latitude and height. Relative paths of input files are relative to the folder of the
    gravity file."""

    title: str
    """Title of the problem in pictures, records and headers."""

    body: Sequence[Body]
    """The bodies. Densities of overlapping bodies add up."""

    points: Points
    """The observation points."""

    sphere: ReferenceSphere
    """The reference sphere of bodies and points in longitude, latitude and height."""

    ellipsoid: ReferenceEllipsoid
    """The ellipsoid of bodies and points in longitude, latitude and height, instead of the reference sphere: latitudes are
    then geodetic and heights above this ellipsoid, as of GNSS, and fields along its east, north and normal."""

    fields: Sequence[Quantity]
    """The computed fields. Letters are directions: e, n, u or d (east, north, up, down). `g_d` is positive above an
    excess of mass. Fields that begin with `b_` or `tfa` are magnetic, and require `magnetisation`."""

    magnetisation: Magnetisation
    """The magnetisation of the bodies, for magnetic fields instead of gravity."""

    reduction: Reduction
    """Reduction of gravity observed at the points to anomalies."""

    method: Method
    """How the sums over prisms are computed."""

    output: Output
    """The output files and their folder."""

    compute: Compute
    """The devices and threads of a run."""


class TesseroidColumns(TypedDict, total=False):
    """Names of the columns of a table of tesseroids, or of the netCDF variables."""

    west: str
    """Column of the western meridians."""

    east: str
    """Column of the eastern meridians."""

    south: str
    """Column of the southern parallels."""

    north: str
    """Column of the northern parallels."""

    bottom: str
    """Column of the heights of the bottoms."""

    top: str
    """Column of the heights of the tops."""

    density: Union[str, Any]
    """Column of the densities, halfway between bottom and top."""

    gradient: str
    """Column of the increase of the density with height [kg/m3 per m]. By default the density of a tesseroid is constant."""


class Tesseroids(TypedDict, total=False):
    """A list of tesseroids, from a file or from `rows`."""

    file: Union[str, Any]
    """File with the columns or variables `west`, `east` (longitude), `south`, `north` (latitude, degrees),
    `bottom`, `top` (height above the reference sphere or `ellipsoid`, m) and `density` (kg/m3), or with the names in `columns`."""

    format: ListFormat
    """File format; by default from the file name: `.npy`, `.nc`; all other names are a `table`."""

    columns: TesseroidColumns
    """Column names of the file, if they differ from the default. Other columns are ignored."""

    density_factor: float
    """Factor on the densities of the file and of `rows`: 1000 for densities in g/cm3."""

    rows: Sequence[Sequence[float]]
    """Tesseroids [west, east, south, north, bottom, top, density], in degrees, m and kg/m3."""


class UbcMesh(TypedDict, total=False):
    """A UBC-GIF tensor mesh and its density model in g/cm3."""

    mesh: str
    """The mesh file."""

    model: str
    """The model file."""

    density_factor: float
    """Factor that converts the values to kg/m3."""

    air: float
    """Value of cells in the air. Craton ignores these cells, and those with NaN."""


class Utm(TypedDict, total=False):
    """A zone of the universal transverse Mercator projection."""

    zone: int
    """Zone number."""

    south: bool
    """True if the zone is south of the equator."""

    origin: GeographicPoint
    """The point at x = 0, y = 0. Without it, x and y are the easting and northing of the zone."""


class VolumeFile(TypedDict, total=False):
    """A file with values on a regular grid. Keys that the file header defines may be left out, or given to override the
    header."""

    file: Union[str, Any]
    """The file."""

    format: VolumeFormat
    """File format; by default from the file name: `.segy` and `.sgy`, `.rsf`, `.nc`, `.xyz` and `.txt`; all other names are `raw`."""

    variable: str
    """Name of the netCDF variable, or name or number of the column of a text file. Not needed if there is only one."""

    axes: Sequence[VolumeAxis]
    """The axes, the fastest first. By default from the axis names in the file (x or easting, y or northing, depth,
    height or elevation), which netCDF files must have; otherwise depth, x, y."""

    shape: Sequence[int]
    """Number of points along each axis; for raw files only, which require it."""

    spacing: Sequence[float]
    """Grid spacing along each axis [m]; raw files require it. Craton interprets the sample interval of SEG-Y as
    thousandths of a metre, or of a foot if the file is in feet."""

    origin: Sequence[float]
    """Coordinate of the first point along each axis [m]; by default from the file, or 0 if the file only counts points
    or traces."""

    coordinate_bytes: Sequence[int]
    """First bytes of x and y in the trace headers of SEG-Y, four bytes each, counted from 1; by default those of the ensemble (181, 185),
    or else of the source (73, 77) or the receiver group (81, 85), the first that differ between traces."""

    byte_order: ByteOrder
    """Byte order of raw values, which are IEEE single precision."""

    factor: float
    """Factor on the values, 1 by default. Use 1000 for values in km/s or g/cm3."""


ByteOrder = Union[Literal["little"], Literal["big"]]


Coordinates = Union[Literal["metres"], Literal["geographic"]]


DeviceNames = Union[str, Sequence[str]]


Height = Union[float, str]


Holes = Union[Literal["air"], Literal["fill"]]


ListFormat = Union[Literal["table"], Literal["npy"], Literal["netcdf"], Literal["ubc"]]


ObservedUnit = Union[Literal["mgal"], Literal["si"]]


OutputFormat = Union[Literal["csv"], Literal["netcdf"], Literal["esri"], Literal["npy"], Literal["ubc"]]


Path = Union[Literal["auto"], Literal["direct"], Literal["tree"], Literal["convolution"]]


Precision = Union[Literal["double"], Literal["single"]]


Projection = Union[Literal["none"], ProjectionUtm, ProjectionAzimuthal]


Quantity = Union[Literal["potential"], Literal["g_e"], Literal["g_n"], Literal["g_u"], Literal["g_d"], Literal["g_ee"], Literal["g_en"], Literal["g_eu"], Literal["g_ed"], Literal["g_nn"], Literal["g_nu"], Literal["g_nd"], Literal["g_uu"], Literal["g_dd"], Literal["g_length"], Literal["invariant2"], Literal["invariant3"], Literal["dimensionality"], Literal["tfa"], Literal["tfa_e"], Literal["tfa_n"], Literal["tfa_u"], Literal["tfa_gradient"], Literal["b_e"], Literal["b_n"], Literal["b_u"], Literal["b_d"], Literal["b_length"], Literal["b_ee"], Literal["b_en"], Literal["b_eu"], Literal["b_nn"], Literal["b_nu"], Literal["b_uu"]]


ReferenceEllipsoid = Union[Literal["grs80"], Literal["wgs84"]]


Tops = Union[Literal["auto"], Literal["smooth"], Literal["flat"]]


Units = Union[Literal["geophysical"], Literal["si"]]


VolumeAxis = Union[Literal["depth"], Literal["z"], Literal["x"], Literal["y"]]


VolumeFormat = Union[Literal["segy"], Literal["rsf"], Literal["netcdf"], Literal["text"], Literal["sofi3d"], Literal["raw"]]
