//! Standard Rupture Format (`.srf`), versions 1.0 and 2.0: kinematic finite faults as lists of point sources with slip rates.
//!
//! ```text
//! 2.0
//! # comments
//! PLANE 1
//! -118.515 34.344 2 1 4.0 2.0      ELON ELAT NSTK NDIP LEN WID
//! 122 40 5.0 1.0 1.5               STK DIP DTOP SHYP DHYP
//! POINTS 2
//! -118.5 34.3 5.6 122 40 4.0e10 0.5 0.1 3.2e5 2.7      LON LAT DEP STK DIP AREA TINIT DT VS DEN
//! 90 20.0 3 0 0 0 0                                    RAKE SLIP1 NT1 SLIP2 NT2 SLIP3 NT3
//! 0.0 200.0 0.0                                        slip rates along u1, then u2, then u3
//! ...
//! ```
//!
//! (Without the names at the ends of the lines.) `PLANE` is optional. A file may have several blocks `POINTS`, usually one for each plane.
//! Version 1.0 has no VS and DEN. Slip rates may be wrapped over any number of lines.
//!
//! # Conventions
//! Strike, dip and rake follow Aki and Richards: strike is clockwise from north, the fault dips to the right of it, and rake is the direction
//! in which the hanging wall moves against the footwall, measured within the fault from the strike direction, positive up-dip. Slip has three
//! orthogonal components:
//! * u1 at RAKE within the fault,
//! * u2 at RAKE + 90 degrees within the fault,
//! * u3 along the outward normal of the fault.
//!
//! With strike φ, dip δ and rake λ, in x north, y east, z down:
//! ```text
//! s(λ) = (cos λ cos φ + sin λ cos δ sin φ,  cos λ sin φ - sin λ cos δ cos φ,  -sin λ sin δ)
//! u1 = s(λ),  u2 = s(λ + 90°),  u3 = u1 × u2 = (-sin δ sin φ,  sin δ cos φ,  -cos δ)
//! ```
//! so that u3 points into the hanging wall and positive slip along it opens the fault. For shear, only u1 is used if the rake is constant.
//!
//! A slip rate is zero before TINIT; sample k, from 0, is at TINIT + k DT. The sum of the samples times DT approximates the slip.
//!
//! Source: R. Graves, Standard Rupture Format, version 2.0 (2014). It states the directions and u2 at RAKE + 90. Here the outward normal is
//! u1 × u2, the normal of Aki and Richards, so that the three directions are right-handed.

use std::ops::Range;
use std::path::Path;

use crate::error::Result;
use crate::kind::require_text;
use crate::text::{BYTE_ORDER_MARK, read_bytes};

mod parse;

/// Metres per centimetre.
const CENTIMETRE: f64 = 1e-2;

/// A finite fault.
#[derive(Clone, Debug, PartialEq)]
pub struct SrfFile {
    /// Version of the format.
    pub version: SrfVersion,
    /// Planes of the header, which describe the geometry; may be empty.
    pub planes: Vec<SrfPlane>,
    /// Indices in `points` of each block `POINTS`, in the order of the file.
    pub segments: Vec<Range<usize>>,
    /// Point sources of all blocks.
    pub points: Vec<SrfPoint>,
    /// Slip rates [cm/s] of all points, see [`Self::sliprate_cm_s`].
    pub samples: Vec<f32>,
}

/// Version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SrfVersion {
    /// 1.0: without the velocity and density of each point.
    One,
    /// 2.0.
    Two,
}

/// A plane of the header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SrfPlane {
    /// Longitude of the centre of the top edge, ELON [degrees].
    pub longitude: f64,
    /// Latitude of the centre of the top edge, ELAT [degrees].
    pub latitude: f64,
    /// Number of points along strike, NSTK.
    pub along_strike: usize,
    /// Number of points down dip, NDIP.
    pub down_dip: usize,
    /// Length along strike, LEN [km].
    pub length_km: f64,
    /// Width down dip, WID [km].
    pub width_km: f64,
    /// Strike, STK [degrees].
    pub strike: f64,
    /// Dip, DIP [degrees].
    pub dip: f64,
    /// Depth of the top edge, DTOP [km].
    pub top_depth_km: f64,
    /// Hypocentre along strike from the centre of the top edge, SHYP [km].
    pub hypocentre_along_strike_km: f64,
    /// Hypocentre down dip from the top edge, DHYP [km].
    pub hypocentre_down_dip_km: f64,
}

/// A point source, also called subfault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SrfPoint {
    /// Longitude, LON [degrees].
    pub longitude: f64,
    /// Latitude, LAT [degrees].
    pub latitude: f64,
    /// Depth, DEP [km].
    pub depth_km: f64,
    /// Strike, STK [degrees].
    pub strike: f64,
    /// Dip, DIP [degrees], 0 to 90.
    pub dip: f64,
    /// Area, AREA [cm^2], at least 0.
    pub area_cm2: f64,
    /// Time at which slip starts, TINIT [s].
    pub start: f64,
    /// Interval between samples of the slip rate, DT [s]; above 0 if the point has samples.
    pub interval: f64,
    /// Velocity of S waves, VS [cm/s]; `None` in version 1.0 and if it is not given, written as -1.
    pub vs_cm_s: Option<f64>,
    /// Density, DEN [g/cm^3]; `None` in version 1.0 and if it is not given, written as -1.
    pub density_g_cm3: Option<f64>,
    /// Direction of the first component of slip, RAKE [degrees].
    pub rake: f64,
    /// Final slip along u1, u2 and u3: SLIP1, SLIP2, SLIP3 [cm].
    pub slip_cm: [f64; 3],
    /// Number of samples along u1, u2 and u3: NT1, NT2, NT3.
    pub counts: [u32; 3],
    /// Index in [`SrfFile::samples`] of the first sample along u1; those along u2 and u3 follow.
    pub first_sample: usize,
}

impl SrfPoint {
    /// Depth [m].
    pub fn depth(&self) -> f64 {
        self.depth_km * 1000.0
    }

    /// Area [m^2].
    pub fn area_m2(&self) -> f64 {
        self.area_cm2 * CENTIMETRE * CENTIMETRE
    }

    /// Final slip along u1, u2 and u3 [m].
    pub fn slip_m(&self) -> [f64; 3] {
        self.slip_cm.map(|slip| slip * CENTIMETRE)
    }

    /// Velocity of S waves [m/s].
    pub fn vs(&self) -> Option<f64> {
        self.vs_cm_s.map(|vs| vs * CENTIMETRE)
    }

    /// Density [kg/m^3].
    pub fn density(&self) -> Option<f64> {
        self.density_g_cm3.map(|density| density * 1000.0)
    }

    /// Indices in [`SrfFile::samples`] of the samples of a component, 0 to 2.
    pub fn range(&self, component: usize) -> Range<usize> {
        let before: usize = self.counts[..component].iter().map(|&count| count as usize).sum();
        let first = self.first_sample + before;
        first..first + self.counts[component] as usize
    }
}

impl SrfFile {
    /// Slip rate of a point of this file [cm/s], as written; empty if the component has no samples.
    ///
    /// # Arguments
    /// * `component` – 0 along u1, 1 along u2, 2 along u3
    ///
    /// # Panics
    /// If `component` is above 2, or the point is from a file with more samples.
    pub fn sliprate_cm_s(&self, point: &SrfPoint, component: usize) -> &[f32] {
        &self.samples[point.range(component)]
    }

    /// As [`Self::sliprate_cm_s`], in m/s.
    ///
    /// # Panics
    /// As [`Self::sliprate_cm_s`].
    pub fn sliprate_m_s(&self, point: &SrfPoint, component: usize) -> impl ExactSizeIterator<Item = f64> {
        self.sliprate_cm_s(point, component).iter().map(|&rate| f64::from(rate) * CENTIMETRE)
    }
}

/// Reads a file.
///
/// # Errors
/// A file that cannot be read; a version other than 1.0 and 2.0; a line that is missing or has another number of values; a value that is not
/// finite or is outside its range; a file that ends early. Every error names the line.
pub fn read(path: &Path) -> Result<SrfFile> {
    let bytes = read_bytes(path)?;
    require_text(path, &bytes)?;
    parse(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes), path)
}

/// As [`read`], from the bytes of the file; `path` is used in messages.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8], path: &Path) -> Result<SrfFile> {
    parse::file(bytes, path)
}
