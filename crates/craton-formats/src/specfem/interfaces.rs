//! The interfaces file of the internal mesher, and the grids of elevations that it names.
//!
//! ```text
//! 2                                            number of interfaces
//! .true. 2 2 0.d0 0.d0 1000.d0 1000.d0         SUPPRESS_UTM_PROJECTION NXI NETA LONG_MIN LAT_MIN SPACING_XI SPACING_ETA
//! interface1.dat                               name of the file with NXI * NETA elevations [m], one a line, xi fastest
//! .true. 2 2 0.d0 0.d0 1000.d0 1000.d0
//! topo.dat
//! 10                                           number of elements along z, for each layer, the lowest first
//! 10
//! ```

use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use super::{bare, count, logical};
use crate::error::Result;
use crate::text::{Place, data_lines, end_of, read_text};

/// The interfaces of a mesh, each of which is the top of a layer, and the lowest of which lies above the bottom of the block.
#[derive(Clone, Debug, PartialEq)]
pub struct Interfaces {
    /// The interfaces, the lowest first; the last is the top of the mesh.
    pub interfaces: Vec<Interface>,
    /// Number of elements along z of the layer below each interface, at least 1.
    pub layers: Vec<usize>,
}

/// Elevations on a regular grid. Outside the grid, the mesher continues the values at its edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// The file with the elevations.
    pub file: PathBuf,
    /// Whether origin and spacing are degrees rather than metres.
    pub is_geographic: bool,
    /// Number of points along xi and eta, at least 2.
    pub counts: [usize; 2],
    /// The first point: x and y [m], or longitude and latitude [degrees].
    pub origin: [f64; 2],
    /// Spacing along xi and eta [m or degrees], not 0.
    pub spacing: [f64; 2],
    /// Elevations [m], upward from z = 0, xi fastest.
    pub values: Vec<f64>,
}

impl Interfaces {
    /// Reads the file and the grids, whose names are relative to its folder.
    ///
    /// # Errors
    /// A file that cannot be read, or is incomplete; a malformed value; a grid with another number of elevations than announced.
    pub fn read(path: &Path) -> Result<Self> {
        let text = read_text(path)?;
        let lines = data_lines(path, &text).map(|(place, line)| (place, bare(line))).collect::<Vec<_>>();
        let mut lines = Lines { lines: lines.into_iter(), end: end_of(path, &text) };
        let (place, word) = lines.next("the number of interfaces")?;
        let number = count(place, "number of interfaces", word, 1)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut interfaces = Vec::new();
        for index in 1..=number {
            interfaces.push(interface(&mut lines, index, folder)?);
        }
        let mut layers = Vec::new();
        for index in 1..=number {
            let what = format!("the number of elements of layer {index}");
            let (place, word) = lines.next(&what)?;
            layers.push(count(place, &what, word, 1)?);
        }
        match lines.lines.next() {
            Some((place, line)) => {
                let hint = "there is one number of elements for each interface; remove the line";
                Err(place.layout(format!("`{line}` follows the last of {number} layers"), hint))
            }
            None => Ok(Self { interfaces, layers }),
        }
    }
}

/// Data lines of the file.
struct Lines<'a> {
    lines: IntoIter<(Place<'a>, &'a str)>,
    end: Place<'a>,
}

impl<'a> Lines<'a> {
    fn next(&mut self, what: &str) -> Result<(Place<'a>, &'a str)> {
        self.lines.next().ok_or_else(|| self.end.layout(format!("the file ends before {what}"), "complete the file"))
    }
}

fn interface(lines: &mut Lines, index: usize, folder: &Path) -> Result<Interface> {
    let (place, line) = lines.next(&format!("interface {index}"))?;
    let words: Vec<&str> = line.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect();
    let [suppressed, nx, ny, x, y, dx, dy] = words[..] else {
        return Err(place.layout(
            format!("interface {index} has {} words", words.len()),
            "write `SUPPRESS_UTM_PROJECTION NXI NETA LONG_MIN LAT_MIN SPACING_XI SPACING_ETA`",
        ));
    };
    let step = |key: &str, word: &str| match place.finite(key, word)? {
        0.0 => Err(place.bad_value(key, word, "a spacing other than 0")),
        step => Ok(step),
    };
    let counts = [count(place, "NXI", nx, 2)?, count(place, "NETA", ny, 2)?];
    let (_, name) = lines.next(&format!("the file of interface {index}"))?;
    let file = folder.join(name.trim_matches(['"', '\'']));
    Ok(Interface {
        is_geographic: !logical(place, "SUPPRESS_UTM_PROJECTION", suppressed)?,
        counts,
        origin: [place.finite("LONG_MIN", x)?, place.finite("LAT_MIN", y)?],
        spacing: [step("SPACING_XI", dx)?, step("SPACING_ETA", dy)?],
        values: elevations(&file, counts)?,
        file,
    })
}

/// Reads the elevations of a grid, one a line.
fn elevations(file: &Path, counts: [usize; 2]) -> Result<Vec<f64>> {
    let text = read_text(file)?;
    let lines = data_lines(file, &text).map(|(place, line)| place.finite("elevation", bare(line)));
    let values = lines.collect::<Result<Vec<f64>>>()?;
    let [nx, ny] = counts;
    if nx.checked_mul(ny) != Some(values.len()) {
        let problem = format!("the file has {} elevations, but NXI x NETA is {nx} x {ny}", values.len());
        return Err(end_of(file, &text).layout(problem, "write one elevation a line, or correct NXI and NETA"));
    }
    Ok(values)
}
