//! Conversion of XML elements to events.

use super::{OriginType, QuakeEvent, QuakeMagnitude, QuakeMoment, QuakeOrigin, SourceTimeFunction, TimeFunctionShape};
use crate::error::Result;
use crate::xml::Element;

pub(super) const COMPONENTS: [&str; 6] = ["Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp"];

/// Reads an event.
pub(super) fn event(element: Element) -> Result<QuakeEvent> {
    let public_id = element.attribute("publicID").to_owned();
    let owner = format!("event `{public_id}`");
    let has_tensor = |mechanism: Element| tensor(mechanism).is_some();
    let mechanism = preferred(element, "focalMechanism", "preferredFocalMechanismID", has_tensor);
    let origin = origin_of_rupture(element, mechanism).ok_or_else(|| {
        element.place().layout(format!("{owner} has no <origin>"), "request events with origins from the catalogue")
    })?;
    Ok(QuakeEvent {
        line: element.place().line,
        name: name(element),
        origin: read_origin(origin, &owner)?,
        moment: mechanism.map(|mechanism| moment(element, mechanism, &owner)).transpose()?,
        magnitudes: magnitudes(element, &owner)?,
        public_id,
    })
}

/// Among the wanted children of a name, returns the one that `preference` identifies, or else the first.
fn preferred<'a>(
    event: Element<'a>,
    name: &'static str,
    preference: &'static str,
    wanted: impl Fn(Element<'a>) -> bool,
) -> Option<Element<'a>> {
    let id = event.text_of(preference);
    let mut candidates = event.children(name).filter(|child| wanted(*child)).peekable();
    let first = candidates.peek().copied();
    candidates.find(|child| !id.is_empty() && child.attribute("publicID") == id).or(first)
}

/// The origin of an event with a given identifier.
fn identified<'a>(event: Element<'a>, id: &str) -> Option<Element<'a>> {
    event.children("origin").find(|origin| !id.is_empty() && origin.attribute("publicID") == id)
}

/// The origin that triggered the determination of a mechanism: a hypocentre.
fn trigger<'a>(event: Element<'a>, mechanism: Element<'a>) -> Option<Element<'a>> {
    identified(event, mechanism.text_of("triggeringOriginID")).filter(|origin| !is_centroid(origin))
}

fn are_same(one: Element, other: Element) -> bool {
    one.attribute("publicID") == other.attribute("publicID")
}

/// The origin of the rupture; see [`QuakeEvent::origin`].
fn origin_of_rupture<'a>(event: Element<'a>, mechanism: Option<Element<'a>>) -> Option<Element<'a>> {
    let trigger = mechanism.and_then(|mechanism| trigger(event, mechanism));
    let centroid = mechanism.and_then(|mechanism| origin_of_tensor(event, mechanism));
    // Only with a trigger is it known that the origin of the tensor is another one. In moment-tensor catalogues the
    // preferred origin is the centroid.
    let is_of_tensor = |origin: Element<'a>| trigger.is_some() && centroid.is_some_and(|other| are_same(origin, other));
    let is_wanted = |origin: Element<'a>| !is_centroid(&origin) && !is_of_tensor(origin);
    let preferred_one = identified(event, event.text_of("preferredOriginID")).filter(|origin| is_wanted(*origin));
    let any = |wanted: &dyn Fn(Element<'a>) -> bool| preferred(event, "origin", "preferredOriginID", wanted);
    preferred_one.or(trigger).or_else(|| any(&is_wanted)).or_else(|| any(&|_| true))
}

/// The origin of a moment tensor; see [`QuakeMoment::origin`].
fn origin_of_tensor<'a>(event: Element<'a>, mechanism: Element<'a>) -> Option<Element<'a>> {
    let derived = identified(event, mechanism.child("momentTensor")?.text_of("derivedOriginID"));
    let trigger = trigger(event, mechanism);
    let is_trigger = |origin: Element| trigger.is_some_and(|trigger| are_same(origin, trigger));
    let centroid = || event.children("origin").find(is_centroid);
    // Some catalogues give the trigger as origin of the tensor; a preferred origin of another kind is then the centroid.
    let preferred = || {
        let preferred = identified(event, event.text_of("preferredOriginID"))?;
        let is_other = trigger.is_some() && !is_trigger(preferred) && preferred.text_of("type") != "hypocenter";
        is_other.then_some(preferred)
    };
    derived.filter(|derived| !is_trigger(*derived)).or_else(centroid).or_else(preferred).or(derived)
}

/// Name of the event.
fn name(event: Element) -> String {
    let is_name = |description: &Element| description.text_of("type") == "earthquake name";
    let description = event.children("description").find(is_name).or_else(|| event.child("description"));
    description.map_or("", |description| description.text_of("text")).to_owned()
}

fn is_centroid(origin: &Element) -> bool {
    origin.text_of("type") == "centroid"
}

fn read_origin(origin: Element, event: &str) -> Result<QuakeOrigin> {
    let public_id = origin.attribute("publicID").to_owned();
    let owner = format!("origin `{public_id}` of {event}");
    let required = |name, hint| origin.required(name, &owner, hint);
    let time = required("time", "write <time><value>2010-02-27T06:34:11.53Z</value></time>")?;
    let latitude = required("latitude", "write <latitude><value>degrees</value></latitude>")?;
    let longitude = required("longitude", "write <longitude><value>degrees</value></longitude>")?;
    Ok(QuakeOrigin {
        agency: origin.child("creationInfo").map_or("", |info| info.text_of("agencyID")).to_owned(),
        time: time.date(&owner)?,
        latitude: latitude.number_within([-90.0, 90.0], "degrees", &owner)?,
        longitude: longitude.number_within([-360.0, 360.0], "degrees", &owner)?,
        depth: origin.child("depth").map(|depth| depth.number(&owner)).transpose()?,
        origin_type: match origin.text_of("type") {
            "hypocenter" => OriginType::Hypocenter,
            "centroid" => OriginType::Centroid,
            _ => OriginType::Other,
        },
        public_id,
    })
}

fn tensor(mechanism: Element) -> Option<Element> {
    mechanism.child("momentTensor")?.child("tensor")
}

/// Reads the moment tensor of a focal mechanism that has one.
fn moment(event: Element, mechanism: Element, owner: &str) -> Result<QuakeMoment> {
    let hint = "request focal mechanisms with moment tensors from the catalogue";
    let moment = mechanism.required("momentTensor", owner, hint)?;
    let tensor = moment.required("tensor", owner, hint)?;
    let of_tensor = format!("the moment tensor of {owner}");
    let mut spherical = [0.0; 6];
    for (value, name) in spherical.iter_mut().zip(COMPONENTS) {
        let hint = "it needs all of Mrr, Mtt, Mpp, Mrt, Mrp, Mtp, each a <value> in N m";
        *value = tensor.required(name, &of_tensor, hint)?.number(&of_tensor)?;
    }
    let origin = origin_of_tensor(event, mechanism);
    let scalar_moment = moment.child("scalarMoment");
    let time_function = moment.child("sourceTimeFunction");
    Ok(QuakeMoment {
        mechanism_id: mechanism.attribute("publicID").to_owned(),
        spherical,
        scalar_moment: scalar_moment.map(|scalar| scalar.number(&of_tensor)).transpose()?,
        origin: origin.map(|origin| read_origin(origin, owner)).transpose()?,
        time_function: time_function.map(|function| read_time_function(function, owner)).transpose()?,
    })
}

fn read_time_function(function: Element, event: &str) -> Result<SourceTimeFunction> {
    let owner = format!("the source time function of {event}");
    let seconds = |element: Element| element.number_within([0.0, f64::MAX], "seconds", &owner);
    let duration = function.required("duration", &owner, "write <duration>seconds</duration>")?;
    Ok(SourceTimeFunction {
        shape: match function.text_of("type") {
            "box car" => TimeFunctionShape::BoxCar,
            "triangle" => TimeFunctionShape::Triangle,
            "trapezoid" => TimeFunctionShape::Trapezoid,
            _ => TimeFunctionShape::Unknown,
        },
        duration: seconds(duration)?,
        rise_time: function.child("riseTime").map(seconds).transpose()?,
        decay_time: function.child("decayTime").map(seconds).transpose()?,
    })
}

/// All magnitudes, the preferred one first.
fn magnitudes(event: Element, owner: &str) -> Result<Vec<QuakeMagnitude>> {
    let id = event.text_of("preferredMagnitudeID");
    let is_other = |magnitude: &Element| magnitude.attribute("publicID") != id;
    let mut elements: Vec<_> = event.children("magnitude").collect();
    elements.sort_by_key(is_other);
    let read = |magnitude: Element| {
        let owner = format!("a magnitude of {owner}");
        let value = magnitude.required("mag", &owner, "write <mag><value>6.8</value></mag>")?;
        Ok(QuakeMagnitude { value: value.number(&owner)?, kind: magnitude.text_of("type").to_owned() })
    };
    elements.into_iter().map(read).collect()
}
