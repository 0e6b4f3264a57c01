//! Maps of quality factors, which replace those of the model.

use super::axis::Between;
use super::{Maps, Perturbation, mixed};
use crate::losses::LOWEST_QUALITY;
use crate::{Losses, Medium, ModelError};

/// Names of the quality factors of moduli and of P waves.
const NAMES: [&str; 3] = ["qkappa", "qmu", "qp"];

/// Maps of 1/Q of the bulk modulus, of the shear modulus and of P waves, as far as given; NaN where the model is unchanged.
pub(super) type QualityMaps = [Option<Vec<f32>>; 3];

impl Perturbation {
    /// Validates maps of quality factors, and inverts them.
    pub(super) fn quality_maps(&self, maps: &mut Maps, reversed: [bool; 3]) -> Result<QualityMaps, ModelError> {
        let mut found = [maps.qkappa.take(), maps.qmu.take(), maps.qp.take()];
        let bad = |problem: &str, hint| Err(ModelError::BadMap { problem: problem.into(), hint });
        match &found {
            [Some(_), _, Some(_)] => return bad("maps of both qkappa and qp", "give one of them"),
            [_, None, Some(_)] => return bad("a map of qp without one of qmu", "give both"),
            _ => {}
        }
        for (name, values) in NAMES.into_iter().zip(&mut found) {
            let Some(values) = values else { continue };
            self.check_count(name, values.len())?;
            super::reverse_descending(values, self.across(), reversed);
            if let Some(index) = values.iter().position(|value| f64::from(*value) < LOWEST_QUALITY) {
                let (what, value) = (name.to_owned(), f64::from(values[index]));
                let hint = if value > 0.0 && value < 1.0 { "the values seem to be 1/Q; give Q" } else { "raise it" };
                let allowed = format!("at least {LOWEST_QUALITY}");
                let refused = ModelError::OutOfRange { what, value, allowed, hint: hint.to_owned() };
                return Err(refused.at(self.place(index)));
            }
            values.iter_mut().for_each(|value| *value = value.recip());
        }
        Ok(found)
    }

    /// Whether there are maps of quality factors.
    pub(crate) fn has_quality(&self) -> bool {
        self.quality.iter().any(Option::is_some)
    }

    /// Losses at a map position and a depth \[m\].
    ///
    /// # Arguments
    /// * `medium` – the perturbed medium
    /// * `unchanged` – losses where the map has none
    pub(super) fn losses(
        &self,
        at: [f64; 2],
        depth: f64,
        is_geographic: bool,
        (medium, unchanged): (&Medium, Losses),
    ) -> Losses {
        let around = self.around(at, depth, is_geographic);
        self.losses_around(around, medium, unchanged)
    }

    fn losses_around(&self, around: [Between; 3], medium: &Medium, unchanged: Losses) -> Losses {
        let [columns, rows, _] = self.counts();
        let [across, along, down] = around;
        let [bulk, shear, p_waves] = self.quality.each_ref().map(|values| {
            let values = values.as_ref()?;
            let value = |i: usize, j: usize, k: usize| f64::from(values[i + columns * (j + rows * k)]);
            let line = |j, k| mixed(across, |i| value(i, j, k));
            Some(mixed(down, |k| mixed(along, |j| line(j, k)))).filter(|loss| !loss.is_nan())
        });
        let [vp, vs] = medium.mean_speeds();
        let shear = if vs > 0.0 { shear.unwrap_or(unchanged.shear) } else { 0.0 };
        let x = 4.0 / 3.0 * (vs / vp).powi(2);
        let of_p_waves = p_waves.map(|loss| ((loss - x * shear) / (1.0 - x)).clamp(0.0, 1.0 / LOWEST_QUALITY));
        Losses { bulk: bulk.or(of_p_waves).unwrap_or(unchanged.bulk), shear }
    }

    /// Refuses quality factors with which compression would gain energy, at the points of the map.
    ///
    /// # Arguments
    /// * `medium` – the perturbed medium in a column of the map at a height \[m\]
    pub(super) fn check_quality(
        &self,
        [low, high]: [f64; 2],
        medium: impl Fn([usize; 2], f64) -> Medium,
    ) -> Result<(), ModelError> {
        let [_, Some(shear), Some(p_waves)] = &self.quality else { return Ok(()) };
        let [columns, rows, _] = self.counts();
        for (index, (&shear, &of_p)) in shear.iter().zip(p_waves).enumerate() {
            let z = -self.depths.places()[index / (columns * rows)];
            if !(low..=high).contains(&z) || shear.is_nan() || of_p.is_nan() {
                continue;
            }
            let [vp, vs] = medium([index % columns, index / columns % rows], z).mean_speeds();
            let [qp, qs] = [of_p, shear].map(|loss| 1.0 / f64::from(loss));
            Losses::of_waves(qp, qs, vp, vs).map_err(|error| error.at(self.place(index)))?;
        }
        Ok(())
    }

    /// Upper bound of the losses.
    ///
    /// # Arguments
    /// * `unchanged` – bound of the losses where the map has none
    pub(super) fn greatest_losses(&self, unchanged: Losses) -> Losses {
        let most = |values: &Option<Vec<f32>>| {
            let greatest = values.as_ref()?.iter().copied().filter(|loss| !loss.is_nan()).fold(0.0, f32::max);
            Some(f64::from(greatest))
        };
        let [bulk, shear, p_waves] = self.quality.each_ref().map(most);
        // 1/Q_P is at least (1 - x) / Qκ, with x up to 1/2 in ordinary rock.
        let of_p_waves = p_waves.map(|loss| (2.0 * loss).min(1.0 / LOWEST_QUALITY));
        let bulk = bulk.or(of_p_waves).unwrap_or(0.0);
        unchanged.max(Losses { bulk, shear: shear.unwrap_or(0.0) })
    }
}
