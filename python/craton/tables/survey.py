"""Tables of the survey file. Written by `cargo xtask generate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict, Union


class Absorbing(TypedDict, total=False):
    """Convolutional perfectly matched layers around the box."""

    cells: int
    """Thickness in cells."""

    reflection: float
    """Theoretical reflection coefficient at normal incidence."""


class Acquisition(TypedDict, total=False):
    """The acquisition geometry: shots and receivers."""

    marine: MarineLine
    """A marine line: a ship with a streamer."""

    land: LandLine
    """A land line with a roll-along spread."""

    fixed: FixedReceivers
    """Fixed receivers that record all shots, such as ocean-bottom nodes."""

    tables: Tables
    """CSV tables of shots and receivers."""

    sps: Sps
    """SPS files."""

    headers: Headers
    """The geometry in the trace headers of a SEG-Y file."""


class ArrayPoint(TypedDict, total=False):
    """An element of a receiver group."""

    at: Sequence[float]
    """Position relative to the centre of the group [m]: x, y, z (up). For a streamer: forward, left, up."""

    weight: float
    """Weight of the element."""


class Attenuation(TypedDict, total=False):
    """Attenuation: the frequency band in which quality factors are fitted, and the reference frequency of the wave speeds.

    Set quality factors in the model: `qp` and `qs`, or `qkappa` and `qmu`; in surveys `qp`. Reference Earths include them.
    Where there are none, the model is elastic, unless `relation` is set. Without this table a reference Earth is elastic."""

    enabled: bool
    """Whether to model attenuation. If false, Craton checks quality factors but does not use them."""

    reference_frequency: float
    """Reference frequency of the wave speeds [Hz]. Required, except for reference Earths of scenarios, whose default is 1 Hz."""

    band: Sequence[float]
    """Lower and upper limit of the band in which quality factors are fitted [Hz]. By default from 0.01 `max_frequency` to
    `max_frequency` of the method."""

    mechanisms: int
    """Number of relaxation mechanisms (standard linear solids). Over two decades, 3 fit a constant Q of at least 20 within
    3.5 %, 5 within 0.3 %."""

    power_law: PowerLaw
    """Frequency-dependent quality factors: above the corner frequency, Q is multiplied by (f / corner)^exponent."""

    relation: QualityRelation
    """Empirical relation that derives quality factors from wave speeds in regions without them."""


class Boundaries(TypedDict, total=False):
    """Boundary conditions on the sides of the box. All sides absorb; the top may be a free surface."""

    top: Top
    """The top side, at the smallest depth."""

    absorbing: Absorbing
    """The absorbing layers."""


class Compute(TypedDict, total=False):
    """The devices and threads of a run."""

    device: DeviceNames
    """The device: `"auto"` uses the available GPUs, and also the CPU cores where they help; `"cpu"`; `"cuda"` uses all
    GPUs and fails without one; `"cuda:1"` is GPU number 1; a list selects several GPUs."""

    devices: int
    """Number of GPUs; all of them by default."""

    threads: int
    """Number of worker threads; one per core by default. Results computed on the CPU do not depend on it."""

    reproducible: bool
    """Compute all shots on the same kind of device, so that results are bit-identical whichever worker computes a
    shot."""


class Domain(TypedDict, total=False):
    """The model domain. Without `y`, the simulation is two-dimensional, in the plane of x and depth."""

    x: Sequence[float]
    """West and east limits [m]; those of the model by default."""

    y: Sequence[float]
    """South and north limits [m]; those of the model by default, if it has a y axis."""

    depth: Sequence[float]
    """Depths of the top and the bottom [m]; those of the model by default."""


class Fd(TypedDict, total=False):
    """Finite differences of acoustic or elastic waves. The grid and the time step follow from `max_frequency`."""

    max_frequency: float
    """Highest frequency that the grid resolves [Hz]."""

    order: int
    """Order of the spatial derivatives: the number of points of the stencil, twice its half-length."""

    equation: Equation
    """The wave equation."""

    holberg: float
    """Largest relative error of the group velocity for Holberg's coefficients, which maximise the bandwidth within
    this error. By default the coefficients are Taylor's."""

    points_per_wavelength: float
    """Grid points per shortest wavelength at `max_frequency`; determines the cell size. By default 20 for order 2, 10
    for order 4, 8 for order 6, and 6 for order 8 or higher."""

    grid_spacing: float
    """Edge length of the cells [m], instead of the one that follows from the wavelength."""

    memory: FluidMemory
    """Memory variables of attenuation. By default `coarse` if all quality factors are at least 30, otherwise `full`.
    Craton uses `full` where `coarse` is not accurate."""

    time_step: float
    """Time step [s]. Craton rejects an unstable step. By default it follows from `courant`."""

    courant: float
    """Time step as a fraction of the largest stable step. Craton always corrects the traces for time dispersion."""

    aperture: float
    """Aperture [m]: Craton computes a shot in the box around its source and receivers, extended by this distance on
    each side, over all depths. By default in the whole model."""


class FixedReceivers(TypedDict, total=False):
    """Shots and receivers on lines and grids; all receivers record all shots. Numbers count from 1, lines before grids."""

    shot_line: Sequence[PointLine]
    """Lines of shots; one table `[[acquisition.fixed.shot_line]]` each."""

    shot_grid: Sequence[PointGrid]
    """Grids of shots."""

    receiver_line: Sequence[PointLine]
    """Lines of receivers."""

    receiver_grid: Sequence[PointGrid]
    """Grids of receivers."""


class GatherPictures(TypedDict, total=False):
    """Style of the gather pictures. If these values change, the same command redraws the pictures of a complete survey."""

    style: GatherStyle
    """Variable density or wiggles."""

    gain: GatherGain
    """Amplitude scaling."""

    agc_window: float
    """Length of the window of automatic gain control [s]."""

    clip: float
    """Percentile of the scaled amplitudes at which the display clips [%]."""


class Headers(TypedDict, total=False):
    """A SEG-Y file of revision 0, 1 or 2 with the geometry in its trace headers: field record, trace number, coordinates, source depth and group
    elevation."""

    file: Union[str, Any]
    """The file."""


class LandLine(TypedDict, total=False):
    """Shots at the stations of a line, with groups on both sides."""

    stations: PointLine
    """The stations of the line."""

    first_station: int
    """Station of the first shot, counted from 1."""

    station_step: int
    """Number of stations between shots; shots continue to the end of the line."""

    first_number: int
    """Number of the first shot; shot numbers are consecutive."""

    source_depth: float
    """Depth of the source below its station [m]."""

    behind: int
    """Number of groups towards the first station."""

    ahead: int
    """Number of groups towards the last station."""

    nearest: int
    """Number of stations from the shot to the nearest group on each side."""

    ends: LineEnds
    """Treatment of shots near the ends of the line."""


class Layer(TypedDict, total=False):
    """A homogeneous layer."""

    top: float
    """Depth of the top of the layer [m]; optional for the first layer."""

    vp: Union[float, Any]
    """Wave speed [m/s]: that of P waves in a solid."""

    vs: Union[float, Any]
    """S-wave speed [m/s]; 0 in a fluid. Required by `method.fd.equation = "elastic"`, ignored by the other equations."""

    rho: Union[float, Any]
    """Density [kg/m3]; by default from the wave speed, see `model.volume.density`."""

    qp: Union[float, Any]
    """Quality factor, of P waves in a solid; by default infinite. The table `attenuation` gives the band of frequencies."""

    qs: Union[float, Any]
    """Quality factor of S waves; required in a solid with `qp`."""


class Layered(TypedDict, total=False):
    """Flat homogeneous layers, which extend across the domain."""

    layers: Sequence[Layer]
    """The layers, from the top down; the last one extends to the bottom."""


class MarineLine(TypedDict, total=False):
    """A straight marine line with a towed streamer. Channel 1 is nearest to the source."""

    first_shot: Sequence[float]
    """x and y of the first shot [m]."""

    azimuth: float
    """Sailing direction, clockwise from north (y) [degrees]. 90 is along x."""

    first_number: int
    """Number of the first shot; shot numbers are consecutive."""

    shots: Union[int, Any]
    """Number of shots."""

    shot_interval: float
    """Shot interval [m]."""

    source_depth: float
    """Source depth [m]."""

    side: StreamerSide
    """Position of the streamer relative to the source."""

    streamer_length: float
    """Streamer length, from the first to the last group [m]."""

    group_interval: float
    """Group interval [m]."""

    near_offset: float
    """Near offset: distance from the source to the nearest group [m]."""

    streamer_depth: float
    """Streamer depth [m]."""


class Method(TypedDict, total=False):
    """The numerical method."""

    fd: Fd
    """The finite-difference method."""


class Model(TypedDict, total=False):
    """The Earth model."""

    layered: Layered
    """Flat homogeneous layers."""

    volume: Volumes
    """Velocity and density on a regular grid, from files."""


class Output(TypedDict, total=False):
    """The output files and their folder."""

    directory: str
    """Folder of the results, relative to the working directory."""

    format: GatherFormat
    """File format of the shot gathers."""

    sample_interval: float
    """Sample interval of the traces [s]; a whole number of microseconds."""

    time_zero: TimeZero
    """Time 0 of the traces and snapshots."""

    samples: Numbers
    """Number format of SEG-Y samples."""

    byte_order: ByteOrder2
    """Byte order of Seismic Unix files. Craton writes SEG-Y big-endian."""

    pictures: Sequence[int]
    """Numbers of the shots whose gathers are drawn; by default the first, the middle and the last one."""

    gather: GatherPictures
    """Style of the gather pictures."""

    snapshots: Snapshots
    """Pressure snapshots of selected shots and times, for ParaView and as pictures."""


class PointGrid(TypedDict, total=False):
    """A horizontal grid of points, with x as the fastest index."""

    x: Sequence[float]
    """First and last x [m]."""

    y: Sequence[float]
    """First and last y [m]."""

    depth: float
    """Depth of all points [m]."""

    count: Sequence[int]
    """Number of points along x and y."""


PointLine = TypedDict("PointLine", {
    "from": "Sequence[float]",
    "to": "Sequence[float]",
    "count": "int",
}, total=False)


class PowerLaw(TypedDict, total=False):
    """Quality factors that increase with frequency above a corner frequency."""

    corner: float
    """Corner frequency [Hz]. Below it, Q has the value in the model."""

    exponent: float
    """Exponent of frequency above the corner frequency."""


class QualityRelation(TypedDict, total=False):
    """Empirical relation Q = factor vp^exponent, with vp in m/s, where vp is above `above`; elsewhere Q is infinite. Values
    below 5 are set to 5. It applies to layers without `qp`, and to volumes without `qp`."""

    factor: float
    """Q at vp = 1 m/s."""

    exponent: float
    """Exponent of vp."""

    above: float
    """Wave speed below which there is no attenuation [m/s], such as in water."""


class Receivers(TypedDict, total=False):
    """The recorded quantities and the receiver array."""

    quantities: Sequence[Quantity]
    """Recorded quantities. A single quantity is written to `gathers.segy`. Several quantities are written to one file
    each in the folder `gathers`, such as `gathers/pressure.segy`, with the same traces in the same order."""

    array: Sequence[ArrayPoint]
    """Elements of a receiver group, whose weighted sum is the trace; a single point by default."""


class Slice(TypedDict, total=False):
    """A plane through the box: exactly one of x, y and depth. Values are interpolated linearly between cell centres."""

    x: float
    """The plane x = constant [m]."""

    y: float
    """The plane y = constant [m]."""

    depth: float
    """The plane at constant depth [m]."""


class Snapshots(TypedDict, total=False):
    """Pressure snapshots in the cells of a shot, without absorbing layers. Craton writes the frames (VTI) during the
    simulation, and draws them with a common colour scale when the survey is complete. Snapshots are not corrected for
    time dispersion; traces are."""

    shots: Union[Sequence[int], Any]
    """Shot numbers."""

    times: Sequence[float]
    """Times of the frames [s], each rounded to a whole time step."""

    slices: Sequence[Slice]
    """Slices through a three-dimensional box; one table `[[output.snapshots.slices]]` each. In two dimensions a frame
    shows the whole plane."""


class Source(TypedDict, total=False):
    """The source of every shot."""

    time_function: Union[TimeFunction, Any]
    """Source time function of all shots."""

    signatures: str
    """File with the source signature of each shot, instead of `time_function`. A SEG-Y or Seismic Unix file (`.segy`, `.sgy`, `.su`) has one trace per
    signature, with its number in bytes 9-12 and the time of the first sample in bytes 109-110. Any other file is a table with a column `time` [s], at equal
    steps, and one column per signature, whose name ends with its number, such as `shot_7`. The number is that of the shot, or that in the column `wavelet`
    of the shot table. A signature is zero before its first and after its last sample, and band-limited between them."""

    minimum_phase: bool
    """Replace the time function by the minimum-phase pulse with the same amplitude spectrum, with onset at time 0."""

    kind: SourceKind
    """Source type."""

    amplitude: float
    """Factor on the time function. Units: Pa m (3-D) or Pa (2-D) for a monopole, N (3-D) or N/m (2-D) for a force."""

    array: Sequence[SourcePoint]
    """Elements of a source array; by default a single point, or the array of the shot table.
    The array of a marine source rotates with the line."""


class SourcePoint(TypedDict, total=False):
    """An element of a source array."""

    at: Sequence[float]
    """Position relative to the centre of the array [m]: x, y, z (up). For a marine source: forward, left, up."""

    weight: float
    """Weight of the element."""

    delay: float
    """Time by which the element fires later [s]."""


class Sps(TypedDict, total=False):
    """SPS files, revision 2.1."""

    sources: str
    """Source point file."""

    receivers: str
    """Receiver point file."""

    relations: str
    """Relation file."""


class Tables(TypedDict, total=False):
    """A survey: an Earth model, a wavelet, and shots with their receivers. Craton writes all shot gathers to one file.

    SI units; x east, y north, depth positive down from 0. Relative paths of input files are relative to the folder of
    the survey file."""

    title: str
    """Title of the survey in pictures, records and headers."""

    duration: float
    """Trace length after time 0 [s]."""

    domain: Domain
    """The model domain; missing limits are those of the model."""

    boundaries: Boundaries
    """Boundary conditions on the sides of the box."""

    model: Model
    """The Earth model."""

    attenuation: Attenuation
    """Attenuation of waves."""

    acquisition: Acquisition
    """The acquisition geometry: shots and receivers."""

    source: Union[Source, Any]
    """The source of every shot."""

    receivers: Union[Receivers, Any]
    """The recorded quantities and the receiver array."""

    method: Method
    """The numerical method and its parameters."""

    output: Output
    """The output files and their folder."""

    compute: Compute
    """The devices and threads of a run."""


class TimeFunction(TypedDict, total=False):
    """A source time function s(t). Pulses have unit area, the Ricker wavelet has unit peak, and the error function rises
    from 0 to 1."""

    gaussian: TimeFunctionGaussian
    """A Gaussian of unit area."""

    ricker: TimeFunctionRicker
    """A Ricker wavelet of unit peak."""

    ormsby: TimeFunctionOrmsby
    """A zero-phase Ormsby wavelet of unit peak: its spectrum rises from the first to the second corner, is flat up to
    the third and falls to zero at the fourth."""

    brune: TimeFunctionBrune
    """Brune pulse of unit area: w^2 t exp(-w t), w = 2 pi corner frequency."""

    error_function: TimeFunctionErrorFunction
    """A smooth step from 0 to 1, (1 + erf((t - centre) / width)) / 2."""

    triangle: TimeFunctionTriangle
    """A triangle of unit area."""

    file: Union[str, Any]
    """A text file with columns time [s] and s, at equal steps. Values are used as they are: zero before the first
    sample, and the last value after the last sample."""


class TimeFunctionBrune(TypedDict, total=False):
    """Brune pulse of unit area: w^2 t exp(-w t), w = 2 pi corner frequency."""

    corner_frequency: float
    """Corner frequency [Hz]."""

    onset: float
    """Onset time [s]."""


class TimeFunctionErrorFunction(TypedDict, total=False):
    """A smooth step from 0 to 1, (1 + erf((t - centre) / width)) / 2."""

    width: float
    """Width [s]."""

    centre: float
    """Time of half height [s]; 4.5 widths by default, so that s starts near zero."""


class TimeFunctionGaussian(TypedDict, total=False):
    """A Gaussian of unit area."""

    sigma: float
    """Standard deviation [s]."""

    centre: float
    """Time of the peak [s]; 6 sigma by default, so that s starts near zero."""


class TimeFunctionOrmsby(TypedDict, total=False):
    """A zero-phase Ormsby wavelet of unit peak: its spectrum rises from the first to the second corner, is flat up to
    the third and falls to zero at the fourth."""

    corners: Sequence[float]
    """Corner frequencies in ascending order [Hz]."""

    centre: float
    """Time of the peak [s]; 3 / (width of the steeper slope) by default, where truncation leaves 1e-3 of the peak."""


class TimeFunctionRicker(TypedDict, total=False):
    """A Ricker wavelet of unit peak."""

    frequency: float
    """Dominant frequency [Hz]."""

    centre: float
    """Time of the peak [s]; 1.6 / frequency by default, so that s starts near zero."""


class TimeFunctionTriangle(TypedDict, total=False):
    """A triangle of unit area."""

    half_duration: float
    """Half duration [s]."""

    centre: float
    """Time of the peak [s]; the half duration by default."""


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


class Volumes(TypedDict, total=False):
    """Velocity and density from files, which may have different grids. In elastic surveys, files of `vs`, `qp` and `qs` have
    the grid points of `velocity`, and the density is used at these points."""

    velocity: Union[VolumeFile, Any]
    """Wave speed [m/s]: that of P waves in a solid."""

    vs: Union[ShearSpeed, Any]
    """S-wave speed [m/s], 0 in a fluid: a table like that of `velocity`, with the same grid points, or a constant. Required by
    `method.fd.equation = "elastic"`, ignored by the other equations. Values are not interpolated between a
    point in water and a point in rock: the interface is halfway between the two points."""

    density: Union[Density, Any]
    """Density [kg/m3]: a table like that of `velocity`, or a constant from 100 to 1e5. By default density follows from
    the wave speed: 1025 up to 1550 m/s (water), 310 vp^0.25 above (Gardner et al. 1974); in elastic surveys 1025
    where `vs` is 0 and 310 vp^0.25 elsewhere."""

    qp: Union[Quality, Any]
    """Quality factor: a table like that of `velocity`, or a constant of at least 5; by default infinite. A file has values
    of at least 5, in water infinite (`inf`) or very large ones. The table `attenuation` gives the band of frequencies."""

    qs: Union[Quality, Any]
    """Quality factor of S waves: a table like that of `velocity`, or a constant; required in solids with `qp`."""


ByteOrder = Union[Literal["little"], Literal["big"]]


ByteOrder2 = Union[Literal["big"], Literal["little"]]


Density = Union[float, VolumeFile]


DeviceNames = Union[str, Sequence[str]]


Equation = Union[Literal["auto"], Literal["first_order"], Literal["scalar"], Literal["elastic"]]


FluidMemory = Union[Literal["coarse"], Literal["full"]]


GatherFormat = Union[Literal["segy"], Literal["su"]]


GatherGain = Union[Literal["time"], Literal["agc"], Literal["trace"], Literal["none"]]


GatherStyle = Union[Literal["density"], Literal["wiggle"]]


LineEnds = Union[Literal["part_spreads"], Literal["whole_spreads"]]


Numbers = Union[Literal["ieee"], Literal["ibm"]]


Quality = Union[float, VolumeFile]


Quantity = Union[Literal["pressure"], Literal["velocity_x"], Literal["velocity_y"], Literal["velocity_z"]]


ShearSpeed = Union[float, VolumeFile]


SourceKind = Union[Literal["monopole"], Literal["force_x"], Literal["force_y"], Literal["force_z"]]


StreamerSide = Union[Literal["behind"], Literal["ahead"]]


TimeZero = Union[Literal["start"], Literal["peak"]]


Top = Union[Literal["free"], Literal["absorbing"]]


VolumeAxis = Union[Literal["depth"], Literal["z"], Literal["x"], Literal["y"]]


VolumeFormat = Union[Literal["segy"], Literal["rsf"], Literal["netcdf"], Literal["text"], Literal["sofi3d"], Literal["raw"]]
