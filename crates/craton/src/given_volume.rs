//! Volumes of the calling program.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use craton_formats::volume::{Axis, Volume, VolumeReader, Window, point_count};
use craton_formats::{FormatError, Refused};
use xxhash_rust::xxh3::Xxh3;

use crate::config::VolumeAxis;
use crate::error::Error;
use crate::given_numbers::add;
use crate::inputs::add_name;
use crate::sampled::along;

/// Largest number of values that are read at a time to hash or compare volumes, unless a plane of points has more.
const BLOCK: usize = 1 << 20;

/// Reads the values of the points within a range along each axis, the first axis fastest.
type Read = dyn Fn(&[Range<usize>]) -> io::Result<Vec<f32>> + Send + Sync;

/// Values on a regular grid, which stay where the calling program keeps them: windows are read when a computation is set up.
#[derive(Clone)]
pub struct GivenVolume {
    axes: Vec<Axis>,
    read: Arc<Read>,
}

impl GivenVolume {
    /// A volume with values of its own.
    ///
    /// # Arguments
    /// * `axes` – the fastest first: kind, first coordinate [m], spacing [m], number of points
    /// # Errors
    /// Impossible axes, or another number of values.
    pub(crate) fn of(axes: &[(VolumeAxis, f64, f64, usize)], values: Vec<f32>) -> Result<Self, Error> {
        let volume = Volume::new(named(axes)?, values).map_err(unwritable)?;
        let read = move |ranges: &[Range<usize>]| {
            let window =
                Window::new(volume.axes(), ranges.to_vec()).map_err(|refused| io::Error::other(refused.to_string()))?;
            VolumeReader::values(&mut &volume, &window).map_err(io::Error::other)
        };
        Self::in_place(axes, read)
    }

    /// A volume of which `read` returns windows.
    ///
    /// # Errors
    /// Impossible axes.
    pub(crate) fn in_place(
        axes: &[(VolumeAxis, f64, f64, usize)],
        read: impl Fn(&[Range<usize>]) -> io::Result<Vec<f32>> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let axes = named(axes)?;
        point_count(&axes).map_err(unwritable)?;
        Ok(Self { axes, read: Arc::new(read) })
    }

    /// The axes, the fastest first.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The values within a range along each axis, the first axis fastest.
    ///
    /// # Errors
    /// An error of the calling program, or another number of values.
    pub fn values(&self, ranges: &[Range<usize>]) -> io::Result<Vec<f32>> {
        let values = (self.read)(ranges)?;
        let count: usize = ranges.iter().map(ExactSizeIterator::len).product();
        if values.len() == count {
            return Ok(values);
        }
        Err(io::Error::other(format!("{} values instead of {count}: its shape has changed", values.len())))
    }

    /// Divides the volume along its slowest axis into windows of limited size.
    fn blocks(&self) -> impl Iterator<Item = Vec<Range<usize>>> {
        let mut ranges: Vec<Range<usize>> = self.axes.iter().map(|axis| 0..axis.count).collect();
        let slowest = ranges.pop().unwrap_or(0..0);
        let layer: usize = ranges.iter().map(ExactSizeIterator::len).product();
        let layers = (BLOCK / layer.max(1)).max(1);
        let end = slowest.end;
        slowest.step_by(layers).map(move |first| {
            let mut block = ranges.clone();
            block.push(first..(first + layers).min(end));
            block
        })
    }

    /// Whether axes and values are equal now.
    ///
    /// # Errors
    /// An error of the calling program.
    pub fn is_same(&self, other: &Self) -> io::Result<bool> {
        if self.axes != other.axes || Arc::ptr_eq(&self.read, &other.read) {
            return Ok(self.axes == other.axes);
        }
        for block in self.blocks() {
            if self.values(&block)? != other.values(&block)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds axes and values to a hash.
    ///
    /// # Errors
    /// An error of the calling program.
    pub(crate) fn add_to(&self, hash: &mut Xxh3) -> io::Result<()> {
        for Axis { count, origin, spacing, label, unit, .. } in &self.axes {
            add_name(hash, label);
            add_name(hash, unit);
            add(hash, &[*count as f64, *origin, *spacing]);
        }
        for block in self.blocks() {
            self.values(&block)?.iter().for_each(|value| hash.update(&value.to_le_bytes()));
        }
        Ok(())
    }
}

/// Whether axes and values are equal now; volumes that cannot be read are not.
impl PartialEq for GivenVolume {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other).unwrap_or(false)
    }
}

impl fmt::Debug for GivenVolume {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("GivenVolume").field("axes", &self.axes).finish_non_exhaustive()
    }
}

impl VolumeReader for &GivenVolume {
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    fn values(&mut self, window: &Window) -> Result<Vec<f32>, FormatError> {
        GivenVolume::values(self, window.ranges()).map_err(|source| FormatError::Io {
            path: "volume".into(),
            action: "read the values",
            source,
            hint: "do not change the shape of the data of a volume",
        })
    }
}

/// The error of impossible axes or values.
fn unwritable(refused: Refused) -> FormatError {
    refused.unwritable(Path::new("volume"))
}

/// Axes with names.
///
/// # Errors
/// One or more than three axes, or two along the same direction.
fn named(axes: &[(VolumeAxis, f64, f64, usize)]) -> Result<Vec<Axis>, Error> {
    let mut directions: Vec<usize> = axes.iter().map(|&(axis, ..)| along(axis).0).collect();
    directions.sort_unstable();
    directions.dedup();
    if !(2..=3).contains(&axes.len()) || directions.len() != axes.len() {
        let found: Vec<String> = axes.iter().map(|(axis, ..)| format!("{axis:?}")).collect();
        return Err(Error::Axes { found: found.join(", ") });
    }
    let label = |axis| match axis {
        VolumeAxis::Depth => "depth",
        VolumeAxis::Z => "height",
        VolumeAxis::X => "x",
        VolumeAxis::Y => "y",
    };
    Ok(axes
        .iter()
        .map(|&(axis, first, spacing, count)| Axis::new(count, first, spacing).named(label(axis), "m"))
        .collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Two axes of so many points that the volume has three blocks.
    const AXES: [(VolumeAxis, f64, f64, usize); 2] =
        [(VolumeAxis::X, 0.0, 1.0, BLOCK / 2 + 1), (VolumeAxis::Depth, 0.0, 1.0, 3)];

    #[test]
    fn volumes_in_place_are_those_with_the_same_values() {
        let values: Vec<f32> = (0..3 * (BLOCK / 2 + 1)).map(|value| (value % 1001) as f32).collect();
        let own = GivenVolume::of(&AXES, values.clone()).unwrap();
        let (kept, source) = (Arc::new(Mutex::new(values)), own.clone());
        let shared = Arc::clone(&kept);
        let read = move |ranges: &[Range<usize>]| match shared.lock().unwrap().is_empty() {
            true => Ok(Vec::new()),
            false => source.values(ranges),
        };
        let other = GivenVolume::in_place(&AXES, read).unwrap();
        let hash = |volume: &GivenVolume| {
            let mut hash = Xxh3::new();
            volume.add_to(&mut hash).map(|()| hash.digest())
        };
        assert!(other == own && own.blocks().count() == 3);
        assert_eq!(hash(&other).unwrap(), hash(&own).unwrap());
        assert_eq!(other.values(&[3..5, 1..3]).unwrap(), own.values(&[3..5, 1..3]).unwrap());
        kept.lock().unwrap().clear();
        let error = other.values(&[3..5, 1..3]).unwrap_err();
        assert_eq!(error.to_string(), "0 values instead of 4: its shape has changed");
        assert!(hash(&other).is_err() && other.is_same(&own).is_err() && other != own);
    }
}
