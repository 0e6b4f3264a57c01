//! From the map to model coordinates.

use craton_model::geodesy::{self, LocalFrame, Utm};

use super::findings::{Checked, Findings, bad_model};
use crate::config::{Domain, Projection};
use crate::key_path::KeyPath;

/// The frame of a domain; `None` with a problem where its origin cannot be projected.
pub fn frame(domain: &Domain, path: &KeyPath, findings: &mut Findings) -> Option<LocalFrame> {
    let frame = findings.keep(project(domain, &path.key("projection").key("utm")))?;
    findings.warnings.extend(far_from_zone(domain, &frame));
    Some(frame)
}

fn project(domain: &Domain, path: &KeyPath) -> Checked<LocalFrame> {
    let Projection::Utm(written) = &domain.projection else {
        return LocalFrame::new(geodesy::Projection::None, [0.0; 2]).map_err(|error| bad_model(&error, path));
    };
    let zone = Utm::new(written.zone, written.south).map_err(|error| bad_model(&error, &path.key("zone")))?;
    let frame = match written.origin {
        Some(origin) => LocalFrame::centred(zone, origin.longitude, origin.latitude),
        None => LocalFrame::new(geodesy::Projection::Utm(zone), [0.0; 2]),
    };
    frame.map_err(|error| bad_model(&error, &path.key("origin")))
}

/// The corner of the box that lies farthest outside of the zone, if one does.
fn far_from_zone(domain: &Domain, frame: &LocalFrame) -> Option<String> {
    let corners = domain.x.into_iter().flat_map(|x| domain.y.map(|y| [x, y]));
    let warnings = corners.filter_map(|corner| frame.warning(frame.to_map(corner)[0]));
    let farthest =
        warnings.max_by(|a, b| a.zone.offset(a.longitude).abs().total_cmp(&b.zone.offset(b.longitude).abs()))?;
    Some(format!("a corner of the domain: {farthest}"))
}
