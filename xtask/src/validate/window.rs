//! How long a receiver records nothing but the Earth: until the first reflection from an artificial boundary.

use craton::Setup;
use craton::config::BoundaryKind;

/// Names of the sides in the order of `Setup::boundaries`.
const SIDES: [&str; 6] = ["x min", "x max", "y min", "y max", "bottom", "top"];
/// A source has begun once its time function has risen to this part of its peak.
const ONSET: f64 = 1e-3;

/// The first artificial reflection at a receiver.
#[derive(Debug, PartialEq)]
pub struct Reflection {
    /// When it can arrive at the earliest [s].
    pub time: f64,
    /// The side that it comes from.
    pub side: &'static str,
}

impl Reflection {
    /// The shortest way from the source over an absorbing side to a receiver, gone at the fastest speed there is.
    ///
    /// The way to a plane and on is as long as the straight line from the source's mirror image behind it. Nothing can be faster, so
    /// the time is too early where the fastest layer lies off the way; never too late. `None` without an absorbing side.
    pub fn first(setup: &Setup, receiver: [f64; 3]) -> Option<Self> {
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
}

/// Length of the way from one point to another over a plane across an axis.
fn length_over(plane: f64, axis: usize, mut from: [f64; 3], to: [f64; 3]) -> f64 {
    from[axis] = 2.0 * plane - from[axis];
    from.iter().zip(to).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_over_a_plane_is_that_from_the_mirror_image() {
        assert_eq!(length_over(-3.0, 0, [0.0, 0.0, 1.0], [2.0, 0.0, 1.0]), 8.0);
        assert_eq!(length_over(4.0, 2, [0.0; 3], [0.0, 6.0, 0.0]), 10.0);
    }
}
