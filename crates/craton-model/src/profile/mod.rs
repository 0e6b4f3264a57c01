//! Profiles: media that depend on depth.

mod layer;
mod polynomial;
mod validity;
mod waves;

pub use polynomial::Polynomial;
pub(crate) use validity::{VerticalProperties, are_valid_media};
pub(crate) use waves::{Change, Changes, Waves};

use layer::Layer;

use crate::geodesy::EARTH_RADIUS;
use crate::{Medium, ModelError, Transverse};

/// Isotropic speeds and density at a height.
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

/// A layer with polynomial properties.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RadialLayer {
    /// Height of its top \[m\].
    pub top: f64,
    /// Height of its bottom \[m\].
    pub bottom: f64,
    /// Properties in SI units as polynomials of the radius over [`EARTH_RADIUS`].
    pub law: Transverse<Polynomial>,
}

/// A depth-dependent medium, piecewise polynomial in height, isotropic or transversely isotropic. It is constant above the first height and
/// below the last.
///
/// Bounds of its wave speeds between two heights need no search: an isotropic layer is extreme at the ends of the span or where a
/// derivative vanishes, which is a quadratic equation; an anisotropic layer is bounded part by part.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile(Vec<Layer>);

impl Profile {
    /// Creates an isotropic profile that is linear between knots, in order from the top down.
    ///
    /// # Errors
    /// No knot, heights that do not decrease, an invalid medium, vs that decreases linearly to zero.
    pub fn new(knots: Vec<Knot>) -> Result<Self, ModelError> {
        let place = |&Knot { z, vp, vs, rho }: &Knot| (z, Transverse::isotropic(vp, vs, rho));
        Self::through(&knots.iter().map(place).collect::<Vec<_>>())
    }

    /// Creates a profile that is linear between heights \[m\] with given properties, in order from the top down.
    ///
    /// # Errors
    /// As [`Self::new`]; an invalid medium between two heights.
    pub fn through(knots: &[(f64, Transverse)]) -> Result<Self, ModelError> {
        let Some(last) = knots.last() else {
            return Err(ModelError::Empty { what: "row" });
        };
        let place = |index: usize| format!("knot {} at z = {} m", index + 1, knots[index].0);
        for (index, (z, medium)) in knots.iter().enumerate() {
            let checked = crate::check::finite("z", *z, "m").and_then(|_| medium.check());
            checked.map_err(|error| error.at(place(index)))?;
        }
        let mut layers = Vec::new();
        for (index, pair) in knots.windows(2).enumerate() {
            let [(top, above), (bottom, below)] = [pair[0], pair[1]];
            let refuse = |problem, hint| Err(ModelError::DepthTable { place: place(index + 1), problem, hint });
            if bottom >= top {
                return refuse(
                    "it is not below the previous knot",
                    "list the knots from the top down, each height once",
                );
            }
            if (above.vsv == 0.0) != (below.vsv == 0.0) {
                return refuse(
                    "vs decreases linearly to zero, which no mesh can resolve",
                    "give the depth twice, so that fluid and solid meet at a discontinuity",
                );
            }
            layers.push(Layer::line(top, above, bottom, below));
        }
        layers.push(Layer::constant(last.0, last.1));
        // The conditions for a valid isotropic medium are linear in its properties, so the knots suffice.
        layers.iter().filter(|layer| !layer.is_isotropic()).try_for_each(Layer::check)?;
        Ok(Self(layers))
    }

    /// Creates a profile from layers with polynomials of the radius, in order from the top down. At a common boundary, the lower layer
    /// applies.
    ///
    /// # Errors
    /// No layer, a layer whose top is not the bottom of the previous one or whose bottom is above its top, an invalid medium at some
    /// height, a fluid layer in contact with a solid one.
    pub fn radial(layers: &[RadialLayer]) -> Result<Self, ModelError> {
        if layers.is_empty() {
            return Err(ModelError::Empty { what: "layer" });
        }
        let place =
            |index: usize| format!("layer {} from z = {} to {} m", index + 1, layers[index].top, layers[index].bottom);
        for (index, layer) in layers.iter().enumerate() {
            let refuse = |problem, hint| Err(ModelError::DepthTable { place: place(index), problem, hint });
            // Written so that NaN is refused too.
            if !(layer.top.is_finite() && layer.bottom < layer.top && layer.bottom >= -EARTH_RADIUS) {
                return refuse(
                    "its bottom is not below its top",
                    "list the layers from the top down, at most to the centre of the Earth",
                );
            }
            if index > 0 && layers[index - 1].bottom != layer.top {
                return refuse("it does not start where the previous one ends", "close the gap");
            }
        }
        let as_layer = |layer: &RadialLayer| Layer::radial(layer.top, layer.bottom, layer.law);
        let profile = Self(layers.iter().map(as_layer).collect());
        for (index, pair) in profile.0.windows(2).enumerate() {
            if (pair[0].at(pair[0].bottom).vsv == 0.0) != (pair[1].at(pair[1].top).vsv == 0.0) {
                let (problem, hint) = ("a fluid and a solid are in one profile", "put them into separate regions");
                return Err(ModelError::DepthTable { place: place(index + 1), problem, hint });
            }
        }
        for (index, layer) in profile.0.iter().enumerate() {
            layer.check().map_err(|error| error.at(place(index)))?;
        }
        Ok(profile)
    }

    /// Appends a profile that starts where this one ends.
    pub(crate) fn append(&mut self, below: Self) {
        self.0.extend(below.0);
    }

    /// The medium at a height \[m\].
    #[inline]
    pub fn medium(&self, z: f64) -> Medium {
        self.properties(z).medium()
    }

    /// Speeds and density at a height \[m\].
    pub fn properties(&self, z: f64) -> Transverse {
        let z = z.clamp(self.0[self.0.len() - 1].bottom, self.0[0].top);
        let below = self.0.partition_point(|layer| layer.top >= z);
        self.0[below.saturating_sub(1)].at(z)
    }

    /// Appends the properties at heights \[m\]. Faster than [`Self::properties`] at each if most heights are in the layer of the one before.
    pub(crate) fn append_properties(&self, heights: impl Iterator<Item = f64>, to: &mut Vec<Transverse>) {
        let [bottom, top] = [self.0[self.0.len() - 1].bottom, self.0[0].top];
        let mut layer = &self.0[0];
        let mut is_isotropic = layer.is_isotropic();
        for z in heights {
            let z = z.clamp(bottom, top);
            if !(layer.bottom < z && z <= layer.top) {
                let below = self.0.partition_point(|layer| layer.top >= z);
                layer = &self.0[below.saturating_sub(1)];
                is_isotropic = layer.is_isotropic();
            }
            to.push(if is_isotropic { layer.isotropic_at(z) } else { layer.at(z) });
        }
    }

    /// Heights \[m\] at which the polynomials change, each once or twice.
    pub(crate) fn boundaries(&self) -> impl Iterator<Item = f64> {
        self.0.iter().flat_map(|layer| [layer.top, layer.bottom])
    }

    /// Whether the medium is the same at all heights.
    pub fn is_constant(&self) -> bool {
        let first = self.properties(self.0[0].top);
        self.0.iter().all(|layer| layer.is_constant() && layer.at(layer.top) == first)
    }

    /// Whether the medium is a fluid at its top.
    pub fn is_fluid(&self) -> bool {
        self.medium(self.0[0].top).is_fluid()
    }

    /// Whether the medium is anisotropic at any height.
    pub fn is_anisotropic(&self) -> bool {
        !self.0.iter().all(Layer::is_isotropic)
    }

    /// Ranges of all properties between two heights \[m\].
    pub(crate) fn ranges(&self, span: [f64; 2]) -> Transverse<[f64; 2]> {
        let both = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        self.of_layers(span, Layer::ranges, |above, below| above.join(below, both))
    }

    /// Bounds of the extreme wave speeds between two heights \[m\], with changes applied.
    pub(crate) fn waves(&self, span: [f64; 2], changes: &Changes) -> Waves {
        self.of_layers(span, |layer, span| layer.waves(span, changes), Waves::and)
    }

    /// Evaluates each layer between two heights on its part of the span, and combines the results.
    fn of_layers<T>(
        &self,
        [low, high]: [f64; 2],
        of_one: impl Fn(&Layer, [f64; 2]) -> T,
        both: impl Fn(T, T) -> T,
    ) -> T {
        let [bottom, top] = [self.0[self.0.len() - 1].bottom, self.0[0].top];
        let span = [low.clamp(bottom, top), high.clamp(bottom, top)];
        let first = self.0.partition_point(|layer| layer.bottom > span[1]);
        let within = self.0[first..].iter().map_while(|layer| Some(of_one(layer, layer.overlap(span)?)));
        within.reduce(both).expect("the span was clamped to the profile")
    }
}
