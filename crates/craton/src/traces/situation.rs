//! Geographic position and date of a trace.

use craton_acquisition::Receiver;
use craton_formats::DateTime;
use craton_model::Interface;
use craton_model::geodesy::{EARTH_RADIUS, Geodesic, LocalFrame, Sphere};

use crate::setup::Setup;

/// Length of a degree of a great circle [m].
pub const DEGREE: f64 = EARTH_RADIUS * std::f64::consts::PI / 180.0;

/// An azimuth [degrees] as at least 0 and below 360, also where round-off would give 360.
pub fn clockwise(azimuth: f64) -> f64 {
    let azimuth = azimuth.rem_euclid(360.0);
    if azimuth < 360.0 { azimuth } else { 0.0 }
}

/// Receiver, event, and the path between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Situation {
    /// Position of the receiver; `None` without a projection.
    pub station: Option<Place>,
    /// Position of the event; `None` without a projection.
    pub event: Option<Place>,
    /// From the event to the receiver.
    pub way: Option<Way>,
    /// Name of the event.
    pub event_name: Option<String>,
    /// Time of the event [s].
    pub event_time: Option<f64>,
    /// Centroid time [s], if it differs from the time of the event.
    pub centroid_time: Option<f64>,
    /// Date and time (UTC) of t = 0.
    pub zero: Option<DateTime>,
    /// Whether the date of time 0 is arbitrary, because the file has only dates of samples.
    pub zero_is_any: bool,
    /// Azimuth of the radial component, clockwise from north or y [degrees]; `None` without one.
    pub radial: Option<f64>,
    /// Azimuth of the component N or Y, clockwise from north [degrees]: the meridian convergence if the components are
    /// those of a map grid, otherwise 0. E or X is 90 degrees to its right.
    pub convergence: f64,
    /// Whether the model is a chunk of the sphere: positions are arc lengths, distances and directions those of great
    /// circles.
    pub on_sphere: bool,
}

/// A geographic position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Longitude and latitude [degrees].
    pub degrees: [f64; 2],
    /// Elevation of the ground [m]: of the model, or from the stations file if the model is flat.
    pub ground: f64,
    /// Depth below the ground of the model [m].
    pub depth: f64,
}

/// The path from an event to a receiver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    /// Horizontal distance [m].
    pub distance: f64,
    /// Azimuth at the event, clockwise from north [degrees].
    pub azimuth: f64,
    /// Back-azimuth at the receiver, clockwise from north [degrees].
    pub back_azimuth: f64,
    /// Epicentral distance [degrees]; `None` without a projection.
    pub arc: Option<f64>,
}

impl Situation {
    /// The situation of a receiver.
    pub fn new(setup: &Setup, receiver: &Receiver) -> Self {
        let event = &setup.event;
        let common = Self {
            event_name: event.name.clone(),
            event_time: event.origin.or(event.time),
            centroid_time: event.origin.and(event.time),
            zero: event.zero,
            radial: setup.directions.azimuth(&setup.frame, receiver.position()),
            on_sphere: setup.frame.sphere().is_some(),
            convergence: setup.frame.convergence([receiver.position()[0], receiver.position()[1]]),
            way: event.position.map(|source| Way::between(&setup.frame, source, receiver.position())),
            ..Self::default()
        };
        if !setup.frame.is_geographic() {
            return common;
        }
        let station = Place::of_station(setup, receiver);
        let event = event.position.map(|position| Place::new(setup, position));
        Self { station: Some(station), event, ..common }
    }
}

impl Place {
    /// The geographic position of a position in model coordinates [m]; `None` without a projection.
    pub(super) fn new(setup: &Setup, [x, y, z]: [f64; 3]) -> Self {
        let ground = setup.model.surface().elevation(x, y);
        Self { degrees: setup.frame.to_map([x, y]), ground, depth: ground - z }
    }

    fn of_station(setup: &Setup, receiver: &Receiver) -> Self {
        let place = Self::new(setup, receiver.position());
        let is_flat = matches!(setup.model.surface(), Interface::Flat(_));
        Self { ground: receiver.elevation().filter(|_| is_flat).unwrap_or(place.ground), ..place }
    }
}

impl Way {
    /// The path between two positions in model coordinates [m]: on the sphere on the spherical Earth, on the ellipsoid
    /// with another projection, in the plane without one. Azimuths are true, also with a projection.
    pub fn between(frame: &LocalFrame, source: [f64; 3], receiver: [f64; 3]) -> Self {
        if frame.sphere().is_some() || !frame.is_geographic() {
            return Self::in_the_model(frame, source, receiver);
        }
        let [from, to] = [source, receiver].map(|[x, y, _]| frame.to_map([x, y]));
        Geodesic::between(from, to).into()
    }

    /// The path in the model: on the sphere on the spherical Earth, otherwise straight in the x-y plane. Azimuths are
    /// true, also with a projection.
    pub fn in_the_model(frame: &LocalFrame, source: [f64; 3], receiver: [f64; 3]) -> Self {
        match frame.sphere() {
            Some(chunk) => Self::on_the_sphere(chunk, source, receiver),
            None => {
                let [at_source, at_receiver] = [source, receiver].map(|[x, y, _]| frame.azimuth_of_y([x, y]));
                let way = Self::in_the_plane(source, receiver);
                let (azimuth, back_azimuth) = (way.azimuth + at_source, way.back_azimuth + at_receiver);
                Self { azimuth: clockwise(azimuth), back_azimuth: clockwise(back_azimuth), ..way }
            }
        }
    }

    /// Along the great circle. Verified by `paths_on_the_sphere_are_great_circles`.
    fn on_the_sphere(chunk: &Sphere, source: [f64; 3], receiver: [f64; 3]) -> Self {
        let places = [source, receiver].map(|[x, y, _]| [x, y]);
        let [from, to] = places.map(|place| chunk.radial_axes_at(place));
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let towards =
            |axes: [[f64; 3]; 3], up: [f64; 3]| dot(up, axes[0]).atan2(dot(up, axes[1])).to_degrees().rem_euclid(360.0);
        let across = dot(to[2], from[0]).hypot(dot(to[2], from[1]));
        let arc = across.atan2(dot(to[2], from[2]));
        Self {
            distance: EARTH_RADIUS * arc,
            azimuth: towards(from, to[2]),
            back_azimuth: towards(to, from[2]),
            arc: Some(arc.to_degrees()),
        }
    }

    fn in_the_plane([x0, y0, _]: [f64; 3], [x, y, _]: [f64; 3]) -> Self {
        let azimuth = (x - x0).atan2(y - y0).to_degrees().rem_euclid(360.0);
        Self { distance: (x - x0).hypot(y - y0), azimuth, back_azimuth: (azimuth + 180.0).rem_euclid(360.0), arc: None }
    }
}

impl From<Geodesic> for Way {
    fn from(Geodesic { length, azimuth, back_azimuth, arc }: Geodesic) -> Self {
        Self { distance: length, azimuth, back_azimuth, arc: Some(arc) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craton_model::geodesy::Latitudes;

    #[test]
    fn paths_on_the_sphere_are_great_circles() {
        let chunk = Sphere::chunk(-60.0, -20.0, 35.0, Latitudes::Geocentric).unwrap();
        let place = |longitude, latitude, z| {
            let [x, y] = chunk.forward(longitude, latitude).unwrap();
            [x, y, z]
        };
        let south = Way::on_the_sphere(&chunk, place(-67.25, -13.82, -647e3), place(-67.25, -18.82, 0.0));
        assert!((south.arc.unwrap() - 5.0).abs() < 1e-9 && (south.distance - 555_974.633).abs() < 1.0, "{south:?}");
        assert!((south.azimuth - 180.0).abs() < 1e-9 && south.back_azimuth.min(360.0 - south.back_azimuth) < 1e-9);
        // From 0 N 0 E to 45 N 90 E, in a chunk between them: 90 degrees away, to the north-east.
        let chunk = Sphere::chunk(40.0, 20.0, 0.0, Latitudes::Geocentric).unwrap();
        let place = |longitude, latitude| {
            let [x, y] = chunk.forward(longitude, latitude).unwrap();
            [x, y, 0.0]
        };
        let far = Way::on_the_sphere(&chunk, place(0.0, 0.0), place(90.0, 45.0));
        assert!((far.arc.unwrap() - 90.0).abs() < 1e-9 && (far.azimuth - 45.0).abs() < 1e-9, "{far:?}");
        assert!((far.back_azimuth - 270.0).abs() < 1e-9, "{far:?}");
        // Distances are angles at the centre of the Earth, whatever its shape.
        let ends = [place(10.0, 45.0), place(10.0, -20.0)];
        let [sphere, ellipsoid] = [chunk, chunk.elliptical()].map(|chunk| Way::on_the_sphere(&chunk, ends[0], ends[1]));
        assert!((sphere.arc.unwrap() - 65.0).abs() < 1e-9 && sphere.arc == ellipsoid.arc, "{ellipsoid:?}");
    }
}
