//! Water above rock in a volume, as two regions: elements follow the sea bottom.

use std::sync::Arc;

use craton_model::{EarthModel, ElevationGrid, Interface, LossField, Material, Region, Volume, VolumeAxis};

use super::findings::{Checked, bad_model, of_file};
use crate::config::Volumes;
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// The points of a volume, x fastest, then y, then z.
pub struct VolumePoints<'a> {
    /// Coordinates of the points.
    pub axes: [VolumeAxis; 3],
    /// vp, vs [m/s] and density [kg/m³].
    pub values: [&'a [f32]; 3],
}

impl VolumePoints<'_> {
    /// The model with water above a sea bottom half way between points of water and rock, and rock below it. The media of both continue vertically beyond the bottom.
    ///
    /// # Arguments
    /// * `surface` – the top of the water
    /// * `losses` – losses of the rock
    /// # Errors
    /// A column without water or without rock, or with rock above water.
    ///
    /// Verified by `a_volume_with_water_equals_its_layers`.
    pub fn with_sea(
        &self,
        surface: &Interface,
        losses: LossField,
        volume: &Volumes,
        path: &KeyPath,
    ) -> Checked<EarthModel> {
        let [nx, ny, nz] = self.axes.map(|axis| axis.count);
        let column_length = nx * ny;
        let mut bottoms = Vec::with_capacity(column_length);
        for column in 0..column_length {
            let is_fluid = |k: usize| self.values[1][k * column_length + column] == 0.0;
            let rock = (0..nz).take_while(|&k| !is_fluid(k)).count();
            if rock == 0 || rock == nz || !(rock..nz).all(is_fluid) {
                return Err(self.bad_column(column, volume, path));
            }
            bottoms.push(rock);
        }
        let of_phase = |is_water: bool| {
            let filled = self.values.map(|values| {
                let source = |at: usize| {
                    let (k, column) = (at / column_length, at % column_length);
                    let own = if is_water { k.max(bottoms[column]) } else { k.min(bottoms[column] - 1) };
                    values[own * column_length + column]
                };
                (0..values.len()).map(source).collect::<Vec<f32>>()
            });
            Volume::new(self.axes, filled.each_ref().map(|values| &values[..]))
        };
        let bottom = Interface::Grid(Arc::new(self.bottom(&bottoms).map_err(|error| bad_model(&error, path))?));
        let [water, rock] = [of_phase(true), of_phase(false)];
        let region = |top, made: Result<Volume, _>| {
            made.map(|volume| Region::elastic(top, Material::from(volume))).map_err(|error| bad_model(&error, path))
        };
        let regions = vec![region(surface.clone(), water)?, region(bottom, rock)?];
        let model = EarthModel::new(regions).map_err(|error| bad_model(&error, path))?;
        Ok(model.with_losses(vec![LossField::NONE, losses]))
    }

    /// The sea bottom, extended by a spacing on all sides.
    ///
    /// # Arguments
    /// * `bottoms` – number of points of rock in each column
    fn bottom(&self, bottoms: &[usize]) -> Result<ElevationGrid, craton_model::ModelError> {
        let [x, y, z] = self.axes;
        let height = |rock: usize| z.first + (rock as f64 - 0.5) * z.spacing;
        let inside = |index: usize, axis: &VolumeAxis| index.saturating_sub(1).min(axis.count - 1);
        let rows = (0..y.count + 2).flat_map(|j| (0..x.count + 2).map(move |i| [i, j]));
        let heights: Vec<f64> = rows.map(|[i, j]| height(bottoms[inside(i, &x) + x.count * inside(j, &y)])).collect();
        // A volume with a single point along an axis is constant along it.
        let far = |axis: &VolumeAxis| if axis.count > 1 { axis.spacing } else { 1e9 };
        let origin = [x, y].map(|axis| axis.first - far(&axis));
        ElevationGrid::new(origin, [x, y].map(|axis| far(&axis)), [x.count + 2, y.count + 2], &heights)
    }

    /// The problem of a column that is not water above rock.
    fn bad_column(&self, column: usize, volume: &Volumes, path: &KeyPath) -> Box<Problem> {
        let [x, y, _] = self.axes;
        let at = |axis: VolumeAxis, index: usize| Number(axis.first + index as f64 * axis.spacing);
        let (x, y) = (at(x, column % x.count), at(y, column / x.count));
        let message = format!("has water, but not water above rock, at x = {x}, y = {y} m");
        let problem = Problem::new(path.key("vs").key("file"), message)
            .allowed("water above rock everywhere, for spectral elements");
        of_file(problem.hint("use [method.fd], or end the domain where the water ends"), &volume.vs.file)
    }
}
