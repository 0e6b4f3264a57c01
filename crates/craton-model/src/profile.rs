//! Media that change with depth, without jumps.

use crate::{Medium, ModelError};

/// Speeds and density at a height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knot {
    /// Height \[m\].
    pub z: f64,
    /// Speed of P waves \[m/s\].
    pub vp: f64,
    /// Speed of S waves \[m/s\], 0 in a fluid.
    pub vs: f64,
    /// Density \[kg/m³\].
    pub rho: f64,
}

impl Knot {
    fn check(&self) -> Result<(), ModelError> {
        crate::check::finite("z", self.z, "m")?;
        Medium::isotropic(self.vp, self.vs, self.rho)?;
        Ok(())
    }

    /// The straight line from this knot to a lower one, at a height between them.
    fn toward(&self, lower: &Self, z: f64) -> Self {
        let share = (self.z - z) / (self.z - lower.z);
        let between = |above: f64, below: f64| above + share * (below - above);
        Self { z, vp: between(self.vp, lower.vp), vs: between(self.vs, lower.vs), rho: between(self.rho, lower.rho) }
    }
}

/// Isotropic media on straight lines between knots, from the top down; level above the first and below the last.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile(Vec<Knot>);

impl Profile {
    /// A profile through knots, from the top down.
    ///
    /// # Errors
    /// No knot, heights that do not descend, a medium that is refused, vs that falls to zero along a line.
    pub fn new(knots: Vec<Knot>) -> Result<Self, ModelError> {
        if knots.is_empty() {
            return Err(ModelError::Empty { what: "row" });
        }
        let place = |index: usize| format!("knot {} at z = {} m", index + 1, knots[index].z);
        for (index, knot) in knots.iter().enumerate() {
            knot.check().map_err(|error| error.at(place(index)))?;
        }
        for (index, pair) in knots.windows(2).enumerate() {
            if pair[1].z >= pair[0].z {
                return Err(ModelError::DepthTable {
                    place: place(index + 1),
                    problem: "it does not lie below the one before",
                    hint: "list the knots from the top down, each height once",
                });
            }
            if (pair[0].vs == 0.0) != (pair[1].vs == 0.0) {
                return Err(ModelError::DepthTable {
                    place: place(index + 1),
                    problem: "vs falls to zero along a line, where no mesh can follow it",
                    hint: "repeat the depth, so that fluid and solid meet at a discontinuity",
                });
            }
        }
        Ok(Self(knots))
    }

    /// The medium at a height \[m\].
    pub fn medium(&self, z: f64) -> Medium {
        let Knot { vp, vs, rho, .. } = self.knot_at(z);
        Medium::between_checked(vp, vs, rho)
    }

    /// Whether the medium is the same at all heights.
    pub fn is_constant(&self) -> bool {
        let first = self.0[0];
        self.0.iter().all(|knot| *knot == Knot { z: knot.z, ..first })
    }

    /// Media that hold the extremes of every property between two heights \[m\].
    pub(crate) fn extremes(&self, z_low: f64, z_high: f64) -> Vec<Medium> {
        let inside = self.0.iter().map(|knot| knot.z).filter(|z| (z_low..=z_high).contains(z));
        [z_low, z_high].into_iter().chain(inside).map(|z| self.medium(z)).collect()
    }

    fn knot_at(&self, z: f64) -> Knot {
        let below = self.0.partition_point(|knot| knot.z >= z);
        match (below.checked_sub(1), self.0.get(below)) {
            (Some(above), Some(lower)) => self.0[above].toward(lower, z),
            (Some(last), None) => self.0[last],
            (None, _) => self.0[0],
        }
    }
}
