//! Pictures of snapshots of a chunk.

use super::*;

/// Width of a picture in pixels, from its header.
fn width(picture: &std::path::Path) -> u32 {
    let bytes = std::fs::read(picture).unwrap_or_else(|error| panic!("{}: {error}", picture.display()));
    u32::from_be_bytes(bytes[16..20].try_into().unwrap())
}

#[test]
fn horizontal_frames_are_drawn_on_a_map_and_vertical_ones_on_axes() {
    let folder = tempfile::tempdir().unwrap();
    let (file, results) = (folder.path().join("chunk.toml"), folder.path().join("results"));
    std::fs::write(&file, HOMOGENEOUS).unwrap();
    let overrides = [
        "duration=60".to_owned(),
        "method.sem.max_frequency=0.015".to_owned(),
        "output.snapshots={ surface = { every = 20.0, png = true }, slices = [{ z = -900e3, every = 60.0, png = true }, \
         { x = 0.0, every = 60.0, png = true }] }"
            .to_owned(),
        format!("output.directory={}", results.display()),
    ];
    run(&file, &RunOptions { overrides: overrides.into(), ..RunOptions::default() }).unwrap();
    let snapshots = results.join("snapshots");
    let frames = read_pvd(&snapshots.join("surface.pvd")).unwrap();
    assert!((2..=6).contains(&frames.len()), "{frames:?}");
    for (number, frame) in frames.iter().enumerate() {
        assert!(snapshots.join(&frame.file).is_file());
        // 820 units of 1.5 pixels: a map with degrees on both sides.
        assert_eq!(width(&snapshots.join(format!("surface/velocity_{:04}.png", number + 1))), 1230);
    }
    assert_eq!(width(&snapshots.join("slice_z_-900000/velocity_0001.png")), 1230);
    assert_eq!(width(&snapshots.join("slice_x_0/velocity_0001.png")), 1080);
}
