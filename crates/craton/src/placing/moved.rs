//! Sources and receivers that the discretisation moves.

use crate::comm::Ranks;
use crate::error::Error;
use crate::number::Number;

/// Shift [m] below which a difference is round-off.
pub const ROUND_OFF: f64 = 1e-3;

/// Sources and receivers that are moved for one reason, to be reported together.
#[derive(Default)]
pub struct Moved {
    count: usize,
    /// The one with the largest shift, and the shift [m].
    furthest: (String, f64),
}

impl Moved {
    /// Records a shift [m] unless it is below `negligible` [m].
    pub fn add(&mut self, name: &str, by: f64, negligible: f64) {
        if by < negligible {
            return;
        }
        self.count += 1;
        if by > self.furthest.1 {
            self.furthest = (name.to_owned(), by);
        }
    }

    /// Those of all ranks.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn of_all(&self, ranks: &dyn Ranks) -> Result<Self, Error> {
        let (name, by) = &self.furthest;
        let own = [&(self.count as u64).to_le_bytes()[..], &by.to_le_bytes(), name.as_bytes()].concat();
        let mut all = Self::default();
        for bytes in ranks.all_gather(&own)? {
            let (count, rest) = bytes.split_at(size_of::<u64>());
            let (by, name) = rest.split_at(size_of::<f64>());
            all.count += bytemuck::pod_read_unaligned::<u64>(count) as usize;
            let by = bytemuck::pod_read_unaligned::<f64>(by);
            if by > all.furthest.1 {
                all.furthest = (String::from_utf8_lossy(name).into_owned(), by);
            }
        }
        Ok(all)
    }

    /// The warning about the shifts.
    ///
    /// # Arguments
    /// * `what` – the reason and the direction of the shift
    /// * `cure` – how to make it smaller
    pub fn warning(&self, what: &str, cure: &str) -> Option<String> {
        let (name, by) = &self.furthest;
        let others = match self.count {
            0 => return None,
            1 => String::new(),
            count => format!(" (the largest shift of {count})"),
        };
        Some(format!("{name}{others} {what} by {:.3} m. {cure}", Number(*by)))
    }
}
