//! What a user should know of a grid before it is computed on.

use craton_model::Interface;

use crate::config::{BoxSide, Fd};
use crate::gridding::GridPlan;
use crate::number::Number;
use crate::setup::Setup;

/// Part of the highest frequency that a grid should resolve at least.
const ENOUGH: f64 = 0.99;

impl GridPlan {
    /// What a user should know of a grid.
    pub fn warnings(&self, setup: &Setup, fd: &Fd) -> Vec<String> {
        let all = [self.coarse(setup, fd), self.stairs(setup, fd), self.wide_sponge(fd)];
        all.into_iter().flatten().collect()
    }

    /// Ground that is a flight of stairs where it is a slope in truth.
    fn stairs(&self, setup: &Setup, fd: &Fd) -> Option<String> {
        if let Interface::Flat(_) = setup.model.surface() {
            return None;
        }
        let [dx, dy, step] = self.grid.spacing;
        let wavelength = self.resolution(setup, fd).points_per_wavelength * dx.max(dy).max(step);
        Some(format!(
            "slopes of the ground are stairs with steps of {:.3} m, {:.3} of the slowest wavelength at {} Hz; a smaller method.fd.grid_spacing \
             makes them lower, and [method.sem] follows the ground",
            Number(step),
            Number(step / wavelength),
            Number(fd.max_frequency)
        ))
    }

    /// A sponge that leaves nothing of the grid as it is.
    fn wide_sponge(&self, fd: &Fd) -> Option<String> {
        let sponge = fd.sponge.as_ref()?;
        let across = |side: &&BoxSide| self.grid.cells[**side as usize / 2];
        let side = sponge.sides.iter().find(|side| sponge.cells >= across(side))?;
        Some(format!(
            "method.fd.sponge.cells = {} is not less than the {} cells of the grid between its sides: it damps all of it",
            sponge.cells,
            across(&side)
        ))
    }

    /// A grid that is too coarse.
    fn coarse(&self, setup: &Setup, fd: &Fd) -> Option<String> {
        let resolved = self.resolution(setup, fd).resolved_frequency;
        (resolved < ENOUGH * fd.max_frequency).then(|| {
            format!(
                "the grid resolves up to {:.4} Hz, with {} points per wavelength, not up to method.fd.max_frequency = {} Hz; lower \
                 method.fd.grid_spacing, or leave it out",
                Number(resolved),
                Number(fd.points_per_wavelength()),
                Number(fd.max_frequency)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Method;
    use crate::written::Scenario;

    fn warnings(example: &str) -> Vec<String> {
        let file = format!("{}/../../examples/{example}/{example}.toml", env!("CARGO_MANIFEST_DIR"));
        let changes =
            ["method={ fd = { max_frequency = 2.0, grid_spacing = 80.0 } }", "output.snapshots={}"].map(str::to_owned);
        let setup = Setup::new(&Scenario::read(file.as_ref(), &changes).unwrap()).unwrap();
        let Method::Fd(fd) = &setup.method else { unreachable!("finite differences were asked for") };
        GridPlan::new(&setup, fd).warnings(&setup, fd)
    }

    #[test]
    fn stairs_are_told_in_parts_of_the_slowest_wavelength() {
        let told = warnings("valley");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("steps of 80.000 m, 0.094 of the slowest wavelength at 2 Hz"), "{told:?}");
        assert_eq!(warnings("two_layers"), Vec::<String>::new(), "level ground");
    }
}
