//! Sizes of the variables in a file.

use super::types::{Dataset, Variable};
use crate::error::Refused;

/// A contiguous block of values of a variable: all of them, or those of one record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Whether the block is repeated for each record.
    pub is_record: bool,
    /// Number of values.
    pub values: u64,
    /// Size [bytes].
    pub bytes: u64,
    /// Size, padded to a multiple of four [bytes].
    pub padded: u64,
}

/// Sizes of all variables of a file.
#[derive(Debug)]
pub(super) struct Layout {
    /// Blocks of each variable.
    pub extents: Vec<Extent>,
    /// Distance between records [bytes].
    pub record_bytes: u64,
}

impl Layout {
    /// # Errors
    /// A size that exceeds what a file can hold.
    pub fn new(dataset: &Dataset) -> Result<Self, Refused> {
        let extents = dataset.variables.iter().map(|variable| extent(dataset, variable));
        let mut extents: Vec<_> = extents.collect::<Result<_, _>>()?;
        // If there is a single record variable, its records are not padded.
        let mut of_records: Vec<_> = extents.iter_mut().filter(|extent| extent.is_record).collect();
        if let [single] = &mut of_records[..] {
            single.padded = single.bytes;
        }
        let total = |which: bool| {
            let mut some = extents.iter().filter(|extent| extent.is_record == which);
            some.try_fold(0_u64, |sum, extent| sum.checked_add(extent.padded))
        };
        let record_bytes = total(true).ok_or_else(too_large)?;
        let of_all = record_bytes.checked_mul(dataset.records()).zip(total(false));
        let of_all = of_all.and_then(|(of_records, fixed)| of_records.checked_add(fixed));
        of_all.filter(|&bytes| bytes <= i64::MAX as u64).ok_or_else(too_large)?;
        Ok(Self { extents, record_bytes })
    }
}

fn too_large() -> Refused {
    Refused::new("bytes of all variables", "more than 2^63", "less than 2^63")
}

/// # Errors
/// A size that exceeds what a file can hold.
fn extent(dataset: &Dataset, variable: &Variable) -> Result<Extent, Refused> {
    let fixed = || dataset.dimensions_of(variable).filter(|dimension| !dimension.is_unlimited);
    let values = fixed().try_fold(1_u64, |values, dimension| values.checked_mul(dimension.length));
    let bytes = values.and_then(|values| values.checked_mul(variable.data_type.bytes() as u64));
    let padded = bytes.and_then(|bytes| bytes.checked_next_multiple_of(4));
    let (Some(values), Some(bytes), Some(padded)) = (values, bytes, padded) else {
        let lengths: Vec<_> = fixed().map(|dimension| dimension.length.to_string()).collect();
        let what = format!("shape of variable {}", variable.name);
        return Err(Refused::new(what, lengths.join(" x "), "values of less than 2^63 bytes"));
    };
    let is_record = dataset.dimensions_of(variable).any(|dimension| dimension.is_unlimited);
    Ok(Extent { is_record, values, bytes, padded })
}
