//! Warnings about the grid of a survey.

use craton_acquisition::survey::{Array, Shot};
use craton_fd::acoustic::{AcousticField, AcousticMedium};

use super::acoustic::RADIUS;
use super::{Grids, Physics};
use crate::gridding::points_per_wavelength;
use crate::number::{Number, counted};
use crate::survey::config::Quantity;
use crate::survey::setup::Setup;

/// Distance in cells between source and receiver below which velocities, and the fields of forces, are inaccurate: at
/// ten cells the error is 1.6 %.
const FAR_ENOUGH: usize = 12;
/// Distance in cells from the source beyond which the error of the pressure of a monopole is known.
const KNOWN_FROM: f64 = 0.5;

impl Grids {
    /// Warnings about coarse sampling and positions on interfaces.
    pub fn warnings(&self, setup: &Setup) -> Vec<String> {
        let near = self.too_near(setup);
        match &self.physics {
            Physics::Acoustic(grid) => {
                self.dispersed(setup).into_iter().chain(near).chain(on_interfaces(&grid.medium, setup)).collect()
            }
            Physics::Elastic(grid) => grid.warnings().into_iter().chain(near).collect(),
        }
    }

    /// The warning about too few points per wavelength.
    fn dispersed(&self, setup: &Setup) -> Option<String> {
        let needed = setup.fd.points_per_wavelength.unwrap_or_else(|| points_per_wavelength(setup.fd.order));
        let warning = || {
            format!(
                "cells of {} m give {:.2} points per wavelength at {} Hz, but order {} requires {needed}. Waves above {:.3} Hz will disperse",
                Number(self.coarsest()),
                self.points_per_wavelength,
                Number(setup.fd.max_frequency),
                setup.fd.order,
                setup.fd.max_frequency * self.points_per_wavelength / needed
            )
        };
        (self.points_per_wavelength < 0.999 * needed).then(warning)
    }

    /// The warning about traces whose receiver is so near to its source that the direct wave is inaccurate because one
    /// of them is between grid points. For arrays the nearest elements count.
    fn too_near(&self, setup: &Setup) -> Option<String> {
        let spacing = self.grid().spacing;
        let cells = |[source, receiver]: [[f64; 3]; 2]| {
            let along = self.axes().map(|axis| (receiver[axis] - source[axis]) / spacing[axis]);
            along.map(|cells| cells * cells).sum::<f64>().sqrt()
        };
        let elastic = if let Physics::Elastic(grid) = &self.physics { Some(grid) } else { None };
        let is_pressure =
            elastic.is_none() && setup.source == AcousticField::Pressure && setup.heard == [Quantity::Pressure];
        let radius = match (elastic, is_pressure) {
            // The points of source and receiver overlap.
            (Some(grid), _) => 2 * grid.interpolation.radius(),
            (None, true) => RADIUS,
            (None, false) => FAR_ENOUGH,
        };
        let between_points = |[source, receiver]: [[f64; 3]; 2]| {
            let records_points = || setup.heard.iter().all(|quantity| self.is_point(quantity.field(), receiver));
            !(self.is_point(setup.source, source) && records_points())
        };
        let shortest = |source: &Array, receiver: &Array| {
            let to_all = |source: [f64; 3]| receiver.points().map(move |receiver| [source, receiver.position]);
            let pairs = source.points().flat_map(|source| to_all(source.position));
            pairs.filter(|&pair| between_points(pair)).map(cells).fold(f64::INFINITY, f64::min)
        };
        let traces_of = |shot: &Shot| {
            let of_shot = shot.spread.receivers().map(|receiver| shortest(&shot.source, &receiver.array));
            of_shot.collect::<Vec<_>>()
        };
        let near = setup.survey.shots().iter().flat_map(traces_of).filter(|&cells| cells < radius as f64);
        let (count, nearest) =
            near.fold((0_usize, f64::INFINITY), |(count, nearest), cells| (count + 1, nearest.min(cells)));
        let warning = || {
            let off = match (is_pressure && nearest >= KNOWN_FROM, self.is_plane) {
                (true, true) => "in error by up to 6 %",
                (true, false) => "in error by up to 30 %",
                _ => "unreliable",
            };
            format!(
                "{} with the receiver closer to the source than {radius} cells of {} m: the direct wave is {off}",
                counted(count, "trace"),
                Number(self.coarsest())
            )
        };
        (count > 0).then(warning)
    }
}

/// The note about sources and receivers on an interface, where density jumps.
fn on_interfaces(medium: &AcousticMedium<f32>, setup: &Setup) -> Option<String> {
    let is_on = |array: &Array| array.points().any(|point| medium.is_on_interface(point.position));
    let shots = setup.survey.shots();
    let sources = shots.iter().filter(|shot| is_on(&shot.source)).count();
    let receivers =
        shots.iter().flat_map(|shot| shot.spread.receivers()).filter(|receiver| is_on(&receiver.array)).count();
    (sources + receivers > 0).then(|| {
        format!(
            "{} and the receivers of {} lie on a jump of density and belong to the medium below it, or east or north of it",
            counted(sources, "source"),
            counted(receivers, "trace")
        )
    })
}
