//! The numerical method and its parameters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid_sides::{Absorbing, Cpml, CpmlElements, Sponge};

/// The numerical method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a scenario has one")]
pub enum Method {
    /// The spectral-element method.
    Sem(Sem),
    /// The finite-difference method.
    Fd(Fd),
}

impl Method {
    /// The name of the method in the file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sem(_) => "sem",
            Self::Fd(_) => "fd",
        }
    }

    /// The medium that carries the waves, in words: the mesh or the grid.
    pub fn carrier(&self) -> &'static str {
        match self {
            Self::Sem(_) => "mesh",
            Self::Fd(_) => "grid",
        }
    }

    /// Highest resolved frequency [Hz].
    pub fn max_frequency(&self) -> f64 {
        match self {
            Self::Sem(sem) => sem.max_frequency,
            Self::Fd(fd) => fd.max_frequency,
        }
    }

    /// Whether the size of elements or cells follows from the highest frequency.
    pub fn is_automatic(&self) -> bool {
        match self {
            Self::Sem(sem) => sem.element_size.is_none() && sem.elements.is_none(),
            Self::Fd(fd) => fd.grid_spacing.is_none(),
        }
    }

    /// Precision of the fields.
    pub fn precision(&self) -> Precision {
        match self {
            Self::Sem(sem) => sem.precision,
            Self::Fd(fd) => fd.precision,
        }
    }

    /// The prescribed time step [s], if there is one.
    pub fn time_step(&self) -> Option<f64> {
        match self {
            Self::Sem(sem) => sem.time_step,
            Self::Fd(fd) => fd.time_step,
        }
    }

    /// The fraction of the largest stable time step that is used without a prescribed step.
    pub fn courant(&self) -> f64 {
        match self {
            Self::Sem(sem) => sem.courant,
            Self::Fd(fd) => fd.courant,
        }
    }

    /// Whether traces are corrected for time dispersion.
    pub fn corrects_time_dispersion(&self) -> bool {
        match self {
            Self::Sem(sem) => sem.time_dispersion_correction,
            Self::Fd(fd) => fd.time_dispersion_correction,
        }
    }

    /// The parameters of the spectral-element method.
    ///
    /// # Panics
    /// If the method is another one.
    pub fn sem(&self) -> &Sem {
        match self {
            Self::Sem(sem) => sem,
            Self::Fd(_) => panic!("finite differences have no elements"),
        }
    }
}

/// Spectral elements on hexahedra. The mesh and the time step follow from `max_frequency`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sem {
    /// Highest frequency that the mesh resolves [Hz].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e12), example = 5.0)]
    pub max_frequency: f64,
    /// Polynomial degree of the elements.
    #[serde(default = "Sem::default_degree")]
    #[schemars(range(min = 1, max = 10))]
    pub degree: usize,
    /// GLL points per shortest wavelength at `max_frequency`; determines the element size. The default is one element
    /// of degree 4 per wavelength, the usual choice; a value of 5 reduces the error to about a third.
    #[serde(default = "Sem::default_points_per_wavelength")]
    #[schemars(range(min = 2.0, max = 100.0))]
    pub points_per_wavelength: f64,
    /// Horizontal edge length of the elements at the top [m], instead of the one that follows from the wavelength. The
    /// vertical edge length still follows from the wavelength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 400.0)]
    pub element_size: Option<f64>,
    /// Number of elements along x and y at the top, instead of those that follow from the wavelength. With n levels of
    /// doubling below, each number must be a multiple of 2^(n+1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 100_000)), extend("examples" = [[256, 256]]))]
    pub elements: Option<[usize; 2]>,
    /// Let elements grow with depth by conforming mesh doubling, where wave speeds allow it.
    #[serde(default = "yes")]
    pub doubling: bool,
    /// Depths of the doublings below z = 0 [m], the shallowest first. Elements double their width exactly once below
    /// each depth: in the first layers that are at least half as thick as the wide elements. With `elements` or
    /// `element_size`, these doublings determine all widths below the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 8), extend("examples" = [[80e3, 670e3]]))]
    pub doubling_depths: Option<Vec<f64>>,
    /// Number of control nodes per element: 8 (straight edges) or 27 (curved edges). By default 8 in a box and 27 in a
    /// chunk of the Earth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = [8, 27]))]
    pub control_nodes: Option<usize>,
    /// Type of the absorbing boundaries.
    #[serde(default)]
    pub absorbing: Absorbing<CpmlElements>,
    /// Floating-point precision of the fields.
    #[serde(default)]
    pub precision: Precision,
    /// Time step [s]. Craton rejects an unstable step. By default it follows from `courant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.002)]
    pub time_step: Option<f64>,
    /// Time step as a fraction of the largest stable step.
    #[serde(default = "Sem::default_courant")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub courant: f64,
    /// Let small elements advance by 1/2, 1/4, 1/8 ... of the time step, so that they do not dictate the step of all
    /// elements. `craton check` prints the levels and the gain.
    #[serde(default)]
    pub local_time_steps: bool,
    /// Correct the traces for the dispersion of the time scheme, exactly.
    #[serde(default = "yes")]
    pub time_dispersion_correction: bool,
}

/// Finite differences of velocity and stress on a uniform staggered grid. The grid and the time step follow from
/// `max_frequency`. Each cell is water, rock or air according to the material at its centre. Craton moves a source or
/// receiver vertically if its cell has another kind of material than its position, and reports the shift.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fd {
    /// Highest frequency that the grid resolves [Hz].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e12), example = 5.0)]
    pub max_frequency: f64,
    /// Order of the spatial derivatives: the number of points of the stencil. Orders 4 and 8 in single precision run on
    /// a GPU with the CUDA driver alone; all others require NVRTC of the CUDA toolkit.
    #[serde(default = "Fd::default_order")]
    #[schemars(extend("enum" = [2, 4, 6, 8, 10, 12, 14, 16]))]
    pub order: usize,
    /// Largest relative error of the group velocity for Holberg's coefficients, which maximise the bandwidth within
    /// this error. By default the coefficients are Taylor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-9, max = 0.1), example = 0.001)]
    pub holberg: Option<f64>,
    /// Grid points per shortest wavelength at `max_frequency`; determines the cell size. By default 20 for order 2, 10
    /// for order 4, 8 for order 6, and 6 for order 8 or higher. The height of the cells is up to a fifth smaller if flat
    /// interfaces of water and rock are then nearer to faces of cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2.0, max = 1000.0), example = 10.0)]
    pub points_per_wavelength: Option<f64>,
    /// Edge length of the cells [m], instead of the one that follows from the wavelength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 50.0)]
    pub grid_spacing: Option<f64>,
    /// Type of the absorbing boundaries.
    #[serde(default)]
    pub absorbing: Absorbing<Cpml>,
    /// Sponge layers, at sides of any type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sponge: Option<Sponge>,
    /// Floating-point precision of the fields.
    #[serde(default)]
    pub precision: Precision,
    /// Memory variables of attenuation. By default `coarse` if all quality factors are at least 30, otherwise `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<GridMemory>,
    /// Time step [s]. Craton rejects an unstable step. By default it follows from `courant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.002)]
    pub time_step: Option<f64>,
    /// Time step as a fraction of the largest stable step.
    #[serde(default = "Sem::default_courant")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub courant: f64,
    /// Correct the traces for the dispersion of the time scheme, exactly.
    #[serde(default = "yes")]
    pub time_dispersion_correction: bool,
}

/// Floating-point precision of the fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// 32 bits: twice as fast, with a relative error of about 1e-5.
    #[default]
    Single,
    /// 64 bits.
    Double,
}

/// Memory variables of attenuation on a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GridMemory {
    /// One mechanism per point, in a pattern (coarse-grained memory variables): 32 bytes per cell in single precision.
    Coarse,
    /// All mechanisms at each point: 24 bytes per cell and mechanism, and 8 per cell.
    Full,
}

impl Fd {
    fn default_order() -> usize {
        4
    }

    /// Grid points per shortest wavelength at `max_frequency`.
    pub fn points_per_wavelength(&self) -> f64 {
        self.points_per_wavelength.unwrap_or_else(|| crate::gridding::points_per_wavelength(self.order))
    }
}

impl Sem {
    fn default_degree() -> usize {
        4
    }

    fn default_points_per_wavelength() -> f64 {
        4.0
    }

    fn default_courant() -> f64 {
        0.95
    }
}

fn yes() -> bool {
    true
}
