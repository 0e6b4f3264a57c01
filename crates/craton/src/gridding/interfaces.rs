//! Interfaces of solids next to sources and receivers.

use craton_fd::SolidInterface;
use craton_model::{EarthModel, Interface};

use super::GridPlan;
use super::materials::of_medium;

/// Cells beyond the interpolation window that weights may reach next to a flat surface, and half a cell to the points of stresses. An interface too far
/// away has no effect.
const MORE: f64 = 8.0;

impl GridPlan {
    /// The nearest interface of two solids, if points around a position [m] may be on both of its sides.
    pub fn solid_interface(&self, model: &EarthModel, position: [f64; 3]) -> Option<SolidInterface> {
        let [x, y, z] = position;
        let spacing = self.grid.spacing;
        let near = (1..model.regions().len()).filter_map(|number| {
            let top = &model.regions()[number].top;
            let elevation = top.elevation(x, y);
            let normal = normal(top, [x, y], spacing);
            let distance = (z - elevation).abs() * normal[2];
            let reach = (0..3).map(|axis| normal[axis].abs() * (self.radius() as f64 + MORE) * spacing[axis]).sum();
            let place = [x, y, elevation];
            let are_solid = || [number - 1, number].iter().all(|&own| !model.medium(own, place).is_fluid());
            (distance < reach && are_solid()).then_some((distance, normal))
        });
        let (_, normal) = near.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let own = of_medium(model, model.region_at(position), position);
        (own.mu > 0.0).then_some(SolidInterface { normal, moduli: [own.lambda, own.mu] })
    }
}

/// Unit normal of an interface at x, y [m], upwards, of its mean slope over a cell.
fn normal(top: &Interface, [x, y]: [f64; 2], spacing: [f64; 3]) -> [f64; 3] {
    let slope = |axis: usize| {
        let at = |shift: f64| {
            let mut place = [x, y];
            place[axis] += shift * spacing[axis];
            top.elevation(place[0], place[1])
        };
        (at(0.5) - at(-0.5)) / spacing[axis]
    };
    let [east, north] = [slope(0), slope(1)];
    let length = (1.0 + east * east + north * north).sqrt();
    [-east, -north, 1.0].map(|part| part / length)
}

#[cfg(test)]
mod tests {
    use craton_fd::Material;

    use crate::config::Method;
    use crate::gridding::GridPlan;
    use crate::gridding::tests::{layers, setup};

    #[test]
    fn moments_know_interfaces_of_two_solids() {
        let water = layers(&[(0.0, "water"), (-480.0, "rock")]);
        let rocks = "model={ layered = { layers = [{ vp = 2500.0, vs = 1200.0, rho = 2200.0 }, { top = -480.0, vp = 4000.0, vs = 2000.0, rho = 2500.0 }] } }";
        let found = |model: &str, z: f64| {
            let setup = setup(&[model]);
            let Method::Fd(fd) = &setup.method else { unreachable!("the method is finite differences") };
            GridPlan::new(&setup, fd).solid_interface(&setup.model, [30.0, -40.0, z])
        };
        let own = |vp: f64, vs: f64, rho: f64| {
            let Material { lambda, mu, .. } = Material::from_speeds(vp, vs, rho);
            Some(craton_fd::SolidInterface { normal: [0.0, 0.0, 1.0], moduli: [lambda, mu] })
        };
        assert_eq!(found(rocks, -479.9), own(2500.0, 1200.0, 2200.0), "above");
        assert_eq!(found(rocks, -480.0), own(4000.0, 2000.0, 2500.0), "on it: the solid below");
        assert_eq!(found(&water, -490.0), None, "water and rock");
        assert_eq!(found("title='one solid'", -490.0), None);
    }
}
