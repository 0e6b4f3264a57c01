//! Magnetisation of prisms.

use super::MAGNETIC_CONSTANT;
use crate::GravityError;

/// Magnetisation vectors, one per prism [A/m].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Magnetisation {
    /// `[east, north, up][prism]`.
    components: [Vec<f64>; 3],
}

impl Magnetisation {
    /// Magnetisation by its components.
    ///
    /// # Arguments
    /// * `components` – east, north and up, each with one value per prism [A/m]
    /// # Errors
    /// [`GravityError::Count`] for components of different lengths, [`GravityError::NotFinite`] for the first value that is not finite.
    pub fn new(components: [Vec<f64>; 3]) -> Result<Self, GravityError> {
        let count = components[0].len();
        for (what, component) in
            ["magnetisation (east)", "magnetisation (north)", "magnetisation (up)"].into_iter().zip(&components)
        {
            GravityError::check_count(what, component.len(), "prisms", count)?;
            if let Some(prism) = component.iter().position(|&value| !GravityError::is_sound(value)) {
                return Err(GravityError::NotFinite { prism, what, value: component[prism] });
            }
        }
        Ok(Self { components })
    }

    /// Magnetisation induced by a uniform main field: M = χ F / μ₀.
    ///
    /// Valid for small susceptibilities: self-demagnetisation, a relative error of up to χ, is neglected.
    ///
    /// # Arguments
    /// * `susceptibility` – volume susceptibility of each prism, SI
    /// * `main` – flux density of the main field, (east, north, up) [T]
    /// # Errors
    /// [`GravityError::NotFinite`] for the first susceptibility that is not finite.
    pub fn induced(susceptibility: &[f64], main: [f64; 3]) -> Result<Self, GravityError> {
        let component = |main: f64| susceptibility.iter().map(|chi| chi * main / MAGNETIC_CONSTANT).collect();
        Self::new(main.map(component))
    }

    /// The sum of two magnetisations of the same prisms, such as the induced and the remanent one.
    ///
    /// # Errors
    /// [`GravityError::Count`] for different numbers of prisms.
    pub fn plus(mut self, other: &Self) -> Result<Self, GravityError> {
        GravityError::check_count("magnetisations", other.len(), "prisms", self.len())?;
        for (own, other) in self.components.iter_mut().zip(&other.components) {
            own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
        }
        Ok(self)
    }

    /// Number of prisms.
    pub fn len(&self) -> usize {
        self.components[0].len()
    }

    /// Whether there are no prisms.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Vector (east, north, up) of a prism [A/m].
    pub fn get(&self, prism: usize) -> [f64; 3] {
        self.components.each_ref().map(|component| component[prism])
    }

    /// The magnetisation of the prisms in another order.
    pub(crate) fn ordered(&self, order: &[usize]) -> Self {
        let in_order = |component: &Vec<f64>| order.iter().map(|&prism| component[prism]).collect();
        Self { components: self.components.each_ref().map(in_order) }
    }

    /// East, north and up components of all prisms [A/m].
    pub fn components(&self) -> &[Vec<f64>; 3] {
        &self.components
    }

    /// The magnetisation as a sum of parts with one direction each: one part if all vectors are parallel (within a tolerance of 1e-12), otherwise those along
    /// the axes that have any.
    ///
    /// # Returns
    /// For each part its unit vector (east, north, up), and the component of every prism along it [A/m]. No part if no prism is magnetised.
    pub fn parts(&self) -> Vec<([f64; 3], Vec<f64>)> {
        const PARALLEL: f64 = 1e-12;
        let length = |v: [f64; 3]| v.into_iter().fold(0.0, f64::hypot);
        let longest = (0..self.len()).max_by(|&a, &b| length(self.get(a)).total_cmp(&length(self.get(b))));
        let Some(longest) = longest.map(|prism| self.get(prism)).filter(|&longest| length(longest) > 0.0) else {
            return Vec::new();
        };
        let direction = longest.map(|component| component / length(longest));
        let along = |prism: usize| {
            let vector = self.get(prism);
            (0..3).map(|axis| vector[axis] * direction[axis]).sum::<f64>()
        };
        let is_parallel = |prism: usize| {
            let (vector, along) = (self.get(prism), along(prism));
            let across = [0, 1, 2].map(|axis| vector[axis] - along * direction[axis]);
            length(across) <= PARALLEL * length(vector)
        };
        if (0..self.len()).all(is_parallel) {
            return vec![(direction, (0..self.len()).map(along).collect())];
        }
        let axis = |axis: usize| {
            let mut unit = [0.0; 3];
            unit[axis] = 1.0;
            (unit, self.components[axis].clone())
        };
        (0..3).map(axis).filter(|(_, values)| values.iter().any(|&value| value != 0.0)).collect()
    }
}
