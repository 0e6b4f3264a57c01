//! Conversion of map coordinates to model coordinates.

use craton_model::geodesy::{self, Latitudes, LocalFrame, Sphere, Utm};

use super::findings::{Checked, Findings, bad_model};
use crate::config::{self, Chunk, Domain, Globe, Projection};
use crate::key_path::KeyPath;

/// The frame of a domain; `None` with a problem if its origin cannot be projected.
pub fn frame(domain: &Domain, path: &KeyPath, findings: &mut Findings) -> Option<LocalFrame> {
    if let Some(written) = &domain.chunk {
        return Some(LocalFrame::on_sphere(findings.keep(chunk(written, &path.key("chunk")))?));
    }
    if let Some(written) = &domain.globe {
        return Some(LocalFrame::on_sphere(findings.keep(globe(written, &path.key("globe")))?));
    }
    let frame = findings.keep(project(&domain.projection, &path.key("projection")))?;
    findings.warnings.extend(far_from_zone(domain, &frame));
    Some(frame)
}

fn chunk(written: &Chunk, path: &KeyPath) -> Checked<Sphere> {
    let (centre, latitudes) = (written.centre, written.latitudes.into());
    let chunk = Sphere::chunk(centre.longitude, centre.latitude, written.rotation, latitudes);
    let chunk = chunk.map_err(|error| bad_model(&error, path))?;
    Ok(if written.ellipticity { chunk.elliptical() } else { chunk })
}

fn globe(written: &Globe, path: &KeyPath) -> Checked<Sphere> {
    let (centre, latitudes) = (written.centre, written.latitudes.into());
    let globe = Sphere::globe(centre.longitude, centre.latitude, written.rotation, latitudes);
    let globe = globe.map_err(|error| bad_model(&error, path))?;
    Ok(if written.ellipticity { globe.elliptical() } else { globe })
}

impl From<config::Latitudes> for Latitudes {
    fn from(written: config::Latitudes) -> Self {
        match written {
            config::Latitudes::Geographic => Self::Geographic,
            config::Latitudes::Geocentric => Self::Geocentric,
        }
    }
}

/// The frame of a projection.
pub fn project(projection: &Projection, path: &KeyPath) -> Checked<LocalFrame> {
    let (written, path) = match projection {
        Projection::None => {
            return LocalFrame::new(geodesy::Projection::None, [0.0; 2]).map_err(|error| bad_model(&error, path));
        }
        Projection::Azimuthal(config::Azimuthal { origin, azimuth }) => {
            let map = geodesy::Azimuthal::new(origin.longitude, origin.latitude, *azimuth);
            let frame = map.and_then(|map| LocalFrame::new(geodesy::Projection::Azimuthal(map), [0.0; 2]));
            return frame.map_err(|error| bad_model(&error, &path.key("azimuthal").key("origin")));
        }
        Projection::Utm(written) => (written, path.key("utm")),
    };
    let zone = Utm::new(written.zone, written.south).map_err(|error| bad_model(&error, &path.key("zone")))?;
    let frame = match written.origin {
        Some(origin) => LocalFrame::centred(zone, origin.longitude, origin.latitude),
        None => LocalFrame::new(geodesy::Projection::Utm(zone), [0.0; 2]),
    };
    frame.map_err(|error| bad_model(&error, &path.key("origin")))
}

/// The corner of the box that is farthest outside the UTM zone, if one is outside.
fn far_from_zone(domain: &Domain, frame: &LocalFrame) -> Option<String> {
    let corners = domain.x().into_iter().flat_map(|x| domain.y().map(|y| [x, y]));
    let warnings = corners.filter_map(|corner| frame.warning(frame.to_map(corner)[0]));
    let farthest =
        warnings.max_by(|a, b| a.zone.offset(a.longitude).abs().total_cmp(&b.zone.offset(b.longitude).abs()))?;
    Some(format!("a corner of the domain: {farthest}"))
}
