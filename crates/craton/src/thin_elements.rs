//! Elements that make the time step much shorter than the others do.

use craton_mesh::{HexMesh, QualityReport};
use craton_model::Interface;
use rayon::prelude::*;

use crate::format_position::format_position_in_space;
use crate::meshing::{WaveSpeeds, vertical_extent};
use crate::number::Number;
use crate::setup::Setup;

/// Ratio of the time that the fastest wave needs through a typical element to that of the quickest, from which on the user
/// is warned: layers of different wave speeds differ less.
const MUCH_QUICKER: f64 = 10.0;

/// The warning about thin elements, usually in a thin layer, and the ratio of the time steps without and with them. With local time steps they do not dictate the
/// step of the others.
///
/// Verified by `a_thin_layer_is_reported_with_its_cost`.
pub fn warning(setup: &Setup, mesh: &HexMesh, quality: &QualityReport) -> Option<(f64, String)> {
    if setup.method.sem().local_time_steps {
        return None;
    }
    let speeds = WaveSpeeds::new(setup);
    let time = |element: usize| {
        let [low, high] = vertical_extent(mesh, element as u32, &setup.frame);
        let fastest = speeds.fastest(usize::from(mesh.region[element]), low, high);
        (quality.elements[element].edge_min / fastest, element)
    };
    let mut times: Vec<(f64, usize)> = (0..mesh.n_elements()).into_par_iter().map(time).collect();
    let (quickest, element) = times.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let middle = times.len() / 2;
    let (_, &mut (typical, _), _) = times.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0));
    let (ratio, edge) = (typical / quickest, quality.elements[element].edge_min);
    (ratio > MUCH_QUICKER).then(|| {
        let layer = usize::from(mesh.region[element]) + 1;
        let is_grid = setup.model.regions()[1..].iter().any(|region| matches!(region.top, Interface::Grid(_)));
        let crust = match setup.frame.sphere().filter(|_| is_grid) {
            Some(_) => ". If it is the crust above model.earth.moho, set model.earth.thinnest_crust",
            None => "",
        };
        let text = format!(
            "elements of layer {layer} near {} have edges of only {:.1} m and make the time step {ratio:.0} times shorter than typical elements. If the layer is \
             thin there, merge it with a neighbour, make it about {:.0} m thick, or set method.sem.local_time_steps = true{crust}",
            format_position_in_space(&setup.frame, mesh.centroid(element as u32)),
            Number(edge),
            Number(rounded_up(edge * ratio))
        );
        (ratio, text)
    })
}

/// A length with one significant digit, rounded up.
fn rounded_up(length: f64) -> f64 {
    let unit = 10_f64.powf(length.log10().floor());
    (length / unit).ceil() * unit
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::meshing;
    use crate::written::Scenario;

    #[test]
    fn a_thin_layer_is_reported_with_its_cost() {
        let found = |top: f64, local: bool| {
            let layers = format!(
                "model={{ layered = {{ layers = [{{ vp = 4000, vs = 2000, rho = 2600 }}, \
                 {{ top = {top}, vp = 6000, vs = 3464, rho = 2700 }}] }} }}"
            );
            let file = format!("{}/../../examples/loh1/loh1.toml", env!("CARGO_MANIFEST_DIR"));
            let local = format!("method.sem.local_time_steps={local}");
            let changes = [layers, "method.sem.max_frequency=1".to_owned(), local];
            let setup = Setup::new(&Scenario::read(Path::new(&file), &changes).unwrap()).unwrap();
            let (mesh, quality) = meshing::mesh(&setup, |_| Ok(())).unwrap();
            warning(&setup, &mesh, &quality).map(|(_, text)| text)
        };
        assert_eq!(found(-1000.0, false), None);
        assert_eq!(found(-1.0, true), None);
        let thin = found(-1.0, false).expect("a warning");
        assert!(
            thin.contains("elements of layer 1 near ")
                && thin.contains("have edges of only 1.0 m and make the time step"),
            "{thin}"
        );
    }
}
