//! Positions of sources and receivers.

use craton_acquisition::{AxisNames, Mechanism};
use craton_formats::netcdf::{self, Attribute, DataType, Dataset, Dimension, Variable};

use crate::setup::common::{
    CHUNK, CMT, CMTSOLUTION, LONG_PERIODS, STATIONS, SURFACE_STATION, TOPOGRAPHY, UTM, assert_errors, assert_near,
    errors, example, folder, grid, set_up, whole_grid,
};

#[test]
fn receivers_of_the_valley_are_snapped_to_its_topography() {
    let setup = example("valley");
    for receiver in &setup.receivers {
        let [x, y, z] = receiver.position();
        assert!(receiver.is_on_surface());
        assert_eq!(z, setup.model.surface().elevation(x, y));
        assert!(z > 0.0 && z <= 800.0, "{z}");
    }
}

#[test]
fn sources_above_the_surface_are_reported_by_number() {
    let low = whole_grid(|_, _| -500.0);
    let source = ("position = [0.0, 0.0, -2000.0]", "position = [0.0, 0.0, -400.0]");
    assert_errors(
        &[("top.asc", &low)],
        &[TOPOGRAPHY, SURFACE_STATION, source],
        "it.toml:13:12: source[0].position: source 1, at x = 0, y = 0, z = -400 m, is above the surface (allowed: z from -12000 to -500 m (the surface at this point); lower it; z is up, so depths are negative)",
    );
}

#[test]
fn receivers_above_the_topography_are_reported_by_code() {
    let low = whole_grid(|_, _| -500.0);
    assert_errors(
        &[("top.asc", &low)],
        &[TOPOGRAPHY],
        "it.toml:17:43: receivers.stations[0].position: receiver XX.S10, at x = 8000, y = 6000, z = 0 m, is above the surface (allowed: z from -12000 to -500 m (the surface at this point); lower the receiver, or set receivers.snap_to_surface = true)",
    );
    let line = "stations = []\n[[receivers.line]]\ncode = \"XX.L\"\nfrom = [0.0, 0.0, -900.0]\nto = [8000.0, 0.0, 0.0]\ncount = 17";
    let stations = ("stations = [{ code = \"XX.S10\", position = [8000.0, 6000.0, 0.0] }]", line);
    assert_errors(
        &[("top.asc", &low)],
        &[TOPOGRAPHY, stations],
        "it.toml:18:1: receivers.line[0]: receiver XX.L0009, at x = 4000, y = 0, z = -450 m, is above the surface, like XX.L0010, XX.L0011, XX.L0012, XX.L0013, XX.L0014 and 3 more (allowed: z from -12000 to -500 m (the surface at this point); lower the receiver, or set receivers.snap_to_surface = true)",
    );
}

#[test]
fn a_receiver_above_the_surface_by_round_off_is_moved_to_it() {
    let folder = folder(&[]);
    let setup = set_up(folder.path(), &[("6000.0, 0.0] }", "6000.0, 0.01] }")]).expect("a good scenario");
    assert_eq!(setup.receivers[0].position(), [8000.0, 6000.0, 0.0]);
    assert!(setup.receivers[0].is_on_surface());
    let setup = set_up(folder.path(), &[("6000.0, 0.0] }", "6000.0, -0.02] }")]).expect("a good scenario");
    assert_eq!(setup.receivers[0].position(), [8000.0, 6000.0, -0.02]);
    assert!(!setup.receivers[0].is_on_surface());
}

#[test]
fn duplicate_codes_are_reported() {
    let line = "\n[[receivers.line]]\ncode = \"XX.S\"\nfrom = [0.0, 0.0, 0.0]\nto = [8000.0, 0.0, 0.0]\ncount = 12";
    let second =
        format!("code = \"XX.S0010\", position = [8000.0, 6000.0, 0.0] }}]\nstations_file = \"STATIONS\"{line}");
    let change = ("code = \"XX.S10\", position = [8000.0, 6000.0, 0.0] }]", second.as_str());
    assert_errors(
        &[("STATIONS", "S0011 XX 10 10 0 0\nS0012 XX 20 20 0 0\nA XX 3e3 2e3 0 0\n")],
        &[change],
        "it.toml:17:17: receivers.stations_file: receiver XX.S0011 is also in receivers.line[0], like \
         XX.S0012 (give each receiver a unique code)\nit.toml:18:1: receivers.line[0]: receiver XX.S0010 is also in \
         receivers.stations[0] (give each receiver a unique code)",
    );
}

#[test]
fn stations_that_differ_only_in_location_are_refused_for_specfem_files() {
    let two = "code = \"XX.S10.00\", position = [8000.0, 6000.0, 0.0] }, { code = \"XX.S10.10\", position = [0.0, 0.0, 0.0] }]";
    let change = ("code = \"XX.S10\", position = [8000.0, 6000.0, 0.0] }]", two);
    let forms = |forms: &str| format!("directory = \"results\"\nseismograms = [{forms}]");
    let folder = folder(&[]);
    set_up(folder.path(), &[change, ("directory = \"results\"", &forms("\"sac\""))]).expect("two receivers");
    let errors = errors(folder.path(), &[change, ("directory = \"results\"", &forms("\"sac\", \"specfem\""))]);
    assert!(
        errors.contains("receivers.stations[1]: receiver XX.S10 is also in receivers.stations[0] (give each receiver")
            && errors.contains(
                "give each receiver its own station code: SPECFEM file names (output.seismograms) have no location code"
            ),
        "{errors}"
    );
}

/// Expected positions: pyproj 3.7.2 with PROJ 9.5.1, `+proj=utm +zone=19 +south +ellps=WGS84`, relative to the origin.
#[test]
fn positions_of_cmtsolution_and_stations_match_proj() {
    let stations = "# name network latitude longitude elevation burial\nA XX -13.80 -67.20 3000.0 0.0\n\
                    B XX -13.75 -67.10 0.0 0.0\nC XX -13.79 -67.28 0.0 150.0\n";
    let hills = whole_grid(|x, y| 200.0 + 0.01 * x + 0.02 * y);
    let folder = folder(&[("STATIONS", stations), ("CMTSOLUTION", CMTSOLUTION), ("top.asc", &hills)]);
    let utm = format!("{}\ntopography = \"top.asc\"", UTM.1.replace("0.0]", "1000.0]"));
    let changes = [(UTM.0, utm.as_str()), STATIONS, CMT, ("duration = 9.0", "duration = 30.0")];
    assert_eq!(
        errors(folder.path(), &changes),
        "it.toml:16:17: receivers.stations_file = \"STATIONS\": line 3: receiver XX.B, at longitude -67.1, latitude -13.75, depth 0 m (x = 16279.709937, y = 7621.873552, z = 492.437471 m), is outside the domain (allowed: longitude from -67.287497 to -67.121076 at this point (x from -4000 to 14000 m); move it, or enlarge [domain], which is in metres; receivers.outside = \"left_out\" leaves out such stations)"
    );

    let wider = [("x = [-4000.0, 14000.0]", "x = [-4000.0, 17000.0]")];
    let hills = grid(22, 19, [-4000.0, -4000.0], 1000.0, |x, y| 200.0 + 0.01 * x + 0.02 * y);
    std::fs::write(folder.path().join("top.asc"), hills).expect("a file of the test");
    let setup = set_up(folder.path(), &[&wider[..], &changes].concat()).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(setup.axis_names, AxisNames::Geographic);
    let height = |x: f64, y: f64| 200.0 + 0.01 * x + 0.02 * y;
    let positions: Vec<[f64; 3]> = setup.receivers.iter().map(|receiver| receiver.position()).collect();
    let [a, b, c] = [[5422.628510, 2172.821751], [16279.709937, 7621.873552], [-3219.772277, 3342.601507]];
    assert_near(positions[0], [a[0], a[1], height(a[0], a[1])]);
    assert_near(positions[1], [b[0], b[1], height(b[0], b[1])]);
    assert_near(positions[2], [c[0], c[1], height(c[0], c[1]) - 150.0]);
    assert_eq!(
        setup.receivers.iter().map(|receiver| receiver.is_on_surface()).collect::<Vec<_>>(),
        [true, true, false]
    );

    let source = &setup.sources[0];
    assert_near(source.position(), [a[0], a[1], height(a[0], a[1]) - 6500.0]);
    let Mechanism::Moment(tensor) = source.mechanism() else { panic!("a moment was expected") };
    let expected = [-0.16e20, 7.75e20, -7.59e20, 25.03e20, 0.42e20, 2.48e20];
    for (found, expected) in tensor.to_voigt().into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e8, "{found} instead of {expected}");
    }
}

/// Longitudes and latitudes of the corners: pyproj 3.7.2 with PROJ 9.5.1, as above.
#[test]
fn positions_given_in_degrees_are_reported_in_degrees() {
    let station = |place: &'static str| ("position = [8000.0, 6000.0, 0.0] }", place);
    let north_east = station("longitude = -67.0, latitude = -13.6 }");
    assert_errors(
        &[],
        &[UTM, north_east],
        "it.toml:17:13: receivers.stations[0]: receiver XX.S10, at longitude -67, latitude -13.6, depth 0 m (x = 27232.983231, \
         y = 24132.199915, z = 0 m), is outside the domain (allowed: longitude from -67.287915 to -67.121535 at this point (x from \
         -4000 to 14000 m), latitude from -13.855191 to -13.69252 at this point (y from -4000 to 14000 m); move it, or enlarge \
         [domain], which is in metres)",
    );
    let deep = station("longitude = -67.25, latitude = -13.82, depth = 12500.0 }");
    assert_errors(
        &[],
        &[UTM, deep],
        "it.toml:17:13: receivers.stations[0]: receiver XX.S10, at longitude -67.25, latitude -13.82, depth 12500 m (x = 0, y = 0, z = -12500 m), is outside the domain (allowed: depth from 0 to 12000 m at this point (z from -12000 to 0 m); move it, or enlarge [domain], which is in metres)",
    );
    let far = CMTSOLUTION.replace("longorUTM:    -67.2000", "longorUTM:    -66.0");
    let errors = errors(folder(&[("CMTSOLUTION", &far)]).path(), &[UTM, CMT]);
    assert!(
        errors.contains("source[0].cmtsolution: 060994A, at longitude -66, latitude -13.8, depth 6500 m (x = "),
        "{errors}"
    );
}

#[test]
fn a_longitude_without_decimal_point_is_refused_with_its_value() {
    let allowed = "longitude = 6725 is out of range: the allowed range is -180 to 360 degrees";
    let stations = [("STATIONS", "A XX -13.80 6725 0.0 0.0\n")];
    for frame in [&[CHUNK, LONG_PERIODS][..], &[UTM]] {
        let found = errors(folder(&stations).path(), &[frame, &[STATIONS]].concat());
        assert!(found.ends_with(&format!("line 1: \"XX.A\" cannot be placed: {allowed}")), "{found}");
        let far = CMTSOLUTION.replace("-67.2000", "6725");
        let found = errors(folder(&[("CMTSOLUTION", &far)]).path(), &[frame, &[CMT]].concat());
        assert!(found.ends_with(&format!("\"060994A\" cannot be placed: {allowed}")), "{found}");
    }
    // Swapped columns.
    let stations = [("STATIONS", "A XX -13.80 -67.20 0.0 0.0\n# far east\nB XX 178.05 -17.74 0.0 0.0\n")];
    let found = errors(folder(&stations).path(), &[CHUNK, LONG_PERIODS, STATIONS]);
    assert!(found.contains("\"STATIONS\": line 3: \"XX.B\" cannot be placed: latitude = 178.05 "), "{found}");
    assert!(found.ends_with("; check whether latitude and longitude are swapped"), "{found}");
    // Longitudes from 0 to 360 degrees are valid.
    let stations = [("STATIONS", "A XX -13.80 292.8 0.0 0.0\n")];
    let setup = set_up(folder(&stations).path(), &[CHUNK, LONG_PERIODS, STATIONS]).expect("a place in the chunk");
    let [x, y, _] = setup.receivers[0].position();
    assert!((setup.frame.to_map([x, y])[0] + 67.2).abs() < 1e-9);
}

#[test]
fn degrees_without_a_projection_cause_a_warning() {
    let words = "is interpreted in metres. If these are longitude and latitude, give domain.projection";
    let files = folder(&[("CMTSOLUTION", CMTSOLUTION), ("STATIONS", "A XX -13.80 -67.20 0.0 0.0\n")]);
    let setup = set_up(files.path(), &[CMT, STATIONS]).expect("places of metres");
    assert_eq!(
        setup.warnings,
        [
            format!("source[0].cmtsolution: x = -67.2, y = -13.8 {words}"),
            format!("receivers.stations_file: x = -67.2, y = -13.8 {words}")
        ]
    );
    let east = ("x = [-4000.0, 14000.0]", "x = [-50.0, 14000.0]");
    assert_errors(
        &[("STATIONS", "A XX -13.80 -67.20 0.0 0.0\n")],
        &[east, STATIONS],
        "it.toml:16:17: receivers.stations_file = \"STATIONS\": line 1: receiver XX.A, at x = -67.2, y = -13.8, z = 0 m, is outside the domain (allowed: x from -50 to 14000 m; if these are longitude and latitude, give domain.projection; receivers.outside = \"left_out\" leaves out such stations)",
    );
}

#[test]
fn a_zone_far_from_the_domain_causes_a_warning_or_is_refused() {
    let folder = folder(&[]);
    let setup = set_up(folder.path(), &[(UTM.0, &UTM.1.replace("zone = 19", "zone = 21"))]).expect("a far zone");
    assert_eq!(
        setup.warnings,
        [
            "a corner of the domain: longitude -67.288 is 10.3 degrees from -57, the central meridian of UTM zone 21, where distances are distorted; use zone 19"
        ]
    );
    let error = errors(folder.path(), &[(UTM.0, &UTM.1.replace("zone = 19", "zone = 31"))]);
    assert_eq!(
        error,
        "it.toml:6:68: domain.projection.utm.origin.longitude = -67.25: is out of range (allowed: within 30 degrees of 3, the central meridian of UTM zone 31; use zone 19)"
    );
}

#[test]
fn a_grid_in_degrees_covers_the_domain_of_a_projection() {
    let height = |longitude: f64, latitude: f64| 500.0 + 100.0 * (longitude + 67.25) + 50.0 * (latitude + 13.82);
    let degrees = grid(31, 31, [-67.4, -14.0], 0.02, height);
    let top = format!("{}\ntopography = \"top.asc\"", UTM.1.replace("0.0]", "1000.0]"));
    let in_degrees = "longitude = -67.2, latitude = -13.8, depth = 20.0 }";
    let changes = [(UTM.0, top.as_str()), ("position = [8000.0, 6000.0, 0.0] }", in_degrees)];
    let folder = folder(&[("top.asc", &degrees)]);
    let setup = set_up(folder.path(), &changes).unwrap_or_else(|error| panic!("{error:?}"));
    let [x, y, z] = setup.receivers[0].position();
    assert!((x - 5422.628510).abs() < 1e-6 && (y - 2172.821751).abs() < 1e-6);
    assert!((z - (height(-67.2, -13.8) - 20.0)).abs() < 1e-6, "{z}");
    std::fs::write(folder.path().join("top.asc"), grid(73, 37, [-180.0, -90.0], 5.0, height))
        .expect("a file of the test");
    let setup = set_up(folder.path(), &changes).unwrap_or_else(|error| panic!("{error:?}"));
    assert!((setup.receivers[0].position()[2] - z).abs() < 0.01);
    let short = grid(10, 31, [-67.4, -14.0], 0.02, height);
    assert_errors(
        &[("top.asc", &short)],
        &changes,
        "it.toml:7:14: domain.topography = \"top.asc\": the grid, in degrees, does not cover the domain: longitude -67.213886 \
         is missing (allowed: between -67.4 and -67.22, the range of the grid; the model needs it at x = 3875, y = -4000 m; extend the grid or shrink the domain)",
    );
}

#[test]
fn a_grid_with_units_of_degrees_requires_a_projection() {
    let folder = folder(&[]);
    let write = |unit: &str| {
        let variable = |name: &str, dimensions: &[usize]| Variable {
            name: name.to_owned(),
            data_type: DataType::F64,
            dimensions: dimensions.to_vec(),
            attributes: vec![Attribute::text("units", if dimensions.len() == 1 { unit } else { "m" })],
        };
        let dataset = Dataset {
            dimensions: vec![Dimension::new("y", 2), Dimension::new("x", 2)],
            variables: vec![variable("y", &[0]), variable("x", &[1]), variable("z", &[0, 1])],
            ..Dataset::default()
        };
        let values: [&[f64]; 3] = [&[-9e4, 9e4], &[-9e4, 9e4], &[10.0; 4]];
        netcdf::write(&folder.path().join("top.nc"), &dataset, |slab| slab.write(values[slab.index()]))
            .expect("written");
    };
    let changes = [(TOPOGRAPHY.0, "z = [-12000.0, 1000.0]\ntopography = \"top.nc\"")];
    write("m");
    set_up(folder.path(), &changes).unwrap_or_else(|error| panic!("{error:?}"));
    write("degrees");
    let errors = errors(folder.path(), &changes);
    assert!(errors.contains("top.nc") && errors.contains("is over longitude and latitude"), "{errors}");
}

#[test]
fn the_depth_of_a_source_in_degrees_is_below_the_local_surface() {
    let hills = whole_grid(|x, y| 200.0 + 0.01 * x + 0.02 * y);
    let folder = folder(&[("top.asc", &hills)]);
    let top = format!("{}\ntopography = \"top.asc\"", UTM.1.replace("0.0]", "1000.0]"));
    let source =
        |depth: &'static str| [(UTM.0, top.as_str()), SURFACE_STATION, ("position = [0.0, 0.0, -2000.0]", depth)];
    let setup =
        set_up(folder.path(), &source("longitude = -67.2\nlatitude = -13.8\ndepth = 3000.0")).expect("a source");
    let [x, y] = [5422.628510, 2172.821751];
    assert_near(setup.sources[0].position(), [x, y, 200.0 + 0.01 * x + 0.02 * y - 3000.0]);
    let errors = errors(folder.path(), &source("longitude = -67.2\nlatitude = -13.8"));
    assert!(
        errors
            .ends_with("source[0].depth: is missing (give the depth below the surface in metres; 0 is at the surface)"),
        "{errors}"
    );
}

#[test]
fn station_codes_too_long_for_sac_are_reported_with_file_and_line() {
    let stations = "# far away\nS1 XX 0 0 0 0\nSTATION10 XX 10 0 0 0\nS2 LONGNETWORK 20 0 0 0\n";
    assert_errors(
        &[("STATIONS", stations)],
        &[STATIONS],
        "it.toml:16:17: receivers.stations_file = \"STATIONS\": line 3: station XX.STATION10 is too long for SAC, like LONGNETWORK.S2 (allowed: at most 8 characters each for network, station and location; shorten the code, or set output.seismograms = [\"text\"])",
    );
    let text = ("directory = \"results\"", "directory = \"results\"\nseismograms = [\"text\"]");
    let setup =
        set_up(folder(&[("STATIONS", stations)]).path(), &[STATIONS, text]).expect("text files allow long codes");
    assert_eq!(setup.receivers.len(), 3);
}

#[test]
fn a_chunk_may_cross_the_date_line() {
    let chunk = CHUNK.1.replace("longitude = -67.25, latitude = -13.82", "longitude = 180.0, latitude = 0.0");
    let chunk = chunk.replace("rotation = 20", "rotation = 0");
    let stations = "A XX 0.0 179.0 0 0\nB XX 0.0 -179.0 0 0\nC XX 0.0 181.0 0 0\n";
    let folder = folder(&[("STATIONS", stations)]);
    let setup = set_up(folder.path(), &[(CHUNK.0, &*chunk), LONG_PERIODS, STATIONS]).expect("places in the chunk");
    let degree = 6_371_000.0 * 1.0_f64.to_radians();
    for (receiver, x) in setup.receivers.iter().zip([-degree, degree, degree]) {
        assert_near(receiver.position(), [x, 0.0, 0.0]);
        let [longitude, latitude] = setup.frame.to_map([x, 0.0]);
        assert!((longitude.abs() - 179.0).abs() < 1e-9 && latitude.abs() < 1e-9, "{longitude} {latitude}");
    }
    let [a, b] = [0, 1].map(|at: usize| setup.receivers[at].position());
    let arc = craton::traces::Way::between(&setup.frame, a, b).arc.expect("an arc");
    assert!((arc - 2.0).abs() < 1e-9, "{arc}");
}

#[test]
fn a_station_outside_a_chunk_is_reported_with_its_line() {
    let folder = folder(&[("STATIONS", "NEAR XX -13.8 -67.2 0 0\nFAR XX 20.0 -67.2 0 0\n")]);
    let errors = errors(folder.path(), &[CHUNK, LONG_PERIODS, STATIONS]);
    assert!(errors.contains("line 2: receiver XX.FAR, at longitude -67.2, latitude 20"), "{errors}");
    assert!(!errors.contains("NEAR"), "{errors}");
}

#[test]
fn stations_outside_the_domain_may_be_left_out() {
    let left_out = (STATIONS.0, "stations_file = \"STATIONS\"\noutside = \"left_out\"");
    let chunk = [CHUNK, LONG_PERIODS, left_out];
    // The second is next to the chunk, the third on the other side of the Earth.
    let lines = "NEAR XX -13.8 -67.2 0 0\nFAR XX 20.0 -67.2 0 0\nBACK XX 13.8 112.8 0 0\nALSO XX -13.7 -67.2 0 0\n";
    let setup = set_up(folder(&[("STATIONS", lines)]).path(), &chunk).expect("stations in the chunk");
    assert_eq!(setup.receivers.iter().map(|receiver| receiver.code()).collect::<Vec<_>>(), ["XX.NEAR", "XX.ALSO"]);
    let expected = "receivers.stations_file: 2 of 4 stations are outside the domain and are left out: XX.FAR, XX.BACK";
    assert!(setup.warnings.iter().any(|warning| warning == expected), "{:?}", setup.warnings);
    // A station above the surface is outside, too.
    let above = format!("{lines}HIGH XX -13.75 -67.2 0 -50\n");
    let setup = set_up(folder(&[("STATIONS", &above)]).path(), &chunk).expect("stations in the chunk");
    assert_eq!(setup.receivers.len(), 2);
    let expected = "3 of 5 stations are outside the domain and are left out: XX.FAR, XX.BACK, XX.HIGH";
    assert!(setup.warnings.iter().any(|warning| warning.contains(expected)), "{:?}", setup.warnings);
    // An error names its line, also after stations that are left out.
    let found = errors(folder(&[("STATIONS", &format!("{lines}BAD XX 178.05 -17.74 0 0\n"))]).path(), &chunk);
    assert!(found.contains("line 5: \"XX.BAD\" cannot be placed: latitude = 178.05"), "{found}");
    let found = errors(folder(&[("STATIONS", "FAR XX 20.0 -67.2 0 0\n")]).path(), &chunk);
    assert!(
        found.contains("1 of 1 stations are outside the domain")
            && found.contains("no station is inside; enlarge or move [domain], or use another file"),
        "{found}"
    );
}

#[test]
fn a_station_of_the_sea_bottom_at_the_surface_is_reported() {
    let sea = ("{ vp = 4000.0, vs = 2000.0, rho = 2600.0 }", "{ vp = 1500.0, vs = 0.0, rho = 1000.0 }");
    let deep = ("position = [0.0, 0.0, -2000.0]", "position = [0.0, 0.0, -3000.0]");
    let warnings = |line: &str| {
        let folder = folder(&[("STATIONS", line)]);
        set_up(folder.path(), &[sea, deep, STATIONS]).expect("a station").warnings.join("\n")
    };
    let expected = "station XX.OBS has an elevation of -1000 m in its file";
    assert!(warnings("OBS XX 100 100 -1000 0\n").contains(expected), "{}", warnings("OBS XX 100 100 -1000 0\n"));
    assert!(!warnings("OBS XX 100 100 -1000 1000\n").contains("elevation"));
    assert!(!warnings("BUOY XX 100 100 0 0\n").contains("elevation"));
}
