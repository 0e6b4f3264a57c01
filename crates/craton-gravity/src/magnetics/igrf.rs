//! The International Geomagnetic Reference Field.

use std::sync::OnceLock;

use crate::{GravityError, normal::Ellipsoid};

/// Coefficients of IGRF-14, 1900 to 2030, in the SHC format of the International Association of Geomagnetism and Aeronomy (doi:10.5281/zenodo.14012302).
const TABLE: &str = include_str!("../../data/igrf14.shc");

/// Reference radius of the coefficients [m].
const RADIUS: f64 = 6_371_200.0;
/// Highest degree.
const DEGREE: usize = 13;
/// Coefficients from degree 1 on: `n² - 1 + 2m - 1` for the cosine of order m > 0, the sine follows.
const COEFFICIENTS: usize = DEGREE * (DEGREE + 2);
/// T in a nanotesla.
const NANOTESLA: f64 = 1e-9;

/// The main field of the Earth by IGRF-14: spherical harmonics of degree 1 to 13, linear in time between epochs five years apart.
///
/// Source: Alken and others (2021), International Geomagnetic Reference Field: the thirteenth generation, Earth, Planets and Space 73, equations 1 to 3, with
/// the coefficients of the fourteenth generation (2024).
#[derive(Debug)]
pub struct Igrf {
    /// Epochs [decimal years], ascending.
    epochs: Vec<f64>,
    /// `[coefficient][epoch]` [nT].
    table: Vec<Vec<f64>>,
}

impl Igrf {
    /// The model.
    pub fn get() -> &'static Self {
        static MODEL: OnceLock<Igrf> = OnceLock::new();
        MODEL.get_or_init(|| {
            let mut lines = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
            let numbers = |line: &str| -> Vec<f64> {
                line.split_whitespace().map(|word| word.parse().expect("the table has numbers only")).collect()
            };
            let epochs = numbers(lines.next().expect("the epochs"));
            let table: Vec<Vec<f64>> = lines.map(|line| numbers(line).split_off(2)).collect();
            assert!(
                table.len() == COEFFICIENTS && table.iter().all(|row| row.len() == epochs.len()),
                "a complete table"
            );
            Self { epochs, table }
        })
    }

    /// First and last year of the model.
    pub fn years(&self) -> [f64; 2] {
        [self.epochs[0], self.epochs[self.epochs.len() - 1]]
    }

    /// A date in decimal years, at the beginning of the day; `None` if there is no such day.
    pub fn decimal_year(year: u32, month: u32, day: u32) -> Option<f64> {
        let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let february = if is_leap { 29 } else { 28 };
        let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let before = months.get(..month.checked_sub(1)? as usize)?.iter().sum::<u32>();
        let is_day = (1..=*months.get(month as usize - 1)?).contains(&day);
        let days = if is_leap { 366.0 } else { 365.0 };
        is_day.then(|| f64::from(year) + f64::from(before + day - 1) / days)
    }

    /// Flux density of the main field, (east, north, up) in the geodetic frame [T].
    ///
    /// # Arguments
    /// * `year` – [decimal years], see [`Igrf::decimal_year`]
    /// * `longitude`, `latitude` – geodetic, of WGS84 [degrees]
    /// * `height` – above the ellipsoid [m]
    /// # Errors
    /// [`GravityError::OutOfRange`] for a year outside the model, a latitude beyond a pole, a longitude beyond 360 degrees, or a height outside
    /// -10 km to 1000 km.
    ///
    /// Verified by `igrf::fields_match_ppigrf_to_a_hundredth_of_a_nanotesla`.
    pub fn field(&self, year: f64, longitude: f64, latitude: f64, height: f64) -> Result<[f64; 3], GravityError> {
        let [first, last] = self.years();
        GravityError::check_range("the year of the main field", year, first, last)?;
        GravityError::check_range("the longitude", longitude, -360.0, 360.0)?;
        GravityError::check_range("the latitude", latitude, -90.0, 90.0)?;
        GravityError::check_range("the height", height, -1e4, 1e6)?;
        let geocentric = Ellipsoid::WGS84.geocentric(latitude, height);
        let [east, north, up] = synthesis(&self.at(year), geocentric.radius, geocentric.latitude, longitude);
        let (sin, cos) = (latitude - geocentric.latitude).to_radians().sin_cos();
        Ok([east, cos * north - sin * up, cos * up + sin * north].map(|component| NANOTESLA * component))
    }

    /// Coefficients of a year [nT].
    fn at(&self, year: f64) -> Vec<f64> {
        let later = self.epochs.partition_point(|&epoch| epoch <= year).clamp(1, self.epochs.len() - 1);
        let part = (year - self.epochs[later - 1]) / (self.epochs[later] - self.epochs[later - 1]);
        self.table.iter().map(|row| row[later - 1] + part * (row[later] - row[later - 1])).collect()
    }
}

/// The field (east, north, up) in the geocentric frame [nT].
///
/// The Legendre functions are Schmidt semi-normalised. Those of order 1 and above are divided by the sine of the colatitude, so that poles need no special
/// treatment.
///
/// # Arguments
/// * `radius` – [m]; `latitude`, `longitude` – geocentric [degrees]
fn synthesis(coefficients: &[f64], radius: f64, latitude: f64, longitude: f64) -> [f64; 3] {
    let (cos, sin) = latitude.to_radians().sin_cos();
    let (mut east, mut north, mut up) = (0.0, 0.0, 0.0);
    // Value over sine (value itself for order 0) and derivative of the function whose degree is its order.
    let (mut sectoral, mut slope) = (1.0, 0.0);
    for m in 0..=DEGREE {
        match m {
            0 => (),
            1 => (sectoral, slope) = (1.0, cos),
            _ => {
                let norm = ((2 * m - 1) as f64 / (2 * m) as f64).sqrt();
                (sectoral, slope) = (norm * sin * sectoral, norm * (sin * slope + cos * sin * sectoral));
            }
        }
        let (mut p, mut d, mut p_before, mut d_before) = (sectoral, slope, 0.0, 0.0);
        let (sin_m, cos_m) = (m as f64 * longitude.to_radians()).sin_cos();
        let of_value = if m == 0 { 1.0 } else { sin };
        for n in m..=DEGREE {
            if n > m {
                let (a, b) = ((2 * n - 1) as f64, (((n - 1) * (n - 1) - m * m) as f64).sqrt());
                let norm = ((n * n - m * m) as f64).sqrt();
                let next = (a * cos * p - b * p_before) / norm;
                let next_d = (a * (cos * d - sin * of_value * p) - b * d_before) / norm;
                (p_before, d_before, p, d) = (p, d, next, next_d);
            }
            if n == 0 {
                continue;
            }
            let place = n * n - 1 + if m == 0 { 0 } else { 2 * m - 1 };
            let (g, h) = (coefficients[place], if m == 0 { 0.0 } else { coefficients[place + 1] });
            let decay = (RADIUS / radius).powi(n as i32 + 2);
            up += (n + 1) as f64 * decay * (g * cos_m + h * sin_m) * of_value * p;
            north += decay * (g * cos_m + h * sin_m) * d;
            if m > 0 {
                east += decay * m as f64 * (g * sin_m - h * cos_m) * p;
            }
        }
    }
    [east, north, up]
}
