//! Content of a netCDF file, except for the values of its variables.

use std::collections::HashSet;

use crate::ByteOrder;
use crate::byte_order::Word;
use crate::error::Refused;

/// Type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    /// `byte`.
    I8,
    /// `char`, a byte of text.
    Char,
    /// `short`.
    I16,
    /// `int`.
    I32,
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// `ubyte`; this and the following types require CDF-5.
    U8,
    /// `ushort`.
    U16,
    /// `uint`.
    U32,
    /// `int64`; integers beyond 2^53 are rounded.
    I64,
    /// `uint64`; integers beyond 2^53 are rounded.
    U64,
}

/// Evaluates an expression with the Rust type of a [`DataType`].
macro_rules! with_type {
    ($data_type:expr, $name:ident => $value:expr) => {
        with_type!($data_type, $name => $value; I8 i8, Char u8, I16 i16, I32 i32, F32 f32, F64 f64, U8 u8, U16 u16,
            U32 u32, I64 i64, U64 u64)
    };
    ($data_type:expr, $name:ident => $value:expr; $($variant:ident $kind:ty),*) => {
        match $data_type { $( DataType::$variant => { type $name = $kind; $value } )* }
    };
}

impl DataType {
    /// All types, in the order of their codes, which start at 1.
    const ALL: [Self; 11] = {
        use DataType::*;
        [I8, Char, I16, I32, F32, F64, U8, U16, U32, I64, U64]
    };

    /// Size of a value [bytes].
    pub fn bytes(self) -> usize {
        with_type!(self, Kind => size_of::<Kind>())
    }

    /// Name of the type in netCDF.
    pub fn name(self) -> &'static str {
        ["byte", "char", "short", "int", "float", "double", "ubyte", "ushort", "uint", "int64", "uint64"][self as usize]
    }

    /// Type with a given code.
    pub(super) fn from_code(code: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?.checked_sub(1)?).copied()
    }

    pub(super) fn code(self) -> u32 {
        self as u32 + 1
    }

    /// Whether the type exists in CDF-1 and CDF-2.
    pub(super) fn is_classic(self) -> bool {
        self.code() <= Self::F64.code()
    }

    /// Reads a value from the first bytes.
    pub(super) fn read(self, bytes: &[u8]) -> f64 {
        with_type!(self, Kind => ByteOrder::Big.read::<Kind>(bytes).to_f64())
    }

    /// Writes a value for which [`Self::holds`] is true to the first bytes.
    pub(super) fn write(self, value: f64, bytes: &mut [u8]) {
        with_type!(self, Kind => ByteOrder::Big.write(Kind::from_f64(value), bytes));
    }

    /// Whether a number can be stored: an integer within the range; for `float`, any number that does not overflow.
    pub(super) fn holds(self, value: f64) -> bool {
        match self {
            Self::F64 => true,
            Self::F32 => !value.is_finite() || (value as f32).is_finite(),
            // The largest 64-bit integers round up in double precision.
            _ => with_type!(self, Kind => Kind::from_f64(value).to_f64() == value && value < Kind::MAX.to_f64() + 1.0),
        }
    }

    pub(super) fn is_integer(self) -> bool {
        !matches!(self, Self::Char | Self::F32 | Self::F64)
    }
}

/// A dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Its name.
    pub name: String,
    /// Number of points, at least 1; for the unlimited dimension, the number of records.
    pub length: u64,
    /// Whether it is the unlimited dimension. A file may have one; it must be the first dimension of its variables.
    pub is_unlimited: bool,
}

impl Dimension {
    /// Creates a dimension of fixed length.
    pub fn new(name: &str, length: u64) -> Self {
        Self { name: name.to_owned(), length, is_unlimited: false }
    }

    /// Creates the unlimited dimension, with a number of records.
    pub fn unlimited(name: &str, records: u64) -> Self {
        Self { name: name.to_owned(), length: records, is_unlimited: true }
    }
}

/// Value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    /// Text; when reading, invalid UTF-8 is replaced, and trailing zero bytes are removed.
    Text(String),
    /// Numbers of one type.
    Numbers(DataType, Vec<f64>),
}

impl AttributeValue {
    /// Storage type.
    pub fn data_type(&self) -> DataType {
        match self {
            Self::Text(_) => DataType::Char,
            Self::Numbers(data_type, _) => *data_type,
        }
    }
}

/// A named attribute of a variable or of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name, such as `units`.
    pub name: String,
    /// Its value.
    pub value: AttributeValue,
}

impl Attribute {
    /// Creates a text attribute.
    pub fn text(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), value: AttributeValue::Text(text.to_owned()) }
    }

    /// Creates an attribute with a single number.
    pub fn number(name: &str, data_type: DataType, number: f64) -> Self {
        Self { name: name.to_owned(), value: AttributeValue::Numbers(data_type, vec![number]) }
    }
}

/// A variable, without its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Storage type of its values.
    pub data_type: DataType,
    /// Indices of its dimensions in [`Dataset::dimensions`], the last one fastest; empty for a scalar.
    pub dimensions: Vec<usize>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
}

impl Variable {
    /// Value of an attribute, if present.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| &attribute.value)
    }

    /// Text of an attribute, if present and text.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.attribute(name)? {
            AttributeValue::Text(text) => Some(text),
            AttributeValue::Numbers(..) => None,
        }
    }
}

/// Content of a netCDF file, except for the values of its variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dataset {
    /// Dimensions.
    pub dimensions: Vec<Dimension>,
    /// Attributes of the file as a whole.
    pub attributes: Vec<Attribute>,
    /// Variables.
    pub variables: Vec<Variable>,
}

impl Dataset {
    /// Dimensions of a variable, the last one fastest.
    ///
    /// # Panics
    /// If the variable refers to dimensions that do not exist.
    pub fn dimensions_of<'a>(&'a self, variable: &'a Variable) -> impl DoubleEndedIterator<Item = &'a Dimension> {
        variable.dimensions.iter().map(|&index| &self.dimensions[index])
    }

    /// Number of records; 0 without an unlimited dimension.
    pub fn records(&self) -> u64 {
        self.dimensions.iter().find(|dimension| dimension.is_unlimited).map_or(0, |dimension| dimension.length)
    }

    /// Refuses duplicate names, dimensions that do not exist, and misplaced unlimited dimensions.
    pub(super) fn check(&self) -> Result<(), Refused> {
        unique("dimension", self.dimensions.iter().map(|dimension| &dimension.name))?;
        unique("variable", self.variables.iter().map(|variable| &variable.name))?;
        unique("global attribute", self.attributes.iter().map(|attribute| &attribute.name))?;
        let unlimited: Vec<_> = self
            .dimensions
            .iter()
            .filter(|dimension| dimension.is_unlimited)
            .map(|dimension| &*dimension.name)
            .collect();
        if unlimited.len() > 1 {
            return Err(Refused::new("unlimited dimensions", unlimited.join(", "), "at most one"));
        }
        if let Some(empty) = self.dimensions.iter().find(|dimension| !dimension.is_unlimited && dimension.length == 0) {
            let what = format!("length of dimension {}", empty.name);
            return Err(Refused::new(what, 0, "at least 1, except for the unlimited dimension"));
        }
        for variable in &self.variables {
            let name = &variable.name;
            unique(&format!("attribute of {name}"), variable.attributes.iter().map(|attribute| &attribute.name))?;
            for (place, &index) in variable.dimensions.iter().enumerate() {
                let what = || format!("dimension {} of variable {name}", place + 1);
                let Some(dimension) = self.dimensions.get(index) else {
                    let expected = format!("an index below {}, the number of dimensions", self.dimensions.len());
                    return Err(Refused::new(what(), index, expected));
                };
                if dimension.is_unlimited && place > 0 {
                    return Err(Refused::new(what(), &dimension.name, "the unlimited dimension first"));
                }
            }
        }
        Ok(())
    }
}

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Result<(), Refused> {
    let mut known = HashSet::new();
    for name in names {
        if name.is_empty() || !known.insert(name) {
            return Err(Refused::new(format!("name of a {what}"), format!("`{name}`"), "a unique name"));
        }
    }
    Ok(())
}
