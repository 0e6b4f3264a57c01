//! Files of other programs in scenarios: hypocentres of NonLinLoc, chosen channels of StationXML, models of SOFI3D.

use craton_acquisition::Mechanism;
use craton_model::Elasticity;

use super::common::{CMT, STATIONS, TABLE, UTM, errors, folder, set_up};

/// The table of a source with a file instead of the sources of the good scenario.
fn source(table: &str) -> [(&'static str, String); 2] {
    [(UTM.0, UTM.1.to_owned()), (CMT.0, table.to_owned())]
}

#[test]
fn a_located_event_with_a_mechanism_is_a_double_couple() {
    let located = |mechanism: &str| {
        format!(
            "NLLOC \"./loc/a\" \"LOCATED\" \"Location completed.\"\n\
             GEOGRAPHIC  OT 2024 02 29  23 59 56.75  Lat -13.80 Long -67.22 Depth 2.5\n\
             QUALITY  Pmax 1.0e+20 MFmin 5.0 MFmax 6.0 RMS 0.25 Nphs 12 Gap 120.0 Dist 5.5 Mamp 4.10 5 Mdur 3.90 3\n\
             TRANSFORM  SIMPLE LatOrig -14.0  LongOrig -67.0  RotCW 0.0\n{mechanism}END_NLLOC\n\n"
        )
    };
    let mechanism = "FOCALMECH  Hyp  -13.80 -67.22 2.5 Mech  120 60 45 mf  0 nObs 9\n";
    let folder = folder(&[("a.hyp", &located(mechanism)), ("b.hyp", &located(""))]);
    let of = |table: &str| {
        let [one, two] = source(table);
        set_up(folder.path(), &[(one.0, &one.1), (two.0, &two.1)])
    };
    let setup = of("nonlinloc = \"a.hyp\"").unwrap_or_else(|error| panic!("{error:?}"));
    let [x, y, z] = setup.sources[0].position();
    assert!((x - 3240.0).abs() < 30.0 && (y - 2210.0).abs() < 30.0 && z == -2500.0, "{x} {y} {z}");
    // The dip direction of the file is 120 degrees, so that the strike is 30 degrees.
    let Mechanism::Moment(tensor) = setup.sources[0].mechanism() else { panic!("a moment") };
    let expected = craton_acquisition::MomentTensor::double_couple(30.0, 60.0, 45.0, tensor.scalar_moment()).unwrap();
    for (found, expected) in tensor.to_voigt().into_iter().zip(expected.to_voigt()) {
        assert!((found - expected).abs() < 1e-9 * tensor.norm(), "{found} {expected}");
    }
    assert!((tensor.magnitude() - 4.1).abs() < 1e-9);
    let [one, two] = source("nonlinloc = \"b.hyp\"");
    let found = errors(folder.path(), &[(one.0, &one.1), (two.0, &two.1)]);
    assert!(found.contains("has no focal mechanism"), "{found}");
}

#[test]
fn channels_and_locations_of_stationxml_can_be_chosen() {
    let channel = |code: &str, location: &str, depth: f64| {
        format!(
            "<Channel code=\"{code}\" locationCode=\"{location}\"><Latitude>-13.80</Latitude><Longitude>-67.22</Longitude>\
             <Elevation>0</Elevation><Depth>{depth}</Depth></Channel>"
        )
    };
    let station = |name: &str, channels: &str| {
        format!(
            "<Station code=\"{name}\"><Latitude>-13.80</Latitude><Longitude>-67.22</Longitude><Elevation>0</Elevation>{channels}</Station>"
        )
    };
    let borehole = [channel("BHZ", "10", 100.0), channel("HNZ", "00", 0.0)].concat();
    let xml = format!(
        "<?xml version=\"1.0\"?><FDSNStationXML><Network code=\"XX\">{}{}</Network></FDSNStationXML>",
        station("AAA", &borehole),
        station("BBB", &channel("LHZ", "", 0.0))
    );
    let folder = folder(&[("STATIONS", &xml)]);
    let codes = |choice: &str| {
        let table = format!("{}\n{choice}", STATIONS.1);
        let setup = set_up(folder.path(), &[UTM, (STATIONS.0, &table)]).unwrap_or_else(|error| panic!("{error:?}"));
        setup.receivers.iter().map(|receiver| (receiver.code(), receiver.position()[2])).collect::<Vec<_>>()
    };
    assert_eq!(codes("").len(), 3);
    let borehole = codes("channels = [\"BH?\"]");
    assert!(borehole.len() == 1 && borehole[0].1 == -100.0 && borehole[0].0.starts_with("XX.AAA"), "{borehole:?}");
    assert_eq!(codes("locations = [\"00\", \"--\"]").len(), 2);
    let table = format!("{}\nchannels = [\"EHZ\"]", STATIONS.1);
    let found = errors(folder.path(), &[UTM, (STATIONS.0, &table)]);
    assert!(found.contains("BHZ") && found.contains("LHZ"), "{found}");
    std::fs::write(folder.path().join("STATIONS"), "AAA XX 0 0 0 0\n").unwrap();
    let found = errors(folder.path(), &[(STATIONS.0, &table)]);
    assert!(found.contains("is no StationXML file"), "{found}");
}

#[test]
fn the_epoch_of_stationxml_can_be_chosen() {
    let station = |years: &str, latitude: f64| {
        format!(
            "<Station code=\"AAA\" {years}><Latitude>{latitude}</Latitude><Longitude>-67.22</Longitude><Elevation>0</Elevation></Station>"
        )
    };
    let [old, new] = ["startDate=\"1990-01-01\" endDate=\"2000-01-01\"", "startDate=\"2000-01-01\""];
    let xml = format!(
        "<?xml version=\"1.0\"?><FDSNStationXML><Network code=\"XX\">{}{}</Network></FDSNStationXML>",
        station(old, -13.80),
        station(new, -13.81)
    );
    let folder = folder(&[("STATIONS", &xml)]);
    let y = |choice: &str| {
        let table = format!("{}\n{choice}", STATIONS.1);
        let setup = set_up(folder.path(), &[UTM, (STATIONS.0, &table)]).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(setup.receivers.len(), 1);
        setup.receivers[0].position()[1]
    };
    assert_eq!(y("epoch = \"2010-02-27\""), y(""));
    let moved = y("epoch = \"1995-06-01T12:00:00\"") - y("");
    assert!((moved - 1106.0).abs() < 5.0, "{moved}");
    let refused = |epoch: &str| {
        let table = format!("{}\nepoch = {epoch:?}", STATIONS.1);
        errors(folder.path(), &[UTM, (STATIONS.0, &table)])
    };
    assert!(refused("June 1995").contains("receivers.epoch"), "{}", refused("June 1995"));
    assert!(refused("1980-01-01").contains("1980"), "{}", refused("1980-01-01"));
    let table = format!("{}\ndepths = \"heights\"", STATIONS.1);
    let heights = errors(folder.path(), &[UTM, (STATIONS.0, &table)]);
    assert!(heights.contains("is a StationXML file"), "{heights}");
}

#[test]
fn a_model_of_sofi3d_is_read_with_its_parameter_file() {
    // y is the vertical axis of SOFI3D, and the fastest of the file: x, depth and y of the model.
    let [nx, ny, nz] = [4_usize, 5, 4];
    let value = |x: usize, depth: usize, y: usize| 3000.0 + 10.0 * x as f32 + 200.0 * depth as f32 + y as f32;
    let volume = |factor: f32| -> Vec<u8> {
        let points = (0..nz).flat_map(|z| (0..nx).flat_map(move |x| (0..ny).map(move |y| (x, y, z))));
        points.flat_map(|(x, y, z)| (factor * value(x, y, z)).to_le_bytes()).collect()
    };
    let parameters = format!(
        "{{\n\"NX\" : \"{nx}\",\n\"NY\" : \"{ny}\",\n\"NZ\" : \"{nz}\",\n\"DX\" : \"8000\",\n\"DY\" : \"3200\",\n\"DZ\" : \"8000\",\n\
         \"READMOD\" : \"1\",\n\"MFILE\" : \"model\"\n}}\n"
    );
    let folder = folder(&[("sofi3D.json", &parameters)]);
    for (name, factor) in [("vp", 1.0), ("vs", 0.5), ("rho", 0.6)] {
        std::fs::write(folder.path().join(format!("model.{name}")), volume(factor)).unwrap();
    }
    let file = |key: &str| {
        format!(
            "{key} = {{ file = \"sofi3D.json\", format = \"sofi3d\", variable = \"{key}\", origin = [0, -5000, -5000] }}\n"
        )
    };
    let table = format!("[model.volume]\n{}{}{}", file("vp"), file("vs"), file("rho"));
    let setup = set_up(folder.path(), &[(TABLE.0, &table)]).unwrap_or_else(|error| panic!("{error:?}"));
    let medium = setup.model.medium(0, [3000.0, -5000.0 + 16_000.0, -6400.0]);
    let Elasticity::Isotropic { vp, .. } = *medium.elasticity() else { panic!("an isotropic medium") };
    // The second points along x and depth, the third one along y.
    assert!((vp - (3000.0 + 10.0 + 400.0 + 2.0)).abs() < 0.01, "{vp}");
}
