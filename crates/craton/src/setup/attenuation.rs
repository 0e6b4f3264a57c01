//! Quality factors of the model, and the attenuation of the run.

use std::sync::Arc;

use craton_model::{Attenuation, EarthModel, LossField, Losses, Medium, ModelError, QualityOfSpeed};
use craton_physics::{PhysicsError, QualityLaw, Relaxation};

use super::findings::{Checked, Findings};
use crate::config::{self, Config, Material, Model};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// Quality factors as given in the scenario or a table.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Qualities {
    pub qp: Option<f64>,
    pub qs: Option<f64>,
    pub qkappa: Option<f64>,
    pub qmu: Option<f64>,
}

impl Qualities {
    /// The quality factors of a material.
    pub fn of(material: &Material) -> Self {
        let Material { qp, qs, qkappa, qmu, .. } = *material;
        Self { qp, qs, qkappa, qmu }
    }

    /// Losses of a medium with these quality factors.
    ///
    /// # Arguments
    /// * `path` – the table with the quality factors
    pub fn losses(&self, medium: &Medium, path: &KeyPath) -> Checked<Losses> {
        let Self { qp, qs, qkappa, qmu } = *self;
        let of_waves = qp.is_some() || qs.is_some();
        if of_waves && (qkappa.is_some() || qmu.is_some()) {
            let (wave, modulus) =
                (if qp.is_some() { "qp" } else { "qs" }, if qmu.is_some() { "qmu" } else { "qkappa" });
            let problem = Problem::new(path.key(modulus), format!("conflicts with `{wave}`"));
            return Err(problem.hint("set qp and qs, or qkappa and qmu").at_key().into());
        }
        let [vp, vs] = medium.mean_speeds();
        // Tables often have Qs = 0 or Qmu = 0 in fluids.
        let of_shear = |quality: Option<f64>| match vs {
            0.0 => f64::INFINITY,
            _ => quality.unwrap_or(f64::INFINITY),
        };
        let found = match (qp, qs) {
            (None, None) => Losses::of_moduli(qkappa.unwrap_or(f64::INFINITY), of_shear(qmu)),
            (None, Some(_)) => {
                let problem = Problem::new(path.key("qp"), "is missing, although qs is given");
                return Err(problem.hint("set both, or only qmu for attenuation in shear only").into());
            }
            (Some(_), None) if vs > 0.0 => {
                let problem = Problem::new(path.key("qs"), "is missing, although qp is given");
                return Err(problem.hint("set both, or only qkappa for attenuation in compression only").into());
            }
            (Some(qp), qs) => Losses::of_waves(qp, of_shear(qs), vp, vs),
        };
        found.map_err(|error| match error {
            ModelError::OutOfRange { what, value, allowed, hint } => {
                let problem = Problem::new(path.key(&what), "is out of range").value(Number(value));
                problem.allowed(allowed).hint(hint).into()
            }
            other => Problem::new(path, other.to_string()).into(),
        })
    }
}

/// Adds the attenuation of the scenario to a model.
pub fn attenuated(model: EarthModel, config: &Config, findings: &mut Findings) -> Option<EarthModel> {
    let path = KeyPath::default().key("attenuation");
    let has_losses = |model: &EarthModel| (0..model.regions().len()).any(|region| model.has_losses(region));
    let is_earth = matches!(config.model, Model::Earth(_));
    let Some(settings) = &config.attenuation else {
        if has_losses(&model) && !is_earth {
            let problem = Problem::new(&path, "is required, because the model has quality factors");
            let hint = "add [attenuation] with the reference_frequency of vp and vs, or with enabled = false";
            findings.problems.push(problem.hint(hint));
            return None;
        }
        return Some(model);
    };
    if !settings.enabled {
        return Some(model);
    }
    let model = with_relation(model, settings);
    if !has_losses(&model) {
        findings.warnings.push(format!("{path}: the model has no quality factors; the run is elastic"));
        return Some(model);
    }
    let attenuation =
        findings.keep(of_run(settings, config.method.max_frequency(), is_earth.then_some(EARTH_REFERENCE), &path))?;
    Some(model.attenuated(Arc::new(attenuation)))
}

/// The attenuation of a run.
///
/// # Arguments
/// * `highest` – the highest frequency of the run [Hz]
/// * `default` – the default reference frequency [Hz]
pub fn of_run<R>(
    settings: &config::Attenuation<R>,
    highest: f64,
    default: Option<f64>,
    path: &KeyPath,
) -> Checked<Attenuation> {
    let band = settings.band.unwrap_or([0.01 * highest, highest]);
    let decades = (band[1] / band[0]).log10();
    let most = 2.0 * settings.mechanisms as f64;
    if !(LEAST_DECADES..=most).contains(&decades) {
        let problem = Problem::new(path.key("band"), "is too narrow or too wide for the mechanisms");
        let problem = problem.value(format!("[{}, {}]", Number(band[0]), Number(band[1])));
        let allowed = format!("two ascending frequencies, {LEAST_DECADES} to {} decades apart", Number(most));
        return Err(problem.allowed(allowed).hint("omit it to use 0.01 max_frequency to max_frequency").into());
    }
    if highest < band[0] || 0.1 * highest > band[1] {
        let problem = Problem::new(path.key("band"), "does not cover the frequencies of the run");
        let problem = problem.value(format!("[{}, {}]", Number(band[0]), Number(band[1])));
        let allowed = format!("a band with the frequencies below {} Hz (max_frequency)", Number(highest));
        return Err(problem.allowed(allowed).hint("omit it to use 0.01 max_frequency to max_frequency").into());
    }
    let Some(reference) = settings.reference_frequency.or(default) else {
        let problem = Problem::new(path.key("reference_frequency"), "is missing");
        return Err(problem.hint("set the reference frequency of the model's wave speeds, such as 1 Hz").into());
    };
    let law = settings.power_law.as_ref();
    let law = law.map_or(QualityLaw::CONSTANT, |law| QualityLaw { corner: law.corner, exponent: law.exponent });
    let refused = |error: PhysicsError| -> Box<Problem> {
        match error {
            PhysicsError::OutOfRange { name, value, allowed, hint } => {
                let problem = Problem::new(path, format!("{name} = {} is out of range", Number(value)));
                problem.allowed(allowed).hint(hint).into()
            }
            other => Problem::new(path, other.to_string()).into(),
        }
    };
    let relaxation = Relaxation::new(band, settings.mechanisms, law).map_err(refused)?;
    Attenuation::new(relaxation, reference).map_err(refused)
}

/// Smallest width of the band [decades].
const LEAST_DECADES: f64 = 0.3;
/// Reference frequency of reference Earths [Hz].
const EARTH_REFERENCE: f64 = 1.0;

/// Applies the empirical relation, if there is one, to regions without quality factors.
fn with_relation(model: EarthModel, settings: &config::Attenuation) -> EarthModel {
    let Some(relation) = &settings.relation else { return model };
    let config::QualityRelation { factor, exponent, qp_over_qs } = *relation;
    let of_speed = LossField::OfSpeed(QualityOfSpeed { factor, exponent, ratio: qp_over_qs });
    let of_region = |losses: &LossField| if losses.is_none() { of_speed.clone() } else { losses.clone() };
    let losses = model.regions().iter().map(|region| of_region(&region.losses)).collect();
    model.with_losses(losses)
}

/// Lines of the report: band, mechanisms, fit and dispersion.
pub fn lines(model: &EarthModel) -> Vec<String> {
    let Some(attenuation) = model.attenuation() else { return Vec::new() };
    let relaxing = (0..model.regions().len()).filter(|&region| model.relaxes(region));
    let losses = relaxing.map(|region| model.greatest_losses(region));
    let greatest = losses.map(|losses| losses.bulk.max(losses.shear)).fold(0.0, f64::max);
    lines_of(attenuation, greatest, "Qkappa or Qmu")
}

/// Lines of the report for an attenuation and the largest loss in its model.
///
/// # Arguments
/// * `quality` – name of the quality factors
pub fn lines_of(attenuation: &Attenuation, greatest: f64, quality: &str) -> Vec<String> {
    let [low, high] = attenuation.relaxation().band().map(Number);
    let mut lines = vec![format!(
        "{low:.4} to {high:.4} Hz, {} mechanisms, reference frequency {:.4} Hz",
        attenuation.mechanisms(),
        Number(attenuation.reference())
    )];
    if greatest > 0.0 {
        let fit = attenuation.fit(greatest);
        let [slow, fast] = fit.speeds.map(|speed| 100.0 * (speed - 1.0));
        lines.push(format!(
            "smallest {quality} {:.4}, fitted within {:.1} %; phase speeds {slow:+.2} to {fast:+.2} % across the band",
            Number(1.0 / greatest),
            100.0 * fit.deviation
        ));
    }
    lines
}
