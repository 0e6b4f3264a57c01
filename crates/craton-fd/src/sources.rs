//! Point sources, distributed over the grid points around them.

use std::ops::Range;
use std::sync::Arc;

use craton_device::Scalar;
use craton_sim::{History, SourceMechanism};

use crate::across::{GradientProduct, SolidInterface};
use crate::block::Block;
use crate::cut::Cut;
use crate::error::FdError;
use crate::interpolate::Interpolation;
use crate::medium::{Kind, Medium};
use crate::sweep::Precision;
use craton_fd_kernels::{Field, voigt};

/// Axes of the stresses in Voigt order.
const STRESSES: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [1, 2], [0, 2], [0, 1]];

/// A point source at any position in the grid.
#[derive(Debug, Clone, PartialEq)]
pub struct PointSource {
    /// Position [m].
    pub position: [f64; 3],
    /// Mechanism: a force or a moment tensor.
    pub mechanism: SourceMechanism,
    /// Time function in each whole step [–].
    pub history: History,
    /// The interface of two solids next to it, if the points around it may be on both sides: only a moment depends on it.
    pub interface: Option<SolidInterface>,
}

/// Increment of a value of a block for a unit time function.
#[derive(Clone)]
pub struct Addition {
    /// The field.
    pub field: Field,
    /// Index in its array.
    pub at: usize,
    /// Increment [m/s] or [Pa].
    pub amount: f64,
}

impl Addition {
    /// Adds the increment, scaled by the time function, to the value.
    pub fn act<T: Scalar>(&self, factor: f64, value: &mut T) {
        if factor != 0.0 {
            *value = T::from_f64(value.to_f64() + factor * self.amount);
        }
    }
}

/// A source in the form in which it is applied to a block.
pub struct GridSource {
    /// Increments for a unit time function.
    pub additions: Vec<Addition>,
    history: Arc<History>,
    /// Whether it is added to the stresses before the velocity update, or to the velocities after it.
    pub is_moment: bool,
}

impl GridSource {
    /// Distributes a source over the points around it: its share in each of `own` parts, if any.
    ///
    /// # Arguments
    /// * `own` – the parts of this rank
    /// * `medium` – the material of the points of these parts
    /// * `buoyancy` – buoyancy [m³/kg] in one of them at a velocity point: arguments part, array index, component
    /// * `dt` – time step [s]
    /// # Errors
    /// A position outside the box or in air, a deviatoric moment in a fluid, a force on points that cannot move.
    pub fn new<T: Scalar>(
        source: &PointSource,
        interpolation: &Interpolation,
        cut: &Cut,
        own: &Range<usize>,
        medium: &Medium<T>,
        buoyancy: impl Fn(usize, usize, usize) -> f64,
        dt: f64,
    ) -> Result<Vec<Option<Self>>, FdError> {
        if source.mechanism.is_shear() && interpolation.kind_at(source.position)? == Kind::Fluid {
            return Err(FdError::Shear { position: source.position });
        }
        let per_volume = 1.0 / interpolation.grid.volume();
        let mut additions: Vec<Vec<Addition>> = own.clone().map(|_| Vec::new()).collect();
        let mut add = |field: Field, amount: &dyn Fn([usize; 3], usize, usize) -> f64| {
            for (point, weight) in interpolation.source_weights(field, source.position)? {
                let (part, at) = cut.place_of(point);
                if own.contains(&part) {
                    let amount = amount(point, part - own.start, at) * weight * per_volume;
                    additions[part - own.start].push(Addition { field, at, amount });
                }
            }
            Ok::<_, FdError>(())
        };
        let is_moment = match source.mechanism {
            SourceMechanism::Force(force) => {
                for c in (0..3).filter(|&c| is_significant(&force, c)) {
                    add(Field::Velocity(c), &|_, part, at| force[c] * dt * buoyancy(part, at, c))?;
                }
                false
            }
            SourceMechanism::Moment(moment) => {
                let tensor = [0, 1, 2].map(|a| [0, 1, 2].map(|b| moment[voigt(a, b)]));
                let work = GradientProduct::new(tensor, source.interface.as_ref());
                for axes in STRESSES.into_iter().filter(|&axes| work.has(axes)) {
                    add(Field::stress(axes[0], axes[1]), &|point, _, _| {
                        -work.at(axes, || medium.stiffness(point, &interpolation.boundaries))
                    })?;
                }
                true
            }
        };
        let history = Arc::new(source.history.clone());
        let of_part = |additions: Vec<Addition>| {
            let history = || Arc::clone(&history);
            (!additions.is_empty()).then(|| Self { additions, history: history(), is_moment })
        };
        Ok(additions.into_iter().map(of_part).collect())
    }

    /// Splits off some of its increments as a separate source.
    pub fn take(&mut self, is_taken: impl Fn(&Addition) -> bool) -> Self {
        let (additions, left) = std::mem::take(&mut self.additions).into_iter().partition(is_taken);
        self.additions = left;
        Self { additions, history: Arc::clone(&self.history), is_moment: self.is_moment }
    }

    /// Adds the increment of the stress glut of whole step `step`.
    pub fn add_moment<T: Precision>(&self, block: &mut Block<T>, step: usize) {
        if self.is_moment {
            self.add(block, self.factor(step));
        }
    }

    /// Adds the force at whole step `step` to the velocities.
    pub fn add_force<T: Precision>(&self, block: &mut Block<T>, step: usize) {
        if !self.is_moment {
            self.add(block, self.factor(step));
        }
    }

    /// The steps in which the time function changes, and the step after them.
    pub fn steps(&self) -> Range<usize> {
        self.history.first()..self.history.last() + 2
    }

    /// Factor of the increments in a step: the change of the moment since the previous step, or the force.
    pub fn factor(&self, step: usize) -> f64 {
        match (self.is_moment, step) {
            (true, 1..) => self.history.at(step) - self.history.at(step - 1),
            _ => self.history.at(step),
        }
    }

    fn add<T: Precision>(&self, block: &mut Block<T>, factor: f64) {
        for addition in &self.additions {
            addition.act(factor, &mut block.field_mut(addition.field)[addition.at]);
        }
    }
}

/// Whether a component is above round-off.
fn is_significant(components: &[f64], index: usize) -> bool {
    components[index].abs() > 1e-12 * components.iter().fold(0.0, |most: f64, own| most.max(own.abs()))
}
