//! Sources of surveys: arrays, forces and wavelets.

use super::*;

const QUICK: [&str; 2] = ["duration=0.3", "method.fd.max_frequency=40"];

#[test]
fn arrays_of_sources_and_receivers_are_sums_of_their_elements() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    let found = |array: &str| samples(&computed(folder.path(), &[&QUICK[..], &[array]].concat()));
    let sum = |a: Vec<Vec<f64>>, b: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
        let both = |(a, b): (Vec<f64>, Vec<f64>)| a.into_iter().zip(b).map(|(a, b)| a + b).collect();
        a.into_iter().zip(b).map(both).collect()
    };
    for table in ["source", "receivers"] {
        let [one, other] = ["{ at = [12.0, 0.0, 3.0], weight = 0.7 }", "{ at = [-20.0, 0.0, -4.0], weight = 0.4 }"];
        let expected = sum(found(&format!("{table}.array=[{one}]")), found(&format!("{table}.array=[{other}]")));
        let both = computed(folder.path(), &[&QUICK[..], &[&format!("{table}.array=[{one}, {other}]")]].concat());
        let misfit = misfit(&both, &expected);
        assert!(misfit < 1e-5, "{table}: relative L2 {misfit}");
    }
}

#[test]
fn simultaneous_sources_are_the_sum_of_single_ones_after_their_delays() {
    const DELAY: usize = 150; // samples of 0.5 ms
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    let of = |table: &str| {
        std::fs::write(folder.path().join("shots.csv"), table).expect("written");
        folder.path()
    };
    let single = |row: &str| samples(&computed(of(&format!("shot,x,y,depth\n7,{row}\n")), &QUICK));
    let [first, second] = [single("0,0,200"), single("310,0,130")];
    let both = |(first, second): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
        let later = |n: usize| if n < DELAY { 0.0 } else { second[n - DELAY] };
        first.iter().enumerate().map(|(n, value)| value - 0.6 * later(n)).collect()
    };
    let expected: Vec<Vec<f64>> = first.iter().zip(&second).map(both).collect();
    let together = of("shot,x,y,depth,weight,delay\n7,0,0,200,1,0\n7,310,0,130,-0.6,0.075\n");
    let on_cores = options(together, &QUICK);
    for options in std::iter::once(on_cores.clone()).chain(on_gpu(on_cores)) {
        let found = traces(&surveyed(folder.path(), &options).gathers);
        let misfit = misfit(&found, &expected);
        assert!(misfit < 1e-5, "relative L2 {misfit}");
    }
    let array = "source.array=[{ at = [0.0, 0.0, 0.0] }, { at = [310.0, 0.0, 70.0], weight = -0.6, delay = 0.075 }]";
    let found = computed(of("shot,x,y,depth\n7,0,0,200\n"), &[&QUICK[..], &[array]].concat());
    assert!(misfit(&found, &expected) < 1e-5);
    of("shot,x,y,depth,delay\n7,0,0,200,0\n7,310,0,130,-0.1\n");
    let refused = error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), &QUICK)));
    assert!(refused.contains("delay of the source of shot 7") && refused.contains("-0.1"), "{refused}");
    let refusal =
        |changes: &[&str]| error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), changes)));
    of("shot,x,y,depth,delay\n7,0,0,200,0\n7,310,0,130,75\n");
    let late = refusal(&QUICK);
    assert!(late.contains("fires 75 s after the start") && late.contains("below `duration` = 0.3"), "{late}");
    of("shot,x,y,depth,delay\n7,0,0,200,0\n7,310,0,130,0.1\n");
    let twice = refusal(&["source.array=[{ at = [0.0, 0.0, 1.0] }]"]);
    assert!(twice.contains("remove `source.array`"), "{twice}");
}

/// A force f along an axis equals sources f / h half a metre ahead and -f / h half a metre behind, with h = 1 m.
#[test]
fn a_force_equals_a_pair_of_sources() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    for (kind, [ahead, behind]) in
        [("force_z", ["0.0, 0.0, 0.5", "0.0, 0.0, -0.5"]), ("force_x", ["0.5, 0.0, 0.0", "-0.5, 0.0, 0.0"])]
    {
        let pair = format!("source.array=[{{ at = [{ahead}], weight = 1.0 }}, {{ at = [{behind}], weight = -1.0 }}]");
        let expected = samples(&computed(folder.path(), &[&QUICK[..], &[&pair]].concat()));
        let force = computed(folder.path(), &[&QUICK[..], &[&format!("source.kind='{kind}'")]].concat());
        let misfit = misfit(&force, &expected);
        assert!(misfit < 0.01, "{kind}: relative L2 {misfit}");
    }
}

#[test]
fn wavelets_are_read_from_files_and_converted_to_minimum_phase() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    let ricker = samples(&computed(folder.path(), &QUICK));
    let row = |index: u32| {
        let t = 5e-4 * f64::from(index);
        let x = (std::f64::consts::PI * 15.0 * (t - 0.1)).powi(2);
        format!("{t} {}\n", (1.0 - 2.0 * x) * (-x).exp())
    };
    std::fs::write(folder.path().join("wavelet.txt"), (0..=400).map(row).collect::<String>()).expect("written");
    let file = "source.time_function={ file = 'wavelet.txt' }";
    let found = computed(folder.path(), &[&QUICK[..], &[file]].concat());
    let same = misfit(&found, &ricker);
    assert!(same < 0.002, "relative L2 {same}");
    let early = samples(&computed(folder.path(), &[&QUICK[..], &["source.minimum_phase=true"]].concat()));
    // The number of samples that contain half of the energy.
    let middle = |trace: &[f64]| {
        let energy = |until: usize| trace[..until].iter().map(|sample| sample * sample).sum::<f64>();
        (0..trace.len()).find(|&until| energy(until) > 0.5 * energy(trace.len())).expect("a trace with energy")
    };
    assert!(middle(&early[0]) + 50 < middle(&ricker[0]), "{} and {}", middle(&early[0]), middle(&ricker[0]));
}
