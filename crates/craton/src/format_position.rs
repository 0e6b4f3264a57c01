//! Formatting of positions in messages.

use craton_model::geodesy::LocalFrame;

/// A position in model coordinates [m] as text: x, y, z, or on the spherical Earth longitude, latitude and depth.
///
/// Verified by `positions_in_a_chunk_are_in_longitude_latitude_and_depth`.
pub fn format_position(frame: &LocalFrame, [x, y, z]: [f64; 3]) -> String {
    if frame.sphere().is_none() {
        return format!("x = {x:.0}, y = {y:.0}, z = {z:.0} m");
    }
    let [longitude, latitude] = frame.to_map([x, y]).map(|degrees| (degrees * 1e3).round() / 1e3 + 0.0);
    // Removes the sign of zero, and negative depths from rounding.
    let depth = (-z / 1000.0).max(0.0);
    format!("longitude {:.3}, latitude {:.3}, depth {depth:.1} km", longitude, latitude)
}

/// A position in space, the coordinates of the mesh, as text.
pub fn format_position_in_space(frame: &LocalFrame, position: [f64; 3]) -> String {
    format_position(frame, frame.from_space(position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use craton_model::geodesy::{Latitudes, Projection, Sphere};

    #[test]
    fn positions_in_a_chunk_are_in_longitude_latitude_and_depth() {
        let chunk = Sphere::chunk(-67.25, -13.82, 20.0, Latitudes::Geographic).unwrap();
        let frame = LocalFrame::on_sphere(chunk);
        let [x, y] = frame.to_model(-60.5, -20.125).unwrap();
        let expected = "longitude -60.500, latitude -20.125, depth 640.0 km";
        assert_eq!(format_position(&frame, [x, y, -640e3]), expected);
        assert_eq!(format_position_in_space(&frame, frame.to_space([x, y, -640e3])), expected);
        let plane = LocalFrame::new(Projection::None, [0.0; 2]).unwrap();
        assert_eq!(format_position_in_space(&plane, [10.0, -20.4, -30.0]), "x = 10, y = -20, z = -30 m");
    }
}
