//! Time functions, and the time axis of solution files.

use craton_acquisition::Mechanism;

use crate::setup::common::{CMT, CMTSOLUTION, STATIONS, UTM, assert_errors, errors, folder, set_up};

#[test]
fn a_solution_file_defines_the_time_axis() {
    let folder = folder(&[("CMTSOLUTION", CMTSOLUTION)]);
    let cmt = |lines: &str| format!("cmtsolution = \"CMTSOLUTION\"\n{lines}");
    let with = |lines: &str| {
        let changed = cmt(lines);
        set_up(folder.path(), &[UTM, (CMT.0, &changed)]).unwrap_or_else(|error| panic!("{error:?}"))
    };
    // The centroid is at t = 0, whatever its time shift from the origin time; SPECFEM begins two half durations before it.
    let plain = with("");
    assert_eq!((plain.start, plain.end), (-1.0, 9.0));
    assert!((plain.sources[0].history(0.0) - 0.5).abs() < 1e-12);
    let late = with("delay = 0.4");
    assert!((late.start + 0.6).abs() < 1e-12 && (late.sources[0].history(0.4) - 0.5).abs() < 1e-12);
    assert_eq!(with("delay = 4.0").start, 0.0);
    // Another time function keeps position, tensor and time, and has its own start.
    let replaced = with("time_function.triangle = { half_duration = 0.5 }");
    assert!((replaced.start + 0.5).abs() < 1e-3, "{}", replaced.start);
    assert!((replaced.sources[0].history(0.0) - 0.5).abs() < 1e-12);
    let centred = with("time_function.triangle = { half_duration = 0.5, centre = 0.5 }");
    assert!((0.0..1e-3).contains(&-centred.start) || centred.start == 0.0, "{}", centred.start);
    assert!((centred.sources[0].history(0.5) - 0.5).abs() < 1e-12);
}

#[test]
fn events_of_different_dates_keep_their_time_difference() {
    let first = CMTSOLUTION.replace("1994  6  9  0 33 16.40", "1994  6 30 23 59 50.25");
    let second = CMTSOLUTION.replace("1994  6  9  0 33 16.40", "1994  7  1  0  1 10.00").replace("3.0000", "5.5000");
    for (one, other, order) in [(&first, &second, [0, 1]), (&second, &first, [1, 0])] {
        let folder = folder(&[("CMTSOLUTION", &format!("{one}{other}"))]);
        let cmt = "cmtsolution = \"CMTSOLUTION\"";
        let setup = set_up(folder.path(), &[UTM, ("duration = 9.0", "duration = 200.0"), (CMT.0, cmt)]);
        let setup = setup.unwrap_or_else(|error| panic!("{error:?}"));
        // The centroid of the first is time 0, at 23:59:53.25; that of the second at 0:01:15.5.
        for (index, centroid) in order.into_iter().zip([0.0, 82.25]) {
            let step = setup.sources[index].history(centroid);
            assert!((step - 0.5).abs() < 1e-9, "{index}: {step}");
        }
        let zero = setup.event.zero.expect("a date");
        assert_eq!((zero.month, zero.day, zero.hour, zero.minute), (6, 30, 23, 59));
        assert!((zero.second - 53.25).abs() < 1e-6, "{zero:?}");
        assert_eq!(setup.event.position, Some(setup.sources[order[0]].position()));
    }
}

#[test]
fn files_of_different_dates_keep_their_time_difference() {
    let second = CMTSOLUTION.replace("0 33 16.40", "0 34 20.15").replace("3.0000", "5.5000");
    let files = [("first", CMTSOLUTION), ("second", &*second)];
    let table = |name: &str, lines: &str| format!("cmtsolution = \"{name}\"\n{lines}\n");
    let of = |sources: [String; 2]| {
        let sources = sources.join("[[source]]\n");
        let setup = set_up(folder(&files).path(), &[UTM, ("duration = 9.0", "duration = 200.0"), (CMT.0, &sources)]);
        setup.unwrap_or_else(|error| panic!("{error:?}"))
    };
    let step = |setup: &craton::Setup, source: usize, time: f64| {
        let step = setup.sources[source].history(time);
        assert!((step - 0.5).abs() < 1e-9, "{source}: {step}");
    };
    // Centroids at 0:33:19.4 and 0:34:25.65, in any order of the tables.
    for (order, tables) in [([0, 1], ["first", "second"]), ([1, 0], ["second", "first"])] {
        let setup = of(tables.map(|name| table(name, "")));
        step(&setup, order[0], 0.0);
        step(&setup, order[1], 66.25);
        let zero = setup.event.zero.expect("a date");
        assert!((zero.minute, setup.event.name.as_deref()) == (33, Some("060994A")), "{zero:?}");
        assert!((zero.second - 19.4).abs() < 1e-6 && setup.event.time == Some(0.0) && setup.start == -1.0);
    }
    // The earliest table defines time 0; a delay shifts the sources of its own table.
    let setup = of([table("first", "zero = \"origin\""), table("second", "delay = 10.0")]);
    step(&setup, 0, 3.0);
    step(&setup, 1, 79.25);
    // Sources without a date are relative to time 0.
    let force = "position = [0.0, 0.0, -3000.0]\nforce = [1.0, 0.0, 0.0]\ntime_function.gaussian = { sigma = 0.2, centre = 2.0 }\n";
    let setup = of([force.to_owned(), table("second", "")]);
    assert_eq!(setup.sources[0].event_time(), 2.0);
    step(&setup, 1, 0.0);
}

#[test]
fn a_start_long_before_time_0_is_refused() {
    let found = |solution: &str, lines: &str| {
        let source = format!("{}\n{lines}", CMT.1);
        errors(folder(&[("CMTSOLUTION", solution)]).path(), &[UTM, (CMT.0, &source)])
    };
    let limit = " s for a duration of 9 s (allowed: a start at -9000 s or later; ";
    let delayed = found(CMTSOLUTION, "delay = -1e5");
    assert!(delayed.contains("source[0].delay = -100000: the simulation would start at -10000"), "{delayed}");
    assert!(delayed.contains(&format!("{limit}check the unit: seconds)")), "{delayed}");
    // The error names the file if the delay is not the cause.
    for lines in ["", "delay = -5.0"] {
        let long = found(&CMTSOLUTION.replace("0.5000", "6000.0"), lines);
        assert!(long.contains("source[0].cmtsolution: the simulation would start at -1"), "{long}");
        let hint = "check time shifts and half durations, which are in seconds)";
        assert!(long.contains(&format!("{limit}{hint}")) && !long.contains("source[0].delay"), "{long}");
    }
    let files = folder(&[("CMTSOLUTION", CMTSOLUTION)]);
    set_up(files.path(), &[UTM, (CMT.0, &format!("{}\ndelay = -100.0", CMT.1))]).expect("an early start");
}

#[test]
fn a_source_on_an_absorbing_side_is_refused() {
    let at = |place: &str| ("position = [0.0, 0.0, -2000.0]", format!("position = {place}"));
    let of = |place: &str, more: &[(&str, &str)]| {
        let (from, to) = at(place);
        let changes: Vec<(&str, &str)> = std::iter::once((from, &*to)).chain(more.iter().copied()).collect();
        errors(folder(&[]).path(), &changes)
    };
    let below = of("[0.0, 0.0, -12000.0]", &[]);
    assert!(
        below.contains("source[0]: source 1 is on the side bottom, z = -12000 m, which absorbs its waves"),
        "{below}"
    );
    assert!(of("[-4000.0, 0.0, -2000.0]", &[]).contains("on the side x_min, x = -4000 m"));
    let fd = |absorbing: &str| format!("[method.fd]\nmax_frequency = 5.0\nabsorbing = {absorbing}");
    let paraxial = fd("{ paraxial = {} }");
    let found = of("[0.0, 14000.0, -2000.0]", &[("[method.sem]\nmax_frequency = 5.0", &paraxial)]);
    assert!(found.contains("on the side y_max, y = 14000 m"), "{found}");
    // Layers absorb behind the sides of the box, and the top is free.
    let cpml = fd("{ cpml = { cells = 10 } }");
    for (place, method) in
        [("[0.0, 14000.0, -2000.0]", &*cpml), ("[0.0, 0.0, 0.0]", "[method.sem]\nmax_frequency = 5.0")]
    {
        let (from, to) = at(place);
        let changes = [(from, &*to), ("[method.sem]\nmax_frequency = 5.0", method)];
        set_up(folder(&[]).path(), &changes).unwrap_or_else(|error| panic!("{place}: {error:?}"));
    }
}

#[test]
fn a_force_of_half_duration_zero_is_an_impulse_and_a_source_time_file_is_reported() {
    let force = FORCESOLUTION.replace("hdurorf0:       0.5", "hdurorf0:       0.0") + "stf.txt\n";
    let folder = folder(&[("FORCESOLUTION", &force)]);
    let setup = set_up(folder.path(), &[(CMT.0, "forcesolution = \"FORCESOLUTION\"")]).expect("a solution file");
    let [zero, file] = &setup.warnings[..] else { panic!("{:?}", setup.warnings) };
    assert!(zero.contains("a half duration of 0 s is an impulse, which no mesh resolves"), "{zero}");
    assert!(file.contains("names the source time file `stf.txt`, which Craton does not read"), "{file}");
    let given = "forcesolution = \"FORCESOLUTION\"\ntime_function.gaussian = { sigma = 0.2 }";
    let setup = set_up(folder.path(), &[(CMT.0, given)]).expect("a solution file");
    assert_eq!(setup.warnings, Vec::<String>::new());
}

#[test]
fn a_half_duration_of_zero_is_replaced_with_a_warning() {
    let folder = folder(&[("CMTSOLUTION", &CMTSOLUTION.replace("0.5000", "0.0"))]);
    let setup = set_up(folder.path(), &[UTM, CMT]).expect("a solution file");
    assert_eq!(
        setup.warnings,
        [
            "source[0].cmtsolution: a half duration of 0 s is a step, which no mesh resolves. Craton replaces it by 0.1794 s (in 1 of its sources), the shortest that max_frequency = 5 Hz resolves. Change the file or give a time_function to avoid this"
        ]
    );
    let upper = setup.sources[0].time_function().upper_frequency(0.05);
    assert!((upper - 5.0).abs() < 1e-9, "{upper}");
}

const FORCESOLUTION: &str = "FORCE  001
time shift:     0.0
hdurorf0:       0.5
latorUTM:       1000.0
longorUTM:      2000.0
depth:          0.5
source time function:            0
factor force source:             1.d15
component dir vect source E:     0.d0
component dir vect source N:     3.d0
component dir vect source Z_UP:  -4.d0
";

#[test]
fn a_force_starts_before_its_pulse_is_significant() {
    let folder = folder(&[("FORCESOLUTION", FORCESOLUTION)]);
    let setup = set_up(folder.path(), &[(CMT.0, "forcesolution = \"FORCESOLUTION\"")]).expect("a solution file");
    let source = &setup.sources[0];
    assert_eq!(source.position(), [2000.0, 1000.0, -500.0]);
    assert_eq!(*source.mechanism(), Mechanism::Force([0.0, 6e14, -8e14]));
    // SPECFEM would begin at -0.75 s, where the pulse has 3e-3 of its peak.
    assert!((source.history(setup.start) / source.history(0.0) - 1e-4).abs() < 1e-9);
    assert!((setup.start + 0.932).abs() < 1e-3, "{}", setup.start);
    assert_eq!(setup.warnings, Vec::<String>::new());
}

#[test]
fn a_wavelet_that_replaces_that_of_a_force_is_complete() {
    let older = FORCESOLUTION.replace("source time function:            0\n", "");
    let of = |lines: &str| (CMT.0, format!("forcesolution = \"FORCESOLUTION\"\n{lines}"));
    for file in [FORCESOLUTION, &older] {
        let folder = folder(&[("FORCESOLUTION", file)]);
        for (lines, peak) in [("", 0.0), (", centre = 0.0", 0.0), (", centre = -1.0", -1.0), (", centre = 2.0", 2.0)] {
            let (right, other) = of(&format!("time_function.ricker = {{ frequency = 1.0{lines} }}"));
            let setup = set_up(folder.path(), &[(right, &other)]).expect("a solution file");
            let source = &setup.sources[0];
            assert_eq!((source.history(peak), source.event_time()), (1.0, peak), "{lines}");
            assert!(source.history(setup.start).abs() <= 1.001e-4, "{lines}: {}", setup.start);
            assert_eq!(setup.warnings, Vec::<String>::new());
        }
    }
}

#[test]
fn a_force_of_an_older_version_is_a_gaussian_and_reported() {
    let newer = folder(&[("FORCESOLUTION", FORCESOLUTION)]);
    let change = [(CMT.0, "forcesolution = \"FORCESOLUTION\"")];
    let expected = set_up(newer.path(), &change).expect("a solution file");
    let older = FORCESOLUTION.replace("source time function:            0\n", "");
    for key in ["hdurorf0:", "f0:", "hdur:"] {
        let folder = folder(&[("FORCESOLUTION", &older.replace("hdurorf0:", key))]);
        let setup = set_up(folder.path(), &change).expect("a solution file");
        assert_eq!((setup.sources, setup.start), (expected.sources.clone(), expected.start), "{key}");
        let [warning] = &setup.warnings[..] else { panic!("{:?}", setup.warnings) };
        for words in ["takes 0.5 s as the half duration of a Gaussian", "USE_RICKER_TIME_FUNCTION", "0.5 Hz"] {
            assert!(warning.contains(words), "{warning}");
        }
    }
}

#[test]
fn errors_of_solution_and_station_files_name_the_line() {
    let short = CMTSOLUTION.replace("Mpp:      -1.600000e+26\n", "");
    assert_errors(
        &[("CMTSOLUTION", &short)],
        &[UTM, CMT],
        "it.toml:13:15: source[0].cmtsolution = \"CMTSOLUTION\": line 10: `Mpp` is missing, found `Mrt: -2.503000e+28` (allowed: a line `Mpp: moment [dyn cm]`)",
    );
    assert_errors(
        &[("CMTSOLUTION", CMTSOLUTION), ("STATIONS", "A XX 48.8 2.3 0 0\n")],
        &[UTM, CMT, STATIONS],
        "it.toml:15:17: receivers.stations_file = \"STATIONS\": line 1: \"XX.A\" cannot be placed: longitude = 2.3 is not allowed: it must be within 30 degrees of -69, the central meridian of UTM zone 19; use zone 31",
    );
    let far = CMTSOLUTION.replace("-67.2000", "2.3");
    assert_errors(
        &[("CMTSOLUTION", &far)],
        &[UTM, CMT],
        "it.toml:13:15: source[0].cmtsolution = \"CMTSOLUTION\": \"060994A\" cannot be placed: longitude = 2.3 is not allowed: it must be within 30 degrees of -69, the central meridian of UTM zone 19; use zone 31",
    );
}

#[test]
fn quakeml_instead_of_a_cmtsolution_is_refused_with_its_key() {
    let errors = errors(folder(&[("CMTSOLUTION", "<?xml version='1.0'?>\n<quakeml/>\n")]).path(), &[UTM, CMT]);
    assert!(
        errors.contains("line 1: header = ")
            && errors.contains("this is an XML file, not a CMTSOLUTION: use the key `quakeml` for QuakeML"),
        "{errors}"
    );
}

#[test]
fn a_time_function_from_a_file_is_used_unchanged() {
    let change = ("time_function.gaussian = { sigma = 0.1 }", "time_function.file = \"rate.txt\"");
    let boxcar = "1.0 0\n1.5 1\n2.0 1\n2.5 0\n";
    let folder = folder(&[("rate.txt", boxcar)]);
    let setup = set_up(folder.path(), &[change]).expect("a time function");
    assert_eq!(setup.sources[0].rate_history(1.75), 1.0);
    assert_eq!(setup.sources[0].history(9.0), 1.0);
    assert_errors(
        &[("rate.txt", "0 0\n1 1\n3 0\n")],
        &[change],
        "it.toml:14:22: source[0].time_function.file = \"rate.txt\": line 2: time = `1` (allowed: 1.5, for even \
         steps of 1.5 s from 0 s; resample the trace)",
    );
    assert_errors(
        &[("rate.txt", "0 0\n1 0\n2 0\n")],
        &[change],
        "it.toml:14:22: source[0].time_function.file = \"rate.txt\": the time function has nothing but zeros \
         (check the file and its column)",
    );
    assert_errors(
        &[("rate.txt", "0 0\n1 1\n2 1\n")],
        &[change],
        "it.toml:14:1: source[0].time_function: the time function ends at 1: as a rate, the moment tensor would grow without bound (allowed: a rate that returns to 0; end the time function at 0, or set of = \"history\")",
    );
}

#[test]
fn an_invalid_time_function_from_a_file_is_refused() {
    let change = ("time_function.gaussian = { sigma = 0.1 }", "time_function.file = \"rate.txt\"");
    let subject = "it.toml:14:22: source[0].time_function.file = \"rate.txt\": ";
    let file =
        |text: &str, expected: &str| assert_errors(&[("rate.txt", text)], &[change], &format!("{subject}{expected}"));
    file(
        "# rate\n0 0\n0.1 1\n0.2 -1e300\n0.3 0\n",
        "line 4: value = `-1e300` (allowed: at most 1e30 in magnitude; the second column is s(t), of order 1; the amplitude of the source has its own key)",
    );
    let hint = "the first column must be the time in seconds, at equal steps)";
    file(
        "0 0\n1e-12 1\n2e-12 0\n",
        &format!("the sample interval is 1e-12 s (allowed: 1e-9 s to 9 s (the duration); {hint}"),
    );
    file(
        "0 0\n1e12 1\n2e12 0\n",
        &format!("the sample interval is 1e12 s (allowed: 1e-9 s to 9 s (the duration); {hint}"),
    );
    file(
        "# start_time: 1e40\n# dt: 1\n1e40 0\n1e40 1\n1e40 0\n",
        &format!("it starts at 1e40 s (allowed: within 1e30 s of time 0; {hint}"),
    );
    file("0 1\n", "line 2: the trace has 1 samples (an evenly sampled trace needs at least 2)");
    let strong = "0 0\n0.1 1e20\n0.2 0\n";
    assert_errors(
        &[("rate.txt", strong)],
        &[change],
        "it.toml:14:1: source[0].time_function: source 1: the amplitude times the peak of the time function of 2e37 is too large (allowed: at most 1e30 in magnitude; check the unit)",
    );
}

#[test]
fn truncated_and_late_sources_cause_a_warning_with_the_required_delay() {
    let of_method = |method: &str, function: &str, file: &str| {
        let folder = folder(&[("rate.txt", file)]);
        let changes = [("time_function.gaussian = { sigma = 0.1 }", function), ("[method.sem]", method)];
        let setup = set_up(folder.path(), &changes);
        setup.unwrap_or_else(|error| panic!("{error:?}")).warnings.join("\n")
    };
    let warning = |function: &str, file: &str| of_method("[method.sem]", function, file);
    let uncorrected = "[method.sem]\ntime_dispersion_correction = false";
    assert_eq!(
        of_method(uncorrected, "time_function.gaussian = { sigma = 0.1, centre = 0.2 }", ""),
        "source 1 starts at -0.2292 s, before the simulation at 0 s. The truncation excites all frequencies; use delay = 0.2292 or more"
    );
    // With the correction, the simulation starts earlier, by at most its duration of 9 s.
    assert_eq!(warning("time_function.gaussian = { sigma = 0.1, centre = 0.2 }", ""), "");
    assert!(
        warning("time_function.gaussian = { sigma = 0.1, centre = 0.2 }\ndelay = -9.0", "").contains("delay = 0.2292")
    );
    assert_eq!(warning("time_function.gaussian = { sigma = 0.1, centre = 0.2 }\ndelay = 0.2293", ""), "");
    assert_eq!(
        warning("time_function.gaussian = { sigma = 0.1 }\ndelay = 20.0", ""),
        "source 1 starts at 20.1708 s, after the end of the simulation at 9 s, and has no effect"
    );
    assert_eq!(
        warning("time_function.file = \"rate.txt\"", "0 0.5\n1 1\n2 1\n3 0\n"),
        "source 1: the time function starts at 50.00 % of its peak instead of 0. The jump excites all frequencies; start the file earlier, or taper it"
    );
}

#[test]
fn a_solution_file_with_extreme_values_is_refused() {
    for (right, wrong, expected) in [
        ("4.200000e+26", "4.2e+300", "the amplitude of 4.2e293 is too large"),
        ("half duration:  0.5000", "half duration:  1e300", "e300 is too large"),
    ] {
        let folder = folder(&[("CMTSOLUTION", &CMTSOLUTION.replace(right, wrong))]);
        let found = crate::setup::common::errors(folder.path(), &[UTM, CMT]);
        assert!(found.contains("source[0].cmtsolution") && found.contains(expected), "{found}");
        assert!(found.contains(" is too large (allowed: at most 1e30 in magnitude; check the unit)"), "{found}");
    }
}

#[test]
fn the_history_of_a_moment_may_come_from_a_file() {
    let folder = folder(&[("stf.txt", "0 0\n0.5 1\n1 1\n")]);
    let function = |of: &str| format!("time_function.file = \"stf.txt\"\n{of}");
    let gaussian = "time_function.gaussian = { sigma = 0.1 }";
    let found = errors(folder.path(), &[(gaussian, &function(""))]);
    assert!(found.contains("set of = \"history\""), "{found}");
    let setup = set_up(folder.path(), &[(gaussian, &function("of = \"history\""))]).expect("a history");
    assert_eq!([0.25, 0.5, 9.0].map(|t| setup.sources[0].history(t)), [0.5, 1.0, 1.0]);
}

/// Two events of a Global CMT catalogue: one in the domain of [`UTM`], and one far away.
const NDK: &str = "\
PDE  1994/06/09 00:33:16.4 -13.83  -67.56 637.0 6.9 6.8 NORTHERN BOLIVIA        
060994A          B: 30   62  45 S:  0    0   0 M: 42   96 135 CMT: 1 TRIHD: 0.5
CENTROID:     40.3 0.1 -13.80 0.00  -67.20 0.01   6.5  0.1 FREE O-00000000000000
28 -0.759 0.007  0.775 0.007 -0.016 0.008 -2.503 0.008  0.042 0.008 -0.067 0.006
V10   2.647 10  90   0.007  1 353  -2.654 80 258   2.630 302  10  -60  91  81  -95
PDE  2005/01/01 01:20:05.4  13.78  -88.78 193.1 5.0 0.0 EL SALVADOR             
B010105A         B:  4    4  40 S: 27   33  50 M:  0    0   0 CMT: 1 TRIHD: 0.6
CENTROID:     -0.3 0.9  13.76 0.06  -89.08 0.09 162.8 12.5 FREE S-20050322125201
23  0.838 0.201 -0.005 0.231 -0.833 0.270  1.050 0.121 -0.369 0.161  0.044 0.240
V10   1.581 56  12  -0.537 23 140  -1.044 24 241   1.312   9  29  142 133  72   66
";

#[test]
fn an_event_of_a_catalogue_is_selected_by_its_name() {
    let folder = folder(&[("gcmt.ndk", NDK)]);
    let change = |lines: &str| [UTM, (CMT.0, lines)].map(|(from, to)| (from, to.to_owned()));
    let with = |lines: &str| {
        let changes = change(lines);
        set_up(folder.path(), &changes.each_ref().map(|(from, to)| (*from, &**to)))
    };
    let setup = with("ndk = \"gcmt.ndk\"\nevent = \"060994A\"").unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!((setup.sources.len(), setup.sources[0].name()), (1, "060994A"));
    assert!((setup.start + 1.0).abs() < 1e-12, "{}", setup.start);
    let Mechanism::Moment(tensor) = setup.sources[0].mechanism() else { panic!("a moment tensor") };
    // xx = pp, yy = tt, zz = rr, in N m.
    let [xx, yy, zz, ..] = tensor.to_voigt();
    assert!((xx + 1.6e19).abs() < 1e12 && (yy - 7.75e20).abs() < 1e14 && (zz + 7.59e20).abs() < 1e14, "{xx} {yy} {zz}");
    let refused = |lines: &str| errors(folder.path(), &change(lines).each_ref().map(|(from, to)| (*from, &**to)));
    assert!(refused("ndk = \"gcmt.ndk\"").contains("B010105A"), "{}", refused("ndk = \"gcmt.ndk\""));
    let found = refused("ndk = \"gcmt.ndk\"\nevent = \"C1\"");
    assert!(found.contains("source[0].event = \"C1\": is not an event of gcmt.ndk"), "{found}");
}
