//! The Earth model of a table of depths: what of it lies inside the box.

use std::path::PathBuf;

use craton_formats::table::{self, Table};
use craton_model::{DepthRow, EarthModel, Interface, Medium, ModelError};

use super::findings::{Findings, bad_file, bad_model};
use super::media::{FLUID_ALLOWED, FLUID_HINT};
use super::surfaces::crossing;
use crate::config::{DepthTable, Domain};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::scenario::Scenario;

/// The model of a table below a surface; regions of the table that lie outside of the box are left out.
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
    findings.keep(rows.inside_the_box(&whole, surface, &scenario.config.domain))
}

/// The rows of a table and where they are written.
struct Rows {
    rows: Vec<DepthRow>,
    /// The file that holds them, as the scenario names it, and what was read from it.
    file: Option<(PathBuf, Table)>,
    /// `rows`, or `file`.
    path: KeyPath,
}

impl Rows {
    fn read(table: &DepthTable, scenario: &Scenario, path: &KeyPath) -> Result<Self, Problem> {
        if let Some(rows) = &table.rows {
            let row = |&[depth, vp, vs, rho]: &[f64; 4]| DepthRow { depth, vp, vs, rho };
            return Ok(Self { rows: rows.iter().map(row).collect(), file: None, path: path.key("rows") });
        }
        let Some(file) = &table.file else {
            return Err(Problem::new(path, "needs one of `file`, `rows`"));
        };
        let path = path.key("file");
        let read = table::read(&scenario.resolve(file)).and_then(|table| Ok((DepthRow::from_table(&table)?, table)));
        let (rows, table) = read.map_err(|error| bad_file(&error, file, &path))?;
        Ok(Self { rows, file: Some((file.clone(), table)), path })
    }

    /// Rows that no medium can have.
    fn refused_media(&self) -> Vec<Problem> {
        let refused = self.rows.iter().enumerate().filter_map(|(index, row)| {
            let error = Medium::isotropic(row.vp, row.vs, row.rho).err()?;
            Some(match &error {
                ModelError::OutOfRange { what, allowed, hint, .. } => self.bad_value(index, what, allowed, hint),
                other => bad_model(other, &self.path),
            })
        });
        refused.collect()
    }

    /// The problem of one value, at its line of the file or its item of the list.
    fn bad_value(&self, row: usize, column: &str, allowed: &str, hint: &str) -> Problem {
        let problem = match &self.file {
            Some((file, table)) => bad_file(&table.refuse(column, row, allowed), file, &self.path),
            None => {
                let DepthRow { depth, vp, vs, rho } = self.rows[row];
                let values = [("depth", depth), ("vp", vp), ("vs", vs), ("rho", rho)];
                let number = values.iter().position(|(name, _)| *name == column).unwrap_or(0);
                let path = self.path.index(row).index(number);
                Problem::new(path, format!("{column} is not allowed")).value(values[number].1)
            }
        };
        problem.allowed(allowed).hint(hint)
    }

    /// The regions of a model that lie in the box, which must be solid.
    fn inside_the_box(&self, whole: &EarthModel, surface: &Interface, domain: &Domain) -> Result<EarthModel, Problem> {
        let regions = whole.regions();
        let above = regions[1..].iter().take_while(|next| crossing(&next.top, surface, domain).is_none()).count();
        let below = |top: &Interface| matches!(top, Interface::Flat(z) if *z <= domain.z[0]);
        let end = 1 + regions[1..].iter().take_while(|region| !below(&region.top)).count();
        let pieces: Vec<&[DepthRow]> = self.rows.chunk_by(|upper, lower| upper.depth < lower.depth).collect();
        for (index, piece) in pieces.iter().enumerate().take(end).skip(above) {
            if let Some(row) = piece.iter().position(|row| row.vs == 0.0) {
                let before: usize = pieces[..index].iter().map(|piece| piece.len()).sum();
                return Err(self.bad_value(before + row, "vs", FLUID_ALLOWED, FLUID_HINT));
            }
        }
        let kept = regions[above.min(end - 1)..end].to_vec();
        let model = EarthModel::new(kept).map_err(|error| bad_model(&error, &self.path))?;
        let model = model.with_surface(surface.clone());
        match model.regions().get(1).and_then(|second| crossing(surface, &second.top, domain)) {
            None => Ok(model),
            Some(cut) => Err(Problem::new(&self.path, format!("a jump at depth {} m cuts the surface", -cut.lower))
                .value(cut.at(cut.upper))
                .allowed("jumps below the topography everywhere")
                .hint("move the jump, or smooth it over two depths")),
        }
    }
}
