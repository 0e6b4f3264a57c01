//! Convolutional perfectly matched layers (CPML), which absorb waves at the sides of a regular grid.
//!
//! In a layer along x each derivative is replaced by
//!
//! ```text
//! ∂f/∂x  ->  (1/κ) ∂f/∂x + ψ,    ψ(n) = b ψ(n-1) + a ∂f/∂x(n)
//! ```
//!
//! with a memory variable ψ per derivative, which exists only in the layer. The profiles b, a and 1/κ depend on the depth x below the layer's inner edge:
//!
//! ```text
//! d = d0 (x/L)^N          d0 = -(N + 1) v ln(R) / (2 L)     damping [1/s]
//! κ = 1 + (κmax - 1) (x/L)^N                                stretch [–]
//! α = π f0 (1 - x/L)                                        shift of the pole [1/s]
//! b = exp(-(d/κ + α) dt)
//! a = d (b - 1) / (κ (d + κ α))
//! ```
//!
//! # Source
//! Komatitsch and Martin (2007), Geophysics 72, SM155-SM167; κ as in Roden and Gedney (2000), Microwave and Optical
//! Technology Letters 27, 334-339.

use std::f64::consts::PI;

use crate::error::{NumericsError, positive, within};
use crate::staggered::GridPoints;

/// Design parameters of a layer, checked by [`CpmlLayer::new`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpmlDesign {
    /// Thickness L from the inner edge to the end of the grid [m].
    pub thickness: f64,
    /// Fastest wave speed in the layer, that of P waves [m/s].
    pub vp_max: f64,
    /// Dominant frequency f0 of the sources [Hz].
    pub dominant_frequency: f64,
    /// Reflection coefficient R: remaining amplitude of a P wave at normal incidence after passing through the layer and back [–], between 0 and 1; often
    /// 0.001.
    pub reflection: f64,
    /// Exponent N of the profiles [–]; often 2.
    pub exponent: f64,
    /// Largest stretch κmax [–], at least 1 (no stretch).
    pub max_stretch: f64,
}

/// A layer with validated design parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpmlLayer {
    design: CpmlDesign,
}

/// Coefficients of the recursion of the memory variable at one depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpmlFactors {
    /// b [–]: decay factor of the memory variable per step, in (0, 1].
    pub memory_decay: f64,
    /// a [–]: factor on the derivative that is added to it, in [-1, 0].
    pub memory_gain: f64,
    /// 1/κ [–]: factor on the derivative itself, in (0, 1].
    pub inverse_stretch: f64,
}

/// Coefficients at the points of a layer, from its inner edge outward; all arrays have the same length.
#[derive(Debug, Clone, PartialEq)]
pub struct CpmlProfile {
    /// b [–] at each point.
    pub memory_decay: Vec<f64>,
    /// a [–] at each point.
    pub memory_gain: Vec<f64>,
    /// 1/κ [–] at each point.
    pub inverse_stretch: Vec<f64>,
}

impl CpmlLayer {
    /// Checks a design.
    ///
    /// # Errors
    /// A thickness, speed or frequency that is not positive; a reflection outside [1e-12, 0.5], an exponent outside [1, 8], a largest
    /// stretch outside [1, 1000].
    pub fn new(design: CpmlDesign) -> Result<Self, NumericsError> {
        positive("the thickness of the absorbing layer", design.thickness)?;
        positive("the fastest speed in the absorbing layer", design.vp_max)?;
        positive("the dominant frequency", design.dominant_frequency)?;
        within("the reflection of the absorbing layer", design.reflection, 1e-12, 0.5)?;
        within("the exponent of the absorbing layer", design.exponent, 1.0, 8.0)?;
        within("the largest stretch of the absorbing layer", design.max_stretch, 1.0, 1000.0)?;
        Ok(Self { design })
    }

    /// Damping d [1/s] at a depth [m] below the inner edge: 0 at the edge and before it, d0 at L and beyond.
    ///
    /// The amplitude of a wave decreases by the factor exp(-(2/v) ∫ d dx) = R on its way to the end of the layer and back.
    ///
    /// Verified by `cpml::tests::damping_gives_the_requested_reflection`.
    pub fn damping(&self, depth: f64) -> f64 {
        let CpmlDesign { thickness, vp_max, reflection, exponent, .. } = self.design;
        let largest = -(exponent + 1.0) * vp_max * reflection.ln() / (2.0 * thickness);
        largest * self.fraction(depth).powf(exponent)
    }

    /// Factors at a depth [m] below the inner edge for the time step `dt` [s].
    ///
    /// At the edge and before it a = 0 and κ = 1: a memory variable that starts from zero stays there.
    ///
    /// # Errors
    /// A time step that is not positive.
    ///
    /// Verified by `cpml::tests::factors_agree_with_a_point_computed_by_hand` and
    /// `cpml::tests::memory_follows_its_differential_equation`.
    pub fn factors(&self, depth: f64, dt: f64) -> Result<CpmlFactors, NumericsError> {
        positive("the time step", dt)?;
        Ok(self.checked_factors(depth, dt))
    }

    /// Factors at the points of a grid in the layer, from the inner edge outward.
    ///
    /// # Arguments
    /// * `spacing` – h [m], at most the thickness
    /// * `dt` – time step [s]
    /// * `points` – positions of the points relative to the inner edge: depths i h, starting with 0, or (i + 1/2) h
    /// # Returns
    /// One value for each point not deeper than L: for L = n h, n + 1 whole or n half points. On the lower side of an axis this is in descending order of the
    /// coordinate.
    /// # Errors
    /// A time step that is not positive, a spacing outside (0, L].
    ///
    /// Verified by `cpml::tests::profiles_have_a_value_for_each_point_of_the_layer`.
    pub fn profile(&self, spacing: f64, dt: f64, points: GridPoints) -> Result<CpmlProfile, NumericsError> {
        positive("the time step", dt)?;
        positive("the grid spacing", spacing)?;
        within("the grid spacing in the absorbing layer", spacing, 0.0, self.design.thickness)?;
        // Without this tolerance, a thickness of whole spacings could miss its last point by round-off.
        let last = (self.design.thickness / spacing - points.offset() + 1e-6).floor() as usize;
        let depth = |i: usize| (i as f64 + points.offset()) * spacing;
        let factors: Vec<CpmlFactors> = (0..=last).map(|i| self.checked_factors(depth(i), dt)).collect();
        Ok(CpmlProfile {
            memory_decay: factors.iter().map(|at| at.memory_decay).collect(),
            memory_gain: factors.iter().map(|at| at.memory_gain).collect(),
            inverse_stretch: factors.iter().map(|at| at.inverse_stretch).collect(),
        })
    }

    fn checked_factors(&self, depth: f64, dt: f64) -> CpmlFactors {
        let CpmlDesign { dominant_frequency, exponent, max_stretch, .. } = self.design;
        let fraction = self.fraction(depth);
        let damping = self.damping(depth);
        let stretch = 1.0 + (max_stretch - 1.0) * fraction.powf(exponent);
        let shift = PI * dominant_frequency * (1.0 - fraction);
        let rate = -(damping / stretch + shift) * dt;
        // d + κ α > 0: the shift vanishes only at L, the damping only at 0.
        let memory_gain = damping * rate.exp_m1() / (stretch * (damping + stretch * shift));
        // Turns -0, where there is no damping, into +0.
        CpmlFactors { memory_decay: rate.exp(), memory_gain: memory_gain + 0.0, inverse_stretch: 1.0 / stretch }
    }

    /// x / L, clamped to [0, 1].
    fn fraction(&self, depth: f64) -> f64 {
        (depth / self.design.thickness).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESIGN: CpmlDesign = CpmlDesign {
        thickness: 100.0,
        vp_max: 4000.0,
        dominant_frequency: 10.0,
        reflection: 1e-3,
        exponent: 2.0,
        max_stretch: 3.0,
    };

    fn layer() -> CpmlLayer {
        CpmlLayer::new(DESIGN).unwrap()
    }

    #[test]
    fn nothing_is_damped_at_the_inner_edge_and_before_it() {
        for depth in [0.0, -1.0, -1e9] {
            let factors = layer().factors(depth, 1e-3).unwrap();
            assert_eq!(layer().damping(depth), 0.0);
            assert_eq!(factors.memory_gain.to_bits(), 0.0_f64.to_bits());
            assert_eq!(factors.inverse_stretch, 1.0);
            assert!((factors.memory_decay - (-PI * 10.0 * 1e-3_f64).exp()).abs() < 1e-15);
        }
    }

    #[test]
    fn factors_agree_with_a_point_computed_by_hand() {
        // x = L/2: d = 3 * 4000 * 6.907755 / 200 / 4 = 103.61633, κ = 1.5, α = 5 π = 15.707963, with dt = 1 ms.
        let factors = layer().factors(50.0, 1e-3).unwrap();
        assert!((layer().damping(50.0) - 103.616329).abs() < 1e-6);
        // exp(-(69.0775528 + 15.7079633) / 1000), and 103.616329 * (b - 1) / (1.5 * 127.1782739).
        assert!((factors.memory_decay - 0.918709).abs() < 1e-6, "{}", factors.memory_decay);
        assert!((factors.memory_gain + 0.044154).abs() < 1e-6, "{}", factors.memory_gain);
        assert!((factors.inverse_stretch - 2.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn damping_gives_the_requested_reflection() {
        for exponent in [1.0, 2.0, 3.5] {
            let layer = CpmlLayer::new(CpmlDesign { exponent, ..DESIGN }).unwrap();
            let steps = 100_000;
            let step = DESIGN.thickness / f64::from(steps);
            let way: f64 = (0..steps).map(|i| layer.damping((f64::from(i) + 0.5) * step) * step).sum();
            let reflection = (-2.0 * way / DESIGN.vp_max).exp();
            assert!((reflection / DESIGN.reflection - 1.0).abs() < 1e-8, "{reflection}");
        }
    }

    /// The memory variable answers to a constant derivative g by dψ/dt = -(d/κ + α) ψ - d g / κ².
    #[test]
    fn memory_follows_its_differential_equation() {
        let (depth, dt, g) = (70.0, 1e-3, 2.0);
        let (d, stretch, shift) = (layer().damping(depth), 1.0 + 2.0 * 0.49, PI * 10.0 * 0.3);
        let factors = layer().factors(depth, dt).unwrap();
        let memory = (0..30).fold(0.0, |memory, _| factors.memory_decay * memory + factors.memory_gain * g);
        let rate = d / stretch + shift;
        let exact = -d * g / (stretch * stretch * rate) * (1.0 - (-rate * 30.0 * dt).exp());
        assert!((memory / exact - 1.0).abs() < 1e-12, "{memory} {exact}");
    }

    #[test]
    fn profiles_have_a_value_for_each_point_of_the_layer() {
        for (points, count) in [(GridPoints::Whole, 11), (GridPoints::Half, 10)] {
            let profile = layer().profile(10.0, 1e-3, points).unwrap();
            assert_eq!(profile.memory_decay.len(), count);
            assert_eq!((profile.memory_gain.len(), profile.inverse_stretch.len()), (count, count));
            for i in 0..count {
                let factors = layer().factors((i as f64 + points.offset()) * 10.0, 1e-3).unwrap();
                assert_eq!(profile.memory_decay[i], factors.memory_decay);
                assert_eq!(profile.memory_gain[i], factors.memory_gain);
                assert_eq!(profile.inverse_stretch[i], factors.inverse_stretch);
            }
        }
        // 0.3 / 0.1 falls short of 3.
        let thin = CpmlLayer::new(CpmlDesign { thickness: 0.3, ..DESIGN }).unwrap();
        assert_eq!(thin.profile(0.1, 1e-3, GridPoints::Whole).unwrap().memory_gain.len(), 4);
        assert_eq!(thin.profile(0.3, 1e-3, GridPoints::Half).unwrap().memory_gain.len(), 1);
    }

    #[test]
    fn factors_stay_in_their_ranges_and_damping_grows() {
        for max_stretch in [1.0, 7.0] {
            for dt in [1e-6, 1e-3, 0.1] {
                let layer = CpmlLayer::new(CpmlDesign { max_stretch, ..DESIGN }).unwrap();
                let depths: Vec<f64> = (0..=200).map(|i| 0.5 * f64::from(i)).collect();
                for &depth in &depths {
                    let factors = layer.factors(depth, dt).unwrap();
                    assert!(factors.memory_decay > 0.0 && factors.memory_decay <= 1.0, "{factors:?}");
                    assert!(factors.memory_gain >= -1.0 && factors.memory_gain <= 0.0, "{factors:?}");
                    assert!(factors.inverse_stretch > 0.0 && factors.inverse_stretch <= 1.0, "{factors:?}");
                }
                assert!(depths.windows(2).all(|pair| layer.damping(pair[0]) < layer.damping(pair[1])));
            }
        }
    }

    #[test]
    fn designs_out_of_range_are_refused() {
        let refused = |design: CpmlDesign| CpmlLayer::new(design).unwrap_err().to_string();
        assert!(refused(CpmlDesign { thickness: 0.0, ..DESIGN }).contains("thickness"));
        assert!(refused(CpmlDesign { vp_max: f64::NAN, ..DESIGN }).contains("NaN"));
        assert!(refused(CpmlDesign { dominant_frequency: -1.0, ..DESIGN }).contains("frequency"));
        assert!(refused(CpmlDesign { reflection: 1.0, ..DESIGN }).contains("between 0.000000000001 and 0.5"));
        assert!(refused(CpmlDesign { exponent: 0.0, ..DESIGN }).contains("between 1 and 8"));
        assert!(refused(CpmlDesign { max_stretch: 0.5, ..DESIGN }).contains("between 1 and 1000"));
        assert!(layer().factors(1.0, 0.0).is_err());
        assert!(layer().profile(101.0, 1e-3, GridPoints::Whole).is_err());
        assert!(layer().profile(10.0, -1.0, GridPoints::Half).is_err());
    }
}
