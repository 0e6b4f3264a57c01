//! A medium on a regular grid.

use rayon::prelude::*;

use crate::profile::Waves;
use crate::{EarthModel, Elasticity, Material, Medium, ModelError};

/// Isotropic media on a regular grid, such as a velocity model of a survey or a tomographic model.
///
/// Speeds and density are interpolated linearly between points and are constant beyond the outermost ones. Fluids (vs = 0) and solids are
/// not mixed: a position is fluid or solid like its nearest point, and has the mean of the surrounding points of the same kind. So the sea
/// floor is sharp, halfway between points. Verified by `fluid_and_solid_are_not_mixed` and `between_points_a_medium_is_trilinear`.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    axes: [VolumeAxis; 3],
    /// vp, vs, rho of each point, x fastest, then y, then z.
    points: Vec<[f32; 3]>,
    /// Extreme wave speeds of each horizontal plane.
    planes: Vec<Waves>,
}

/// Coordinates of the points along an axis \[m\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumeAxis {
    /// Coordinate of the first point.
    pub first: f64,
    /// Spacing, above 0.
    pub spacing: f64,
    /// Number of points; with a single one, the medium is constant along the axis.
    pub count: usize,
}

/// Relative position above which the upper neighbour is nearest; a midpoint belongs to the lower point, within round-off.
const HALF: f64 = 0.5 + 1e-6;

impl VolumeAxis {
    /// Index of the point below a coordinate \[m\], and the weight of the next one.
    pub(crate) fn around(&self, place: f64) -> (usize, f64) {
        let along = ((place - self.first) / self.spacing).clamp(0.0, (self.count - 1) as f64);
        let lower = (along as usize).min(self.count.saturating_sub(2));
        (lower, along - lower as f64)
    }
}

impl Volume {
    /// Creates a volume from media at the points of a grid.
    ///
    /// # Arguments
    /// * `axes` – along x, y and z (up)
    /// * `vp`, `vs`, `rho` – speeds of P and S waves \[m/s\] and density \[kg/m³\] at all points, x fastest, then y, then z; a vs of 0 means a fluid
    /// # Errors
    /// The first point with an invalid medium, with its position.
    /// # Panics
    /// If the number of values differs from the number of points.
    pub fn new(axes: [VolumeAxis; 3], [vp, vs, rho]: [&[f32]; 3]) -> Result<Self, ModelError> {
        let [nx, ny, nz] = axes.map(|axis| axis.count);
        assert!(
            [vp, vs, rho].iter().all(|values| values.len() == nx * ny * nz),
            "a value for each of {nx} x {ny} x {nz} points"
        );
        let points: Vec<[f32; 3]> = (0..nx * ny * nz).map(|point| [vp[point], vs[point], rho[point]]).collect();
        let plane = |(number, plane): (usize, &[[f32; 3]])| {
            let waves = plane.iter().enumerate().map(|(point, own)| {
                let medium = checked(*own).map_err(|error| error.at(named(&axes, number * nx * ny + point)))?;
                Ok(Waves { slowest: [medium.slowest(); 2], fastest: medium.fastest() })
            });
            waves.reduce(|all, one| Ok(all?.and(one?))).expect("there is at least one point")
        };
        let planes: Vec<Result<Waves, ModelError>> = points.par_chunks(nx * ny).enumerate().map(plane).collect();
        Ok(Self { axes, planes: planes.into_iter().collect::<Result<_, _>>()?, points })
    }

    /// Axes along x, y and z.
    pub fn axes(&self) -> &[VolumeAxis; 3] {
        &self.axes
    }

    /// Medium at a position \[m\].
    pub fn medium(&self, position: [f64; 3]) -> Medium {
        let around: [_; 3] = std::array::from_fn(|axis| self.axes[axis].around(position[axis]));
        let strides = [1, self.axes[0].count, self.axes[0].count * self.axes[1].count];
        let lower: usize = (0..3).map(|axis| around[axis].0 * strides[axis]).sum();
        // Weights and offsets of the lower and the upper neighbours.
        let weights = around.map(|(_, share)| [1.0 - share, share]);
        let is_nearest = |axis: &usize| around[*axis].1 > HALF;
        let nearest = self.points[lower + (0..3).filter(is_nearest).map(|axis| strides[axis]).sum::<usize>()];
        // Sum differences, so that equal values have no round-off.
        let (mut sums, mut total_weight) = ([0.0; 3], 0.0);
        for corner in 0..8 {
            let [x, y, z] = [corner & 1, corner >> 1 & 1, corner >> 2];
            let weight = weights[0][x] * weights[1][y] * weights[2][z];
            if weight <= 0.0 {
                continue;
            }
            let point = self.points[lower + x + strides[1] * y + strides[2] * z];
            if (point[1] == 0.0) != (nearest[1] == 0.0) {
                continue;
            }
            for ((sum, own), nearest) in sums.iter_mut().zip(point).zip(nearest) {
                *sum += weight * (f64::from(own) - f64::from(nearest));
            }
            total_weight += weight;
        }
        let [vp, vs, rho] = [0, 1, 2].map(|property| f64::from(nearest[property]) + sums[property] / total_weight);
        Medium::of_checked(Elasticity::Isotropic { vp, vs }, rho)
    }

    /// Extreme wave speeds between two heights \[m\].
    pub(crate) fn waves(&self, [low, high]: [f64; 2]) -> Waves {
        let [(first, _), (last, share)] = [low, high].map(|z| self.axes[2].around(z));
        let last = last + usize::from(share > 0.0);
        self.planes[first + 1..=last].iter().fold(self.planes[first], |waves, plane| waves.and(*plane))
    }

    /// Position \[m\] of the slowest wave within a box: a point, the highest and most central one of several, or a position on the side of the
    /// box if a point beyond it is the slowest of those that determine its media.
    ///
    /// # Arguments
    /// * `within` – limits along x, y and z \[m\]
    pub(crate) fn slowest_place(&self, within: [[f64; 2]; 3]) -> [f64; 3] {
        let range = |axis: usize| {
            let [(first, _), (last, share)] = within[axis].map(|place| self.axes[axis].around(place));
            first..=last + usize::from(share > 0.0)
        };
        let middle = within.map(|[from, to]| 0.5 * (from + to));
        let along = |axis: usize, number: usize| match self.axes[axis] {
            VolumeAxis { count: 1, .. } => middle[axis],
            VolumeAxis { first, spacing, .. } => {
                (first + number as f64 * spacing).clamp(within[axis][0], within[axis][1])
            }
        };
        let [nx, ny, _] = self.axes.map(|axis| axis.count);
        let mut slowest = (f32::INFINITY, f64::INFINITY, middle);
        for k in range(2).rev() {
            if self.planes[k].slowest[0] >= f64::from(slowest.0) {
                continue;
            }
            for (j, i) in range(1).flat_map(|j| range(0).map(move |i| (j, i))) {
                let [vp, vs, _] = self.points[(k * ny + j) * nx + i];
                let speed = if vs == 0.0 { vp } else { vs };
                let place = [along(0, i), along(1, j), along(2, k)];
                let aside = (place[0] - middle[0]).hypot(place[1] - middle[1]);
                if speed < slowest.0 || (speed == slowest.0 && place[2] == slowest.2[2] && aside < slowest.1) {
                    slowest = (speed, aside, place);
                }
            }
        }
        slowest.2
    }

    /// Position \[m\] of the fastest wave at the points in and next to a box, moved into the box.
    ///
    /// # Arguments
    /// * `within` – limits along x, y and z \[m\]
    pub(crate) fn fastest_place(&self, within: [[f64; 2]; 3]) -> [f64; 3] {
        let range = |axis: usize| {
            let [(first, _), (last, share)] = within[axis].map(|place| self.axes[axis].around(place));
            first..=last + usize::from(share > 0.0)
        };
        let [nx, ny, _] = self.axes.map(|axis| axis.count);
        let mut fastest = (f32::NEG_INFINITY, [0; 3]);
        for k in range(2) {
            if self.planes[k].fastest <= f64::from(fastest.0) {
                continue;
            }
            for (j, i) in range(1).flat_map(|j| range(0).map(move |i| (j, i))) {
                let vp = self.points[(k * ny + j) * nx + i][0];
                if vp > fastest.0 {
                    fastest = (vp, [i, j, k]);
                }
            }
        }
        [0, 1, 2].map(|axis| {
            let VolumeAxis { first, spacing, count } = self.axes[axis];
            let [from, to] = within[axis];
            let place = first + fastest.1[axis] as f64 * spacing;
            if count == 1 { 0.5 * (from + to) } else { place.clamp(from, to) }
        })
    }

    /// Whether the volume has both fluid and solid points.
    pub fn has_contacts(&self) -> bool {
        self.points.iter().any(|point| point[1] == 0.0) && !self.is_fluid()
    }

    /// Whether all points are fluid.
    pub fn is_fluid(&self) -> bool {
        self.points.iter().all(|point| point[1] == 0.0)
    }

    /// Whether all points have the same medium.
    pub(crate) fn is_constant(&self) -> bool {
        self.points.iter().all(|point| *point == self.points[0])
    }
}

impl EarthModel {
    /// Position \[m\] of the slowest wave of a region that is a volume, within limits along x, y and z \[m\], without a perturbation; `None` for other
    /// materials.
    pub fn slowest_place_in_volume(&self, region: usize, within: [[f64; 2]; 3]) -> Option<[f64; 3]> {
        match &self.regions()[region].material {
            Material::Volume(volume) => Some(volume.slowest_place(within)),
            _ => None,
        }
    }

    /// Position \[m\] of the fastest wave of a region that is a volume, as [`Self::slowest_place_in_volume`].
    pub fn fastest_place_in_volume(&self, region: usize, within: [[f64; 2]; 3]) -> Option<[f64; 3]> {
        match &self.regions()[region].material {
            Material::Volume(volume) => Some(volume.fastest_place(within)),
            _ => None,
        }
    }
}

fn checked([vp, vs, rho]: [f32; 3]) -> Result<Medium, ModelError> {
    Medium::isotropic(f64::from(vp), f64::from(vs), f64::from(rho))
}

/// Describes a point by its position.
fn named(axes: &[VolumeAxis; 3], point: usize) -> String {
    let [nx, ny, _] = axes.map(|axis| axis.count);
    let numbers = [point % nx, point / nx % ny, point / (nx * ny)];
    let [x, y, z] = std::array::from_fn(|axis| {
        let place = axes[axis].first + numbers[axis] as f64 * axes[axis].spacing;
        // Remove round-off digits of sums of spacings.
        (1e6 * place).round() / 1e6
    });
    format!("at x = {x}, y = {y}, z = {z} m")
}

#[cfg(test)]
mod tests {
    use super::*;

    const AXES: [VolumeAxis; 3] = [
        VolumeAxis { first: 10.0, spacing: 5.0, count: 3 },
        VolumeAxis { first: -4.0, spacing: 2.0, count: 2 },
        VolumeAxis { first: -30.0, spacing: 10.0, count: 4 },
    ];

    fn places() -> impl Iterator<Item = [f64; 3]> {
        let place = |number: usize, axis: usize| AXES[axis].first + number as f64 * AXES[axis].spacing;
        (0..24).map(move |point| [place(point % 3, 0), place(point / 3 % 2, 1), place(point / 6, 2)])
    }

    /// Speeds and density that depend linearly on the position.
    fn linear([x, y, z]: [f64; 3]) -> [f64; 3] {
        [3000.0 + 7.0 * x - 5.0 * y - 3.0 * z, 1700.0 + x + 2.0 * y - 2.0 * z, 2300.0 + 0.5 * x - y - 0.25 * z]
    }

    fn volume(of: impl Fn([f64; 3]) -> [f64; 3]) -> Result<Volume, ModelError> {
        let values = [0, 1, 2].map(|property| places().map(|place| of(place)[property] as f32).collect::<Vec<_>>());
        Volume::new(AXES, values.each_ref().map(Vec::as_slice))
    }

    fn properties(medium: &Medium) -> [f64; 3] {
        let Elasticity::Isotropic { vp, vs } = *medium.elasticity() else { panic!("an isotropic medium") };
        [vp, vs, medium.rho()]
    }

    #[test]
    fn between_points_a_medium_is_trilinear() {
        let volume = volume(linear).unwrap();
        let near = |place: [f64; 3], wanted: [f64; 3]| {
            let own = properties(&volume.medium(place));
            assert!(own.iter().zip(wanted).all(|(own, wanted)| (own - wanted).abs() < 1e-3), "{place:?}: {own:?}");
        };
        for place in [[10.0, -4.0, -30.0], [12.5, -3.1, -17.0], [20.0, -2.0, 0.0], [19.9, -2.5, -9.0]] {
            near(place, linear(place));
        }
        near([0.0, 5.0, 40.0], linear([10.0, -2.0, 0.0]));
        let [low, high] = [-17.0, -12.0];
        let speeds: Vec<_> = places().filter(|place| (-20.0..=-10.0).contains(&place[2])).map(linear).collect();
        let waves = volume.waves([low, high]);
        let least = speeds.iter().map(|speeds| speeds[1]).fold(f64::INFINITY, f64::min);
        let most = speeds.iter().map(|speeds| speeds[0]).fold(0.0, f64::max);
        assert!((waves.slowest[0] - least).abs() < 1e-3 && (waves.fastest - most).abs() < 1e-3, "{waves:?}");
    }

    #[test]
    fn fluid_and_solid_are_not_mixed() {
        let sea = |place: [f64; 3]| if place[2] > -15.0 { [1500.0, 0.0, 1000.0] } else { linear(place) };
        let volume = volume(sea).unwrap();
        assert_eq!(properties(&volume.medium([13.0, -3.0, -14.9])), [1500.0, 0.0, 1000.0]);
        let floor = properties(&volume.medium([15.0, -4.0, -15.1]));
        let below = linear([15.0, -4.0, -20.0]);
        assert!(floor.iter().zip(below).all(|(own, wanted)| (own - wanted).abs() < 1e-3), "{floor:?}");
        assert_eq!(volume.waves([-5.0, 0.0]).slowest, [1500.0, 1500.0]);
        // Halfway between two points the lower one applies, within round-off.
        for noise in [-1e-7, 0.0, 1e-7] {
            assert!(!volume.medium([12.5, -3.0, -15.0 + noise]).is_fluid());
        }
    }

    #[test]
    fn the_slowest_wave_is_at_a_point_or_on_a_side_of_the_box() {
        let slow =
            |at: [f64; 3]| volume(move |place| if place == at { [2000.0, 900.0, 2000.0] } else { linear(place) });
        let whole = [[10.0, 20.0], [-4.0, -2.0], [-30.0, 0.0]];
        for at in places() {
            assert_eq!(slow(at).unwrap().slowest_place(whole), at);
        }
        let volume = slow([15.0, -2.0, -10.0]).unwrap();
        // The point is beyond the box, but its media near the side depend on it.
        assert_eq!(volume.slowest_place([[10.0, 14.0], [-4.0, -2.0], [-30.0, 0.0]]), [14.0, -2.0, -10.0]);
        // Farther away it does not matter: vs is least at the lowest x and y, and the highest z, of the planes around the box.
        assert_eq!(volume.slowest_place([[10.0, 20.0], [-4.0, -2.0], [-30.0, -22.0]]), [10.0, -4.0, -22.0]);
        let constant =
            Volume::new([VolumeAxis { first: 0.0, spacing: 1.0, count: 1 }; 3], [&[3000.0], &[0.0], &[1000.0]]);
        assert_eq!(constant.unwrap().slowest_place(whole), [15.0, -3.0, -15.0]);
    }

    #[test]
    fn the_fastest_wave_is_at_a_point_of_the_box() {
        let whole = [[10.0, 20.0], [-4.0, -2.0], [-30.0, 0.0]];
        for at in places() {
            let fast = volume(|place| if place == at { [6000.0, 3000.0, 2600.0] } else { linear(place) }).unwrap();
            assert_eq!(fast.fastest_place(whole), at);
        }
    }

    #[test]
    fn a_point_with_an_invalid_medium_is_reported() {
        let wrong = |place: [f64; 3]| match place == [15.0, -2.0, -10.0] {
            true => [3000.0, 2900.0, 2300.0],
            false => linear(place),
        };
        let message = volume(wrong).unwrap_err().to_string();
        assert!(message.starts_with("at x = 15, y = -2, z = -10 m: vs = 2900 is not allowed"), "{message}");
    }
}
