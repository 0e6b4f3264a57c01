//! Three-dimensional perturbations: a map in longitude, latitude and depth.

mod applied;
mod axis;
mod check;
mod cut;
mod quality;

pub(crate) use applied::AppliedPerturbation;
pub use cut::MapCut;

use axis::{Axis, Between};
use quality::QualityMaps;

use crate::profile::{Change, Changes, Waves};
use crate::{ModelError, Profile, Transverse};

/// Largest relative change; larger values are probably in per cent.
const MOST_CHANGE: f32 = 2.0;

/// The meaning of the values of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapValues {
    /// Relative changes: 0.02 increases a property by two per cent.
    Relative,
    /// Absolute values in SI units, which replace those of the model.
    Absolute,
}

/// Coordinates of the values of a map: each axis ascending or descending, with any spacing.
#[derive(Debug, Clone, PartialEq)]
pub struct MapAxes {
    /// Longitudes \[degrees\], or x on the map \[m\] for a frame without projection.
    pub longitudes: Vec<f64>,
    /// Latitudes \[degrees\], or y on the map \[m\].
    pub latitudes: Vec<f64>,
    /// Depths below z = 0 \[m\].
    pub depths: Vec<f64>,
}

/// The maps of a perturbation; those that are `None` leave their property unchanged.
///
/// Both polarisations of a wave change by the same amount, unless `vph` or `vsh` is given. The value at depth k, latitude j and longitude i
/// has the index `i + n_longitudes * (j + n_latitudes * k)`, the order of arrays `[depth][latitude][longitude]`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Maps {
    /// Map of the speed of P waves.
    pub vp: Option<Vec<f32>>,
    /// Map of the speed of S waves.
    pub vs: Option<Vec<f32>>,
    /// Map of density.
    pub rho: Option<Vec<f32>>,
    /// Map of vph, the horizontal P speed, if different; `vp` then applies to vpv only.
    pub vph: Option<Vec<f32>>,
    /// Map of vsh, the speed of horizontally polarised S waves, if different; `vs` then applies to vsv only.
    pub vsh: Option<Vec<f32>>,
    /// Map of the quality factor of the bulk modulus, at least 5, NaN where the model is unchanged. Quality factors are absolute.
    pub qkappa: Option<Vec<f32>>,
    /// Map of the quality factor of the shear modulus.
    pub qmu: Option<Vec<f32>>,
    /// Map of the quality factor of P waves instead of `qkappa`; requires `qmu`.
    pub qp: Option<Vec<f32>>,
}

/// Perturbation of vp, vs, density and quality factors on a map in longitude, latitude and depth, with trilinear interpolation (of 1/Q
/// for quality factors).
///
/// Longitudes may start at any meridian; if the last and the first are neighbours, the map is periodic. Above the first and below the last
/// depth the model is unperturbed, without a taper: end the map with zeros to avoid a jump. A map that starts at depth 0 or above is
/// constant up to the ground. In longitude and latitude the map must cover the domain:
/// [`EarthModel::check_over`](crate::EarthModel::check_over) refuses a domain that it does not.
#[derive(Debug, Clone, PartialEq)]
pub struct Perturbation {
    longitudes: Axis,
    latitudes: Axis,
    depths: Axis,
    meaning: MapValues,
    /// Maps of vp, vs, rho, vph and vsh, if given.
    fields: PerMap<Field>,
    quality: QualityMaps,
}

/// Names of the fields.
const NAMES: [&str; 5] = ["vp", "vs", "rho", "vph", "vsh"];

#[derive(Debug, Clone, PartialEq)]
struct Field {
    values: Vec<f32>,
    /// Minimum and maximum at every depth.
    extremes: Vec<[f64; 2]>,
}

/// A value for each of vp, vs, rho, vph and vsh; `None` if there is no map.
pub(crate) type PerMap<T> = [Option<T>; 5];

/// Expands to a value for each of vpv, vph, vsv, vsh and rho.
fn by_property<T: Copy>([vp, vs, rho, vph, vsh]: PerMap<T>) -> PerMap<T> {
    [vp, vph.or(vp), vs, vsh.or(vs), rho]
}

impl Perturbation {
    /// Creates a perturbation.
    ///
    /// # Errors
    /// An axis of fewer than 2 points or out of order; for a geographic model, longitudes of more than a full circle or latitudes beyond a
    /// pole; no map, a map of another size; a value that is not finite, relative changes of -1 or less, or so large that they seem to be in
    /// per cent, absolute values that are not positive.
    pub fn new(axes: MapAxes, mut maps: Maps, meaning: MapValues) -> Result<Self, ModelError> {
        let (longitudes, is_west) = Axis::new("longitude", "degrees", axes.longitudes)?;
        let (latitudes, is_south) = Axis::new("latitude", "degrees", axes.latitudes)?;
        let (depths, is_up) = Axis::new("depth", "m", axes.depths)?;
        let (fields, quality) = ([const { None }; 5], [const { None }; 3]);
        let mut map = Self { longitudes, latitudes, depths, meaning, fields, quality };
        let reversed = [is_west, is_south, is_up];
        map.quality = map.quality_maps(&mut maps, reversed)?;
        for (field, values) in [maps.vp, maps.vs, maps.rho, maps.vph, maps.vsh].into_iter().enumerate() {
            if let Some(values) = values {
                map.fields[field] = Some(map.field(NAMES[field], values, reversed)?);
            }
        }
        match map.fields.iter().all(Option::is_none) && !map.has_quality() {
            true => Err(ModelError::BadMap { problem: "no maps".into(), hint: "give a map of vp, vs, rho or Q" }),
            false => Ok(map),
        }
    }

    fn field(&self, name: &str, mut values: Vec<f32>, reversed: [bool; 3]) -> Result<Field, ModelError> {
        self.check_count(name, values.len())?;
        reverse_descending(&mut values, self.across(), reversed);
        let (allowed, hint, fits): (_, _, fn(f32) -> bool) = match self.meaning {
            MapValues::Relative => (
                format!("above -1 and at most {MOST_CHANGE}, a fraction"),
                "give fractions, not per cent, and 0 where the change is unknown",
                |value| value > -1.0 && value <= MOST_CHANGE,
            ),
            MapValues::Absolute => {
                ("a finite number above 0, in SI units".to_owned(), "give a value at every point", |value| {
                    value > 0.0 && value.is_finite()
                })
            }
        };
        if let Some(index) = values.iter().position(|value| !fits(*value)) {
            let (what, value) = (name.to_owned(), f64::from(values[index]));
            let refused = ModelError::OutOfRange { what, value, allowed, hint: hint.to_owned() };
            return Err(refused.at(self.place(index)));
        }
        let widened = |[least, most]: [f64; 2], &value: &f32| [least.min(f64::from(value)), most.max(f64::from(value))];
        let of_level = |level: &[f32]| level.iter().fold([f64::INFINITY, f64::NEG_INFINITY], widened);
        let extremes = values.chunks(self.across().iter().product()).map(of_level).collect();
        Ok(Field { values, extremes })
    }

    fn check_count(&self, name: &str, count: usize) -> Result<(), ModelError> {
        let [columns, rows, levels] = self.counts();
        if count != columns * rows * levels {
            let problem = format!("{count} values of {name} on {levels} x {rows} x {columns} points");
            return Err(ModelError::BadMap { problem, hint: "give one value per depth, latitude and longitude" });
        }
        Ok(())
    }

    /// Number of longitudes and latitudes.
    fn across(&self) -> [usize; 2] {
        [&self.longitudes, &self.latitudes].map(|axis| axis.places().len())
    }

    /// Number of longitudes, latitudes and depths.
    fn counts(&self) -> [usize; 3] {
        [&self.longitudes, &self.latitudes, &self.depths].map(|axis| axis.places().len())
    }

    /// Describes the position of a value.
    fn place(&self, index: usize) -> String {
        let [columns, rows, _] = self.counts();
        let column = [index % columns, index / columns % rows];
        format!("{}, depth {} m", self.column_place(column), self.depths.places()[index / (columns * rows)])
    }

    /// Describes the position of a column.
    fn column_place(&self, [i, j]: [usize; 2]) -> String {
        format!("perturbation at longitude {}, latitude {}", self.longitudes.places()[i], self.latitudes.places()[j])
    }

    /// Points around a map position and a depth \[m\] along each axis.
    fn around(&self, [longitude, latitude]: [f64; 2], depth: f64, is_geographic: bool) -> [Between; 3] {
        let across = if is_geographic { self.longitudes.around(longitude) } else { self.longitudes.between(longitude) };
        [across, self.latitudes.between(latitude), self.depths.between(depth)]
    }

    /// Values at a map position and a depth \[m\]; beyond the map, those at its nearest edge.
    fn at(&self, place: [f64; 2], depth: f64, is_geographic: bool) -> PerMap<f64> {
        let [across, along, down] = self.around(place, depth, is_geographic);
        let [columns, rows, _] = self.counts();
        self.fields.each_ref().map(|field| {
            let values = &field.as_ref()?.values;
            let value = |i: usize, j: usize, k: usize| f64::from(values[i + columns * (j + rows * k)]);
            let line = |j, k| mixed(across, |i| value(i, j, k));
            Some(mixed(down, |k| mixed(along, |j| line(j, k))))
        })
    }

    /// Values in a column of the map at a depth \[m\].
    fn in_column(&self, [i, j]: [usize; 2], depth: f64) -> PerMap<f64> {
        let ([columns, rows, _], down) = (self.counts(), self.depths.between(depth));
        self.fields.each_ref().map(|field| {
            let values = &field.as_ref()?.values;
            Some(mixed(down, |k| f64::from(values[i + columns * (j + rows * k)])))
        })
    }

    /// Bounds of all values between two depths \[m\]: between levels, the extremes are interpolated.
    fn ranges(&self, [upper, lower]: [f64; 2]) -> PerMap<[f64; 2]> {
        let inside = self.depths.places().iter().copied().filter(|depth| (upper..=lower).contains(depth));
        let depths: Vec<Between> =
            [upper, lower].into_iter().chain(inside).map(|depth| self.depths.between(depth)).collect();
        self.fields.each_ref().map(|field| {
            let extremes = &field.as_ref()?.extremes;
            let end = |between: &Between, end: usize| mixed(*between, |k| extremes[k][end]);
            let wider = |[least, most]: [f64; 2], at: &Between| [least.min(end(at, 0)), most.max(end(at, 1))];
            Some(depths.iter().fold([f64::INFINITY, f64::NEG_INFINITY], wider))
        })
    }

    /// Whether the two polarisations change differently, so that isotropic media become anisotropic.
    pub(crate) fn splits_polarisations(&self) -> bool {
        let [.., vph, vsh] = &self.fields;
        vph.is_some() || vsh.is_some()
    }

    /// Applies changes to properties.
    fn changed(&self, mut medium: Transverse, values: PerMap<f64>) -> Transverse {
        let [vpv, vph, vsv, vsh, rho] = by_property(values);
        let apply = |property: &mut f64, value: Option<f64>| match (value, self.meaning) {
            (None, _) => {}
            (Some(change), MapValues::Relative) => *property *= 1.0 + change,
            (Some(value), MapValues::Absolute) => *property = value,
        };
        apply(&mut medium.vpv, vpv);
        apply(&mut medium.vph, vph);
        apply(&mut medium.vsv, vsv);
        apply(&mut medium.vsh, vsh);
        apply(&mut medium.rho, rho);
        medium
    }

    /// Applies ranges of changes to ranges of properties.
    fn changed_ranges(&self, mut ranges: Transverse<[f64; 2]>, changes: PerMap<[f64; 2]>) -> Transverse<[f64; 2]> {
        let [vpv, vph, vsv, vsh, rho] = by_property(changes).map(|values| self.change(values));
        for (property, change) in [
            (&mut ranges.vpv, vpv),
            (&mut ranges.vph, vph),
            (&mut ranges.vsv, vsv),
            (&mut ranges.vsh, vsh),
            (&mut ranges.rho, rho),
        ] {
            *property = change.of(*property);
        }
        ranges
    }

    /// Bounds of the extreme wave speeds of a perturbed profile between two heights \[m\]. They hold at every position, also between
    /// columns, where interpolated values lie within the extremes of their depths. Not all combinations of changes within these extremes
    /// need to be valid media.
    fn waves(&self, profile: &Profile, [low, high]: [f64; 2]) -> Waves {
        let [vp, vs, _, vph, vsh] = self.ranges([-high, -low]);
        let apart = |values: Option<[f64; 2]>| values.is_some().then(|| self.change(values));
        let changes = Changes { vp: self.change(vp), vs: self.change(vs), vph: apart(vph), vsh: apart(vsh) };
        profile.waves([low, high], &changes)
    }

    fn change(&self, values: Option<[f64; 2]>) -> Change {
        match (values, self.meaning) {
            (None, _) => Change::Factor([1.0; 2]),
            (Some(changes), MapValues::Relative) => Change::Factor(changes.map(|change| 1.0 + change)),
            (Some(values), MapValues::Absolute) => Change::Value(values),
        }
    }
}

/// Linear interpolation between two points.
fn mixed(Between { points: [from, to], share }: Between, value: impl Fn(usize) -> f64) -> f64 {
    (1.0 - share) * value(from) + share * value(to)
}

/// Reorders values so that descending axes become ascending.
fn reverse_descending(values: &mut [f32], [columns, rows]: [usize; 2], [is_west, is_south, is_up]: [bool; 3]) {
    if is_west {
        values.chunks_mut(columns).for_each(<[f32]>::reverse);
    }
    // Reversing all values, and then each block, reverses the order of the blocks.
    if is_south {
        for level in values.chunks_mut(columns * rows) {
            level.reverse();
            level.chunks_mut(columns).for_each(<[f32]>::reverse);
        }
    }
    if is_up {
        values.reverse();
        values.chunks_mut(columns * rows).for_each(<[f32]>::reverse);
    }
}
