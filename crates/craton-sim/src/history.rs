//! Amplitude of a source over the steps of a run.

/// The amplitude of a source in each step of a run: zero before its first value, constant after its last one.
///
/// A short source in a long run stores only the steps in which it changes.
#[derive(Debug, Clone, PartialEq)]
pub struct History<T = f64> {
    first: usize,
    values: Vec<T>,
}

impl<T: Copy + Default> History<T> {
    /// Creates a history from the step of its first value and its values.
    ///
    /// # Panics
    /// Without values.
    pub fn new(first: usize, values: Vec<T>) -> Self {
        assert!(!values.is_empty(), "a history has at least one value");
        Self { first, values }
    }

    /// Step of the first value.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The values, one for each step from [`first`](Self::first) on.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Step from which on the amplitude is constant.
    pub fn last(&self) -> usize {
        self.first + self.values.len() - 1
    }

    /// The amplitude in a step.
    #[inline]
    pub fn at(&self, step: usize) -> T {
        match step.checked_sub(self.first) {
            Some(since) => self.values[since.min(self.values.len() - 1)],
            None => T::default(),
        }
    }

    /// The same history in another type of number.
    pub fn map<U>(&self, convert: impl FnMut(T) -> U) -> History<U> {
        History { first: self.first, values: self.values.iter().copied().map(convert).collect() }
    }
}

/// The values from step 0 on.
impl<T: Copy + Default> From<Vec<T>> for History<T> {
    fn from(values: Vec<T>) -> Self {
        Self::new(0, values)
    }
}

/// The values from step 0 on.
impl<T: Copy + Default> FromIterator<T> for History<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::new(0, values.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_is_zero_before_its_first_value_and_keeps_its_last_one() {
        let history = History::new(2, vec![3.0, 5.0]);
        let of_steps: Vec<f64> = (0..6).map(|step| history.at(step)).collect();
        assert_eq!(of_steps, [0.0, 0.0, 3.0, 5.0, 5.0, 5.0]);
        assert_eq!((history.first(), history.last()), (2, 3));
        assert_eq!(history.map(|value| value as f32).at(3), 5.0);
    }
}
