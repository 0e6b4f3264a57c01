//! The magnetisation of prisms.

use std::ops::Range;

use craton_gravity::{Direction, GravityError, Igrf, Magnetisation, Prisms};

use super::lists::{self, List};
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{self, BodyMagnetisation, IgrfField, ListFormat, MainField};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, of_file};

/// T in a nanotesla.
const NANOTESLA: f64 = 1e-9;

/// The checked magnetisation of a problem.
#[derive(Debug, Clone)]
pub struct Magnetic {
    /// Flux density of the main field, (east, north, up) [T].
    pub main: [f64; 3],
    /// Magnetisation of each prism.
    pub magnetisation: Magnetisation,
    /// The magnetisation in parts with one direction each, as prisms whose densities are the component along it [A/m].
    pub parts: Vec<([f64; 3], Prisms)>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Magnetic {
    /// The magnetisation of a problem, if it has any.
    ///
    /// # Arguments
    /// * `runs` – the prisms of each body
    /// # Errors
    /// A date or a table that cannot be read; no magnetised prism.
    pub fn new(file: &GravityFile, prisms: &Prisms, runs: &[Range<usize>]) -> Checked<Option<Self>> {
        let Some(given) = &file.config.magnetisation else { return Ok(None) };
        let path = KeyPath::default().key("magnetisation");
        let main = main_field(&given.field, &path.key("field"))?;
        let mut magnetisation = [const { Vec::new() }; 3];
        let mut notes = vec![note_of_field(main)];
        for (index, (body, run)) in given.bodies.iter().zip(runs).enumerate() {
            let of_body = of_body(body, main, file, &prisms.density()[run.clone()], &path.key("body").index(index))?;
            notes.push(format!("body {index}: magnetisation {}", range_of(&of_body)));
            for axis in 0..3 {
                magnetisation[axis].extend_from_slice(&of_body.components()[axis]);
            }
        }
        let bad = |error: GravityError| Box::new(Problem::new(path.key("body"), error.to_string()));
        let magnetisation = Magnetisation::new(magnetisation).map_err(bad)?;
        let with = |(direction, values): ([f64; 3], Vec<f64>)| {
            let mut part = prisms.clone();
            part.set_density(&values).map(|()| (direction, part))
        };
        let parts: Vec<_> = magnetisation.parts().into_iter().map(with).collect::<Result<_, _>>().map_err(bad)?;
        if parts.is_empty() {
            let problem = Problem::new(path.key("body"), "magnetises no prism");
            return Err(problem.hint("give a susceptibility or a remanent magnetisation of a body").into());
        }
        Ok(Some(Self { main, magnetisation, parts, notes }))
    }

    /// Unit vector along the main field.
    pub fn direction(&self) -> [f64; 3] {
        let length = self.main.into_iter().fold(0.0, f64::hypot);
        self.main.map(|component| component / length)
    }
}

/// The main field [T].
fn main_field(field: &MainField, path: &KeyPath) -> Checked<[f64; 3]> {
    match field {
        MainField::Given(given) => {
            let direction = Direction { inclination: given.inclination, declination: given.declination };
            Ok(direction.vector().map(|component| NANOTESLA * given.intensity * component))
        }
        MainField::Igrf(given) => {
            let (path, IgrfField { date, longitude, latitude, height }) = (path.key("igrf"), given);
            let [first, last] = Igrf::get().years();
            let problem = |message: String| {
                let problem = Problem::new(path.key("date"), message).value(format!("{date:?}"));
                Box::new(
                    problem.allowed(format!("a date like \"2025-06-30\", from {first:.0}-01-01 to {last:.0}-01-01")),
                )
            };
            let year = decimal_year(date).ok_or_else(|| problem("is not a date".to_owned()))?;
            let field = Igrf::get().field(year, *longitude, *latitude, *height);
            field.map_err(|_| problem("is outside the years of IGRF-14".to_owned()))
        }
    }
}

/// A date YYYY-MM-DD in decimal years.
fn decimal_year(date: &str) -> Option<f64> {
    let parts: Vec<u32> = date.trim().split('-').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    match parts[..] {
        [year, month, day] => Igrf::decimal_year(year, month, day),
        _ => None,
    }
}

/// The magnetisation of the prisms of a body.
///
/// # Arguments
/// * `density` – densities of its prisms
fn of_body(
    body: &BodyMagnetisation,
    main: [f64; 3],
    file: &GravityFile,
    density: &[f64],
    path: &KeyPath,
) -> Checked<Magnetisation> {
    let bad = |error: GravityError| Box::new(Problem::new(path, error.to_string()));
    let susceptibility: Vec<f64> =
        density.iter().map(|density| body.susceptibility + body.susceptibility_per_density * density).collect();
    let mut all = Magnetisation::induced(&susceptibility, main).map_err(bad)?;
    if let Some(config::Remanent { intensity, inclination, declination }) = body.remanent {
        let vector = Direction { inclination, declination }.vector();
        let components = vector.map(|component| vec![intensity * component; density.len()]);
        all = all.plus(&Magnetisation::new(components).map_err(bad)?).map_err(bad)?;
    }
    let Some(name) = &body.vectors else { return Ok(all) };
    let format = lists::format_of(name, None, file.inputs());
    if !matches!(format, ListFormat::Table | ListFormat::Netcdf) {
        let problem = Problem::new(path.key("vectors"), "must be a table or netCDF");
        return Err(of_file(problem, name));
    }
    let numbers = ["m_e", "m_n", "m_u"].map(|name| (name, name));
    let read = List { name, format, numbers, words: None, is_geographic: false };
    // Problems of a list are at the key of its file.
    let columns = read
        .read(file, path)
        .map_err(|problem| Box::new(Problem { path: path.key("vectors").to_string(), ..*problem }))?;
    let vectors = Magnetisation::new(columns.values().map(<[f64]>::to_vec)).and_then(|vectors| all.plus(&vectors));
    vectors.map_err(|error| match error {
        GravityError::Count { given, expected, .. } => {
            let problem = Problem::new(path.key("vectors"), format!("has {given} rows for {expected} prisms"));
            of_file(problem.hint("give one row for each prism of the body"), name)
        }
        other => of_file(Problem::new(path.key("vectors"), other.to_string()), name),
    })
}

fn note_of_field(main: [f64; 3]) -> String {
    let Direction { inclination, declination } = Direction::of(main);
    let intensity = main.into_iter().fold(0.0, f64::hypot) / NANOTESLA;
    format!(
        "main field {:.1} nT, inclination {:.3}, declination {:.3} degrees",
        Number(intensity),
        Number(inclination),
        Number(declination)
    )
}

/// The range of intensities, in words.
fn range_of(magnetisation: &Magnetisation) -> String {
    let lengths = (0..magnetisation.len()).map(|prism| magnetisation.get(prism).into_iter().fold(0.0, f64::hypot));
    let [low, high] = lengths.fold([f64::INFINITY, 0.0_f64], |[low, high], length| [low.min(length), high.max(length)]);
    match (low.is_finite(), low == high) {
        (false, _) => "of no prism".to_owned(),
        (_, true) => format!("{:.4} A/m", Number(low)),
        _ => format!("{:.4} to {:.4} A/m", Number(low), Number(high)),
    }
}
