//! Numbers of the calling program.

use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use craton_formats::FormatError;
use xxhash_rust::xxh3::Xxh3;

/// Reads all numbers.
type Read = dyn Fn() -> io::Result<Vec<f64>> + Send + Sync;

/// Numbers that stay where the calling program keeps them: they are read when a computation is set up.
#[derive(Clone)]
pub struct GivenNumbers {
    count: usize,
    read: Arc<Read>,
}

impl GivenNumbers {
    /// Numbers that `read` returns.
    ///
    /// # Arguments
    /// * `count` – how many
    pub fn in_place(count: usize, read: impl Fn() -> io::Result<Vec<f64>> + Send + Sync + 'static) -> Self {
        Self { count, read: Arc::new(read) }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The numbers now.
    ///
    /// # Errors
    /// An error of the calling program, or another count.
    pub fn values(&self) -> io::Result<Vec<f64>> {
        let values = (self.read)()?;
        if values.len() == self.count {
            return Ok(values);
        }
        Err(io::Error::other(format!("{} values instead of {}: the array has changed", values.len(), self.count)))
    }

    /// Reads the current numbers; reports an error as for a file.
    ///
    /// # Arguments
    /// * `name` – name of the numbers in messages
    pub(crate) fn read(&self, name: &Path) -> Result<Vec<f64>, FormatError> {
        self.values().map_err(|source| FormatError::Io {
            path: name.to_owned(),
            action: "read the values",
            source,
            hint: "do not change the shape of arrays that a scenario uses",
        })
    }

    /// Whether all numbers are equal now.
    ///
    /// # Errors
    /// An error of the calling program.
    pub fn is_same(&self, other: &Self) -> io::Result<bool> {
        Ok(self.count == other.count && (Arc::ptr_eq(&self.read, &other.read) || self.values()? == other.values()?))
    }

    /// Adds the number of values and the values to a hash. With the number, arrays that are divided differently have different hashes.
    ///
    /// # Errors
    /// An error of the calling program.
    pub(crate) fn add_to(&self, hash: &mut Xxh3) -> io::Result<()> {
        add(hash, &self.values()?);
        Ok(())
    }
}

/// Numbers with a copy of their own.
impl From<Vec<f64>> for GivenNumbers {
    fn from(values: Vec<f64>) -> Self {
        Self::in_place(values.len(), move || Ok(values.clone()))
    }
}

/// Whether all numbers are equal now; numbers that cannot be read are not.
impl PartialEq for GivenNumbers {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other).unwrap_or(false)
    }
}

impl fmt::Debug for GivenNumbers {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("GivenNumbers").field("count", &self.count).finish_non_exhaustive()
    }
}

/// Adds the number of values, and the values.
pub(crate) fn add(hash: &mut Xxh3, values: &[f64]) {
    hash.update(&values.len().to_le_bytes());
    values.iter().for_each(|value| hash.update(&value.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn numbers_in_place_follow_the_calling_program() {
        let own = GivenNumbers::from(vec![1.0, 2.0]);
        let kept = Arc::new(Mutex::new(vec![1.0, 2.0]));
        let shared = Arc::clone(&kept);
        let other = GivenNumbers::in_place(2, move || Ok(shared.lock().unwrap().clone()));
        assert!(own == other && own.len() == 2 && !own.is_empty());
        kept.lock().unwrap()[1] = 3.0;
        assert!(own != other);
        assert_eq!(other.values().unwrap(), [1.0, 3.0]);
        kept.lock().unwrap().push(4.0);
        let error = other.values().unwrap_err();
        assert_eq!(error.to_string(), "3 values instead of 2: the array has changed");
        assert!(own.is_same(&other).is_err());
    }
}
