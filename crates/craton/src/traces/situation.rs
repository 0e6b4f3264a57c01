//! Where a trace belongs on the Earth and in the calendar.

use craton_acquisition::Receiver;
use craton_formats::DateTime;
use craton_model::geodesy::Geodesic;

use crate::setup::Setup;

/// What a run knows of a receiver, its event, and the way between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Situation {
    /// Place of the receiver; only where there is a projection.
    pub station: Option<Place>,
    /// Place of the event; only where there is a projection.
    pub event: Option<Place>,
    /// From the event to the receiver.
    pub way: Option<Way>,
    /// Name of the event.
    pub event_name: Option<String>,
    /// Time of the event [s].
    pub event_time: Option<f64>,
    /// Date and time (UTC) of t = 0.
    pub zero: Option<DateTime>,
}

/// A place on the Earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Longitude and latitude [degrees].
    pub degrees: [f64; 2],
    /// Elevation of the ground [m].
    pub ground: f64,
    /// Depth below the ground [m].
    pub depth: f64,
}

/// A way from an event to a receiver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    /// Horizontal distance [m].
    pub distance: f64,
    /// Direction at the event, clockwise from north [degrees].
    pub azimuth: f64,
    /// Direction back at the receiver, clockwise from north [degrees].
    pub back_azimuth: f64,
    /// Angle seen from the centre of the Earth [degrees]; only where there is a projection.
    pub arc: Option<f64>,
}

impl Situation {
    /// The situation of a receiver: on the ellipsoid where there is a projection, in the plane where there is none.
    pub fn new(setup: &Setup, receiver: &Receiver) -> Self {
        let event = &setup.event;
        let common =
            Self { event_name: event.name.clone(), event_time: event.time, zero: event.zero, ..Self::default() };
        if !setup.frame.is_geographic() {
            let way = event.position.map(|source| Way::in_the_plane(source, receiver.position()));
            return Self { way, ..common };
        }
        let station = Place::new(setup, receiver.position());
        let event = event.position.map(|position| Place::new(setup, position));
        let way = event.and_then(|event| Geodesic::between(event.degrees, station.degrees)).map(Way::from);
        Self { station: Some(station), event, way, ..common }
    }
}

impl Place {
    fn new(setup: &Setup, [x, y, z]: [f64; 3]) -> Self {
        let ground = setup.model.surface().elevation(x, y);
        Self { degrees: setup.frame.to_map([x, y]), ground, depth: ground - z }
    }
}

impl Way {
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
