//! Density volumes in longitude, latitude and height, as tesseroids.

use craton_gravity::TensorMesh;

use super::Reference;
use super::bodies::{Bodies, points_inside};
use super::layer::BodyMessages;
use super::places::Places;
use super::sphere::{MOST_HEIGHT, MOST_LONGITUDE};
use super::sphere_layer::Region;
use super::volume;
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::CellVolume;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, of_file};

/// Tolerance of the poles [degrees], since coordinates are rounded.
const ROUNDING: f64 = 1e-6;

impl Bodies {
    /// Adds the cells of a volume in longitude and latitude.
    ///
    /// # Errors
    /// As [`volume::mesh`]; cells that overlap, or are not on the Earth.
    pub fn geographic_volume(
        &mut self,
        given: &CellVolume,
        file: &GravityFile,
        places: Option<&Places>,
        path: &KeyPath,
        messages: &mut BodyMessages,
    ) -> Checked<()> {
        let reference = Reference::of(&file.config);
        let mesh = volume::mesh(given, file, path, messages)?;
        let path = path.key("density");
        let name = &given.density.file;
        check_ends(&mesh, &reference, &path).map_err(|problem| of_file(*problem, name))?;
        let [x, ..] = mesh.planes();
        let last = x.len() - 1;
        let steps = [x[1] - x[0], x[last] - x[last - 1]];
        let too_wide = |width: f64| {
            let message = format!("has cells over {} degrees of longitude", Number(width));
            let problem = Problem::new(path.key("file"), message).allowed("at most 360 degrees");
            of_file(problem.hint("crop the volume: without `bounds`, cells reach halfway to the next point"), name)
        };
        let region = Region::of_cells([x[0], x[last]], steps, reference, too_wide)?;
        messages.warnings.extend(places.and_then(|places| points_inside(&mesh, file, places)));
        self.tesseroids.extend(mesh.prisms().filter_map(|cell| region.tesseroid(&cell, 0.0)));
        Ok(())
    }
}

/// Rejects cells beyond the range of longitudes, latitudes or heights. Those around the poles may reach beyond them by half a cell.
fn check_ends(mesh: &TensorMesh, reference: &Reference, path: &KeyPath) -> Checked<()> {
    let [x, y, z] = mesh.planes();
    let ends = |planes: &[f64]| [planes[0], planes[planes.len() - 1]];
    let middles = |planes: &[f64]| {
        let last = planes.len() - 1;
        [0.5 * (planes[0] + planes[1]), 0.5 * (planes[last - 1] + planes[last])]
    };
    let heights = [reference.lowest(), MOST_HEIGHT];
    let most = 90.0 + ROUNDING;
    let in_degrees =
        "coordinates = \"geographic\" requires longitude and latitude in degrees; check the order of the axes";
    for (what, unit, found, [least, most], hint) in [
        ("longitudes", "degrees", ends(x), [-MOST_LONGITUDE, MOST_LONGITUDE], in_degrees.to_owned()),
        ("latitudes", "degrees", middles(y), [-most, most], in_degrees.to_owned()),
        ("heights", "m", ends(z), heights, reference.hint()),
    ] {
        if found[0] < least || found[1] > most {
            let message = format!("has {what} from {} to {} {unit}", Number(found[0]), Number(found[1]));
            let allowed = match what {
                "latitudes" => "-90 to 90 degrees".to_owned(),
                _ => format!("{} to {} {unit}", Number(least), Number(most)),
            };
            return Err(Problem::new(path.key("file"), message).allowed(allowed).hint(hint).into());
        }
    }
    Ok(())
}
