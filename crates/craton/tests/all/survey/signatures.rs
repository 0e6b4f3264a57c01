//! Source signatures of shots, and time 0 at the peak of the wavelet.

use craton::config::VolumeAxis::{Depth, X};
use craton::survey::{GradientOptions, SurveyFile};
use craton::{Gather, Given, Inputs, Survey};
use craton_formats::segy::{self, BinaryHeader, SampleFormat, TextHeader, TraceHeader};

use super::*;

const QUICK: [&str; 3] = ["duration=0.3", "method.fd.max_frequency=40", "method.fd.order=8"];

/// Values of a Ricker wavelet.
fn ricker(frequency: f64, centre: f64) -> impl Fn(f64) -> f64 {
    move |t| {
        let x = (PI * frequency * (t - centre)).powi(2);
        (1.0 - 2.0 * x) * (-x).exp()
    }
}

/// A folder with two shots, and a table of their signatures at 2 ms: Ricker wavelets of 15 Hz at 0.1 s, and of 10 Hz at 0.1215 s.
fn two_shots() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    files(
        folder.path(),
        &free().replace("time_function.ricker = { frequency = 15.0, centre = 0.1 }", "signatures = \"signatures.csv\""),
    );
    write(&folder, "shots.csv", "shot,x,y,depth\n7,0,0,200\n12,50,0,180\n");
    write(&folder, "signatures.csv", &table(&["shot_7", "shot_12"]));
    folder
}

fn write(folder: &tempfile::TempDir, name: &str, text: &str) {
    std::fs::write(folder.path().join(name), text).expect("written");
}

fn table(names: &[&str; 2]) -> String {
    let (first, second) = (ricker(15.0, 0.1), ricker(10.0, 0.1215));
    let row = |index: u32| {
        let t = 0.002 * f64::from(index);
        format!("{t},{},{}\n", first(t), -0.5 * second(t))
    };
    format!("time,{}\n{}", names.join(","), (0..=150).map(row).collect::<String>())
}

/// The traces of both shots, each with its wavelet for all shots.
fn expected(folder: &tempfile::TempDir, more: &[&str]) -> Vec<Vec<f64>> {
    let text =
        free().replace("time_function.ricker = { frequency = 15.0, centre = 0.1 }", "time_function.ricker = RICKER");
    let of = |wavelet: &str, amplitude: f64, first: usize| {
        write(folder, "it.toml", &text.replace("RICKER", wavelet));
        let amplitude = format!("source.amplitude={:e}", amplitude * PEAK);
        samples(&computed(folder.path(), &[&QUICK[..], more, &[&amplitude]].concat()))[first..first + 4].to_vec()
    };
    [of("{ frequency = 15.0, centre = 0.1 }", 1.0, 0), of("{ frequency = 10.0, centre = 0.1215 }", -0.5, 4)].concat()
}

#[test]
fn each_shot_has_its_signature() {
    let folder = two_shots();
    let text = std::fs::read_to_string(folder.path().join("it.toml")).expect("a survey");
    let solid = "model.layered.layers=[{ vp = 1500.0, vs = 0.0, rho = 1000.0 }]";
    for equation in [&[][..], &["method.fd.equation='elastic'", solid]] {
        let expected = expected(&folder, equation);
        write(&folder, "it.toml", &text);
        let on_cores = options(folder.path(), &[&QUICK[..], equation].concat());
        for options in std::iter::once(on_cores.clone()).chain(on_gpu(on_cores)) {
            let found = traces(&surveyed(folder.path(), &options).gathers);
            let misfit = misfit(&found, &expected);
            // Straight lines between samples of 2 ms would have an error of 1e-2.
            assert!(misfit < 1e-3, "{equation:?}: relative L2 {misfit}");
        }
    }
    // A column of the shot table, and a SEG-Y file in another order that starts 20 ms before time 0.
    let by_table = samples(&computed(folder.path(), &QUICK));
    write(&folder, "shots.csv", "shot,x,y,depth,wavelet\n7,0,0,200,3\n12,50,0,180,1\n");
    let trace = |number: i32, of: &dyn Fn(f64) -> f64| {
        let mut header = TraceHeader { field_record: number, ..TraceHeader::default() };
        assert!(header.set_start(-0.02));
        segy::Trace { header, samples: (0..=160).map(|index| of(0.002 * f64::from(index) - 0.02) as f32).collect() }
    };
    let (first, second) = (ricker(15.0, 0.1), ricker(10.0, 0.1215));
    let all = [trace(1, &|t| -0.5 * second(t)), trace(2, &|_| 7.0), trace(3, &first)];
    let binary = BinaryHeader::new(0.002, 161, SampleFormat::Ieee).expect("a header");
    let text = TextHeader::cards(&["signatures"]).expect("a header");
    segy::write(&folder.path().join("signatures.segy"), &text, &binary, &all).expect("written");
    let by_traces = computed(folder.path(), &[&QUICK[..], &["source.signatures='signatures.segy'"]].concat());
    let misfit = misfit(&by_traces, &by_table);
    assert!(misfit < 1e-4, "relative L2 {misfit}");
}

#[test]
fn a_changed_file_of_signatures_is_another_survey() {
    let folder = two_shots();
    let options = RunOptions { overwrite: false, ..options(folder.path(), &QUICK) };
    surveyed(folder.path(), &options);
    // The same survey is complete.
    assert!(surveyed(folder.path(), &options).was_complete);
    let changed = table(&["shot_7", "shot_12"]).replace("\n0.1,", "\n0.1000001,");
    write(&folder, "signatures.csv", &changed);
    let refused = error_text(survey(&folder.path().join("it.toml"), &options));
    assert!(refused.contains("--overwrite"), "{refused}");
}

#[test]
fn shots_without_signature_and_invalid_files_are_refused() {
    let folder = two_shots();
    let refused = |text: &str, changes: &[&str], words: &str| {
        write(&folder, "signatures.csv", text);
        let found = error_text(survey(
            &folder.path().join("it.toml"),
            &options(folder.path(), &[&QUICK[..], changes].concat()),
        ));
        assert!(found.contains(words), "{words}: {found}");
    };
    let table = |first: &str, second: &str| table(&[first, second]);
    refused(&table("shot_7", "shot_8"), &[], "has no signature of shot 12");
    refused(&table("a", "shot_12"), &[], "the column `a` does not end with a number");
    refused(&table("shot_7", "gun_7"), &[], "the column `gun_7` is another signature 7");
    refused(
        &table("shot_7", "shot_12").replace("\n0.1,", "\n0.1005,"),
        &[],
        "times in seconds that increase in equal steps",
    );
    refused("time,shot_7,shot_12\n0,0,0\n0.002,0,1\n0.004,0,0\n", &[], "signature 7");
    refused("time,shot_7,shot_12\n0,0,0\n2,1,1\n4,0,0\n", &[], "has a sample interval of 2 s");
    let ricker = "source.time_function={ ricker = { frequency = 15 } }";
    refused(&table("shot_7", "shot_12"), &[ricker], "exclude each other");
    refused(&table("shot_7", "shot_12"), &["source.minimum_phase=true"], "is not available with source.signatures");
    write(&folder, "shots.csv", "shot,x,y,depth,wavelet\n7,0,0,200,12\n12,50,0,180,4\n");
    refused(&table("shot_7", "shot_12"), &[], "has no signature 4, the wavelet of shot 12");
    write(&folder, "it.toml", &free());
    refused("", &[], "has a column `wavelet`, but source.signatures is missing");
}

#[test]
fn traces_start_before_their_time_zero_at_the_peak() {
    let folder = two_shots();
    // Samples of 0.5 ms: wavelets have their peaks after 200 and 243 samples, and begin at time 0.
    let start = samples(&computed(folder.path(), &QUICK));
    let peak = ["output.time_zero='peak'", "duration=0.17"];
    let found = computed(folder.path(), &[&QUICK[..], &peak].concat());
    assert_eq!(found[0].header.delay_ms().expect("a delay"), -121.5);
    let before = 243;
    assert_eq!(found[0].samples.len(), before + 341);
    for (shot, first) in [200, 243].into_iter().enumerate() {
        let of_shot = 4 * shot..4 * shot + 4;
        let own: Vec<Vec<f64>> =
            samples(&found[of_shot.clone()]).into_iter().map(|trace| trace[before - first..].to_vec()).collect();
        let expected: Vec<&[f64]> = start[of_shot.clone()].iter().map(|trace| &trace[..own[0].len()]).collect();
        let own: Vec<&[f64]> = own.iter().map(Vec::as_slice).collect();
        let apart = craton_numerics::misfit::relative_l2(&own, &expected).expect("traces");
        assert!(apart < 1e-5, "shot {shot}: {apart:e}");
        assert!(found[of_shot].iter().all(|trace| trace.header.delay == found[0].header.delay));
    }
    // Seismic Unix has whole milliseconds.
    let report =
        surveyed(folder.path(), &options(folder.path(), &[&QUICK[..], &peak, &["output.format='su'"]].concat()));
    let mut reader = su::open(&report.gathers).expect("gathers");
    let trace = reader.trace(0).expect("a trace");
    assert_eq!(trace.header.delay, -121);
    let [own, expected] = [&trace.samples[..], &found[0].samples[1..]]
        .map(|samples| samples.iter().map(|&sample| f64::from(sample)).collect::<Vec<_>>());
    let apart = craton_numerics::misfit::relative_l2(&[&own], &[&expected]).expect("traces");
    assert!(apart < 1e-6, "{apart:e}");
}

/// A survey with signatures over a gridded model, with a fixed grid and time step.
const GRIDDED: &str = r#"
    duration = 0.4
    model.volume = { velocity.file = "vp", density = 2000.0 }
    acquisition.fixed.shot_line = [{ from = [60.0, 0.0, 25.0], to = [240.0, 0.0, 25.0], count = 2 }]
    acquisition.fixed.receiver_line = [{ from = [30.0, 0.0, 35.0], to = [270.0, 0.0, 35.0], count = 7 }]
    source = { amplitude = 1e6, signatures = "signatures" }
    method.fd = { max_frequency = 25.0, grid_spacing = 10.0, time_step = 0.0015 }
    output = { directory = "unused", sample_interval = 0.004, time_zero = "ZERO" }
"#;

#[test]
fn gradients_with_signatures_and_time_zero_at_the_peak_agree_with_differences() {
    let [nz, nx] = [21, 31];
    let model = |change: f64| {
        let lens = |i: usize, k: usize| (-((i as f64 - 15.0).powi(2) + (k as f64 - 11.0).powi(2)) / 10.0).exp();
        (0..nx * nz)
            .map(|n| (1800.0 + 10.0 * (n % nz) as f64 + change * lens(n / nz, n % nz)) as f32)
            .collect::<Vec<_>>()
    };
    let survey = |zero: &str, speeds: Vec<f32>| {
        let times: Vec<f64> = (0..=100).map(|n| 0.004 * f64::from(n) - 0.1).collect();
        let of = |wavelet: &dyn Fn(f64) -> f64| times.iter().map(|&t| wavelet(t)).collect::<Vec<f64>>();
        let columns = [("1", of(&ricker(10.0, 0.06))), ("2", of(&ricker(8.0, 0.1))), ("time", times.clone())];
        let inputs = Inputs::new()
            .with("vp", Given::volume(&[(Depth, 0.0, 10.0, nz), (X, 0.0, 10.0, nx)], speeds).unwrap())
            .with("signatures", Given::table(columns));
        Survey::new(SurveyFile::from_toml(&GRIDDED.replace("ZERO", zero), ".", inputs).unwrap()).unwrap()
    };
    let mut observed: Vec<Gather> = Vec::new();
    survey("peak", model(150.0)).run(&mut observed).unwrap();
    let of = |change: f64| {
        let options = GradientOptions { exact: true, ..GradientOptions::default() };
        survey("peak", model(change)).misfit_and_gradient(&observed, &options, &mut ()).unwrap()
    };
    let found = of(0.0).total.gradient.velocity;
    let lens = model(1.0).into_iter().zip(model(0.0)).map(|(with, without)| f64::from(with) - f64::from(without));
    let own: f64 = found.iter().zip(lens).map(|(own, change)| own * change).sum();
    let expected = (of(4.0).total.misfit - of(-4.0).total.misfit) / 8.0;
    assert!((own - expected).abs() < 1e-3 * expected.abs(), "{own:e} instead of {expected:e}");
    let refused = survey("start", model(0.0)).misfit_and_gradient(&observed, &GradientOptions::default(), &mut ());
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("shot 1: the first sample is at -0.") && message.contains("instead of 0 s"), "{message}");
}
