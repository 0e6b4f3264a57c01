//! Point sources spread over the points around them.

use craton_device::Scalar;
use craton_sim::Push;

use crate::block::Block;
use crate::error::FdError;
use crate::field::Field;
use crate::interpolate::Interpolation;
use crate::layout::Layout;
use crate::sweep::Precision;

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
pub struct Addition {
    block: usize,
    /// What it changes.
    pub field: Field,
    /// Place in its array.
    pub at: usize,
    /// [m/s] or [Pa].
    pub amount: f64,
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
    /// Looks for the points around a source.
    ///
    /// # Arguments
    /// * `layouts` – of all blocks
    /// * `buoyancy` – [m³/kg] at a point of a velocity
    /// * `dt` – time step [s]
    /// # Errors
    /// A position outside the box or in air.
    pub fn new<T: Scalar>(
        source: &PointSource,
        interpolation: &Interpolation<T>,
        layouts: &[&Layout],
        buoyancy: impl Fn(usize, [usize; 3], usize) -> f64,
        dt: f64,
    ) -> Result<Self, FdError> {
        let per_volume = 1.0 / interpolation.medium.grid().volume();
        let (fields, is_moment) = match source.push {
            Push::Force(force) => {
                (force.into_iter().enumerate().map(|(c, f)| (Field::Velocity(c), f)).collect(), false)
            }
            Push::Moment(moment) => {
                let stresses = moment.into_iter().enumerate().map(|(index, m)| (Field::Stress(index), -m));
                (stresses.collect::<Vec<_>>(), true)
            }
        };
        let mut additions = Vec::new();
        for (field, strength) in fields.into_iter().filter(|(_, strength)| *strength != 0.0) {
            for (point, weight) in interpolation.weights(field, source.position)? {
                let (block, local) = owner(layouts, field, point);
                let per_force = match field {
                    Field::Velocity(c) => dt * buoyancy(block, local, c),
                    Field::Stress(_) => 1.0,
                };
                let at = layouts[block].at(local.map(|i| i as i64));
                additions.push(Addition { block, field, at, amount: strength * weight * per_volume * per_force });
            }
        }
        Ok(Self { additions, history: source.history.clone(), is_moment })
    }

    /// Brings the stress glut to whole step `step`.
    pub fn add_moment<T: Precision>(&self, blocks: &mut [Block<T>], step: usize) {
        if self.is_moment {
            self.add(blocks, self.factor(step));
        }
    }

    /// Pushes the velocities with the force at whole step `step`.
    pub fn add_force<T: Precision>(&self, blocks: &mut [Block<T>], step: usize) {
        if !self.is_moment {
            self.add(blocks, self.factor(step));
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

    fn add<T: Precision>(&self, blocks: &mut [Block<T>], factor: f64) {
        if factor == 0.0 {
            return;
        }
        for Addition { block, field, at, amount } in &self.additions {
            let value = &mut blocks[*block].field_mut(*field)[*at];
            *value = T::from_f64(value.to_f64() + factor * amount);
        }
    }
}

/// The block that owns a point, and the point's index there.
pub fn owner(layouts: &[&Layout], field: Field, point: [usize; 3]) -> (usize, [usize; 3]) {
    let local = |(block, layout): (usize, &&Layout)| Some((block, layout.local(field, point)?));
    layouts.iter().enumerate().find_map(local).expect("the blocks own every point of the grid")
}
