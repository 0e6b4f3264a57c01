//! One law between two heights.

use super::Polynomial;
use super::sure::Vertical;
use super::waves::{Changes, Stretch, Waves};
use crate::geodesy::EARTH_RADIUS;
use crate::{ModelError, Transverse};

/// At least so many parts has a span of heights in a medium with a direction, whose extremes are bounded one by one.
const PARTS: f64 = 4.0;

/// The longest such part \[m\]: along longer ones the laws of the mantle bend by per cent.
const LONGEST: f64 = 200e3;

/// Polynomials of x = (z - origin) / scale between two heights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layer {
    pub top: f64,
    pub bottom: f64,
    origin: f64,
    scale: f64,
    law: Transverse<Polynomial>,
}

impl Layer {
    /// Straight lines from a height to a lower one.
    pub fn line(top: f64, above: Transverse, bottom: f64, below: Transverse) -> Self {
        let law = above.join(below, |above, below| Polynomial([above, below - above, 0.0, 0.0]));
        Self { top, bottom, origin: top, scale: bottom - top, law }
    }

    /// The same medium at all heights, which counts at one.
    pub fn constant(z: f64, medium: Transverse) -> Self {
        Self { top: z, bottom: z, origin: z, scale: 1.0, law: medium.map(Polynomial::constant) }
    }

    /// Polynomials of the radius over that of the Earth.
    pub fn radial(top: f64, bottom: f64, law: Transverse<Polynomial>) -> Self {
        Self { top, bottom, origin: -EARTH_RADIUS, scale: EARTH_RADIUS, law }
    }

    fn x(&self, z: f64) -> f64 {
        (z - self.origin) / self.scale
    }

    /// The properties at a height, also beyond the layer.
    pub fn at(&self, z: f64) -> Transverse {
        let x = self.x(z);
        self.law.map(|law| law.value(x))
    }

    /// Ranges of all properties between two heights.
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

    /// Speeds of the extreme waves between two heights of the layer, changed: of an isotropic layer exact, of
    /// one that has or gets a direction bounds that close in on the extremes with the square of the span.
    pub fn waves(&self, [low, high]: [f64; 2], changes: &Changes) -> Waves {
        let ranges = self.ranges([low, high]);
        // A fluid gets no direction.
        if self.is_isotropic() && (ranges.vsv[1] == 0.0 || !changes.is_polarised()) {
            return Waves::isotropic(&ranges, changes);
        }
        let parts = if low == high { 1 } else { ((high - low) / LONGEST).ceil().max(PARTS) as usize };
        let place = |part: usize| low + (high - low) * part as f64 / parts as f64;
        let of_part = |part: usize| Waves::transverse(&self.stretch([place(part), place(part + 1)]), changes);
        (0..parts).map(of_part).reduce(Waves::and).expect("there is a part")
    }

    fn stretch(&self, [low, high]: [f64; 2]) -> Stretch {
        let (from, to) = (self.x(low), self.x(high));
        let sags = self.law.map(|law| law.sag(from, to));
        Stretch { ends: [self.at(low), self.at(high)], ranges: self.ranges([low, high]), sags }
    }

    /// Refuses a layer that is no medium somewhere.
    pub fn check(&self) -> Result<(), ModelError> {
        let is_isotropic = self.is_isotropic();
        let vertical = Vertical { at: &|z| self.at(z), ranges: &|span| self.ranges(span), is_isotropic };
        vertical.check([self.bottom, self.top]).map_err(|(z, error)| error.at(format!("z = {z} m")))
    }

    /// The heights of the layer that lie between two others.
    pub fn overlap(&self, [low, high]: [f64; 2]) -> Option<[f64; 2]> {
        let [low, high] = [low.max(self.bottom), high.min(self.top)];
        (low <= high).then_some([low, high])
    }
}
