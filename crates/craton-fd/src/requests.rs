//! Requests of the first rank to all ranks for frames: selections of cells, and fields at these.

use std::ops::Range;
use std::sync::Arc;

use craton_sim::{Failure, Request, StateArray, broadcast_block, gather_values};

use crate::grid::Grid;
use crate::medium::Kind;
use crate::part::Part;
use crate::part_set::PartSet;
use crate::saved::WINDOW;
use crate::selection::{Selected, Selection, Values, Vector};
use crate::solver::Solver;
use crate::sweep::Precision;

/// A request to all ranks.
pub enum FrameRequest {
    /// Register this selection.
    Select(Selection),
    /// Read a field at the selection of this number.
    Read(usize, Vector),
}

impl FrameRequest {
    /// Encodes the request as words.
    fn to_words(&self) -> Vec<u32> {
        match self {
            Self::Select(selection) => [vec![0], selection.to_words()].concat(),
            Self::Read(number, vector) => vec![1, *number as u32, u32::from(*vector == Vector::Displacement)],
        }
    }

    /// Decodes the words of [`Self::to_words`].
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

impl<T: Precision, P: Part<T>> Solver<T> for PartSet<T, P> {
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
        self.ask(|| FrameRequest::Select(selection.clone()))?;
        self.select_here(&selection)?;
        Ok(self.selections.len() - 1)
    }

    fn read(&self, selection: usize, vector: Vector) -> Result<Values<T>, Failure> {
        self.ask(|| FrameRequest::Read(selection, vector))?;
        Ok(Values {
            interpolation: Arc::clone(&self.interpolation),
            window: Arc::clone(&self.selections[selection].window),
            values: self.gather(selection, vector)?,
        })
    }
}

impl<T: Precision, P: Part<T>> PartSet<T, P> {
    /// Sends the request to all other ranks, if there are any.
    fn ask(&self, question: impl FnOnce() -> FrameRequest) -> Result<(), Failure> {
        if self.common.requests.has_receivers() {
            self.common.requests.send(&Request::Own(question().to_words()))?;
        }
        Ok(())
    }

    pub(crate) fn select_here(&mut self, selection: &Selection) -> Result<(), Failure> {
        let selected = Selected::new(selection, &self.interpolation);
        for (number, part) in self.exchange.own().zip(&mut self.parts) {
            part.select(selected.window.bricks(&self.cut.layout(number)), selected.is_summed)?;
        }
        self.selections.push(selected);
        Ok(())
    }

    /// Gathers a field at the points of a selection, `[component][k][j][i]`, on the first rank; the result is empty on the others.
    pub(crate) fn gather(&self, selection: usize, vector: Vector) -> Result<Vec<T>, Failure> {
        let mut own = Vec::new();
        for part in &self.parts {
            own.extend(part.read(selection, vector)?);
        }
        let ranks = self.exchange.ranks();
        let all = match ranks.count() {
            1 => own,
            _ => match gather_values(ranks.as_ref(), &own)? {
                Some(all) => all.concat(),
                None => return Ok(Vec::new()),
            },
        };
        let selected = &self.selections[selection];
        let (mut values, mut rest) = (vec![T::default(); selected.values()], &all[..]);
        for part in 0..self.exchange.parts() {
            self.visit_rows(selected, part, |place, len| {
                let (row, after) = rest.split_at(len);
                rest = after;
                values[place..place + len].copy_from_slice(row);
            });
        }
        Ok(values)
    }

    /// Visits the rows of a part in the order in which they are read: index of the first value among all values of a selection, and length.
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

    /// The array of the state with the displacements of all selections, one after the other, if any selection has them.
    pub(crate) fn sums(&self) -> Option<StateArray> {
        let summed = self.selections.iter().filter(|selected| selected.is_summed);
        let blocks: Vec<usize> =
            summed.flat_map(|selected| pieces(selected.values())).map(|piece| piece.len()).collect();
        let shape = vec![blocks.iter().sum()];
        (shape[0] > 0).then(|| StateArray { name: "state/displacement".into(), shape, blocks })
    }

    /// Numbers of the selections with displacement.
    fn summed(&self) -> Vec<usize> {
        (0..self.selections.len()).filter(|&number| self.selections[number].is_summed).collect()
    }

    /// Gathers the displacements of the selections on the first rank.
    pub(crate) fn save_sums(&self, sink: &mut dyn FnMut(usize, &[T])) -> Result<(), Failure> {
        let mut numbers = 0..;
        for selection in self.summed() {
            let sums = self.gather(selection, Vector::Displacement)?;
            if self.exchange.ranks().is_root() {
                pieces(sums.len()).zip(&mut numbers).for_each(|(piece, number)| sink(number, &sums[piece]));
            }
        }
        Ok(())
    }

    /// Distributes the displacements of the selections from the first rank to all parts.
    pub(crate) fn restore_sums(&mut self, source: &mut dyn FnMut(usize, &mut [T])) -> Result<(), Failure> {
        let (ranks, mut blocks) = (Arc::clone(self.exchange.ranks()), 0..);
        for number in self.summed() {
            let all = self.selections[number].values();
            let mut own: Vec<Vec<T>> = self.exchange.own().map(|_| Vec::new()).collect();
            // Piece by piece, so that no rank holds more than the values of its own parts.
            for (Range { start, end }, block) in pieces(all).zip(&mut blocks) {
                let mut piece = vec![T::default(); end - start];
                broadcast_block(ranks.as_ref(), 0, &mut piece, &mut |values| source(block, values))?;
                for (own, part) in own.iter_mut().zip(self.exchange.own()) {
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

/// The pieces of a number of values that are saved and restored at a time.
fn pieces(values: usize) -> impl Iterator<Item = Range<usize>> {
    (0..values).step_by(WINDOW).map(move |start| start..(start + WINDOW).min(values))
}
