//! Writing a netCDF file, variable by variable.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::header::encode;
use super::plan::Plan;
use super::types::{Dataset, Variable};
use crate::atomic;
use crate::error::{FormatError, Refused, Result};

/// Writes a file, whole or not at all.
///
/// The format is CDF-1 if it can hold the data, or else CDF-2, or else CDF-5: CDF-1 has places for 2 GiB, and in CDF-2 a
/// variable, or a record of one, has 4 GiB at most; types beyond `double` are of CDF-5.
///
/// # Arguments
/// * `path` – the file
/// * `dataset` – what it holds; attributes are written as they are given
/// * `fill` – writes the values of the slab that it is handed. First come the variables without the unlimited dimension,
///   in their order, then record by record those with it. An error of its own is told as one of writing
/// # Errors
/// [`FormatError::Unwritable`] for names, dimensions and attributes that the format does not have, another number of
/// values than the dimensions ask for, and values that a type cannot hold; [`FormatError::Io`] if the file cannot be
/// written.
pub fn write(path: &Path, dataset: &Dataset, mut fill: impl FnMut(&mut Slab) -> io::Result<()>) -> Result<()> {
    let plan = Plan::new(dataset).map_err(|refused| refused.unwritable(path))?;
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

/// Values that stand together and are being written: those of a variable, or those of one record of it.
#[derive(Debug)]
pub struct Slab<'a, 'b> {
    out: &'a mut BufWriter<&'b File>,
    plan: &'a Plan,
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

    /// The record, from 0; 0 too where the variable has none.
    pub fn record(&self) -> u64 {
        self.record
    }

    /// Number of values that must be written, in one call of [`Self::write`] or in many.
    pub fn count(&self) -> u64 {
        self.plan.layout.extents[self.index].values
    }

    /// Writes the next values, the last dimension fastest; NaN for what is missing, and of text the bytes.
    ///
    /// # Errors
    /// More values than there is room for, or one that the type of the variable cannot hold, for `fill` to hand on; a
    /// failure of the file.
    pub fn write<T: Copy + Into<f64>>(&mut self, values: &[T]) -> io::Result<()> {
        if self.count() - self.written < values.len() as u64 {
            return Err(self.miscounted(self.written.saturating_add(values.len() as u64)));
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

    /// Fills up to where the next values begin.
    fn finish(self) -> io::Result<()> {
        if self.written < self.count() {
            return Err(self.miscounted(self.written));
        }
        let extent = &self.plan.layout.extents[self.index];
        let data_type = self.variable.data_type;
        let mut word = [0; 8];
        data_type.write(self.plan.packings[self.index].filler(), &mut word);
        let fillers = (extent.padded - extent.bytes) as usize / data_type.bytes();
        (0..fillers).try_for_each(|_| self.out.write_all(&word[..data_type.bytes()]))
    }

    fn miscounted(&self, found: u64) -> io::Error {
        let what = format!("number of values of {}{}", self.variable.name, self.of_record());
        io::Error::other(Refused::new(what, found, format!("{}, as its dimensions have points", self.count())))
    }

    fn of_record(&self) -> String {
        let is_record = self.plan.layout.extents[self.index].is_record;
        if is_record { format!(" in record {}", self.record) } else { String::new() }
    }
}
