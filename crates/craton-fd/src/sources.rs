//! Point sources spread over the points around them.

use std::ops::Range;

use craton_device::Scalar;
use craton_sim::Push;

use crate::block::Block;
use crate::cut::Cut;
use crate::error::FdError;
use crate::interpolate::Interpolation;
use crate::medium::Kind;
use crate::sweep::Precision;
use craton_fd_kernels::Field;

/// A source anywhere in the grid.
#[derive(Debug, Clone, PartialEq)]
pub struct PointSource {
    /// Where [m].
    pub position: [f64; 3],
    /// What it does.
    pub push: Push,
    /// Its factor at each whole step [–]; the first acts in the first step.
    pub history: Vec<f64>,
}

/// What a source adds to a point of a block for a history of one.
#[derive(Clone)]
pub struct Addition {
    /// What it changes.
    pub field: Field,
    /// Place in its array.
    pub at: usize,
    /// [m/s] or [Pa].
    pub amount: f64,
}

impl Addition {
    /// Changes the value for a factor of the history.
    pub fn act<T: Scalar>(&self, factor: f64, value: &mut T) {
        if factor != 0.0 {
            *value = T::from_f64(value.to_f64() + factor * self.amount);
        }
    }
}

/// A source as the blocks apply it.
pub struct Source {
    /// What it adds for a factor of one.
    pub additions: Vec<Addition>,
    history: Vec<f64>,
    /// Whether it changes stresses, before the velocities move, or velocities, after that.
    pub is_moment: bool,
}

impl Source {
    /// Looks for the points around a source: what it does in each of `own` parts, if anything.
    ///
    /// # Arguments
    /// * `own` – the parts of this rank
    /// * `buoyancy` – [m³/kg] in one of them at the place of a velocity
    /// * `dt` – time step [s]
    /// # Errors
    /// A position outside the box or in air; shear in a fluid, a push that moves nothing.
    pub fn new(
        source: &PointSource,
        interpolation: &Interpolation,
        cut: &Cut,
        own: &Range<usize>,
        buoyancy: impl Fn(usize, usize, usize) -> f64,
        dt: f64,
    ) -> Result<Vec<Option<Self>>, FdError> {
        if source.push.is_shear() && interpolation.kind_at(source.position)? == Kind::Fluid {
            return Err(FdError::Shear { position: source.position });
        }
        let per_volume = 1.0 / interpolation.grid.volume();
        let (fields, is_moment) = match source.push {
            Push::Force(force) => {
                (force.into_iter().enumerate().map(|(c, f)| (Field::Velocity(c), f)).collect(), false)
            }
            Push::Moment(moment) => {
                let stresses = moment.into_iter().enumerate().map(|(index, m)| (Field::Stress(index), -m));
                (stresses.collect::<Vec<_>>(), true)
            }
        };
        let mut additions: Vec<Vec<Addition>> = own.clone().map(|_| Vec::new()).collect();
        // What is round-off beside the rest of a push need not move anything.
        let least = 1e-12 * fields.iter().map(|(_, strength)| strength.abs()).fold(0.0, f64::max);
        for (field, strength) in fields.into_iter().filter(|(_, strength)| strength.abs() > least) {
            for (point, weight) in interpolation.source_weights(field, source.position)? {
                let (part, at) = cut.place_of(point);
                if !own.contains(&part) {
                    continue;
                }
                let per_force = match field {
                    Field::Velocity(c) => dt * buoyancy(part - own.start, at, c),
                    Field::Stress(_) => 1.0,
                };
                let amount = strength * weight * per_volume * per_force;
                additions[part - own.start].push(Addition { field, at, amount });
            }
        }
        let of_part = |additions: Vec<Addition>| {
            let history = || source.history.clone();
            (!additions.is_empty()).then(|| Self { additions, history: history(), is_moment })
        };
        Ok(additions.into_iter().map(of_part).collect())
    }

    /// Takes some of its additions out, as a source of their own.
    pub fn take(&mut self, is_taken: impl Fn(&Addition) -> bool) -> Self {
        let (additions, left) = std::mem::take(&mut self.additions).into_iter().partition(is_taken);
        self.additions = left;
        Self { additions, history: self.history.clone(), is_moment: self.is_moment }
    }

    /// Brings the stress glut to whole step `step`.
    pub fn add_moment<T: Precision>(&self, block: &mut Block<T>, step: usize) {
        if self.is_moment {
            self.add(block, self.factor(step));
        }
    }

    /// Pushes the velocities with the force at whole step `step`.
    pub fn add_force<T: Precision>(&self, block: &mut Block<T>, step: usize) {
        if !self.is_moment {
            self.add(block, self.factor(step));
        }
    }

    /// Steps after which the factor is always the same.
    pub fn steps(&self) -> usize {
        self.history.len()
    }

    /// Factor of the additions in a step: what the moment has changed since the step before, or the force.
    pub fn factor(&self, step: usize) -> f64 {
        match (self.is_moment, step) {
            (true, 1..) => self.at(step) - self.at(step - 1),
            _ => self.at(step),
        }
    }

    /// After its end a history keeps its last value.
    fn at(&self, step: usize) -> f64 {
        self.history.get(step).or(self.history.last()).copied().unwrap_or(0.0)
    }

    fn add<T: Precision>(&self, block: &mut Block<T>, factor: f64) {
        for addition in &self.additions {
            addition.act(factor, &mut block.field_mut(addition.field)[addition.at]);
        }
    }
}
