//! Volumes of the calling program.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use craton_formats::FormatError;
use craton_formats::volume::{Axis, VolumeReader, Window, point_count};
use xxhash_rust::xxh3::Xxh3;

use crate::config::VolumeAxis;
use crate::error::Error;
use crate::inputs::{add, add_name};
use crate::sampled::along;

/// Largest number of values that are read at a time to hash or compare volumes, unless a single layer has more.
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
        let refuse = |refused: craton_formats::Refused| refused.unwritable(Path::new("volume"));
        let volume = craton_formats::volume::Volume::new(named(axes)?, values).map_err(refuse)?;
        let read = move |ranges: &[Range<usize>]| {
            let window = Window::new(volume.axes(), ranges.to_vec()).map_err(|refused| io::Error::other(refused.to_string()))?;
            (&volume).values(&window).map_err(io::Error::other)
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
        point_count(&axes).map_err(|refused| refused.unwritable(Path::new("volume")))?;
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
    pub fn read(&self, ranges: &[Range<usize>]) -> io::Result<Vec<f32>> {
        let (values, count) = ((self.read)(ranges)?, ranges.iter().map(ExactSizeIterator::len).product());
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
            self.read(&block)?.iter().for_each(|value| hash.update(&value.to_le_bytes()));
        }
        Ok(())
    }
}

/// Whether axes and values are equal now.
impl PartialEq for GivenVolume {
    fn eq(&self, other: &Self) -> bool {
        let equal = |block: Vec<Range<usize>>| match (self.read(&block), other.read(&block)) {
            (Ok(own), Ok(others)) => own == others,
            _ => false,
        };
        self.axes == other.axes && (Arc::ptr_eq(&self.read, &other.read) || self.blocks().all(equal))
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
        self.read(window.ranges()).map_err(|source| FormatError::Io {
            path: "volume".into(),
            action: "read the values",
            source,
            hint: "do not change the shape of the data of a volume",
        })
    }
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
    Ok(axes.iter().map(|&(axis, first, spacing, count)| Axis::new(count, first, spacing).named(label(axis), "m")).collect())
}
