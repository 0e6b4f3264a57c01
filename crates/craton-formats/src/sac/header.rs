//! Conversion between a raw SAC header and [`SacTrace`].

use super::layout::{
    ACCELERATION, AT_ORIGIN, DISPLACEMENT, Float, Integer, RawHeader, TIME_SERIES, Text, UNKNOWN, USER0, VELOCITY,
    VERSION,
};
use super::{SPHERE, SacQuantity, SacTrace};
use crate::DateTime;
use crate::error::Refused;

/// Validates a trace and encodes its header.
pub(super) fn encode(trace: &SacTrace) -> Result<RawHeader, Refused> {
    let mut header = RawHeader::absent();
    header.set_integer(Integer::Version, VERSION);
    header.set_integer(Integer::FileType, TIME_SERIES);
    header.set_integer(Integer::IsEven, 1);
    header.set_integer(Integer::MayOverwrite, 1);
    encode_samples(&mut header, trace)?;
    encode_times(&mut header, trace)?;
    encode_positions(&mut header, trace)?;
    let no_pick = String::new();
    for (name, field, text) in [
        ("network", Text::Network, &trace.network),
        ("station", Text::Station, &trace.station),
        ("location", Text::Location, &trace.location),
        ("component", Text::Component, &trace.component),
        ("unit", Text::Unit, &trace.unit),
        ("surface", Text::Surface, &trace.surface),
        ("event name", Text::EventName, &trace.event_name),
        ("name of the pick", Text::Pick, trace.pick.as_ref().map_or(&no_pick, |(_, name)| name)),
    ] {
        if text.len() > field.width() || !text.is_ascii() {
            let expected = format!("at most {} ASCII characters; shorten it", field.width());
            return Err(Refused::new(name, text, expected));
        }
        header.set_text(field, text);
    }
    Ok(header)
}

fn encode_samples(header: &mut RawHeader, trace: &SacTrace) -> Result<(), Refused> {
    let samples = &trace.samples;
    if let Some(index) = samples.iter().position(|sample| !sample.is_finite()) {
        let what = format!("sample {index}");
        return Err(Refused::new(what, samples[index], "finite samples that fit into single precision"));
    }
    let count = i32::try_from(samples.len()).ok().filter(|&count| count > 0);
    let count = count.ok_or_else(|| Refused::new("number of samples", samples.len(), "1 to 2147483647"))?;
    let sum: f64 = samples.iter().map(|&sample| f64::from(sample)).sum();
    let least = samples.iter().copied().fold(f32::INFINITY, f32::min);
    let most = samples.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    header.set_integer(Integer::SampleCount, count);
    header.set_float(Float::DepMin, Some(least));
    header.set_float(Float::DepMax, Some(most));
    header.set_float(Float::DepMean, Some((sum / f64::from(count)) as f32));
    header.set_integer(Integer::Quantity, idep(trace.quantity));
    Ok(())
}

fn idep(quantity: SacQuantity) -> i32 {
    match quantity {
        SacQuantity::Displacement => DISPLACEMENT,
        SacQuantity::Velocity => VELOCITY,
        SacQuantity::Acceleration => ACCELERATION,
        SacQuantity::Other => UNKNOWN,
    }
}

fn quantity(idep: i32) -> SacQuantity {
    match idep {
        DISPLACEMENT => SacQuantity::Displacement,
        VELOCITY => SacQuantity::Velocity,
        ACCELERATION => SacQuantity::Acceleration,
        _ => SacQuantity::Other,
    }
}

/// Converts a header value to single precision, in which it must be finite.
fn single(name: &str, value: f64) -> Result<f32, Refused> {
    let single = value as f32;
    let refused = || Refused::new(name, value, "a finite number that fits into single precision");
    single.is_finite().then_some(single).ok_or_else(refused)
}

fn encode_times(header: &mut RawHeader, trace: &SacTrace) -> Result<(), Refused> {
    let delta = single("sampling interval", trace.delta)?;
    if delta <= 0.0 {
        return Err(Refused::new("sampling interval", trace.delta, "a number of seconds above 0"));
    }
    header.set_float(Float::Delta, Some(delta));
    header.set_float(Float::Begin, Some(single("begin", trace.begin)?));
    header.set_float(Float::End, Some(single("end", trace.end())?));
    header.set_float(Float::Origin, trace.origin.map(|time| single("origin", time)).transpose()?);
    let pick = trace.pick.as_ref().map(|(time, _)| single("pick", *time)).transpose()?;
    header.set_float(Float::Pick, pick);
    let at_origin = trace.origin == Some(0.0);
    header.set_integer(Integer::ReferenceType, if at_origin { AT_ORIGIN } else { UNKNOWN });
    trace.reference.map_or(Ok(()), |time| encode_reference(header, time))
}

fn encode_reference(header: &mut RawHeader, time: DateTime) -> Result<(), Refused> {
    if !time.is_valid() {
        return Err(Refused::new("reference time", format!("{time:?}"), "a valid date and time"));
    }
    // A second that would round up to the next minute is rounded down instead, with an error of up to one millisecond.
    let milliseconds = ((time.second * 1000.0).round() as i32).min(if time.second < 60.0 { 59_999 } else { 60_999 });
    header.set_integer(Integer::Year, time.year);
    header.set_integer(Integer::DayOfYear, time.day_of_year().into());
    header.set_integer(Integer::Hour, time.hour.into());
    header.set_integer(Integer::Minute, time.minute.into());
    header.set_integer(Integer::Second, milliseconds / 1000);
    header.set_integer(Integer::Millisecond, milliseconds % 1000);
    Ok(())
}

fn encode_positions(header: &mut RawHeader, trace: &SacTrace) -> Result<(), Refused> {
    for (name, field, value) in [
        ("station latitude", Float::StationLatitude, trace.station_latitude),
        ("station longitude", Float::StationLongitude, trace.station_longitude),
        ("station elevation", Float::StationElevation, trace.station_elevation),
        ("station depth", Float::StationDepth, trace.station_depth),
        ("event latitude", Float::EventLatitude, trace.event_latitude),
        ("event longitude", Float::EventLongitude, trace.event_longitude),
        ("event depth", Float::EventDepthKm, trace.event_depth_km),
        ("distance", Float::Distance, trace.distance_km),
        ("azimuth of the station", Float::EventAzimuth, trace.event_azimuth),
        ("back azimuth", Float::BackAzimuth, trace.back_azimuth),
        ("arc", Float::Arc, trace.arc),
        ("azimuth", Float::Azimuth, trace.azimuth),
        ("inclination", Float::Inclination, trace.inclination),
    ] {
        header.set_float(field, value.map(|value| single(name, value)).transpose()?);
    }
    for (index, value) in trace.user.iter().enumerate() {
        header.set_float_at(USER0 + index, value.map(|value| single("user number", value)).transpose()?);
    }
    // Readers may recompute distance and azimuths only if both positions are known, and not if they refer to a sphere.
    let places = [trace.station_latitude, trace.station_longitude, trace.event_latitude, trace.event_longitude];
    let may_compute = places.iter().all(Option::is_some) && trace.surface != SPHERE;
    header.set_integer(Integer::ComputeDistance, may_compute.into());
    Ok(())
}

/// Checks that the header describes an evenly sampled time series; returns `B` and `DELTA`.
fn sampling(header: &RawHeader) -> Result<(f64, f64), Refused> {
    let file_type = header.integer(Integer::FileType);
    if file_type != TIME_SERIES {
        return Err(Refused::new("file type IFTYPE", file_type, "1, a time series"));
    }
    if header.integer(Integer::IsEven) != 1 {
        return Err(Refused::new("LEVEN", header.integer(Integer::IsEven), "1: evenly sampled; resample the trace"));
    }
    if header.sample_count() == 0 {
        return Err(Refused::new("NPTS", header.integer(Integer::SampleCount), "at least 1"));
    }
    let finite = |field| header.float(field).filter(|value| value.is_finite());
    let begin = finite(Float::Begin)
        .ok_or_else(|| Refused::new("B", "absent or not finite", "the time of the first sample in seconds"))?;
    let delta = finite(Float::Delta).filter(|&delta| delta > 0.0).ok_or_else(|| {
        Refused::new("DELTA", header.float(Float::Delta).unwrap_or(f64::NAN), "a finite number of seconds above 0")
    })?;
    Ok((begin, delta))
}

/// Decodes the header of a trace, without samples.
pub(super) fn decode(header: &RawHeader) -> Result<SacTrace, Refused> {
    let (begin, delta) = sampling(header)?;
    let (network, station) = (header.text(Text::Network), header.text(Text::Station));
    let (component, surface) = (header.text(Text::Component), header.text(Text::Surface));
    Ok(SacTrace {
        location: header.text(Text::Location),
        unit: header.text(Text::Unit),
        surface,
        quantity: quantity(header.integer(Integer::Quantity)),
        origin: header.float(Float::Origin),
        pick: header.float(Float::Pick).filter(|time| time.is_finite()).map(|time| (time, header.text(Text::Pick))),
        reference: reference(header),
        station_latitude: header.float(Float::StationLatitude),
        station_longitude: header.float(Float::StationLongitude),
        station_elevation: header.float(Float::StationElevation),
        station_depth: header.float(Float::StationDepth),
        event_latitude: header.float(Float::EventLatitude),
        event_longitude: header.float(Float::EventLongitude),
        event_depth_km: header.float(Float::EventDepthKm),
        event_name: header.text(Text::EventName),
        distance_km: header.float(Float::Distance),
        event_azimuth: header.float(Float::EventAzimuth),
        back_azimuth: header.float(Float::BackAzimuth),
        arc: header.float(Float::Arc),
        azimuth: header.float(Float::Azimuth),
        inclination: header.float(Float::Inclination),
        user: std::array::from_fn(|index| header.float_at(USER0 + index)),
        ..SacTrace::new([&network, &station, &component], begin, delta, Vec::new())
    })
}

/// Reference time; `None` if a part is absent or invalid.
fn reference(header: &RawHeader) -> Option<DateTime> {
    let year = header.integer(Integer::Year);
    let day_of_year = u16::try_from(header.integer(Integer::DayOfYear)).ok()?;
    let (month, day) = DateTime::month_and_day(year, day_of_year)?;
    let milliseconds = u16::try_from(header.integer(Integer::Millisecond)).ok()?;
    let seconds = u8::try_from(header.integer(Integer::Second)).ok()?;
    let time = DateTime {
        year,
        month,
        day,
        hour: u8::try_from(header.integer(Integer::Hour)).ok()?,
        minute: u8::try_from(header.integer(Integer::Minute)).ok()?,
        second: f64::from(u32::from(seconds) * 1000 + u32::from(milliseconds)) / 1000.0,
    };
    time.is_valid().then_some(time)
}
