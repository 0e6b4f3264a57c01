//! What frames show, and its values at nodes and points.

use craton_device::{Scalar, Workers};
use craton_formats::vtk::{Field, Values as Numbers};
use craton_mesh::Location;
use craton_model::EarthModel;
use craton_physics::{Sym3, stress_anisotropic};
use craton_sem::{Field as State, Selected, Solver, Tap, Values};
use rayon::prelude::*;

pub use crate::config::Shown;
use crate::config::Snapshot;
use crate::error::Error;

impl Shown {
    /// What a series shows, each quantity once.
    pub fn all(wanted: &Snapshot) -> Vec<Self> {
        let mut all = Vec::new();
        for &shown in &wanted.quantities {
            if !all.contains(&shown) {
                all.push(shown);
            }
        }
        all
    }

    /// Its name, as the scenario has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Displacement => "displacement",
            Self::Velocity => "velocity",
            Self::Strain => "strain",
            Self::Pressure => "pressure",
        }
    }

    /// Its unit; empty for strain.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Displacement => "m",
            Self::Velocity => "m/s",
            Self::Strain => "",
            Self::Pressure => "Pa",
        }
    }

    /// Its name in a file, with the unit.
    pub fn label(self) -> String {
        match self.unit() {
            "" => self.name().to_owned(),
            unit => format!("{} [{unit}]", self.name()),
        }
    }

    /// Numbers of one value: x, y, z; or xx, yy, zz, xy, yz, xz, the order by which VTK names them; or one.
    pub fn components(self) -> usize {
        match self {
            Self::Displacement | Self::Velocity => 3,
            Self::Strain => 6,
            Self::Pressure => 1,
        }
    }

    /// Whether neighbouring elements agree on it, so that it stands at nodes; what they do not agree on stands inside cells.
    pub fn is_nodal(self) -> bool {
        matches!(self, Self::Displacement | Self::Velocity)
    }

    /// One number for a picture: the length of a vector, the norm of a tensor, the pressure itself.
    pub fn picture_value(self, values: &[f32]) -> f64 {
        let squares = |values: &[f32]| values.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>();
        match self {
            Self::Displacement | Self::Velocity => squares(values).sqrt(),
            Self::Strain => (squares(&values[..3]) + 2.0 * squares(&values[3..])).sqrt(),
            Self::Pressure => f64::from(values[0]),
        }
    }
}

/// The Earth at a step.
#[derive(Clone, Copy)]
pub struct Earth<'a, T: Scalar> {
    /// Its motion.
    pub operator: &'a dyn Solver<T>,
    /// What it is made of.
    pub model: &'a EarthModel,
}

/// Reads everything at one time, that of velocity: half a step before the operator's.
///
/// Displacement and its gradient are taken back there as the leapfrog went forward, u(n - 1/2) = u(n) - dt/2 v(n - 1/2): the mean of the
/// steps before and after, right to second order as the scheme is.
pub struct Sampler<'a, T: Scalar> {
    earth: Earth<'a, T>,
    velocity: Values<'a, T>,
    /// Where something but velocity is shown.
    displacement: Option<Values<'a, T>>,
}

impl<'a, T: Scalar> Sampler<'a, T> {
    /// Has the fields brought from where they are computed.
    ///
    /// # Errors
    /// A device that fails.
    pub fn new(earth: Earth<'a, T>, places: &'a Selected<T>, shown: &[Shown]) -> Result<Self, Error> {
        let needs_displacement = shown.iter().any(|&shown| shown != Shown::Velocity);
        let displacement = needs_displacement.then(|| earth.operator.read(places, State::Displacement));
        Ok(Self {
            earth,
            velocity: earth.operator.read(places, State::Velocity)?,
            displacement: displacement.transpose()?,
        })
    }

    /// Displacement or velocity at a node of the places.
    pub fn at_node(&self, index: usize, shown: Shown, values: &mut [f32]) {
        let velocity = self.velocity.node(index);
        let vector = match shown {
            Shown::Velocity => velocity,
            _ => self.half_a_step_back(self.displacement().node(index), velocity),
        };
        store(&vector, values);
    }

    /// Anything at a point inside an element, exactly by the basis; `index` is that of the element in the places.
    pub fn at_point(&self, index: usize, at: &Location, shown: Shown, values: &mut [f32]) {
        let operator = self.earth.operator;
        let tap = Tap::new(operator.mesh(), &operator.gll().points, at.element, at.xi);
        match shown {
            Shown::Velocity => store(&tap.value_of(&self.velocity.element(index)), values),
            Shown::Displacement => store(&tap.value_of(&self.displacement_in(index)), values),
            Shown::Strain => {
                let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = tap.gradient_of(&self.displacement_in(index));
                store(&[xx, yy, zz, 0.5 * (xy + yx), 0.5 * (yz + zy), 0.5 * (xz + zx)], values);
            }
            Shown::Pressure => store(&[self.pressure(at, tap.gradient_of(&self.displacement_in(index)))], values),
        }
    }

    /// Minus the mean normal stress [Pa].
    fn pressure(&self, at: &Location, displacement_gradient: [[f64; 3]; 3]) -> f64 {
        let mesh = self.earth.operator.mesh();
        let region = usize::from(mesh.region[at.element as usize]);
        let medium = self.earth.model.medium(region, mesh.position(at.element, at.xi));
        let Sym3 { xx, yy, zz, .. } = stress_anisotropic(&medium.stiffness().0, displacement_gradient);
        -(xx + yy + zz) / 3.0
    }

    /// Displacement at the points of an element.
    fn displacement_in(&self, index: usize) -> Vec<[f64; 3]> {
        let both = self.displacement().element(index).into_iter().zip(self.velocity.element(index));
        both.map(|(displacement, velocity)| self.half_a_step_back(displacement, velocity)).collect()
    }

    fn displacement(&self) -> &Values<'a, T> {
        self.displacement.as_ref().expect("brought for all that needs it")
    }

    fn half_a_step_back(&self, displacement: [f64; 3], velocity: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|c| displacement[c] - 0.5 * self.earth.operator.dt() * velocity[c])
    }
}

/// A field of a frame, sampled.
pub struct Sampled {
    shown: Shown,
    label: String,
    values: Vec<f32>,
}

impl Sampled {
    /// Samples a field at `count` places on all workers.
    ///
    /// # Arguments
    /// * `sample` – writes the value at the place of a number; it finds NaN there
    pub fn new(shown: Shown, count: usize, workers: &Workers, sample: impl Fn(usize, &mut [f32]) + Sync) -> Self {
        let mut values = vec![f32::NAN; count * shown.components()];
        let places = values.par_chunks_mut(shown.components()).enumerate();
        workers.run(|| places.for_each(|(index, value)| sample(index, value)));
        Self { shown, label: shown.label(), values }
    }

    /// The field of a file.
    pub fn field(&self) -> Field<'_> {
        let components = self.shown.components();
        Field { name: &self.label, components, values: Numbers::F32(&self.values) }
    }
}

fn store(from: &[f64], to: &mut [f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from as f32;
    }
}
