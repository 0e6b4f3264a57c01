//! A layer with a polynomial law between two heights.

use super::Polynomial;
use super::validity::VerticalProperties;
use super::waves::{Changes, Interval, Waves};
use crate::geodesy::EARTH_RADIUS;
use crate::{ModelError, Transverse};

/// Smallest number of parts into which a span of an anisotropic layer is divided to bound its wave speeds.
const PARTS: f64 = 4.0;

/// Largest length of such a part \[m\]; over longer ones, the polynomials of the mantle deviate from linear by per cents.
const LONGEST: f64 = 200e3;

/// Properties as polynomials of x = (z - origin) / scale between two heights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layer {
    pub top: f64,
    pub bottom: f64,
    origin: f64,
    scale: f64,
    law: Transverse<Polynomial>,
}

impl Layer {
    /// Linear properties between two heights.
    pub fn line(top: f64, above: Transverse, bottom: f64, below: Transverse) -> Self {
        let law = above.join(below, |above, below| Polynomial([above, below - above, 0.0, 0.0]));
        Self { top, bottom, origin: top, scale: bottom - top, law }
    }

    /// Constant properties, defined at one height.
    pub fn constant(z: f64, medium: Transverse) -> Self {
        Self { top: z, bottom: z, origin: z, scale: 1.0, law: medium.map(Polynomial::constant) }
    }

    /// Polynomials of the radius divided by that of the Earth.
    pub fn radial(top: f64, bottom: f64, law: Transverse<Polynomial>) -> Self {
        Self { top, bottom, origin: -EARTH_RADIUS, scale: EARTH_RADIUS, law }
    }

    fn x(&self, z: f64) -> f64 {
        (z - self.origin) / self.scale
    }

    /// Properties at a height; beyond the layer, they are extrapolated.
    pub fn at(&self, z: f64) -> Transverse {
        let x = self.x(z);
        self.law.map(|law| law.value(x))
    }

    /// Properties at a height of an isotropic layer.
    pub fn isotropic_at(&self, z: f64) -> Transverse {
        let x = self.x(z);
        let Transverse { vpv, vsv, rho, .. } = &self.law;
        Transverse::isotropic(vpv.value(x), vsv.value(x), rho.value(x))
    }

    /// Ranges of all properties between two heights of the layer.
    pub fn ranges(&self, [low, high]: [f64; 2]) -> Transverse<[f64; 2]> {
        let (from, to) = (self.x(low), self.x(high));
        self.law.map(|law| law.range(from, to))
    }

    pub fn is_isotropic(&self) -> bool {
        let Transverse { vpv, vph, vsv, vsh, eta, .. } = self.law;
        vpv == vph && vsv == vsh && eta == Polynomial::constant(1.0)
    }

    pub fn is_constant(&self) -> bool {
        self.law.values().iter().all(Polynomial::is_constant)
    }

    /// Bounds of the extreme wave speeds between two heights of the layer, with changes applied. They are exact for an isotropic layer; for
    /// an anisotropic one, their error is of second order in the span.
    pub fn waves(&self, [low, high]: [f64; 2], changes: &Changes) -> Waves {
        let ranges = self.ranges([low, high]);
        // A fluid stays isotropic.
        if self.is_isotropic() && (ranges.vsv[1] == 0.0 || !changes.splits_polarisations()) {
            return Waves::isotropic(&ranges, changes);
        }
        let parts = if low == high { 1 } else { ((high - low) / LONGEST).ceil().max(PARTS) as usize };
        let place = |part: usize| low + (high - low) * part as f64 / parts as f64;
        let of_part = |part: usize| Waves::transverse(&self.interval([place(part), place(part + 1)]), changes);
        (0..parts).map(of_part).reduce(Waves::and).expect("there is a part")
    }

    fn interval(&self, [low, high]: [f64; 2]) -> Interval {
        let (from, to) = (self.x(low), self.x(high));
        let sags = self.law.map(|law| law.sag(from, to));
        Interval { ends: [self.at(low), self.at(high)], ranges: self.ranges([low, high]), sags }
    }

    /// Refuses a layer with an invalid medium at any height.
    pub fn check(&self) -> Result<(), ModelError> {
        let is_isotropic = self.is_isotropic();
        let vertical = VerticalProperties { at: &|z| self.at(z), ranges: &|span| self.ranges(span), is_isotropic };
        vertical.check([self.bottom, self.top]).map_err(|(z, error)| error.at(format!("z = {z} m")))
    }

    /// Heights that the layer and a range have in common.
    pub fn overlap(&self, [low, high]: [f64; 2]) -> Option<[f64; 2]> {
        let [low, high] = [low.max(self.bottom), high.min(self.top)];
        (low <= high).then_some([low, high])
    }
}
