//! Point sources: position, mechanism and time function.

use crate::error::finite;
use crate::time_function::HALF_DURATION_OVER_WIDTH;
use crate::{AcquisitionError, MomentTensor, TimeFunction};

/// The mechanism of a point source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mechanism {
    /// A moment tensor: slip on a fault, an explosion.
    Moment(MomentTensor),
    /// A force \[N\], x east, y north, z up.
    Force([f64; 3]),
}

impl Mechanism {
    fn name(&self) -> &'static str {
        match self {
            Self::Moment(_) => "moment tensor",
            Self::Force(_) => "force",
        }
    }

    /// Rotates the mechanism: its components along `axes`, three orthonormal vectors, become components along the coordinate axes in which
    /// those vectors are given.
    ///
    /// Verified by `mechanisms_rotate_with_their_axes`.
    pub fn along(&self, axes: &[[f64; 3]; 3]) -> Self {
        let sum = |term: &dyn Fn(usize) -> f64| (0..3).map(term).sum::<f64>();
        match self {
            Self::Force(force) => Self::Force(std::array::from_fn(|j| sum(&|i| force[i] * axes[i][j]))),
            Self::Moment(tensor) => {
                let [xx, yy, zz, yz, xz, xy] = tensor.to_voigt();
                let matrix = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
                let at = |j: usize, k: usize| sum(&|i| sum(&|l| axes[i][j] * matrix[i][l] * axes[l][k]));
                let turned = MomentTensor::new([at(0, 0), at(1, 1), at(2, 2), at(1, 2), at(0, 2), at(0, 1)]);
                Self::Moment(turned.expect("a rotation keeps components finite"))
            }
        }
    }

    fn components(&self) -> Vec<f64> {
        match self {
            Self::Moment(tensor) => tensor.to_voigt().to_vec(),
            Self::Force(force) => force.to_vec(),
        }
    }
}

/// The meaning of the time function of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Describes {
    /// The rate: moment or force is the integral of s.
    Rate,
    /// The history: moment or force is M s(t) or F s(t).
    History,
}

impl Describes {
    /// The usual meaning: a pulse is the rate of a moment; for forces, and for steps of either kind, the time function is the history.
    pub fn by_convention(mechanism: &Mechanism, time_function: &TimeFunction) -> Self {
        match (mechanism, time_function) {
            (Mechanism::Moment(_), TimeFunction::ErrorFunction(_)) => Self::History,
            (Mechanism::Moment(_), _) => Self::Rate,
            (Mechanism::Force(_), _) => Self::History,
        }
    }
}

/// A validated point source.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    name: String,
    position: [f64; 3],
    mechanism: Mechanism,
    time_function: TimeFunction,
    describes: Describes,
    delay: f64,
}

impl Source {
    /// Creates a source without delay, whose time function has its [usual meaning](Describes::by_convention).
    ///
    /// # Arguments
    /// * `name` – name used in messages
    /// * `position` – x east, y north, z up \[m\]
    /// # Errors
    /// A position or a component that is not finite, a mechanism with all components zero, a rate that does not end at zero.
    pub fn new(
        name: impl Into<String>,
        position: [f64; 3],
        mechanism: Mechanism,
        time_function: TimeFunction,
    ) -> Result<Self, AcquisitionError> {
        let describes = Describes::by_convention(&mechanism, &time_function);
        Self::with_meaning(name, position, mechanism, time_function, describes)
    }

    /// As [`new`](Self::new), with the meaning of the time function.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_meaning(
        name: impl Into<String>,
        position: [f64; 3],
        mechanism: Mechanism,
        time_function: TimeFunction,
        describes: Describes,
    ) -> Result<Self, AcquisitionError> {
        let name = name.into();
        for (axis, value) in ["x", "y", "z"].iter().zip(position) {
            finite(&format!("source \"{name}\", {axis}"), value, "a finite number of m")?;
        }
        let components = mechanism.components();
        for &value in &components {
            let what = format!("source \"{name}\", a component of its {}", mechanism.name());
            finite(&what, value, "a finite number")?;
        }
        if components.iter().all(|&component| component == 0.0) {
            return Err(AcquisitionError::Silent { source_name: name, mechanism: mechanism.name() });
        }
        let source = Self { name, position, mechanism, time_function, describes, delay: 0.0 };
        source.describing(describes)
    }

    /// Sets whether the time function is the rate or the history.
    ///
    /// # Errors
    /// A rate that does not end at zero.
    pub fn describing(self, describes: Describes) -> Result<Self, AcquisitionError> {
        let final_value = self.time_function.final_value();
        if describes == Describes::Rate && final_value != 0.0 {
            return Err(AcquisitionError::EndlessGrowth {
                source_name: self.name,
                mechanism: self.mechanism.name(),
                final_value,
            });
        }
        Ok(Self { describes, ..self })
    }

    /// Delays the source by `delay` \[s\], which may be negative.
    ///
    /// # Errors
    /// A delay that is not finite.
    pub fn delayed(self, delay: f64) -> Result<Self, AcquisitionError> {
        finite(&format!("source \"{}\", delay", self.name), delay, "a finite time in s")?;
        Ok(Self { delay, ..self })
    }

    /// Name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Position x east, y north, z up \[m\].
    pub fn position(&self) -> [f64; 3] {
        self.position
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// s(t), without the delay.
    pub fn time_function(&self) -> &TimeFunction {
        &self.time_function
    }

    /// Whether the time function is the rate or the history.
    pub fn describes(&self) -> Describes {
        self.describes
    }

    /// Delay of the time function \[s\].
    pub fn delay(&self) -> f64 {
        self.delay
    }

    /// Half duration \[s\] of the moment rate, of which catalogues store twice the value: that of a triangle, or of the triangle that a
    /// Gaussian rate replaces; `None` for a rate of another shape.
    pub fn half_duration(&self) -> Option<f64> {
        let of_width = |width: f64| width * HALF_DURATION_OVER_WIDTH;
        match (&self.time_function, self.describes) {
            (TimeFunction::Gaussian(pulse), Describes::Rate) => {
                Some(of_width(pulse.sigma() * std::f64::consts::SQRT_2))
            }
            (TimeFunction::ErrorFunction(step), Describes::History) => Some(of_width(step.width())),
            (TimeFunction::Triangle(pulse), Describes::Rate) => Some(pulse.half_duration()),
            _ => None,
        }
    }

    /// Origin time \[s\] of the event: [`TimeFunction::event_time`] plus the delay.
    pub fn event_time(&self) -> f64 {
        self.delay + self.time_function.event_time()
    }

    /// Factor of the mechanism in the equation of motion at time t \[s\].
    pub fn history(&self, t: f64) -> f64 {
        let t = t - self.delay;
        match self.describes {
            Describes::Rate => self.time_function.integral(t),
            Describes::History => self.time_function.value(t),
        }
    }

    /// The time derivative of [`Source::history`] \[1/s\].
    pub fn rate_history(&self, t: f64) -> f64 {
        let t = t - self.delay;
        match self.describes {
            Describes::Rate => self.time_function.value(t),
            Describes::History => self.time_function.derivative(t),
        }
    }

    /// Time \[s\] before which the delayed time function stays below `level` times its peak. A simulation that starts later truncates the
    /// source.
    pub fn onset(&self, level: f64) -> f64 {
        self.delay + self.time_function.onset(level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn north(magnitude: f64) -> Mechanism {
        Mechanism::Force([0.0, magnitude, 0.0])
    }

    fn explosion() -> Mechanism {
        Mechanism::Moment(MomentTensor::explosion(1e16).unwrap())
    }

    fn gaussian() -> TimeFunction {
        TimeFunction::gaussian(0.1, 0.6).unwrap()
    }

    #[test]
    fn a_pulse_is_the_rate_of_a_moment_and_the_history_of_a_force() {
        let moment = Source::new("m", [0.0; 3], explosion(), gaussian()).unwrap();
        let force = Source::new("f", [0.0; 3], north(1e12), gaussian()).unwrap();
        assert!((moment.history(0.6) - 0.5).abs() < 1e-15);
        assert!((moment.rate_history(0.6) - 3.989_422_804_014_327).abs() < 1e-12);
        assert!((force.history(0.6) - 3.989_422_804_014_327).abs() < 1e-12);
        assert_eq!(force.rate_history(0.6), 0.0);
    }

    #[test]
    fn a_force_described_by_its_rate_is_the_integral_of_its_time_function() {
        let force = Source::new("f", [0.0; 3], north(1e12), gaussian())
            .and_then(|source| source.describing(Describes::Rate))
            .unwrap();
        assert!((force.history(0.6) - 0.5).abs() < 1e-15);
        assert!((force.history(8.0) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn an_error_function_is_the_history_of_the_moment() {
        let step = TimeFunction::error_function(0.2, 1.0).unwrap();
        let source = Source::new("m", [0.0; 3], explosion(), step).unwrap();
        assert!((source.history(1.0) - 0.5).abs() < 1e-15);
        assert!((source.history(3.0) - 1.0).abs() < 1e-15);
        let endless = source.describing(Describes::Rate).unwrap_err();
        assert_eq!(
            endless.to_string(),
            "source \"m\": its time function ends at 1 instead of 0, so as a rate it would make the moment tensor grow \
             without bound; use it as a history, or use a pulse"
        );
    }

    #[test]
    fn samples_that_keep_their_last_value_are_a_history_and_no_rate() {
        let step = || TimeFunction::sampled(0.5, 0.0, vec![0.0, 1.0, 1.0]).unwrap();
        assert!(Source::new("m", [0.0; 3], explosion(), step()).is_err());
        let source = Source::with_meaning("m", [0.0; 3], explosion(), step(), Describes::History).unwrap();
        assert_eq!([0.25, 0.5, 7.0].map(|t| source.history(t)), [0.5, 1.0, 1.0]);
    }

    #[test]
    fn delay_shifts_history_rate_and_onset() {
        let prompt = Source::new("m", [0.0; 3], explosion(), gaussian()).unwrap();
        let late = prompt.clone().delayed(2.5).unwrap();
        assert_eq!(late.history(3.0), prompt.history(0.5));
        assert_eq!(late.rate_history(3.0), prompt.rate_history(0.5));
        assert!((late.onset(1e-9) - prompt.onset(1e-9) - 2.5).abs() < 1e-12);
        assert_eq!([prompt.event_time(), late.event_time()], [0.6, 3.1]);
        assert!(prompt.delayed(f64::NAN).is_err());
    }

    #[test]
    fn sources_with_zero_mechanism_or_invalid_position_are_refused_by_name() {
        let silent = Source::new("quiet", [0.0; 3], north(0.0), gaussian()).unwrap_err();
        assert_eq!(
            silent.to_string(),
            "source \"quiet\" radiates nothing: all components of its force are zero; set at least one \
             (moments in N m, forces in N)"
        );
        let lost = Source::new("lost", [0.0, f64::NAN, 0.0], north(1.0), gaussian()).unwrap_err();
        assert!(lost.to_string().starts_with("source \"lost\", y = NaN"));
    }

    #[test]
    fn mechanisms_rotate_with_their_axes() {
        // East is up, north is west, up is south: x' = (-N, -U, E).
        let axes = [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
        assert_eq!(Mechanism::Force([1.0, 2.0, 3.0]).along(&axes), Mechanism::Force([-2.0, -3.0, 1.0]));
        let tensor = MomentTensor::new([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let turned = MomentTensor::new([2.0, 3.0, 1.0, -5.0, -6.0, 4.0]).unwrap();
        assert_eq!(Mechanism::Moment(tensor).along(&axes), Mechanism::Moment(turned));
    }
}
