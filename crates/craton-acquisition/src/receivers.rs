//! Sets of receivers with unique codes: lists, lines and grids.

use std::collections::HashMap;

use crate::{AcquisitionError, Receiver, positions};

/// Receivers in a fixed order, with unique codes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Receivers(Vec<Receiver>);

impl Receivers {
    /// Creates a set of receivers in the given order.
    ///
    /// # Errors
    /// Two receivers with the same code.
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

    /// Creates `count` equally spaced receivers on a straight line, including both ends.
    ///
    /// # Arguments
    /// * `prefix` – prefix of their codes: `XX.L` gives XX.L0001, XX.L0002 and so on
    /// * `from`, `to` – both ends, x, y, z \[m\]
    /// * `count` – number of receivers; a single one is at `from`
    /// # Errors
    /// A count of zero, an invalid code or position.
    pub fn line(prefix: &str, from: [f64; 3], to: [f64; 3], count: usize) -> Result<Self, AcquisitionError> {
        Self::numbered(prefix, positions::line(from, to, count)?)
    }

    /// Creates receivers on a horizontal grid, numbered from 0001 row by row, x fastest.
    ///
    /// # Arguments
    /// * `prefix` – prefix of their codes: `XX.G` gives XX.G0001, XX.G0002 and so on
    /// * `x`, `y` – first and last coordinate \[m\]
    /// * `count` – number along x and along y; a single one is at the first coordinate
    /// * `z` – height of all of them \[m\]
    /// # Errors
    /// A count of zero, an invalid code or position.
    pub fn grid(prefix: &str, x: [f64; 2], y: [f64; 2], count: [usize; 2], z: f64) -> Result<Self, AcquisitionError> {
        Self::numbered(prefix, positions::grid(x, y, count, z)?)
    }

    /// Creates numbered receivers. Numbers have at least four digits, so that codes do not change when more receivers are added.
    fn numbered(prefix: &str, positions: Vec<[f64; 3]>) -> Result<Self, AcquisitionError> {
        let receivers = positions.into_iter().zip(1..);
        let receivers = receivers.map(|(position, number)| Receiver::new(&format!("{prefix}{number:04}"), position));
        Self::new(receivers.collect::<Result<_, _>>()?)
    }

    /// Appends the other receivers.
    ///
    /// # Errors
    /// A code that is in both sets.
    pub fn join(mut self, others: Self) -> Result<Self, AcquisitionError> {
        self.0.extend(others.0);
        Self::new(self.0)
    }

    /// Places all receivers on the surface of the model.
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
