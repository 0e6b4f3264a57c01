"""Tables of the scenario file. Written by `cargo xtask generate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict, Union


class Absorbing(TypedDict, total=False):
    """Absorbing boundaries: on a grid PML of 10 cells by default, on a mesh of spectral elements the paraxial condition.
    The keys select a condition for all absorbing sides, or for one side."""

    cpml: CpmlElements
    """PML on all absorbing sides without a key below."""

    paraxial: Paraxial
    """Paraxial condition on all absorbing sides without a key below."""

    x_min: AbsorbingSide
    """Absorbing boundary of the west side."""

    x_max: AbsorbingSide
    """Absorbing boundary of the east side."""

    y_min: AbsorbingSide
    """Absorbing boundary of the south side."""

    y_max: AbsorbingSide
    """Absorbing boundary of the north side."""

    bottom: AbsorbingSide
    """Absorbing boundary of the bottom."""

    top: AbsorbingSide
    """Absorbing boundary of the top."""


class Absorbing2(TypedDict, total=False):
    """Absorbing boundaries: on a grid PML of 10 cells by default, on a mesh of spectral elements the paraxial condition.
    The keys select a condition for all absorbing sides, or for one side."""

    cpml: Cpml
    """PML on all absorbing sides without a key below."""

    paraxial: Paraxial
    """Paraxial condition on all absorbing sides without a key below."""

    x_min: AbsorbingSide2
    """Absorbing boundary of the west side."""

    x_max: AbsorbingSide2
    """Absorbing boundary of the east side."""

    y_min: AbsorbingSide2
    """Absorbing boundary of the south side."""

    y_max: AbsorbingSide2
    """Absorbing boundary of the north side."""

    bottom: AbsorbingSide2
    """Absorbing boundary of the bottom."""

    top: AbsorbingSide2
    """Absorbing boundary of the top."""


class AbsorbingSide(TypedDict, total=False):
    """Absorbing boundary of one side."""

    cpml: CpmlElements
    """A convolutional perfectly matched layer outside the box."""

    paraxial: Paraxial
    """The first-order paraxial condition of Clayton and Engquist, on the side itself."""


class AbsorbingSide2(TypedDict, total=False):
    """Absorbing boundary of one side."""

    cpml: Cpml
    """A convolutional perfectly matched layer outside the box."""

    paraxial: Paraxial
    """The first-order paraxial condition of Clayton and Engquist, on the side itself."""


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


class Azimuthal(TypedDict, total=False):
    """An azimuthal equidistant projection around a point anywhere on Earth. Distances and directions from its origin are exact; other lengths are too long by
    up to 0.01 % at 156 km and 0.1 % at 494 km from the origin. Components E and N are true east and north."""

    origin: GeographicPoint
    """The point at x = 0, y = 0."""

    azimuth: float
    """Azimuth of the y axis at the origin, clockwise from north [degrees]."""


class Block(TypedDict, total=False):
    """A block of a mesh and its material: exactly one of `material` and `volume`."""

    block: str
    """Name of the block in the mesh. Blocks without name are called by their number, or `volume 2` in Gmsh."""

    material: Material
    """A homogeneous material."""

    volume: Volumes
    """Wave speeds and density on a regular grid, from files. All of the block must be solid."""


class Boundaries(TypedDict, total=False):
    """Boundary conditions on the six sides of the box."""

    top: BoundaryKind
    """The top side: z max, or the topography."""

    bottom: BoundaryKind
    """The bottom side."""

    sides: BoundaryKind
    """The four vertical sides, unless a key below overrides one of them."""

    x_min: BoundaryKind
    """The west side; `sides` by default."""

    x_max: BoundaryKind
    """The east side; `sides` by default."""

    y_min: BoundaryKind
    """The south side; `sides` by default."""

    y_max: BoundaryKind
    """The north side; `sides` by default."""


class Chunk(TypedDict, total=False):
    """A chunk of the spherical Earth. Its surface is a sphere of radius 6371 km, an ellipsoid (`ellipticity`) or follows `domain.topography`; its sides are the
    same in degrees at every depth. Model coordinates x and y are arc lengths from its centre, z is the height above the
    sphere or ellipsoid."""

    centre: GeographicPoint
    """Centre of the surface of the chunk."""

    widths: Sequence[float]
    """Widths along x and y, measured along the great circles through the centre [degrees]."""

    depth: float
    """Depth of the bottom below the surface [m]."""

    rotation: float
    """Azimuth of the y axis, clockwise from north [degrees]."""

    latitudes: Latitudes
    """Kind of latitude in this file: geographic, as in maps and catalogues, or geocentric. Applies to all latitudes
    except those of the perturbation file, which has its own key."""

    ellipticity: bool
    """Whether the surface and all discontinuities have the hydrostatic ellipticity of PREM (flattening 1/299.9 at the surface)."""


class Compute(TypedDict, total=False):
    """The devices and threads of a run."""

    device: DeviceNames
    """The device: `"auto"` uses the available GPUs, or the CPU if there are none; `"cpu"`; `"cuda"` uses all GPUs and
    fails without one; `"cuda:1"` is GPU number 1; a list selects several GPUs. Results on CPU and GPU agree to
    round-off, and an interrupted run may continue on another device. The number of GPUs does not change a bit of
    the results."""

    devices: int
    """Number of devices. For `"auto"` and `"cuda"`, the number of GPUs; all of them by default. For `"cpu"`, the
    number of parts of the mesh, which affects neither speed nor results."""

    partition: Partition
    """How the mesh is partitioned among the devices. A finite-difference grid is always partitioned into blocks. The
    results do not depend on it."""

    gpu_messages: GpuMessages
    """Path of MPI messages between ranks that compute on GPUs. The results do not depend on it."""

    threads: int
    """Number of worker threads; one per core by default. The results do not depend on it."""


class Cpml(TypedDict, total=False):
    """Convolutional perfectly matched layers (Komatitsch and Martin 2007)."""

    cells: int
    """Thickness in cells. A value of 0 leaves the edge of the grid reflecting."""

    reflection: float
    """Theoretical reflection coefficient of a P wave at normal incidence."""

    max_stretch: float
    """Largest stretching factor of the coordinate (kappa); 1 means no stretching."""

    inside: bool
    """Place the PML in the outermost cells of the box, as many papers do, instead of around the box."""


class CpmlElements(TypedDict, total=False):
    """Convolutional perfectly matched layers of elements around or inside the domain. The mesh is continued outwards, with the
    material at the side; layers fill the edges and corners of a box. Sides of anisotropic media in which such layers are
    unstable have sponges, which damp all motion."""

    elements: int
    """Thickness in elements. More elements absorb better at grazing incidence."""

    permanent_displacement: bool
    """Absorb so that permanent displacements (static offsets) of the ground are right within 0.5 %, and not within a
    few per cent. Waves along a layer are absorbed 3 to 13 dB less."""

    inside: bool
    """Place the layer inside the domain instead of around it. Craton shrinks the mesh between the layers, so that the
    layer ends at the side, or within one element of it. `method.sem.elements` counts only the elements between the
    layers. Sources and receivers must not be in a layer. Not available at the top or in meshes of other programs."""


class DepthTable(TypedDict, total=False):
    """Properties as a function of depth: from a file or from rows in the scenario, exactly one of them. Values are linear
    between rows; two rows at the same depth are a discontinuity. Above the first and below the last row Craton extends
    the values of that row and warns. On the spherical Earth the last row must reach the bottom of the chunk or the centre."""

    file: Union[str, Any]
    """A text file: the first line has the column names `depth vp vs rho` in any order, each further line one row with
    the units of `rows`; `#` begins a comment. For a transversely isotropic model, `depth vpv vph vsv vsh eta rho`:
    speeds along and across the vertical, and F / (A - 2 L) of Love's moduli. Names may have a unit: `depth_km`,
    `vp_km_s`, `vsh_km_s`, `rho_g_cm3`. Further columns `qp qs` or `qkappa qmu` are quality factors.
    Files named `.tvel` or `.nd` are velocity models of TauP: depth, vp, vs and density in km, km/s and g/cm3, in `.nd`
    with or without quality factors of P and S waves."""

    rows: Sequence[Sequence[float]]
    """Rows of depth, vp, vs and rho in m, m/s, m/s and kg/m3, the shallowest first. Depth is positive down from z = 0,
    independent of the topography. Rows may end with qp and qs."""


class Domain(TypedDict, total=False):
    """The model domain: a box with x east, y north, z up, a chunk of the spherical Earth, the whole Earth, or a mesh of another program."""

    x: Sequence[float]
    """West and east limits of the box [m]. Required unless `region`, `chunk`, `globe` or `mesh` is given."""

    y: Sequence[float]
    """South and north limits of the box [m]. Required unless `region`, `chunk`, `globe` or `mesh` is given."""

    z: Sequence[float]
    """Bottom and top of the box [m]. Required unless `chunk`, `globe` or `mesh` is given. With `topography`, the topography replaces the
    top and must lie between the two values."""

    region: GeographicBox
    """Horizontal limits of the box by longitudes and latitudes, instead of `x`, `y` and `projection`."""

    chunk: Chunk
    """A chunk of the spherical Earth instead of a box."""

    globe: Globe
    """The whole spherical Earth instead of a box."""

    mesh: MeshFile
    """A mesh of another program instead of a box."""

    topography: Union[str, Any]
    """Topography of the top as a grid over x and y: ESRI ASCII, netCDF with the elevation as its only
    variable, or text with columns x, y, z [m]. With a projection, the grid may be over longitude and latitude. On the
    spherical Earth, it must be over longitude and latitude, and Craton averages it over the node spacing of the mesh."""

    projection: Projection
    """Conversion of longitude and latitude to x and y."""


class DoubleCouple(TypedDict, total=False):
    """Shear slip on a fault, with the angles of Aki and Richards and a moment or magnitude."""

    strike: float
    """Strike, clockwise from north; the fault dips to the right of it [degrees]."""

    dip: float
    """Dip from the horizontal [degrees]."""

    rake: float
    """Rake: direction of slip of the hanging wall on the fault plane, from the strike, positive up-dip [degrees]."""

    moment: float
    """Scalar moment [N m]."""

    magnitude: float
    """Moment magnitude Mw, instead of `moment`."""


class Earth(TypedDict, total=False):
    """A spherically symmetric model of the Earth, below z = 0. Discontinuities of the model coincide with element faces. The
    outer core is a fluid."""

    name: EarthName
    """Name of the model."""

    top: EarthTop
    """The uppermost layers."""

    moho: str
    """Depth of the Moho below the sphere or ellipsoid, not below the ground, as a grid over longitude and latitude in the formats of `domain.topography`,
    or `crust1.bnds` of CRUST1.0. Craton ignores the sign. If no value exceeds 100, all values are in kilometres, otherwise all are in metres. The crust
    becomes one homogeneous layer with the mean slownesses and density of the model's crust, weighted by thickness."""

    thinnest_crust: float
    """Smallest thickness of the crust above `moho` [m]: the Moho is lowered where the crust is thinner. A thin crust requires thin elements and
    short time steps."""


class ElementFields(TypedDict, total=False):
    """Names of the fields of a mesh with one value per element: element variables of Exodus, `$ElementData` of Gmsh, cell data of VTU. A material is constant within each
    element. Quality factors are those of the P and S waves, or of the bulk and shear modulus."""

    vp: Union[str, Any]
    """Field with the speed of P waves [m/s]."""

    vs: Union[str, Any]
    """Field with the speed of S waves [m/s]; 0 in fluids."""

    rho: Union[str, Any]
    """Field with the density [kg/m3]."""

    qp: Union[str, Any]
    """Field with the quality factor of P waves."""

    qs: Union[str, Any]
    """Field with the quality factor of S waves."""

    qkappa: Union[str, Any]
    """Field with the quality factor of the bulk modulus."""

    qmu: Union[str, Any]
    """Field with the quality factor of the shear modulus."""

    speed_unit: float
    """Factor that converts the speeds to m/s, such as 1000 for km/s."""

    density_unit: float
    """Factor that converts the density to kg/m3, such as 1000 for g/cm3."""


class Fd(TypedDict, total=False):
    """Finite differences of velocity and stress on a uniform staggered grid. The grid and the time step follow from
    `max_frequency`. Each cell is water, rock or air according to the material at its centre. Craton moves a source or
    receiver vertically if its cell has another kind of material than its position, and reports the shift."""

    max_frequency: float
    """Highest frequency that the grid resolves [Hz]."""

    order: int
    """Order of the spatial derivatives: the number of points of the stencil. Orders 4 and 8 in single precision run on
    a GPU with the CUDA driver alone; all others require NVRTC of the CUDA toolkit."""

    holberg: float
    """Largest relative error of the group velocity for Holberg's coefficients, which maximise the bandwidth within
    this error. By default the coefficients are Taylor's."""

    points_per_wavelength: float
    """Grid points per shortest wavelength at `max_frequency`; determines the cell size. By default 20 for order 2, 10
    for order 4, 8 for order 6, and 6 for order 8 or higher. The height of the cells is up to a fifth smaller if flat
    interfaces of water and rock are then nearer to faces of cells."""

    grid_spacing: float
    """Edge length of the cells [m], instead of the one that follows from the wavelength."""

    absorbing: Absorbing2
    """Type of the absorbing boundaries."""

    sponge: Sponge
    """Sponge layers, at sides of any type."""

    precision: Precision
    """Floating-point precision of the fields."""

    memory: GridMemory
    """Memory variables of attenuation. By default `coarse` if all quality factors are at least 30, otherwise `full`."""

    time_step: float
    """Time step [s]. Craton rejects an unstable step. By default it follows from `courant`."""

    courant: float
    """Time step as a fraction of the largest stable step."""

    time_dispersion_correction: bool
    """Correct the traces for the dispersion of the time scheme, exactly."""


class GeographicBox(TypedDict, total=False):
    """A box on the map, either by its limits `longitude` and `latitude` or by its `centre` and `widths`. Craton puts x = 0, y = 0 at its centre.
    `craton check` prints the box."""

    longitude: Sequence[float]
    """Western and eastern limits [degrees]; with `latitude`. The box contains the whole range."""

    latitude: Sequence[float]
    """Southern and northern limits [degrees]."""

    centre: GeographicPoint
    """Centre of the box; with `widths`."""

    widths: Sequence[float]
    """Widths along x and y [m]; without `azimuth`, to the east and to the north."""

    azimuth: float
    """Azimuth of the y axis at the centre, clockwise from north [degrees]; with `centre`. It requires the azimuthal projection."""

    projection: MapOfBox
    """The projection; by default UTM in the zone of the centre, and azimuthal with `azimuth` and in polar regions."""


class GeographicPoint(TypedDict, total=False):
    """A geographic point."""

    longitude: float
    """Longitude, positive east [degrees]."""

    latitude: float
    """Latitude, positive north [degrees]."""


class Globe(TypedDict, total=False):
    """The whole spherical Earth, from its surface at a radius of 6371 km to its centre. It has no sides and no
    bottom. Model coordinates x and y are the longitude and the geocentric latitude times the radius, z is the height above the
    sphere or ellipsoid."""

    centre: GeographicPoint
    """Centre of one of the six blocks of the mesh, by default the North Pole. It does not change the simulated Earth."""

    rotation: float
    """Azimuth of the y axis of this block, clockwise from north [degrees]."""

    latitudes: Latitudes
    """Kind of latitude in this file: geographic, as in maps and catalogues, or geocentric. Applies to all latitudes
    except those of the perturbation file, which has its own key."""

    ellipticity: bool
    """Whether the surface and all discontinuities have the hydrostatic ellipticity of PREM (flattening 1/299.9 at the surface)."""


class GreatCircle(TypedDict, total=False):
    """A great circle."""

    longitude: float
    """Longitude of a point on the circle [degrees]."""

    latitude: float
    """Latitude of the point [degrees]."""

    azimuth: float
    """Azimuth of the circle at the point, clockwise from north [degrees]."""


class Layer(TypedDict, total=False):
    """A layer: the elevation of its top, and its material."""

    top: Level
    """Elevation of the top of the layer [m], or a grid file with the elevations, as for `domain.topography`. Optional
    for the first layer, which extends to the top of the domain."""

    rho: Union[float, Any]
    """Density [kg/m3]."""

    vp: Union[float, Any]
    """P-wave speed [m/s]; along the symmetry axis with `thomsen`. Required unless `stiffness` is given."""

    vs: Union[float, Any]
    """S-wave speed [m/s]; along the symmetry axis with `thomsen`. Required unless `stiffness` is given. A value of 0
    is a fluid."""

    qp: Union[float, Any]
    """Quality factor of P waves; requires `qs` in a solid. Without quality factors the material is elastic. The table
    `attenuation` gives their band of frequencies."""

    qs: Union[float, Any]
    """Quality factor of S waves; requires `qp`."""

    qkappa: Union[float, Any]
    """Quality factor of the bulk modulus, instead of `qp` and `qs`."""

    qmu: Union[float, Any]
    """Quality factor of the shear modulus, instead of `qp` and `qs`."""

    thomsen: Thomsen
    """Transverse isotropy: vertical symmetry axis (VTI) by default, otherwise tilted (HTI at 90 degrees, TTI between)."""

    stiffness: Sequence[float]
    """The 21 stiffnesses [Pa]: upper triangle of the Voigt matrix row by row, C11 C12 ... C16 C22 ... C66, in the
    order xx, yy, zz, yz, xz, xy."""


class Layered(TypedDict, total=False):
    """Homogeneous layers, from the top down."""

    layers: Sequence[Layer]
    """The layers, the uppermost first. Each ends at the top of the next; the last one ends at the bottom of the
    domain."""


class Material(TypedDict, total=False):
    """An elastic material: isotropic with `vp` and `vs`, transversely isotropic with `thomsen` in addition, or generally
    anisotropic with `stiffness` instead."""

    rho: Union[float, Any]
    """Density [kg/m3]."""

    vp: Union[float, Any]
    """P-wave speed [m/s]; along the symmetry axis with `thomsen`. Required unless `stiffness` is given."""

    vs: Union[float, Any]
    """S-wave speed [m/s]; along the symmetry axis with `thomsen`. Required unless `stiffness` is given. A value of 0
    is a fluid."""

    qp: Union[float, Any]
    """Quality factor of P waves; requires `qs` in a solid. Without quality factors the material is elastic. The table
    `attenuation` gives their band of frequencies."""

    qs: Union[float, Any]
    """Quality factor of S waves; requires `qp`."""

    qkappa: Union[float, Any]
    """Quality factor of the bulk modulus, instead of `qp` and `qs`."""

    qmu: Union[float, Any]
    """Quality factor of the shear modulus, instead of `qp` and `qs`."""

    thomsen: Thomsen
    """Transverse isotropy: vertical symmetry axis (VTI) by default, otherwise tilted (HTI at 90 degrees, TTI between)."""

    stiffness: Sequence[float]
    """The 21 stiffnesses [Pa]: upper triangle of the Voigt matrix row by row, C11 C12 ... C16 C22 ... C66, in the
    order xx, yy, zz, yz, xz, xy."""


class MeshFile(TypedDict, total=False):
    """A hexahedral mesh made by another program. Its outer boundary is the boundary of the domain; its blocks can have their own materials.

    Craton detects the format from the contents. All elements must have the same number of nodes: 8, 20 or 27. They may have any orientation. Neighbours must
    share their nodes."""

    file: Union[str, Any]
    """The file, or the folder of a SPECFEM3D mesh."""

    unit: float
    """Length of a unit of the coordinates [m], such as 1000 for a mesh in km."""

    sides: MeshSides
    """Groups of faces at the sides of the domain."""

    unmarked: Unmarked
    """Boundary condition of outer faces that belong to no group of a side."""


class MeshModel(TypedDict, total=False):
    """Materials of the blocks of `domain.mesh`: physical volumes of Gmsh, element blocks of Exodus, materials of SPECFEM3D."""

    blocks: Sequence[Block]
    """One entry per block, in any order. A SPECFEM3D mesh needs no entry for homogeneous blocks, whose materials are in its `nummaterial_velocity_file`."""

    fields: ElementFields
    """Names of the fields of the mesh with the materials of elements. They apply to blocks that are not in `blocks`."""


class MeshSides(TypedDict, total=False):
    """Names of the groups of faces (physical surfaces, side sets) at each side of the domain. `boundaries` gives the boundary condition of a side.

    By default, groups with one of these names belong to a side, in upper or lower case: `top`, `z_max`, `zmax`, `free`, `free_surface`, `surface`; `bottom`, `z_min`, `zmin`; `x_min`, `xmin`, `west` and the like. The side
    of all other outer faces follows from the direction of their normal, unless `unmarked` changes that: within 60 degrees of the vertical direction they belong to `top` or `bottom`. Craton
    ignores groups of faces inside the mesh."""

    x_min: Sequence[str]
    """Groups at the west side."""

    x_max: Sequence[str]
    """Groups at the east side."""

    y_min: Sequence[str]
    """Groups at the south side."""

    y_max: Sequence[str]
    """Groups at the north side."""

    bottom: Sequence[str]
    """Groups at the bottom."""

    top: Sequence[str]
    """Groups at the top."""


class Method(TypedDict, total=False):
    """The numerical method."""

    sem: Sem
    """The spectral-element method."""

    fd: Fd
    """The finite-difference method."""


class Method2(TypedDict, total=False):
    """How the sums over prisms are computed."""

    accuracy: float
    """Largest error, as a fraction of the largest value over all points, for potential, attraction and tensor
    separately. By default sums are exact: ten digits for each prism at each point."""

    path: Path
    """The summation algorithm."""

    precision: Precision2
    """Precision of a prism's field on GPUs without `accuracy`. CPUs always compute in double precision."""

    find_overlaps: bool
    """Search for overlapping prisms, and report the first ones."""


class Model(TypedDict, total=False):
    """The Earth model: exactly one of six kinds."""

    homogeneous: Material
    """One homogeneous material."""

    layered: Layered
    """Homogeneous layers between flat or curved interfaces."""

    depth_table: Union[DepthTable, Any]
    """A one-dimensional model: properties depend on depth only."""

    volume: Volumes
    """Wave speeds and density on a regular grid, from files."""

    earth: Earth
    """A reference Earth model."""

    mesh: MeshModel
    """The materials of the blocks of `domain.mesh`."""


class ModelGravity(TypedDict, total=False):
    """Gravity of the scenario's model at its receivers, computed by `craton gravity`. The wave simulation ignores this
    table."""

    cell: float
    """Edge length of the cells that discretise the box [m]. Cells fill the box exactly, so that their edges may be
    slightly shorter."""

    reference: float
    """Reference density, subtracted everywhere below the ground to give the density contrast [kg/m3]."""

    fields: Sequence[Quantity2]
    """The computed fields, as in a gravity file."""

    method: Method2
    """How the sums over cells are computed."""

    directory: str
    """Folder of the results, relative to the working directory. By default the folder of the scenario with `_gravity`
    appended."""

    formats: Sequence[OutputFormat]
    """Formats of the results; a CSV table by default."""

    units: Units
    """Units of the results."""

    pictures: bool
    """Whether to draw pictures."""


class MomentTensor(TypedDict, total=False):
    """Components of a moment tensor, x east, y north, z up; 0 by default."""

    xx: float
    """Component xx [N m]."""

    yy: float
    """Component yy [N m]."""

    zz: float
    """Component zz [N m]."""

    yz: float
    """Component yz [N m]."""

    xz: float
    """Component xz [N m]."""

    xy: float
    """Component xy [N m]."""


class Output(TypedDict, total=False):
    """Output files and their folder."""

    directory: str
    """Folder of the results, relative to the working directory. Craton creates a missing folder and overwrites an
    existing one only with `--overwrite`."""

    seismograms: Sequence[SeismogramFormat]
    """File formats of the seismograms."""

    gathers: Sequence[GatherFormat]
    """Files in the folder of the seismograms that each contain the seismograms of all receivers, in addition to `seismograms`."""

    fibres: Sequence[FibreFormat]
    """Formats of the files of `receivers.fibre`."""

    sample_interval: float
    """Sample interval of the seismograms [s]; the time step by default. Not necessarily a multiple of the time step."""

    snapshots: Snapshots
    """Snapshots of the wavefield."""

    checkpoint_interval: float
    """Wall-clock time between checkpoints [s]. With 0, Craton writes a checkpoint only when the run is interrupted."""


class Perturbation(TypedDict, total=False):
    """A three-dimensional perturbation of the Earth model, such as a tomographic model: wave speeds, densities and quality
    factors over depth, latitude and longitude, in netCDF as in the IRIS EMC repository. It applies to every kind of model except
    materials with 21 stiffnesses or Thomsen parameters.

    The file has the coordinates `depth` (km or m, positive down from z = 0), `latitude` and `longitude` [degrees], with
    any spacing and in any order; in a domain without projection, `x` and `y` instead. Values are interpolated linearly.
    The file must cover the domain horizontally. Above its first and below its last depth Craton leaves the model
    unchanged and warns. A file that begins at a depth of 0 or above is extended up to the ground."""

    file: Union[str, Any]
    """The file: netCDF, classic or netCDF-4 (HDF5)."""

    vp: Union[str, Any]
    """Variable of the P-wave speed. If the scenario names no variable, Craton reads all variables with a usual
    name, such as `vp`, `dvp`, `dlnvp` or `qmu`; otherwise only the named ones. If the file has `vpv` and `vph`, or `vsv`
    and `vsh`, with or without a `d`, an isotropic model takes the Voigt average, with a warning; an anisotropic
    model takes each polarisation separately."""

    vs: Union[str, Any]
    """Variable of the S-wave speed. In an anisotropic model, a single variable perturbs both polarisations alike."""

    rho: Union[str, Any]
    """Variable of the density."""

    qp: Union[str, Any]
    """Variable of the quality factor of P waves, together with `qs` or `qmu`. Quality factors replace those of the
    model and have no effect without `[attenuation]`; 1/Q is interpolated linearly."""

    qs: Union[str, Any]
    """Variable of the quality factor of S waves."""

    qkappa: Union[str, Any]
    """Variable of the quality factor of the bulk modulus, instead of `qp`."""

    qmu: Union[str, Any]
    """Variable of the quality factor of the shear modulus, instead of `qs`."""

    units: PerturbationUnits
    """Units of speeds and densities; by default those of the attribute `units` of each variable. Relative units perturb
    the model; absolute ones replace it."""

    scaling: Scaling
    """Relative perturbations of properties without a variable."""

    missing: MissingValues
    """Treatment of missing values (`missing_value`, `_FillValue`) within the domain."""

    latitudes: Latitudes
    """Kind of latitude in the file, independent of that of the domain; with `domain.chunk`."""


class PowerLaw(TypedDict, total=False):
    """Quality factors that increase with frequency above a corner frequency."""

    corner: float
    """Corner frequency [Hz]. Below it, Q has the value in the model."""

    exponent: float
    """Exponent of frequency above the corner frequency."""


class ProjectionAzimuthal(TypedDict, total=False):
    """Azimuthal equidistant projection of the WGS84 ellipsoid: distances and directions from the origin are exact."""

    azimuthal: Azimuthal
    """No description."""


class ProjectionUtm(TypedDict, total=False):
    """Universal transverse Mercator on the WGS84 ellipsoid."""

    utm: Utm
    """No description."""


class QualityRelation(TypedDict, total=False):
    """Empirical relation Qs = factor vs^exponent, with vs in m/s. Values below 5 are set to 5."""

    factor: float
    """Qs at vs = 1 m/s."""

    exponent: float
    """Exponent of vs."""

    qp_over_qs: float
    """Ratio Qp / Qs, limited so that 1/Qkappa is between 0 and 1/5."""


class ReceiverFibre(TypedDict, total=False):
    """An optical fibre of distributed acoustic sensing (DAS). Each channel records the strain along the fibre, averaged over the gauge length; channels begin
    half a gauge length from the beginning of the fibre."""

    name: str
    """Name, used in file names: ASCII letters, digits, `-` and `_`."""

    path: Sequence[Sequence[float]]
    """Points x, y, z of the fibre [m], connected by straight pieces."""

    file: Union[str, Any]
    """A table with the points of the fibre, instead of `path`: columns `x`, `y` and `z` [m], or `longitude`, `latitude` [degrees] and `depth` below the surface [m]
    if the domain has a projection. Other columns of numbers are ignored."""

    depth: float
    """Depth below the surface [m], which the fibre then follows between its points. Their z and depth are ignored, and may be missing in a file."""

    gauge_length: float
    """Length over which strain is averaged [m]."""

    spacing: float
    """Distance between channels along the fibre [m]."""

    quantities: Sequence[FibreQuantity]
    """The recorded quantities."""


class ReceiverGrid(TypedDict, total=False):
    """A horizontal grid of stations, numbered from 1, with x as the fastest index."""

    code: str
    """Prefix of the station codes, `NET.STA`: `XX.G` gives XX.G0001, XX.G0002 and so on."""

    x: Sequence[float]
    """First and last x [m]."""

    y: Sequence[float]
    """First and last y [m]."""

    z: float
    """Elevation of all stations [m]."""

    count: Sequence[int]
    """Number of stations along x and y."""


ReceiverLine = TypedDict("ReceiverLine", {
    "code": "str",
    "from": "Sequence[float]",
    "to": "Sequence[float]",
    "count": "int",
}, total=False)


class Receivers(TypedDict, total=False):
    """Receivers and recorded quantities. Stations, lines, grids and the stations file are combined."""

    quantities: Sequence[Quantity]
    """The recorded quantities."""

    components: Sequence[Components]
    """Component directions of vectors and strain. If both are given, the components that they share (Z, ZZ) are
    written once."""

    stations: Sequence[Station]
    """Single stations."""

    line: Sequence[ReceiverLine]
    """Lines of equidistant stations; one table `[[receivers.line]]` each."""

    grid: Sequence[ReceiverGrid]
    """Horizontal grids of stations; one table `[[receivers.grid]]` each."""

    fibre: Sequence[ReceiverFibre]
    """Optical fibres; one table `[[receivers.fibre]]` each. Their channels are in files of their own, see `output.fibres`."""

    stations_file: Union[str, Any]
    """A StationXML or STATIONS file. Stations of a StationXML file are at the surface, or below it by the depth of
    their channels. Craton reads each station once, at the time of the event if it has moved, with the location code
    of its channels if all have the same one. A STATIONS file has one station per line: name, network, latitude
    [degrees] or y [m], longitude [degrees] or x [m], elevation [m] (for headers), depth below the surface [m];
    further columns are ignored. Positions are in degrees if the domain has a projection."""

    channels: Sequence[str]
    """Codes of the channels of a StationXML file whose positions are receivers, with the wildcards `?`, `*` and `[..]`; all by default. Receivers record the
    same components at each position, whatever its channels."""

    locations: Sequence[str]
    """Location codes of the channels of a StationXML file whose positions are receivers, with the same wildcards; `""` or `"--"` is the blank one. All by
    default."""

    epoch: str
    """Date, such as `2010-02-27T06:34:11`, at which channels and stations of a StationXML file must be open; by default, those of the time of the event, or else
    the last ones."""

    depths: Depths
    """Meaning of the depths in a STATIONS file."""

    outside: StationsOutside
    """Treatment of stations of `stations_file` outside the domain."""

    snap_to_surface: bool
    """Move all receivers vertically to the surface."""


class Scaling(TypedDict, total=False):
    """Relative perturbations of properties without a variable, as multiples of the perturbation of vs, or of vp if vs has
    no variable. A property with neither variable nor factor does not change."""

    vp: Union[float, Any]
    """dln(vp) / dln(vs)."""

    vs: Union[float, Any]
    """dln(vs) / dln(vp)."""

    rho: Union[float, Any]
    """dln(rho) / dln(vs), or dln(rho) / dln(vp)."""


class Sem(TypedDict, total=False):
    """Spectral elements on hexahedra. The mesh and the time step follow from `max_frequency`."""

    max_frequency: float
    """Highest frequency that the mesh resolves [Hz]."""

    degree: int
    """Polynomial degree of the elements."""

    points_per_wavelength: float
    """GLL points per shortest wavelength at `max_frequency`; determines the element size. The default is one element
    of degree 4 per wavelength, the usual choice; a value of 5 reduces the error to about a third."""

    element_size: float
    """Horizontal edge length of the elements at the top [m], instead of the one that follows from the wavelength. The
    vertical edge length still follows from the wavelength."""

    elements: Sequence[int]
    """Number of elements along x and y at the top, instead of those that follow from the wavelength. With n levels of
    doubling below, each number must be a multiple of 2^(n+1)."""

    doubling: bool
    """Let elements grow with depth by conforming mesh doubling, where wave speeds allow it."""

    doubling_depths: Sequence[float]
    """Depths of the doublings below z = 0 [m], the shallowest first. Elements double their width exactly once below
    each depth: in the first layers that are at least half as thick as the wide elements. With `elements` or
    `element_size`, these doublings determine all widths below the top."""

    control_nodes: int
    """Number of control nodes per element: 8 (straight edges) or 27 (curved edges). By default 8 in a box and 27 in a
    chunk of the Earth."""

    absorbing: Absorbing
    """Type of the absorbing boundaries."""

    precision: Precision
    """Floating-point precision of the fields."""

    time_step: float
    """Time step [s]. Craton rejects an unstable step. By default it follows from `courant`."""

    courant: float
    """Time step as a fraction of the largest stable step."""

    local_time_steps: bool
    """Let small elements advance by 1/2, 1/4, 1/8 ... of the time step, so that they do not dictate the step of all
    elements. `craton check` prints the levels and the gain."""

    time_dispersion_correction: bool
    """Correct the traces for the dispersion of the time scheme, exactly."""


class Slice(TypedDict, total=False):
    """A plane through the domain: exactly one of x, y, z and `great_circle`."""

    x: float
    """The plane x = constant [m]."""

    y: float
    """The plane y = constant [m]."""

    z: float
    """The plane z = constant [m]."""

    great_circle: GreatCircle
    """The plane of a great circle through the whole Earth; with `domain.globe`. In its image, x is along the azimuth of the
    circle and z upwards at its point; the origin is the centre of the Earth. Vectors are in local east, north and up."""

    every: float
    """Time between frames [s], rounded down to whole time steps, at least one. Each frame stores its exact time."""

    quantities: Sequence[Shown]
    """The quantities to show. Acceleration is available at receivers only."""

    png: bool
    """Also draw each frame of a surface or slice as a PNG picture when the run is complete. On the spherical Earth,
    horizontal pictures are maps with meridians and parallels."""

    rotate: float
    """Longitude by which the centre of the map moves west from one picture to the next [degrees]; negative values move it east. Only for
    `output.snapshots.surface` with `domain.globe`."""


class Snapshot(TypedDict, total=False):
    """The times and quantities of a snapshot series."""

    every: float
    """Time between frames [s], rounded down to whole time steps, at least one. Each frame stores its exact time."""

    quantities: Sequence[Shown]
    """The quantities to show. Acceleration is available at receivers only."""

    png: bool
    """Also draw each frame of a surface or slice as a PNG picture when the run is complete. On the spherical Earth,
    horizontal pictures are maps with meridians and parallels."""

    rotate: float
    """Longitude by which the centre of the map moves west from one picture to the next [degrees]; negative values move it east. Only for
    `output.snapshots.surface` with `domain.globe`."""


class Snapshots(TypedDict, total=False):
    """Snapshots of the wavefield: VTK time series, and optionally PNG pictures. Snapshots are not corrected for time
    dispersion; seismograms are.

    With `method.fd`, snapshots show the field at the centres of cells, without the absorbing layers around the domain.
    Points and cells of air are NaN, and hidden by `vtkGhostType`. Displacement, strain and pressure are time integrals
    of the velocity, which take memory and some time at each step: three numbers per point of a volume, and per point of
    about twenty planes for a slice."""

    surface: Snapshot
    """The top of the domain, as quadrilaterals (VTU): between GLL points of elements, or between the centres of the
    columns of cells, at the height of the ground."""

    slices: Sequence[Slice]
    """Planes through the domain, as images (VTI); one table `[[output.snapshots.slices]]` each. Along each axis an
    image has one point per cell, or two per GLL point, and at most 1000."""

    volume: Snapshot
    """The whole domain: elements subdivided at their GLL points (VTU), or an image of cells (VTI)."""


class Source(TypedDict, total=False):
    """A source: exactly one of `moment_tensor`, `double_couple`, `force`, `cmtsolution`, `quakeml`, `ndk`, `nonlinloc`,
    `forcesolution` and `srf`."""

    position: Sequence[float]
    """Position x, y, z [m]; z is up, so depths are negative."""

    longitude: float
    """Longitude, positive east [degrees]; with `latitude` and `depth`, instead of `position`, if the domain has a
    projection."""

    latitude: float
    """Latitude, positive north [degrees]."""

    depth: float
    """Depth below the surface [m]; required with `longitude` and `latitude`."""

    moment_tensor: MomentTensor
    """Moment tensor by its components; the time function is the moment rate."""

    double_couple: DoubleCouple
    """Shear slip on a fault; the time function is the moment rate."""

    force: Sequence[float]
    """Single force: components x, y, z [N]."""

    cmtsolution: Union[str, Any]
    """A CMTSOLUTION file with one or many sources: position, moment tensor, half duration and time shift. Time 0 is
    the time of the earliest source, or as `zero` says. The simulation begins before time 0 so that it contains the
    whole source time function. Craton replaces a half duration of 0 by the shortest that `max_frequency` resolves."""

    quakeml: Union[str, Any]
    """A QuakeML file: the moment tensors of one or many events, at their centroids. The origin time is that of the
    preferred origin; if that is the centroid or missing, that of the origin that triggered the determination of the
    tensor, or else the first origin that is not a centroid. Everything else is as for `cmtsolution`. An event without a time function has a half duration of 0."""

    ndk: str
    """A catalogue of the Global CMT project in ndk format, also of quick CMTs: the moment tensors of its events, at their centroids. Everything else is as for `cmtsolution`."""

    nonlinloc: str
    """A NonLinLoc hypocentre file (`.hyp`) with one or many events: hypocentre, focal mechanism and magnitude, as a double couple. Everything else is as for
    `cmtsolution`. An event has a half duration of 0 without a `time_function`."""

    event: str
    """Name of the event in the file, as in ndk and CMTSOLUTION, or the name, `publicID` or the end of it in QuakeML. Without it, all events of the file are sources."""

    depths: Depths
    """Meaning of the depths in `cmtsolution` and `forcesolution`."""

    zero: TimeZero
    """Definition of time 0 for events from a file."""

    forcesolution: str
    """A FORCESOLUTION file with one or many sources: position, force and time function. Times are as for
    `cmtsolution`. Craton does not read SPECFEM3D's Par_file: if USE_RICKER_TIME_FUNCTION is .true. there, add
    `source time function: 1` to the file. Without that line, the time function is a Gaussian."""

    srf: str
    """A finite fault in the Standard Rupture Format, version 1.0 or 2.0: point sources with slip rates of their own. Depths are below the surface. The
    rigidity is that of the file (version 2.0), or that of the model if the file has none. Time 0 is that of the file."""

    time_function: Union[TimeFunction, Any]
    """Source time function s(t). It replaces the time function of a solution file: it is centred at the time of the
    source unless its centre is given (`brune` begins there, and times of a file are relative to it), and the
    simulation begins before it."""

    of: TimeFunctionOf
    """Whether s(t) is the source history or its rate. By default s(t) of a force is its history, and s(t) of a moment
    is its rate (its history for an error function)."""

    delay: float
    """Time shift of s(t) [s]; positive is later."""


class Sponge(TypedDict, total=False):
    """A sponge layer (Cerjan et al. 1985), which damps velocity and stress towards a side."""

    sides: Sequence[BoxSide]
    """Sides with a sponge, in addition to those given by the keys below."""

    cells: int
    """Width in cells."""

    factor: float
    """Strength: at i cells from the side, each time step multiplies the fields by exp(-(factor (cells - i))²)."""

    x_min: SpongeSide
    """Sponge of the west side, with its own width or strength."""

    x_max: SpongeSide
    """Sponge of the east side, with its own width or strength."""

    y_min: SpongeSide
    """Sponge of the south side, with its own width or strength."""

    y_max: SpongeSide
    """Sponge of the north side, with its own width or strength."""

    bottom: SpongeSide
    """Sponge of the bottom, with its own width or strength."""

    top: SpongeSide
    """Sponge of the top, with its own width or strength."""


class SpongeSide(TypedDict, total=False):
    """The sponge of one side."""

    cells: int
    """Width in cells; `sponge.cells` by default."""

    factor: float
    """Strength; `sponge.factor` by default."""


class Station(TypedDict, total=False):
    """A station."""

    code: str
    """Network and station code, `NET.STA`, or `NET.STA.LOC` with a location code."""

    position: Sequence[float]
    """Position x, y, z [m]."""

    longitude: float
    """Longitude, positive east [degrees]; with `latitude`, instead of `position`, if the domain has a projection."""

    latitude: float
    """Latitude, positive north [degrees]."""

    depth: float
    """Depth below the surface [m], with `longitude` and `latitude`; 0 by default."""


class Tables(TypedDict, total=False):
    """A scenario: Earth model, sources, receivers, boundaries and numerical method of one simulation.

    SI units; x east, y north, z up. Relative paths of input files are relative to the folder of the scenario file."""

    title: str
    """Title of the scenario in pictures and records."""

    duration: float
    """Simulated time after time 0 [s]. With sources from a solution file, the simulation begins before 0."""

    domain: Domain
    """The model domain: a box, a chunk of the Earth, or the whole Earth."""

    boundaries: Boundaries
    """Boundary conditions on the six sides of the box, or on the surface of the whole Earth."""

    model: Model
    """The Earth model."""

    attenuation: Attenuation
    """Attenuation of waves."""

    perturbation: Perturbation
    """Three-dimensional perturbation of the Earth model."""

    source: Union[Sequence[Source], Any]
    """The sources; one table `[[source]]` each."""

    receivers: Union[Receivers, Any]
    """The receivers and the recorded quantities."""

    method: Method
    """The numerical method and its parameters."""

    gravity: ModelGravity
    """Gravity of the Earth model, for `craton gravity`."""

    output: Output
    """The output files and their folder."""

    compute: Compute
    """The devices and threads of a run."""


class Thomsen(TypedDict, total=False):
    """Thomsen parameters of a transversely isotropic material and the direction of its symmetry axis."""

    epsilon: float
    """Thomsen's epsilon: relative difference of the P-wave speeds across and along the axis."""

    delta: float
    """Thomsen's delta: determines the P-wave speed near the axis."""

    gamma: float
    """Thomsen's gamma: relative difference of the SH-wave speeds across and along the axis."""

    tilt: float
    """Tilt of the axis from the vertical [degrees]."""

    azimuth: float
    """Azimuth towards which the axis tilts, clockwise from north [degrees]."""


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


class Volumes(TypedDict, total=False):
    """An isotropic model on a regular grid, such as a velocity model of exploration: SEG-Y, RSF, netCDF or raw
    binary.

    All files have the same grid points, which cover the domain horizontally within half a spacing. Values are
    interpolated linearly. Above the uppermost and below the lowermost points Craton extends their values vertically and
    warns. Fluid points (vs = 0) and rock points are never averaged: their interface is half way between them. With
    spectral elements it is a surface of the mesh, which requires water above rock everywhere or nowhere. Points
    above the ground take the value of the uppermost point below it, but must be numbers from 0 to 1e6. Files without a
    y axis are constant along y. Not available on the spherical Earth, where `perturbation` changes the model."""

    vp: Union[VolumeFile, Any]
    """P-wave speed [m/s]."""

    vs: Union[VolumeFile, Any]
    """S-wave speed [m/s]; 0 in a fluid."""

    rho: Union[VolumeFile, Any]
    """Density [kg/m3]. By default 1025 in water and 310 vp^0.25 in rock (Gardner et al. 1974)."""

    qp: Union[VolumeFile, Any]
    """Quality factor of P waves; requires `qs`."""

    qs: Union[VolumeFile, Any]
    """Quality factor of S waves; requires `qp`."""

    qkappa: Union[VolumeFile, Any]
    """Quality factor of the bulk modulus, instead of `qp` and `qs`. By default there are no losses of compression."""

    qmu: Union[VolumeFile, Any]
    """Quality factor of the shear modulus, instead of `qp` and `qs`."""


BoundaryKind = Union[Literal["free"], Literal["absorbing"], Literal["rigid"], Literal["periodic"]]


BoxSide = Union[Literal["x_min"], Literal["x_max"], Literal["y_min"], Literal["y_max"], Literal["bottom"], Literal["top"]]


ByteOrder = Union[Literal["little"], Literal["big"]]


Components = Union[Literal["axes"], Literal["radial"]]


Depths = Union[Literal["below_surface"], Literal["heights"]]


DeviceNames = Union[str, Sequence[str]]


EarthName = Union[Literal["prem"], Literal["prem_anisotropic"], Literal["iasp91"], Literal["ak135"], Literal["ak135_f"]]


EarthTop = Union[Literal["crust"], Literal["ocean"], Literal["mantle"]]


FibreFormat = Union[Literal["hdf5"], Literal["segy"]]


FibreQuantity = Union[Literal["strain"], Literal["strain_rate"]]


GatherFormat = Union[Literal["asdf"], Literal["segy"]]


GpuMessages = Union[Literal["auto"], Literal["host"], Literal["direct"]]


GridMemory = Union[Literal["coarse"], Literal["full"]]


Latitudes = Union[Literal["geographic"], Literal["geocentric"]]


Level = Union[float, str]


MapOfBox = Union[Literal["utm"], Literal["azimuthal"]]


MissingValues = Union[Literal["refused"], Literal["unchanged"]]


OutputFormat = Union[Literal["csv"], Literal["netcdf"], Literal["esri"], Literal["npy"], Literal["ubc"]]


Paraxial = Any


Partition = Union[Literal["regular"], Literal["slices"], Literal["metis"]]


Path = Union[Literal["auto"], Literal["direct"], Literal["tree"], Literal["convolution"]]


PerturbationUnits = Union[Literal["percent"], Literal["fraction"], Literal["km_s"], Literal["si"]]


Precision = Union[Literal["single"], Literal["double"]]


Precision2 = Union[Literal["double"], Literal["single"]]


Projection = Union[Literal["none"], ProjectionUtm, ProjectionAzimuthal]


Quantity = Union[Literal["displacement"], Literal["velocity"], Literal["acceleration"], Literal["strain"], Literal["pressure"], Literal["rotation"], Literal["rotation_rate"]]


Quantity2 = Union[Literal["potential"], Literal["g_e"], Literal["g_n"], Literal["g_u"], Literal["g_d"], Literal["g_ee"], Literal["g_en"], Literal["g_eu"], Literal["g_ed"], Literal["g_nn"], Literal["g_nu"], Literal["g_nd"], Literal["g_uu"], Literal["g_dd"], Literal["g_length"], Literal["invariant2"], Literal["invariant3"], Literal["dimensionality"], Literal["tfa"], Literal["tfa_e"], Literal["tfa_n"], Literal["tfa_u"], Literal["tfa_gradient"], Literal["b_e"], Literal["b_n"], Literal["b_u"], Literal["b_d"], Literal["b_length"], Literal["b_ee"], Literal["b_en"], Literal["b_eu"], Literal["b_nn"], Literal["b_nu"], Literal["b_uu"]]


SeismogramFormat = Union[Literal["sac"], Literal["text"], Literal["specfem"], Literal["miniseed"]]


Shown = Union[Literal["displacement"], Literal["velocity"], Literal["strain"], Literal["pressure"]]


StationsOutside = Union[Literal["refused"], Literal["left_out"]]


TimeFunctionOf = Union[Literal["history"], Literal["rate"]]


TimeZero = Union[Literal["centroid"], Literal["origin"]]


Units = Union[Literal["geophysical"], Literal["si"]]


Unmarked = Union[Literal["by_direction"], Literal["free"]]


VolumeAxis = Union[Literal["depth"], Literal["z"], Literal["x"], Literal["y"]]


VolumeFormat = Union[Literal["segy"], Literal["rsf"], Literal["netcdf"], Literal["text"], Literal["sofi3d"], Literal["raw"]]
