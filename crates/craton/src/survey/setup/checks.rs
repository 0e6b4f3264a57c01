//! Checks for shots without effect or with suspicious geometry.

use craton_acquisition::survey::{Extent, Survey};
use craton_model::EarthModel;

use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::{Number, counted};
use crate::setup::findings::Checked;
use crate::survey::config::{Config, Quantity, Snapshots, SourceKind, Top};

/// Tolerance of a position at the surface [m].
const ON_SURFACE: f64 = 1e-3;
/// Fraction of an offset across the plane from which on the user is warned.
const ACROSS: f64 = 0.01;

/// Sources and receivers in their box.
pub struct Geometry<'a> {
    /// Shots.
    pub survey: &'a Survey,
    /// The box.
    pub domain: &'a Extent,
    /// Whether the simulation is two-dimensional.
    pub is_plane: bool,
    /// The survey as written.
    pub config: &'a Config,
    /// The solid model of an elastic survey, if it could be read.
    pub solid: Option<&'a EarthModel>,
}

impl Geometry<'_> {
    /// Rejects sources without effect, numbers that do not fit trace headers, and pictures of nonexistent shots.
    pub fn check(&self, root: &KeyPath) -> Checked<()> {
        let shots = self.survey.shots();
        let path = root.key("acquisition");
        let is_too_large = |number: u32| i32::try_from(number).is_err();
        let mut channels = shots.iter().flat_map(|shot| shot.traces().map(move |trace| (shot, trace.channel)));
        let too_large = match shots.iter().find(|shot| is_too_large(shot.number)) {
            Some(shot) => Some(format!("shot {}", shot.number)),
            None => channels
                .find(|&(_, channel)| is_too_large(channel))
                .map(|(shot, channel)| format!("channel {channel} of shot {}", shot.number)),
        };
        if let Some(name) = too_large {
            let problem = Problem::new(path, format!("{name} has a number that does not fit a trace header"));
            return Err(problem.allowed(format!("0 to {}", i32::MAX)).into());
        }
        self.delays(&path)?;
        if self.is_free() && self.config.source.kind == SourceKind::Monopole {
            let silent = shots.iter().find(|shot| shot.source.points().all(|point| self.is_silent(point.position)));
            if let Some(shot) = silent {
                let message =
                    format!("the source of shot {} is on the free surface, where the pressure is zero", shot.number);
                let hint =
                    "move it down, use a force (source.kind = \"force_z\"), or set boundaries.top = \"absorbing\"";
                return Err(Problem::new(path, message).allowed("a depth below the top").hint(hint).into());
            }
        }
        // A survey may have snapshots only.
        let is_seen = self.config.output.snapshots.is_some();
        if self.silent_receivers() == self.survey.trace_count() && !self.records_motion() && !is_seen {
            let message = "all receivers are on the free surface, where the pressure is zero";
            let hint = "move them down, record velocity (receivers.quantities = [\"velocity_z\"]), \
                        or set boundaries.top = \"absorbing\"";
            return Err(Problem::new(path, message).allowed("depths below the top").hint(hint).into());
        }
        let output = root.key("output");
        self.known(self.config.output.pictures.as_deref().unwrap_or_default(), &output.key("pictures"))?;
        self.snapshots(&output.key("snapshots"))
    }

    /// Rejects sources that fire after the end of the traces.
    fn delays(&self, path: &KeyPath) -> Checked<()> {
        let duration = self.config.duration;
        let delays =
            self.survey.shots().iter().flat_map(|shot| shot.source.points().map(move |point| (shot, point.delay)));
        let Some((shot, delay)) = delays.into_iter().find(|(_, delay)| *delay >= duration) else { return Ok(()) };
        let message = format!(
            "a source of shot {} fires {} s after the start of the traces, which end before",
            shot.number,
            Number(delay)
        );
        Err(Problem::new(path.clone(), message)
            .allowed(format!("delays in s, below `duration` = {}", Number(duration)))
            .into())
    }

    /// Rejects shot numbers that do not exist.
    fn known(&self, numbers: &[u32], path: &KeyPath) -> Checked<()> {
        let shots = self.survey.shots();
        let unknown = numbers.iter().enumerate().find(|(_, number)| !shots.iter().any(|shot| shot.number == **number));
        let Some((index, number)) = unknown else { return Ok(()) };
        let (first, last) = (shots[0].number, shots[shots.len() - 1].number);
        let problem = Problem::new(path.index(index), "is not the number of a shot").value(number);
        Err(problem.allowed(format!("shot numbers, such as {first} or {last}")).into())
    }

    /// Rejects snapshots of shots that do not exist, and planes outside the box.
    fn snapshots(&self, path: &KeyPath) -> Checked<()> {
        let Some(Snapshots { shots, slices, .. }) = &self.config.output.snapshots else { return Ok(()) };
        self.known(shots, &path.key("shots"))?;
        let path = path.key("slices");
        match (self.is_plane, slices.is_empty()) {
            (true, false) => {
                let problem = Problem::new(
                    path,
                    "are not available in a two-dimensional survey, whose snapshots show the whole plane",
                );
                return Err(problem.hint("remove the slices, or give the domain an extent along y").into());
            }
            (false, true) => {
                let problem = Problem::new(path, "is missing");
                return Err(problem
                    .hint("give the planes to show, such as slices = [{ y = 600.0 }, { depth = 300.0 }]")
                    .into());
            }
            _ => {}
        }
        for (index, slice) in slices.iter().enumerate() {
            let (axis, key, at) = slice.place();
            let Extent { low, high } = self.domain;
            let [from, to] = if axis == 2 { [-high[2], -low[2]] } else { [low[axis], high[axis]] };
            if !(from..=to).contains(&at) {
                let problem = Problem::new(path.index(index).key(key), "the slice is outside the domain");
                let allowed = format!("{key} from {} to {} m", Number(from), Number(to));
                return Err(problem.value(Number(at)).allowed(allowed).into());
            }
        }
        Ok(())
    }

    /// Warnings for the user.
    pub fn warnings(&self) -> Vec<String> {
        let traces = || self.survey.shots().iter().flat_map(|shot| shot.traces());
        let mut warnings = Vec::new();
        let silent = self.silent_receivers();
        if silent > 0 {
            warnings.push(format!("{} on the free surface, where the pressure is zero", counted(silent, "receiver")));
        }
        let muted = self.silent_points();
        if muted > 0 {
            warnings.push(format!(
                "{} on the free surface, where a monopole sends nothing",
                counted(muted, "source point")
            ));
        }
        let across = traces().map(|trace| ((trace.receiver[1] - trace.source[1]).abs(), trace.offset()));
        let crooked = across.filter(|(across, offset)| *across > ACROSS * offset.max(1.0)).map(|(across, _)| across);
        let farthest = crooked.fold(0.0, f64::max);
        if self.is_plane && farthest > 0.0 {
            warnings.push(format!(
                "receivers are up to {} m off the x-z plane of their source, but a two-dimensional simulation ignores y. Rotate a line that is not along x",
                Number(farthest)
            ));
        }
        warnings
    }

    /// Number of pressure receivers on the free surface.
    fn silent_receivers(&self) -> usize {
        let records_pressure = self.config.receivers.quantities.contains(&Quantity::Pressure);
        let traces = self.survey.shots().iter().flat_map(|shot| shot.traces());
        if self.is_free() && records_pressure {
            traces.filter(|trace| self.is_silent(trace.receiver)).count()
        } else {
            0
        }
    }

    /// Number of points of monopoles on the free surface.
    fn silent_points(&self) -> usize {
        if !self.is_free() || self.config.source.kind != SourceKind::Monopole {
            return 0;
        }
        let points = self.survey.shots().iter().flat_map(|shot| shot.source.points());
        points.filter(|point| self.is_silent(point.position)).count()
    }

    fn records_motion(&self) -> bool {
        self.config.receivers.quantities.iter().any(|quantity| quantity.is_velocity())
    }

    /// Whether a position is at the top of a fluid. In a solid, a free surface has a pressure, and a monopole on it radiates.
    fn is_silent(&self, [x, y, z]: [f64; 3]) -> bool {
        let is_fluid = || {
            let below = [x, y, self.domain.high[2] - ON_SURFACE];
            let of_solid = |model: &EarthModel| model.medium(model.region_at(below), below).is_fluid();
            self.solid.map_or(!self.config.is_elastic(), of_solid)
        };
        (z - self.domain.high[2]).abs() < ON_SURFACE && is_fluid()
    }

    fn is_free(&self) -> bool {
        self.config.boundaries.top == Top::Free
    }
}
