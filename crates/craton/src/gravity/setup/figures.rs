//! Statistics of prisms, and warnings about implausible values.

use std::fmt;
use std::ops::Range;

use craton_device::Workers;
use craton_gravity::{Prisms, Tesseroid};
use rayon::prelude::*;

use super::{Places, Reference};
use crate::number::{Number, counted};

/// Limits along x, y and z [m], or of longitude and latitude [degrees] and height [m].
type Extent = [[f64; 2]; 3];

/// Density below which the unit is implausible if no prism exceeds it [kg/m³].
pub const LEAST_OF_ROCK: f64 = 30.0;
/// Largest plausible density [kg/m³].
pub const MOST_OF_ROCK: f64 = 3e4;
/// Densities that would be those of rock if they were in g/cm³ [kg/m³]; air has less.
const MAYBE_GRAMS: Range<f64> = 1.5..LEAST_OF_ROCK;
/// Range without densities if some are in g/cm³ and others in kg/m³ [kg/m³].
const BETWEEN: Range<f64> = LEAST_OF_ROCK..300.0;
/// Distance between points and bodies that is implausible, relative to the size of both.
const FAR: f64 = 10.0;
/// Largest longitude and latitude.
const DEGREES: [f64; 2] = [360.0, 90.0];
/// Height to width of prisms that suggests horizontal coordinates in degrees.
const SLENDER: f64 = 20.0;
/// Fraction of the prisms of a body with that ratio; columns near a shore may be flat.
const NEARLY_ALL: f64 = 0.9;
/// Number of prisms that a thread processes at a time.
const CHUNK: usize = 1 << 16;

/// Number, extent, densities and mass of some prisms or tesseroids.
pub struct Figures {
    /// Their number.
    pub count: usize,
    /// Whether they are tesseroids.
    are_tesseroids: bool,
    extent: Extent,
    /// Smallest and largest density [kg/m³].
    density: [f64; 2],
    /// Number of densities in [`MAYBE_GRAMS`] and in [`BETWEEN`], by magnitude.
    suspicious: [usize; 2],
    mass: f64,
    /// Number of prisms with nonzero height, and number of [`SLENDER`] ones.
    tall: [usize; 2],
}

impl Figures {
    /// Statistics of a range of prisms, independent of the number of threads.
    pub fn of(prisms: &Prisms, run: Range<usize>, workers: &Workers) -> Self {
        let nothing = || Self::nothing(false);
        let of_part = |first: usize| {
            (first..(first + CHUNK).min(run.end)).fold(nothing(), |all, prism| all.and(&Self::of_one(prisms, prism)))
        };
        let parts: Vec<Self> = workers.run(|| run.clone().into_par_iter().step_by(CHUNK).map(of_part).collect());
        parts.iter().fold(nothing(), Self::and)
    }

    /// Statistics of tesseroids.
    ///
    /// # Arguments
    /// * `reference` – the surface at height 0
    pub fn of_tesseroids(tesseroids: &[Tesseroid], reference: &Reference) -> Self {
        let of_one = |tesseroid: &Tesseroid| {
            let Tesseroid { west, east, density, .. } = *tesseroid;
            let [latitudes, heights] = reference.extent(tesseroid);
            let extent = [[west, east], latitudes, heights];
            let one = Self::of_density(extent, density);
            Self { are_tesseroids: true, mass: tesseroid.mass(), ..one }
        };
        tesseroids.iter().fold(Self::nothing(true), |all, tesseroid| all.and(&of_one(tesseroid)))
    }

    fn nothing(are_tesseroids: bool) -> Self {
        Self {
            count: 0,
            are_tesseroids,
            extent: [[f64::INFINITY, f64::NEG_INFINITY]; 3],
            density: [f64::INFINITY, f64::NEG_INFINITY],
            suspicious: [0; 2],
            mass: 0.0,
            tall: [0; 2],
        }
    }

    fn of_one(prisms: &Prisms, prism: usize) -> Self {
        let (extent, density) = (prisms.bounds(prism), prisms.density()[prism]);
        let [width, depth, height] = extent.map(|[low, high]| high - low);
        Self {
            mass: density * (width * depth * height),
            tall: [height > 0.0, height > 0.0 && height >= SLENDER * width.max(depth)].map(usize::from),
            ..Self::of_density(extent, density)
        }
    }

    /// One body without its mass.
    fn of_density(extent: Extent, density: f64) -> Self {
        let is_in = |range: Range<f64>| usize::from(range.contains(&density.abs()));
        let suspicious = [is_in(MAYBE_GRAMS), is_in(BETWEEN)];
        Self { count: 1, extent, density: [density; 2], suspicious, ..Self::nothing(false) }
    }

    fn and(self, other: &Self) -> Self {
        Self {
            count: self.count + other.count,
            are_tesseroids: self.are_tesseroids,
            extent: joined(self.extent, &other.extent),
            density: [self.density[0].min(other.density[0]), self.density[1].max(other.density[1])],
            suspicious: [0, 1].map(|which| self.suspicious[which] + other.suspicious[which]),
            mass: self.mass + other.mass,
            tall: [0, 1].map(|which| self.tall[which] + other.tall[which]),
        }
    }

    /// A warning if some or all densities look like another unit.
    ///
    /// # Arguments
    /// * `remedies` – the hints
    pub fn unit_warning(&self, body: usize, remedies: &Remedies) -> Option<String> {
        if self.count == 0 {
            return None;
        }
        let largest = self.density[1].max(-self.density[0]);
        if largest == 0.0 {
            return Some(format!("all densities of body {body} are 0, so that it has no effect"));
        }
        let warning = |hint: &str| format!("the largest density of body {body} is {} kg/m3: {hint}", Number(largest));
        let [in_grams, between] = self.suspicious;
        if largest > MOST_OF_ROCK {
            let remedy = remedies.too_large?;
            return Some(warning(&format!("this exceeds the density of any rock. Check the unit.{remedy}")));
        }
        let remedy = remedies.too_small?;
        if largest < LEAST_OF_ROCK {
            return Some(warning(&format!("check whether it is in g/cm3. {remedy}")));
        }
        (in_grams > 0 && between == 0).then(|| {
            format!(
                "{in_grams} of {} densities of body {body} are between {} and {} kg/m3, and all others above {} or near 0. Check whether some are in g/cm3",
                self.count, MAYBE_GRAMS.start, MAYBE_GRAMS.end, BETWEEN.end
            )
        })
    }
}

/// Hints for densities that look like another unit.
pub struct Remedies {
    /// Hint for densities larger than those of any rock, appended to the warning; `None` if the warning is given
    /// elsewhere.
    pub too_large: Option<&'static str>,
    /// Hint for densities that would be those of rock in g/cm³; `None` if values near 0 are plausible.
    pub too_small: Option<&'static str>,
}

impl Figures {
    /// Number and extent in words.
    pub fn extent_text(&self) -> String {
        let (noun, names) = match self.are_tesseroids {
            true => ("tesseroid", ["longitude", "latitude", "height"]),
            false => ("prism", ["x", "y", "z"]),
        };
        if self.count == 0 {
            return format!("no {noun}s");
        }
        let axes = names.iter().zip(self.extent);
        let axes: Vec<String> =
            axes.map(|(axis, [low, high])| format!("{axis} {} to {}", Number(low), Number(high))).collect();
        format!("{}, {} m", counted(self.count, noun), axes.join(", "))
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.count == 0 {
            return f.write_str(&self.extent_text());
        }
        let [least, most] = self.density;
        let density = if least == most {
            Number(least).to_string()
        } else {
            format!("{:.1} to {:.1}", Number(least), Number(most))
        };
        write!(f, "{}, {density} kg/m3, {:.4e} kg", self.extent_text(), self.mass)
    }
}

fn joined(a: Extent, b: &Extent) -> Extent {
    [0, 1, 2].map(|axis| [a[axis][0].min(b[axis][0]), a[axis][1].max(b[axis][1])])
}

/// The bounding boxes of all bodies and of the points; `None` if either is empty.
fn extents(bodies: &[Figures], places: &Places) -> Option<[Extent; 2]> {
    let bodies = bodies.iter().map(|body| body.extent).reduce(|a, b| joined(a, &b))?;
    let points = (0..places.points.len()).map(|point| places.points.get(point).map(|place| [place; 2]));
    Some([bodies, points.reduce(|a, b| joined(a, &b))?])
}

/// A warning if points and bodies are implausibly far from each other.
pub fn far_away(bodies: &[Figures], places: &Places) -> Option<String> {
    if places.are_geographic {
        return None;
    }
    let [bodies, points] = extents(bodies, places)?;
    let map = [0, 1];
    let gap = map.map(|axis| (points[axis][0] - bodies[axis][1]).max(bodies[axis][0] - points[axis][1]).max(0.0));
    let size = |ends: &Extent| map.iter().map(|&axis| ends[axis][1] - ends[axis][0]).fold(0.0, f64::max);
    let distance = gap[0].hypot(gap[1]);
    (distance > FAR * size(&bodies).max(size(&points))).then(|| {
        format!(
            "the points are {:.3} km from all bodies horizontally: check that both are in metres and in the same coordinates",
            Number(1e-3 * distance)
        )
    })
}

/// A warning if all points are below all bodies, as with depths given as positive numbers.
///
/// Points at the height of the lowest bottom may be next to a hill; they cause a warning only if one of them is within
/// the horizontal bounding box of the bodies.
pub fn below_all(bodies: &[Figures], places: &Places) -> Option<String> {
    let [bodies, points] = extents(bodies, places)?;
    let (highest, bottom) = (points[2][1], bodies[2][0]);
    let is_under = |point: usize| {
        let place = places.points.get(point);
        [0, 1].iter().all(|&axis| (bodies[axis][0]..=bodies[axis][1]).contains(&place[axis]))
    };
    let is_below = highest < bottom || highest == bottom && (0..places.points.len()).any(is_under);
    is_below.then(|| {
        format!(
            "all points are below all bodies: the highest is at {z} = {} m, the lowest bottom of a body at {z} = {} m. {z} is positive up, so depths are negative",
            Number(highest),
            Number(bottom),
            z = places.axes()[2]
        )
    })
}

/// A warning if horizontal coordinates look like longitude and latitude: they are within the range of degrees, and
/// prisms are needles.
pub fn in_degrees(bodies: &[Figures], places: &Places) -> Option<String> {
    if places.are_geographic {
        return None;
    }
    let is_within =
        |extent: &Extent| DEGREES.iter().zip(extent).all(|(most, ends)| ends.iter().all(|place| place.abs() <= *most));
    let are_needles =
        bodies.iter().all(|body| body.tall[0] > 0 && body.tall[1] as f64 >= NEARLY_ALL * body.tall[0] as f64);
    (are_needles && extents(bodies, places)?.iter().all(is_within)).then(|| {
        format!(
            "all |x| <= 360 m, all |y| <= 90 m, and nearly all prisms are at least {SLENDER} times as tall as wide. Check the coordinates, which must be in metres, not degrees"
        )
    })
}
