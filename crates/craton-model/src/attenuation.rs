//! Attenuation of a run: relaxation in its band of frequencies, and the unrelaxed media that give the speeds of the model at its
//! reference frequency.

use craton_physics::{Fit, PhysicsError, Relaxation};

use crate::concentration::Reduction;
use crate::losses::LOWEST_QUALITY;
use crate::{Losses, Medium};

/// Largest number of mechanisms.
pub const MOST_MECHANISMS: usize = 8;
/// Number of losses at which the coefficients are fitted; between them they are interpolated.
const FITTED: usize = 65;
/// Quality factor whose coefficients, times Q, are those of smaller losses.
pub(crate) const NEARLY_ELASTIC: f64 = 1e5;

/// Attenuation of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Attenuation {
    relaxation: Relaxation,
    reference: f64,
    /// Frequency in the band at which mechanisms and quality law have the same phase speed \[Hz\].
    matched: f64,
    /// Coefficients over loss, for equidistant losses from nearly 0 to that of the smallest quality factor.
    table: Vec<[f64; MOST_MECHANISMS]>,
    /// Fit of the coefficients of points at which strain concentrates.
    reduction: Reduction,
}

/// Relaxation of the moduli of media with the same losses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficients {
    /// Coefficients of the bulk and the shear modulus, one per mechanism \[–\].
    pub relaxed: [[f64; MOST_MECHANISMS]; 2],
    /// Unrelaxed bulk and shear modulus over those at the reference frequency \[–\].
    pub unrelaxed: [f64; 2],
}

/// An unrelaxed medium, and the moduli that relax.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relaxing {
    /// The unrelaxed medium.
    pub medium: Medium,
    /// λ_l and μ_l of each mechanism \[Pa\], as in [`craton_physics::relax`].
    pub moduli: [[f64; 2]; MOST_MECHANISMS],
}

impl Attenuation {
    /// Creates the attenuation of a run.
    ///
    /// # Arguments
    /// * `reference` – frequency at which the speeds of the model hold \[Hz\]
    /// # Errors
    /// A reference frequency that is not positive.
    pub fn new(relaxation: Relaxation, reference: f64) -> Result<Self, PhysicsError> {
        if !(reference > 0.0 && reference.is_finite()) {
            return Err(PhysicsError::OutOfRange {
                name: "reference frequency",
                value: reference,
                allowed: "> 0 Hz".to_owned(),
                hint: "give the frequency at which the speeds of the model were measured, such as 1 Hz",
            });
        }
        let fitted = |index: usize| {
            let loss = (index as f64 / (FITTED - 1) as f64 / LOWEST_QUALITY).max(1.0 / NEARLY_ELASTIC);
            let found = relaxation.coefficients(1.0 / loss)?;
            Ok(std::array::from_fn(|l| found.get(l).map_or(0.0, |y| y / loss)))
        };
        let table = (0..FITTED).map(fitted).collect::<Result<_, PhysicsError>>()?;
        // Mechanisms disperse waves only in and near the band.
        let [low, high] = relaxation.band();
        let matched = if (low..=high).contains(&reference) { reference } else { (low * high).sqrt() };
        let reduction = Reduction::new(&relaxation);
        Ok(Self { relaxation, reference, matched, table, reduction })
    }

    /// The relaxation.
    pub fn relaxation(&self) -> &Relaxation {
        &self.relaxation
    }

    /// Fit of the coefficients of points at which strain concentrates.
    pub(crate) fn reduction(&self) -> &Reduction {
        &self.reduction
    }

    /// Number of mechanisms.
    pub fn mechanisms(&self) -> usize {
        self.relaxation.rates().len()
    }

    /// Frequency at which the speeds of the model hold \[Hz\].
    pub fn reference(&self) -> f64 {
        self.reference
    }

    /// Coefficients of a modulus with a loss \[–\].
    pub fn coefficients_of(&self, loss: f64) -> [f64; MOST_MECHANISMS] {
        let place = (loss * LOWEST_QUALITY * (FITTED - 1) as f64).clamp(0.0, (FITTED - 1) as f64);
        let below = (place as usize).min(FITTED - 2);
        let share = place - below as f64;
        let [low, high] = [&self.table[below], &self.table[below + 1]];
        std::array::from_fn(|l| loss * (low[l] + share * (high[l] - low[l])))
    }

    /// Relaxation of the moduli of media with these losses.
    pub fn coefficients(&self, losses: Losses) -> Coefficients {
        let relaxed = [losses.bulk, losses.shear].map(|loss| self.coefficients_of(loss));
        let count = self.mechanisms();
        let of = |loss: f64, y: &[f64; MOST_MECHANISMS]| {
            self.relaxation.unrelaxed(&y[..count], self.matched) * self.speed_when_matched(loss).powi(2)
        };
        let unrelaxed = [of(losses.bulk, &relaxed[0]), of(losses.shear, &relaxed[1])];
        Coefficients { relaxed, unrelaxed }
    }

    /// How well a modulus with a loss has its quality factor in the band.
    pub fn fit(&self, loss: f64) -> Fit {
        let fit = self.relaxation.fit(1.0 / loss, &self.coefficients_of(loss)[..self.mechanisms()], self.matched);
        Fit { speeds: fit.speeds.map(|speed| speed * self.speed_when_matched(loss)), ..fit }
    }

    /// Phase speed of a modulus with a loss at a frequency \[Hz\], relative to that at the reference frequency \[–\].
    pub fn speed(&self, loss: f64, frequency: f64) -> f64 {
        let coefficients = self.coefficients_of(loss);
        let at = |frequency| self.relaxation.speed(&coefficients[..self.mechanisms()], frequency);
        at(frequency) / at(self.matched) * self.speed_when_matched(loss)
    }

    /// Phase speed at the matched frequency relative to that at the reference frequency, by the quality law \[–\].
    fn speed_when_matched(&self, loss: f64) -> f64 {
        self.relaxation.law().speed(loss, self.matched, self.reference)
    }
}

impl Coefficients {
    /// A medium given at the reference frequency.
    pub fn of(&self, medium: &Medium) -> Relaxing {
        let (medium, unrelaxed) = medium.stiffened(self.unrelaxed);
        Relaxing { medium, moduli: self.relaxing(unrelaxed) }
    }

    /// λ_l and μ_l of each mechanism, for an unrelaxed bulk and shear modulus [Pa].
    pub fn relaxing(&self, [kappa, mu]: [f64; 2]) -> [[f64; 2]; MOST_MECHANISMS] {
        let [bulk, shear] = &self.relaxed;
        std::array::from_fn(|l| {
            let [kappa, mu] = [kappa * bulk[l], mu * shear[l]];
            [kappa - 2.0 / 3.0 * mu, mu]
        })
    }
}

#[cfg(test)]
mod tests {
    use craton_physics::{Love, QualityLaw};

    use super::*;
    use crate::Elasticity;

    fn attenuation(mechanisms: usize) -> Attenuation {
        Attenuation::new(Relaxation::new([0.1, 10.0], mechanisms, QualityLaw::CONSTANT).unwrap(), 2.5).unwrap()
    }

    #[test]
    fn interpolated_coefficients_are_those_of_the_fit() {
        for mechanisms in [1, 3, 8] {
            let attenuation = attenuation(mechanisms);
            for quality in [5.0, 7.3, 40.0, 69.3, 155.9, 2000.0, 57_823.0, 1e9] {
                let expected = attenuation.relaxation().coefficients(quality).unwrap();
                let found = attenuation.coefficients_of(1.0 / quality);
                let close = |(a, b): (&f64, &f64)| (a - b).abs() < 3e-4 * b.max(0.1 / quality);
                assert!(found.iter().zip(&expected).all(close), "{mechanisms}, {quality}: {found:?} {expected:?}");
            }
        }
        assert_eq!(attenuation(3).coefficients_of(0.0), [0.0; MOST_MECHANISMS]);
    }

    #[test]
    fn waves_have_the_speeds_of_the_model_at_the_reference_frequency() {
        let attenuation = attenuation(3);
        let rock = Medium::isotropic(6000.0, 3464.0, 2700.0).unwrap();
        let losses = Losses::of_waves(120.0, 60.0, 6000.0, 3464.0).unwrap();
        let coefficients = attenuation.coefficients(losses);
        let Relaxing { medium, moduli } = coefficients.of(&rock);
        let Elasticity::Isotropic { vp, vs } = *medium.elasticity() else { panic!("isotropic") };
        assert!(vp > 6000.0 && vs > 3464.0);
        let shear = attenuation.coefficients_of(losses.shear);
        let phase = attenuation.relaxation().speed(&shear[..3], 2.5);
        assert!((vs * phase / 3464.0 - 1.0).abs() < 1e-12);
        assert!((moduli[1][1] - 2700.0 * vs * vs * shear[1]).abs() < 1e-6 * moduli[1][1]);
        // The complex P modulus at the reference frequency.
        let parts = [losses.bulk, losses.shear]
            .map(|loss| attenuation.relaxation().modulus(&attenuation.coefficients_of(loss)[..3], 2.5));
        let mu = 2700.0 * vs * vs;
        let kappa = 2700.0 * vp * vp - 4.0 / 3.0 * mu;
        let [re, im] = [0, 1].map(|part| kappa * parts[0][part] + 4.0 / 3.0 * mu * parts[1][part]);
        // Three mechanisms fit each modulus within 3.5 %.
        assert!((re / im / 120.0 - 1.0).abs() < 0.035, "{}", re / im);
        let size = re.hypot(im);
        let speed = size / (0.5 * (size + re)).sqrt() / 2700.0_f64.sqrt();
        // Bulk and shear modulus are exact each; their sum is to second order in the difference of their losses.
        assert!((speed / 6000.0 - 1.0).abs() < 0.1 / (60.0 * 60.0), "{speed}");
    }

    #[test]
    fn a_reference_frequency_outside_the_band_counts_by_the_quality_law() {
        let relaxation = Relaxation::new([0.001, 0.1], 3, QualityLaw::CONSTANT).unwrap();
        let outside = Attenuation::new(relaxation.clone(), 1.0).unwrap();
        let inside = Attenuation::new(relaxation, 0.01).unwrap();
        let loss = 1.0_f64 / 80.0;
        for frequency in [0.002, 0.01, 0.05] {
            let expected = (frequency / 1.0_f64).powf(loss.atan() / std::f64::consts::PI);
            assert!((outside.speed(loss, frequency) / expected - 1.0).abs() < 3e-4, "{frequency}");
            let law = QualityLaw::CONSTANT.speed(loss, 0.01, 1.0);
            assert!((outside.speed(loss, frequency) / inside.speed(loss, frequency) / law - 1.0).abs() < 1e-12);
        }
        let growing = QualityLaw { corner: 0.1, exponent: 0.5 };
        let steps = 20_000;
        let sum: f64 = (0..steps)
            .map(|n| 0.01 * (10.0 / 0.01_f64).powf((f64::from(n) + 0.5) / f64::from(steps)))
            .map(|f| (10.0 / 0.01_f64).ln() / f64::from(steps) / growing.at(f))
            .sum();
        assert!((growing.speed(loss, 10.0, 0.01).ln() - loss.atan() / std::f64::consts::PI * sum).abs() < 1e-8);
    }

    #[test]
    fn anisotropic_media_keep_their_anisotropy() {
        let coefficients = attenuation(3).coefficients(Losses { bulk: 0.0, shear: 1.0 / 80.0 });
        let isotropic = Medium::isotropic(6000.0, 3464.0, 2700.0).unwrap();
        let Relaxing { medium: stiffened, moduli } = coefficients.of(&isotropic);
        let mu = 2700.0 * 3464.0 * 3464.0;
        let love = Love::isotropic(2700.0 * 6000.0 * 6000.0 - 2.0 * mu, mu);
        let transverse = Medium::transversely_isotropic(love, [0.0, 0.0, 1.0], 2700.0).unwrap();
        let general = Medium::anisotropic(isotropic.stiffness(), 2700.0).unwrap();
        for medium in [transverse, general] {
            let found = coefficients.of(&medium);
            let pairs = found.medium.stiffness().0.into_iter().zip(stiffened.stiffness().0);
            assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-3 * mu * 1e-6), "{medium:?}");
            assert!((found.moduli[2][1] - moduli[2][1]).abs() < 1e-9 * mu);
        }
    }

    #[test]
    fn a_reference_frequency_of_zero_is_refused() {
        let relaxation = Relaxation::new([0.1, 10.0], 3, QualityLaw::CONSTANT).unwrap();
        assert!(Attenuation::new(relaxation, 0.0).unwrap_err().to_string().contains("reference frequency = 0"));
    }
}
