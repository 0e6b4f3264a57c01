//! Frame values of spectral elements, at nodes and at points.

use craton_device::Scalar;
use craton_mesh::Location;
use craton_model::EarthModel;
use craton_sem::{Field as State, InterpolationPoint, Selected, Solver, Values};

use super::shown::{Shown, pressure, store};
use crate::error::Error;

/// Reads all fields at one time, that of velocity: half a step before that of the operator.
///
/// Displacement and its gradient are moved back by the inverse leapfrog step, u(n - 1/2) = u(n) - dt/2 v(n - 1/2): the
/// mean of the adjacent steps, which is second-order accurate like the scheme.
pub struct Sampler<'a, T: Scalar> {
    elements: &'a dyn Solver<T>,
    model: &'a EarthModel,
    velocity: Values<'a, T>,
    /// Displacement, if any quantity requires it.
    displacement: Option<Values<'a, T>>,
}

impl<'a, T: Scalar> Sampler<'a, T> {
    /// Reads the fields from the devices.
    ///
    /// # Errors
    /// A failing device.
    pub fn new(
        elements: &'a dyn Solver<T>,
        model: &'a EarthModel,
        places: &'a Selected<T>,
        shown: &[Shown],
    ) -> Result<Self, Error> {
        let needs_displacement = shown.iter().any(|&shown| shown != Shown::Velocity);
        let displacement = needs_displacement.then(|| elements.read(places, State::Displacement));
        Ok(Self {
            elements,
            model,
            velocity: elements.read(places, State::Velocity)?,
            displacement: displacement.transpose()?,
        })
    }

    /// Displacement or velocity at a node of the places.
    pub fn at_node(&self, index: usize, shown: Shown, values: &mut [f32]) {
        let [mut velocity, mut displacement] = [[0.0; 3]; 2];
        self.velocity.node(index, &mut velocity);
        let vector = match shown {
            Shown::Velocity => velocity,
            _ => {
                self.displacement().node(index, &mut displacement);
                self.half_a_step_back(displacement, velocity)
            }
        };
        store(&vector, values);
    }

    /// Any quantity at a point inside an element, interpolated by the basis functions; `index` is that of the element
    /// in the places.
    pub fn at_point(&self, index: usize, at: &Location, shown: Shown, values: &mut [f32]) {
        let elements = self.elements;
        let point = InterpolationPoint::new(elements.mesh(), &elements.gll().points, at.element, at.xi);
        match shown {
            Shown::Velocity => store(&point.value_of(self.velocity.element(index).as_chunks().0), values),
            Shown::Displacement => store(&point.value_of(&self.displacement_in(index)), values),
            Shown::Strain => {
                let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = point.gradient_of(&self.displacement_in(index));
                store(&[xx, yy, zz, 0.5 * (xy + yx), 0.5 * (yz + zy), 0.5 * (xz + zx)], values);
            }
            Shown::Pressure => store(&[self.pressure(at, point.gradient_of(&self.displacement_in(index)))], values),
        }
    }

    /// Minus the mean normal stress [Pa].
    fn pressure(&self, at: &Location, displacement_gradient: [[f64; 3]; 3]) -> f64 {
        let mesh = self.elements.mesh();
        let region = usize::from(mesh.region[at.element as usize]);
        let medium = self.model.medium_in_space(region, mesh.position(at.element, at.xi));
        pressure(&medium, displacement_gradient)
    }

    /// Displacement at the points of an element.
    fn displacement_in(&self, index: usize) -> Vec<[f64; 3]> {
        let (displacement, velocity) = (self.displacement().element(index), self.velocity.element(index));
        let both = displacement.as_chunks().0.iter().zip(velocity.as_chunks().0);
        both.map(|(&displacement, &velocity)| self.half_a_step_back(displacement, velocity)).collect()
    }

    fn displacement(&self) -> &Values<'a, T> {
        self.displacement.as_ref().expect("brought for all that needs it")
    }

    fn half_a_step_back(&self, displacement: [f64; 3], velocity: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|c| displacement[c] - 0.5 * self.elements.dt() * velocity[c])
    }
}
