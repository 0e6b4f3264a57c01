//! Locations and observations of GRAV3D and GG3D.

use super::*;
use crate::common::assert_refused;
use craton_formats::Result;
use std::fs;

fn gravity(text: &str) -> Result<GravityData> {
    GravityData::parse(text, Path::new("a.grv"))
}

fn gradient(text: &str) -> Result<GradientData> {
    GradientData::parse(text, Path::new("a.gg"))
}

const POINTS: [[f64; 3]; 2] = [[1000.0, 2000.0, 151.5], [1050.0, 2000.0, 153.0]];

#[test]
fn locations_predictions_and_observations_of_gravity_are_read() {
    let read = gravity("! survey\n2 ! stations\n1000 2000 151.5\n\n1050.0 2e3 153 ! the last\n").unwrap();
    assert_eq!(read, GravityData { points: POINTS.to_vec(), values_mgal: None, uncertainties_mgal: None });
    let read = gravity("2\n1000 2000 151.5 0.83\n1050 2000 153 -0.81\n").unwrap();
    assert_eq!(read.values_mgal, Some(vec![0.83, -0.81]));
    let read = gravity("2\r\n1000 2000 151.5 0.83 0.05\r\n1050 2000 153 0.81 0\r\n").unwrap();
    assert_eq!((read.values_mgal, read.uncertainties_mgal), (Some(vec![0.83, 0.81]), Some(vec![0.05, 0.0])));
}

#[test]
fn files_written_by_simpeg_are_read() {
    let read = GravityData::read(&sample("simpeg.grv")).unwrap();
    // SimPEG's z is up, so the sign is reversed.
    let wanted = GravityData {
        points: POINTS.to_vec(),
        values_mgal: Some(vec![0.83, 0.81]),
        uncertainties_mgal: Some(vec![0.05, 0.04]),
    };
    assert_eq!(read, wanted);
    let read = GradientData::read(&sample("simpeg.gg")).unwrap();
    assert_eq!(read.points, POINTS);
    // SimPEG's components east-north, north-up and east-east, station by station.
    let wanted = [([0, 1], [1.0, 4.0], [0.1, 0.4]), ([1, 2], [2.0, 5.0], [0.2, 0.5]), ([0, 0], [3.0, 6.0], [0.3, 0.6])];
    let (values, uncertainties) = (read.values_eotvos.unwrap(), read.uncertainties_eotvos.unwrap());
    for (index, (axes, turned, spread)) in wanted.into_iter().enumerate() {
        let (found, factor) = read.components[index].east_north_up();
        assert_eq!((found, [0, 1].map(|row| factor * values[index][row])), (axes, turned));
        assert_eq!(uncertainties[index], spread);
    }
}

#[test]
fn values_of_gradients_precede_all_uncertainties() {
    let read =
        gradient("datacomp=xy,zz ! two\n2\n1000 2000 151.5 -3.1 12.7 5 20\n1050 2000 153 -2.9 12.5 5 20\n").unwrap();
    assert_eq!((read.points, read.components), (POINTS.to_vec(), vec![Component::Xy, Component::Zz]));
    assert_eq!(read.values_eotvos, Some(vec![vec![-3.1, -2.9], vec![12.7, 12.5]]));
    assert_eq!(read.uncertainties_eotvos, Some(vec![vec![5.0, 5.0], vec![20.0, 20.0]]));
    let read = gradient("datacomp = zz xx\n1\n0 0 1 7 -7\n").unwrap();
    assert_eq!(read.components, [Component::Zz, Component::Xx]);
    assert_eq!((read.values_eotvos, read.uncertainties_eotvos), (Some(vec![vec![7.0], vec![-7.0]]), None));
    assert_eq!(gradient("datacomp=xx\n1\n0 0 1\n").unwrap().values_eotvos, None);
}

#[test]
fn components_are_converted_from_north_east_down() {
    // Rows are north, east and down; columns east, north and up.
    let turn = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
    // A tensor in x east, y north, z up, and in the axes of GG3D.
    let tensor = [[1.0, 2.0, 3.0], [2.0, 5.0, 7.0], [3.0, 7.0, -6.0]];
    let turned = |a: usize, b: usize| -> f64 {
        (0..3).flat_map(|i| (0..3).map(move |j| turn[a][i] * tensor[i][j] * turn[b][j])).sum()
    };
    for (component, (a, b)) in Component::ALL.into_iter().zip([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]) {
        let ([i, j], factor) = component.east_north_up();
        assert!(i <= j);
        assert_eq!(factor * turned(a, b), tensor[i][j], "{}", component.name());
    }
}

#[test]
fn data_survive_a_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dat");
    let values = vec![0.1 + 0.2, -1e-9];
    for (values_mgal, uncertainties_mgal) in
        [(None, None), (Some(values.clone()), None), (Some(values.clone()), Some(vec![0.05, 0.1]))]
    {
        let data = GravityData { points: POINTS.to_vec(), values_mgal, uncertainties_mgal };
        data.write(&path).unwrap();
        assert_eq!(GravityData::read(&path).unwrap(), data);
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "2\n1000 2000 151.5 0.30000000000000004 0.05\n1050 2000 153 -0.000000001 0.1\n"
    );
    let six: Vec<_> = (0..6).map(|component| vec![f64::from(component), 1.0 / 3.0]).collect();
    for (values_eotvos, uncertainties_eotvos) in
        [(None, None), (Some(six.clone()), None), (Some(six.clone()), Some(six.clone()))]
    {
        let components = Component::ALL.to_vec();
        let data = GradientData { points: POINTS.to_vec(), components, values_eotvos, uncertainties_eotvos };
        data.write(&path).unwrap();
        assert_eq!(GradientData::read(&path).unwrap(), data);
    }
    assert!(fs::read_to_string(&path).unwrap().starts_with("datacomp=xx,xy,xz,yy,yz,zz\n2\n1000 2000 151.5 0 1 2"));
}

#[test]
fn invalid_gravity_stations_are_refused() {
    for (text, message) in [
        (
            "",
            "a.grv:1: `number of stations` is missing, found the end of the file; expected an integer above 0, then a row for each station",
        ),
        ("2\n", "a.grv:2: `station` is missing, found the end of the file; expected a row `x y z` for each station"),
        ("1 2 3\n", "a.grv:1: number of stations = `1 2 3`; expected an integer above 0"),
        ("0\n1 2 3\n", "a.grv:1: number of stations = `0`; expected an integer above 0"),
        ("3\n1 2 3\n4 5 6\n", "a.grv:4: the file ends with 2 stations; line 1 requires 3"),
        ("1\n1 2 3\n4 5 6\n", "a.grv:4: the file ends with 2 stations; line 1 requires 1"),
        (
            "1\n1 2\n",
            "a.grv:2: station = `1 2`; expected `x y z`, followed by a value, or by a value and its uncertainty",
        ),
        (
            "1\n1 2 3 4 5 6\n",
            "a.grv:2: station = `1 2 3 4 5 6`; expected `x y z`, followed by a value, or by a value and its uncertainty",
        ),
        (
            "2\n1 2 3 4\n1 2 3\n",
            "a.grv:3: the row has 3 values, but the table has 4 columns; write one value for each of `x`, `y`, `z`, `value`",
        ),
        ("1\n1 2 z\n", "a.grv:2: z = `z`; expected a number, like 1250, -0.5 or 1.2e-3"),
        ("! a\n1\n1 2 3 4 -0.5\n", "a.grv:3: uncertainty = `-0.5`; expected a standard deviation, at least 0"),
    ] {
        assert_eq!(gravity(text).unwrap_err().to_string(), message);
    }
}

#[test]
fn invalid_gradient_stations_are_refused() {
    for (text, message) in [
        (
            "",
            "a.gg:1: `datacomp` is missing, found the end of the file; expected a line like `datacomp=xx,xy,xz,yy,yz,zz`",
        ),
        ("1\n0 0 1\n", "a.gg:1: first line = `1`; expected the components, like `datacomp=xx,xy,zz`"),
        ("datacomp=\n1\n", "a.gg:1: datacomp = ``; expected the components, like `datacomp=xx,xy,zz`"),
        (
            "datacomp=xx,uv\n1\n",
            "a.gg:1: component = `uv`; expected one of xx, xy, xz, yy, yz and zz, each only once; others are not supported",
        ),
        (
            "datacomp=xx,xx\n1\n",
            "a.gg:1: component = `xx`; expected one of xx, xy, xz, yy, yz and zz, each only once; others are not supported",
        ),
        (
            "datacomp=xx,zz\n1\n0 0 1 5\n",
            "a.gg:3: station = `0 0 1 5`; expected `x y z`, followed by 2 values, or by 2 values and 2 uncertainties",
        ),
    ] {
        assert_eq!(gradient(text).unwrap_err().to_string(), message);
    }
}

#[test]
fn invalid_stations_are_not_written() {
    let path = Path::new("a.grv");
    let good = GravityData { points: POINTS.to_vec(), values_mgal: Some(vec![1.0; 2]), uncertainties_mgal: None };
    let refused =
        |data: GravityData, fragment: &str| assert_refused(data.write(path), &["a.grv: not written: ", fragment]);
    refused(GravityData { points: vec![], ..good.clone() }, "number of stations = 0");
    refused(
        GravityData { points: vec![[0.0, f64::NAN, 0.0]], ..good.clone() },
        "position of station 0 = [0.0, NaN, 0.0]",
    );
    refused(GravityData { values_mgal: Some(vec![1.0]), ..good.clone() }, "number of values of value = 1; expected 2");
    refused(GravityData { values_mgal: Some(vec![1.0, f64::INFINITY]), ..good.clone() }, "value of station 1 = inf");
    refused(
        GravityData { values_mgal: None, uncertainties_mgal: Some(vec![1.0; 2]), ..good },
        "values = none; expected values, since there are uncertainties",
    );
    let lists = Some(vec![vec![1.0; 2]; 2]);
    let good = GradientData {
        points: POINTS.to_vec(),
        components: vec![Component::Xx, Component::Zz],
        values_eotvos: lists.clone(),
        uncertainties_eotvos: None,
    };
    let refused =
        |data: GradientData, fragment: &str| assert_refused(data.write(path), &["a.grv: not written: ", fragment]);
    refused(
        GradientData { components: vec![], ..good.clone() },
        "components = ; expected at least one, each only once",
    );
    refused(GradientData { components: vec![Component::Xx; 2], ..good.clone() }, "components = xx,xx");
    refused(
        GradientData { components: vec![Component::Xx], ..good.clone() },
        "number of lists of values = 2; expected 1",
    );
    refused(GradientData { values_eotvos: None, uncertainties_eotvos: lists, ..good }, "values = none");
}
