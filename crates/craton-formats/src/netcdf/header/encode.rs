//! Serialising a header.

use super::{MAGIC, Tag, Version};
use crate::netcdf::layout::Layout;
use crate::netcdf::types::{Attribute, AttributeValue, Dataset, Dimension};

/// Serialises a header. Its length does not depend on the offsets of the variables.
///
/// # Arguments
/// * `dataset` – content of the file, validated
/// * `layout` – sizes of its variables
/// * `begins` – byte offset of each variable
/// * `version` – a version that can represent the content
pub(in crate::netcdf) fn encode(dataset: &Dataset, layout: &Layout, begins: &[u64], version: Version) -> Vec<u8> {
    let mut out = Out { bytes: [&MAGIC[..], &[version as u8]].concat(), version };
    out.count(dataset.records());
    out.list(Tag::Dimensions, &dataset.dimensions, |out, dimension: &Dimension| {
        out.name(&dimension.name);
        out.count(if dimension.is_unlimited { 0 } else { dimension.length });
    });
    out.list(Tag::Attributes, &dataset.attributes, Out::attribute);
    let variables: Vec<_> = dataset.variables.iter().zip(&layout.extents).zip(begins).collect();
    out.list(Tag::Variables, &variables, |out, ((variable, extent), begin)| {
        out.name(&variable.name);
        out.count(variable.dimensions.len() as u64);
        variable.dimensions.iter().for_each(|&index| out.count(index as u64));
        out.list(Tag::Attributes, &variable.attributes, Out::attribute);
        out.word(variable.data_type.code());
        out.count(extent.bytes.next_multiple_of(4));
        out.wide(version.offset_bytes(), **begin);
    });
    out.bytes
}

/// A partly written header.
struct Out {
    bytes: Vec<u8>,
    version: Version,
}

impl Out {
    fn word(&mut self, value: u32) {
        self.bytes.extend(value.to_be_bytes());
    }

    /// Writes an integer as 4 or 8 bytes.
    fn wide(&mut self, bytes: usize, value: u64) {
        self.bytes.extend(&value.to_be_bytes()[8 - bytes..]);
    }

    fn count(&mut self, value: u64) {
        self.wide(self.version.count_bytes(), value);
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn name(&mut self, name: &str) {
        self.count(name.len() as u64);
        self.padded(name.as_bytes());
    }

    fn list<T>(&mut self, tag: Tag, items: &[T], one: impl Fn(&mut Self, &T)) {
        self.word(if items.is_empty() { 0 } else { tag as u32 });
        self.count(items.len() as u64);
        items.iter().for_each(|item| one(self, item));
    }

    fn attribute(&mut self, attribute: &Attribute) {
        self.name(&attribute.name);
        let data_type = attribute.value.data_type();
        self.word(data_type.code());
        match &attribute.value {
            AttributeValue::Text(text) => {
                self.count(text.len() as u64);
                self.padded(text.as_bytes());
            }
            AttributeValue::Numbers(_, numbers) => {
                let width = data_type.bytes();
                let mut bytes = vec![0; width * numbers.len()];
                for (word, &number) in bytes.chunks_exact_mut(width).zip(numbers) {
                    data_type.write(number, word);
                }
                self.count(numbers.len() as u64);
                self.padded(&bytes);
            }
        }
    }
}
