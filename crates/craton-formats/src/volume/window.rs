//! Windows of volumes, and reading them from files.

use std::ops::Range;

use super::{Axis, Volume};
use crate::error::{Refused, Result};

/// A box of points of a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Range of points along each axis, the fastest first.
    ranges: Vec<Range<usize>>,
    /// Number of points of the volume along each axis.
    counts: Vec<usize>,
}

impl Window {
    /// # Arguments
    /// * `axes` – axes of the volume, the fastest first
    /// * `ranges` – range of points along each of them
    /// # Errors
    /// A number of ranges that differs from the number of axes; a range that is empty or exceeds its axis.
    pub fn new(axes: &[Axis], ranges: Vec<Range<usize>>) -> Result<Self, Refused> {
        if ranges.len() != axes.len() {
            let expected = format!("{}, one for each axis", axes.len());
            return Err(Refused::new("number of ranges of the window", ranges.len(), expected));
        }
        for (number, (range, axis)) in (1..).zip(ranges.iter().zip(axes)) {
            if range.is_empty() || range.end > axis.count {
                let expected = format!("at least one of the points 0 to {}", axis.count - 1);
                return Err(Refused::new(format!("window along axis {number}"), format!("{range:?}"), expected));
            }
        }
        Ok(Self { ranges, counts: axes.iter().map(|axis| axis.count).collect() })
    }

    /// All points of a volume.
    pub fn whole(axes: &[Axis]) -> Self {
        let counts: Vec<usize> = axes.iter().map(|axis| axis.count).collect();
        Self { ranges: counts.iter().map(|&count| 0..count).collect(), counts }
    }

    /// Range of points along each axis, the fastest first.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Number of points.
    pub fn count(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).product()
    }

    /// The window without its fastest axis.
    pub(crate) fn across(&self) -> Self {
        Self { ranges: self.ranges[1..].to_vec(), counts: self.counts[1..].to_vec() }
    }

    /// Index of a point among those of the window, the first axis fastest; `None` if it is outside.
    ///
    /// # Arguments
    /// * `point` – index along each axis of the volume
    pub(crate) fn index(&self, point: &[usize]) -> Option<usize> {
        let mut along = self.ranges.iter().zip(point).rev();
        along.try_fold(0, |index, (range, along)| {
            range.contains(along).then(|| index * range.len() + along - range.start)
        })
    }

    /// The longest ranges of consecutive points, as indices among all points of the volume, ascending.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        let axes = || self.ranges.iter().zip(&self.counts);
        let complete = axes().take_while(|(range, count)| range.len() == **count).count();
        let joined = (complete + 1).min(self.ranges.len());
        let [length, number] = [&self.ranges[..joined], &self.ranges[joined..]]
            .map(|some| some.iter().map(ExactSizeIterator::len).product::<usize>());
        (0..number).map(move |mut number| {
            let (mut first, mut stride) = (0, 1);
            for (axis, (range, count)) in axes().enumerate() {
                let mut along = range.start;
                if axis >= joined {
                    along += number % range.len();
                    number /= range.len();
                }
                first += along * stride;
                stride *= count;
            }
            first..first + length
        })
    }

    /// The axes of a volume, restricted to the window.
    fn restrict(&self, axes: &[Axis]) -> Vec<Axis> {
        let restricted = |(axis, range): (&Axis, &Range<usize>)| Axis {
            count: range.len(),
            origin: axis.place(range.start),
            ..axis.clone()
        };
        axes.iter().zip(&self.ranges).map(restricted).collect()
    }
}

/// An open volume, of which windows are read: only their values, and a buffer of a size that is independent of the volume, are in memory.
pub trait VolumeReader {
    /// Axes of the whole volume, the fastest first.
    fn axes(&self) -> &[Axis];

    /// Reads the values of a window, the first axis fastest.
    ///
    /// # Errors
    /// A file that cannot be read.
    fn values(&mut self, window: &Window) -> Result<Vec<f32>>;

    /// Reads a window with its axes, which start at its first point.
    ///
    /// # Errors
    /// As [`Self::values`].
    fn read(&mut self, window: &Window) -> Result<Volume> {
        let values = self.values(window)?;
        Ok(Volume { axes: window.restrict(self.axes()), values })
    }

    /// Reads the whole volume.
    ///
    /// # Errors
    /// As [`Self::values`].
    fn read_whole(&mut self) -> Result<Volume> {
        let values = self.values(&Window::whole(self.axes()))?;
        Ok(Volume { axes: self.axes().to_vec(), values })
    }
}

impl VolumeReader for &Volume {
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    fn values(&mut self, window: &Window) -> Result<Vec<f32>> {
        let mut values = Vec::with_capacity(window.count());
        window.runs().for_each(|run| values.extend_from_slice(&self.values[run]));
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(counts: &[usize]) -> Vec<Axis> {
        counts.iter().map(|&count| Axis::new(count, 1.0, -0.5)).collect()
    }

    #[test]
    fn runs_join_complete_axes() {
        let runs = |ranges: [Range<usize>; 3]| {
            Window::new(&axes(&[4, 3, 2]), ranges.to_vec())
                .unwrap()
                .runs()
                .map(|run| [run.start, run.end])
                .collect::<Vec<_>>()
        };
        assert_eq!(runs([0..4, 0..3, 0..2]), [[0, 24]]);
        assert_eq!(runs([0..4, 1..3, 0..2]), [[4, 12], [16, 24]]);
        assert_eq!(runs([1..3, 0..2, 1..2]), [[13, 15], [17, 19]]);
        assert_eq!(runs([0..4, 0..3, 1..2]), [[12, 24]]);
    }

    #[test]
    fn points_of_a_window_are_numbered_in_the_order_of_its_values() {
        let volume = Volume::new(axes(&[4, 3, 2]), (0..24).map(|value| value as f32).collect()).unwrap();
        let window = Window::new(volume.axes(), vec![1..3, 0..2, 1..2]).unwrap();
        let read = (&volume).read(&window).unwrap();
        assert_eq!(read.values(), [13.0, 14.0, 17.0, 18.0]);
        assert_eq!(read.axes()[0], Axis::new(2, 0.5, -0.5));
        assert_eq!(window.index(&[2, 1, 1]), Some(3));
        assert_eq!([window.index(&[0, 1, 1]), window.index(&[1, 0, 0]), window.index(&[3, 0, 1])], [None; 3]);
    }

    #[test]
    fn windows_beyond_their_volume_are_refused() {
        let refused = |ranges| Window::new(&axes(&[4, 3]), ranges).unwrap_err().to_string();
        assert!(refused(vec![0..4; 3]).contains("number of ranges of the window = 3; expected 2"));
        assert!(
            refused(vec![0..4, 1..4])
                .contains("window along axis 2 = 1..4; expected at least one of the points 0 to 2")
        );
        assert!(refused(vec![2..2, 0..3]).contains("window along axis 1 = 2..2"));
    }
}
