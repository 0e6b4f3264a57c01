//! Symbols of sources: beachballs for known mechanisms if there is room, stars otherwise.

use crate::SourceMark;
use crate::beachball;
use crate::canvas::Canvas;
use crate::key::Key;
use crate::symbols::{self, Names};

/// Radius of a beachball.
const BALL: f64 = 15.0;

/// Sources on a sheet, grouped by symbol.
pub(crate) struct SourceSigns<'a> {
    balls: Vec<([f64; 2], &'a [f64; 6])>,
    stars: Vec<[f64; 2]>,
}

impl<'a> SourceSigns<'a> {
    /// Chooses stars or, if mechanisms are shown, beachballs that do not overlap.
    pub(crate) fn new(sources: impl Iterator<Item = (&'a SourceMark, [f64; 2])>, mechanisms: bool) -> Self {
        let mut signs = Self { balls: Vec::new(), stars: Vec::new() };
        for (source, at) in sources {
            let crowded = signs.balls.iter().any(|(ball, _)| (ball[0] - at[0]).hypot(ball[1] - at[1]) < 2.0 * BALL);
            match &source.moment_tensor {
                Some(tensor) if mechanisms && !crowded => signs.balls.push((at, tensor)),
                _ => signs.stars.push(at),
            }
        }
        signs
    }

    /// Draws the symbols and reserves their areas against names.
    pub(crate) fn draw(&self, canvas: &mut Canvas, names: &mut Names) {
        let radius = if self.stars.len() + self.balls.len() > 8 { 5.0 } else { 10.0 };
        for at in &self.stars {
            symbols::draw_star(canvas, *at, radius);
            names.keep_clear(*at, radius);
        }
        for (at, tensor) in &self.balls {
            beachball::draw(canvas, *at, BALL, tensor);
            names.keep_clear(*at, BALL);
        }
    }

    /// Writes the key of the symbols in use.
    pub(crate) fn explain(&self, canvas: &mut Canvas, key: &mut Key) {
        if !self.stars.is_empty() {
            let at = key.sign(canvas, "source");
            symbols::draw_star(canvas, at, 8.0);
        }
        if let Some((_, tensor)) = self.balls.first() {
            let at = key.sign(canvas, "source, pushes dark");
            beachball::draw(canvas, at, 8.0, tensor);
        }
    }
}
