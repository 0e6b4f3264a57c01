//! The Earth model of a depth table within the box.

mod slow_rows;

use std::path::PathBuf;

use craton_formats::table::Table;
use craton_formats::velocity_model;
use craton_model::{DepthRow, EarthModel, Interface, LossField, LossProfile, ModelError, Transverse, TransverseRow};

use super::attenuation::Qualities;
use super::findings::{Checked, Findings, bad_file, bad_model};
use super::surfaces::crossing;
use crate::config::{Config, DepthTable, Domain, MOST_DENSITY, MOST_SPEED};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::validate::SURFACE_TOLERANCE;
use crate::written::Scenario;

/// The model of a depth table below a surface, without regions of the table outside the box.
///
/// # Arguments
/// * `path` – the key `depth_table`
pub fn model(
    table: &DepthTable,
    scenario: &Scenario,
    surface: &Interface,
    path: &KeyPath,
    findings: &mut Findings,
) -> Option<EarthModel> {
    let rows = findings.keep(Rows::read(table, scenario, path))?;
    let refused = rows.refused_media();
    if !refused.is_empty() {
        findings.problems.extend(refused);
        return None;
    }
    let whole = EarthModel::depth_table(surface.clone(), &rows.rows);
    let whole = findings.keep(whole.map_err(|error| bad_model(&error, &rows.path)))?;
    let losses = findings.keep(rows.losses())?;
    let whole = whole.with_losses(losses);
    let domain = &scenario.config.domain;
    findings.keep(rows.check_depth(domain))?;
    findings.keep(rows.check_elements(&scenario.config))?;
    let model = findings.keep(rows.inside_the_box(&whole, surface, &scenario.config))?;
    findings.warnings.extend(rows.extended(surface, domain));
    Some(model)
}

/// The rows of a table and their positions.
struct Rows {
    rows: Vec<TransverseRow>,
    /// Quality factors of each row.
    qualities: Vec<Qualities>,
    /// The file as named in the scenario, and its contents.
    file: Option<(PathBuf, Table)>,
    /// The key `rows` or `file`.
    path: KeyPath,
}

impl Rows {
    fn read(table: &DepthTable, scenario: &Scenario, path: &KeyPath) -> Checked<Self> {
        if let Some(rows) = &table.rows {
            let row = |row: &Vec<f64>| DepthRow { depth: row[0], vp: row[1], vs: row[2], rho: row[3] }.into();
            let quality = |row: &Vec<f64>| match row[4..] {
                [qp, qs] => Qualities { qp: Some(qp), qs: Some(qs), ..Qualities::default() },
                _ => Qualities::default(),
            };
            return Ok(Self {
                rows: rows.iter().map(row).collect(),
                qualities: rows.iter().map(quality).collect(),
                file: None,
                path: path.key("rows"),
            });
        }
        let Some(file) = &table.file else {
            return Err(Problem::new(path, "requires one of `file`, `rows`").into());
        };
        let path = path.key("file");
        let table = match velocity_model::is_named(file) {
            true => {
                let read = scenario.text(file, &path)?.read(velocity_model::read, velocity_model::parse);
                read.map_err(|error| bad_file(&error, file, &path))?
            }
            false => scenario.table(file, &path)?,
        };
        let rows = TransverseRow::from_table(&table).map_err(|error| bad_file(&error, file, &path))?;
        let qualities = (0..rows.len()).map(|row| {
            let at = |name| table.column(name).map(|column| column[row]);
            Qualities { qp: at("qp"), qs: at("qs"), qkappa: at("qkappa"), qmu: at("qmu") }
        });
        Ok(Self { qualities: qualities.collect(), rows, file: Some((file.clone(), table)), path })
    }

    /// Losses of each region.
    fn losses(&self) -> Checked<Vec<LossField>> {
        let mut row = 0;
        let mut of_regions = Vec::new();
        for piece in self.rows.chunk_by(|upper, lower| upper.depth < lower.depth) {
            let mut knots = Vec::with_capacity(piece.len());
            for TransverseRow { depth, medium } in piece {
                let losses = self.qualities[row].losses(&medium.medium(), &KeyPath::default());
                knots.push((0.0 - depth, losses.map_err(|problem| self.of_quality(*problem, row))?));
                row += 1;
            }
            of_regions.push(LossField::from(LossProfile::new(knots)));
        }
        Ok(of_regions)
    }

    /// The problem of the quality factors of a row, at its line of the file or its item of the list.
    ///
    /// # Arguments
    /// * `problem` – with the name of a quality factor as its key
    fn of_quality(&self, problem: Problem, row: usize) -> Box<Problem> {
        let name = problem.path.clone();
        let path = match &self.file {
            Some(_) => self.path.to_string(),
            None => self.path.index(row).index(if name == "qs" { 5 } else { 4 }).to_string(),
        };
        let depth = Number(self.rows[row].depth);
        let value = problem.value.as_ref().map_or(String::new(), |value| format!(" = {value}"));
        let message = format!("{name}{value} at depth {depth} m {}", problem.message);
        Box::new(Problem { path, message, value: None, ..problem })
    }

    /// Problems of rows with impossible materials.
    fn refused_media(&self) -> Vec<Problem> {
        let refused = self.rows.iter().enumerate().filter_map(|(index, row)| {
            let Transverse { vpv, vph, rho, .. } = row.medium;
            let limits = [("vpv", vpv, MOST_SPEED), ("vph", vph, MOST_SPEED), ("rho", rho, MOST_DENSITY)];
            if let Some((what, _, most)) = limits.into_iter().find(|(_, value, most)| value > most) {
                return Some(self.bad_value(
                    index,
                    what,
                    &format!("<= {}", Number(most)),
                    "check the unit: values are in SI units",
                ));
            }
            let error = row.medium.check().err()?;
            Some(match &error {
                // The model accepts vs = 0, but this hint is for values that are too large.
                ModelError::OutOfRange { what, allowed, .. } if what == "vs" => {
                    self.bad_value(index, what, allowed, "lower vs or raise vp")
                }
                ModelError::OutOfRange { what, allowed, hint, .. } => self.bad_value(index, what, allowed, hint),
                ModelError::Stiffness(error) => {
                    self.bad_value(index, "eta", "speeds and eta of a solid", &error.to_string())
                }
                other => *bad_model(other, &self.path),
            })
        });
        refused.collect()
    }

    /// The problem of one value, at its line of the file or item of the list.
    ///
    /// # Arguments
    /// * `what` – the property; for an isotropic material `vp`, `vs` or an equivalent
    fn bad_value(&self, row: usize, what: &str, allowed: &str, hint: &str) -> Problem {
        let problem = match &self.file {
            Some((file, table)) => *bad_file(&table.refuse(column_of(table, what), row, allowed), file, &self.path),
            None => {
                let TransverseRow { depth, medium: Transverse { vpv, vsv, rho, .. } } = self.rows[row];
                let name = without_direction(what);
                let values = [("depth", depth), ("vp", vpv), ("vs", vsv), ("rho", rho)];
                let number = values.iter().position(|(column, _)| *column == name).unwrap_or(0);
                let path = self.path.index(row).index(number);
                Problem::new(path, format!("{name} is out of range")).value(Number(values[number].1))
            }
        };
        problem.allowed(allowed).hint(hint)
    }

    /// The regions of a model inside the box.
    fn inside_the_box(&self, whole: &EarthModel, surface: &Interface, config: &Config) -> Checked<EarthModel> {
        let (regions, domain) = (whole.regions(), &config.domain);
        let above = regions[1..].iter().take_while(|next| is_above(&next.top, surface, domain)).count();
        let below = regions[1..].iter().rev().take_while(|region| is_below(&region.top, domain)).count();
        let kept = above.min(regions.len() - 1 - below)..regions.len() - below;
        let model = EarthModel::new(regions[kept].to_vec()).map_err(|error| bad_model(&error, &self.path))?;
        let model = model.with_surface(surface.clone());
        match model.regions().get(1).and_then(|second| crossing(surface, &second.top, domain)) {
            None => Ok(model),
            Some(cut) => Err(Problem::new(&self.path, format!("the discontinuity at z = {} m intersects the surface", Number(cut.lower)))
                .allowed(format!("discontinuities below the surface, which is at {}", cut.at_upper()))
                .hint(
                    "lower the discontinuity, or replace it by a gradient between two depths. Every region must extend across the box",
                )
                .into()),
        }
    }

    /// Requires rows down to the bottom of a chunk or the centre of the Earth; in a box the last row is a half-space.
    fn check_depth(&self, domain: &Domain) -> Checked<()> {
        if !domain.is_on_sphere() || !self.stops_short(domain) {
            return Ok(());
        }
        let depth = Number(0.0 - domain.z()[0]);
        let (allowed, hint) = match &domain.chunk {
            Some(_) => (
                format!("at least domain.chunk.depth = {depth} m in the last row"),
                "add rows (the last one may repeat the previous values), or reduce domain.chunk.depth",
            ),
            None => (
                format!("{depth} m, the centre of the Earth, in the last row"),
                "add rows; the last one may repeat the previous values",
            ),
        };
        Err(self.bad_value(self.rows.len() - 1, "depth", &allowed, hint).into())
    }

    /// Whether the domain extends below the last row.
    fn stops_short(&self, domain: &Domain) -> bool {
        let [bottom, top] = domain.z();
        bottom < -self.rows[self.rows.len() - 1].depth - SURFACE_TOLERANCE * (top - bottom)
    }

    /// Warnings where the box extends beyond the rows, so that the first or last row is extended.
    fn extended(&self, surface: &Interface, domain: &Domain) -> impl Iterator<Item = String> {
        let [bottom, top] = domain.z();
        let tolerance = SURFACE_TOLERANCE * (top - bottom);
        let (first, last) = (self.rows[0].depth, self.rows[self.rows.len() - 1].depth);
        let subject = match &self.file {
            Some((file, _)) => format!("{} = {:?}", self.path, file.display().to_string()),
            None => self.path.to_string(),
        };
        let [x, y, highest] = surface.highest(domain.x(), domain.y()).map(Number);
        let above = (highest.0 > tolerance - first).then(|| {
            format!(
                "{subject}: the first row is at depth {} m, but the ground is as high as z = {} m (at x = {x}, y = {y} m). The \
                 values of the first row extend up to the ground",
                Number(first),
                highest,
            )
        });
        let below = self.stops_short(domain).then(|| {
            format!(
                "{subject}: the last row is at depth {} m, but the domain extends to {} m ({}). The values of the last row extend to \
                 the bottom. Add rows or raise the bottom to avoid this",
                Number(last),
                Number(-bottom),
                domain.named_bottom(),
            )
        });
        above.into_iter().chain(below)
    }
}

/// The column of a property in a table, including its unit. Tables of anisotropic models have `vpv` instead of `vp`.
fn column_of<'a>(table: &'a Table, what: &'a str) -> &'a str {
    let with_direction = match what {
        "vp" => "vpv",
        "vs" => "vsv",
        other => other,
    };
    let candidates = [what, with_direction, without_direction(what)].map(|name| DepthRow::name_in(table, name));
    candidates.into_iter().find(|name| table.column(name).is_some()).unwrap_or(what)
}

fn without_direction(what: &str) -> &str {
    match what {
        "vpv" | "vph" => "vp",
        "vsv" | "vsh" => "vs",
        other => other,
    }
}

/// Whether an interface is on or above the surface everywhere.
fn is_above(interface: &Interface, surface: &Interface, domain: &Domain) -> bool {
    let lifted = |z: f64| Interface::Flat(z + SURFACE_TOLERANCE * (domain.z()[1] - domain.z()[0]));
    matches!(interface, Interface::Flat(z) if crossing(&lifted(*z), surface, domain).is_none())
}

/// Whether an interface is on or below the bottom of the box.
fn is_below(interface: &Interface, domain: &Domain) -> bool {
    matches!(interface, Interface::Flat(z) if *z <= domain.z()[0])
}
