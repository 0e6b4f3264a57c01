//! What a netCDF file holds, but for the values of its variables.

use std::collections::HashSet;

use crate::ByteOrder;
use crate::byte_order::Word;
use crate::error::Refused;

/// What a value is.
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
    /// `ubyte`, of CDF-5, as are all that follow.
    U8,
    /// `ushort`.
    U16,
    /// `uint`.
    U32,
    /// `int64`; whole numbers beyond 2^53 are rounded.
    I64,
    /// `uint64`; whole numbers beyond 2^53 are rounded.
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
    /// All types, in the order of their codes, which begin at 1.
    const ALL: [Self; 11] = {
        use DataType::*;
        [I8, Char, I16, I32, F32, F64, U8, U16, U32, I64, U64]
    };

    /// Bytes of a value.
    pub fn bytes(self) -> usize {
        with_type!(self, Kind => size_of::<Kind>())
    }

    /// The name that netCDF gives it.
    pub fn name(self) -> &'static str {
        ["byte", "char", "short", "int", "float", "double", "ubyte", "ushort", "uint", "int64", "uint64"][self as usize]
    }

    /// The type of a code in a file.
    pub(super) fn from_code(code: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?.checked_sub(1)?).copied()
    }

    pub(super) fn code(self) -> u32 {
        self as u32 + 1
    }

    /// Whether CDF-1 and CDF-2 have it.
    pub(super) fn is_classic(self) -> bool {
        self.code() <= Self::F64.code()
    }

    /// The value in the first bytes.
    pub(super) fn read(self, bytes: &[u8]) -> f64 {
        with_type!(self, Kind => ByteOrder::Big.read::<Kind>(bytes).to_f64())
    }

    /// Puts a value that [`Self::holds`] into the first bytes.
    pub(super) fn write(self, value: f64, bytes: &mut [u8]) {
        with_type!(self, Kind => ByteOrder::Big.write(Kind::from_f64(value), bytes));
    }

    /// Whether a number can be stored: a whole one in its range; as `float` any that does not overflow.
    pub(super) fn holds(self, value: f64) -> bool {
        match self {
            Self::F64 => true,
            Self::F32 => !value.is_finite() || (value as f32).is_finite(),
            // The largest of 64 bits rounds up when it becomes a double.
            _ => with_type!(self, Kind => Kind::from_f64(value).to_f64() == value && value < Kind::MAX.to_f64() + 1.0),
        }
    }

    pub(super) fn is_integer(self) -> bool {
        !matches!(self, Self::Char | Self::F32 | Self::F64)
    }
}

/// A dimension of variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Its name.
    pub name: String,
    /// Number of points, at least 1; of the unlimited one, the number of records.
    pub length: u64,
    /// Whether it is the unlimited one, which a file may have once; it is the first of every variable that has it.
    pub is_unlimited: bool,
}

impl Dimension {
    /// A dimension of a fixed length.
    pub fn new(name: &str, length: u64) -> Self {
        Self { name: name.to_owned(), length, is_unlimited: false }
    }

    /// The unlimited dimension, with so many records.
    pub fn unlimited(name: &str, records: u64) -> Self {
        Self { name: name.to_owned(), length: records, is_unlimited: true }
    }
}

/// What an attribute says.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    /// Text; on reading, bytes that are not UTF-8 are replaced, and those of value 0 at its end are left out.
    Text(String),
    /// Numbers, all of one type.
    Numbers(DataType, Vec<f64>),
}

impl AttributeValue {
    /// What it is stored as.
    pub fn data_type(&self) -> DataType {
        match self {
            Self::Text(_) => DataType::Char,
            Self::Numbers(data_type, _) => *data_type,
        }
    }
}

/// A named value of a variable or of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name, such as `units`.
    pub name: String,
    /// Its value.
    pub value: AttributeValue,
}

impl Attribute {
    /// An attribute that is text.
    pub fn text(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), value: AttributeValue::Text(text.to_owned()) }
    }

    /// An attribute that is one number.
    pub fn number(name: &str, data_type: DataType, number: f64) -> Self {
        Self { name: name.to_owned(), value: AttributeValue::Numbers(data_type, vec![number]) }
    }
}

/// A variable, without its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What its values are stored as.
    pub data_type: DataType,
    /// Indices of its dimensions in [`Dataset::dimensions`], the last one fastest; none for a single value.
    pub dimensions: Vec<usize>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
}

impl Variable {
    /// What an attribute says.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| &attribute.value)
    }

    /// The text of an attribute, if it is there and text.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.attribute(name)? {
            AttributeValue::Text(text) => Some(text),
            AttributeValue::Numbers(..) => None,
        }
    }
}

/// What a netCDF file holds, but for the values of its variables.
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
    /// The dimensions of a variable, the last one fastest.
    ///
    /// # Panics
    /// If the variable has dimensions that are not of this dataset.
    pub fn dimensions_of<'a>(&'a self, variable: &'a Variable) -> impl DoubleEndedIterator<Item = &'a Dimension> {
        variable.dimensions.iter().map(|&index| &self.dimensions[index])
    }

    /// Number of records, 0 where no dimension is unlimited.
    pub fn records(&self) -> u64 {
        self.dimensions.iter().find(|dimension| dimension.is_unlimited).map_or(0, |dimension| dimension.length)
    }

    /// Refuses names that stand twice, dimensions that are not there, and unlimited ones where none may be.
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
            return Err(Refused::new("unlimited dimensions", unlimited.join(", "), "one at most"));
        }
        if let Some(empty) = self.dimensions.iter().find(|dimension| !dimension.is_unlimited && dimension.length == 0) {
            let what = format!("length of dimension {}", empty.name);
            return Err(Refused::new(what, 0, "at least 1, but for the unlimited one"));
        }
        for variable in &self.variables {
            let name = &variable.name;
            unique(&format!("attribute of {name}"), variable.attributes.iter().map(|attribute| &attribute.name))?;
            for (place, &index) in variable.dimensions.iter().enumerate() {
                let what = || format!("dimension {} of variable {name}", place + 1);
                let Some(dimension) = self.dimensions.get(index) else {
                    let expected = format!("a number below {}, that of dimensions", self.dimensions.len());
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
            return Err(Refused::new(format!("name of a {what}"), format!("`{name}`"), "a name that no other has"));
        }
    }
    Ok(())
}
