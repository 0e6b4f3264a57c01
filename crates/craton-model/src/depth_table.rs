//! Tables of depths: straight lines between rows, a depth that stands twice is a discontinuity.

use craton_formats::FormatError;
use craton_formats::table::Table;

use crate::{Interface, Knot, Material, ModelError, Profile, Region};

/// Speeds and density at a depth below z = 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthRow {
    /// Depth below z = 0 \[m\].
    pub depth: f64,
    /// Speed of P waves \[m/s\].
    pub vp: f64,
    /// Speed of S waves \[m/s\], 0 in a fluid.
    pub vs: f64,
    /// Density \[kg/m³\].
    pub rho: f64,
}

impl DepthRow {
    /// The rows of a table with the columns `depth`, `vp`, `vs` and `rho`, in SI units.
    ///
    /// # Errors
    /// A column that is missing.
    pub fn from_table(table: &Table) -> Result<Vec<Self>, FormatError> {
        let depths = table.require("depth")?;
        let vps = table.require("vp")?;
        let vss = table.require("vs")?;
        let rhos = table.require("rho")?;
        let row = |index: usize| Self { depth: depths[index], vp: vps[index], vs: vss[index], rho: rhos[index] };
        Ok((0..table.row_count()).map(row).collect())
    }

    fn knot(&self) -> Knot {
        // 0.0 - depth, so that the depth 0 becomes the height 0 and not -0.
        Knot { z: 0.0 - self.depth, vp: self.vp, vs: self.vs, rho: self.rho }
    }
}

/// One region between discontinuities after another; the first begins at `top`.
pub(crate) fn regions(top: Interface, rows: &[DepthRow]) -> Result<Vec<Region>, ModelError> {
    check_rows(rows)?;
    let mut regions = Vec::new();
    let mut top = top;
    for piece in rows.chunk_by(|above, below| above.depth < below.depth) {
        let knots: Vec<Knot> = piece.iter().map(DepthRow::knot).collect();
        let bottom = Interface::Flat(knots[knots.len() - 1].z);
        regions.push(Region { top, material: Material::from(Profile::new(knots)?) });
        top = bottom;
    }
    Ok(regions)
}

fn check_rows(rows: &[DepthRow]) -> Result<(), ModelError> {
    if rows.is_empty() {
        return Err(ModelError::Empty { what: "row" });
    }
    let place = |index: usize| format!("row {} at depth {} m", index + 1, rows[index].depth);
    let refuse = |index: usize, problem, hint| Err(ModelError::DepthTable { place: place(index), problem, hint });
    for (index, row) in rows.iter().enumerate() {
        crate::check::finite("depth", row.depth, "m").map_err(|error| error.at(place(index)))?;
        crate::Medium::isotropic(row.vp, row.vs, row.rho).map_err(|error| error.at(place(index)))?;
    }
    for (index, pair) in rows.windows(2).enumerate() {
        if pair[1].depth < pair[0].depth {
            return refuse(index + 1, "it lies above the row before", "list the rows from the top down");
        }
    }
    for (index, three) in rows.windows(3).enumerate() {
        if three[0].depth == three[2].depth {
            return refuse(index + 2, "the depth stands three times", "a discontinuity has two sides");
        }
    }
    if rows.len() > 1 && rows[0].depth == rows[1].depth {
        return refuse(1, "a discontinuity at the first depth has nothing above it", "remove the first row");
    }
    Ok(())
}
