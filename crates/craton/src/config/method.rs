//! How the scenario is solved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid_sides::{Absorbing, Sponge};

/// How the scenario is solved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a scenario has one")]
pub enum Method {
    /// Spectral elements.
    Sem(Sem),
    /// Finite differences.
    Fd(Fd),
}

impl Method {
    /// Its name in the file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sem(_) => "sem",
            Self::Fd(_) => "fd",
        }
    }

    /// What carries the waves, in words.
    pub fn carrier(&self) -> &'static str {
        match self {
            Self::Sem(_) => "mesh",
            Self::Fd(_) => "grid",
        }
    }

    /// Highest frequency that is to be resolved [Hz].
    pub fn max_frequency(&self) -> f64 {
        match self {
            Self::Sem(sem) => sem.max_frequency,
            Self::Fd(fd) => fd.max_frequency,
        }
    }

    /// Precision of the fields.
    pub fn precision(&self) -> Precision {
        match self {
            Self::Sem(sem) => sem.precision,
            Self::Fd(fd) => fd.precision,
        }
    }

    /// The time step that is prescribed [s], if one is.
    pub fn time_step(&self) -> Option<f64> {
        match self {
            Self::Sem(sem) => sem.time_step,
            Self::Fd(fd) => fd.time_step,
        }
    }

    /// The time step otherwise, as a fraction of the largest stable one.
    pub fn courant(&self) -> f64 {
        match self {
            Self::Sem(sem) => sem.courant,
            Self::Fd(fd) => fd.courant,
        }
    }

    /// Whether time dispersion is removed.
    pub fn corrects_time_dispersion(&self) -> bool {
        match self {
            Self::Sem(sem) => sem.time_dispersion_correction,
            Self::Fd(fd) => fd.time_dispersion_correction,
        }
    }

    /// Whether it solves fluids.
    pub fn solves_fluids(&self) -> bool {
        matches!(self, Self::Fd(_))
    }

    /// The spectral elements, for what is asked of them alone.
    ///
    /// # Panics
    /// If the scenario is solved otherwise.
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
    /// Highest frequency that is to be resolved [Hz].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e12), example = 5.0)]
    pub max_frequency: f64,
    /// Polynomial degree of an element.
    #[serde(default = "Sem::default_degree")]
    #[schemars(range(min = 1, max = 10))]
    pub degree: usize,
    /// Points per shortest wavelength at the highest frequency; the size of the elements follows from it. The default is one element of
    /// degree 4 per wavelength, the custom of the field; 5 leaves a third of its error.
    #[serde(default = "Sem::default_points_per_wavelength")]
    #[schemars(range(min = 2.0, max = 100.0))]
    pub points_per_wavelength: f64,
    /// Horizontal edge of an element at the top [m], in place of the one that follows from the wavelength; the vertical one still does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 400.0)]
    pub element_size: Option<f64>,
    /// This many elements along x and y at the top, in place of those that follow from the wavelength; each doubling below needs one more factor of 2,
    /// and one to spare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 100_000)), extend("examples" = [[256, 256]]))]
    pub elements: Option<[usize; 2]>,
    /// Let elements grow with depth, by conforming doubling, where the speeds allow it.
    #[serde(default = "yes")]
    pub doubling: bool,
    /// Depths below z = 0 [m], the shallowest first. Elements double their widths once below each of them, and nowhere else: in the first layers that are at least half as
    /// thick as the wide elements. Widths below are then what comes of it where `elements` or `element_size` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 8), extend("examples" = [[80e3, 670e3]]))]
    pub doubling_depths: Option<Vec<f64>>,
    /// Nodes that carry the geometry of an element: 8 (straight edges) or 27 (curved ones). By default 8 in a box, and 27 in a chunk of the Earth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = [8, 27]))]
    pub control_nodes: Option<usize>,
    /// Precision of the fields.
    #[serde(default)]
    pub precision: Precision,
    /// Time step [s]; refused when it is not stable. By default it follows from `courant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.002)]
    pub time_step: Option<f64>,
    /// Time step as a fraction of the largest stable one.
    #[serde(default = "Sem::default_courant")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub courant: f64,
    /// Remove the dispersion of the time scheme from the traces, exactly.
    #[serde(default = "yes")]
    pub time_dispersion_correction: bool,
}

/// Finite differences of velocity and stress on a regular staggered grid. The grid and the time step follow from `max_frequency`. A cell is water,
/// rock or air as its centre is. What stands in rock or on the bottom of the sea is put into rock where its cell is water, what stands in water into
/// water, and the way that it is moved is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fd {
    /// Highest frequency that is to be resolved [Hz].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e12), example = 5.0)]
    pub max_frequency: f64,
    /// Order of the derivatives in space, an even number: as many values make a derivative. A GPU computes orders 4 and 8 in single precision with
    /// its driver alone; for all else NVRTC, of the CUDA toolkit, has to be there.
    #[serde(default = "Fd::default_order")]
    #[schemars(extend("enum" = [2, 4, 6, 8, 10, 12, 14, 16]))]
    pub order: usize,
    /// Largest relative error of the group velocity, for Holberg's coefficients: they carry the widest band of frequencies with it. By default
    /// the coefficients are Taylor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-9, max = 0.1), example = 0.001)]
    pub holberg: Option<f64>,
    /// Points per shortest wavelength at the highest frequency; the grid follows from it. By default 20 for order 2, 10 for order 4, 8 for
    /// order 6, and 6 from order 8 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2.0, max = 1000.0), example = 10.0)]
    pub points_per_wavelength: Option<f64>,
    /// Edge of a cell [m], in place of the one that follows from the wavelength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 50.0)]
    pub grid_spacing: Option<f64>,
    /// What stands at absorbing sides.
    #[serde(default)]
    pub absorbing: Absorbing,
    /// A sponge in front of some sides, whatever they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sponge: Option<Sponge>,
    /// Precision of the fields.
    #[serde(default)]
    pub precision: Precision,
    /// Time step [s]; refused when it is not stable. By default it follows from `courant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.002)]
    pub time_step: Option<f64>,
    /// Time step as a fraction of the largest stable one.
    #[serde(default = "Sem::default_courant")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub courant: f64,
    /// Remove the dispersion of the time scheme from the traces, exactly.
    #[serde(default = "yes")]
    pub time_dispersion_correction: bool,
}

/// Precision of the fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// 32 bits: twice as fast, right to about 1e-5.
    #[default]
    Single,
    /// 64 bits.
    Double,
}

impl Fd {
    fn default_order() -> usize {
        4
    }

    /// Points per shortest wavelength at the highest frequency.
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
