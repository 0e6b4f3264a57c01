//! Models given at the points of a grid.

use std::ops::Range;
use std::path::Path;

use craton_model::Elasticity;
use tempfile::TempDir;

use crate::setup::common::{
    CHUNK, LONG_PERIODS, SURFACE_STATION, TABLE, TOPOGRAPHY, errors, folder, set_up, whole_grid,
};

/// Points along x, y and depth.
const SHAPE: [usize; 3] = [3, 3, 5];

/// A folder with vp, vs and rho at points 9, 9 and 3 km apart over the whole domain, as functions of x, y and depth [m].
fn files(of: impl Fn([f64; 3]) -> [f64; 3]) -> TempDir {
    let folder = folder(&[("top.asc", &whole_grid(|_, _| 500.0))]);
    for (property, name) in ["vp.raw", "vs.raw", "rho.raw"].into_iter().enumerate() {
        let place = |point: usize| {
            let [nx, ny, _] = SHAPE;
            let [x, y] = [point % nx, point / nx % ny].map(|number| -4000.0 + 9000.0 * number as f64);
            [x, y, 3000.0 * (point / (nx * ny)) as f64]
        };
        let values = (0..SHAPE.iter().product()).map(|point| of(place(point))[property] as f32);
        let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
        std::fs::write(folder.path().join(name), bytes).expect("a file of the test");
    }
    folder
}

/// The table of a volume, with the keys of each file in addition to its name.
fn table([vp, vs, rho]: [&str; 3]) -> String {
    let file = |name: &str, more: &str| {
        format!("{name} = {{ file = \"{name}.raw\", axes = [\"x\", \"y\", \"depth\"], shape = [3, 3, 5], {more} }}\n")
    };
    format!("[model.volume]\n{}{}{}", file("vp", vp), file("vs", vs), file("rho", rho))
}

const PLACED: &str = "spacing = [9000, 9000, 3000], origin = [-4000, -4000, 0]";

/// The errors of the good scenario with a volume.
fn errors_of_volume(folder: &Path, placed: [&str; 3], changes: &[(&str, &str)]) -> String {
    let table = table(placed);
    errors(folder, &[&[(TABLE.0, &*table)], changes].concat())
}

fn linear([x, y, depth]: [f64; 3]) -> [f64; 3] {
    [4000.0 + 0.01 * x - 0.02 * y + 0.1 * depth, 2200.0 - 0.01 * x + 0.05 * depth, 2600.0 + 0.01 * y + 0.02 * depth]
}

#[test]
fn a_volume_is_interpolated_linearly() {
    let folder = files(linear);
    let table = table([PLACED; 3]);
    let setup = set_up(folder.path(), &[(TABLE.0, &table)]).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(setup.warnings, Vec::<String>::new());
    let medium = setup.model.medium(0, [700.0, -1300.0, -4500.0]);
    let Elasticity::Isotropic { vp, vs } = *medium.elasticity() else { panic!("isotropic") };
    let wanted = linear([700.0, -1300.0, 4500.0]);
    assert!([vp, vs, medium.rho()].iter().zip(wanted).all(|(own, wanted)| (own - wanted).abs() < 1e-3), "{medium:?}");
    let raised = set_up(folder.path(), &[(TABLE.0, &table), TOPOGRAPHY, SURFACE_STATION]).expect("a good scenario");
    assert_eq!(raised.warnings, Vec::<String>::new(), "the cells of the uppermost points reach 1500 m above them");
    let deeper = ("z = [-12000.0, 0.0]", "z = [-15000.0, 0.0]");
    let warnings = set_up(folder.path(), &[(TABLE.0, &table), deeper]).expect("a good scenario").warnings;
    assert_eq!(
        warnings,
        ["model.volume: the files have no values below z = -13500 m; Craton extends the outermost values"]
    );
}

#[test]
fn values_above_the_ground_are_ignored() {
    // Air above z = 3000 m in a file that begins at 9000 m; the ground is at 500 m.
    let folder = files(|[x, y, depth]| if depth < 6000.0 { [340.0, 0.0, 1.0] } else { linear([x, y, depth - 9000.0]) });
    let raised = "spacing = [9000, 9000, 3000], origin = [-4000, -4000, -9000]";
    let shallow = ("z = [-12000.0, 1000.0]", "z = [-3000.0, 1000.0]");
    let table = table([raised; 3]);
    let changes = [(TABLE.0, &*table), TOPOGRAPHY, shallow, SURFACE_STATION];
    let setup = set_up(folder.path(), &changes).unwrap_or_else(|error| panic!("{error:?}"));
    let wanted = linear([5000.0, 5000.0, 0.0])[1];
    let medium = setup.model.medium(0, [5000.0, 5000.0, 500.0]);
    assert!((medium.slowest() - wanted).abs() < 1e-3, "{medium:?}");
    assert!(setup.model.slowest(0, -3000.0, 1000.0) > 2000.0, "air is ignored");
}

#[test]
fn density_is_derived_from_vp_if_missing() {
    let folder = files(|_| [4000.0, 2200.0, 1.0]);
    let table = table([PLACED; 3]);
    let without = &table[..table.find("rho").expect("a row of density")];
    let setup = set_up(folder.path(), &[(TABLE.0, without)]).unwrap_or_else(|error| panic!("{error:?}"));
    let rho = setup.model.medium(0, [0.0, 0.0, -4500.0]).rho();
    assert!((rho - 310.0 * 4000f64.powf(0.25)).abs() < 1e-3, "{rho}");
}

#[test]
fn volumes_that_do_not_fit_are_refused_with_file_and_position() {
    let good = files(linear);
    let moved = "spacing = [9000, 9000, 3000], origin = [-4000, -3000, 0]";
    let found = errors_of_volume(good.path(), [PLACED, moved, PLACED], &[]);
    assert!(
        found.contains(
            "model.volume.vs.file = \"vs.raw\": has other grid points than the file of vp: x: 3 from -4000 m, 9000 m apart; y: 3 from -3000 m"
        ),
        "{found}"
    );
    // Partly outside the domain, entirely outside, and above it.
    for (placed, known) in [
        (
            "origin = [2000, -4000, 0]",
            "along x, which extends from -4000 to 14000 m (allowed: x within -2500 to 24500 m",
        ),
        (
            "origin = [20000, -4000, 0]",
            "along x, which extends from -4000 to 14000 m (allowed: x within 15500 to 42500 m",
        ),
        (
            "origin = [-4000, -4000, -20000]",
            "along z, which extends from -12000 to 0 m (allowed: z within 6500 to 21500 m",
        ),
    ] {
        let placed = format!("spacing = [9000, 9000, 3000], {placed}");
        let found = errors_of_volume(good.path(), [&*placed; 3], &[]);
        let expected = format!("model.volume.vp.file = \"vp.raw\": does not cover the domain {known}");
        assert!(found.contains(&expected), "{found}");
    }
    let found = errors_of_volume(good.path(), [PLACED; 3], &[CHUNK, LONG_PERIODS]);
    assert!(found.contains("model.volume: is a volume over x and y, which the spherical Earth"), "{found}");

    let sea = files(|place| if place[0] < 0.0 && place[2] < 1500.0 { [1500.0, 0.0, 1000.0] } else { linear(place) });
    let found = errors_of_volume(sea.path(), [PLACED; 3], &[]);
    let expected = "model.volume.vs.file = \"vs.raw\": has water, but not water above rock, at x = 5000, y = -4000 m";
    assert!(found.contains(expected), "{found}");
    let wrong =
        files(|place| if place == [5000.0, -4000.0, 6000.0] { [4000.0, 3900.0, 2600.0] } else { linear(place) });
    let found = errors_of_volume(wrong.path(), [PLACED; 3], &[]);
    assert!(found.contains("at x = 5000, y = -4000, z = -6000 m") && found.contains("vs = 3900"), "{found}");
    let light = files(|place| linear(place).map(|value| 1e-3 * value));
    let found = errors_of_volume(light.path(), [PLACED; 3], &[]);
    assert!(found.contains("for values in km/s or g/cm3, set factor = 1000 of the file"), "{found}");
}

/// Ranges of points along x, y and depth that are in the domain, of a grid 3 km apart.
const INSIDE: [Range<usize>; 3] = [5..12, 4..11, 6..11];

/// Writes a part of this grid, with the fastest axis downward; points outside the domain have no value. Returns its table.
fn part_of_grid(folder: &Path, name: &str, ranges: [Range<usize>; 3]) -> String {
    let [x, y, depth] = &ranges;
    let mut table = "[model.volume]\n".to_owned();
    for (property, key) in ["vp", "vs", "rho"].into_iter().enumerate() {
        let value = |point: [usize; 3]| {
            let is_inside = point.iter().zip(&INSIDE).all(|(along, range)| range.contains(along));
            let wave = 100.0 * ((point[0] * 3 + point[1] * 5 + point[2] * 7) as f32).sin();
            let inside = [5000.0 + wave, 2800.0 - 0.3 * wave, 2700.0 + 0.1 * wave][property];
            if is_inside { inside } else { f32::NAN }
        };
        let columns = y.clone().flat_map(|y| x.clone().map(move |x| (x, y)));
        let points = columns.flat_map(|(x, y)| depth.clone().map(move |depth| [x, y, depth]));
        let bytes: Vec<u8> = points.flat_map(|point| value(point).to_le_bytes()).collect();
        let file = format!("{name}_{key}.raw");
        std::fs::write(folder.join(&file), bytes).expect("a file of the test");
        let shape = [depth, x, y].map(ExactSizeIterator::len);
        let first = |axis: usize, at: f64| at + 3000.0 * (ranges[axis].start as f64 - INSIDE[axis].start as f64);
        let origin = [first(2, 0.0), first(0, -4000.0), first(1, -4000.0)];
        table += &format!(
            "{key} = {{ file = \"{file}\", axes = [\"depth\", \"x\", \"y\"], shape = {shape:?}, \
             spacing = [3000, 3000, 3000], origin = {origin:?} }}\n"
        );
    }
    table
}

#[test]
fn a_large_file_gives_the_model_of_its_part_within_the_domain() {
    let folder = folder(&[]);
    let [large, part] = [("large", [0..20, 0..17, 0..15]), ("part", INSIDE)].map(|(name, ranges)| {
        let table = part_of_grid(folder.path(), name, ranges);
        set_up(folder.path(), &[(TABLE.0, &table)]).unwrap_or_else(|error| panic!("{error:?}"))
    });
    assert_eq!(large.warnings, part.warnings);
    for number in 0..500_usize {
        let [x, y, depth] = [4001, 3121, 1777].map(|prime| (number * prime % 1601) as f64 / 1600.0);
        let place = [18_000.0 * x - 4000.0, 18_000.0 * y - 4000.0, -12_000.0 * depth];
        let [own, wanted] = [&large, &part].map(|setup| format!("{:?}", setup.model.medium(0, place)));
        assert_eq!(own, wanted, "{place:?}");
    }
}

#[test]
fn columns_of_a_text_file_are_converted_to_si_units() {
    // Kilometres, km/s and g/cm3, and points in another order than those of raw files.
    let row = |[x, y, depth]: [f64; 3]| {
        let [vp, vs, rho] = linear([x, y, depth]);
        format!("{} {} {} {:.9} {:.9} {:.9}\n", x / 1e3, y / 1e3, depth / 1e3, vp / 1e3, vs / 1e3, rho / 1e3)
    };
    let point =
        |n: usize| [-4000.0 + 9000.0 * (n / 15) as f64, -4000.0 + 9000.0 * (n % 3) as f64, 3000.0 * (n / 3 % 5) as f64];
    let text: String = (0..45).map(|n| row(point(n))).collect();
    let text = format!("# x(km) y(km) depth(km) vp(km/s) vs(km/s) rho(g/cm3)\n{text}");
    let folder = folder(&[("model.xyz", &text)]);
    let file = |key: &str| format!("{key} = {{ file = \"model.xyz\", variable = \"{key}\" }}\n");
    let table = format!("[model.volume]\n{}{}{}", file("vp"), file("vs"), file("rho"));
    let setup = set_up(folder.path(), &[(TABLE.0, &table)]).unwrap_or_else(|error| panic!("{error:?}"));
    let place @ [x, y, z] = [1000.0, 2500.0, -4000.0];
    let medium = setup.model.medium(0, place);
    let Elasticity::Isotropic { vp, vs } = *medium.elasticity() else { panic!("an isotropic medium") };
    for (found, expected) in [vp, vs, medium.rho()].into_iter().zip(linear([x, y, -z])) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} instead of {expected}");
    }
}
