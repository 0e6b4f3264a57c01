//! Gravity gradients: locations, predictions and observations of GG3D.

use std::io::Write;
use std::path::Path;

use super::stations::{self, FirstLines, Stations, UNCERTAINTY};
use crate::atomic;
use crate::error::{Refused, Result};
use crate::pieces::Source;
use crate::text::Place;

/// A second derivative of the potential, in the axes of the file: x is **north**, y **east** and z **down**.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// North, north.
    Xx,
    /// North, east.
    Xy,
    /// North, down.
    Xz,
    /// East, east.
    Yy,
    /// East, down.
    Yz,
    /// Down, down.
    Zz,
}

impl Component {
    /// All components, in the usual order of files.
    pub const ALL: [Self; 6] = [Self::Xx, Self::Xy, Self::Xz, Self::Yy, Self::Yz, Self::Zz];

    /// Name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xx => "xx",
            Self::Xy => "xy",
            Self::Xz => "xz",
            Self::Yy => "yy",
            Self::Yz => "yz",
            Self::Zz => "zz",
        }
    }

    /// Converts the component to x east, y north and z up.
    ///
    /// # Returns
    /// Its axes, ascending, 0 east, 1 north and 2 up; and the factor, 1 or -1, between the value in the file and the converted value
    /// # Source
    /// "Background theory" of the manual of GG3D: g_ij = γ ∫ ρ ∂²(1/r)/∂xi∂xj, x north, y east, z down. Since z is reversed, components
    /// with a single z change sign. Verified by `ubc::components_are_converted_from_north_east_down`.
    pub fn east_north_up(self) -> ([usize; 2], f64) {
        match self {
            Self::Xx => ([1, 1], 1.0),
            Self::Xy => ([0, 1], 1.0),
            Self::Xz => ([1, 2], -1.0),
            Self::Yy => ([0, 0], 1.0),
            Self::Yz => ([0, 2], -1.0),
            Self::Zz => ([2, 2], 1.0),
        }
    }
}

/// Stations, and gravity gradients due to density contrasts.
///
/// ```text
/// datacomp=xy,zz
/// 2                       ! stations
/// 1000 2000 151.5 -3.1 12.7 5 20
/// 1050 2000 153.0 -2.9 12.5 5 20
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GradientData {
    /// Positions [m]: x **east**, y **north**, z elevation (**up**).
    pub points: Vec<[f64; 3]>,
    /// Components, each once, in the order of the file, in axes x **north**, y **east**, z **down**.
    pub components: Vec<Component>,
    /// Gradients [Eötvös, 1e-9 1/s²], shape (component, point); `None` if the file has no values.
    pub values_eotvos: Option<Vec<Vec<f64>>>,
    /// Standard deviations [Eötvös], same shape; `None` if the file has none. Zeros are kept.
    pub uncertainties_eotvos: Option<Vec<Vec<f64>>>,
}

impl GradientData {
    /// Reads locations (`x y z`), predictions (followed by all values) or observations (followed by all values, then all uncertainties).
    ///
    /// # Errors
    /// No line `datacomp=`, or one with components other than those of [`Component`] (such as `ne` and `uv` of Falcon, `ka` and `kc` of
    /// VK1); and as [`super::GravityData::read`].
    pub fn read(path: &Path) -> Result<Self> {
        Self::read_source(&Source::open(path)?)
    }

    /// As [`Self::read`], from the text of the file; `path` is used in messages.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        Self::read_source(&Source::of_text(path, text))
    }

    fn read_source(source: &Source) -> Result<Self> {
        let first = FirstLines::of(source, 3)?;
        let (place, line) = first.line(0, "datacomp", "a line like `datacomp=xx,xy,xz,yy,yz,zz`")?;
        let components = parse_components(place, line)?;
        let count = components.len();
        let names = |values: usize| match values {
            0 => Some(Vec::new()),
            _ if values == count => Some(names(&components, "")),
            _ if values == 2 * count => Some([names(&components, ""), names(&components, UNCERTAINTY)].concat()),
            _ => None,
        };
        let expected = format!("`x y z`, followed by {count} values, or by {count} values and {count} uncertainties");
        let Stations { points, columns } = stations::read(source, &first, 1, names, &expected)?;
        let mut columns = columns.into_iter();
        let mut next = || Some(columns.by_ref().take(count).collect()).filter(|some: &Vec<_>| !some.is_empty());
        Ok(Self { points, values_eotvos: next(), uncertainties_eotvos: next(), components })
    }

    /// Writes the data with all digits, atomically.
    ///
    /// # Errors
    /// [`crate::FormatError::Unwritable`] for no components or a duplicate one, no points, uncertainties without values, lists of different
    /// lengths, or a value that is not finite; [`crate::FormatError::Io`] if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let list = names(&self.components, "").join(",");
        let twice = (1..self.components.len()).any(|index| self.components[..index].contains(&self.components[index]));
        if self.components.is_empty() || twice {
            return Err(Refused::new("components", list, "at least one, each only once").unwritable(path));
        }
        stations::refuse_lone_uncertainties(path, self.values_eotvos.is_some(), self.uncertainties_eotvos.is_some())?;
        let mut columns = Vec::new();
        for (values, kind) in [(&self.values_eotvos, ""), (&self.uncertainties_eotvos, UNCERTAINTY)] {
            let Some(values) = values else { continue };
            if values.len() != self.components.len() {
                let expected = format!("{}, one for each component", self.components.len());
                return Err(Refused::new("number of lists of values", values.len(), expected).unwritable(path));
            }
            columns.extend(names(&self.components, kind).into_iter().zip(values.iter().map(Vec::as_slice)));
        }
        stations::check(path, &self.points, &columns)?;
        atomic::write_with(path, |out| {
            writeln!(out, "datacomp={list}")?;
            stations::write(out, &self.points, &columns)
        })
    }
}

/// Column names, for messages.
fn names(components: &[Component], kind: &str) -> Vec<String> {
    let name = |component: &Component| match kind {
        "" => component.name().to_owned(),
        kind => format!("{kind} of {}", component.name()),
    };
    components.iter().map(name).collect()
}

fn parse_components(place: Place, line: &str) -> Result<Vec<Component>> {
    let list = line.strip_prefix("datacomp").and_then(|tail| tail.trim_start().strip_prefix('='));
    let list = list.ok_or_else(|| place.bad_value("first line", line, "the components, like `datacomp=xx,xy,zz`"))?;
    let mut components = Vec::new();
    for name in list.split(|c: char| !c.is_alphanumeric()).filter(|name| !name.is_empty()) {
        let known = Component::ALL.into_iter().find(|component| component.name() == name);
        let component = known.filter(|component| !components.contains(component)).ok_or_else(|| {
            place.bad_value(
                "component",
                name,
                "one of xx, xy, xz, yy, yz and zz, each only once; others are not supported",
            )
        })?;
        components.push(component);
    }
    match components.is_empty() {
        true => Err(place.bad_value("datacomp", list, "the components, like `datacomp=xx,xy,zz`")),
        false => Ok(components),
    }
}
