//! Gradients of surveys: against differences of misfits, and independent of threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use craton::config::VolumeAxis::{Depth, X};
use craton::options::Computing;
use craton::survey::{
    GradientOptions, MisfitFunction, MisfitKind, Observed, ObservedTraces, SurveyFile, SurveyGradient,
};
use craton::{Error, Gather, Given, Inputs, Survey};
use craton_acquisition::survey::Shot;
use craton_numerics::misfit::relative_l2;

use super::gradient_command::device;

/// Points of the model along depth and x.
const POINTS: [usize; 2] = [41, 61];
/// A survey with a fixed grid and time step, so that only the model varies.
const SURVEY: &str = r#"
    duration = 0.6
    model.volume.velocity.file = "vp"
    acquisition.fixed.shot_line = [{ from = [90.0, 0.0, 23.0], to = [510.0, 0.0, 23.0], count = 3 }]
    acquisition.fixed.receiver_line = [{ from = [60.0, 0.0, 37.0], to = [540.0, 0.0, 37.0], count = 13 }]
    source = { amplitude = 1e6, time_function.ricker = { frequency = 10.0 } }
    method.fd = { max_frequency = 25.0, grid_spacing = CELLS, time_step = 0.0015, MORE }
    output = { directory = "unused", sample_interval = 0.004 }
"#;

/// Values of the points, depth fastest.
type Values = Vec<f32>;

fn values(of: impl Fn(f64, f64) -> f64) -> Values {
    let [nz, nx] = POINTS;
    (0..nx * nz).map(|point| of((point / nz) as f64 / nx as f64, (point % nz) as f64 / nz as f64) as f32).collect()
}

/// Distance to a lens in the middle, 0 outside and 1 inside.
fn lens(x: f64, depth: f64) -> f64 {
    (-((x - 0.5).powi(2) + (depth - 0.5).powi(2)) / 0.02).exp()
}

fn background() -> Values {
    values(|x, depth| 1700.0 + 500.0 * depth + 60.0 * x)
}

/// A survey: more keys of its tables and of the method, densities, and edge length of the cells.
#[derive(Debug, Clone)]
struct Case {
    keys: String,
    more: &'static str,
    rho: Option<Values>,
    cells: f64,
}

impl Case {
    fn survey(&self, vp: &Values, rho: Option<&Values>, threads: usize) -> Survey {
        self.survey_on("cpu", vp, rho, threads)
    }

    fn survey_on(&self, device: &str, vp: &Values, rho: Option<&Values>, threads: usize) -> Survey {
        let [nz, nx] = POINTS;
        let axes = [(Depth, 0.0, 10.0, nz), (X, 0.0, 10.0, nx)];
        let mut inputs = Inputs::new().with("vp", Given::volume(&axes, vp.clone()).unwrap());
        if let Some(rho) = rho {
            inputs = inputs.with("rho", Given::volume(&axes, rho.clone()).unwrap());
        }
        let text = SURVEY.replace("MORE", self.more).replace("CELLS", &format!("{:?}", self.cells)) + &self.keys;
        let file = SurveyFile::from_toml(&text, ".", inputs).unwrap();
        let computing =
            Computing { device: Some(device.parse().unwrap()), threads: Some(threads), ..Computing::default() };
        Survey::with(file, &computing).unwrap()
    }

    fn gathers(&self, vp: &Values, rho: Option<&Values>) -> Vec<Gather> {
        let mut gathers = Vec::new();
        self.survey(vp, rho, 2).run(&mut gathers).unwrap();
        gathers
    }

    fn gradient(
        &self,
        vp: &Values,
        rho: Option<&Values>,
        of: &Vec<Gather>,
        options: &GradientOptions,
    ) -> SurveyGradient {
        self.survey(vp, rho, 2).misfit_and_gradient(of, options, &mut ()).unwrap()
    }
}

fn constant() -> Case {
    Case { keys: "model.volume.density = 2000.0\n".to_owned(), more: "", rho: None, cells: 10.0 }
}

fn with_lens(size: f64) -> Values {
    values(|x, depth| 1700.0 + 500.0 * depth + 60.0 * x + size * lens(x, depth))
}

/// A smooth change of the model away from sources and receivers.
fn change(seed: f64) -> Values {
    let inside = |x: f64, depth: f64| (depth * (1.0 - depth) * 4.0).powi(2) * if depth < 0.25 { 0.0 } else { 1.0 } * x;
    values(|x, depth| inside(x, depth) * ((9.0 + seed) * x + 7.0 * depth + seed).sin())
}

fn moved(values: &Values, change: &Values, size: f64) -> Values {
    values.iter().zip(change).map(|(value, change)| value + (size * f64::from(*change)) as f32).collect()
}

fn dot(gradient: &[f64], change: &Values) -> f64 {
    gradient.iter().zip(change).map(|(own, change)| own * f64::from(*change)).sum()
}

#[test]
fn the_gradient_agrees_with_differences_of_the_misfit() {
    let density = "model.volume.density.file = \"rho\"\n".to_owned();
    let varied = values(|x, depth| 1900.0 + 150.0 * depth + 40.0 * (6.0 * x).sin());
    let cases = [
        constant(),
        // Density follows from speed; an aperture; the model is finer than the cells; without a free top.
        Case { keys: String::new(), more: "", rho: None, cells: 10.0 },
        Case { more: "aperture = 100.0", ..constant() },
        Case { cells: 20.0, ..constant() },
        Case { keys: density.clone(), more: "order = 4", rho: Some(varied.clone()), cells: 10.0 },
        Case { keys: density + "boundaries.top = \"absorbing\"\n", more: "", rho: Some(varied), cells: 10.0 },
    ];
    // Misfits differ only in the residuals of each trace.
    for (index, case) in cases.into_iter().enumerate() {
        let observed = case.gathers(&with_lens(150.0), case.rho.as_ref());
        for &misfit in if index == 0 { &MisfitKind::ALL[..] } else { &MisfitKind::ALL[..1] } {
            let options = GradientOptions { misfit, density: case.rho.is_some(), exact: true };
            let vp = background();
            let found = case.gradient(&vp, case.rho.as_ref(), &observed, &options);
            assert_eq!(found.misfits.len(), 3);
            let value = |vp: &Values, rho: Option<&Values>| case.gradient(vp, rho, &observed, &options).total.misfit;
            let change = change(if misfit == MisfitKind::L2 { 0.0 } else { 2.0 });
            let agree = |name: &str, gradient: &[f64], [up, down]: [f64; 2], size: f64| {
                let (expected, own) = ((up - down) / (2.0 * size), dot(gradient, &change));
                let is_same = (expected - own).abs() < 1e-3 * expected.abs();
                assert!(is_same, "{name} {misfit:?} {case:?}: {own:e} instead of {expected:e}");
            };
            let velocities = [4.0, -4.0].map(|size| value(&moved(&vp, &change, size), case.rho.as_ref()));
            agree("velocity", &found.total.gradient.velocity, velocities, 4.0);
            if let Some(rho) = &case.rho {
                let densities = [8.0, -8.0].map(|size| value(&vp, Some(&moved(rho, &change, size))));
                agree("density", &found.total.gradient.density, densities, 8.0);
            }
        }
    }
}

#[test]
fn adjoint_sources_and_misfits_of_the_calling_program_give_the_same_gradient() {
    let case = constant();
    let observed = case.gathers(&with_lens(150.0), None);
    let vp = background();
    let options = GradientOptions { exact: true, ..GradientOptions::default() };
    let expected = case.gradient(&vp, None, &observed, &options);
    let agree = |found: &SurveyGradient| {
        let error = relative_l2(&[&found.total.gradient.velocity], &[&expected.total.gradient.velocity]).unwrap();
        assert!(error < 1e-6, "{error:e}");
    };
    let difference = |gather: &Gather| {
        let of = &observed.iter().find(|own| own.shot == gather.shot).unwrap().traces;
        let of_trace = |(own, of): (&Vec<f32>, &Vec<f32>)| -> Vec<f64> {
            own.iter().zip(of).map(|(own, of)| gather.sample_interval * (f64::from(*own) - f64::from(*of))).collect()
        };
        let residuals: Vec<Vec<f64>> = gather.traces.iter().zip(of).map(of_trace).collect();
        let misfit = 0.5 * residuals.iter().flatten().map(|r| r * r).sum::<f64>() / gather.sample_interval;
        (misfit, residuals)
    };
    let survey = case.survey(&vp, None, 2);
    let found = survey.gradient_of_misfit(&|gather| Ok(difference(gather)), &options, &mut ()).unwrap();
    agree(&found);
    assert!((found.total.misfit - expected.total.misfit).abs() < 1e-12 * expected.total.misfit);
    let mut sources = case.gathers(&vp, None);
    for gather in &mut sources {
        let (_, residuals) = difference(gather);
        gather.traces = residuals.into_iter().map(|trace| trace.into_iter().map(|r| r as f32).collect()).collect();
    }
    let given = GradientOptions { misfit: MisfitKind::AdjointSource, ..options };
    agree(&case.gradient(&vp, None, &sources, &given));
    let refused = |misfit: &MisfitFunction, expected: &str| {
        let error = survey.gradient_of_misfit(misfit, &options, &mut ()).unwrap_err();
        assert!(error.exit_code() == 2 && error.to_string().contains(expected), "{error}");
    };
    refused(&|_| Err("no observed gather".to_owned()), "no observed gather");
    refused(&|gather| Ok((f64::NAN, difference(gather).1)), "which is not finite");
    refused(&|gather| Ok((0.0, vec![vec![0.0; 151]; gather.traces.len() - 1])), "has 12 traces instead of 13");
    refused(&|gather| Ok((0.0, vec![vec![0.0; 150]; gather.traces.len()])), "has 150 samples instead of 151");
}

#[test]
fn the_gradient_is_bit_identical_for_any_number_of_threads() {
    let case = constant();
    let observed = case.gathers(&with_lens(150.0), None);
    let of = |threads: usize| {
        let survey = case.survey(&background(), None, threads);
        survey.misfit_and_gradient(&observed, &GradientOptions::default(), &mut ()).unwrap()
    };
    assert!(of(1) == of(3));
}

#[test]
fn the_gradient_with_density_on_gpus_agrees_with_that_on_cores() {
    let Some(device) = device() else { return };
    let varied = values(|x, depth| 1900.0 + 150.0 * depth + 40.0 * (6.0 * x).sin());
    let keys = "model.volume.density.file = \"rho\"\n".to_owned();
    let case = Case { keys, more: "order = 4", rho: Some(varied), cells: 20.0 };
    let observed = case.gathers(&with_lens(150.0), case.rho.as_ref());
    let options = GradientOptions { misfit: MisfitKind::Normalised, density: true, exact: true };
    let [expected, found] = ["cpu", device].map(|device| {
        let survey = case.survey_on(device, &background(), case.rho.as_ref(), 2);
        survey.misfit_and_gradient(&observed, &options, &mut ()).unwrap()
    });
    let [own, of_cores] = [&found, &expected].map(|own| &own.total.gradient);
    for (name, own, of_cores) in
        [("velocity", &own.velocity, &of_cores.velocity), ("density", &own.density, &of_cores.density)]
    {
        // Rounding in single precision.
        let difference = relative_l2(&[own], &[of_cores]).unwrap();
        assert!(difference < 1e-5, "{name}: {difference:e}");
    }
}

#[test]
fn stored_fields_at_the_nyquist_rate_of_the_source_give_nearly_the_exact_gradient() {
    let case = constant();
    let observed = case.gathers(&with_lens(150.0), None);
    let of = |exact: bool| {
        let options = GradientOptions { exact, ..GradientOptions::default() };
        case.gradient(&background(), None, &observed, &options).total.gradient.velocity
    };
    let error = relative_l2(&[&of(false)], &[&of(true)]).unwrap();
    assert!(error < 1e-3, "{error:e}");
}

/// A change, and the message about it.
type Changed<T> = (fn(&mut T), &'static str);

/// Gathers, and the number of shots that were read.
struct Counted {
    gathers: Vec<Gather>,
    read: AtomicUsize,
    change: fn(&mut ObservedTraces),
}

impl Observed for Counted {
    fn traces(&self, shot: &Shot) -> Result<ObservedTraces, Error> {
        self.read.fetch_add(1, Ordering::Relaxed);
        let mut traces = self.gathers.traces(shot)?;
        (self.change)(&mut traces);
        Ok(traces)
    }
}

#[test]
fn observed_gathers_that_do_not_match_are_refused() {
    let case = constant();
    let gathers = case.gathers(&with_lens(150.0), None);
    let survey = case.survey(&background(), None, 1);
    let message = |observed: &dyn Observed| {
        let error = survey.misfit_and_gradient(observed, &GradientOptions::default(), &mut ()).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{error}");
        error.to_string()
    };
    let cases: [Changed<Vec<Gather>>; 8] = [
        (|all| drop(all.remove(1)), "shot 2 is missing"),
        (|all| all[1].shot = 1, "shot 1 has several gathers"),
        (|all| all[2].sample_interval = 0.002, "shot 3: the sample interval is 0.002 s instead of 0.004 s"),
        (|all| all[2].source[0] += 0.2, "channel 1 of shot 3 has its source at x = 510.2"),
        (|all| all[2].receivers[4][2] -= 0.2, "channel 5 of shot 3 has its receiver at"),
        (|all| all[0].channels[1] = 1, "channel 1 of shot 1 has several traces"),
        (|all| drop(all[2].traces.pop()), "shot 3 has 13 channels, but 12 traces and 13 receivers"),
        (|all| all[2].traces[3].truncate(150), "channel 4 of shot 3 has 150 samples instead of 151"),
    ];
    for (change, expected) in cases {
        let mut changed = gathers.clone();
        change(&mut changed);
        let found = message(&changed);
        assert!(found.contains(expected), "{expected}: {found}");
    }
    // Without receivers, their positions are not compared.
    let mut bare = gathers.clone();
    bare.iter_mut().for_each(|gather| gather.receivers.clear());
    survey.misfit_and_gradient(&bare, &GradientOptions::default(), &mut ()).unwrap();
    let cases: [Changed<ObservedTraces>; 3] = [
        (|traces| drop(traces.pop()), "shot 1 has 12 traces instead of 13"),
        (|traces| traces[2].as_mut().unwrap()[5] = f32::NAN, "channel 3 of shot 1 has the value NaN at sample 5"),
        (|traces| traces[2].as_mut().unwrap().truncate(150), "channel 3 of shot 1 has 150 samples instead of 151"),
    ];
    for (change, expected) in cases {
        let observed = Counted { gathers: gathers.clone(), read: AtomicUsize::new(0), change };
        let found = message(&observed);
        assert!(found.contains(expected), "{expected}: {found}");
        assert_eq!(observed.read.into_inner(), 1);
    }
}
