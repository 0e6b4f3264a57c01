//! Validation of perturbed media.

use super::Perturbation;
use super::applied::check_replaced;
use crate::profile::{VerticalProperties, are_valid_media};
use crate::{ModelError, Profile};

/// Refuses a perturbation that makes a medium invalid anywhere in a region, with a position where it does.
///
/// Depth intervals of the map whose extremes are valid need no further check. In the others, the columns of the map's points are checked:
/// at a given height, the conditions for a valid medium are linear or concave in the changes, and the changes are bilinear on the map, so
/// they hold everywhere if they hold in these columns. This does not apply where the two polarisations change differently: a product of two
/// changes is neither linear nor concave, so a medium between columns may be invalid to second order in their difference, which this check
/// does not detect.
///
/// # Arguments
/// * `profile` – profile of the region
/// * `span` – lowest and highest height of the region within the map \[m\]
pub(super) fn check_region(map: &Perturbation, profile: &Profile, [low, high]: [f64; 2]) -> Result<(), ModelError> {
    check_replaced(map, profile, [low, high])?;
    let mut heights: Vec<f64> =
        map.depths.places().iter().map(|depth| -depth).filter(|z| (low..high).contains(z)).collect();
    heights.extend([low, high]);
    heights.sort_by(f64::total_cmp);
    heights.windows(2).try_for_each(|pair| check_span(map, profile, [pair[0], pair[1]]))
}

fn check_span(map: &Perturbation, profile: &Profile, span: [f64; 2]) -> Result<(), ModelError> {
    let is_isotropic = !profile.is_anisotropic() && !map.splits_polarisations();
    let all = map.changed_ranges(profile.ranges(span), map.ranges([-span[1], -span[0]]));
    if are_valid_media(&all, is_isotropic) {
        return Ok(());
    }
    let [columns, rows, _] = map.counts();
    for column in (0..columns * rows).map(|index| [index % columns, index / columns]) {
        // Between two depths of the map the changes of a column are linear.
        let ranges = |[low, high]: [f64; 2]| {
            let ends = [low, high].map(|z| map.in_column(column, -z));
            let range =
                |field: usize| Some([ends[0][field]?.min(ends[1][field]?), ends[0][field]?.max(ends[1][field]?)]);
            map.changed_ranges(profile.ranges([low, high]), std::array::from_fn(range))
        };
        let at = |z: f64| map.changed(profile.properties(z), map.in_column(column, -z));
        let vertical = VerticalProperties { at: &at, ranges: &ranges, is_isotropic };
        vertical.check(span).map_err(|(z, error)| error.at(format!("{}, depth {} m", map.column_place(column), -z)))?;
    }
    Ok(())
}
