//! Layout of the three views of a model, as large as the paper allows.

use crate::layout::{Area, MARGIN};
use crate::ticks;

/// Areas of the views and of the colour legend.
pub(crate) struct Places {
    /// x to the right, y upwards.
    pub(crate) plan: Area,
    /// x to the right, z upwards; below the plan.
    pub(crate) along_x: Area,
    /// Depth to the right, y upwards; to the right of the plan.
    pub(crate) along_y: Area,
    /// Bar or swatches; in the corner between the sections if it is large enough, otherwise on the far right.
    pub(crate) legend: Area,
    /// Height of the whole picture.
    pub(crate) height: f64,
    /// Factor on heights.
    pub(crate) exaggeration: f64,
}

impl Places {
    const LEFT: f64 = 54.0;
    const FOOT: f64 = 38.0;
    const GAP: [f64; 2] = [16.0, 34.0];
    const LEGEND: f64 = 100.0;

    /// Finds the largest scale at which all views fit below `top`.
    ///
    /// # Arguments
    /// * `spans` – extent of the domain along x, y and z \[m\]
    /// * `paper` – width, and height if it is given
    /// * `exaggeration` – factor on heights; chosen when left out
    pub(crate) fn new(spans: [f64; 3], paper: (f64, Option<f64>), top: f64, exaggeration: Option<f64>) -> Self {
        const LOWEST_SECTION: f64 = 70.0;
        const TALLEST: f64 = 1100.0;
        const SMALLEST_CORNER: f64 = 130.0;
        let [dx, dy, dz] = spans;
        let width = paper.0 - 2.0 * MARGIN - Self::LEFT - Self::GAP[0];
        let height = paper.1.map_or(TALLEST, |height| height - top - Self::GAP[1] - Self::FOOT - MARGIN);
        let scale_for = |width: f64, dz: f64| {
            let scale = (width / (dx + dz)).min(height / (dy + dz));
            scale.max(1.0 / (dx + dy + dz))
        };
        let section = dz * scale_for(width, dz);
        let exaggeration = exaggeration.unwrap_or(if section >= LOWEST_SECTION {
            1.0
        } else {
            ticks::round_step(LOWEST_SECTION / section)
        });
        let dz = dz * exaggeration;
        let corner = dz * scale_for(width, dz) >= SMALLEST_CORNER;
        let scale = scale_for(if corner { width } else { width - Self::LEGEND }, dz);
        Self::at_scale([dx, dy, dz].map(|span| span * scale), top, corner, exaggeration)
    }

    /// Arranges views of known size.
    fn at_scale([width, depth, height]: [f64; 3], top: f64, corner: bool, exaggeration: f64) -> Self {
        let left = MARGIN + Self::LEFT;
        let plan = Area { left, top, right: left + width, bottom: top + depth };
        let below = plan.bottom + Self::GAP[1];
        let along_x = Area { top: below, bottom: below + height, ..plan };
        let beside = plan.right + Self::GAP[0];
        let along_y = Area { left: beside, right: beside + height, ..plan };
        let legend = if corner {
            // The axis of the y–z section needs the upper part of the corner.
            Area { left: along_y.left + 24.0, right: along_y.right, top: along_x.top + 26.0, bottom: along_x.bottom }
        } else {
            let left = along_y.right + 28.0;
            Area { left, right: left + Self::LEGEND, top, bottom: plan.bottom.min(top + 320.0) }
        };
        Self { plan, along_x, along_y, legend, height: along_x.bottom + Self::FOOT + MARGIN, exaggeration }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_views_have_one_scale() {
        let places = Places::new([18e3, 15e3, 12e3], (960.0, None), 60.0, None);
        let scale = places.plan.width() / 18e3;
        assert!((places.plan.height() - 15e3 * scale).abs() < 1e-9);
        assert!((places.along_x.height() - 12e3 * scale).abs() < 1e-9);
        assert!((places.along_y.width() - 12e3 * scale).abs() < 1e-9);
        assert!(places.along_y.right <= 960.0 - MARGIN + 1e-9);
        assert_eq!(places.exaggeration, 1.0);
    }

    #[test]
    fn flat_models_are_exaggerated_and_their_legend_stands_aside() {
        let places = Places::new([100e3, 60e3, 2e3], (960.0, None), 60.0, None);
        assert_eq!(places.exaggeration, 5.0);
        assert!(places.legend.left > places.along_y.right);
    }

    #[test]
    fn a_given_height_is_kept() {
        let places = Places::new([18e3, 15e3, 12e3], (960.0, Some(500.0)), 60.0, None);
        assert!((places.height - 500.0).abs() < 1e-9);
    }
}
