//! Frame values of spectral elements, at nodes and at points.

use craton_device::Scalar;
use craton_mesh::{ElementMap, Location};
use craton_model::{EarthModel, Medium};
use craton_sem::{Field as State, InterpolationPoint, Phase, Selected, Selection, Solver, Values, gradients_at_points};

use super::shown::{Shown, pressure, store};
use crate::error::Error;

/// Where fields are read.
pub enum Reading<T: Scalar> {
    /// Nodes of the solid.
    Nodes(Selected<T>),
    /// Elements.
    Elements(ElementReading<T>),
}

/// Fields in elements of both phases.
pub struct ElementReading<T: Scalar> {
    /// Elements of solids and of fluids.
    phases: [Selected<T>; 2],
    /// Phase of each element, and its index among those of its phase.
    places: Vec<(Phase, usize)>,
}

impl<T: Scalar> ElementReading<T> {
    /// Prepares reading in these elements.
    ///
    /// # Errors
    /// Insufficient device memory.
    pub fn new(solver: &dyn Solver<T>, elements: &[u32]) -> Result<Self, Error> {
        let mut own = [Vec::new(), Vec::new()];
        let mut places = Vec::with_capacity(elements.len());
        for &element in elements {
            let phase = solver.phase_of(element);
            places.push((phase, own[phase as usize].len()));
            own[phase as usize].push(element);
        }
        let [solid, fluid] = own.map(|elements| solver.select(Selection::Elements(elements)));
        Ok(Self { phases: [solid?, fluid?], places })
    }
}

/// The fields of a phase at the places of a reading.
struct PhaseValues<'a, T: Scalar> {
    rate: Values<'a, T>,
    /// The unknown, if any quantity requires it.
    unknown: Option<Values<'a, T>>,
}

impl<'a, T: Scalar> PhaseValues<'a, T> {
    fn read(
        solver: &'a dyn Solver<T>,
        selected: &'a Selected<T>,
        [rate, unknown]: [State; 2],
        needs_unknown: bool,
    ) -> Result<Self, Error> {
        let unknown = needs_unknown.then(|| solver.read(selected, unknown)).transpose()?;
        Ok(Self { rate: solver.read(selected, rate)?, unknown })
    }

    fn unknown(&self) -> &Values<'a, T> {
        self.unknown.as_ref().expect("read for all quantities that need it")
    }
}

/// Reads all fields at one time, that of velocity: half a step before that of the operator.
///
/// Displacement, potential and their gradients are moved back by the inverse leapfrog step, u(n - 1/2) = u(n) - dt/2 v(n - 1/2): the
/// mean of the adjacent steps, which is second-order accurate like the scheme. In a fluid, displacement and velocity are gradients of the
/// potential and its rate over the density.
pub struct Sampler<'a, T: Scalar> {
    elements: &'a dyn Solver<T>,
    model: &'a EarthModel,
    /// Phase and index of each element of a reading of elements.
    places: &'a [(Phase, usize)],
    solid: Option<PhaseValues<'a, T>>,
    fluid: Option<PhaseValues<'a, T>>,
}

impl<'a, T: Scalar> Sampler<'a, T> {
    /// Reads the fields from the devices.
    ///
    /// # Errors
    /// A failing device.
    pub fn new(
        elements: &'a dyn Solver<T>,
        model: &'a EarthModel,
        reading: &'a Reading<T>,
        shown: &[Shown],
    ) -> Result<Self, Error> {
        let needs_unknown = shown.iter().any(|&shown| shown != Shown::Velocity);
        let solid =
            |selected| PhaseValues::read(elements, selected, [State::Velocity, State::Displacement], needs_unknown);
        let fluid =
            |selected| PhaseValues::read(elements, selected, [State::PotentialRate, State::Potential], needs_unknown);
        Ok(match reading {
            Reading::Nodes(selected) => {
                Self { elements, model, places: &[], solid: Some(solid(selected)?), fluid: None }
            }
            Reading::Elements(ElementReading { phases: [of_solid, of_fluid], places }) => {
                let has = |phase: Phase| places.iter().any(|(of, _)| *of == phase);
                let solid = has(Phase::Solid).then(|| solid(of_solid)).transpose()?;
                let fluid = has(Phase::Fluid).then(|| fluid(of_fluid)).transpose()?;
                Self { elements, model, places, solid, fluid }
            }
        })
    }

    /// Displacement or velocity at a node of the places.
    pub fn at_node(&self, index: usize, shown: Shown, values: &mut [f32]) {
        let solid = self.solid.as_ref().expect("nodes of the solid");
        let [mut velocity, mut displacement] = [[0.0; 3]; 2];
        solid.rate.node(index, &mut velocity);
        let vector = match shown {
            Shown::Velocity => velocity,
            _ => {
                solid.unknown().node(index, &mut displacement);
                std::array::from_fn(|c| self.half_a_step_back(displacement[c], velocity[c]))
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
            Shown::Velocity => store(&point.value_of(&self.velocity_in(index, at.element)), values),
            Shown::Displacement => store(&point.value_of(&self.displacement_in(index, at.element)), values),
            Shown::Strain => {
                let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] =
                    point.gradient_of(&self.displacement_in(index, at.element));
                store(&[xx, yy, zz, 0.5 * (xy + yx), 0.5 * (yz + zy), 0.5 * (xz + zx)], values);
            }
            Shown::Pressure => {
                let gradient = point.gradient_of(&self.displacement_in(index, at.element));
                store(
                    &[pressure(&self.medium(at.element, elements.mesh().position(at.element, at.xi)), gradient)],
                    values,
                );
            }
        }
    }

    fn medium(&self, element: u32, position: [f64; 3]) -> Medium {
        craton_sem::medium_in_element(self.model, self.elements.mesh(), element, position)
    }

    /// Velocity at the points of an element.
    fn velocity_in(&self, index: usize, element: u32) -> Vec<[f64; 3]> {
        match (self.places[index], &self.solid, &self.fluid) {
            ((Phase::Solid, index), Some(solid), _) => solid.rate.element(index).as_chunks().0.to_vec(),
            ((_, index), _, Some(fluid)) => self.motion(element, &fluid.rate.element(index)),
            _ => unreachable!("the phases of all elements are read"),
        }
    }

    /// Displacement at the points of an element.
    fn displacement_in(&self, index: usize, element: u32) -> Vec<[f64; 3]> {
        let back = |of: &PhaseValues<T>, index: usize| -> Vec<f64> {
            let (unknown, rate) = (of.unknown().element(index), of.rate.element(index));
            unknown.into_iter().zip(rate).map(|(unknown, rate)| self.half_a_step_back(unknown, rate)).collect()
        };
        match (self.places[index], &self.solid, &self.fluid) {
            ((Phase::Solid, index), Some(solid), _) => back(solid, index).as_chunks().0.to_vec(),
            ((_, index), _, Some(fluid)) => self.motion(element, &back(fluid, index)),
            _ => unreachable!("the phases of all elements are read"),
        }
    }

    /// The motion of a fluid at the points of an element, from its potential there: ∇χ / ρ.
    fn motion(&self, element: u32, potential: &[f64]) -> Vec<[f64; 3]> {
        let (mesh, points) = (self.elements.mesh(), &self.elements.gll().points);
        let gradients = gradients_at_points(mesh, points, element, potential);
        if !self.model.varies_in_elements(usize::from(mesh.region[element as usize])) {
            let rho = self.medium(element, mesh.position(element, [0.0; 3])).rho();
            return gradients.into_iter().map(|gradient| gradient.map(|x| x / rho)).collect();
        }
        let (mut positions, mut buffer) = (Vec::new(), [[0.0; 3]; 27]);
        ElementMap::new(mesh.geometry, points).positions(mesh.points_of(element, &mut buffer), &mut positions);
        let over_density = |(gradient, position): ([f64; 3], [f64; 3])| {
            let rho = self.medium(element, position).rho();
            gradient.map(|x| x / rho)
        };
        gradients.into_iter().zip(positions).map(over_density).collect()
    }

    fn half_a_step_back(&self, unknown: f64, rate: f64) -> f64 {
        unknown - 0.5 * self.elements.dt() * rate
    }
}
