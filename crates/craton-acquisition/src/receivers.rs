//! Sets of receivers: lists, lines and grids, every code once.

use std::collections::HashMap;

use crate::error::check;
use crate::{AcquisitionError, Receiver};

/// Receivers in a fixed order, no two of one code.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Receivers(Vec<Receiver>);

impl Receivers {
    /// A set of receivers, in the given order.
    ///
    /// # Errors
    /// Two receivers of one code.
    pub fn new(receivers: Vec<Receiver>) -> Result<Self, AcquisitionError> {
        let mut known = HashMap::new();
        for (index, receiver) in receivers.iter().enumerate() {
            if let Some(first) = known.insert(receiver.code(), index) {
                return Err(AcquisitionError::DuplicateCode {
                    code: receiver.code(),
                    first: first + 1,
                    second: index + 1,
                    first_position: receivers[first].position(),
                    second_position: receiver.position(),
                });
            }
        }
        Ok(Self(receivers))
    }

    /// `count` receivers at equal distances on a straight line, both ends included.
    ///
    /// # Arguments
    /// * `prefix` – what their codes begin with: `XX.L` makes XX.L0001, XX.L0002 and so on
    /// * `from`, `to` – both ends, x, y, z \[m\]
    /// * `count` – number of receivers; one alone stands at `from`
    /// # Errors
    /// No receiver at all, a bad code or position.
    pub fn line(prefix: &str, from: [f64; 3], to: [f64; 3], count: usize) -> Result<Self, AcquisitionError> {
        at_least_one("number of receivers of a line", count)?;
        let receivers = (0..count).map(|index| {
            let position = std::array::from_fn(|axis| spread([from[axis], to[axis]], index, count));
            Receiver::new(&numbered(prefix, index), position)
        });
        Self::new(receivers.collect::<Result<_, _>>()?)
    }

    /// Receivers on a horizontal grid, numbered from 0001 row by row, x fastest.
    ///
    /// # Arguments
    /// * `prefix` – what their codes begin with: `XX.G` makes XX.G0001, XX.G0002 and so on
    /// * `x`, `y` – first and last coordinate \[m\]
    /// * `count` – number along x and along y; one alone stands at the first coordinate
    /// * `z` – height of all of them \[m\]
    /// # Errors
    /// No receiver at all, a bad code or position.
    pub fn grid(prefix: &str, x: [f64; 2], y: [f64; 2], count: [usize; 2], z: f64) -> Result<Self, AcquisitionError> {
        at_least_one("number of receivers of a grid along x", count[0])?;
        at_least_one("number of receivers of a grid along y", count[1])?;
        let receivers = (0..count[0] * count[1]).map(|index| {
            let column = spread(x, index % count[0], count[0]);
            let row = spread(y, index / count[0], count[1]);
            Receiver::new(&numbered(prefix, index), [column, row, z])
        });
        Self::new(receivers.collect::<Result<_, _>>()?)
    }

    /// These receivers and then the others.
    ///
    /// # Errors
    /// A code that stands in both.
    pub fn join(mut self, others: Self) -> Result<Self, AcquisitionError> {
        self.0.extend(others.0);
        Self::new(self.0)
    }

    /// All of them, snapped to the surface.
    pub fn on_surface(self) -> Self {
        Self(self.0.into_iter().map(Receiver::on_surface).collect())
    }
}

impl std::ops::Deref for Receivers {
    type Target = [Receiver];

    fn deref(&self) -> &[Receiver] {
        &self.0
    }
}

/// The code of the receiver after `index` others. The number has four digits or more, so that it does not change when
/// the line grows.
fn numbered(prefix: &str, index: usize) -> String {
    format!("{prefix}{:04}", index + 1)
}

/// Coordinate `index` of `count` at equal distances, the ends exact.
fn spread([from, to]: [f64; 2], index: usize, count: usize) -> f64 {
    match index {
        0 => from,
        _ if index + 1 == count => to,
        _ => from + (to - from) * index as f64 / (count - 1) as f64,
    }
}

fn at_least_one(what: &str, count: usize) -> Result<f64, AcquisitionError> {
    check(count > 0, what, count as f64, "1 or more", "leave the line or grid out to have none")
}
