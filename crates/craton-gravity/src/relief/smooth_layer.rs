//! The gravity of a layer below a smooth surface as a linear function of the densities of its columns, and its transpose.

use craton_device::{Isa, Workers};

use super::Relief;
use crate::transpose::transpose_leaving_out_edges_while;
use crate::{Field, Fields, GoOn, Gravity, GravityError, Points, Prism, Prisms, forward_while};

/// Smallest thickness of a column, in the larger of its sides; thinner ones have no prism.
const THIN: f64 = 1e-12;

/// A layer between a smooth surface and a bottom: prisms with flat tops, and the correction of a [`Relief`].
pub struct SmoothLayer {
    relief: Relief,
    /// Prisms, and for each its column and the sign of its density.
    prisms: Prisms,
    columns: Vec<(usize, f64)>,
}

impl SmoothLayer {
    /// A layer below a surface through heights.
    ///
    /// If the bottom is level, the surface is clamped to it. Otherwise a column whose surface lies below its bottom has the opposite of its density.
    ///
    /// # Arguments
    /// * `x`, `y` – grid points [m], ascending, at least two each; a column reaches halfway to the neighbouring points
    /// * `heights`, `bottom` – z at the points [m], x fastest
    /// # Errors
    /// As [`Relief::new`]; [`GravityError::Count`] for a wrong number of bottoms.
    pub fn new(x: Vec<f64>, y: Vec<f64>, heights: Vec<f64>, bottom: &[f64]) -> Result<Self, GravityError> {
        GravityError::check_count("heights of the bottom", bottom.len(), "points of the grid", x.len() * y.len())?;
        let is_level = bottom.iter().all(|z| *z == bottom[0]);
        let relief = match is_level {
            true => Relief::clamped(x, y, heights, bottom.iter().map(|&z| [z, f64::INFINITY]).collect())?,
            false => Relief::new(x, y, heights)?,
        };
        let (mut prisms, mut columns, mut bases) = (Vec::new(), Vec::new(), relief.flat().to_vec());
        for (column, (&flat, &bottom)) in relief.flat().iter().zip(bottom).enumerate() {
            let [i, j] = relief.place(column);
            let ([west, east], [south, north]) = (sides(&relief.x.edges, i), sides(&relief.y.edges, j));
            if (flat - bottom).abs() <= THIN * (east - west).max(north - south) {
                continue;
            }
            let (low, high, sign) = if flat > bottom { (bottom, flat, 1.0) } else { (flat, bottom, -1.0) };
            prisms.push(Prism { west, east, south, north, bottom: low, top: high, density: 0.0 });
            columns.push((column, sign));
            bases[column] = bottom;
        }
        Ok(Self { relief: relief.with_bases(bases)?, prisms: Prisms::new(prisms)?, columns })
    }

    /// Restricts the correction to columns near the points, as [`Relief::within`].
    pub fn within(self, radius: usize) -> Self {
        Self { relief: self.relief.within(radius), ..self }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.relief.columns()
    }

    /// Gravity at points; returns `None` if `go_on` returns `false`.
    ///
    /// # Arguments
    /// * `density` – of each column [kg/m³], x fastest
    /// * `fields`, `isa`, `go_on` – as for [`Relief::forward_while`]
    /// # Errors
    /// [`GravityError::Count`] unless there is one density per column, [`GravityError::NotFinite`] for a density that is not finite.
    pub fn forward_while(
        &self,
        density: &[f64],
        points: &Points,
        fields: Fields,
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Result<Option<Gravity>, GravityError> {
        GravityError::check_count("densities", density.len(), "columns", self.columns())?;
        let mut prisms = self.prisms.clone();
        let of_prisms: Vec<f64> = self.columns.iter().map(|&(column, sign)| sign * density[column]).collect();
        prisms.set_density(&of_prisms)?;
        let flat = forward_while(&prisms, points, fields.leaving_out_edges(), workers, isa, go_on);
        let more = self.relief.forward_while(density, points, fields.leaving_out_edges(), workers, isa, go_on)?;
        let (Some(mut gravity), Some(more)) = (flat, more) else { return Ok(None) };
        gravity.add(&more);
        Ok(Some(gravity))
    }

    /// For each column, the sum over points and fields of its field per unit density times a weight: the transpose of
    /// [`SmoothLayer::forward_while`].
    ///
    /// # Arguments
    /// * `weights` – fields, each with one weight per point
    /// # Errors
    /// [`GravityError::Count`] unless every field has one weight per point. Verified by `relief_linear::a_smooth_layer_has_an_exact_transpose`.
    pub fn transpose_while(
        &self,
        points: &Points,
        weights: &[(Field, &[f64])],
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Result<Option<Vec<f64>>, GravityError> {
        let of_prisms = transpose_leaving_out_edges_while(&self.prisms, points, weights, workers, isa, &|_| go_on())?;
        let sums = self.relief.transpose_while(points, weights, workers, isa, go_on)?;
        let (Some(of_prisms), Some(mut sums)) = (of_prisms, sums) else { return Ok(None) };
        for (&(column, sign), value) in self.columns.iter().zip(of_prisms) {
            sums[column] += sign * value;
        }
        Ok(Some(sums))
    }
}

fn sides(edges: &[f64], column: usize) -> [f64; 2] {
    [edges[column], edges[column + 1]]
}
