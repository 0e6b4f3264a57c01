//! `cargo xtask maps FOLDER`: maps of the errors that the GPU benchmark of gravity writes to a folder.

use anyhow::{Context, Result, bail, ensure};
use craton_view::{FieldColours, FieldMapOptions, FieldPanel, FieldSamples, Raster, field_maps};
use std::fs;
use std::path::Path;

/// Draws maps of every table `NAME.csv` in a folder: `NAME_attraction.png` and `NAME_gradient.png` in the same folder.
pub fn run(options: &[&str]) -> Result<()> {
    let [folder] = options else { bail!("maps takes one folder, that of CRATON_MAPS") };
    let mut drawn = 0;
    for entry in fs::read_dir(folder).with_context(|| format!("{folder} cannot be read"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "csv") {
            draw(&Table::read(&path)?, &path)?;
            drawn += 1;
        }
    }
    ensure!(
        drawn > 0,
        "{folder} holds no tables: CRATON_MAPS={folder} cargo bench -p craton-gravity --bench gpu -- maps"
    );
    Ok(())
}

/// Errors at the points of a grid.
struct Table {
    names: Vec<String>,
    /// x, y and the errors, the points of the grid x fastest; NaN where a value is not finite.
    columns: Vec<Vec<f64>>,
}

impl Table {
    fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)?;
        let mut lines = text.lines().map(|line| line.split(','));
        let names: Vec<String> = lines.next().into_iter().flatten().map(str::to_owned).collect();
        ensure!(names.len() > 2 && names[..2] == ["x", "y"], "{} is no table of errors at points", path.display());
        let mut columns = vec![Vec::new(); names.len()];
        for (number, words) in lines.enumerate() {
            for (column, word) in columns.iter_mut().zip(words) {
                let value: f64 = word.parse().with_context(|| format!("{}:{}: {word}", path.display(), number + 2))?;
                column.push(if value.is_finite() { value } else { f64::NAN });
            }
        }
        Ok(Self { names, columns })
    }

    /// A field over the grid.
    fn raster(&self, column: usize) -> Raster<'_> {
        let [x, y] = [&self.columns[0], &self.columns[1]];
        let across = y.iter().take_while(|place| **place == y[0]).count();
        let ends = |places: &[f64]| [places[0], places[places.len() - 1]];
        Raster { size: [across, x.len() / across], x: ends(x), y: ends(y), values: &self.columns[column] }
    }
}

/// Draws the attraction in one picture, the tensor in its upper triangle in another.
fn draw(table: &Table, path: &Path) -> Result<()> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    for (what, ending, unit) in [("attraction", "_mgal", "mGal"), ("gradient", "_eotvos", "E")] {
        let own = |name: &'_ str| name.strip_suffix(ending).map(str::to_owned);
        let fields: Vec<(usize, String)> =
            table.names.iter().enumerate().filter_map(|(column, name)| Some((column, own(name)?))).collect();
        let panels: Vec<FieldPanel> = fields
            .iter()
            .map(|(column, title)| FieldPanel {
                title,
                unit,
                samples: FieldSamples::Grid(table.raster(*column)),
                colours: FieldColours::default(),
                place: place_in_tensor(title),
            })
            .collect();
        let title = format!("Errors of {}, {what}", name.replace('_', " "));
        let picture = path.with_file_name(format!("{name}_{what}.png"));
        field_maps(&panels, &FieldMapOptions { title, ..FieldMapOptions::default() }, &picture)?;
        println!("{}", picture.display());
    }
    Ok(())
}

/// Row and column of a component such as `g_nu`.
fn place_in_tensor(name: &str) -> Option<[usize; 2]> {
    let axis = |letter: char| "enu".find(letter);
    let letters: Vec<usize> = name.strip_prefix("g_")?.chars().filter_map(axis).collect();
    letters.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_become_maps() {
        let folder = tempfile::tempdir().unwrap();
        let place = |n: usize| format!("{},{},{:e},{:e},nan\n", n % 5 * 100, n / 5 * 100, n as f64 * 1e-9, -(n as f64));
        let rows: String = (0..20).map(place).collect();
        let path = folder.path().join("single_precision.csv");
        fs::write(&path, format!("x,y,g_e_mgal,g_nu_eotvos,g_uu_eotvos\n{rows}").replacen("nan", "1", 7)).unwrap();
        let table = Table::read(&path).unwrap();
        assert_eq!((table.raster(3).size, table.raster(3).x, table.raster(3).y), ([5, 4], [0.0, 400.0], [0.0, 300.0]));
        run(&[folder.path().to_str().unwrap()]).unwrap();
        for what in ["attraction", "gradient"] {
            let picture = fs::read(folder.path().join(format!("single_precision_{what}.png"))).unwrap();
            assert!(picture.starts_with(b"\x89PNG"), "{what}");
        }
        assert_eq!([place_in_tensor("g_e"), place_in_tensor("g_nu")], [None, Some([1, 2])]);
        assert!(run(&[]).is_err() && run(&["nowhere"]).is_err());
    }
}
