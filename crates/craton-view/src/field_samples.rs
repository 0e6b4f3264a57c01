//! Fields sampled on grids and at points, and the size of their dots.

use std::collections::HashSet;

use crate::colour_scale::ends;
use crate::error::{Error, Result};
use crate::layout::Area;
use crate::raster::Raster;
use crate::survey_model::Rectangle;
use crate::trace::all_finite;

/// A sampled scalar field.
#[derive(Clone, Copy, Debug)]
pub enum FieldSamples<'a> {
    /// On a regular grid, with colours interpolated between the points.
    Grid(Raster<'a>),
    /// At positions (x, y) \[m\] in any order, with one value each, drawn as dots. NaN marks missing values.
    Points(&'a [[f64; 2]], &'a [f64]),
}

impl FieldSamples<'_> {
    /// Checks that the field can be drawn.
    ///
    /// # Errors
    /// `Error::Length`, `Error::Range`, `Error::NotFinite`, `Error::Nothing` if all values are NaN
    pub(crate) fn check(&self, name: &str) -> Result<()> {
        let (positions, values) = match self {
            Self::Grid(raster) => return raster.check(name),
            Self::Points(positions, values) => (positions, values),
        };
        if values.len() != positions.len() {
            return Err(Error::Length { what: name.to_owned(), found: values.len(), expected: positions.len() });
        }
        for (index, position) in positions.iter().enumerate() {
            all_finite(position, || format!("the position of point {} of {name}", index + 1))?;
        }
        if let Some(index) = values.iter().position(|value| value.is_infinite()) {
            return Err(Error::NotFinite { what: name.to_owned(), index, value: values[index] });
        }
        if self.present().next().is_none() {
            return Err(Error::Nothing { what: "values of the points" });
        }
        Ok(())
    }

    /// Finite values.
    pub(crate) fn present(&self) -> impl Iterator<Item = f64> + '_ {
        let values = match self {
            Self::Grid(raster) => raster.values,
            Self::Points(_, values) => values,
        };
        values.iter().copied().filter(|value| !value.is_nan())
    }

    /// The region that a map must show: the grid, or the points with a margin for their dots.
    pub(crate) fn extent(&self) -> Rectangle {
        const ROOM: f64 = 0.025;
        match self {
            Self::Grid(raster) => [raster.x, raster.y],
            Self::Points(positions, _) => {
                let ends = [0, 1].map(|axis| ends(positions.iter().map(|position| position[axis])));
                let longest = ends.iter().map(|[low, high]| high - low).fold(0.0, f64::max);
                let room = if longest > 0.0 { ROOM * longest } else { 1.0 };
                ends.map(|[low, high]| [low - room, high + room])
            }
        }
    }
}

/// The radius at which dots fill the occupied part of a panel without much overlap.
///
/// Each dot gets a square whose area is the occupied area divided by the number of points. The occupied area is that of the non-empty boxes of a grid slightly
/// coarser than such a square, so it shrinks to a line for points along a line.
pub(crate) fn dot_radius(places: &[[f64; 2]], area: &Area) -> f64 {
    const PART: f64 = 0.44;
    const BOX: f64 = 1.4;
    const SMALLEST: f64 = 0.6;
    const LARGEST: f64 = 6.0;
    const ROUNDS: usize = 8;
    let count = places.len().max(1) as f64;
    let mut side = (area.width() * area.height() / count).sqrt().max(SMALLEST);
    for _ in 0..ROUNDS {
        let boxed = BOX * side;
        let occupied: HashSet<[i64; 2]> =
            places.iter().map(|place| place.map(|p| (p / boxed).floor() as i64)).collect();
        side = boxed * (occupied.len() as f64 / count).sqrt();
        if side < SMALLEST {
            break;
        }
    }
    (PART * side).clamp(SMALLEST, LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PANEL: Area = Area { left: 0.0, top: 0.0, right: 400.0, bottom: 300.0 };

    #[test]
    fn dots_of_a_grid_nearly_touch() {
        let grid: Vec<[f64; 2]> =
            (0..1200).map(|i| [5.0 + 10.0 * f64::from(i % 40), 5.0 + 10.0 * f64::from(i / 40)]).collect();
        let radius = dot_radius(&grid, &PANEL);
        assert!((4.0..5.5).contains(&radius), "{radius}");
    }

    #[test]
    fn dots_of_a_line_are_no_larger_than_its_distances() {
        let line: Vec<[f64; 2]> = (0..100).map(|i| [4.0 * f64::from(i), 150.3]).collect();
        let radius = dot_radius(&line, &PANEL);
        assert!((1.5..4.0).contains(&radius), "{radius}");
    }

    #[test]
    fn few_dots_stay_dots_and_many_stay_visible() {
        assert_eq!(dot_radius(&[[7.0, 7.0]], &PANEL), 6.0);
        let many: Vec<[f64; 2]> = (0..400_000).map(|i| [f64::from(i % 800) / 2.0, f64::from(i / 800) / 2.0]).collect();
        assert_eq!(dot_radius(&many, &PANEL), 0.6);
    }

    #[test]
    fn a_line_or_a_single_point_still_has_an_extent() {
        let extent = |positions: &[[f64; 2]]| FieldSamples::Points(positions, &[]).extent();
        assert_eq!(extent(&[[0.0, 5.0], [1000.0, 5.0]]), [[-25.0, 1025.0], [-20.0, 30.0]]);
        assert_eq!(extent(&[[3.0, 5.0]]), [[2.0, 4.0], [4.0, 6.0]]);
    }
}
