//! Axes and extents of model files.

use craton_formats::rsf;
use craton_formats::segy::SampleFormat;
use craton_formats::volume::{Axis, Volume};

use super::inputs::{POINTS, check_report, line, rock, speeds, volume, with_model, write_segy};
use super::*;

#[test]
fn axis_names_decide_the_order_of_axes() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = |labels: [&str; 2], is_transposed: bool| {
        let (axes, values) = volume(speeds()).into_parts();
        let [depth, x] = axes.try_into().expect("two axes");
        let (axes, values) = match is_transposed {
            true => {
                ([x, depth], (0..values.len()).map(|i| values[i % POINTS[1] * POINTS[0] + i / POINTS[1]]).collect())
            }
            false => ([depth, x], values),
        };
        let axes = axes.into_iter().zip(labels).map(|(axis, label)| axis.named(label, "m")).collect();
        rsf::write(&folder.path().join("vp.rsf"), &Volume::new(axes, values).expect("a volume")).expect("written");
        with_model(folder.path(), "velocity = { file = 'vp.rsf' }");
    };
    written(["", ""], false);
    let expected = samples(&computed(folder.path(), &["duration=0.3"]));
    for labels in [["Distance", "Depth"], ["Lateral (m)", "depth"], ["X", ""], ["", "Depth"]] {
        written(labels, true);
        assert_eq!(samples(&computed(folder.path(), &["duration=0.3"])), expected, "{labels:?}");
    }
    for labels in [["Z", "X"], ["Depth", "Trace"], ["Depth", "Height"]] {
        written(labels, false);
        let text = error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])));
        let named = format!("the axes of the file are named {}, {}, the fastest first", labels[0], labels[1]);
        assert!(
            text.contains("velocity.axes") && text.contains(&named) && text.contains("distance, lateral"),
            "{text}"
        );
    }
}

#[test]
fn a_density_grid_must_cover_the_domain() {
    let folder = tempfile::tempdir().expect("a folder");
    let [vp, rho] = rock();
    rsf::write(&folder.path().join("vp.rsf"), &volume(vp)).expect("written");
    rsf::write(&folder.path().join("rho.rsf"), &volume(rho)).expect("written");
    let refused = |placed: &str| {
        with_model(
            folder.path(),
            &format!("velocity = {{ file = 'vp.rsf' }}\ndensity = {{ file = 'rho.rsf', {placed} }}"),
        );
        error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])))
    };
    for (placed, found, allowed) in [
        ("origin = [0, 100000]", "x = [-250, 750]", "within [100000, 101000]"),
        ("spacing = [10, 125]", "depth = [0, 800]", "within [0, 160]"),
    ] {
        let text = refused(placed);
        assert!(text.contains("model.volume.density.file") && text.contains(found) && text.contains(allowed), "{text}");
    }
    // A density that is constant along an axis has no extent there.
    let column =
        Volume::new(vec![Axis::new(17, 0.0, 50.0).named("depth", "m"), Axis::new(1, 0.0, 1.0)], vec![2000.0; 17]);
    let column = column.expect("a volume");
    std::fs::write(
        folder.path().join("rho.bin"),
        column.values().iter().flat_map(|rho| rho.to_le_bytes()).collect::<Vec<_>>(),
    )
    .expect("written");
    with_model(
        folder.path(),
        "velocity = { file = 'vp.rsf' }\ndensity = { file = 'rho.bin', shape = [17, 1], spacing = [50.0, 1.0] }",
    );
    check_report(folder.path(), &[]);
}

#[test]
fn headers_of_a_segy_model_that_are_given_or_contradict_the_file_do_not_stop_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("vp.segy");
    let write = |changes: &[(usize, [u8; 2])]| {
        write_segy(&file, SampleFormat::Ieee);
        let mut bytes = std::fs::read(&file).expect("a file");
        for (at, word) in changes {
            bytes[*at..*at + 2].copy_from_slice(word);
        }
        std::fs::write(&file, bytes).expect("written");
    };
    let traces =
        |at: usize, word: [u8; 2]| (0..POINTS[1]).map(move |trace| (3600 + trace * (240 + 4 * POINTS[0]) + at, word));
    let without: Vec<_> = traces(116, [0, 0]).chain([(3216, [0, 0])]).collect();
    let other: Vec<_> = traces(116, [0, 10]).collect();
    for changes in [without, other] {
        write(&changes);
        with_model(folder.path(), "velocity = { file = 'vp.segy', spacing = [50.0, 125.0] }");
        assert!(line(&check_report(folder.path(), &[]), "model grid spacing").contains("125.000 x 50.000 m"));
        with_model(folder.path(), "velocity = { file = 'vp.segy' }");
        let text = error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])));
        assert!(text.contains("velocity.spacing") && text.contains("so that the depth step is unknown"), "{text}");
    }
    write(&[(3220, [0, 99])]);
    let text = check_report(folder.path(), &[]);
    assert!(text.contains("samples (bytes 3221-3222) = 99, but the size of the file"), "{text}");
}
