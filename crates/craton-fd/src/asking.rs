//! What the first rank asks of all for frames: selections of cells, and the fields there.

use std::sync::Arc;

use craton_sim::{Failure, Order, StateArray};

use crate::ensemble::{Ensemble, dealt};
use crate::grid::Grid;
use crate::medium::Kind;
use crate::part::Part;
use crate::saved::WINDOW;
use crate::selection::{Selected, Selection, Values, Vector};
use crate::solver::Solver;
use crate::sweep::Precision;

/// A question to all ranks.
pub enum Question {
    /// Make this selection ready.
    Select(Selection),
    /// The field at the selection of this number.
    Read(usize, Vector),
}

impl Question {
    /// As words.
    fn to_words(&self) -> Vec<u32> {
        match self {
            Self::Select(selection) => [vec![0], selection.to_words()].concat(),
            Self::Read(number, vector) => vec![1, *number as u32, u32::from(*vector == Vector::Displacement)],
        }
    }

    /// From the words of [`Self::to_words`].
    pub fn from_words(words: &[u32]) -> Self {
        match (words[0], &words[1..]) {
            (0, selection) => Self::Select(Selection::from_words(selection)),
            (_, words) => {
                let vector = if words[1] == 1 { Vector::Displacement } else { Vector::Velocity };
                Self::Read(words[0] as usize, vector)
            }
        }
    }
}

impl<T: Precision, P: Part<T>> Solver<T> for Ensemble<T, P> {
    fn grid(&self) -> &Grid {
        &self.canonical.grid
    }

    fn kind(&self, cell: [usize; 3]) -> Kind {
        self.interpolation.kind(cell.map(|i| i as i64))
    }

    fn is_matter(&self, position: [f64; 3]) -> bool {
        self.interpolation.is_matter(position)
    }

    fn select(&mut self, selection: Selection) -> Result<usize, Failure> {
        self.ask(|| Question::Select(selection.clone()))?;
        self.select_here(&selection)?;
        Ok(self.selections.len() - 1)
    }

    fn read(&self, selection: usize, vector: Vector) -> Result<Values<T>, Failure> {
        self.ask(|| Question::Read(selection, vector))?;
        Ok(Values {
            interpolation: Arc::clone(&self.interpolation),
            stencil: Arc::clone(&self.stencil),
            window: Arc::clone(&self.selections[selection].window),
            values: self.gather(selection, vector)?,
        })
    }
}

impl<T: Precision, P: Part<T>> Ensemble<T, P> {
    /// Asks all other ranks, if there are any.
    fn ask(&self, question: impl FnOnce() -> Question) -> Result<(), Failure> {
        if self.common.orders.are_heard() {
            self.common.orders.give(&Order::Own(question().to_words()))?;
        }
        Ok(())
    }

    pub(crate) fn select_here(&mut self, selection: &Selection) -> Result<(), Failure> {
        let selected = Selected::new(selection, &self.interpolation, &self.stencil);
        for (number, part) in self.crew.own().zip(&mut self.parts) {
            part.select(selected.window.bricks(&self.cut.layout(number)), selected.is_summed)?;
        }
        self.selections.push(selected);
        Ok(())
    }

    /// A field at the points of a selection, `[component][k][j][i]`: on the first rank, from all of them; on the others nothing.
    pub(crate) fn gather(&self, selection: usize, vector: Vector) -> Result<Vec<T>, Failure> {
        let mut own = Vec::new();
        for part in &self.parts {
            own.extend(part.read(selection, vector)?);
        }
        let ranks = self.crew.ranks();
        let all = match ranks.count() {
            1 => own,
            _ => match ranks.gather(bytemuck::cast_slice(&own))? {
                Some(all) => all.iter().flat_map(|bytes| bytemuck::pod_collect_to_vec::<u8, T>(bytes)).collect(),
                None => return Ok(Vec::new()),
            },
        };
        let selected = &self.selections[selection];
        let (mut values, mut rest) = (vec![T::default(); selected.values()], &all[..]);
        for part in 0..self.crew.parts() {
            self.visit_rows(selected, part, |place, len| {
                let (row, after) = rest.split_at(len);
                rest = after;
                values[place..place + len].copy_from_slice(row);
            });
        }
        Ok(values)
    }

    /// Visits the rows of a part in the order in which it is read: the first place of each among all values of a selection, and its length.
    fn visit_rows(&self, selected: &Selected, part: usize, mut visit: impl FnMut(usize, usize)) {
        let layout = self.cut.layout(part);
        for brick in selected.window.bricks(&layout) {
            for (c, number) in (0..3).flat_map(|c| (0..brick.rows()).map(move |number| (c, number))) {
                let local = brick.row(number);
                let first = [0, 1, 2].map(|axis| layout.first[axis] + local[axis]);
                visit(c * selected.window.len() + selected.window.place(first), brick.size[0]);
            }
        }
    }

    /// The array of the state that holds what selections sum, if any does: one after the other.
    pub(crate) fn sums(&self) -> Option<StateArray> {
        let summed = self.selections.iter().filter(|selected| selected.is_summed);
        let values: usize = summed.map(Selected::values).sum();
        (values > 0).then(|| StateArray { name: "state/displacement", shape: vec![values] })
    }

    /// Numbers of the selections that sum.
    fn summed(&self) -> Vec<usize> {
        (0..self.selections.len()).filter(|&number| self.selections[number].is_summed).collect()
    }

    /// Brings what selections sum to the first rank.
    pub(crate) fn save_sums(&self, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure> {
        for number in self.summed() {
            let sums = self.gather(number, Vector::Displacement)?;
            if self.crew.ranks().is_root() {
                sink(&sums);
            }
        }
        Ok(())
    }

    /// Deals what selections have summed to all parts.
    pub(crate) fn restore_sums(&mut self, source: &mut dyn FnMut(&mut [T])) -> Result<(), Failure> {
        let ranks = Arc::clone(self.crew.ranks());
        for number in self.summed() {
            let all = self.selections[number].values();
            let mut own: Vec<Vec<T>> = self.crew.own().map(|_| Vec::new()).collect();
            // Piece by piece, so that no rank holds more than its own parts have.
            for start in (0..all).step_by(WINDOW) {
                let piece = dealt(ranks.as_ref(), WINDOW.min(all - start), source)?;
                for (own, part) in own.iter_mut().zip(self.crew.own()) {
                    let mut first = 0;
                    self.visit_rows(&self.selections[number], part, |place, len| {
                        own.resize(own.len().max(first + len), T::default());
                        let shared = place.max(start)..(place + len).min(start + piece.len());
                        if !shared.is_empty() {
                            let target = &mut own[first + shared.start - place..][..shared.len()];
                            target.copy_from_slice(&piece[shared.start - start..][..shared.len()]);
                        }
                        first += len;
                    });
                }
            }
            for (part, own) in self.parts.iter_mut().zip(&own) {
                part.replace_sums(number, own)?;
            }
        }
        Ok(())
    }
}
