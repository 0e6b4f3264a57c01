//! Models of SOFI3D: volumes written by NumPy, and parameter files.

use std::fs;
use std::path::{Path, PathBuf};

use craton_formats::Result;
use craton_formats::sofi3d::{self, Grid, Parameters, Property};

use crate::common::assert_refused;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/sofi3d/samples")
}

fn text() -> String {
    fs::read_to_string(samples().join("sofi3D.json")).unwrap()
}

fn parse(text: &str) -> Result<Parameters> {
    Parameters::parse(text, Path::new("a.json"))
}

const GRID: Grid = Grid { counts: [3, 4, 2], spacing: [10.0, 5.0, 25.0] };

#[test]
fn numpy_writes_the_points_in_this_order() {
    let volume = sofi3d::read(&samples().join("model/test.vp"), &GRID).unwrap();
    let axes: Vec<_> = volume.axes().iter().map(|axis| (&*axis.label, &*axis.unit, axis.count)).collect();
    assert_eq!(axes, [("elevation", "m", 4), ("x", "m", 3), ("y", "m", 2)]);
    for (down, x, z) in (0..4).flat_map(|down| (0..3).flat_map(move |x| (0..2).map(move |z| (down, x, z)))) {
        let numbers = 1000 + 100 * (x + 1) + 10 * (down + 1) + (z + 1);
        let point = [down, x, z];
        assert_eq!(volume.value(&point), numbers as f32, "{point:?}");
        let place: Vec<f64> = volume.axes().iter().zip(point).map(|(axis, index)| axis.place(index)).collect();
        assert_eq!(place, [-5.0 * (down + 1) as f64, 10.0 * (x + 1) as f64, 25.0 * (z + 1) as f64]);
    }
}

#[test]
fn a_parameter_file_gives_grid_and_files() {
    let path = samples().join("sofi3D.json");
    let parameters = Parameters::read(&path).unwrap();
    let model = Some(PathBuf::from("model/test"));
    assert_eq!(parameters, Parameters { path, grid: GRID, model, is_read: true });
    let [vp, vs] = [Property::Vp, Property::Vs].map(|property| parameters.volume(property).unwrap());
    assert_eq!(vs.axes(), vp.axes());
    assert!(vp.values().iter().zip(vs.values()).all(|(vp, vs)| *vp == 2.0 * vs));
    // SOFI3D runs in the folder above that of the parameter file.
    let below = Parameters { path: samples().join("model/sofi3D.json"), ..parameters.clone() };
    assert_eq!(below.volume(Property::Vp).unwrap(), vp);
    let wanted = ["sofi3D.json:1: `model/test.rho` of MFILE does not exist", "correct MFILE"];
    assert_refused(parameters.volume(Property::Density), &wanted);
    let ends = [Property::Density, Property::Qp, Property::Qs].map(Property::extension);
    assert_eq!(ends, ["rho", "qp", "qs"]);
}

#[test]
fn one_line_and_missing_quotes_are_read() {
    let line = "{\"NX\": 3, \"NY\": 4, \"NZ\": 2, \"DX\": 10, \"DY\": 5.0, \"DZ\": 2.5e1} # end";
    let parameters = parse(line).unwrap();
    assert_eq!((parameters.grid, parameters.model, parameters.is_read), (GRID, None, false));
    assert_eq!(parse(&text().replace('\n', "\r\n")).unwrap(), parse(&text()).unwrap());
}

#[test]
fn invalid_parameters_are_refused_with_their_line() {
    for (old, new, fragments) in [
        ("\"NX\" : \"3\"", "\"NX\" : \"0\"", ["a.json:7: NX = `0`", "a whole number, at least 1"]),
        ("\"NX\" : \"3\"", "\"NX\" : \"3.5\"", ["a.json:7: NX = `3.5`", "a whole number"]),
        ("\"NX\" : \"3\"", "", ["a.json:18: `NX` is missing", "add a line \"NX\""]),
        ("\"NX\" : \"3\"", "\"NX : 3", ["a.json:7: line = `\"NX : 3,`", "a key and a value in quotes"]),
        ("\"NX\" : \"3\"", "\"NX\" \"3\"", ["a.json:7: line = ", "a key and a value"]),
        ("\"NY\" : \"4\"", "\"NX\" : \"4\"", ["a.json:8: `NX` is `4`, but `3` on line 7", "remove one"]),
        ("10.0 , 5.0", "10.0", ["a.json:10: `DX, DY` are 2 keys, but `10.0` are 1 values", "for each key"]),
        ("10.0 , 5.0", "10.0 , -5.0", ["a.json:10: DY = `-5.0`", "metres, above 0"]),
        ("2.5e1", "nan", ["a.json:11: DZ = `nan`", "finite"]),
    ] {
        let changed = text().replacen(old, new, 1);
        assert_ne!(changed, text(), "{old}");
        assert_refused(parse(&changed), &fragments);
    }
    let nowhere = parse(&text().replace("MFILE", "FILE")).unwrap();
    assert_refused(nowhere.file(Property::Vp), &["a.json:1: the file has no MFILE", "add a line"]);
    let larger = Grid { counts: [3, 4, 3], ..GRID };
    let wanted = ["test.vp: size of the data in bytes = 96; expected 144 for 4 x 3 x 3 numbers"];
    assert_refused(sofi3d::read(&samples().join("model/test.vp"), &larger), &wanted);
    let huge = Grid { counts: [usize::MAX; 3], ..GRID };
    assert_refused(sofi3d::read(&samples().join("model/test.vp"), &huge), &["test.vp: points = "]);
}

#[test]
fn damaged_parameter_files_do_not_panic() {
    let bytes = text().into_bytes();
    for place in 0..bytes.len() {
        for wrong in [b'"', b',', b':', b'{', b'\n', b'9', 0xC3, 0] {
            let mut damaged = bytes.clone();
            damaged[place] = wrong;
            let _ = parse(&String::from_utf8_lossy(&damaged));
        }
        let _ = parse(&String::from_utf8_lossy(&bytes[..place]));
    }
}
