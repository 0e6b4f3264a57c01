//! Sets of receivers: lists, lines and grids, every code once.

use std::collections::HashMap;

use crate::{AcquisitionError, Receiver, positions};

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
        Self::numbered(prefix, positions::line(from, to, count)?)
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
        Self::numbered(prefix, positions::grid(x, y, count, z)?)
    }

    /// Receivers at positions. The number has four digits or more, so that codes do not change when the line grows.
    fn numbered(prefix: &str, positions: Vec<[f64; 3]>) -> Result<Self, AcquisitionError> {
        let receivers = positions.into_iter().zip(1..);
        let receivers = receivers.map(|(position, number)| Receiver::new(&format!("{prefix}{number:04}"), position));
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
