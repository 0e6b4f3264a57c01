//! A crust of variable thickness in a reference model.

use super::{ReferenceEarth, height};
use crate::{EarthModel, Elasticity, ElevationGrid, Interface, Material, Medium, ModelError, Region};

impl EarthModel {
    /// Moves the Moho of a reference model to an interface. The crust becomes one layer, because thin layers of a thin crust would need thin elements
    /// and short time steps: its slownesses and density are the means over the layers. Mantle above the former Moho has the medium just below the former Moho.
    /// Verified by `the_crust_becomes_one_layer_above_the_moho`.
    ///
    /// # Arguments
    /// * `earth` – the name of this model, which has its crust and its final surface
    /// * `moho` – the interface
    /// * `thinnest` – smallest thickness of the crust \[m\]; the Moho is lowered where it is smaller
    /// # Errors
    /// As [`ElevationGrid::from_function`].
    pub fn with_moho(mut self, earth: ReferenceEarth, moho: &Interface, thinnest: f64) -> Result<Self, ModelError> {
        let depth = height(earth.moho());
        let is_mantle = |region: &Region| matches!(region.top, Interface::Flat(z) if z <= depth);
        let mantle = self.regions.iter().skip(1).position(is_mantle).map(|index| index + 1);
        let mantle = mantle.ok_or(ModelError::Empty { what: "mantle" })?;
        let mean = self.mean_crust(mantle, depth)?;
        let lowered = below(self.surface(), moho, thinnest)?;
        self.regions[mantle].top = lowered;
        self.regions.drain(1..mantle);
        self.regions[0].material = Material::Homogeneous(mean);
        Ok(self)
    }

    /// Mean medium of the layers above a region, whose top is at a height \[m\]: speeds of the mean slownesses, and the mean density.
    fn mean_crust(&self, mantle: usize, depth: f64) -> Result<Medium, ModelError> {
        let flat = |region: usize| match self.regions[region].top {
            _ if region == 0 => 0.0,
            Interface::Flat(z) => z,
            Interface::Grid(_) | Interface::Mesh(_) => {
                unreachable!("a reference model has flat boundaries below its surface")
            }
        };
        let mut sums = [0.0; 3];
        for region in 0..mantle {
            let [top, bottom] = [flat(region), if region + 1 < mantle { flat(region + 1) } else { depth }];
            let medium = self.medium(region, [0.0, 0.0, 0.5 * (top + bottom)]);
            let Elasticity::Isotropic { vp, vs } = *medium.elasticity() else {
                unreachable!("the crust of reference models is isotropic")
            };
            let share = (top - bottom) / (0.0 - depth);
            sums = [sums[0] + share / vp, sums[1] + share / vs, sums[2] + share * medium.rho()];
        }
        Medium::isotropic(sums[0].recip(), sums[1].recip(), sums[2])
    }
}

/// An interface that is at least a thickness \[m\] below another one.
fn below(upper: &Interface, lower: &Interface, thickness: f64) -> Result<Interface, ModelError> {
    let Interface::Grid(grid) = lower else { return Ok(lower.clone()) };
    let finest = |grid: &ElevationGrid| grid.spacing(0).min(grid.spacing(1));
    let spacing = match upper {
        Interface::Grid(upper) => finest(upper).min(finest(grid)),
        Interface::Flat(_) | Interface::Mesh(_) => finest(grid),
    };
    let elevation = |x: f64, y: f64| Ok(lower.elevation(x, y).min(upper.elevation(x, y) - thickness));
    Ok(ElevationGrid::from_function(grid.x_range(), grid.y_range(), spacing, elevation)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReferenceOptions;

    #[test]
    fn the_crust_becomes_one_layer_above_the_moho() {
        let ends = [-1e5, 1e5];
        let grid = |f: fn(f64) -> f64| {
            Interface::from(ElevationGrid::from_function(ends, ends, 5e3, |x, _| Ok(f(x))).unwrap())
        };
        let (surface, moho) = (grid(|x| 0.01 * x), grid(|x| -20e3 + 0.15 * x));
        let model = EarthModel::reference(ReferenceEarth::Prem, ReferenceOptions::default(), -600e3).unwrap();
        let model = model.with_surface(surface).with_moho(ReferenceEarth::Prem, &moho, 8e3).unwrap();
        let top = |region: usize, x: f64| model.regions()[region].top.elevation(x, 0.0);
        assert_eq!(model.regions().len(), 4);
        assert!((top(1, -5e4) + 27.5e3).abs() < 1e-6 && (top(1, 1e5) + 7e3).abs() < 1e-6);
        assert_eq!(top(2, 0.0), -220e3);
        let crust = model.medium(0, [0.0, 0.0, -1e3]);
        let Elasticity::Isotropic { vp, .. } = *crust.elasticity() else { unreachable!() };
        assert!((24.4 / vp - 15.0 / 5800.0 - 9.4 / 6800.0).abs() < 1e-12);
        assert!((crust.rho() * 24.4 - 15.0 * 2600.0 - 9.4 * 2900.0).abs() < 1e-6);
        // Mantle where the crust was: that of the former Moho.
        let media = [-10e3, -24.4e3].map(|z| model.medium(1, [0.0, 0.0, z]));
        assert!(media[0] == media[1]);
        assert!(model.check_over(ends, ends).is_ok());
    }
}
