//! Layout of a netCDF file that is to be written.

use super::header::{Version, encode};
use super::layout::Layout;
use super::packing::Packing;
use super::types::{Attribute, AttributeValue, DataType, Dataset};
use crate::error::Refused;

/// Largest size of a name [bytes].
const LARGEST_NAME: usize = 256;

/// The layout of a file that can be written.
#[derive(Debug)]
pub(super) struct WritePlan {
    pub version: Version,
    pub layout: Layout,
    /// Byte offset of each variable.
    pub begins: Vec<u64>,
    /// Packing of each variable.
    pub packings: Vec<Packing>,
}

impl WritePlan {
    /// # Errors
    /// Content that the format cannot represent.
    pub fn new(dataset: &Dataset) -> Result<Self, Refused> {
        check_names(dataset)?;
        dataset.check()?;
        all_attributes(dataset).try_for_each(check_attribute)?;
        let packings = dataset.variables.iter().map(Packing::of).collect::<Result<_, _>>()?;
        let layout = Layout::new(dataset)?;
        let fits = |version: &Version| is_for(*version, dataset, &layout, &begins(dataset, &layout, *version));
        let version = Version::ALL.into_iter().find(fits).unwrap_or(Version::Data64);
        let begins = begins(dataset, &layout, version);
        Ok(Self { version, layout, begins, packings })
    }
}

/// Byte offsets of the variables: after the header those without records, then those of the first record.
fn begins(dataset: &Dataset, layout: &Layout, version: Version) -> Vec<u64> {
    let mut begins = vec![0; dataset.variables.len()];
    let mut free = encode(dataset, layout, &begins, version).len() as u64;
    for is_record in [false, true] {
        for (begin, extent) in begins.iter_mut().zip(&layout.extents) {
            if extent.is_record == is_record {
                *begin = free;
                free += extent.padded;
            }
        }
    }
    begins
}

/// Whether a version can represent the data.
fn is_for(version: Version, dataset: &Dataset, layout: &Layout, begins: &[u64]) -> bool {
    let signed = i32::MAX as u64;
    let (most_bytes, most_place) = match version {
        Version::Classic => (signed - 3, signed),
        Version::Offset64 => (u64::from(u32::MAX) - 3, u64::MAX),
        Version::Data64 => return true,
    };
    let of_attributes = all_attributes(dataset).map(|attribute| attribute.value.data_type());
    let mut types = dataset.variables.iter().map(|variable| variable.data_type).chain(of_attributes);
    types.all(|data_type| data_type.is_classic())
        && dataset.dimensions.iter().all(|dimension| dimension.length <= signed)
        && layout.extents.iter().all(|extent| extent.padded <= most_bytes)
        && begins.iter().all(|&begin| begin <= most_place)
}

fn check_names(dataset: &Dataset) -> Result<(), Refused> {
    let of_dimensions = dataset.dimensions.iter().map(|dimension| &dimension.name);
    let of_variables = dataset.variables.iter().map(|variable| &variable.name);
    let of_attributes = all_attributes(dataset).map(|attribute| &attribute.name);
    match of_dimensions.chain(of_variables).chain(of_attributes).find(|name| !is_name(name)) {
        None => Ok(()),
        Some(name) => {
            let expected = format!(
                "1 to {LARGEST_NAME} bytes that start with a letter, a digit or `_`, without `/` and control \
                 characters, and without a blank at the end"
            );
            Err(Refused::new("name", format!("`{name}`"), expected))
        }
    }
}

/// Attributes of the file and of its variables.
fn all_attributes(dataset: &Dataset) -> impl Iterator<Item = &Attribute> {
    dataset.attributes.iter().chain(dataset.variables.iter().flat_map(|variable| &variable.attributes))
}

/// Whether the format allows a name.
fn is_name(name: &str) -> bool {
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii());
    begins_well
        && name.len() <= LARGEST_NAME
        && !name.contains(|c: char| c == '/' || c.is_control())
        && !name.ends_with(' ')
}

fn check_attribute(attribute: &Attribute) -> Result<(), Refused> {
    let AttributeValue::Numbers(data_type, numbers) = &attribute.value else { return Ok(()) };
    let refuse =
        |value: String, expected: String| Err(Refused::new(format!("attribute {}", attribute.name), value, expected));
    if *data_type == DataType::Char {
        return refuse(format!("{numbers:?} of type char"), "text, or another type".to_owned());
    }
    match numbers.iter().find(|&&number| !data_type.holds(number)) {
        None => Ok(()),
        Some(number) => refuse(number.to_string(), format!("numbers that type {} can hold", data_type.name())),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Seek, SeekFrom, Write};

    use super::*;
    use crate::netcdf::{Dimension, NetcdfReader, Variable};

    fn dataset(shapes: &[&[u64]], data_type: DataType) -> Dataset {
        let mut dataset = Dataset::default();
        for (number, shape) in shapes.iter().enumerate() {
            let first = dataset.dimensions.len();
            let name = |axis: usize| format!("d{number}_{axis}");
            let dimensions = shape.iter().enumerate().map(|(axis, &length)| Dimension::new(&name(axis), length));
            dataset.dimensions.extend(dimensions);
            let dimensions = (first..dataset.dimensions.len()).collect();
            let name = format!("v{number}");
            dataset.variables.push(Variable { name, data_type, dimensions, attributes: Vec::new() });
        }
        dataset
    }

    #[test]
    fn the_oldest_sufficient_version_is_chosen() {
        let version = |shapes: &[&[u64]], data_type| WritePlan::new(&dataset(shapes, data_type)).unwrap().version;
        for (shapes, wanted) in [
            (&[&[20_000, 20_000][..]][..], Version::Classic),
            (&[&[20_000, 20_000], &[20_000, 20_000]], Version::Classic),
            (&[&[20_000, 20_000], &[20_000, 20_000], &[1]], Version::Offset64),
            (&[&[20_000, 30_000]], Version::Offset64),
            (&[&[40_000, 40_000]], Version::Data64),
        ] {
            assert_eq!(version(shapes, DataType::F32), wanted, "{shapes:?}");
        }
        assert_eq!(version(&[&[1 << 31]], DataType::I8), Version::Data64);
        assert_eq!(version(&[&[3]], DataType::U16), Version::Data64);
    }

    #[test]
    fn values_beyond_four_gibibytes_are_read() {
        for (shapes, version) in [
            (&[&[25_000, 40_000][..], &[25_000, 40_000], &[2]], Version::Offset64),
            (&[&[40_000, 40_000], &[1], &[2]], Version::Data64),
        ] {
            let dataset = dataset(shapes, DataType::F32);
            let plan = WritePlan::new(&dataset).unwrap();
            assert_eq!(plan.version, version);
            // Most of the file is never written, so it is sparse and takes no disk space.
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("large.nc");
            let mut file = File::create(&path).unwrap();
            file.write_all(&encode(&dataset, &plan.layout, &plan.begins, plan.version)).unwrap();
            file.seek(SeekFrom::Start(plan.begins[2])).unwrap();
            file.write_all(&[1.5_f32.to_be_bytes(), (-2.0_f32).to_be_bytes()].concat()).unwrap();
            let mut reader = NetcdfReader::open(&path).unwrap();
            assert_eq!(reader.values_f64("v2").unwrap(), [1.5, -2.0]);
        }
    }
}
