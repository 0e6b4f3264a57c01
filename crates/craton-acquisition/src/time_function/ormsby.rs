//! The Ormsby wavelet.

use std::f64::consts::PI;

use super::Shape;
use super::sine_integral::sine_integral;
use super::triangle::sinc;

/// Ormsby wavelet: zero phase, with a trapezoidal spectrum that rises from f1 to f2, is flat up to f3 and falls to f4.
///
/// s = ((q(f4) - q(f3)) / (f4 - f3) - (q(f2) - q(f1)) / (f2 - f1)) / (π (f4 + f3 - f2 - f1)), q(f) = sin²(π f τ) / (π τ²),
/// τ = t - centre.
///
/// # Source
/// Ryan (1994), Ricker, Ormsby, Klauder, Butterworth – a choice of wavelets, CSEG Recorder 19(7). Verified by
/// `an_ormsby_wavelet_is_the_transform_of_its_trapezoid`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ormsby {
    pub(super) corners: [f64; 4],
    pub(super) centre: f64,
}

impl Ormsby {
    /// Corner frequencies f1, f2, f3, f4 \[Hz\].
    pub fn corners(&self) -> [f64; 4] {
        self.corners
    }

    /// Time of the peak \[s\].
    pub fn centre(&self) -> f64 {
        self.centre
    }

    /// Applies the formula of s to a function of one frequency: the divided differences over both flanks, scaled to unit peak.
    fn flank_difference(&self, of: impl Fn(f64) -> f64) -> f64 {
        let [f1, f2, f3, f4] = self.corners;
        let [rise, fall] = [(of(f2) - of(f1)) / (f2 - f1), (of(f4) - of(f3)) / (f4 - f3)];
        (fall - rise) / (PI * self.width())
    }

    /// Area under the trapezoid of unit height, over positive and negative frequencies \[Hz\].
    fn width(&self) -> f64 {
        let [f1, f2, f3, f4] = self.corners;
        f4 + f3 - f2 - f1
    }
}

impl Shape for Ormsby {
    fn value(&self, t: f64) -> f64 {
        let tau = t - self.centre;
        self.flank_difference(|f| PI * (f * sinc(PI * f * tau)).powi(2))
    }

    fn integral(&self, t: f64) -> f64 {
        let tau = t - self.centre;
        self.flank_difference(|f| {
            let x = PI * f * tau;
            f * (0.5 * PI + sine_integral(2.0 * x) - x * sinc(x).powi(2))
        })
    }

    fn derivative(&self, t: f64) -> f64 {
        let tau = t - self.centre;
        self.flank_difference(|f| {
            let x = PI * f * tau;
            2.0 * PI * PI * f.powi(3) * sinc(x) * sinc_slope(x)
        })
    }

    fn onset(&self, level: f64) -> f64 {
        // Each q lies between 0 and 1/(π τ²); far from the peak the wavelet occasionally comes close to this bound.
        let [f1, f2, f3, f4] = self.corners;
        let bound = (1.0 / (f4 - f3) + 1.0 / (f2 - f1)) / (PI * PI * self.width());
        self.centre - (bound / level).sqrt()
    }

    fn amplitude_spectrum(&self, frequency: f64) -> f64 {
        let [f1, f2, f3, f4] = self.corners;
        let trapezoid = ((frequency - f1) / (f2 - f1)).min((f4 - frequency) / (f4 - f3)).clamp(0.0, 1.0);
        trapezoid / self.width()
    }

    fn upper_frequency(&self, level: f64) -> f64 {
        let [_, _, f3, f4] = self.corners;
        f4 - level * (f4 - f3)
    }
}

/// Derivative of sin(x) / x.
fn sinc_slope(x: f64) -> f64 {
    if x.abs() > 0.1 {
        return (x.cos() - sinc(x)) / x;
    }
    // The difference above suffers from cancellation; the omitted terms of this series are below 1e-15.
    let y = x * x;
    x * (-1.0 / 3.0 + y * (1.0 / 30.0 + y * (-1.0 / 840.0 + y / 45_360.0)))
}
