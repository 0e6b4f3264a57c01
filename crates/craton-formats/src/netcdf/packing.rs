//! Packed storage of values, and markers of missing values.

use super::types::{AttributeValue, DataType, Variable};
use crate::error::Refused;

/// Conversion between stored and physical values of a variable.
///
/// value = stored * scale_factor + add_offset; missing values are NaN, stored as `_FillValue`.
#[derive(Debug)]
pub(super) struct Packing {
    data_type: DataType,
    scale: f64,
    offset: f64,
    /// Stored value that marks a missing value when writing.
    fill: Option<f64>,
    /// Stored values that mark missing values when reading.
    missing: Vec<f64>,
}

impl Packing {
    /// # Errors
    /// Attributes with types or values that are invalid for packing.
    pub fn of(variable: &Variable) -> Result<Self, Refused> {
        let data_type = variable.data_type;
        if let Some(unsigned @ "true") = variable.text("_Unsigned") {
            let expected = "an unsigned type, such as ubyte of CDF-5";
            return Err(Refused::new(format!("attribute _Unsigned of {}", variable.name), unsigned, expected));
        }
        let of_type = |value: f64| if data_type == DataType::F32 { f64::from(value as f32) } else { value };
        let marks = |name| Ok(numbers(variable, name)?.into_iter().flatten().copied().map(of_type));
        let mut missing: Vec<_> = marks("missing_value")?.collect();
        let own = marks("_FillValue")?.next();
        let fill = own.or(missing.first().copied());
        missing.extend(own.or_else(|| default_fill(data_type)));
        Ok(Self {
            data_type,
            scale: number(variable, "scale_factor", 1.0)?,
            offset: number(variable, "add_offset", 0.0)?,
            fill,
            missing,
        })
    }

    /// Converts a stored value to a physical one; NaN if it is missing.
    pub fn unpack(&self, stored: f64) -> f64 {
        if self.missing.contains(&stored) { f64::NAN } else { stored * self.scale + self.offset }
    }

    /// Converts a physical value to a stored one.
    ///
    /// # Errors
    /// The reason why the type cannot represent it.
    pub fn pack(&self, value: f64) -> Result<f64, String> {
        if value.is_nan() && (self.fill.is_some() || self.data_type.is_integer()) {
            let fill = self.fill.filter(|&fill| self.data_type.holds(fill));
            return fill
                .ok_or_else(|| "a number; missing values require a `_FillValue` of the variable's type".to_owned());
        }
        let scaled = (value - self.offset) / self.scale;
        let is_packed = self.scale != 1.0 || self.offset != 0.0;
        let stored = if is_packed && self.data_type.is_integer() { scaled.round() } else { scaled };
        if !self.data_type.holds(stored) {
            return Err(format!("a value that type {} can hold", self.data_type.name()));
        }
        let mut bytes = [0; 8];
        self.data_type.write(stored, &mut bytes);
        match self.missing.contains(&self.data_type.read(&bytes)) {
            true => Err(format!("another value, since {stored} marks missing values")),
            false => Ok(stored),
        }
    }

    /// Stored value for padding.
    pub fn filler(&self) -> f64 {
        self.fill.or_else(|| default_fill(self.data_type)).unwrap_or(0.0)
    }
}

/// Numbers of an attribute, if present.
fn numbers<'a>(variable: &'a Variable, name: &str) -> Result<Option<&'a [f64]>, Refused> {
    match variable.attribute(name) {
        None => Ok(None),
        Some(AttributeValue::Numbers(_, numbers)) => Ok(Some(numbers)),
        Some(AttributeValue::Text(text)) => {
            Err(Refused::new(format!("attribute {name} of {}", variable.name), format!("`{text}`"), "a number"))
        }
    }
}

/// The single number of an attribute; `neutral` if it is missing.
fn number(variable: &Variable, name: &str, neutral: f64) -> Result<f64, Refused> {
    match numbers(variable, name)? {
        None => Ok(neutral),
        // An offset (neutral value 0) may be 0, a factor (neutral value 1) may not.
        Some(&[number]) if number.is_finite() && (number != 0.0 || neutral == 0.0) => Ok(number),
        Some(other) => {
            let expected = if neutral == 0.0 { "one finite number" } else { "one finite number other than 0" };
            Err(Refused::new(format!("attribute {name} of {}", variable.name), format!("{other:?}"), expected))
        }
    }
}

/// Default fill value; none for bytes, which use all their values.
fn default_fill(data_type: DataType) -> Option<f64> {
    match data_type {
        DataType::I8 | DataType::U8 | DataType::Char => None,
        DataType::I16 => Some(-32_767.0),
        DataType::I32 => Some(-2_147_483_647.0),
        // 15 * 2^119, exact in single precision.
        DataType::F32 | DataType::F64 => Some(9.969_209_968_386_869e36),
        DataType::U16 => Some(65_535.0),
        DataType::U32 => Some(4_294_967_295.0),
        // The defaults, -2^63 + 2 and 2^64 - 2, rounded to double precision.
        DataType::I64 => Some(-9_223_372_036_854_775_808.0),
        DataType::U64 => Some(18_446_744_073_709_551_616.0),
    }
}
