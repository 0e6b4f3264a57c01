//! Axes and extents of model files.

use craton_formats::rsf;
use craton_formats::volume::{Axis, Volume};

use super::inputs::{POINTS, looked_ahead, rock, samples, speeds, volume, with_model};
use super::*;

#[test]
fn axis_names_decide_the_order_of_axes() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = |labels: [&str; 2], is_transposed: bool| {
        let (axes, values) = volume(speeds()).into_parts();
        let [depth, x] = axes.try_into().expect("two axes");
        let (axes, values) = match is_transposed {
            true => ([x, depth], (0..values.len()).map(|i| values[i % POINTS[1] * POINTS[0] + i / POINTS[1]]).collect()),
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
        let said = told(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])));
        let named = format!("the axes of the file are named {}, {}, the fastest first", labels[0], labels[1]);
        assert!(said.contains("velocity.axes") && said.contains(&named) && said.contains("distance, lateral"), "{said}");
    }
}

#[test]
fn a_density_grid_must_cover_the_domain() {
    let folder = tempfile::tempdir().expect("a folder");
    let [vp, rho] = rock();
    rsf::write(&folder.path().join("vp.rsf"), &volume(vp)).expect("written");
    rsf::write(&folder.path().join("rho.rsf"), &volume(rho)).expect("written");
    let refused = |placed: &str| {
        with_model(folder.path(), &format!("velocity = {{ file = 'vp.rsf' }}\ndensity = {{ file = 'rho.rsf', {placed} }}"));
        told(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])))
    };
    for (placed, found, allowed) in [
        ("origin = [0, 100000]", "x = [-250, 750]", "within [100000, 101000]"),
        ("spacing = [10, 125]", "depth = [0, 800]", "within [0, 160]"),
    ] {
        let said = refused(placed);
        assert!(said.contains("model.volume.density.file") && said.contains(found) && said.contains(allowed), "{said}");
    }
    // A density that is constant along an axis has no extent there.
    let column = Volume::new(vec![Axis::new(17, 0.0, 50.0).named("depth", "m"), Axis::new(1, 0.0, 1.0)], vec![2000.0; 17]);
    let column = column.expect("a volume");
    std::fs::write(folder.path().join("rho.bin"), column.values().iter().flat_map(|rho| rho.to_le_bytes()).collect::<Vec<_>>())
        .expect("written");
    with_model(
        folder.path(),
        "velocity = { file = 'vp.rsf' }\ndensity = { file = 'rho.bin', shape = [17, 1], spacing = [50.0, 1.0] }",
    );
    looked_ahead(folder.path(), &[]);
}
