//! netCDF-4 files, which are HDF5, read by the crate `netcdf-reader`.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use netcdf_reader::{NcAttrValue, NcAttribute, NcFile, NcSliceInfo, NcSliceInfoElem, NcType, NcVariable};

use super::types::{Attribute, AttributeValue, DataType, Dataset, Dimension, Variable};
use crate::error::{Refused, Result};
use crate::volume::Window;

/// What to do about a file that cannot be read.
const CURE: &str = "a netCDF-4 file; if it is not damaged, convert it: nccopy -k classic in.nc out.nc";

/// An open netCDF-4 file.
pub(super) struct Hdf5 {
    file: NcFile,
    /// Names of the variables of numbers or characters without values.
    without_values: Vec<String>,
}

impl std::fmt::Debug for Hdf5 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hdf5")
    }
}

impl Hdf5 {
    /// Opens a file and describes its variables; those without values, or of other types than numbers and characters, are left out.
    ///
    /// # Errors
    /// A file that is not netCDF-4 or is damaged; a file with groups.
    pub fn open(path: &Path) -> Result<(Dataset, Self)> {
        Self::describe(path).map_err(|refused| refused.unreadable(path))
    }

    /// Names of the variables that were left out because they have no values.
    pub fn without_values(&self) -> &[String] {
        &self.without_values
    }

    fn describe(path: &Path) -> Result<(Dataset, Self), Refused> {
        let file = NcFile::open(path).map_err(|error| damaged(&error))?;
        let root = file.root_group().map_err(|error| damaged(&error))?;
        if !root.groups.is_empty() {
            let names: Vec<&str> = root.groups.iter().map(|group| group.name.as_str()).collect();
            let expected = "none: extract the variables of one group, with ncks -G : -g GROUP in.nc out.nc";
            return Err(Refused::new("groups", names.join(", "), expected));
        }
        let mut dataset = Dataset { attributes: attributes(&root.attributes), ..Dataset::default() };
        // All lengths are known, so that no dimension needs to be read record by record.
        let mut numbers = HashMap::new();
        // An unlimited dimension without records and its variables, which have no values, are left out.
        for dimension in root.dimensions.iter().filter(|dimension| dimension.size > 0) {
            numbers.insert(dimension.name.clone(), dataset.dimensions.len());
            dataset.dimensions.push(Dimension::new(&dimension.name, dimension.size));
        }
        let mut without_values = Vec::new();
        for variable in &root.variables {
            let Some(data_type) = data_type(variable.dtype()) else { continue };
            if variable.dimensions().iter().any(|dimension| dimension.size == 0) {
                without_values.push(variable.name().to_owned());
                continue;
            }
            let described = described(variable, data_type, &mut dataset.dimensions, &mut numbers);
            dataset.variables.push(described);
        }
        dataset.check()?;
        Ok((dataset, Self { file, without_values }))
    }

    /// The stored values of a variable, last dimension fastest.
    ///
    /// # Errors
    /// A damaged file, a filter that is not supported.
    pub fn stored(&self, variable: &Variable) -> Result<Vec<f64>, Refused> {
        let name = &variable.name;
        if variable.data_type == DataType::Char {
            let bytes = self.file.read_variable_raw_bytes(name).map_err(|error| damaged(&error))?;
            return Ok(bytes.into_iter().map(f64::from).collect());
        }
        let values = self.file.read_variable_as_f64(name).map_err(|error| damaged(&error))?;
        Ok(values.into_iter().collect())
    }
}

/// Smallest number of values read at once: 8 MiB in double precision.
const SLAB: usize = 1 << 20;

impl Hdf5 {
    /// The stored values of a window, converted, see [`super::NetcdfReader::window_f32`].
    ///
    /// # Errors
    /// As [`Self::stored`].
    pub fn window<T>(
        &self,
        variable: &Variable,
        window: &Window,
        convert: impl Fn(f64) -> T,
    ) -> Result<Vec<T>, Refused> {
        self.slabs(variable, window, SLAB, convert)
    }

    /// Reads a window slab by slab along its slowest axis, in complete chunks, so that each chunk is decompressed once.
    ///
    /// # Arguments
    /// * `least` – number of values of a slab, rounded up to complete chunks
    fn slabs<T>(
        &self,
        variable: &Variable,
        window: &Window,
        least: usize,
        convert: impl Fn(f64) -> T,
    ) -> Result<Vec<T>, Refused> {
        let slice =
            |range: &Range<usize>| NcSliceInfoElem::Slice { start: range.start as u64, end: range.end as u64, step: 1 };
        // Leading dimensions of length one are not axes.
        let dropped = variable.dimensions.len() - window.ranges().len();
        let mut selections = vec![slice(&(0..1)); dropped];
        selections.extend(window.ranges().iter().rev().map(slice));
        let slowest = window.ranges().last().cloned().unwrap_or(0..1);
        let thickness = self.chunk_length(&variable.name, dropped);
        let planes = least.div_ceil(window.count() / slowest.len());
        let mut values = Vec::with_capacity(window.count());
        let mut first = slowest.start;
        while first < slowest.end {
            let end = (first + planes).next_multiple_of(thickness).min(slowest.end);
            selections[dropped] = slice(&(first..end));
            let selected = NcSliceInfo { selections: selections.clone() };
            let slab =
                self.file.read_variable_slice_as_f64(&variable.name, &selected).map_err(|error| damaged(&error))?;
            values.extend(slab.into_iter().map(&convert));
            first = end;
        }
        Ok(values)
    }

    /// Number of points of a chunk along a dimension; 1 for a variable without chunks.
    fn chunk_length(&self, name: &str, dimension: usize) -> usize {
        let first = self.file.iter_variable_chunks(name).ok().and_then(|mut chunks| chunks.next()?.ok());
        first.and_then(|chunk| chunk.shape().get(dimension).copied()).unwrap_or(1).max(1) as usize
    }
}

fn damaged(error: &netcdf_reader::Error) -> Refused {
    Refused::new("contents", error, CURE)
}

/// A variable with values.
fn described(
    variable: &NcVariable,
    data_type: DataType,
    dimensions: &mut Vec<Dimension>,
    numbers: &mut HashMap<String, usize>,
) -> Variable {
    let mut number = |name: &str, length: u64| {
        *numbers.entry(name.to_owned()).or_insert_with(|| {
            dimensions.push(Dimension::new(name, length));
            dimensions.len() - 1
        })
    };
    let own = variable.dimensions().iter().map(|dimension| number(&dimension.name, dimension.size)).collect();
    Variable {
        name: variable.name().to_owned(),
        data_type,
        dimensions: own,
        attributes: attributes(variable.attributes()),
    }
}

fn data_type(of: &NcType) -> Option<DataType> {
    Some(match of {
        NcType::Byte => DataType::I8,
        NcType::Char => DataType::Char,
        NcType::Short => DataType::I16,
        NcType::Int => DataType::I32,
        NcType::Float => DataType::F32,
        NcType::Double => DataType::F64,
        NcType::UByte => DataType::U8,
        NcType::UShort => DataType::U16,
        NcType::UInt => DataType::U32,
        NcType::Int64 => DataType::I64,
        NcType::UInt64 => DataType::U64,
        _ => return None,
    })
}

/// Attributes of numbers and text.
fn attributes(all: &[NcAttribute]) -> Vec<Attribute> {
    let of_one = |attribute: &NcAttribute| {
        let numbers = |data_type: DataType| {
            attribute.value.as_f64_vec().map(|numbers| AttributeValue::Numbers(data_type, numbers))
        };
        let value = match &attribute.value {
            NcAttrValue::Bytes(_) => numbers(DataType::I8),
            NcAttrValue::Shorts(_) => numbers(DataType::I16),
            NcAttrValue::Ints(_) => numbers(DataType::I32),
            NcAttrValue::Floats(_) => numbers(DataType::F32),
            NcAttrValue::Doubles(_) => numbers(DataType::F64),
            NcAttrValue::UBytes(_) => numbers(DataType::U8),
            NcAttrValue::UShorts(_) => numbers(DataType::U16),
            NcAttrValue::UInts(_) => numbers(DataType::U32),
            NcAttrValue::Int64s(_) => numbers(DataType::I64),
            NcAttrValue::UInt64s(_) => numbers(DataType::U64),
            text => text.as_string().map(|text| AttributeValue::Text(text.trim_end_matches('\0').to_owned())),
        };
        value.map(|value| Attribute { name: attribute.name.clone(), value })
    };
    all.iter().filter_map(of_one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Axis;

    #[test]
    fn slabs_of_any_thickness_have_the_same_values() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/netcdf/samples");
        for (name, of) in [("xarray_volume_nc4.nc", "vp"), ("gmt_nc4.nc", "z"), ("xarray_packed_nc4.nc", "elevation")] {
            let (dataset, file) = Hdf5::open(&samples.join(name)).unwrap();
            let variable = dataset.variables.iter().find(|variable| variable.name == of).unwrap();
            let axes: Vec<Axis> =
                dataset.dimensions_of(variable).rev().map(|of| Axis::new(of.length as usize, 0.0, 1.0)).collect();
            let whole = file.stored(variable).unwrap();
            for least in [1, 5, 20, 1000] {
                assert_eq!(file.slabs(variable, &Window::whole(&axes), least, |value| value).unwrap(), whole);
            }
            let inner = Window::new(&axes, axes.iter().map(|axis| 1..axis.count - 1).collect()).unwrap();
            let wanted: Vec<f64> = inner.runs().flat_map(|run| whole[run].to_vec()).collect();
            for least in [1, 5, 20, 1000] {
                assert_eq!(file.slabs(variable, &inner, least, |value| value).unwrap(), wanted, "{name}");
            }
        }
    }
}
