//! Reading a netCDF file.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::hdf5::Hdf5;
use super::header::{HDF5, Header};
use super::layout::Layout;
use super::packing::Packing;
use super::types::{DataType, Dataset};
use crate::error::{FormatError, Refused, Result};
use crate::escape::shortened;
use crate::input::Input;
use crate::text::shortened_list;
use crate::volume::Window;

/// Largest number of bytes read at once, a multiple of the size of any type.
const CHUNK: u64 = 1 << 16;

/// An open netCDF file, whose variables are read one by one.
#[derive(Debug)]
pub struct NetcdfReader {
    path: PathBuf,
    dataset: Dataset,
    source: Source,
}

/// Where the values are.
#[derive(Debug)]
enum Source {
    Classic(Classic),
    Hdf5(Hdf5),
}

/// A file in a classic format.
#[derive(Debug)]
struct Classic {
    input: Input,
    layout: Layout,
    /// Byte offset of the values of each variable.
    begins: Vec<u64>,
}

impl NetcdfReader {
    /// Opens a file, reads its header and checks the offsets of all variables.
    ///
    /// # Errors
    /// A file that cannot be read or is not netCDF; a damaged header; variables that overlap, or extend beyond the end of the file; netCDF-4 with groups.
    pub fn open(path: &Path) -> Result<Self> {
        let mut input = Input::open(path)?;
        let mut first = [0; HDF5.len()];
        if input.size() >= first.len() as u64 {
            input.read_at(0, &mut first)?;
        }
        if first == *HDF5 {
            let (dataset, file) = Hdf5::open(path)?;
            return Ok(Self { path: path.to_owned(), dataset, source: Source::Hdf5(file) });
        }
        let Header { mut dataset, has_record_count, begins, bytes } = Header::read(&mut input)?;
        let refuse = |refused: Refused| refused.unreadable(path);
        if !has_record_count {
            count_records(&mut dataset, &begins, input.size()).map_err(refuse)?;
        }
        let layout = Layout::new(&dataset).map_err(refuse)?;
        let classic = Classic { input, layout, begins };
        classic.check_places(&dataset, bytes).map_err(refuse)?;
        Ok(Self { path: path.to_owned(), dataset, source: Source::Classic(classic) })
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Dimensions, attributes and variables of the file.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// Names of the variables of a netCDF-4 file that [`Self::dataset`] leaves out because they have no values: a dimension has the length 0.
    pub fn without_values(&self) -> &[String] {
        match &self.source {
            Source::Classic(_) => &[],
            Source::Hdf5(file) => file.without_values(),
        }
    }

    /// Reads the values of a variable, last dimension fastest; missing values are NaN.
    ///
    /// # Errors
    /// An unknown name; a variable of text; packing attributes that are not numbers; a file that cannot be read; more values than fit into
    /// memory.
    pub fn values_f64(&mut self, variable: &str) -> Result<Vec<f64>> {
        self.values(variable, None, |value| value)
    }

    /// As [`Self::values_f64`], in single precision; values out of range become infinite.
    ///
    /// # Errors
    /// As [`Self::values_f64`].
    pub fn values_f32(&mut self, variable: &str) -> Result<Vec<f32>> {
        self.values(variable, None, |value| value as f32)
    }

    /// As [`Self::values_f32`], the values of a window, whose axes are the dimensions in reverse order, without leading dimensions of
    /// length one.
    pub(super) fn window_f32(&mut self, variable: &str, window: &Window) -> Result<Vec<f32>> {
        self.values(variable, Some(window), |value| value as f32)
    }

    /// Reads the texts of a variable of type char, each along its last dimension, without trailing zero bytes and blanks; invalid UTF-8 is
    /// replaced.
    ///
    /// # Errors
    /// An unknown name; a variable of numbers; a file that cannot be read; more text than fits into memory.
    pub fn texts(&mut self, variable: &str) -> Result<Vec<String>> {
        let index = self.index(variable)?;
        let data_type = self.dataset.variables[index].data_type;
        if data_type != DataType::Char {
            let what = format!("type of {variable}");
            return Err(self.refuse(Refused::new(what, data_type.name(), "char")));
        }
        let last = self.dataset.dimensions_of(&self.dataset.variables[index]).next_back();
        let length = last.map_or(1, |dimension| dimension.length).max(1) as usize;
        let bytes = self.stored(index, None, |byte| byte as u8)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches(['\0', ' ']).to_owned();
        Ok(bytes.chunks(length).map(text).collect())
    }

    fn values<T>(&mut self, name: &str, window: Option<&Window>, convert: impl Fn(f64) -> T) -> Result<Vec<T>> {
        let index = self.index(name)?;
        let variable = &self.dataset.variables[index];
        if variable.data_type == DataType::Char {
            return Err(self.refuse(Refused::new(format!("type of {name}"), "char", "a numeric type")));
        }
        let packing = Packing::of(variable).map_err(|refused| self.refuse(refused))?;
        self.stored(index, window, |stored| convert(packing.unpack(stored)))
    }

    /// Reads the stored numbers of a variable, or a window of them, and converts each.
    fn stored<T>(&mut self, index: usize, window: Option<&Window>, convert: impl Fn(f64) -> T) -> Result<Vec<T>> {
        match &mut self.source {
            Source::Classic(classic) => classic.stored(&self.dataset, index, window, convert),
            Source::Hdf5(file) => {
                let variable = &self.dataset.variables[index];
                let stored = match window {
                    None => file.stored(variable).map(|values| values.into_iter().map(convert).collect()),
                    Some(window) => file.window(variable, window, convert),
                };
                stored.map_err(|refused| self.refuse(refused))
            }
        }
    }

    /// Index of the variable with this name.
    pub(super) fn index(&self, name: &str) -> Result<usize> {
        let variables = &self.dataset.variables;
        variables.iter().position(|variable| variable.name == name).ok_or_else(|| {
            if self.without_values().iter().any(|empty| empty == name) {
                return self.refuse(Refused::new(format!("number of values of {name}"), 0, "at least one"));
            }
            let names: Vec<_> = variables.iter().map(|variable| &*variable.name).collect();
            let names = shortened_list(names.join(", "));
            self.refuse(Refused::new("variable", name, format!("one of the variables of the file: {names}")))
        })
    }

    pub(super) fn refuse(&self, refused: Refused) -> FormatError {
        refused.unreadable(self.path())
    }
}

impl Classic {
    fn stored<T>(
        &mut self,
        dataset: &Dataset,
        index: usize,
        window: Option<&Window>,
        convert: impl Fn(f64) -> T,
    ) -> Result<Vec<T>> {
        let variable = &dataset.variables[index];
        let extent = self.layout.extents[index];
        let slabs = if extent.is_record { dataset.records() } else { 1 };
        let count = window.map_or(slabs * extent.values, |window| window.count() as u64);
        let mut values = Vec::new();
        values.try_reserve_exact(count as usize).map_err(|_| {
            let what = format!("number of values of {}", variable.name);
            let refused = Refused::new(what, count, "at most what fits into memory");
            refused.unreadable(self.input.path())
        })?;
        let mut bytes = Vec::new();
        match window {
            None => {
                self.read_run(variable.data_type, index, 0..count, &mut bytes, |stored| values.push(convert(stored)))?
            }
            Some(window) => {
                for run in window.runs() {
                    let run = run.start as u64..run.end as u64;
                    self.read_run(variable.data_type, index, run, &mut bytes, |stored| values.push(convert(stored)))?;
                }
            }
        }
        Ok(values)
    }

    /// Reads consecutive values of a variable, which may extend over several records.
    ///
    /// # Arguments
    /// * `bytes` – memory for a buffer
    fn read_run(
        &mut self,
        data_type: DataType,
        index: usize,
        mut run: Range<u64>,
        bytes: &mut Vec<u8>,
        mut store: impl FnMut(f64),
    ) -> Result<()> {
        let (per_slab, size) = (self.layout.extents[index].values, data_type.bytes() as u64);
        while !run.is_empty() {
            let (slab, first) = (run.start / per_slab, run.start % per_slab);
            let count = (run.end - run.start).min(per_slab - first).min(CHUNK / size);
            bytes.resize((count * size) as usize, 0);
            self.input.read_at(self.begins[index] + slab * self.layout.record_bytes + first * size, bytes)?;
            bytes.chunks_exact(data_type.bytes()).for_each(|word| store(data_type.read(word)));
            run.start += count;
        }
        Ok(())
    }

    /// Checks that every variable is after the header and within the file, and that none overlap.
    fn check_places(&self, dataset: &Dataset, header_bytes: u64) -> Result<(), Refused> {
        let mut places = Vec::new();
        for ((variable, extent), &begin) in dataset.variables.iter().zip(&self.layout.extents).zip(&self.begins) {
            let name = &variable.name;
            let following = match (extent.is_record, dataset.records()) {
                (true, 0) => continue,
                (true, records) => (records - 1) * self.layout.record_bytes,
                (false, _) => 0,
            };
            let end = begin.checked_add(following + extent.bytes).ok_or_else(|| {
                Refused::new(format!("first byte of {name}"), begin, "an offset within the file; the header is damaged")
            })?;
            if end > self.input.size() {
                let expected = format!(
                    "at least {end}, the end of {}; the file was truncated, or its header is damaged",
                    shortened(name)
                );
                return Err(Refused::new("size in bytes", self.input.size(), expected));
            }
            places.push((extent.is_record, begin, begin + extent.bytes, name));
        }
        places.sort_unstable();
        let mut free = header_bytes;
        for &(_, begin, end, name) in &places {
            if begin < free {
                let expected = format!("at least {free}, the end of what precedes it; the header is damaged");
                return Err(Refused::new(format!("first byte of {name}"), begin, expected));
            }
            free = end;
        }
        let first = places.iter().find(|(is_record, ..)| *is_record).map_or(free, |(_, begin, ..)| *begin);
        if free - first > self.layout.record_bytes {
            let expected = format!(
                "{}, according to the shapes of its variables; the header is damaged",
                self.layout.record_bytes
            );
            return Err(Refused::new("bytes of a record", free - first, expected));
        }
        Ok(())
    }
}

/// Computes the number of records from the file size.
fn count_records(dataset: &mut Dataset, begins: &[u64], size: u64) -> Result<(), Refused> {
    let layout = Layout::new(dataset)?;
    let of_records = begins.iter().zip(&layout.extents).filter(|(_, extent)| extent.is_record);
    let Some(first) = of_records.map(|(&begin, _)| begin).min() else { return Ok(()) };
    let records = size.saturating_sub(first) / layout.record_bytes;
    dataset.dimensions.iter_mut().filter(|dimension| dimension.is_unlimited).for_each(|unlimited| {
        unlimited.length = records;
    });
    Ok(())
}
