//! Amplitude spectra on logarithmic axes.

use std::path::Path;

use craton_fft::RealPlanner;

use crate::axis::{Axis, MARKER, Side};
use crate::canvas::Canvas;
use crate::colour::{Colour, line_colour};
use crate::error::Result;
use crate::layout::{self, Area, MARGIN, Paper};
use crate::pen::{FRAME, HEADING, LABEL, Lettering, Pen, SMALL};
use crate::table::heading_of;
use crate::trace::{self, Trace, distinct};

/// Options of spectra.
#[derive(Clone, Debug)]
pub struct SpectraOptions {
    /// Size and resolution.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
    /// Unit of the samples, such as "m/s"; the spectra are in this unit per hertz.
    pub unit: String,
    /// Highest frequency \[Hz\] that the computation resolves, marked by a line.
    pub resolved_frequency: Option<f64>,
    /// Frequencies shown \[Hz\]; when left out, from one period per record to the Nyquist frequency or four times the resolved one.
    pub frequencies: Option<[f64; 2]>,
    /// Number of decades shown below the largest amplitude.
    pub decades: f64,
}

impl Default for SpectraOptions {
    fn default() -> Self {
        Self {
            paper: Paper::default(),
            title: String::new(),
            unit: String::new(),
            resolved_frequency: None,
            frequencies: None,
            decades: 5.0,
        }
    }
}

/// Amplitude spectrum of a trace: |∑ u(t) exp(−2πi f t)| dt at the multiples f of `step`.
struct Spectrum {
    /// Frequency spacing \[Hz\].
    step: f64,
    amplitudes: Vec<f64>,
}

impl Spectrum {
    fn of(trace: &Trace<'_>, planner: &mut RealPlanner) -> Self {
        let transform = planner.forward(trace.samples.len());
        let mut samples = trace.samples.to_vec();
        let mut spectrum = transform.make_output_vec();
        transform.process(&mut samples, &mut spectrum).expect("buffers have the lengths that the plan made");
        Self {
            step: 1.0 / (trace.samples.len() as f64 * trace.dt),
            amplitudes: spectrum.iter().map(|value| value.norm() * trace.dt).collect(),
        }
    }

    /// Frequencies and amplitudes inside a range, without the mean.
    fn inside(&self, [low, high]: [f64; 2]) -> impl Iterator<Item = [f64; 2]> + '_ {
        let points = self.amplitudes.iter().enumerate().skip(1);
        points
            .map(|(index, &amplitude)| [index as f64 * self.step, amplitude])
            .filter(move |[frequency, _]| *frequency >= low * (1.0 - 1e-9) && *frequency <= high * (1.0 + 1e-9))
    }
}

/// Draws the amplitude spectra of all traces, a panel per component, a colour per station. No taper is applied, so a trace that does not end at rest shows
/// truncation effects.
///
/// # Arguments
/// * `traces` – in any order; at least one with three samples
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Nothing`, `Error::NoSamples`, `Error::TimeStep`, `Error::NotFinite`, `Error::NotPositive`, `Error::Range`, `Error::Paper`,
/// `Error::Write`
pub fn spectra(traces: &[Trace<'_>], options: &SpectraOptions, path: impl AsRef<Path>) -> Result<()> {
    trace::check(traces)?;
    trace::check_positive("the lowest frequency", options.frequencies.map(|ends| ends[0]))?;
    trace::check_positive("the resolved frequency", options.resolved_frequency)?;
    trace::check_positive("the number of decades", options.decades)?;
    let mut planner = RealPlanner::new();
    let spectra: Vec<Spectrum> = traces.iter().map(|trace| Spectrum::of(trace, &mut planner)).collect();
    let frequencies = trace::checked_range("the range of frequencies", frequencies(traces, options))?;
    let top = layout::heading_height(&options.title, "");
    let (mut canvas, sheet) = Canvas::new(&options.paper, top + 430.0)?;
    layout::heading(&mut canvas, &sheet, &options.title, "");
    let picture = Picture {
        stations: distinct(traces.iter().map(|trace| trace.label)),
        components: distinct(traces.iter().map(|trace| trace.component)),
        amplitudes: amplitudes(&spectra, frequencies, options.decades),
        frequencies,
        traces,
        spectra,
        options,
    };
    picture.draw(&mut canvas, &sheet, top);
    canvas.save(path.as_ref())
}

fn frequencies(traces: &[Trace<'_>], options: &SpectraOptions) -> [f64; 2] {
    if let Some(wanted) = options.frequencies {
        return wanted;
    }
    let lengths = traces.iter().map(|trace| trace.samples.len() as f64 * trace.dt);
    let nyquist = traces.iter().map(|trace| 0.5 / trace.dt).fold(0.0, f64::max);
    let high = options.resolved_frequency.map_or(nyquist, |resolved| nyquist.min(4.0 * resolved));
    [1.0 / lengths.fold(0.0, f64::max), high]
}

/// The amplitude range, up to the next half decade above the largest.
fn amplitudes(spectra: &[Spectrum], frequencies: [f64; 2], decades: f64) -> [f64; 2] {
    let largest = spectra
        .iter()
        .flat_map(|spectrum| spectrum.inside(frequencies))
        .fold(0.0, |largest, [_, amplitude]| f64::max(largest, amplitude));
    let largest = if largest > 0.0 { largest } else { 1.0 };
    let high = 10f64.powf((2.0 * largest.log10() + 0.2).ceil() / 2.0);
    [high / 10f64.powf(decades), high]
}

struct Picture<'a> {
    traces: &'a [Trace<'a>],
    spectra: Vec<Spectrum>,
    options: &'a SpectraOptions,
    stations: Vec<&'a str>,
    components: Vec<&'a str>,
    frequencies: [f64; 2],
    amplitudes: [f64; 2],
}

impl Picture<'_> {
    const LEGEND: Lettering = Lettering::new(9.5, Colour::INK);

    fn draw(&self, canvas: &mut Canvas, sheet: &Area, top: f64) {
        let names = self.stations.iter().map(|name| Self::LEGEND.width_of(name));
        let legend = names.fold(0.0, f64::max).min(110.0) + 32.0;
        let mut body = Area {
            left: sheet.left + MARGIN,
            top: top + 20.0,
            right: sheet.right - MARGIN - legend,
            bottom: sheet.bottom - MARGIN - 38.0,
        };
        let amplitude = |area: &Area| {
            let ends = [area.bottom, area.top];
            let unit = match self.options.unit.as_str() {
                "" => String::new(),
                unit => format!("{unit}/Hz"),
            };
            Axis::logarithmic(Side::Left, self.amplitudes, ends, "Amplitude", &unit)
        };
        body.left += amplitude(&body).thickness();
        let amplitude = amplitude(&body);
        let count = self.components.len();
        for (index, component) in self.components.iter().enumerate() {
            let area = body.column(index, count, 18.0);
            self.draw_panel(canvas, &area, component, &amplitude);
            if index == 0 {
                amplitude.draw(canvas, &area);
            }
        }
        self.draw_legend(canvas, &body);
    }

    fn draw_panel(&self, canvas: &mut Canvas, area: &Area, component: &str, amplitude: &Axis) {
        let ends = [area.left, area.right];
        let frequency = Axis::logarithmic(Side::Bottom, self.frequencies, ends, "Frequency", "Hz");
        frequency.draw_grid(canvas, area);
        amplitude.draw_grid(canvas, area);
        for (trace, spectrum) in self.traces.iter().zip(&self.spectra) {
            if trace.component == component {
                let points = spectrum.inside(self.frequencies).map(|[f, value]| {
                    let value = value.max(self.amplitudes[0]);
                    [frequency.scale.at(f), amplitude.scale.at(value)]
                });
                let pen = Pen::new(self.colour_of(trace.label), 1.1);
                canvas.line(&thinned(points, canvas.pixel()), &pen);
            }
        }
        if let Some(resolved) = self.options.resolved_frequency {
            self.draw_marker(canvas, area, frequency.scale.at(resolved), resolved);
        }
        canvas.frame(area, &FRAME);
        frequency.draw(canvas, area);
        canvas.text([area.left, area.top - 9.0], &heading_of(component), &HEADING);
    }

    fn draw_marker(&self, canvas: &mut Canvas, area: &Area, x: f64, resolved: f64) {
        if (area.left..=area.right).contains(&x) {
            canvas.rule([x, area.top], [x, area.bottom], &MARKER);
            let text = format!("resolved to {} Hz", crate::ticks::brief(resolved));
            let lettering = Lettering { colour: MARKER.colour, ..SMALL.rimmed().upwards() };
            canvas.text([x - 5.0, area.bottom - 8.0], &text, &lettering);
        }
    }

    fn colour_of(&self, station: &str) -> Colour {
        let index = self.stations.iter().position(|name| *name == station).unwrap_or(0);
        line_colour(index, self.stations.len())
    }

    fn draw_legend(&self, canvas: &mut Canvas, body: &Area) {
        const LINE: f64 = 15.0;
        let room = (body.height() / LINE) as usize;
        let shown = if self.stations.len() > room { room.saturating_sub(1) } else { self.stations.len() };
        let left = body.right + 14.0;
        for (row, name) in self.stations.iter().take(shown).enumerate() {
            let y = body.top + LINE * (row as f64 + 0.5);
            canvas.rule([left, y], [left + 16.0, y], &Pen::new(self.colour_of(name), 2.0));
            let at = [left + 22.0, y + Self::LEGEND.half_height()];
            canvas.text(at, &Self::LEGEND.cut(name, 110.0), &Self::LEGEND);
        }
        if shown < self.stations.len() {
            let rest = format!("and {} more", self.stations.len() - shown);
            let y = body.top + LINE * (shown as f64 + 0.5) + LABEL.half_height();
            canvas.text([left, y], &rest, &SMALL);
        }
    }
}

/// Reduces the points in each pixel column to the highest and the lowest.
fn thinned(points: impl Iterator<Item = [f64; 2]>, pixel: f64) -> Vec<[f64; 2]> {
    let mut kept: Vec<[f64; 2]> = Vec::new();
    let mut column = i64::MIN;
    let mut start = 0;
    for point in points {
        let own = (point[0] / pixel) as i64;
        if own != column {
            column = own;
            start = kept.len();
        }
        if kept.len() < start + 2 {
            kept.push(point);
        } else {
            let [first, second] = [kept[start][1], kept[start + 1][1]];
            let (upper, lower) = if first < second { (start, start + 1) } else { (start + 1, start) };
            if point[1] < kept[upper][1] {
                kept[upper][1] = point[1];
            } else if point[1] > kept[lower][1] {
                kept[lower][1] = point[1];
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_pulse_has_a_flat_spectrum_of_its_area() {
        let mut samples = vec![0.0; 101];
        samples[40] = 4.0;
        let trace = Trace { label: "A", component: "Z", t0: 0.0, dt: 0.25, samples: &samples, offset_m: None };
        let spectrum = Spectrum::of(&trace, &mut RealPlanner::new());
        assert_eq!(spectrum.amplitudes.len(), 51);
        assert!(spectrum.amplitudes.iter().all(|value| (value - 1.0).abs() < 1e-12));
        assert!((spectrum.step - 1.0 / 25.25).abs() < 1e-15);
    }

    #[test]
    fn thinning_keeps_extremes_of_a_column() {
        let points = [[0.1, 5.0], [0.2, 1.0], [0.3, 9.0], [0.4, 4.0], [1.2, 3.0]];
        let kept = thinned(points.into_iter(), 1.0);
        assert_eq!(kept, [[0.1, 9.0], [0.2, 1.0], [1.2, 3.0]]);
    }
}
