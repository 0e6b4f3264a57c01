//! The meaning of values: missing values, scale, offset and unit.

use roxmltree::{Document, Node};

use super::directory::{Directory, tag};
use crate::error::Refused;
use crate::volume::metres_per;

/// Value \[m\] = `scale` stored + `offset`, unless the stored value is `no_data` or NaN.
pub(super) struct Meaning {
    /// Stored value of gaps.
    pub no_data: Option<f64>,
    pub scale: f64,
    pub offset: f64,
}

impl Meaning {
    /// Reads the tags of GDAL.
    ///
    /// # Arguments
    /// * `metres_per_value` – of the coordinate system; it takes precedence over the unit in the metadata
    pub fn of(directory: &Directory, metres_per_value: Option<f64>) -> Result<Self, Refused> {
        let no_data = directory.text(tag::GDAL_NODATA).filter(|text| !text.is_empty());
        let no_data =
            no_data.map(|text| text.parse::<f64>().map_err(|_| Refused::new("GDAL_NODATA", text, "a number or nan")));
        let mut meaning = Self { no_data: no_data.transpose()?, scale: 1.0, offset: 0.0 };
        let mut metres = metres_per_value.unwrap_or(1.0);
        if let Some(text) = directory.text(tag::GDAL_METADATA).filter(|text| !text.is_empty()) {
            let document = Document::parse(text)
                .map_err(|error| Refused::new("GDAL_METADATA", error, "XML; the file is damaged"))?;
            for item in document.descendants().filter(|node| node.has_tag_name("Item")) {
                match item.attribute("role") {
                    Some("scale") => meaning.scale = finite(item)?,
                    Some("offset") => meaning.offset = finite(item)?,
                    Some("unittype") if metres_per_value.is_none() => metres = unit(item)?,
                    _ => {}
                }
            }
        }
        meaning.scale *= metres;
        meaning.offset *= metres;
        Ok(meaning)
    }

    /// Converts a stored value, of single precision or not; NaN for gaps.
    pub fn value(&self, stored: f64, is_single: bool) -> f64 {
        let is_gap = |no_data: f64| stored == no_data || (is_single && stored == f64::from(no_data as f32));
        if self.no_data.is_some_and(is_gap) { f64::NAN } else { self.scale * stored + self.offset }
    }
}

fn finite(item: Node) -> Result<f64, Refused> {
    let text = item.text().unwrap_or_default().trim();
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    let name = item.attribute("name").unwrap_or_default();
    number.ok_or_else(|| Refused::new(format!("{name} in GDAL_METADATA"), text, "a finite number"))
}

fn unit(item: Node) -> Result<f64, Refused> {
    match item.text().unwrap_or_default().trim() {
        "" => Ok(1.0),
        "US survey foot" => Ok(1200.0 / 3937.0),
        unit => {
            let expected = "m, km or ft, since a surface has elevations";
            metres_per(unit).ok_or_else(|| Refused::new("unit of the values", unit, expected))
        }
    }
}
