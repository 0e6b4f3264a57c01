//! Moment tensors in fluids, for which SPECFEM3D uses other time functions than in solids.

use std::path::{Path, PathBuf};

use craton_formats::grid::esri;

use crate::error::Error;
use crate::inputs::{Given, Inputs};
use crate::placing::ROUND_OFF;
use crate::setup::Setup;
use crate::written::Scenario;

/// Numbers of the sources of a scenario in solids and in fluids; `None` if the scenario cannot be used as it is, which its run reports.
///
/// # Arguments
/// * `files` – files of the scenario that do not exist yet
/// * `folder` – folder to which its paths are relative
pub fn sources(text: &str, files: &[(PathBuf, String)], folder: &Path) -> Result<Option<[usize; 2]>, Error> {
    let mut inputs = Inputs::new();
    for (name, text) in files {
        let given = if name.extension().is_some_and(|extension| extension == "asc") {
            let grid = esri::parse(text, name)?;
            Given::surface(grid.x, grid.y, grid.values)
        } else {
            Given::Text(text.clone())
        };
        inputs = inputs.with(name, given);
    }
    let scenario = Scenario::with_inputs("import", text, folder.to_owned(), &[], inputs);
    let Some(setup) = scenario.ok().and_then(|scenario| Setup::new(&scenario).ok()) else { return Ok(None) };
    let mut counts = [0, 0];
    for source in &setup.sources {
        let [x, y, z] = source.position();
        let below = [x, y, z - ROUND_OFF];
        counts[usize::from(setup.model.medium(setup.model.region_at(below), below).is_fluid())] += 1;
    }
    Ok(Some(counts))
}
