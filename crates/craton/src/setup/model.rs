//! The Earth model inside the box.

use std::path::Path;

use craton_model::geodesy::LocalFrame;
use craton_model::{EarthModel, EarthTop, Interface, LossField, Medium, ReferenceEarth, ReferenceOptions};

use super::attenuation::Qualities;
use super::findings::{Checked, Findings, bad_model};
use super::given_mesh::MeshedDomain;
use super::surfaces::{crossing, from_file, moho};
use super::{attenuation, depth_table, media, perturbation, volume};
use crate::config::{self, Config, Domain, Earth, EarthName, Layer, Layered, Level, Model};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::written::Scenario;

/// The model below a surface with its perturbation, deformed if the domain is; `None` with its problems if it is
/// invalid.
pub fn model(
    scenario: &Scenario,
    frame: Option<LocalFrame>,
    surface: &Interface,
    mesh: Option<&MeshedDomain>,
    findings: &mut Findings,
) -> Option<EarthModel> {
    let plain = match (&scenario.config.model, mesh) {
        (Model::Mesh(model), Some(mesh)) => {
            mesh.model(model, scenario, &KeyPath::default().key("model").key("mesh"), findings)?
        }
        _ => unchanged(scenario, frame, surface, findings)?,
    };
    let model = perturbation::perturbed(plain, scenario, frame, findings)?;
    let model = attenuation::attenuated(model, &scenario.config, findings)?;
    Some(match frame.as_ref().and_then(LocalFrame::sphere) {
        Some(chunk) => model.on_sphere(*chunk),
        None => model,
    })
}

fn unchanged(
    scenario: &Scenario,
    frame: Option<LocalFrame>,
    surface: &Interface,
    findings: &mut Findings,
) -> Option<EarthModel> {
    let path = KeyPath::default().key("model");
    match &scenario.config.model {
        Model::Homogeneous(material) => {
            let path = path.key("homogeneous");
            let medium = findings.keep(media::medium(material, &path))?;
            let losses = findings.keep(Qualities::of(material).losses(&medium, &path))?;
            let model = EarthModel::homogeneous(medium).with_losses(vec![LossField::Constant(losses)]);
            Some(model.with_surface(surface.clone()))
        }
        Model::Layered(layered) => {
            let path = path.key("layered").key("layers");
            let layers = layers(layered, scenario, frame, surface, &path, findings)?;
            let of_layer = |(index, (layer, (_, medium))): (usize, (&Layer, &(Interface, Medium)))| {
                let losses = Qualities::of(&layer.material).losses(medium, &path.index(index));
                findings.keep(losses).map(LossField::Constant)
            };
            let losses: Vec<_> = layered.layers.iter().zip(&layers).enumerate().map(of_layer).collect();
            let model = findings.keep(EarthModel::layered(layers).map_err(|error| bad_model(&error, &path)))?;
            Some(model.with_losses(losses.into_iter().collect::<Option<_>>()?))
        }
        Model::DepthTable(table) => depth_table::model(table, scenario, surface, &path.key("depth_table"), findings),
        Model::Volume(volumes) => volume::model(volumes, scenario, surface, &path.key("volume"), findings),
        Model::Earth(earth) => {
            let path = path.key("earth");
            let model = findings.keep(reference(earth, &scenario.config, &path))?.with_surface(surface.clone());
            match &earth.moho {
                Some(file) => findings.keep(with_moho(model, earth, file, scenario, frame, &path.key("moho"))),
                None => Some(model),
            }
        }
        Model::Mesh(_) => unreachable!("a checked scenario has a mesh"),
    }
}

/// A reference Earth model down to the bottom of the domain.
fn reference(earth: &Earth, config: &Config, path: &KeyPath) -> Checked<EarthModel> {
    let domain = &config.domain;
    let top = match earth.top {
        config::EarthTop::Crust => EarthTop::Crust,
        config::EarthTop::Ocean => EarthTop::Ocean,
        config::EarthTop::Mantle => EarthTop::Mantle,
    };
    let bottom = domain.z()[0];
    let attenuated = config.attenuation.as_ref().is_some_and(|settings| settings.enabled);
    let options = ReferenceOptions { top, attenuated, ..ReferenceOptions::default() };
    let model = EarthModel::reference(of_name(earth.name), options, bottom);
    model.map_err(|error| bad_model(&error, path))
}

fn of_name(name: EarthName) -> ReferenceEarth {
    match name {
        EarthName::Prem => ReferenceEarth::Prem,
        EarthName::PremAnisotropic => ReferenceEarth::PremAnisotropic,
        EarthName::Iasp91 => ReferenceEarth::Iasp91,
        EarthName::Ak135 => ReferenceEarth::Ak135,
        EarthName::Ak135F => ReferenceEarth::Ak135F,
    }
}

/// A reference model with the Moho of a file.
fn with_moho(
    model: EarthModel,
    earth: &Earth,
    file: &Path,
    scenario: &Scenario,
    frame: Option<LocalFrame>,
    path: &KeyPath,
) -> Checked<EarthModel> {
    let moho = moho(scenario, file, frame, path)?;
    let model =
        model.with_moho(of_name(earth.name), &moho, earth.thinnest_crust).map_err(|error| bad_model(&error, path))?;
    for (index, pair) in model.regions().windows(2).enumerate() {
        if let Some(found) = crossing(&pair[0].top, &pair[1].top, &scenario.config.domain) {
            let (message, at, hint) = match index {
                0 => (
                    "reaches the surface",
                    found.at_lower(),
                    "set model.earth.thinnest_crust, or correct the depths in the file",
                ),
                _ => (
                    "reaches the next discontinuity of the model",
                    found.at_upper(),
                    "limit the depths in the file, or use a model without a discontinuity there",
                ),
            };
            return Err(Problem::new(path, message).value(at).hint(hint).into());
        }
    }
    Ok(model)
}

/// Tops and media of the layers, in order; `None` with all problems if one is invalid.
fn layers(
    layered: &Layered,
    scenario: &Scenario,
    frame: Option<LocalFrame>,
    surface: &Interface,
    path: &KeyPath,
    findings: &mut Findings,
) -> Option<Vec<(Interface, Medium)>> {
    let mut layers = Vec::with_capacity(layered.layers.len());
    for (index, layer) in layered.layers.iter().enumerate() {
        let path = path.index(index);
        let top = match index {
            0 => Ok(surface.clone()),
            _ => interface(layer, scenario, frame, &path.key("top")),
        };
        layers.push((findings.keep(top), findings.keep(media::medium(&layer.material, &path))));
    }
    let tops: Vec<Option<&Interface>> = layers.iter().map(|(top, _)| top.as_ref()).collect();
    findings.problems.extend(order(&tops, &scenario.config.domain, path));
    layers.into_iter().map(|(top, medium)| top.zip(medium)).collect()
}

fn interface(layer: &Layer, scenario: &Scenario, frame: Option<LocalFrame>, path: &KeyPath) -> Checked<Interface> {
    match &layer.top {
        Some(Level::Flat(z)) => Ok(Interface::Flat(*z)),
        Some(Level::Grid(file)) => from_file(scenario, file, frame, path),
        None => Err(Problem::new(path, "is missing").hint("only the first layer may leave `top` out").into()),
    }
}

/// Problems of tops that are not below the previous one, or of a last top that is not above the bottom of the box.
fn order(tops: &[Option<&Interface>], domain: &Domain, path: &KeyPath) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, pair) in tops.windows(2).enumerate() {
        if let [Some(upper), Some(lower)] = pair {
            problems.extend(not_below(upper, lower, index, domain, &path.index(index + 1).key("top")));
        }
    }
    let [_, .., Some(last)] = tops else { return problems };
    if let Some(cut) = crossing(last, &Interface::Flat(domain.z()[0]), domain) {
        let path = path.index(tops.len() - 1).key("top");
        let problem = Problem::new(path, "intersects the bottom of the domain").value(cut.at_upper());
        let problem = problem.allowed(format!("> {}", domain.named_bottom()));
        let hint = format!("{}, or remove the layer. Every layer must extend across the box", domain.lowering());
        problems.push(problem.hint(hint));
    }
    problems
}

/// The problem of a layer top that reaches the top of the previous layer.
///
/// # Arguments
/// * `index` – index of the upper layer
fn not_below(upper: &Interface, lower: &Interface, index: usize, domain: &Domain, path: &KeyPath) -> Option<Problem> {
    let found = crossing(upper, lower, domain)?;
    let everywhere = crossing(lower, upper, domain).is_none();
    let (message, hint) = match (index, everywhere) {
        (0, true) => ("places the first layer entirely above the domain", "remove the first layer, or lower this top"),
        (0, false) => (
            "intersects the surface",
            "lower it below the topography everywhere. Every layer must extend across the box",
        ),
        _ => (
            "is not below the top of the previous layer",
            "list the layers from the top down and separate their tops. Every layer must extend across the box",
        ),
    };
    let problem = Problem::new(path, message).value(found.at_lower());
    Some(problem.allowed(format!("< {} m (the top of the previous layer)", Number(found.upper))).hint(hint))
}
