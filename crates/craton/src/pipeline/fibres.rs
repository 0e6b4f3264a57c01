//! Channels of optical fibres: strain from the motion of their points, in files of their own.

use std::path::Path;

use craton_acquisition::{FibreTerm, Quantity};
use craton_formats::prodml::{self, DasQuantity, DasRecord};
use craton_numerics::NumericsError;
use craton_view::{ColourMap, Gather, GatherOptions, GatherStyle, TraceAxis};
use rayon::prelude::*;

use super::gathers;
use super::seismograms::Converter;
use crate::config::FibreFormat;
use crate::error::Error;
use crate::setup::{SensingFibre, Setup};
use crate::simulation::Output;
use crate::traces::{self, NO_DATE, Trace};

/// The channels of all fibres, fibre by fibre, quantity by quantity.
///
/// # Arguments
/// * `first` – number of the first sampled channel of the fibres: the motion of their points, three per point
/// * `sampled` – a sampled channel, by number
/// # Errors
/// A sample that is not finite.
pub fn traces(
    setup: &Setup,
    converter: &Converter,
    mut first: usize,
    sampled: impl Fn(usize) -> Vec<f64> + Sync,
) -> Result<Vec<Trace>, NumericsError> {
    let mut traces = Vec::new();
    for own in &setup.fibres {
        let rate = |terms: &[FibreTerm]| {
            let mut rate: Vec<f64> = Vec::new();
            for (axis, term) in terms.iter().flat_map(|term| (0..3).map(move |axis| (axis, term))) {
                if term.weight[axis] != 0.0 {
                    let motion = sampled(first + 3 * term.point + axis);
                    rate.resize(motion.len(), 0.0);
                    rate.iter_mut().zip(&motion).for_each(|(rate, motion)| *rate += term.weight[axis] * motion);
                }
            }
            rate
        };
        let rates: Vec<Vec<f64>> = own.fibre.channels.par_iter().map(|channel| rate(&channel.terms)).collect();
        for &quantity in &own.quantities {
            let channels = rates.par_iter().enumerate();
            let trace = |(index, rate): (usize, &Vec<f64>)| converter.fibre(&own.receiver(index), quantity, rate);
            traces.par_extend(channels.map(trace).collect::<Result<Vec<_>, _>>()?);
        }
        first += 3 * own.points.len();
    }
    Ok(traces)
}

/// Writes the files of all fibres, and a picture for each quantity of each fibre.
///
/// # Errors
/// A file that cannot be written.
///
/// Verified by `fibres::files_of_a_fibre_contain_its_channels`.
pub fn write(setup: &Setup, mut traces: &[Trace], output: &mut Output) -> Result<(), Error> {
    for own in &setup.fibres {
        for &quantity in &own.quantities {
            let (channels, others) = traces.split_at(own.fibre.channels.len());
            traces = others;
            let (word, _) = in_words(quantity);
            let name = format!("fibre_{}_{word}", own.fibre.name);
            for format in &setup.output.fibres {
                let extension = match format {
                    FibreFormat::Hdf5 => "h5",
                    FibreFormat::Segy => "sgy",
                };
                let file = format!("{}/{name}.{extension}", traces::FOLDER);
                let path = output.folder.file(&file)?;
                match format {
                    FibreFormat::Hdf5 => hdf5(setup, own, channels, &path)?,
                    FibreFormat::Segy => segy(setup, own, channels, &path)?,
                }
                output.files.push(file);
            }
            let file = format!("{name}.png");
            picture(setup, own, (quantity, channels), &output.folder.file(&file)?)?;
            output.files.push(file);
        }
    }
    Ok(())
}

/// A quantity of a fibre in file names, and in words.
fn in_words(quantity: Quantity) -> (&'static str, &'static str) {
    if quantity == Quantity::FibreStrain { ("strain", "Strain") } else { ("strain_rate", "Strain rate") }
}

/// The channels as a SEG-Y gather.
fn segy(setup: &Setup, own: &SensingFibre, channels: &[Trace], file: &Path) -> Result<(), Error> {
    let fibre = &own.fibre;
    let lines = [format!(
        "Fibre {}: gauge length {} m, channels every {} m from {} m along the fibre",
        fibre.name, fibre.gauge_length, fibre.spacing, fibre.channels[0].distance
    )];
    gathers::segy(setup, &channels.iter().collect::<Vec<_>>(), &lines, file)
}

/// The channels in the layout of PRODML.
fn hdf5(setup: &Setup, own: &SensingFibre, channels: &[Trace], file: &Path) -> Result<(), Error> {
    let (fibre, first) = (&own.fibre, &channels[0]);
    let distances: Vec<f64> = fibre.channels.iter().map(|channel| channel.distance).collect();
    let positions: Vec<[f64; 3]> = fibre.channels.iter().map(|channel| channel.position).collect();
    let record = DasRecord {
        start: first.situation.zero.unwrap_or(NO_DATE).later_by(first.start),
        interval: first.dt,
        samples: first.samples.len(),
        distances: &distances,
        spacing: fibre.spacing,
        gauge_length: fibre.gauge_length,
        positions: &positions,
        coordinates: ["x [m]", "y [m]", "z [m]"],
        quantity: match first.name.quantity {
            Some(Quantity::FibreStrain) => DasQuantity::Strain,
            _ => DasQuantity::StrainRate,
        },
        description: &setup.title,
    };
    let samples =
        channels.iter().map(|channel| channel.samples.iter().map(|&sample| sample as f32).collect::<Vec<f32>>());
    Ok(prodml::write(file, &record, samples)?)
}

/// A picture of all channels: distance along the fibre and time.
fn picture(
    setup: &Setup,
    own: &SensingFibre,
    (quantity, channels): (Quantity, &[Trace]),
    file: &Path,
) -> Result<(), Error> {
    /// Largest number of channels of a picture; more would exceed the number of pixels.
    const MOST: usize = 4000;
    let every = channels.len().div_ceil(MOST);
    let chosen = || (0..channels.len()).step_by(every);
    let metres: Vec<f64> = chosen().map(|channel| own.fibre.channels[channel].distance).collect();
    let samples: Vec<f32> =
        chosen().flat_map(|channel| channels[channel].samples.iter().map(|&sample| sample as f32)).collect();
    let first = &channels[0];
    let gather = Gather {
        samples: &samples,
        samples_per_trace: first.samples.len(),
        t0: first.start,
        dt: first.dt,
        axis: TraceAxis::Position { metres: &metres, label: "Distance along the fibre" },
    };
    let (_, words) = in_words(quantity);
    let title = match setup.title.is_empty() {
        true => format!("Fibre {}", own.fibre.name),
        false => format!("{}: fibre {}", setup.title, own.fibre.name),
    };
    let options = GatherOptions {
        title,
        quantity: words.to_owned(),
        unit: quantity.unit().to_owned(),
        style: GatherStyle::Density(ColourMap::Vik),
        ..GatherOptions::default()
    };
    Ok(craton_view::gather(&gather, &options, file)?)
}
