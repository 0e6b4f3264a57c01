//! Warnings about a grid before a run.

use craton_fd::Side;
use craton_model::{Interface, Material, Region};

use crate::config::{BoxSide, Fd};
use crate::gridding::{GridPlan, NEAR_FACE, ON_FACE, resolving_points};
use crate::number::Number;
use crate::setup::Setup;

/// Smallest acceptable resolved frequency, relative to the highest frequency.
const ENOUGH: f64 = 0.99;

impl GridPlan {
    /// The warnings about a grid.
    pub fn warnings(&self, setup: &Setup, fd: &Fd) -> Vec<String> {
        let bodies = bodies(setup);
        let all = [
            self.coarse(setup, fd),
            self.stairs(setup, fd, &bodies),
            self.wide_sponge(fd),
            self.wide_layer(),
            self.unstable_side(setup, &bodies),
            self.cliff(setup),
            self.in_sponge(setup),
            self.late_surface_waves(setup, fd),
        ];
        let contacts = bodies[1..].iter().filter_map(|body| self.moved_contact(body));
        let lost = bodies.iter().filter_map(|body| self.thin_body(setup, body));
        all.into_iter().flatten().chain(contacts).chain(lost).collect()
    }

    /// Sloping ground or sea floor, which the grid approximates by a staircase.
    fn stairs(&self, setup: &Setup, fd: &Fd, bodies: &[Body]) -> Option<String> {
        let is_sloping = |body: &Body| !matches!(body.top, Interface::Flat(_));
        let (what, follows) = match (is_sloping(&bodies[0]), bodies[1..].iter().any(is_sloping)) {
            (false, false) => return None,
            (true, false) => ("the ground", bodies.len() == 1),
            (false, true) => ("the interfaces of water and rock", false),
            (true, true) => ("the ground and of the interfaces of water and rock", false),
        };
        let [dx, dy, step] = self.grid.spacing;
        let wavelength = self.resolution(setup, fd).points_per_wavelength * dx.max(dy).max(step);
        Some(format!(
            "slopes of {what} become staircases with steps of {:.3} m, {:.3} of the shortest wavelength at {} Hz. Reduce method.fd.grid_spacing \
             for smaller steps{}",
            Number(step),
            Number(step / wavelength),
            Number(fd.max_frequency),
            if follows { ", or use [method.sem], whose mesh follows the ground" } else { "" }
        ))
    }

    /// A flat interface of water and rock inside cells, each of which is entirely one or the other.
    fn moved_contact(&self, body: &Body) -> Option<String> {
        let &Interface::Flat(z) = body.top else { return None };
        let place = (z - self.grid.origin[2]) / self.grid.spacing[2];
        let [first, end] = self.inner(2).map(|k| k as f64);
        // The material at its centre determines the kind of a cell.
        let face = (place - 0.5).floor() + 1.0;
        let is_inside = first + ON_FACE < place && place < end - ON_FACE;
        (is_inside && (place - face).abs() > NEAR_FACE).then(|| {
            format!(
                "the interface of water and rock at z = {:.3} m is inside cells, and moves to {:.3} m on the grid. Choose a method.fd.grid_spacing \
                 that divides both its distance from the bottom of the box and the height of the box to avoid the shift",
                Number(z),
                Number(self.grid.origin[2] + face * self.grid.spacing[2])
            )
        })
    }

    /// Water, or rock next to it, that is thinner than a cell everywhere.
    fn thin_body(&self, setup: &Setup, body: &Body) -> Option<String> {
        let ([west, east], [south, north], [.., h]) = (self.inner(0), self.inner(1), self.grid.spacing);
        let mut thickest = 0.0_f64;
        for [i, j] in (south..north).flat_map(|j| (west..east).map(move |i| [i, j])) {
            let [x, y, _] = self.grid.centre([i, j, 0]);
            let top = body.top.elevation(x, y).min(setup.z[1]);
            let bottom = body.bottom.map_or(setup.z[0], |bottom| bottom.elevation(x, y).max(setup.z[0]));
            // Cell centres are half a cell above faces.
            let centres_below = |z: f64| ((z - self.grid.origin[2]) / h + 0.5).floor();
            if centres_below(top) > centres_below(bottom) {
                return None;
            }
            thickest = thickest.max(top - bottom);
        }
        (thickest > ON_FACE * h).then(|| {
            format!(
                "{} of {:.3} m is thinner than cells of {:.3} m, and is missing on the grid. Reduce method.fd.grid_spacing to resolve it",
                if body.is_fluid { "water" } else { "rock next to water" },
                Number(thickest),
                Number(h)
            )
        })
    }

    /// Paraxial sides that intersect interfaces.
    fn unstable_side(&self, setup: &Setup, bodies: &[Body]) -> Option<String> {
        let is_paraxial = |side: &BoxSide| side.axis() < 2 && self.boundaries.sides[*side as usize] == Side::Paraxial;
        let side = BoxSide::ALL.into_iter().find(is_paraxial)?;
        let is_mixed = |region: &Region| matches!(&region.material, Material::Volume(volume) if volume.has_contacts());
        let has_contacts = bodies.len() > 1
            || !matches!(setup.model.surface(), Interface::Flat(_))
            || setup.model.regions().iter().any(is_mixed);
        has_contacts.then(|| {
            format!(
                "instability is possible at {}, where the paraxial condition of method.fd.absorbing meets interfaces of water, rock and air. Use cpml \
                 instead",
                side.name()
            )
        })
    }

    /// Surfaces with a step of more than one cell across a periodic side.
    fn cliff(&self, setup: &Setup) -> Option<String> {
        let ends = [setup.x, setup.y];
        let jump = |surface: &Interface, axis: usize| {
            let height = |at: f64, across: f64| match axis {
                0 => surface.elevation(at, across),
                _ => surface.elevation(across, at),
            };
            let [first, end] = self.inner(1 - axis);
            let columns = (first..end).map(|index| self.grid.centre([index; 3])[1 - axis]);
            let of_column = |across: f64| (height(ends[axis][1], across) - height(ends[axis][0], across)).abs();
            columns.map(of_column).fold(0.0, f64::max)
        };
        let axes = (0..2).filter(|&axis| self.boundaries.sides[2 * axis] == Side::Periodic);
        let regions = setup.model.regions();
        let jumps = axes.flat_map(|axis| (0..regions.len()).map(move |region| (axis, region)));
        let jumps = jumps.map(|(axis, region)| (jump(&regions[region].top, axis), axis, region));
        let (height, axis, region) = jumps.max_by(|a, b| a.0.total_cmp(&b.0))?;
        (height > self.grid.spacing[2] * (1.0 + ON_FACE)).then(|| {
            format!(
                "{} has a step of {:.3} m between the periodic sides {} and {}. Give both sides the same heights",
                if region == 0 { "the ground".to_owned() } else { format!("the top of layer {}", region + 1) },
                Number(height),
                BoxSide::ALL[2 * axis + 1].name(),
                BoxSide::ALL[2 * axis].name()
            )
        })
    }

    /// A sponge that covers the whole grid.
    fn wide_sponge(&self, fd: &Fd) -> Option<String> {
        let (cells, across) = BoxSide::ALL.into_iter().find_map(|side| {
            let (cells, across) = (fd.sponge.as_ref()?.at(side)?.0, self.grid.cells[side.axis()]);
            (cells >= across).then_some((cells, across))
        })?;
        Some(format!(
            "method.fd.sponge.cells = {cells} covers all {across} cells of the grid between its sides: reduce it"
        ))
    }

    /// An absorbing layer that is thicker than the box.
    fn wide_layer(&self) -> Option<String> {
        let side = BoxSide::ALL.into_iter().find(|&side| {
            let [first, end] = self.inner(side.axis());
            self.around[side.axis()][side as usize % 2] > end - first
        })?;
        let [first, end] = self.inner(side.axis());
        Some(format!(
            "the absorbing layer of {} cells at {} is thicker than the box with {} cells. Usually 10 cells are sufficient \
             (method.fd.absorbing)",
            self.around[side.axis()][side as usize % 2],
            side.name(),
            end - first
        ))
    }

    /// Sources and receivers inside a sponge.
    fn in_sponge(&self, setup: &Setup) -> Option<String> {
        let is_damped = |position: [f64; 3]| {
            let place = self.grid.in_cells(position);
            BoxSide::ALL.into_iter().any(|side| {
                let (along, all) = (place[side.axis()], self.grid.cells[side.axis()] as f64);
                let depth = if (side as usize).is_multiple_of(2) { along } else { all - along };
                self.boundaries.sponges[side as usize].is_some_and(|sponge| depth < sponge.cells as f64)
            })
        };
        let sources = setup.sources.iter().map(|source| (source.name().to_owned(), source.position()));
        let receivers = setup.receivers.iter().map(|receiver| (receiver.code(), receiver.position()));
        let damped: Vec<String> =
            sources.chain(receivers).filter(|&(_, at)| is_damped(at)).map(|(name, _)| name).collect();
        let stand = match damped.len() {
            0 => return None,
            1 => " is".to_owned(),
            count => format!(" and {} more are", count - 1),
        };
        Some(format!(
            "{}{stand} in the sponge, which damps waves. Move them away from its sides, or reduce method.fd.sponge.cells",
            damped[0]
        ))
    }

    /// A grid that is too coarse.
    fn coarse(&self, setup: &Setup, fd: &Fd) -> Option<String> {
        let resolved = self.resolution(setup, fd).resolved_frequency;
        let remedy = if fd.grid_spacing.is_some() {
            "lower method.fd.grid_spacing"
        } else {
            "raise method.fd.points_per_wavelength"
        };
        (resolved < ENOUGH * fd.max_frequency).then(|| {
            format!(
                "the grid resolves only {:.4} Hz with {:.2} points per wavelength, less than method.fd.max_frequency = {} Hz: {remedy} or leave it \
                 out",
                Number(resolved),
                Number(resolving_points(fd)),
                Number(fd.max_frequency)
            )
        })
    }
}

/// Adjacent regions that are all fluid, or all solid.
struct Body<'a> {
    is_fluid: bool,
    top: &'a Interface,
    /// `None` if it extends to the bottom of the box.
    bottom: Option<&'a Interface>,
}

/// Elevations [m] of the flat interfaces of water and rock.
pub fn flat_contacts(setup: &Setup) -> Vec<f64> {
    let of_body = |body: &Body| match body.top {
        Interface::Flat(z) => Some(*z),
        _ => None,
    };
    bodies(setup)[1..].iter().filter_map(of_body).collect()
}

/// The bodies of the Earth model from the top down, at least one.
fn bodies(setup: &Setup) -> Vec<Body<'_>> {
    let [x, y] = [setup.x, setup.y].map(|[from, to]| 0.5 * (from + to));
    let mut bodies: Vec<Body> = Vec::new();
    for (number, region) in setup.model.regions().iter().enumerate() {
        let is_fluid = setup.model.medium(number, [x, y, region.top.elevation(x, y)]).is_fluid();
        if let Some(above) = bodies.last_mut() {
            if above.is_fluid == is_fluid {
                continue;
            }
            above.bottom = Some(&region.top);
        }
        bodies.push(Body { is_fluid, top: &region.top, bottom: None });
    }
    bodies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Method;
    use crate::written::Scenario;

    fn warnings(example: &str, more: &[&str]) -> Vec<String> {
        let file = format!("{}/../../examples/{example}/{example}.toml", env!("CARGO_MANIFEST_DIR"));
        let changes = ["method={ fd = { max_frequency = 2.0, grid_spacing = 80.0 } }", "output.snapshots={}"];
        let changes: Vec<String> = changes.iter().chain(more).map(|&change| change.to_owned()).collect();
        let setup = Setup::new(&Scenario::read(file.as_ref(), &changes).unwrap()).unwrap();
        let Method::Fd(fd) = &setup.method else { unreachable!("the method is finite differences") };
        GridPlan::new(&setup, fd).warnings(&setup, fd)
    }

    #[test]
    fn staircase_steps_are_reported_relative_to_the_shortest_wavelength() {
        let found = warnings("valley", &[]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("steps of 80.000 m, 0.094 of the shortest wavelength at 2 Hz"), "{found:?}");
        assert_eq!(warnings("two_layers", &[]), Vec::<String>::new(), "level ground");
    }

    #[test]
    fn delayed_rayleigh_waves_are_reported_with_a_sufficient_spacing() {
        let force = "source=[{ position = [0.0, 0.0, 0.0], force = [0.0, 0.0, 1e9], time_function.gaussian = { sigma = 0.4 } }]";
        let coarse = "method.fd.grid_spacing=130.0";
        let found = warnings("half_space", &[force, coarse]);
        let rayleigh: Vec<&String> =
            found.iter().filter(|warning| warning.starts_with("Rayleigh waves of 2 Hz")).collect();
        assert_eq!(rayleigh.len(), 1, "{rayleigh:?}");
        let is_complete = rayleigh[0].contains("to XX.R3, 5 wavelengths") && rayleigh[0].contains("grid_spacing of 10");
        assert!(is_complete, "{rayleigh:?}");
        let deep = force.replace("0.0], force", "-700.0], force");
        assert!(
            !warnings("half_space", &[&deep, coarse]).iter().any(|warning| warning.starts_with("Rayleigh")),
            "a source too deep for them"
        );
        let absorbing = "boundaries.top=absorbing";
        assert!(
            !warnings("half_space", &[force, coarse, absorbing]).iter().any(|warning| warning.starts_with("Rayleigh")),
            "no free top"
        );
    }
}
