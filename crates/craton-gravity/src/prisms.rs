//! Right rectangular prisms and collections of them.

use std::ops::Range;

use rayon::prelude::*;

use crate::GravityError;

/// Prisms per parallel task.
const CHUNK: usize = 1 << 16;

/// A right rectangular prism with its sides along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prism {
    /// Bounds along x [m].
    pub west: f64,
    /// See `west`.
    pub east: f64,
    /// Bounds along y [m].
    pub south: f64,
    /// See `south`.
    pub north: f64,
    /// Bounds along z, which points up [m].
    pub bottom: f64,
    /// See `bottom`.
    pub top: f64,
    /// Density, or density contrast with the surroundings [kg/m³].
    pub density: f64,
}

impl Prism {
    /// Bounds along x, y, z as (low, high) [m].
    pub fn bounds(&self) -> [[f64; 2]; 3] {
        [[self.west, self.east], [self.south, self.north], [self.bottom, self.top]]
    }

    /// Returns an error if prism `number` has no volume, or a bound or density that is not finite.
    fn check(&self, number: usize) -> Result<(), GravityError> {
        const NAMES: [[&str; 2]; 3] = [["west", "east"], ["south", "north"], ["bottom", "top"]];
        let named = NAMES.into_iter().flatten().zip(self.bounds().into_iter().flatten());
        for (what, value) in named.chain([("density", self.density)]) {
            if !GravityError::is_sound(value) {
                return Err(GravityError::NotFinite { prism: number, what, value });
            }
        }
        for ([low_name, high_name], [low, high]) in NAMES.into_iter().zip(self.bounds()) {
            if low >= high {
                return Err(GravityError::Empty { prism: number, low_name, low, high_name, high });
            }
        }
        Ok(())
    }
}

/// A collection of prisms, stored as one array for each bound and one for the density.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prisms {
    bounds: [[Vec<f64>; 2]; 3],
    density: Vec<f64>,
}

impl Prisms {
    /// A collection of prisms; where they overlap, their densities add.
    ///
    /// # Errors
    /// [`GravityError::NotFinite`] and [`GravityError::Empty`] with the number of the first invalid prism.
    pub fn new(prisms: impl IntoIterator<Item = Prism>) -> Result<Self, GravityError> {
        let mut all = Self::default();
        all.append(prisms)?;
        Ok(all)
    }

    /// Appends prisms.
    ///
    /// # Errors
    /// Like [`new`](Self::new), with prisms numbered from the first one passed; the prisms before the invalid one have been appended.
    pub fn append(&mut self, prisms: impl IntoIterator<Item = Prism>) -> Result<(), GravityError> {
        for (number, prism) in prisms.into_iter().enumerate() {
            prism.check(number)?;
            for (arrays, bounds) in self.bounds.iter_mut().zip(prism.bounds()) {
                arrays[0].push(bounds[0]);
                arrays[1].push(bounds[1]);
            }
            self.density.push(prism.density);
        }
        Ok(())
    }

    /// Appends prisms given as columns and checks them in parallel; suited to lists of millions.
    ///
    /// # Arguments
    /// * `columns` – west, east, south, north, bottom, top [m], density [kg/m³]
    /// # Errors
    /// Like [`append`](Self::append), but nothing is appended on error; [`GravityError::Count`] for columns of different lengths.
    pub fn append_columns(&mut self, columns: [Vec<f64>; 7]) -> Result<(), GravityError> {
        let [west, east, south, north, bottom, top, density] = columns;
        let added = Self { bounds: [[west, east], [south, north], [bottom, top]], density };
        for places in added.bounds.iter().flatten() {
            GravityError::check_count("bounds", places.len(), "densities", added.len())?;
        }
        let refused = (0..added.len()).into_par_iter().with_min_len(CHUNK);
        if let Some(error) = refused.find_map_first(|prism| added.get(prism).check(prism).err()) {
            return Err(error);
        }
        if self.is_empty() {
            *self = added;
            return Ok(());
        }
        for (arrays, added) in self.bounds.iter_mut().flatten().zip(added.bounds.into_iter().flatten()) {
            arrays.extend(added);
        }
        self.density.extend(added.density);
        Ok(())
    }

    /// Bounding box of a range of the prisms, (low, high) along x, y, z [m], computed in parallel.
    pub fn extent(&self, run: Range<usize>) -> [[f64; 2]; 3] {
        // Reduced in order, so that a zero has the same sign for any number of threads.
        let most = |places: &[f64], start: f64, further: fn(f64, f64) -> f64| {
            let of_part = |part: &[f64]| part.iter().copied().fold(start, further);
            let parts: Vec<f64> = places[run.clone()].par_chunks(CHUNK).map(of_part).collect();
            parts.into_iter().fold(start, further)
        };
        self.bounds
            .each_ref()
            .map(|[low, high]| [most(low, f64::INFINITY, f64::min), most(high, f64::NEG_INFINITY, f64::max)])
    }

    /// Number of prisms.
    pub fn len(&self) -> usize {
        self.density.len()
    }

    /// Whether there are no prisms.
    pub fn is_empty(&self) -> bool {
        self.density.is_empty()
    }

    /// Densities [kg/m³].
    pub fn density(&self) -> &[f64] {
        &self.density
    }

    /// Replaces the densities of the prisms [kg/m³].
    ///
    /// # Errors
    /// [`GravityError::Count`] unless there is one density per prism, [`GravityError::NotFinite`] for the first one that is not finite.
    pub fn set_density(&mut self, density: &[f64]) -> Result<(), GravityError> {
        GravityError::check_count("densities", density.len(), "prisms", self.len())?;
        if let Some(prism) = density.iter().position(|&value| !GravityError::is_sound(value)) {
            return Err(GravityError::NotFinite { prism, what: "density", value: density[prism] });
        }
        self.density.copy_from_slice(density);
        Ok(())
    }

    /// Prism `index`.
    pub fn get(&self, index: usize) -> Prism {
        let [[west, east], [south, north], [bottom, top]] = self.bounds(index);
        Prism { west, east, south, north, bottom, top, density: self.density[index] }
    }

    /// The prisms reordered, in parallel.
    pub fn ordered(&self, order: &[usize]) -> Self {
        let pick = |array: &Vec<f64>| order.par_iter().map(|&prism| array[prism]).collect();
        Self { bounds: self.bounds.each_ref().map(|arrays| arrays.each_ref().map(pick)), density: pick(&self.density) }
    }

    /// Column `number` of the prisms: west, east, south, north, bottom, top, density.
    pub(crate) fn column(&self, number: usize) -> &[f64] {
        self.bounds.as_flattened().get(number).unwrap_or(&self.density)
    }

    /// Bounds of prism `index` along x, y, z as (low, high) [m].
    pub fn bounds(&self, index: usize) -> [[f64; 2]; 3] {
        self.bounds.each_ref().map(|arrays| arrays.each_ref().map(|array| array[index]))
    }
}
