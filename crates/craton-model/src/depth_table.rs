//! Depth tables, linear between rows; a depth that occurs twice is a discontinuity.

use craton_formats::FormatError;
use craton_formats::table::Table;

use crate::{Interface, Material, ModelError, Profile, Region, Transverse};

/// Speeds and density at a depth below z = 0, isotropic.
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
    /// Reads a table with the columns `depth`, `vp`, `vs` and `rho` in SI units, or with the unit in their names: `depth_km`, `vp_km_s`,
    /// `vs_km_s`, `rho_g_cm3`.
    ///
    /// # Errors
    /// A column that is missing or given in two units, values that cannot be in the unit of their column name.
    pub fn from_table(table: &Table) -> Result<Vec<Self>, FormatError> {
        let columns = Columns(table);
        let [depths, vps, vss, rhos] =
            [columns.depth()?, columns.speed("vp", "vp_km_s")?, columns.speed("vs", "vs_km_s")?, columns.rho()?];
        let row = |index: usize| Self { depth: depths[index], vp: vps[index], vs: vss[index], rho: rhos[index] };
        Ok((0..table.row_count()).map(row).collect())
    }

    /// Name of a column as written in the table, with or without a unit, for messages about one of its values.
    ///
    /// # Arguments
    /// * `name` – `depth`, `vp`, `vs`, `rho`
    pub fn name_in<'a>(table: &'a Table, name: &'a str) -> &'a str {
        let has_unit = |written: &&String| written.strip_prefix(name).is_some_and(|unit| unit.starts_with('_'));
        match table.column(name) {
            Some(_) => name,
            None => table.names().iter().find(has_unit).map_or(name, String::as_str),
        }
    }
}

/// Transversely isotropic properties at a depth below z = 0, with a vertical axis of symmetry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransverseRow {
    /// Depth below z = 0 \[m\].
    pub depth: f64,
    /// Speeds and density.
    pub medium: Transverse,
}

impl From<DepthRow> for TransverseRow {
    fn from(DepthRow { depth, vp, vs, rho }: DepthRow) -> Self {
        Self { depth, medium: Transverse::isotropic(vp, vs, rho) }
    }
}

impl TransverseRow {
    /// Reads a table with the columns `depth`, `vpv`, `vph`, `vsv`, `vsh`, `eta` and `rho` in SI units, or with the unit in their names as
    /// in [`DepthRow::from_table`] (`vpv_km_s`). A table without `vpv` is read as isotropic.
    ///
    /// # Errors
    /// As [`DepthRow::from_table`].
    pub fn from_table(table: &Table) -> Result<Vec<Self>, FormatError> {
        if table.column("vpv").or_else(|| table.column("vpv_km_s")).is_none() {
            return Ok(DepthRow::from_table(table)?.into_iter().map(Self::from).collect());
        }
        let columns = Columns(table);
        let (depths, rhos, etas) = (columns.depth()?, columns.rho()?, table.require("eta")?);
        let [vpvs, vphs] = [columns.speed("vpv", "vpv_km_s")?, columns.speed("vph", "vph_km_s")?];
        let [vsvs, vshs] = [columns.speed("vsv", "vsv_km_s")?, columns.speed("vsh", "vsh_km_s")?];
        let row = |index: usize| {
            let [vpv, vph, vsv, vsh] = [&vpvs, &vphs, &vsvs, &vshs].map(|column| column[index]);
            Self { depth: depths[index], medium: Transverse { vpv, vph, vsv, vsh, eta: etas[index], rho: rhos[index] } }
        };
        Ok((0..table.row_count()).map(row).collect())
    }

    /// Height z \[m\] and properties.
    pub(crate) fn knot(&self) -> (f64, Transverse) {
        // 0.0 - depth, so that the depth 0 becomes the height 0 and not -0.
        (0.0 - self.depth, self.medium)
    }
}

/// A table whose columns are converted to SI units, according to the unit in their names.
struct Columns<'a>(&'a Table);

/// A unit in a column name.
struct Unit {
    /// Factor from this unit to SI.
    in_si: f64,
    /// Largest plausible value; larger ones are probably in SI units.
    most: f64,
    /// Hint for values above `most`.
    hint: &'static str,
}

impl Columns<'_> {
    fn depth(&self) -> Result<Vec<f64>, FormatError> {
        let hint = "at most 6371 km, the radius of the Earth; depths in m belong in a column `depth`";
        self.column("depth", "depth_km", &Unit { in_si: 1000.0, most: 6371.0, hint })
    }

    fn speed(&self, name: &str, in_kilometres: &str) -> Result<Vec<f64>, FormatError> {
        let hint = "at most 50 km/s; speeds in m/s belong in a column without `_km_s`";
        self.column(name, in_kilometres, &Unit { in_si: 1000.0, most: 50.0, hint })
    }

    fn rho(&self) -> Result<Vec<f64>, FormatError> {
        let hint = "at most 50 g/cm3; densities in kg/m3 belong in a column `rho`";
        self.column("rho", "rho_g_cm3", &Unit { in_si: 1000.0, most: 50.0, hint })
    }

    /// Reads the column of either name, in SI units.
    fn column(&self, name: &str, with_unit: &str, unit: &Unit) -> Result<Vec<f64>, FormatError> {
        let Some(values) = self.0.column(with_unit) else {
            return Ok(self.0.require(name)?.to_vec());
        };
        if self.0.column(name).is_some() {
            return Err(self.0.refuse(
                with_unit,
                0,
                &format!("only one of the columns `{name}` and `{with_unit}`; remove one of them"),
            ));
        }
        match values.iter().position(|value| *value > unit.most) {
            Some(row) => Err(self.0.refuse(with_unit, row, unit.hint)),
            None => Ok(values.iter().map(|value| unit.in_si * value).collect()),
        }
    }
}

/// Splits rows at discontinuities.
pub(crate) fn pieces(rows: &[TransverseRow]) -> impl Iterator<Item = &[TransverseRow]> {
    rows.chunk_by(|above, below| above.depth < below.depth)
}

/// Builds one region per piece between discontinuities; the first region starts at `top`.
pub(crate) fn regions(top: Interface, rows: &[TransverseRow]) -> Result<Vec<Region>, ModelError> {
    check_rows(rows)?;
    let mut regions = Vec::new();
    let mut top = top;
    for piece in pieces(rows) {
        let knots: Vec<(f64, Transverse)> = piece.iter().map(TransverseRow::knot).collect();
        let bottom = Interface::Flat(knots[knots.len() - 1].0);
        regions.push(Region::elastic(top, Material::from(Profile::through(&knots)?)));
        top = bottom;
    }
    Ok(regions)
}

fn check_rows(rows: &[TransverseRow]) -> Result<(), ModelError> {
    if rows.is_empty() {
        return Err(ModelError::Empty { what: "row" });
    }
    let place = |index: usize| format!("row {} at depth {} m", index + 1, rows[index].depth);
    let refuse = |index: usize, problem, hint| Err(ModelError::DepthTable { place: place(index), problem, hint });
    for (index, row) in rows.iter().enumerate() {
        crate::check::finite("depth", row.depth, "m").map_err(|error| error.at(place(index)))?;
        row.medium.check().map_err(|error| error.at(place(index)))?;
    }
    for (index, pair) in rows.windows(2).enumerate() {
        if pair[1].depth < pair[0].depth {
            return refuse(index + 1, "it is above the previous row", "list the rows from the top down");
        }
    }
    for (index, three) in rows.windows(3).enumerate() {
        if three[0].depth == three[2].depth {
            return refuse(
                index + 2,
                "this depth occurs three times",
                "give two rows at most, for the two sides of a discontinuity",
            );
        }
    }
    if rows.len() > 1 && rows[0].depth == rows[1].depth {
        return refuse(1, "the first depth occurs twice, but there is nothing above it", "remove the first row");
    }
    Ok(())
}
