//! Wiggles: lines along a time axis with filled positive lobes.

use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::pen::Pen;

/// Style of wiggles.
pub(crate) struct Wiggle {
    pub(crate) pen: Pen,
    /// Fill colour of the positive lobes; `None` for no fill.
    pub(crate) fill: Option<Colour>,
}

impl Wiggle {
    /// Draws a wiggle.
    ///
    /// # Arguments
    /// * `line` – positions along the time axis, and deflections
    /// * `place` – maps such a pair to a position on the sheet
    pub(crate) fn draw(&self, canvas: &mut Canvas, line: &[[f64; 2]], place: impl Fn([f64; 2]) -> [f64; 2]) {
        let placed = |points: &[[f64; 2]]| points.iter().map(|&point| place(point)).collect::<Vec<_>>();
        if let Some(fill) = self.fill {
            for lobe in positive_lobes(line) {
                canvas.polygon(&placed(&lobe), fill, None);
            }
        }
        canvas.line(&placed(line), &self.pen);
    }
}

/// The positive lobes of a line, each closed by the zero line.
fn positive_lobes(line: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
    let mut lobes = Vec::new();
    let mut lobe: Vec<[f64; 2]> = Vec::new();
    for (index, &point) in line.iter().enumerate() {
        let previous = index.checked_sub(1).map(|before| line[before]);
        let positive = point[1] > 0.0;
        let was_positive = previous.is_some_and(|before| before[1] > 0.0);
        if let Some(before) = previous
            && positive != was_positive
        {
            let fraction = -before[1] / (point[1] - before[1]);
            lobe.push([before[0] + fraction * (point[0] - before[0]), 0.0]);
        }
        if positive {
            if lobe.is_empty() {
                lobe.push([point[0], 0.0]);
            }
            lobe.push(point);
        } else if !lobe.is_empty() {
            lobes.push(std::mem::take(&mut lobe));
        }
    }
    if let Some(&[end, _]) = lobe.last() {
        lobe.push([end, 0.0]);
        lobes.push(lobe);
    }
    lobes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lobes_begin_and_end_on_the_zero_line() {
        let line = [[0.0, 2.0], [1.0, -2.0], [2.0, -1.0], [3.0, 1.0], [4.0, 3.0]];
        let lobes = positive_lobes(&line);
        assert_eq!(lobes[0], [[0.0, 0.0], [0.0, 2.0], [0.5, 0.0]]);
        assert_eq!(lobes[1], [[2.5, 0.0], [3.0, 1.0], [4.0, 3.0], [4.0, 0.0]]);
        assert_eq!(lobes.len(), 2);
        assert!(positive_lobes(&[[0.0, 0.0], [1.0, -1.0]]).is_empty());
    }
}
