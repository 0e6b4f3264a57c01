//! From the fluid of cells to the points of a gridded model: transposes of averages over cells, and of interpolation.

use craton_fd::Grid;
use craton_fd::acoustic::{FluidGradient, slabs_transposed};

use super::volumes::{Density, Volumes};
use super::{Fluid, Kind};
use crate::config::VolumeFile;
use crate::density::density_slope;
use crate::sampled::Sampled;
use crate::survey::{ModelGradient, config};

impl Fluid {
    /// Number of points of the gridded speeds and densities; 0 without a grid.
    pub fn grid_sizes(&self) -> [usize; 2] {
        let grids = self.grids();
        [0, 1].map(|number| grids.get(number).map_or(0, |grid| grid.values.len()))
    }

    /// Configuration and values of the grids of speed and, if there is one, of density.
    pub fn grids_of<'a>(&'a self, model: &'a config::Model) -> Vec<(&'a VolumeFile, &'a Sampled)> {
        let config::Model::Volume(files) = model else { return Vec::new() };
        let density = match &files.density {
            Some(config::Density::File(file)) => Some(file),
            _ => None,
        };
        [Some(&files.velocity), density].into_iter().flatten().zip(self.grids()).collect()
    }

    /// Values of the grids of speed and, if there is one, of density.
    pub fn grids(&self) -> Vec<&Sampled> {
        let Kind::Volumes(volumes) = &self.kind else { return Vec::new() };
        let density = if let Density::Sampled(rho) = &volumes.rho { Some(rho) } else { None };
        [&volumes.vp].into_iter().chain(density).collect()
    }

    /// Whether the density is derived from the speed.
    pub fn density_follows_speed(&self) -> bool {
        matches!(&self.kind, Kind::Volumes(volumes) if volumes.rho == Density::OfSpeed)
    }

    /// Adds the gradient of the cells of a box to that of the points of the model. The fluid has no attenuation.
    ///
    /// # Arguments
    /// * `grid`, `edges` – the cells, and their edge lengths [m]: 0 along y in two dimensions
    pub fn add_gradient(&self, grid: &Grid, edges: [f64; 3], gradient: &FluidGradient, into: &mut ModelGradient) {
        let Kind::Volumes(volumes) = &self.kind else { return };
        let varies = self.varies_in_cells(edges);
        let [nx, ny, _] = grid.cells;
        for number in 0..grid.n_cells() {
            let of_shares = gradient.shares.get(number).copied().unwrap_or_default();
            let of_centre = gradient.rho.get(number).copied().unwrap_or(0.0);
            let all = of_shares.as_flattened().iter().chain([&of_centre, &gradient.kappa[number]]);
            if all.into_iter().all(|&value| value == 0.0) {
                continue;
            }
            let centre = grid.centre([number % nx, number / nx % ny, number / (nx * ny)]);
            if varies {
                self.add_samples(volumes, (centre, edges), gradient.kappa[number], of_shares, into);
                volumes.add(centre, [0.0, of_centre], into);
            } else {
                let own = volumes.at(centre).material;
                volumes.add(centre, gradient.of_material(number, own.vp, own.rho), into);
            }
        }
    }

    /// The samples of a cell: the transpose of [`slabs`](Self::slabs) and of the effective fluid.
    fn add_samples(
        &self,
        volumes: &Volumes,
        (centre, edges): ([f64; 3], [f64; 3]),
        of_kappa: f64,
        of_shares: [[f64; 2]; 3],
        into: &mut ModelGradient,
    ) {
        let slabs = self.slabs(volumes, centre, edges);
        let samples: usize = volumes.places(edges).iter().product();
        let of_slabs = [0, 1, 2].map(|axis| {
            let of_kappa = if axis == 2 { of_kappa } else { 0.0 };
            slabs_transposed(&slabs[axis], of_kappa, of_shares[axis])
        });
        for (place, position) in volumes.samples(centre, edges) {
            let own = volumes.at(position);
            let (vp, rho, kappa) = (own.material.vp, own.material.rho, own.kappa());
            let (mut of_rho, mut of_kappa) = (0.0, 0.0);
            for axis in 0..3 {
                // ρ and κ of a slab are harmonic means.
                let (slab, [own_rho, own_kappa]) = (&slabs[axis][place[axis]], of_slabs[axis][place[axis]]);
                let share = slabs[axis].len() as f64 / samples as f64;
                of_rho += own_rho * share * (slab.rho / rho) * (slab.rho / rho);
                of_kappa += own_kappa * share * (slab.kappa / kappa) * (slab.kappa / kappa);
            }
            volumes.add(position, [2.0 * rho * vp * of_kappa, of_rho + vp * vp * of_kappa], into);
        }
    }
}

impl Volumes {
    /// Adds derivatives with respect to speed and density at a position.
    fn add(&self, position: [f64; 3], [of_vp, of_rho]: [f64; 2], into: &mut ModelGradient) {
        let of_vp = match &self.rho {
            Density::OfSpeed => of_vp + of_rho * density_slope(self.vp.at(position)),
            _ => of_vp,
        };
        self.vp.spread(position, of_vp, &mut into.velocity);
        if let (Density::Sampled(rho), false) = (&self.rho, into.density.is_empty()) {
            rho.spread(position, of_rho, &mut into.density);
        }
    }
}
