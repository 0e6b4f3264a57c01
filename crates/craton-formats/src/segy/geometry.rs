//! Positions in metres, converted to and from the scaled integers of a trace header.

use super::TraceHeader;
use crate::error::Refused;

/// Scalars of the standard for units of a metre or finer, coarsest unit first.
const SCALARS: [i16; 5] = [1, -10, -100, -1000, -10_000];

/// Positions of source, receiver group and ensemble of a trace [m]; x east, y north.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Geometry {
    /// x and y of the source.
    pub source: [f64; 2],
    /// x and y of the receiver group.
    pub receiver: [f64; 2],
    /// x and y of the ensemble (CDP).
    pub cdp: [f64; 2],
    /// Elevation of the surface at the source, upward.
    pub source_surface_elevation: f64,
    /// Depth of the source below the surface, downward.
    pub source_depth: f64,
    /// Elevation of the receiver group, upward.
    pub receiver_elevation: f64,
    /// Water depth at the source.
    pub source_water_depth: f64,
    /// Water depth at the receiver group.
    pub receiver_water_depth: f64,
}

impl Geometry {
    /// Horizontal distance from source to receiver group [m].
    pub fn offset(&self) -> f64 {
        (self.receiver[0] - self.source[0]).hypot(self.receiver[1] - self.source[1])
    }

    fn coordinates(&self) -> [f64; 6] {
        let Self { source, receiver, cdp, .. } = self;
        [source[0], source[1], receiver[0], receiver[1], cdp[0], cdp[1]]
    }

    fn elevations(&self) -> [f64; 5] {
        [
            self.receiver_elevation,
            self.source_surface_elevation,
            self.source_depth,
            self.source_water_depth,
            self.receiver_water_depth,
        ]
    }
}

/// The scalars of a trace header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalars {
    /// Scalar for coordinates.
    pub coordinates: i16,
    /// Scalar for elevations and depths.
    pub elevations: i16,
}

impl Scalars {
    /// The best scalars for a set of geometries, see [`best_scalar`]. `geometries` is called twice, so that they need not be stored.
    ///
    /// # Errors
    /// As [`best_scalar`].
    pub fn best<I: Iterator<Item = Geometry>>(geometries: impl Fn() -> I) -> Result<Self, Refused> {
        Ok(Self {
            coordinates: best_scalar(geometries().flat_map(|geometry| geometry.coordinates()))?,
            elevations: best_scalar(geometries().flat_map(|geometry| geometry.elevations()))?,
        })
    }
}

/// The scalar with the coarsest unit, from 1 m to 0.1 mm, that represents all lengths [m] to a micrometre; if none does, the finest unit in
/// which all lengths fit.
///
/// # Errors
/// A length that is not finite, or beyond 2147483647 m.
pub fn best_scalar(lengths: impl IntoIterator<Item = f64>) -> Result<i16, Refused> {
    let mut exact = [true; SCALARS.len()];
    let mut fits = [true; SCALARS.len()];
    for length in lengths {
        for (index, &scalar) in SCALARS.iter().enumerate() {
            let units = length / factor(scalar);
            exact[index] &= (units - units.round()).abs() * factor(scalar) <= 1e-6;
            fits[index] &= exact_integer(units).is_some();
        }
        if !fits[0] {
            return Err(Refused::new("length", format!("{length} m"), TOO_FAR));
        }
    }
    let finest = fits.iter().rposition(|&fits| fits).expect("metres fit");
    let chosen = (0..finest).find(|&index| exact[index]).unwrap_or(finest);
    Ok(SCALARS[chosen])
}

const TOO_FAR: &str = "at most 2147483647 units in magnitude; move the origin, or choose the scalar with `best_scalar`";

/// Factor of a scalar.
fn factor(scalar: i16) -> f64 {
    match scalar {
        0 => 1.0,
        1.. => f64::from(scalar),
        _ => -1.0 / f64::from(scalar),
    }
}

/// Rounds to the nearest integer, if its magnitude fits into 31 bits.
fn exact_integer(units: f64) -> Option<i32> {
    let nearest = units.round();
    (nearest.abs() <= f64::from(i32::MAX)).then_some(nearest as i32)
}

/// Factor of the scalar of a header, if the standard defines it.
fn checked(field: &str, scalar: i16) -> Result<f64, Refused> {
    match scalar.unsigned_abs() {
        0 | 1 | 10 | 100 | 1000 | 10_000 => Ok(factor(scalar)),
        _ => {
            let expected = "0, or 1, 10, 100, 1000 or 10000 with either sign; the header may not be SEG-Y";
            Err(Refused::new(TraceHeader::place(field), scalar, expected))
        }
    }
}

/// The value of a scaled integer, if the standard defines the scalar, which is in `field`.
pub(super) fn applied(field: &str, scalar: i16, number: i32) -> Result<f64, Refused> {
    checked(field, scalar)?;
    Ok(apply(scalar, number))
}

/// The nearest scaled integer, if it fits into 31 bits.
pub(super) fn rounded(length: f64, scalar: i16) -> Option<i32> {
    exact_integer(length / factor(scalar))
}

/// The value of a scaled integer.
fn apply(scalar: i16, number: i32) -> f64 {
    let number = f64::from(number);
    // Divide instead of multiplying by an inverse, so that 12345 cm is the double nearest to 123.45 m.
    if scalar < 0 { number / -f64::from(scalar) } else { number * factor(scalar) }
}

impl TraceHeader {
    /// Time of the first sample after the shot [ms], with the scalar for times applied.
    ///
    /// # Errors
    /// A scalar that the standard does not define, unless the delay is 0.
    pub fn delay_ms(&self) -> Result<f64, Refused> {
        if self.delay == 0 {
            return Ok(0.0);
        }
        checked("time_scalar", self.time_scalar)?;
        Ok(apply(self.time_scalar, self.delay.into()))
    }

    /// Stores the time of the first sample after the shot [s], to the finest unit that the header can represent. Returns whether it is exact.
    pub fn set_start(&mut self, start: f64) -> bool {
        let unit = |scalar: i16| 1000.0 * f64::from(-scalar).max(1.0);
        let scaled = |scalar: i16| (start * unit(scalar)).round();
        let fits = |scalar: &i16| scaled(*scalar).abs() <= f64::from(i16::MAX);
        let is_exact = |scalar: &i16| 1000.0 * (scaled(*scalar) / unit(*scalar) - start).abs() < 1e-9;
        let scalars = || [1, -10, -100, -1000].into_iter().filter(fits);
        let exact = scalars().find(is_exact);
        let scalar = exact.or_else(|| scalars().next_back()).unwrap_or(1);
        (self.delay, self.time_scalar) = (scaled(scalar) as i16, scalar);
        exact.is_some()
    }

    /// Number of the shot point, with its scalar applied, or else of the energy source point; `None` if both are 0.
    pub fn source_point(&self) -> Option<f64> {
        let is_valid = self.shotpoint != 0 && checked("shotpoint_scalar", self.shotpoint_scalar).is_ok();
        let point =
            if is_valid { apply(self.shotpoint_scalar, self.shotpoint) } else { self.energy_source_point.into() };
        (point != 0.0).then_some(point)
    }

    /// Stores the number of the shot point, and the nearest integer as the energy source point.
    ///
    /// # Errors
    /// As [`best_scalar`].
    pub fn set_source_point(&mut self, point: f64) -> Result<(), Refused> {
        self.shotpoint_scalar = best_scalar([point])?;
        self.shotpoint = (point / factor(self.shotpoint_scalar)).round() as i32;
        self.energy_source_point = point.round() as i32;
        Ok(())
    }

    /// Unit of the coordinates, in the unit of length of the file.
    pub(super) fn coordinate_unit(&self) -> f64 {
        factor(self.coordinate_scalar)
    }

    /// Positions [m], with scalars applied.
    ///
    /// # Arguments
    /// * `metres_per_unit` – see [`super::BinaryHeader::metres_per_unit`]; 1 without such a header
    /// # Errors
    /// A scalar that the standard does not define; coordinates that are angles.
    pub fn geometry(&self, metres_per_unit: f64) -> Result<Geometry, Refused> {
        if !matches!(self.coordinate_units, 0 | 1) {
            let expected = "1, length; project angles to metres first";
            return Err(Refused::new(Self::place("coordinate_units"), self.coordinate_units, expected));
        }
        let scaled = |scalar: i16| move |number: i32| apply(scalar, number) * metres_per_unit;
        checked("coordinate_scalar", self.coordinate_scalar)?;
        checked("elevation_scalar", self.elevation_scalar)?;
        let [along, up] = [self.coordinate_scalar, self.elevation_scalar].map(scaled);
        Ok(Geometry {
            source: [self.source_x, self.source_y].map(along),
            receiver: [self.receiver_x, self.receiver_y].map(along),
            cdp: [self.cdp_x, self.cdp_y].map(along),
            source_surface_elevation: up(self.source_surface_elevation),
            source_depth: up(self.source_depth),
            receiver_elevation: up(self.receiver_elevation),
            source_water_depth: up(self.source_water_depth),
            receiver_water_depth: up(self.receiver_water_depth),
        })
    }

    /// Stores positions in metres in the header with the given scalars, and their distance as the offset, to the metre. The caller, who
    /// knows the direction of the line, must set the sign of the offset.
    ///
    /// # Errors
    /// A scalar that the standard does not define; a length that is not finite or does not fit with its scalar. The header is then
    /// unchanged.
    pub fn set_geometry(&mut self, geometry: &Geometry, scalars: Scalars) -> Result<(), Refused> {
        let Scalars { coordinates, elevations } = scalars;
        let scaled = |field: &str, metres: f64, factor: f64| {
            let refuse = || Refused::new(Self::place(field), format!("{metres} m"), TOO_FAR);
            exact_integer(metres / factor).ok_or_else(refuse)
        };
        let along = checked("coordinate_scalar", coordinates)?;
        let up = checked("elevation_scalar", elevations)?;
        *self = Self {
            offset: scaled("offset", geometry.offset(), 1.0)?,
            receiver_elevation: scaled("receiver_elevation", geometry.receiver_elevation, up)?,
            source_surface_elevation: scaled("source_surface_elevation", geometry.source_surface_elevation, up)?,
            source_depth: scaled("source_depth", geometry.source_depth, up)?,
            source_water_depth: scaled("source_water_depth", geometry.source_water_depth, up)?,
            receiver_water_depth: scaled("receiver_water_depth", geometry.receiver_water_depth, up)?,
            source_x: scaled("source_x", geometry.source[0], along)?,
            source_y: scaled("source_y", geometry.source[1], along)?,
            receiver_x: scaled("receiver_x", geometry.receiver[0], along)?,
            receiver_y: scaled("receiver_y", geometry.receiver[1], along)?,
            cdp_x: scaled("cdp_x", geometry.cdp[0], along)?,
            cdp_y: scaled("cdp_y", geometry.cdp[1], along)?,
            coordinate_scalar: coordinates,
            elevation_scalar: elevations,
            coordinate_units: 1,
            ..self.clone()
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_exact_if_the_header_allows_it() {
        let stored = |start: f64| {
            let mut header = TraceHeader::default();
            let is_exact = header.set_start(start);
            (is_exact, header.delay, header.time_scalar, header.delay_ms().unwrap())
        };
        assert_eq!(stored(0.0), (true, 0, 1, 0.0));
        assert_eq!(stored(-2.52), (true, -2520, 1, -2520.0));
        assert_eq!(stored(-0.01234), (true, -1234, -100, -12.34));
        assert_eq!(stored(-0.1066666), (false, -10667, -100, -106.67));
    }
}
