//! Writing a netCDF file, variable by variable.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::header::encode;
use super::plan::WritePlan;
use super::types::{Dataset, Variable};
use crate::atomic;
use crate::error::{FormatError, Refused, Result};

/// Writes a file, atomically.
///
/// The format is CDF-1 if it can represent the data, or else CDF-2, or else CDF-5. CDF-1 has offsets up to 2 GiB; in CDF-2 a variable, or a
/// record of one, may have up to 4 GiB; types after `double` require CDF-5.
///
/// # Arguments
/// * `path` – the file
/// * `dataset` – content of the file; attributes are written as given
/// * `fill` – writes the values of the given slab. Slabs come in the order of the file: variables without the unlimited dimension, then,
///   record by record, those with it. Its errors are reported as write errors.
/// # Errors
/// [`FormatError::Unwritable`] for names, dimensions and attributes that the format does not support, a number of values that does not
/// match the dimensions, and values that a type cannot represent; [`FormatError::Io`] if the file cannot be written.
pub fn write(path: &Path, dataset: &Dataset, mut fill: impl FnMut(&mut Slab) -> io::Result<()>) -> Result<()> {
    let plan = WritePlan::new(dataset).map_err(|refused| refused.unwritable(path))?;
    let written = atomic::write_with(path, |out| {
        out.write_all(&encode(dataset, &plan.layout, &plan.begins, plan.version))?;
        for is_record in [false, true] {
            for record in 0..if is_record { dataset.records() } else { 1 } {
                for (index, extent) in plan.layout.extents.iter().enumerate() {
                    if extent.is_record == is_record {
                        let variable = &dataset.variables[index];
                        let mut slab = Slab { out, plan: &plan, variable, index, record, written: 0 };
                        fill(&mut slab)?;
                        slab.finish()?;
                    }
                }
            }
        }
        Ok(())
    });
    written.map_err(|error| match error {
        FormatError::Io { path, action, source, hint } => match source.downcast::<Refused>() {
            Ok(refused) => refused.unwritable(&path),
            Err(source) => FormatError::Io { path, action, source, hint },
        },
        other => other,
    })
}

/// A contiguous block of values that is being written: those of a variable, or those of one of its records.
#[derive(Debug)]
pub struct Slab<'a, 'b> {
    out: &'a mut BufWriter<&'b File>,
    plan: &'a WritePlan,
    variable: &'a Variable,
    index: usize,
    record: u64,
    written: u64,
}

impl Slab<'_, '_> {
    /// The variable.
    pub fn variable(&self) -> &Variable {
        self.variable
    }

    /// Its index in the dataset.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Index of the record, from 0; 0 if the variable has no records.
    pub fn record(&self) -> u64 {
        self.record
    }

    /// Number of values to write, in one or several calls of [`Self::write`].
    pub fn count(&self) -> u64 {
        self.plan.layout.extents[self.index].values
    }

    /// Writes the next values, last dimension fastest; NaN for missing values; for text, the bytes.
    ///
    /// # Errors
    /// Too many values, or one that the type of the variable cannot represent; `fill` should return this error. A failure to write.
    pub fn write<T: Copy + Into<f64>>(&mut self, values: &[T]) -> io::Result<()> {
        if self.count() - self.written < values.len() as u64 {
            return Err(self.wrong_count(self.written.saturating_add(values.len() as u64)));
        }
        let data_type = self.variable.data_type;
        let mut word = [0; 8];
        for &value in values {
            let value = value.into();
            let stored = self.plan.packings[self.index].pack(value).map_err(|expected| {
                let what = format!("value {} of {}{}", self.written, self.variable.name, self.of_record());
                io::Error::other(Refused::new(what, value, expected))
            })?;
            data_type.write(stored, &mut word);
            self.out.write_all(&word[..data_type.bytes()])?;
            self.written += 1;
        }
        Ok(())
    }

    /// Writes the padding after the values.
    fn finish(self) -> io::Result<()> {
        if self.written < self.count() {
            return Err(self.wrong_count(self.written));
        }
        let extent = &self.plan.layout.extents[self.index];
        let data_type = self.variable.data_type;
        let mut word = [0; 8];
        data_type.write(self.plan.packings[self.index].filler(), &mut word);
        let fillers = (extent.padded - extent.bytes) as usize / data_type.bytes();
        (0..fillers).try_for_each(|_| self.out.write_all(&word[..data_type.bytes()]))
    }

    fn wrong_count(&self, found: u64) -> io::Error {
        let what = format!("number of values of {}{}", self.variable.name, self.of_record());
        io::Error::other(Refused::new(what, found, format!("{}, the number of points of its dimensions", self.count())))
    }

    fn of_record(&self) -> String {
        let is_record = self.plan.layout.extents[self.index].is_record;
        if is_record { format!(" in record {}", self.record) } else { String::new() }
    }
}
