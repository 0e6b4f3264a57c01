//! Time window of a receiver before the first reflection from an artificial boundary.

use craton::Setup;
use craton::config::BoundaryKind;
use craton_model::geodesy::{EARTH_RADIUS, Sphere};
use craton_model::{Phase, TravelTimes};

/// Names of the sides in the order of `Setup::boundaries`.
const SIDES: [&str; 6] = ["x min", "x max", "y min", "y max", "bottom", "top"];
/// A source has begun once its time function has risen to this part of its peak.
const ONSET: f64 = 1e-3;

/// The first artificial reflection at a receiver.
#[derive(Debug, PartialEq)]
pub struct Reflection {
    /// Earliest possible arrival time [s].
    pub time: f64,
    /// The side that it comes from.
    pub side: &'static str,
}

impl Reflection {
    /// The shortest path from the source via an absorbing side to a receiver, at the largest speed of the model.
    ///
    /// The way to a plane and on is as long as the straight line from the source's mirror image behind it. Nothing can be faster, so
    /// the time is too early where the fastest layer lies off the way; never too late. `None` without an absorbing side. In a chunk of the Earth it is
    /// the time of a ray, see [`Self::on_sphere`].
    pub fn first(setup: &Setup, receiver: [f64; 3]) -> Option<Self> {
        if let Some(chunk) = setup.frame.sphere() {
            return Self::on_sphere(setup, chunk, Phase::P, receiver);
        }
        let regions = 0..setup.model.regions().len();
        let [bottom, top] = setup.z;
        let fastest = regions.map(|region| setup.model.fastest(region, bottom, top)).fold(0.0, f64::max);
        let planes = [setup.x, setup.y, setup.z].into_iter().flatten().enumerate();
        let absorbing = planes.filter(|&(side, _)| setup.boundaries[side] == BoundaryKind::Absorbing);
        let ways = absorbing.flat_map(|(side, plane)| {
            setup.sources.iter().map(move |source| {
                let way = length_over(plane, side / 2, source.position(), receiver);
                Self { time: source.onset(ONSET) + way / fastest, side: SIDES[side] }
            })
        });
        ways.min_by(|a, b| a.time.total_cmp(&b.time))
    }

    /// The first arrival of a phase from the absorbing sides of a chunk of the Earth at a receiver on its surface.
    ///
    /// The sides are planes through the centre of the Earth, so what they send back arrives as at the mirror image of the receiver in an Earth that goes
    /// on. `None` where the phase reaches none of the images.
    pub fn on_sphere(setup: &Setup, chunk: &Sphere, phase: Phase, receiver: [f64; 3]) -> Option<Self> {
        let sides: Vec<usize> = (0..4).filter(|&side| setup.boundaries[side] == BoundaryKind::Absorbing).collect();
        let ends = [setup.x[0], setup.x[1], setup.y[0], setup.y[1]];
        let ways = setup.sources.iter().flat_map(|source| {
            let times = TravelTimes::new(&setup.model, -source.position()[2], -setup.z[0]).ok();
            let arrival = |&side: &usize| {
                let distance = arc_over(chunk, ends[side], side / 2, source.position(), receiver);
                let arrival = times.as_ref()?.first(phase, distance)?;
                Some(Self { time: source.onset(ONSET) + arrival.time, side: SIDES[side] })
            };
            sides.iter().filter_map(arrival).collect::<Vec<_>>()
        });
        ways.min_by(|a, b| a.time.total_cmp(&b.time))
    }
}

/// Angle at the centre of the Earth \[degrees\] from one point to the mirror image of another in a side of a chunk.
///
/// # Arguments
/// * `end` – x or y of the side \[m\]
/// * `axis` – 0 for a side of constant x, 1 for one of constant y
fn arc_over(chunk: &Sphere, end: f64, axis: usize, from: [f64; 3], to: [f64; 3]) -> f64 {
    let [from, mut to] = [from, to].map(|[x, y, _]| chunk.to_space([x, y, 0.0]).map(|along| along / EARTH_RADIUS));
    let (sin, cos) = (end / EARTH_RADIUS).sin_cos();
    // Across the side lies cos along its axis, -sin along the way up.
    let behind = cos * to[axis] - sin * to[2];
    to[axis] -= 2.0 * behind * cos;
    to[2] += 2.0 * behind * sin;
    let apart = from.iter().zip(to).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    2.0 * (0.5 * apart).asin().to_degrees()
}

/// Length of the way from one point to another over a plane across an axis.
fn length_over(plane: f64, axis: usize, mut from: [f64; 3], to: [f64; 3]) -> f64 {
    from[axis] = 2.0 * plane - from[axis];
    from.iter().zip(to).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use craton_model::geodesy::Latitudes;

    #[test]
    fn a_way_over_the_side_of_a_chunk_ends_at_the_mirror_image() {
        let chunk = Sphere::chunk(-67.25, -13.82, 0.0, Latitudes::Geocentric).unwrap();
        let at = |degrees: f64| EARTH_RADIUS * degrees.to_radians();
        let arc = |end: f64, axis: usize, from: [f64; 2], to: [f64; 2]| {
            let [from, to] = [from, to].map(|[x, y]| [at(x), at(y), -3e5]);
            arc_over(&chunk, at(end), axis, from, to)
        };
        // 5 degrees south of the middle: 40 degrees to the southern side, and the same behind it.
        assert!((arc(-45.0, 1, [0.0, 0.0], [0.0, -5.0]) - 85.0).abs() < 1e-9);
        assert!((arc(45.0, 1, [0.0, 0.0], [0.0, -5.0]) - 95.0).abs() < 1e-9);
        assert!((arc(-32.0, 0, [-20.0, 0.0], [-12.0, 0.0]) - 32.0).abs() < 1e-9);
        assert!((arc(45.0, 0, [0.0, 0.0], [0.0, -5.0]) - 90.0).abs() < 1e-9);
    }

    #[test]
    fn a_way_over_a_plane_is_that_from_the_mirror_image() {
        assert_eq!(length_over(-3.0, 0, [0.0, 0.0, 1.0], [2.0, 0.0, 1.0]), 8.0);
        assert_eq!(length_over(4.0, 2, [0.0; 3], [0.0, 6.0, 0.0]), 10.0);
    }
}
