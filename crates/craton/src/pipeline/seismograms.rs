//! From samples to seismograms: requested quantities, corrected for time dispersion, in files.

use std::borrow::Cow;

use craton_acquisition::{AxisNames, Quantity, Receiver};
use craton_formats::{quakeml, stationxml};
use craton_model::Medium;
use craton_numerics::NumericsError;
use craton_numerics::dispersion::{Derive, Inverse, Stagger, UniformTimes};
use craton_numerics::resample::{CubicSpline, SplineEnd};
use craton_physics::{Sym3, stress_anisotropic};
use rayon::prelude::*;

use super::running_solver::Scalar;
use super::{fibres, gathers, pictures};
use crate::config::{Method, SeismogramFormat};
use crate::error::Error;
use crate::number::counted;
use crate::placing::{channels, probe_kinds};
use crate::setup::Setup;
use crate::simulation::Output;
use crate::time_axis::TimeAxis;
use crate::traces::{self, Situation, Trace, TraceName, Way};

/// Folder of the seismograms.
const FOLDER: &str = traces::FOLDER;

/// Writes all seismograms and their picture.
///
/// # Errors
/// A file that cannot be written.
pub fn write_seismograms(setup: &Setup, traces: &[Trace], output: &mut Output) -> Result<(), Error> {
    let of_receivers = traces.iter().position(Trace::is_of_fibre).unwrap_or(traces.len());
    let (traces, of_fibres) = traces.split_at(of_receivers);
    fibres::write(setup, of_fibres, output)?;
    for format in &setup.output.seismograms {
        for (file, of_file) in traces::files(traces, *format) {
            output.folder.file(std::path::Path::new(FOLDER).join(file))?;
            traces::write(&output.folder.path().join(FOLDER), of_file, *format)?;
        }
    }
    if setup.output.seismograms.contains(&SeismogramFormat::Miniseed) {
        companions(setup, traces, output)?;
    }
    gathers::write(setup, traces, output)?;
    if !traces.is_empty() {
        output.files.push(format!("{FOLDER}/ ({})", counted(traces.len(), "seismogram")));
        pictures::seismograms(setup, traces, output)?;
    }
    Ok(())
}

/// Writes metadata that miniSEED lacks: positions of its channels, and the sources, if these have longitude and
/// latitude.
fn companions(setup: &Setup, traces: &[Trace], output: &mut Output) -> Result<(), Error> {
    let (channels, events) = (traces::channels(traces), traces::events(setup));
    if !channels.is_empty() {
        let source = concat!("Craton ", env!("CARGO_PKG_VERSION"));
        stationxml::write(&output.folder.file("stations.xml")?, source, &craton_run::utc_now(), &channels)?;
        output.files.push("stations.xml".to_owned());
    }
    if !events.is_empty() {
        quakeml::write(&output.folder.file("events.xml")?, &events)?;
        output.files.push("events.xml".to_owned());
    }
    Ok(())
}

/// All seismograms, receiver by receiver, then the channels of fibres, from the samples `[step][channel]`.
///
/// # Arguments
/// * `media` – the medium at each receiver, which converts strain to pressure
/// # Errors
/// A sample that is not finite.
pub fn traces<T: Scalar>(
    setup: &Setup,
    (axis, media): (&TimeAxis, &[Medium]),
    samples: &[T],
) -> Result<Vec<Trace>, Error> {
    let converter = Converter::new(setup, axis)?;
    let kinds = probe_kinds(&setup.quantities);
    let per_receiver: usize = kinds.iter().map(|&gradient| if gradient { 9 } else { 3 }).sum();
    let all = channels(setup);
    let channel = |number: usize| -> Vec<f64> { samples[number..].iter().step_by(all).map(|x| x.to_f64()).collect() };
    let of_receivers: Result<Vec<Vec<Trace>>, NumericsError> = setup
        .receivers
        .par_iter()
        .zip(media)
        .enumerate()
        .map(|(index, (receiver, medium))| {
            let own: Vec<Vec<f64>> = (0..per_receiver).map(|c| channel(index * per_receiver + c)).collect();
            let (motion, gradient) = own.split_at(if kinds.contains(&false) { 3 } else { 0 });
            let turned = |names| Turned::new(setup, receiver, names, (motion, gradient));
            let directions: Vec<Turned> = setup.directions.names.iter().map(|&names| turned(names)).collect();
            let quantities = setup.quantities.iter();
            let of_quantity = |&quantity| match quantity {
                // The stiffness that converts strain to pressure is in the coordinate axes.
                Quantity::Pressure => converter.traces((receiver, medium), quantity, &[turned(setup.axis_names)]),
                _ => converter.traces((receiver, medium), quantity, &directions),
            };
            Ok(quantities.map(of_quantity).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        })
        .collect();
    let mut traces: Vec<Trace> = of_receivers?.into_iter().flatten().collect();
    traces.extend(fibres::traces(setup, &converter, per_receiver * setup.receivers.len(), channel)?);
    Ok(traces)
}

/// The channels of a receiver in one set of directions.
struct Turned {
    names: AxisNames,
    /// Channels of its motion (3).
    motion: Vec<Vec<f64>>,
    /// Channels of its gradient (9).
    gradient: Vec<Vec<f64>>,
    /// Channels of its rotation (3).
    rotation: Vec<Vec<f64>>,
}

impl Turned {
    /// Rotates motion and gradient channels from the axes of the mesh.
    fn new(
        setup: &Setup,
        receiver: &Receiver,
        names: AxisNames,
        (motion, gradient): (&[Vec<f64>], &[Vec<f64>]),
    ) -> Self {
        let axes = setup.directions.axes_at(names, &setup.frame, receiver.position());
        // Radial axes are left-handed: the curl is that in the axes of the mesh.
        let rotation = along(&axes, &rotation(gradient));
        Self { names, motion: along(&axes, motion), gradient: gradient_along(&axes, gradient), rotation }
    }
}

/// Converts sampled velocities and their gradients to the recorded quantities.
pub struct Converter<'a> {
    setup: &'a Setup,
    axis: &'a TimeAxis,
    times: UniformTimes,
    inverse: Option<Inverse>,
}

impl<'a> Converter<'a> {
    fn new(setup: &'a Setup, axis: &'a TimeAxis) -> Result<Self, NumericsError> {
        let interval = setup.output.sample_interval.unwrap_or(axis.dt);
        // The tolerance includes the last sample that the user expects.
        let count = ((setup.end - setup.start) / interval + 1e-6).floor() as usize + 1;
        let times = UniformTimes { start: axis.lead as f64 * axis.dt, interval, count };
        let inverse = axis.corrected.then(|| Inverse::onto(axis.total() as usize, axis.dt, times)).transpose()?;
        Ok(Self { setup, axis, times, inverse })
    }

    /// The traces of one quantity at one receiver; components that several sets share are written once.
    fn traces(
        &self,
        (receiver, medium): (&Receiver, &Medium),
        quantity: Quantity,
        turned: &[Turned],
    ) -> Result<Vec<Trace>, NumericsError> {
        let mut named: Vec<(&str, Vec<f64>)> = Vec::new();
        for turned in turned {
            let mut rates = rates(medium, quantity, turned).into_iter();
            for &component in quantity.components(turned.names) {
                let rate = rates.next().expect("a rate for each component");
                if !named.iter().any(|(known, _)| *known == component) {
                    named.push((component, self.series(&rate, self.derive(quantity, medium))?));
                }
            }
        }
        let situation = Situation::new(self.setup, receiver);
        let trace = |(component, samples): (&str, Vec<f64>)| {
            self.trace(receiver, (quantity, component), situation.clone(), samples)
        };
        Ok(named.into_iter().map(trace).collect())
    }

    /// The trace of a component at a receiver.
    fn trace(
        &self,
        receiver: &Receiver,
        (quantity, component): (Quantity, &str),
        situation: Situation,
        samples: Vec<f64>,
    ) -> Trace {
        let source = self.setup.event.position.or_else(|| self.setup.source_positions().next());
        Trace {
            name: TraceName { station: receiver.code(), quantity: Some(quantity), component: component.to_owned() },
            start: self.setup.start,
            dt: self.times.interval,
            samples,
            position: Some(receiver.position()),
            offset: source.map(|source| Way::in_the_model(&self.setup.frame, source, receiver.position()).distance),
            situation,
        }
    }

    /// The trace of a channel of a fibre.
    ///
    /// # Arguments
    /// * `rate` – rate of the strain in each step
    pub fn fibre(&self, receiver: &Receiver, quantity: Quantity, rate: &[f64]) -> Result<Trace, NumericsError> {
        let derive = if quantity == Quantity::FibreStrain { Derive::Integral } else { Derive::Nothing };
        let component = quantity.components(self.setup.axis_names)[0];
        let samples = self.series(rate, derive)?;
        Ok(self.trace(receiver, (quantity, component), Situation::new(self.setup, receiver), samples))
    }

    /// The conversion of samples to a quantity. Spectral elements sample the second time integral of the gradient in a fluid.
    fn derive(&self, quantity: Quantity, medium: &Medium) -> Derive {
        let is_integrated = medium.is_fluid() && matches!(self.setup.method, Method::Sem(_));
        match quantity {
            Quantity::Strain | Quantity::Pressure if is_integrated => Derive::Derivative,
            Quantity::Velocity | Quantity::RotationRate | Quantity::FibreStrainRate => Derive::Nothing,
            Quantity::Acceleration => Derive::Derivative,
            _ => Derive::Integral,
        }
    }

    /// Integrates half-step rates to the quantity, at the times of the traces.
    fn series(&self, rates: &[f64], derive: Derive) -> Result<Vec<f64>, NumericsError> {
        match &self.inverse {
            Some(inverse) => inverse.apply(rates, Stagger::Half, derive),
            None => self.as_computed(rates, derive),
        }
    }

    /// The values of the scheme at whole steps, interpolated to other times.
    fn as_computed(&self, rates: &[f64], derive: Derive) -> Result<Vec<f64>, NumericsError> {
        let dt = self.axis.dt;
        let mut sum = 0.0;
        let at_steps: Vec<f64> = (0..rates.len())
            .map(|step| {
                let near = |ahead: i64| step.checked_add_signed(ahead as isize).and_then(|at| rates.get(at)).copied();
                let [first, before, after, last] = [-2, -1, 0, 1].map(|ahead| near(ahead).unwrap_or(0.0));
                match (derive, self.axis.fourth_order) {
                    (Derive::Nothing, false) => 0.5 * (before + after),
                    (Derive::Nothing, true) => (7.0 * (before + after) - (first + last)) / 12.0,
                    (Derive::Derivative, false) => (after - before) / dt,
                    (Derive::Derivative, true) => (15.0 * (after - before) - (last - first)) / (12.0 * dt),
                    (Derive::Integral, _) => {
                        sum += dt * before;
                        sum
                    }
                }
            })
            .collect();
        let UniformTimes { start, interval, count } = self.times;
        if interval == dt && start == 0.0 {
            return Ok(at_steps[..count.min(at_steps.len())].to_vec());
        }
        let spline = CubicSpline::new(0.0, dt, &at_steps, SplineEnd::NotAKnot)?;
        let times: Vec<f64> = (0..count).map(|i| start + i as f64 * interval).collect();
        spline.values(&times)
    }
}

/// Components from which a quantity is derived: velocities, or rates of strain, rotation or pressure.
fn rates<'a>(medium: &Medium, quantity: Quantity, turned: &'a Turned) -> Vec<Cow<'a, [f64]>> {
    let borrowed = |channels: &'a [Vec<f64>]| channels.iter().map(|channel| Cow::Borrowed(&**channel)).collect();
    match quantity {
        Quantity::Rotation | Quantity::RotationRate => borrowed(&turned.rotation),
        Quantity::Strain => strain(&turned.gradient).into_iter().map(Cow::Owned).collect(),
        Quantity::Pressure => vec![Cow::Owned(pressure(medium, turned))],
        _ => borrowed(&turned.motion),
    }
}

/// Rate of minus the mean normal stress in a medium.
fn pressure(medium: &Medium, turned: &Turned) -> Vec<f64> {
    let (strain, stiffness) = (strain(&turned.gradient), medium.stiffness().0);
    let rate = |step: usize| {
        let [xx, yy, zz, yz, xz, xy] = std::array::from_fn(|component| strain[component][step]);
        let Sym3 { xx, yy, zz, .. } = stress_anisotropic(&stiffness, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
        -(xx + yy + zz) / 3.0
    };
    (0..strain[0].len()).map(rate).collect()
}

/// Rotates vector channels from the mesh axes x, y and z to those of a receiver.
///
/// # Arguments
/// * `axes` – axes of the receiver, in those of the mesh
fn along(axes: &[[f64; 3]; 3], channels: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let component = |axis: &[f64; 3]| mixed(channels, |channel| axis[channel]);
    if channels.is_empty() { Vec::new() } else { axes.iter().map(component).collect() }
}

/// Rotates the nine channels of a gradient (row = component).
fn gradient_along(axes: &[[f64; 3]; 3], channels: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let component = |to: usize| mixed(channels, |from| axes[to / 3][from / 3] * axes[to % 3][from % 3]);
    if channels.is_empty() { Vec::new() } else { (0..9).map(component).collect() }
}

/// Weighted sum of channels; those of weight 0 are omitted, so that the identity changes nothing.
fn mixed(channels: &[Vec<f64>], weight: impl Fn(usize) -> f64) -> Vec<f64> {
    let weighted = channels.iter().enumerate().map(|(number, channel)| (weight(number), channel));
    let mut sum = vec![0.0; channels[0].len()];
    for (weight, channel) in weighted.filter(|(weight, _)| *weight != 0.0) {
        sum.iter_mut().zip(channel).for_each(|(sum, value)| *sum += weight * value);
    }
    sum
}

/// Strain in Voigt order from the nine channels of a gradient (row = component).
fn strain(gradient: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mean = |a: usize, b: usize| gradient[a].iter().zip(&gradient[b]).map(|(x, y)| 0.5 * (x + y)).collect();
    [(0, 0), (4, 4), (8, 8), (5, 7), (2, 6), (1, 3)].map(|(a, b)| mean(a, b)).into()
}

/// Half of the curl from the nine channels of a gradient (row = component), in right-handed axes.
fn rotation(gradient: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let half = |a: usize, b: usize| gradient[a].iter().zip(&gradient[b]).map(|(x, y)| 0.5 * (x - y)).collect();
    if gradient.is_empty() { Vec::new() } else { [(7, 5), (2, 6), (3, 1)].map(|(a, b)| half(a, b)).into() }
}
