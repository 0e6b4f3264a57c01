//! Losses of waves: inverse quality factors of the moduli.

use std::sync::Arc;

use crate::check::require;
use crate::{ElementMedia, Medium, ModelError, VolumeAxis};

/// Smallest quality factor that mechanisms fit \[–\].
pub const LOWEST_QUALITY: f64 = 5.0;

/// Inverse quality factors of the moduli; those of an elastic medium are zero.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Losses {
    /// Of the bulk modulus \[–\].
    pub bulk: f64,
    /// Of the shear modulus \[–\].
    pub shear: f64,
}

impl Losses {
    /// No losses.
    pub const NONE: Self = Self { bulk: 0.0, shear: 0.0 };

    /// Losses of moduli with quality factors, infinite if a modulus is elastic.
    ///
    /// # Errors
    /// A quality factor below 5.
    pub fn of_moduli(qkappa: f64, qmu: f64) -> Result<Self, ModelError> {
        Ok(Self { bulk: 1.0 / quality("qkappa", qkappa)?, shear: 1.0 / quality("qmu", qmu)? })
    }

    /// Losses of a medium whose P and S waves have quality factors, infinite if a wave has no losses.
    ///
    /// ```text
    /// 1/Q_P = (1 - x) / Qκ + x / Qμ,  x = 4/3 (vs/vp)²
    /// ```
    ///
    /// # Errors
    /// A quality factor below 5; those with which compression would gain energy (Qκ < 0).
    pub fn of_waves(qp: f64, qs: f64, vp: f64, vs: f64) -> Result<Self, ModelError> {
        let [of_p, shear] = [1.0 / quality("qp", qp)?, 1.0 / quality("qs", qs)?];
        let x = 4.0 / 3.0 * (vs / vp).powi(2);
        if vs == 0.0 {
            return Ok(Self { bulk: of_p, shear: 0.0 });
        }
        let bulk = (of_p - x * shear) / (1.0 - x);
        // Values for which Qκ is infinite are rounded in files.
        require(
            bulk >= -0.02 * of_p,
            "qp",
            qp,
            format!("at most {:.4} where qs = {qs}, vp = {vp} and vs = {vs} m/s", qs / x),
            format!(
                "the bulk modulus would have Q = {:.4}, so that compression gains energy; lower qp or raise qs",
                1.0 / bulk
            ),
        )?;
        let bulk = bulk.max(0.0);
        require(
            bulk <= 1.0 / LOWEST_QUALITY,
            "qp",
            qp,
            format!(
                "such that the quality factor of the bulk modulus, {:.4}, is at least {LOWEST_QUALITY}",
                1.0 / bulk
            ),
            "raise qp",
        )?;
        Ok(Self { bulk, shear })
    }

    /// Loss of P waves in a medium \[–\].
    pub fn of_p_waves(&self, vp: f64, vs: f64) -> f64 {
        let x = 4.0 / 3.0 * (vs / vp).powi(2);
        (1.0 - x) * self.bulk + x * self.shear
    }

    /// The larger losses of both.
    pub fn max(self, other: Self) -> Self {
        Self { bulk: self.bulk.max(other.bulk), shear: self.shear.max(other.shear) }
    }

    fn between(self, other: Self, share: f64) -> Self {
        let mean = |from: f64, to: f64| from + share * (to - from);
        Self { bulk: mean(self.bulk, other.bulk), shear: mean(self.shear, other.shear) }
    }
}

/// Returns a quality factor, which may be infinite.
fn quality(what: &str, value: f64) -> Result<f64, ModelError> {
    let hint = match value > 0.0 && value < 1.0 {
        true => "it seems to be 1/Q; set Q",
        false => "omit it where there is no attenuation",
    };
    require(value >= LOWEST_QUALITY, what, value, format!("at least {LOWEST_QUALITY}"), hint)
}

/// Losses as a function of position in a region.
#[derive(Debug, Clone, PartialEq)]
pub enum LossField {
    /// The same everywhere.
    Constant(Losses),
    /// Losses that depend on depth.
    Depth(Arc<LossProfile>),
    /// Losses at the points of a grid.
    Grid(Arc<LossGrid>),
    /// Losses of each element of a mesh.
    Elements(Arc<ElementMedia>),
    /// Losses that follow from the speed of S waves.
    OfSpeed(QualityOfSpeed),
}

/// Quality factors of P and S waves that follow from the speed of S waves: Q_S = factor (vs / 1 m/s)^exponent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QualityOfSpeed {
    /// Q_S at 1 m/s \[–\].
    pub factor: f64,
    /// Exponent of the speed \[–\].
    pub exponent: f64,
    /// Q_P / Q_S \[–\].
    pub ratio: f64,
}

impl QualityOfSpeed {
    /// Upper bound of the losses of media whose S waves are not slower than `slowest` \[m/s\].
    fn greatest(&self, slowest: f64) -> Losses {
        let shear = 1.0 / (self.factor * slowest.powf(self.exponent)).max(LOWEST_QUALITY);
        // 1/Q_P is at least (1 - x) / Qκ, with x up to 1/2 in ordinary rock; the bound is that of losses of compression alone.
        Losses { bulk: (2.0 * shear / self.ratio).min(1.0 / LOWEST_QUALITY), shear }
    }

    /// Losses of a medium; quality factors below 5 are set to 5, and negative losses of the bulk modulus to 0. A fluid has none.
    pub fn losses(&self, medium: &Medium) -> Losses {
        let [vp, vs] = medium.mean_speeds();
        if vs == 0.0 {
            return Losses::NONE;
        }
        let shear = 1.0 / (self.factor * vs.powf(self.exponent)).max(LOWEST_QUALITY);
        let x = 4.0 / 3.0 * (vs / vp).powi(2);
        let bulk = ((shear / self.ratio - x * shear) / (1.0 - x)).clamp(0.0, 1.0 / LOWEST_QUALITY);
        Losses { bulk, shear }
    }
}

/// Losses that are linear between heights, constant above the first and below the last one. A height that occurs twice is a discontinuity.
#[derive(Debug, Clone, PartialEq)]
pub struct LossProfile {
    /// Height \[m\] and losses, from the top down.
    knots: Vec<(f64, Losses)>,
}

impl LossProfile {
    /// Creates a profile from heights \[m\] and losses, from the top down.
    ///
    /// # Panics
    /// Without heights, or if they increase.
    pub fn new(knots: Vec<(f64, Losses)>) -> Self {
        assert!(
            !knots.is_empty() && knots.is_sorted_by(|above, below| above.0 >= below.0),
            "heights from the top down"
        );
        Self { knots }
    }

    /// The part of the profile between two heights \[m\], with the limits from inside at both ends.
    pub fn within(&self, top: f64, bottom: f64) -> Self {
        let lines = self.knots.windows(2).filter(|pair| pair[0].0 > bottom && pair[1].0 < top && pair[1].0 < pair[0].0);
        let ends = lines.flat_map(|pair| {
            let [(high, above), (low, below)] = [pair[0], pair[1]];
            let at = |z: f64| (z, above.between(below, (high - z) / (high - low)));
            [at(high.min(top)), at(low.max(bottom))]
        });
        let knots: Vec<_> = ends.collect();
        if knots.is_empty() { Self { knots: vec![(top, self.at(top))] } } else { Self { knots } }
    }

    /// Whether losses are discontinuous at a height \[m\].
    pub fn jumps(&self, z: f64) -> bool {
        self.knots.windows(2).any(|pair| pair[0].0 == z && pair[1].0 == z && pair[0].1 != pair[1].1)
    }

    /// Losses at a height \[m\]: those below it at a discontinuity.
    pub fn at(&self, z: f64) -> Losses {
        let below = self.knots.partition_point(|(height, _)| *height >= z);
        let Some(&(high, above)) = below.checked_sub(1).map(|index| &self.knots[index]) else {
            return self.knots[0].1;
        };
        let Some(&(low, under)) = self.knots.get(below) else { return above };
        above.between(under, (high - z) / (high - low))
    }
}

/// Losses at the points of a regular grid, interpolated linearly and constant beyond the outermost points.
#[derive(Debug, Clone, PartialEq)]
pub struct LossGrid {
    axes: [VolumeAxis; 3],
    /// Bulk and shear loss of each point, x fastest, then y, then z.
    points: Vec<[f32; 2]>,
}

impl LossGrid {
    /// Creates a grid of losses.
    ///
    /// # Panics
    /// If the number of values differs from the number of points.
    pub fn new(axes: [VolumeAxis; 3], points: Vec<[f32; 2]>) -> Self {
        assert_eq!(points.len(), axes.iter().map(|axis| axis.count).product::<usize>(), "losses at every point");
        Self { axes, points }
    }

    /// Losses at a position \[m\].
    pub fn at(&self, position: [f64; 3]) -> Losses {
        let around: [_; 3] = std::array::from_fn(|axis| self.axes[axis].around(position[axis]));
        let strides = [1, self.axes[0].count, self.axes[0].count * self.axes[1].count];
        let mut sums = [0.0; 2];
        for corner in 0..8_usize {
            let (mut point, mut weight) = (0, 1.0);
            for axis in 0..3 {
                let ((lower, share), is_upper) = (around[axis], corner >> axis & 1 == 1);
                point += (lower + usize::from(is_upper)) * strides[axis];
                weight *= if is_upper { share } else { 1.0 - share };
            }
            if weight > 0.0 {
                sums = [0, 1].map(|p| sums[p] + weight * f64::from(self.points[point][p]));
            }
        }
        Losses { bulk: sums[0], shear: sums[1] }
    }
}

impl From<LossProfile> for LossField {
    fn from(profile: LossProfile) -> Self {
        let first = profile.knots[0].1;
        match profile.knots.iter().all(|(_, losses)| *losses == first) {
            true => Self::Constant(first),
            false => Self::Depth(Arc::new(profile)),
        }
    }
}

impl LossField {
    /// No losses.
    pub const NONE: Self = Self::Constant(Losses::NONE);

    /// Whether there are no losses anywhere.
    pub fn is_none(&self) -> bool {
        match self {
            Self::OfSpeed(_) => false,
            _ => self.greatest(0.0) == Losses::NONE,
        }
    }

    /// Whether the losses are the same everywhere in a homogeneous medium.
    pub fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_) | Self::OfSpeed(_))
    }

    /// Losses at a position \[m\] with a medium.
    #[inline]
    pub fn at(&self, position: [f64; 3], medium: &Medium) -> Losses {
        match self {
            Self::Constant(losses) => *losses,
            Self::Depth(profile) => profile.at(position[2]),
            Self::Grid(grid) => grid.at(position),
            Self::Elements(media) => media.losses(position),
            Self::OfSpeed(relation) => relation.losses(medium),
        }
    }

    /// Upper bound of the losses in a region.
    ///
    /// # Arguments
    /// * `slowest` – lower bound of the speed of S waves in the region \[m/s\]
    pub fn greatest(&self, slowest: f64) -> Losses {
        match self {
            Self::Constant(losses) => *losses,
            Self::Depth(profile) => profile.knots.iter().fold(Losses::NONE, |most, knot| most.max(knot.1)),
            Self::Grid(grid) => grid
                .points
                .iter()
                .fold(Losses::NONE, |most, &[bulk, shear]| most.max(Losses { bulk: bulk.into(), shear: shear.into() })),
            Self::Elements(media) => media.greatest_losses(),
            Self::OfSpeed(relation) => relation.greatest(slowest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quality_factors_of_waves_become_those_of_moduli() {
        let (vp, vs) = (6000.0, 3464.0);
        let losses = Losses::of_waves(155.9, 69.3, vp, vs).unwrap();
        assert!((losses.of_p_waves(vp, vs) * 155.9 - 1.0).abs() < 1e-12 && losses.shear == 1.0 / 69.3);
        assert!(losses.bulk > 0.0 && losses.bulk < 1e-4, "{losses:?}");
        assert_eq!(Losses::of_waves(100.0, f64::INFINITY, 1500.0, 0.0).unwrap(), Losses { bulk: 0.01, shear: 0.0 });
        let message = |qp, qs| Losses::of_waves(qp, qs, vp, vs).unwrap_err().to_string();
        assert!(
            message(400.0, 69.3).starts_with("qp = 400 is not allowed: it must be at most 155.9"),
            "{}",
            message(400.0, 69.3)
        );
        assert!(message(0.01, 0.02).contains("it seems to be 1/Q"), "{}", message(0.01, 0.02));
        assert!(message(80.0, 3.0).starts_with("qs = 3 is not allowed: it must be at least 5"));
    }

    #[test]
    fn losses_of_a_profile_are_linear_between_heights() {
        let loss = |shear: f64| Losses { bulk: 0.0, shear };
        let profile =
            LossProfile::new(vec![(0.0, loss(0.01)), (-10.0, loss(0.03)), (-10.0, loss(0.1)), (-20.0, loss(0.1))]);
        for (z, shear) in
            [(5.0, 0.01), (-2.5, 0.015), (-9.999_999, 0.03), (-10.000_001, 0.1), (-15.0, 0.1), (-50.0, 0.1)]
        {
            assert!((profile.at(z).shear - shear).abs() < 1e-6, "{z}: {:?}", profile.at(z));
        }
        let below = profile.within(-10.0, -15.0);
        assert_eq!((below.at(-10.0).shear, below.at(0.0).shear), (0.1, 0.1));
        assert_eq!(LossField::from(below), LossField::Constant(loss(0.1)));
        assert!((profile.within(-5.0, -12.0).at(-5.0).shear - 0.02).abs() < 1e-12);
        assert_eq!(LossField::from(profile).greatest(0.0).shear, 0.1);
    }

    #[test]
    fn losses_of_a_grid_are_trilinear() {
        let axis = |first, count| VolumeAxis { first, spacing: 10.0, count };
        let points = (0..12).map(|point| [0.01 * point as f32, 0.02]).collect();
        let grid = LossGrid::new([axis(0.0, 3), axis(0.0, 2), axis(-10.0, 2)], points);
        let found = grid.at([5.0, 5.0, -5.0]);
        assert!((found.bulk - 0.05).abs() < 1e-7 && (found.shear - 0.02).abs() < 1e-7, "{found:?}");
    }

    #[test]
    fn a_relation_gives_quality_factors_from_the_speed() {
        let relation = QualityOfSpeed { factor: 0.02, exponent: 1.0, ratio: 2.0 };
        let rock = Medium::isotropic(5000.0, 2500.0, 2500.0).unwrap();
        let losses = relation.losses(&rock);
        assert_eq!(losses.shear, 1.0 / 50.0);
        assert!((losses.of_p_waves(5000.0, 2500.0) - 0.01).abs() < 1e-12);
        let slow = Medium::isotropic(500.0, 100.0, 1500.0).unwrap();
        assert_eq!(relation.losses(&slow).shear, 1.0 / LOWEST_QUALITY);
    }
}
