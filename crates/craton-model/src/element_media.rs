//! Media with one value per element of a mesh.

use std::sync::Arc;

use crate::profile::Waves;
use crate::{Bodies, Losses, Medium, ModelError};

/// Number of intervals of height for which bounds of wave speeds are kept.
const INTERVALS: usize = 256;

/// Isotropic media and losses that are constant within each element of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct ElementMedia {
    mesh: Bodies,
    /// vp, vs, rho of each element of the mesh.
    media: Arc<Vec<[f64; 3]>>,
    /// Losses of each element; empty if there are none.
    losses: Arc<Vec<Losses>>,
    /// Whether each element belongs to the region.
    is_own: Vec<bool>,
    /// An element of the region, for positions outside of it.
    first: usize,
    is_fluid: bool,
    /// Lowest height \[m\] and length of the intervals.
    lowest: f64,
    interval: f64,
    /// Extreme wave speeds of the elements that reach into each interval; `None` where there is no element.
    waves: Vec<Option<Waves>>,
}

impl ElementMedia {
    /// Creates media from those of the elements of a region; others have no medium.
    ///
    /// # Arguments
    /// * `mesh` – the mesh, which finds elements
    /// * `media` – speeds of P and S waves \[m/s\] and density \[kg/m³\] of each element of the mesh
    /// * `losses` – losses of each element; empty if there are none
    /// * `elements` – the elements of the region, at least one, each with its lowest and highest elevation \[m\]
    /// # Errors
    /// The first element with an invalid medium, by its number from 1; fluid and solid elements in one region.
    /// # Panics
    /// Without elements.
    pub fn new(
        mesh: Bodies,
        media: Arc<Vec<[f64; 3]>>,
        losses: Arc<Vec<Losses>>,
        elements: &[(usize, [f64; 2])],
    ) -> Result<Self, ModelError> {
        let low = elements.iter().map(|(_, [low, _])| *low).fold(f64::INFINITY, f64::min);
        let high = elements.iter().map(|(_, [_, high])| *high).fold(f64::NEG_INFINITY, f64::max);
        let interval = ((high - low) / INTERVALS as f64).max(f64::MIN_POSITIVE);
        let is_fluid = media[elements[0].0][1] == 0.0;
        let mut is_own = vec![false; media.len()];
        let mut waves: Vec<Option<Waves>> = vec![None; INTERVALS];
        for &(element, [from, to]) in elements {
            let place = || format!("element {}", element + 1);
            let [vp, vs, rho] = media[element];
            let medium = Medium::isotropic(vp, vs, rho).map_err(|error| error.at(place()))?;
            if medium.is_fluid() != is_fluid {
                let first = elements[0].0 + 1;
                return Err(ModelError::MixedElements { fluid: if is_fluid { first } else { element + 1 } });
            }
            is_own[element] = true;
            let own = Waves { slowest: [medium.slowest(); 2], fastest: medium.fastest() };
            let index = |z: f64| (((z - low) / interval) as usize).min(INTERVALS - 1);
            for known in &mut waves[index(from)..=index(to)] {
                *known = Some(known.map_or(own, |known| known.and(own)));
            }
        }
        let first = elements[0].0;
        Ok(Self { mesh, media, losses, is_own, first, is_fluid, lowest: low, interval, waves })
    }

    /// Medium of the element that contains a position \[m\].
    pub fn medium(&self, position: [f64; 3]) -> Medium {
        let [vp, vs, rho] = self.media[self.element(position)];
        Medium::isotropic(vp, vs, rho).expect("a checked medium")
    }

    /// Losses of the element that contains a position \[m\].
    pub fn losses(&self, position: [f64; 3]) -> Losses {
        if self.losses.is_empty() { Losses::NONE } else { self.losses[self.element(position)] }
    }

    /// Upper bound of the losses.
    pub fn greatest_losses(&self) -> Losses {
        self.losses.iter().fold(Losses::NONE, |most, &losses| most.max(losses))
    }

    /// Whether all elements are fluid.
    pub fn is_fluid(&self) -> bool {
        self.is_fluid
    }

    /// Bounds of the speeds of all waves between two heights \[m\].
    pub(crate) fn waves(&self, [low, high]: [f64; 2]) -> Waves {
        let index = |z: f64| (((z - self.lowest) / self.interval).max(0.0) as usize).min(INTERVALS - 1);
        let near = self.waves[index(low)..=index(high)].iter().flatten();
        let all = || self.waves.iter().flatten();
        near.copied().reduce(Waves::and).or_else(|| all().copied().reduce(Waves::and)).expect("at least one element")
    }

    /// The element of the region at a position \[m\]; its first one for positions outside of it, whose elements may have no medium.
    fn element(&self, position: [f64; 3]) -> usize {
        self.mesh.0.element_at(position).filter(|&element| self.is_own[element]).unwrap_or(self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MeshedBodies;

    /// Elements 1 m high, counted from the bottom at z = 0.
    #[derive(Debug)]
    struct Stack;

    impl MeshedBodies for Stack {
        fn region_at(&self, _: [f64; 3]) -> usize {
            0
        }

        fn element_at(&self, [_, _, z]: [f64; 3]) -> Option<usize> {
            (0.0..3.0).contains(&z).then_some(z as usize)
        }

        fn elevation(&self, _: f64, _: f64) -> f64 {
            3.0
        }

        fn lowest(&self) -> f64 {
            3.0
        }

        fn highest(&self) -> [f64; 3] {
            [0.0, 0.0, 3.0]
        }
    }

    fn media(elements: &[[f64; 3]]) -> Result<ElementMedia, ModelError> {
        // The first element belongs to another region.
        let own: Vec<(usize, [f64; 2])> =
            (1..3).map(|element| (element, [element as f64, element as f64 + 1.0])).collect();
        ElementMedia::new(Bodies(Arc::new(Stack)), Arc::new(elements.to_vec()), Arc::new(Vec::new()), &own)
    }

    #[test]
    fn positions_outside_the_region_have_a_medium_of_the_region() {
        let media = media(&[[0.0; 3], [3000.0, 1500.0, 2000.0], [4000.0, 2000.0, 2500.0]]).unwrap();
        let density = |z: f64| media.medium([0.0, 0.0, z]).rho();
        assert_eq!([1.5, 2.5, 0.5, -7.0, 9.0].map(density), [2000.0, 2500.0, 2000.0, 2000.0, 2000.0]);
    }

    #[test]
    fn bounds_of_speeds_are_those_of_the_heights() {
        let media = media(&[[0.0; 3], [3000.0, 1500.0, 2000.0], [4000.0, 2000.0, 2500.0]]).unwrap();
        assert_eq!(media.waves([1.1, 1.8]).slowest, [1500.0; 2]);
        assert_eq!(media.waves([2.1, 2.8]).slowest, [2000.0; 2]);
        let both = media.waves([1.5, 2.5]);
        assert_eq!((both.slowest, both.fastest), ([1500.0, 2000.0], 4000.0));
    }

    #[test]
    fn invalid_and_mixed_elements_are_refused() {
        let refused = |elements: &[[f64; 3]]| media(elements).unwrap_err().to_string();
        let invalid = refused(&[[0.0; 3], [3000.0, 1500.0, 2000.0], [3000.0, 3000.0, 2000.0]]);
        assert!(invalid.contains("element 3"), "{invalid}");
        let mixed = refused(&[[0.0; 3], [3000.0, 1500.0, 2000.0], [1500.0, 0.0, 1000.0]]);
        assert!(mixed.starts_with("element 3 is fluid"), "{mixed}");
    }
}
