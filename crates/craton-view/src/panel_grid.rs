//! Grid of equally shaped panels, as large as the paper allows.

use crate::error::{Error, Result};
use crate::field_layout::FOOT;
use crate::layout::{Area, MARGIN, Paper};

/// Room around panels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Above all panels.
    pub(crate) above: f64,
    /// To the left of the first column.
    pub(crate) left: f64,
    /// To the right of every panel.
    pub(crate) beside: f64,
}

/// A side on which a panel may have a neighbour.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Neighbour {
    Left,
    Below,
}

/// Row and column of each panel.
pub(crate) struct PanelGrid {
    places: Vec<[usize; 2]>,
}

impl PanelGrid {
    /// Maximum number of panels, of rows and of columns.
    pub(crate) const MOST: usize = 12;
    /// Room for the title of a panel.
    const HEADING: f64 = 22.0;
    const GAP: [f64; 2] = [18.0, 12.0];

    /// Places panels as requested, or chooses the number of columns that makes them largest.
    ///
    /// # Arguments
    /// * `wanted` – name of each panel, and its requested row and column
    /// * `shape` – height of a panel over its width
    /// # Errors
    /// `Error::Nothing`, `Error::TooMany`, `Error::Place`
    pub(crate) fn new(wanted: &[(&str, Option<[usize; 2]>)], paper: &Paper, shape: f64, room: Room) -> Result<Self> {
        match wanted.len() {
            0 => return Err(Error::Nothing { what: "panels" }),
            1..=Self::MOST => {}
            count => return Err(Error::TooMany { what: "panels", count, most: Self::MOST }),
        }
        if wanted.iter().all(|(_, place)| place.is_none()) {
            return Ok(Self::chosen(wanted.len(), paper, shape, room));
        }
        let mut places = Vec::with_capacity(wanted.len());
        for (name, place) in wanted {
            let refuse = |problem: String| Error::Place { panel: (*name).to_owned(), problem };
            let Some([row, column]) = *place else {
                return Err(refuse("has no row and column, but other panels have".into()));
            };
            if row.max(column) >= Self::MOST {
                return Err(refuse(format!("is in row {row}, column {column}, but both must be between 0 and 11")));
            }
            if let Some(other) = places.iter().position(|taken| *taken == [row, column]) {
                return Err(refuse(format!(
                    "is in row {row}, column {column}, which panel {} occupies",
                    wanted[other].0
                )));
            }
            places.push([row, column]);
        }
        Ok(Self { places })
    }

    /// Row by row, in the number of columns that makes panels largest; among nearly equal sizes, the one with the fewest empty cells.
    fn chosen(count: usize, paper: &Paper, shape: f64, room: Room) -> Self {
        const EQUAL: f64 = 0.97;
        const LANDSCAPE: f64 = 0.65;
        let in_columns = |columns: usize| Self { places: (0..count).map(|i| [i / columns, i % columns]).collect() };
        let flat = Paper { height: paper.height.or(Some(LANDSCAPE * paper.width)), ..*paper };
        let width = |columns: usize| in_columns(columns).panel_width(&flat, shape, room);
        let largest = (1..=count).map(width).fold(0.0, f64::max);
        let best = (1..=count).filter(|&columns| width(columns) >= EQUAL * largest);
        in_columns(best.min_by_key(|&columns| columns * count.div_ceil(columns)).unwrap_or(1))
    }

    /// Number of rows and columns.
    fn size(&self) -> [usize; 2] {
        [0, 1].map(|axis| self.places.iter().map(|place| place[axis] + 1).max().unwrap_or(1))
    }

    fn panel_width(&self, paper: &Paper, shape: f64, room: Room) -> f64 {
        const TALLEST: f64 = 1.25;
        let [rows, columns] = self.size().map(|count| count as f64);
        let height = paper.height.unwrap_or(TALLEST * paper.width);
        let open = [
            paper.width - 2.0 * MARGIN - room.left - columns * room.beside - (columns - 1.0) * Self::GAP[0],
            height - room.above - FOOT - MARGIN - rows * Self::HEADING - (rows - 1.0) * Self::GAP[1],
        ];
        (open[0] / columns).min(open[1] / rows / shape).max(1.0)
    }

    /// Height of the sheet, and the area of every panel.
    pub(crate) fn areas(&self, paper: &Paper, shape: f64, room: Room) -> (f64, Vec<Area>) {
        let width = self.panel_width(paper, shape, room);
        let height = width * shape;
        let area = |[row, column]: [usize; 2]| {
            let left = MARGIN + room.left + column as f64 * (width + room.beside + Self::GAP[0]);
            let top = room.above + Self::HEADING + row as f64 * (height + Self::HEADING + Self::GAP[1]);
            Area { left, top, right: left + width, bottom: top + height }
        };
        let areas: Vec<Area> = self.places.iter().map(|&place| area(place)).collect();
        let lowest = areas.iter().map(|area| area.bottom).fold(0.0, f64::max);
        (lowest + FOOT + MARGIN, areas)
    }

    /// Whether a panel has no neighbour on a side, so that it has the axis there.
    pub(crate) fn is_outer(&self, panel: usize, side: Neighbour) -> bool {
        let [row, column] = self.places[panel];
        let next = match side {
            Neighbour::Left => column.checked_sub(1).map(|column| [row, column]),
            Neighbour::Below => Some([row + 1, column]),
        };
        next.is_none_or(|next| !self.places.contains(&next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { above: 60.0, left: 50.0, beside: 70.0 };
    const WIDE: Paper = Paper { width: 960.0, height: None, scale: 2.0 };

    fn grid(count: usize) -> PanelGrid {
        PanelGrid::new(&vec![("g", None); count], &WIDE, 0.8, ROOM).unwrap()
    }

    #[test]
    fn columns_follow_the_count() {
        let sizes: Vec<[usize; 2]> = [1, 2, 3, 4, 6, 10, 12].into_iter().map(|count| grid(count).size()).collect();
        assert_eq!(sizes, [[1, 1], [1, 2], [2, 2], [2, 2], [2, 3], [3, 4], [3, 4]]);
    }

    #[test]
    fn panels_keep_their_shape_and_stand_apart_inside_the_sheet() {
        for (count, height) in [(1, None), (5, None), (12, None), (7, Some(500.0))] {
            let paper = Paper { height, ..WIDE };
            let (tall, areas) = grid(count).areas(&paper, 0.8, ROOM);
            let sheet = Area { left: 0.0, top: 0.0, right: 960.0, bottom: height.unwrap_or(tall) };
            for (index, area) in areas.iter().enumerate() {
                assert!((area.height() - 0.8 * area.width()).abs() < 1e-9 && area.width() > 60.0);
                let with_bar = Area { right: area.right + 70.0, top: area.top - 22.0, ..*area };
                assert!(with_bar.is_inside(&sheet), "{count} {area:?}");
                assert!(areas[..index].iter().all(|other| !other.overlaps(&with_bar)));
            }
        }
    }

    #[test]
    fn a_triangle_has_its_axes_on_the_diagonal() {
        let places = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];
        let wanted = places.map(|place| ("g", Some(place)));
        let grid = PanelGrid::new(&wanted, &WIDE, 1.0, ROOM).unwrap();
        for (index, [row, column]) in places.into_iter().enumerate() {
            assert_eq!(grid.is_outer(index, Neighbour::Left), row == column);
            assert_eq!(grid.is_outer(index, Neighbour::Below), row == column);
        }
    }

    #[test]
    fn conflicting_or_missing_positions_are_rejected() {
        let refused = |wanted: &[(&str, Option<[usize; 2]>)]| {
            PanelGrid::new(wanted, &WIDE, 1.0, ROOM).err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert!(
            refused(&[("a", Some([0, 1])), ("b", Some([0, 1]))])
                .starts_with("panel b is in row 0, column 1, which panel a occupies")
        );
        assert!(refused(&[("a", Some([0, 1])), ("b", None)]).starts_with("panel b has no row"));
        assert!(
            refused(&[("a", Some([0, 12]))])
                .starts_with("panel a is in row 0, column 12, but both must be between 0 and 11")
        );
        assert!(refused(&[("a", None); 13]).starts_with("there are 13 panels"));
        assert!(refused(&[]).starts_with("there are no panels"));
    }
}
