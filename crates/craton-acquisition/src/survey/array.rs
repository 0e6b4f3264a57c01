//! Source arrays and receiver groups: weighted points that act as one.

use super::ShotChannel;
use crate::AcquisitionError;
use crate::error::check;
use std::sync::Arc;

/// A point of an array and its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedPoint {
    /// x east, y north, z up \[m\].
    pub position: [f64; 3],
    /// Factor of the signal that it sends or records.
    pub weight: f64,
    /// Time by which it sends later than time 0 \[s\]; 0 for receivers.
    pub delay: f64,
}

impl WeightedPoint {
    /// A point without delay.
    #[must_use]
    pub fn new(position: [f64; 3], weight: f64) -> Self {
        Self { position, weight, delay: 0.0 }
    }
}

/// The surface at a source or a receiver, for trace headers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Site {
    /// Elevation of the surface \[m\], above z = 0; `None` if unknown.
    pub elevation: Option<f64>,
    /// Depth of the water \[m\], 0 on land.
    pub water_depth: f64,
    /// Number of the shot point; `None` if it is that of the shot.
    pub point: Option<f64>,
}

/// A single point, or an array of weighted points with a centre.
///
/// Points are stored relative to the centre and shared by all copies of an array that differ in position only.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    centre: [f64; 3],
    site: Site,
    /// Points relative to the centre; `None` for a single point of weight one without delay.
    pattern: Option<Arc<[WeightedPoint]>>,
}

impl Array {
    /// A single point of weight one.
    #[must_use]
    pub fn point(position: [f64; 3]) -> Self {
        Self { centre: position, site: Site::default(), pattern: None }
    }

    /// Creates an array from points; its centre is the unweighted mean of their positions.
    ///
    /// # Panics
    /// If there are no points.
    #[must_use]
    pub fn of(points: &[WeightedPoint]) -> Self {
        assert!(!points.is_empty(), "an array has at least one point");
        let mean = |axis| points.iter().map(|point| point.position[axis]).sum::<f64>() / points.len() as f64;
        let centre: [f64; 3] = std::array::from_fn(mean);
        let relative = |point: &WeightedPoint| WeightedPoint {
            position: std::array::from_fn(|axis| point.position[axis] - centre[axis]),
            ..*point
        };
        match points {
            [point] if point.weight == 1.0 && point.delay == 0.0 => Self::point(point.position),
            _ => Self::about(centre, points.iter().map(relative)),
        }
    }

    /// Creates an array from points about a centre, or a single point of weight one if there are none.
    ///
    /// # Arguments
    /// * `points` – positions relative to the centre
    #[must_use]
    pub fn about(centre: [f64; 3], points: impl IntoIterator<Item = WeightedPoint>) -> Self {
        let pattern: Arc<[WeightedPoint]> = points.into_iter().collect();
        Self { centre, site: Site::default(), pattern: Some(pattern).filter(|pattern| !pattern.is_empty()) }
    }

    /// Returns an array of the given points about the same centre, or the same array if there are none.
    pub(super) fn with_points(&self, points: &[WeightedPoint]) -> Self {
        let about = || Self::about(self.centre, points.iter().copied()).on(self.site);
        if points.is_empty() { self.clone() } else { about() }
    }

    /// Returns the same array with a description of its surface.
    #[must_use]
    pub fn on(self, site: Site) -> Self {
        Self { site, ..self }
    }

    /// The surface at the array.
    #[must_use]
    pub fn site(&self) -> Site {
        self.site
    }

    /// Returns the same array at another centre.
    #[must_use]
    pub fn at(&self, centre: [f64; 3]) -> Self {
        Self { centre, ..self.clone() }
    }

    /// Returns the same array, shifted by a vector \[m\].
    #[must_use]
    pub fn moved(&self, by: [f64; 3]) -> Self {
        self.at(plus(self.centre, by))
    }

    /// Whether this is a single point of weight one without delay.
    #[must_use]
    pub fn is_point(&self) -> bool {
        self.pattern.is_none()
    }

    /// Centre x, y, z \[m\], to which offsets and midpoints refer.
    #[must_use]
    pub fn centre(&self) -> [f64; 3] {
        self.centre
    }

    /// The points at their absolute positions, at least one.
    pub fn points(&self) -> impl Iterator<Item = WeightedPoint> {
        let single = self.pattern.is_none().then_some(WeightedPoint::new(self.centre, 1.0));
        let several = self.pattern.iter().flat_map(|pattern| pattern.iter());
        single
            .into_iter()
            .chain(several.map(|point| WeightedPoint { position: plus(self.centre, point.position), ..*point }))
    }

    /// Refuses positions and weights that are not valid. `channel` names the source or receiver in the message.
    pub(super) fn check(&self, channel: ShotChannel) -> Result<(), AcquisitionError> {
        let mut sum = 0.0;
        let mut largest = 0.0_f64;
        for point in self.points() {
            let [x, y, z] = point.position;
            for (axis, value) in [("x", x), ("y", y), ("depth", 0.0 - z)] {
                if !value.is_finite() {
                    let hint = "check the input for NaN and infinity";
                    check(false, &format!("{axis} of the {channel}"), value, "a finite number of m", hint)?;
                }
            }
            let hint = "a source cannot send before the traces begin; add the same time to all delays";
            let allowed = point.delay.is_finite() && point.delay >= 0.0;
            check(allowed, &format!("delay of the {channel}"), point.delay, "a finite number of s, at least 0", hint)?;
            sum += point.weight;
            largest = largest.max(point.weight.abs());
        }
        if sum.is_finite() && largest > 0.0 {
            return Ok(());
        }
        let what = format!("sum of the weights of the {channel}");
        check(
            false,
            &what,
            sum,
            "finite, with at least one weight other than 0",
            "weights are factors, 1 for a full share",
        )?;
        Ok(())
    }
}

fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] + b[axis])
}
