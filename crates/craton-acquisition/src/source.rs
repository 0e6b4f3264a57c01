//! Sources: where they stand, what they push, and how the push goes in time.

use crate::error::finite;
use crate::{AcquisitionError, MomentTensor, TimeFunction};

/// What a source does to the Earth.
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

    /// The same along other axes: what is written along `axes`, three unit vectors across each other, along those in which they are told.
    ///
    /// Verified by `mechanisms_follow_their_axes`.
    pub fn along(&self, axes: &[[f64; 3]; 3]) -> Self {
        let sum = |term: &dyn Fn(usize) -> f64| (0..3).map(term).sum::<f64>();
        match self {
            Self::Force(force) => Self::Force(std::array::from_fn(|j| sum(&|i| force[i] * axes[i][j]))),
            Self::Moment(tensor) => {
                let [xx, yy, zz, yz, xz, xy] = tensor.to_voigt();
                let matrix = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
                let at = |j: usize, k: usize| sum(&|i| sum(&|l| axes[i][j] * matrix[i][l] * axes[l][k]));
                let turned = MomentTensor::new([at(0, 0), at(1, 1), at(2, 2), at(1, 2), at(0, 2), at(0, 1)]);
                Self::Moment(turned.expect("finite components along unit vectors"))
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

/// What the time function of a source tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Describes {
    /// The rate: moment or force grow as the integral of s.
    Rate,
    /// The moment or the force itself: M s(t) or F s(t).
    History,
}

impl Describes {
    /// The habit: a pulse is the rate of a moment; forces, and steps of either kind, are described as they are.
    pub fn by_habit(mechanism: &Mechanism, time_function: &TimeFunction) -> Self {
        match (mechanism, time_function) {
            (Mechanism::Moment(_), TimeFunction::ErrorFunction(_)) => Self::History,
            (Mechanism::Moment(_), _) => Self::Rate,
            (Mechanism::Force(_), _) => Self::History,
        }
    }
}

/// A checked point source.
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
    /// A source whose time function describes what it does [by habit](Describes::by_habit), without delay.
    ///
    /// # Arguments
    /// * `name` – its name in messages
    /// * `position` – x east, y north, z up \[m\]
    /// # Errors
    /// A position or a component that is not a number, a mechanism that is zero, a rate that never ends.
    pub fn new(
        name: impl Into<String>,
        position: [f64; 3],
        mechanism: Mechanism,
        time_function: TimeFunction,
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
        let describes = Describes::by_habit(&mechanism, &time_function);
        let source = Self { name, position, mechanism, time_function, describes, delay: 0.0 };
        source.describing(describes)
    }

    /// The same source, its time function telling the rate or the history.
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

    /// The same source, later by `delay` \[s\], which may be negative.
    ///
    /// # Errors
    /// A delay that is not a number.
    pub fn delayed(self, delay: f64) -> Result<Self, AcquisitionError> {
        finite(&format!("source \"{}\", delay", self.name), delay, "a finite time in s")?;
        Ok(Self { delay, ..self })
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// x east, y north, z up \[m\].
    pub fn position(&self) -> [f64; 3] {
        self.position
    }

    /// What it does to the Earth.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// s(t), without the delay.
    pub fn time_function(&self) -> &TimeFunction {
        &self.time_function
    }

    /// What the time function tells.
    pub fn describes(&self) -> Describes {
        self.describes
    }

    /// Delay of the time function \[s\].
    pub fn delay(&self) -> f64 {
        self.delay
    }

    /// Time \[s\] that counts as that of the event: [`TimeFunction::event_time`], delay included.
    pub fn event_time(&self) -> f64 {
        self.delay + self.time_function.event_time()
    }

    /// The factor that multiplies the mechanism in the equation of motion at time t \[s\].
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

    /// Time \[s\] before which its time function, delay included, stays below `level` times its peak: a simulation that
    /// begins later cuts the source.
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
    fn a_force_of_rate_is_the_integral_of_its_time_function() {
        let force = Source::new("f", [0.0; 3], north(1e12), gaussian())
            .and_then(|source| source.describing(Describes::Rate))
            .unwrap();
        assert!((force.history(0.6) - 0.5).abs() < 1e-15);
        assert!((force.history(8.0) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn an_error_function_is_the_moment_itself() {
        let step = TimeFunction::error_function(0.2, 1.0).unwrap();
        let source = Source::new("m", [0.0; 3], explosion(), step).unwrap();
        assert!((source.history(1.0) - 0.5).abs() < 1e-15);
        assert!((source.history(3.0) - 1.0).abs() < 1e-15);
        let endless = source.describing(Describes::Rate).unwrap_err();
        assert_eq!(
            endless.to_string(),
            "source \"m\": its time function ends at 1 instead of 0, and as a rate it would make the moment tensor grow \
             for ever; let it describe the history instead of the rate, or use a pulse"
        );
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
    fn silent_and_misplaced_sources_are_refused_by_name() {
        let silent = Source::new("quiet", [0.0; 3], north(0.0), gaussian()).unwrap_err();
        assert_eq!(
            silent.to_string(),
            "source \"quiet\" radiates nothing: every component of its force is zero; give at least one \
             (moments in N m, forces in N)"
        );
        let lost = Source::new("lost", [0.0, f64::NAN, 0.0], north(1.0), gaussian()).unwrap_err();
        assert!(lost.to_string().starts_with("source \"lost\", y = NaN"));
    }

    #[test]
    fn mechanisms_follow_their_axes() {
        // East is up, north is west, up is south: x' = (-N, -U, E).
        let axes = [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
        assert_eq!(Mechanism::Force([1.0, 2.0, 3.0]).along(&axes), Mechanism::Force([-2.0, -3.0, 1.0]));
        let tensor = MomentTensor::new([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let turned = MomentTensor::new([2.0, 3.0, 1.0, -5.0, -6.0, 4.0]).unwrap();
        assert_eq!(Mechanism::Moment(tensor).along(&axes), Mechanism::Moment(turned));
    }
}
