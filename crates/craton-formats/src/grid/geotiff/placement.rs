//! Coordinates of pixels: the tags of the map and the GeoKeys.

use super::directory::{Directory, tag};
use crate::error::Refused;
use crate::grid::{Unit, ascends};

/// GeoKeys.
mod key {
    pub const MODEL_TYPE: u64 = 1024;
    pub const RASTER_TYPE: u64 = 1025;
    pub const PRIME_MERIDIAN: u64 = 2051;
    pub const ANGULAR_UNIT: u64 = 2054;
    pub const PROJECTED_SYSTEM: u64 = 3072;
    pub const LINEAR_UNIT: u64 = 3076;
    pub const LINEAR_UNIT_SIZE: u64 = 3077;
    pub const VERTICAL_UNIT: u64 = 4099;
}

/// EPSG code of the meridian of Greenwich.
const GREENWICH: u64 = 8901;
/// EPSG codes of degrees.
const DEGREES: [u64; 2] = [9102, 9122];
/// Code of what the file itself defines.
const USER_DEFINED: u64 = 32767;
/// Metres per international foot.
const FOOT: f64 = 0.3048;
/// Metres per foot of US surveys.
const SURVEY_FOOT: f64 = 1200.0 / 3937.0;
/// Largest rotation, as a fraction of the spacing over the larger side.
const ROTATION_TOLERANCE: f64 = 1e-9;

/// Hint for coordinates that are not supported.
const WARP: &str = "convert it: gdalwarp -t_srs EPSG:32633 in.tif out.tif, with the code of your UTM zone";

/// Where the pixels are.
pub(super) struct Placement {
    /// Along x and y.
    axes: [Line; 2],
    /// Whether coordinates are those of pixels, rather than of their corners.
    is_point: bool,
    /// Unit of the coordinates, if the file has a coordinate system.
    pub unit: Option<Unit>,
    /// Metres per unit of the values, if the coordinate system has a vertical one.
    pub metres_per_value: Option<f64>,
}

/// Coordinate = `at` + `spacing` (pixel - `pixel`).
struct Line {
    pixel: f64,
    at: f64,
    spacing: f64,
}

impl Placement {
    pub fn of(directory: &Directory) -> Result<Self, Refused> {
        let keys = Keys::of(directory)?;
        let (unit, metres) = keys.unit()?;
        let mut axes = affine(directory)?;
        for line in &mut axes {
            line.at *= metres;
            line.spacing *= metres;
        }
        let is_point = match keys.short(key::RASTER_TYPE) {
            None | Some(1) => false,
            Some(2) => true,
            Some(other) => return Err(Refused::new("GTRasterType", other, "1 (PixelIsArea) or 2 (PixelIsPoint)")),
        };
        Ok(Self { axes, is_point, unit, metres_per_value: keys.metres_per_value()? })
    }

    /// Whether rows run from north to south.
    pub fn runs_south(&self) -> bool {
        self.axes[1].spacing < 0.0
    }

    /// Ascending coordinates along x and y.
    pub fn axes(&self, columns: usize, rows: usize) -> Result<(Vec<f64>, Vec<f64>), Refused> {
        let half = if self.is_point { 0.0 } else { 0.5 };
        let [x, y] = [("x", &self.axes[0], columns), ("y", &self.axes[1], rows)].map(|(name, line, count)| {
            if count < 2 {
                return Err(Refused::new(format!("number of pixels along {name}"), count, "at least 2"));
            }
            let place = |pixel: usize| line.at + line.spacing * (pixel as f64 + half - line.pixel);
            let mut places: Vec<f64> = (0..count).map(place).collect();
            if line.spacing < 0.0 {
                places.reverse();
            }
            if !ascends(&places) {
                let found = format!("{count} pixels from {} by {}", line.at, line.spacing);
                let expected = "finite coordinates that differ in double precision";
                return Err(Refused::new(format!("coordinates along {name}"), found, expected));
            }
            Ok(places)
        });
        Ok((x?, y?))
    }
}

/// The map from pixels to coordinates.
fn affine(directory: &Directory) -> Result<[Line; 2], Refused> {
    let (scale, ties) = (directory.doubles(tag::PIXEL_SCALE), directory.doubles(tag::TIEPOINTS));
    let [x, y] = match (scale, ties, directory.doubles(tag::TRANSFORMATION)) {
        ([across, down, ..], [column, row, _, x, y, ..], _) => {
            [Line { pixel: *column, at: *x, spacing: *across }, Line { pixel: *row, at: *y, spacing: -down }]
        }
        (_, _, [across, shear, _, x, turn, down, _, y, ..]) => {
            let most = across.abs().max(down.abs()) / directory.width.max(directory.height) as f64;
            if ![shear, turn].iter().all(|entry| entry.abs() <= ROTATION_TOLERANCE * most) {
                let found = format!("{shear} and {turn} off the diagonal");
                let expected = "0, since axes of a grid point east and north; resample the image with gdalwarp";
                return Err(Refused::new("ModelTransformation", found, expected));
            }
            [Line { pixel: 0.0, at: *x, spacing: *across }, Line { pixel: 0.0, at: *y, spacing: *down }]
        }
        _ => {
            let found = if ties.len() > 6 { "a list of control points" } else { "missing" };
            let expected = "ModelPixelScale with ModelTiepoint, or ModelTransformation; write a GeoTIFF with gdalwarp";
            return Err(Refused::new("position of the image", found, expected));
        }
    };
    if x.spacing <= 0.0 || x.spacing.is_nan() {
        let expected = "above 0, so that x ascends; resample the image with gdalwarp";
        return Err(Refused::new("size of a pixel along x", x.spacing, expected));
    }
    Ok([x, y])
}

/// GeoKeys of an image.
struct Keys<'a> {
    /// Key, tag of its values or 0, number of values, value or index.
    entries: &'a [[u64; 4]],
    doubles: &'a [f64],
}

impl<'a> Keys<'a> {
    fn of(directory: &'a Directory) -> Result<Self, Refused> {
        let (all, _) = directory.unsigned(tag::GEO_KEYS).as_chunks::<4>();
        let doubles = directory.doubles(tag::GEO_DOUBLES);
        let Some(([version, _, _, count], entries)) = all.split_first() else {
            return Ok(Self { entries: &[], doubles });
        };
        if *version != 1 || *count > entries.len() as u64 {
            let found = format!("version {version} with {count} keys");
            let expected = format!("version 1 with {} keys; the file is damaged", entries.len());
            return Err(Refused::new("GeoKeyDirectory", found, expected));
        }
        Ok(Self { entries: &entries[..*count as usize], doubles })
    }

    fn entry(&self, key: u64) -> Option<&[u64; 4]> {
        self.entries.iter().find(|[known, ..]| *known == key)
    }

    /// The code of a key; `None` if it is missing or undefined.
    fn short(&self, key: u64) -> Option<u64> {
        self.entry(key).filter(|[_, tag, ..]| *tag == 0).map(|[.., value]| *value).filter(|&value| value != 0)
    }

    fn double(&self, key: u64) -> Option<f64> {
        let [.., index] = self.entry(key).filter(|[_, tag, ..]| *tag == u64::from(tag::GEO_DOUBLES))?;
        self.doubles.get(*index as usize).copied()
    }

    /// The unit of coordinates, and metres per unit in the file for projected ones.
    fn unit(&self) -> Result<(Option<Unit>, f64), Refused> {
        match self.short(key::MODEL_TYPE) {
            None | Some(USER_DEFINED) => Ok((None, 1.0)),
            Some(1) => Ok((Some(Unit::Metres), self.metres_per_unit()?)),
            Some(2) => {
                let expected = |what: &str| format!("{what}; {WARP}");
                match (self.short(key::ANGULAR_UNIT), self.short(key::PRIME_MERIDIAN)) {
                    (Some(other), _) if !DEGREES.contains(&other) => {
                        Err(Refused::new("GeogAngularUnits", other, expected("9102 (degrees)")))
                    }
                    (_, Some(other)) if other != GREENWICH => {
                        Err(Refused::new("GeogPrimeMeridian", other, expected("8901 (Greenwich)")))
                    }
                    _ => Ok((Some(Unit::Degrees), 1.0)),
                }
            }
            Some(other) => Err(Refused::new("GTModelType", other, format!("1 (projected) or 2 (geographic); {WARP}"))),
        }
    }

    /// Metres per unit of projected coordinates.
    fn metres_per_unit(&self) -> Result<f64, Refused> {
        let expected = format!("metres, kilometres or feet; {WARP}");
        let own_size = || self.double(key::LINEAR_UNIT_SIZE).filter(|size| size.is_finite() && *size > 0.0);
        match self.short(key::LINEAR_UNIT) {
            Some(USER_DEFINED) => {
                own_size().ok_or_else(|| Refused::new("ProjLinearUnitSize", "missing or not above 0", expected))
            }
            Some(code) => metres(code).ok_or_else(|| Refused::new("ProjLinearUnits", code, expected)),
            None => match self.short(key::PROJECTED_SYSTEM) {
                Some(code) if is_metric(code) => Ok(1.0),
                code => {
                    let code = code.map_or("without a code".to_owned(), |code| format!("EPSG:{code}"));
                    let found = format!("missing for the projection {code}");
                    Err(Refused::new("ProjLinearUnits", found, expected))
                }
            },
        }
    }

    fn metres_per_value(&self) -> Result<Option<f64>, Refused> {
        let Some(code) = self.short(key::VERTICAL_UNIT) else { return Ok(None) };
        let expected = "9001 (metres), 9036 (kilometres), 9002 or 9003 (feet)";
        metres(code).map(Some).ok_or_else(|| Refused::new("VerticalUnits", code, expected))
    }
}

/// Metres per unit of an EPSG code.
fn metres(code: u64) -> Option<f64> {
    match code {
        9001 => Some(1.0),
        9002 => Some(FOOT),
        9003 => Some(SURVEY_FOOT),
        9036 => Some(1000.0),
        _ => None,
    }
}

/// Whether an EPSG code is a projection in metres that is often used: UTM of WGS 84, ETRS89 and NAD83, and Web Mercator.
fn is_metric(code: u64) -> bool {
    matches!(code, 32601..=32660 | 32701..=32760 | 25828..=25838 | 26901..=26923 | 3857)
}
