//! Coordinates and variables of a perturbation file.

use std::path::Path;

use craton_formats::FormatError;
use craton_formats::netcdf::{NetcdfReader, Variable};
use craton_formats::volume::metres_per;
use craton_model::MapAxes;

use super::units::{self, Unit};
use super::{QUANTITIES, Source, VOIGT, quality};
use crate::error::Problem;
use crate::setup::findings::{Checked, bad_file};

/// Coordinate names on the Earth, in lower case: longitude, latitude and depth.
const ON_EARTH: [&[&str]; 3] = [&["longitude", "lon"], &["latitude", "lat"], &["depth", "dep"]];
/// Coordinate names in a plane.
const ON_PLANE: [&[&str]; 3] = [&["x", "easting"], &["y", "northing"], &["depth", "dep"]];

/// Usual variable names, in lower case: vp, vs and density.
const USUAL: [&[&str]; 3] = [
    &["vp", "dvp", "dlnvp", "dvp_percent", "vp_perturbation"],
    &["vs", "dvs", "dlnvs", "dvs_percent", "vs_perturbation"],
    &["rho", "drho", "dlnrho", "density", "drho_percent", "rho_perturbation"],
];

/// Names of polarised variables, vertical and horizontal, in lower case: of vp and vs.
const POLARISED: [&[[&str; 2]]; 3] = [&[["vpv", "vph"], ["dvpv", "dvph"]], &[["vsv", "vsh"], ["dvsv", "dvsh"]], &[]];

/// The variables of a quantity, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variables {
    /// A single variable for all polarisations.
    One(usize),
    /// Vertical and horizontal polarisation, which an isotropic model averages.
    Polarised([usize; 2]),
}

/// An open perturbation file.
pub struct MapFile {
    reader: NetcdfReader,
    is_geographic: bool,
    /// Indices of the variables of longitude, latitude and depth.
    coordinates: [usize; 3],
    /// The variables of vp, vs and density in the file.
    pub variables: [Option<Variables>; 3],
    /// The variables of qp, qs, qkappa and qmu.
    pub quality: [Option<usize>; 4],
}

impl MapFile {
    /// Opens a file and finds the requested variables.
    ///
    /// # Errors
    /// An unreadable file; missing or ambiguous coordinates or variables.
    pub fn open(source: &Source, opened: &Path, is_geographic: bool) -> Checked<Self> {
        let reader = NetcdfReader::open(opened).map_err(|error| unreadable(&error, source))?;
        let coordinates = coordinates(source, &reader, is_geographic)?;
        let (variables, quality) = match (chosen(source, &reader)?, quality::chosen(source, &reader)?) {
            ([None, None, None], [None, None, None, None]) => {
                let quality = quality::usual(&reader);
                (usual(source, &reader, quality.iter().any(Option::is_some))?, quality)
            }
            chosen => chosen,
        };
        Ok(Self { reader, is_geographic, coordinates, variables, quality })
    }

    /// Name of a variable.
    pub fn name(&self, variable: usize) -> &str {
        &self.reader.dataset().variables[variable].name
    }

    /// The warning about a quantity that is the average of two polarisations.
    pub fn averaged(&self, source: &Source, quantity: usize) -> Option<String> {
        let Variables::Polarised(both) = self.variables[quantity].filter(|_| source.averages)? else { return None };
        let [vertical, horizontal] = both.map(|number| &*self.reader.dataset().variables[number].name);
        let [along, across] = VOIGT[quantity];
        Some(format!(
            "{} = {:?}: the model is isotropic, so that {} is the Voigt average of {vertical} and {horizontal}: the root of {along:.4} of the square of the \
             one and {across:.4} of that of the other. To use one of them alone, name it in perturbation.{}",
            source.path.key("file"),
            source.file().display().to_string(),
            QUANTITIES[quantity],
            QUANTITIES[quantity],
        ))
    }

    /// The coordinates of the values, in degrees and metres.
    pub fn axes(&mut self, source: &Source) -> Checked<MapAxes> {
        let [longitudes, latitudes, depths] =
            [self.places(source, 0)?, self.places(source, 1)?, self.places(source, 2)?];
        Ok(MapAxes { longitudes, latitudes, depths })
    }

    fn places(&mut self, source: &Source, axis: usize) -> Checked<Vec<f64>> {
        let variable = self.reader.dataset().variables[self.coordinates[axis]].clone();
        let places = self.reader.values_f64(&variable.name).map_err(|error| unreadable(&error, source))?;
        if axis < 2 && self.is_geographic {
            return Ok(places);
        }
        let unit = variable.text("units").unwrap_or_default();
        let Some(factor) = metres_per(unit) else {
            let problem = source.problem(format!("the coordinate {} has the unit `{unit}`", variable.name));
            return Err(problem
                .allowed("an attribute units: m, km or ft")
                .hint("set the attribute in the file")
                .into());
        };
        let is_up =
            axis == 2 && variable.text("positive").is_some_and(|direction| direction.trim().eq_ignore_ascii_case("up"));
        let sign = if is_up { -factor } else { factor };
        Ok(places.iter().map(|place| 0.0 + sign * place).collect())
    }

    /// The unit of a variable: that of the scenario, else that of the file.
    pub fn unit(&self, source: &Source, quantity: usize, variable: usize) -> Checked<Unit> {
        if let Some(units) = source.written.units {
            return Ok(units.into());
        }
        let variable = &self.reader.dataset().variables[variable];
        let attribute = variable.text("units").unwrap_or_default();
        units::of_values(attribute, QUANTITIES[quantity] == "rho").ok_or_else(|| {
            let is_there =
                if attribute.is_empty() { "has no unit".into() } else { format!("has the unit `{attribute}`") };
            let problem = source.problem(format!("the variable {} {is_there}", variable.name));
            let density = if QUANTITIES[quantity] == "rho" { "g/cm3 or kg/m3" } else { "km/s or m/s" };
            let problem = problem.allowed(format!("percent, fraction, {density}"));
            problem.hint("set perturbation.units = \"percent\", \"fraction\", \"km_s\" or \"si\"").into()
        })
    }

    /// All values of a variable, with missing ones as NaN, and the strides along longitude, latitude and depth.
    ///
    /// # Errors
    /// A variable that is not over these three coordinates, or an unreadable file.
    pub fn values(&mut self, source: &Source, variable: usize) -> Checked<(Vec<f32>, [usize; 3])> {
        let strides = self.strides(source, variable)?;
        let name = self.reader.dataset().variables[variable].name.clone();
        let values = self.reader.values_f32(&name).map_err(|error| unreadable(&error, source))?;
        Ok((values, strides))
    }

    fn strides(&self, source: &Source, variable: usize) -> Checked<[usize; 3]> {
        let dataset = self.reader.dataset();
        let variable = &dataset.variables[variable];
        let names = self.coordinates.map(|number| &*dataset.variables[number].name);
        let mut strides = [None; 3];
        let mut stride = 1;
        for dimension in dataset.dimensions_of(variable).rev() {
            match names.iter().position(|name| *name == dimension.name) {
                Some(axis) => strides[axis] = Some(stride),
                // A single time is irrelevant.
                None if dimension.length == 1 => {}
                None => return Err(self.not_over(source, variable, names)),
            }
            stride *= dimension.length as usize;
        }
        match strides {
            [Some(longitude), Some(latitude), Some(depth)] => Ok([longitude, latitude, depth]),
            _ => Err(self.not_over(source, variable, names)),
        }
    }

    fn not_over(&self, source: &Source, variable: &Variable, names: [&str; 3]) -> Box<Problem> {
        let dimensions = self.reader.dataset().dimensions_of(variable).map(|dimension| &*dimension.name);
        let dimensions: Vec<&str> = dimensions.collect();
        let problem = source.problem(format!("the variable {} is over {}", variable.name, dimensions.join(", ")));
        let problem = problem.allowed(format!("{}, {} and {}, in any order", names[2], names[1], names[0]));
        problem.hint("choose another variable with perturbation.vp, vs or rho").into()
    }
}

/// The problem of an unreadable file.
fn unreadable(error: &FormatError, source: &Source) -> Box<Problem> {
    bad_file(error, source.file(), &source.path.key("file"))
}

/// Indices of the coordinate variables.
fn coordinates(source: &Source, reader: &NetcdfReader, is_geographic: bool) -> Checked<[usize; 3]> {
    let dataset = reader.dataset();
    let find = |names: &[&str]| {
        (0..dataset.variables.len()).find(|&number| {
            let variable = &dataset.variables[number];
            let is_own = dataset.dimensions_of(variable).map(|dimension| &dimension.name).eq([&variable.name]);
            is_own && names.contains(&&*variable.name.to_lowercase())
        })
    };
    let mut found = [0; 3];
    let required = if is_geographic { ON_EARTH } else { ON_PLANE };
    for (axis, names) in required.into_iter().enumerate() {
        found[axis] = find(names).ok_or_else(|| {
            let problem = source.problem(format!("the file has no coordinate `{}`", names[0]));
            let problem = problem.allowed(format!(
                "coordinate variables, named like their dimensions: {}",
                required.map(|names| names[0]).join(", ")
            ));
            let is_degrees = !is_geographic && find(ON_EARTH[0]).is_some();
            problem.hint(match is_degrees {
                true => "the file is over longitude and latitude: give domain.projection or domain.chunk",
                false => "rename the coordinates of the file",
            })
        })?;
    }
    Ok(found)
}

/// The variable of a key, if the scenario names one.
pub fn named(source: &Source, reader: &NetcdfReader, key: &str, name: Option<&str>) -> Checked<Option<usize>> {
    let Some(name) = name else { return Ok(None) };
    let variables = &reader.dataset().variables;
    let number = variables.iter().position(|variable| variable.name == *name);
    number.map(Some).ok_or_else(|| {
        let problem = Problem::new(source.path.key(key), "the file has no such variable").value(format!("{name:?}"));
        problem.allowed(format!("one of the variables of the file: {}", all_names(reader))).into()
    })
}

fn all_names(reader: &NetcdfReader) -> String {
    reader.dataset().variables.iter().map(|variable| &*variable.name).collect::<Vec<_>>().join(", ")
}

/// The variables of vp, vs and density that the scenario names.
fn chosen(source: &Source, reader: &NetcdfReader) -> Checked<[Option<Variables>; 3]> {
    let names = [&source.written.vp, &source.written.vs, &source.written.rho];
    let mut found = [None; 3];
    for ((found, key), name) in found.iter_mut().zip(QUANTITIES).zip(names) {
        *found = named(source, reader, key, name.as_deref())?.map(Variables::One);
    }
    Ok(found)
}

/// The variables of vp, vs and density by their usual names.
///
/// # Arguments
/// * `has_others` – whether the file has other variables to read, so that these may be missing
fn usual(source: &Source, reader: &NetcdfReader, has_others: bool) -> Checked<[Option<Variables>; 3]> {
    let variables = &reader.dataset().variables;
    let mut found = [None; 3];
    for (quantity, usual) in USUAL.into_iter().enumerate() {
        let is_usual = |number: &usize| usual.contains(&&*variables[*number].name.to_lowercase());
        let all: Vec<usize> = (0..variables.len()).filter(is_usual).collect();
        if let [first, second, ..] = all[..] {
            let [first, second] = [first, second].map(|number| &*variables[number].name);
            let key = QUANTITIES[quantity];
            let problem = source.problem(format!("the variables {first} and {second} are both candidates for {key}"));
            return Err(problem.hint(format!("choose one, as in perturbation.{key} = \"{first}\"")).into());
        }
        let one = all.first().copied().map(Variables::One);
        let both = polarised(variables, quantity).map(Variables::Polarised);
        found[quantity] = if source.averages { one.or(both) } else { both.or(one) };
    }
    match has_others || found.iter().any(Option::is_some) {
        true => Ok(found),
        false => {
            let problem = source
                .problem("no variable of the file has a usual name")
                .allowed(format!("one of: {}", all_names(reader)));
            let is_polarised = variables.iter().any(|variable| {
                POLARISED.iter().copied().flatten().flatten().any(|name| *name == variable.name.to_lowercase())
            });
            Err(problem.hint(match is_polarised {
                true => {
                    "the file has only one polarisation: select it with perturbation.vs or vp to perturb both alike, or add the other one to the file"
                }
                false => "name the variables with perturbation.vp, vs and rho",
            }).into())
        }
    }
}

/// The variables of both polarisations of a quantity, if the file has them.
fn polarised(variables: &[Variable], quantity: usize) -> Option<[usize; 2]> {
    let find = |name: &str| variables.iter().position(|variable| variable.name.eq_ignore_ascii_case(name));
    POLARISED[quantity].iter().find_map(|[vertical, horizontal]| Some([find(vertical)?, find(horizontal)?]))
}
