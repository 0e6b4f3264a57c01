//! Comparison of travel times with TauP.

use std::collections::BTreeMap;
use std::path::Path;

use craton_formats::table;
use craton_model::geodesy::EARTH_RADIUS;
use craton_model::{Arrival, DepthRow, EarthModel, Interface, Phase, ReferenceEarth, ReferenceOptions, TravelTimes};

const DEPTHS: [&str; 3] = ["0", "33", "647.1"];

/// A row of the reference table.
struct Row {
    phase: Phase,
    depth: &'static str,
    distance: &'static str,
    arrival: [f64; 4],
}

/// The phases of the mantle and the distances [degrees] of their table, and those of the core.
const MANTLE: (&str, &[&str]) = (include_str!("data/taup_arrivals.txt"), &["0.7", "12", "19", "30", "75", "130"]);
const CORE: (&str, &[&str]) =
    (include_str!("data/taup_core_arrivals.txt"), &["30", "75", "105", "130", "146", "158", "176"]);

fn is_of_core(phase: Phase) -> bool {
    phase.name().contains('K')
}

fn rows(table: &'static str, model: &str) -> Vec<Row> {
    let row = |line: &'static str| {
        let fields: Vec<&'static str> = line.split_whitespace().collect();
        (fields[0] == model).then(|| Row {
            phase: fields[1].parse().unwrap(),
            depth: fields[2],
            distance: fields[3],
            arrival: std::array::from_fn(|k| fields[4 + k].parse().unwrap()),
        })
    };
    table.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
}

fn reference(earth: ReferenceEarth) -> EarthModel {
    EarthModel::reference(earth, ReferenceOptions::default(), -EARTH_RADIUS).unwrap()
}

fn as_numbers(arrival: &Arrival) -> [f64; 4] {
    [arrival.time, arrival.ray_parameter, arrival.takeoff, arrival.incidence]
}

/// Largest differences of time [s], ray parameter [s/degree] and the sines of takeoff and incidence angles from the reference, arrival by
/// arrival. Both must have the same number of arrivals, with the same upward or downward takeoff. Sines are compared because TauP
/// interpolates the parameter of a nearly horizontal ray, where the angle is singular.
fn differences(
    model: &EarthModel,
    bottom: f64,
    name: &str,
    (table, distances): (&'static str, &[&'static str]),
) -> [f64; 4] {
    let mut worst = [0.0_f64; 4];
    let mut expected: BTreeMap<(&str, &str, &str), Vec<[f64; 4]>> = BTreeMap::new();
    let of_core = table == CORE.0;
    for row in rows(table, name) {
        expected.entry((row.depth, row.distance, row.phase.name())).or_default().push(row.arrival);
    }
    for depth in DEPTHS {
        let times = TravelTimes::new(model, 1000.0 * depth.parse::<f64>().unwrap(), bottom).unwrap();
        let phases = || Phase::ALL.into_iter().filter(|phase| is_of_core(*phase) == of_core);
        for (distance, phase) in distances.iter().flat_map(|distance| phases().map(move |phase| (*distance, phase))) {
            let mut expected = expected.remove(&(depth, distance, phase.name())).unwrap_or_default();
            let mut got: Vec<_> = times.arrivals(phase, distance.parse().unwrap()).iter().map(as_numbers).collect();
            assert!(got.is_sorted_by(|a, b| a[0] <= b[0]));
            assert_eq!(got.len(), expected.len(), "{name} {phase} from {depth} km to {distance} degrees: {got:?}");
            // Sort by ray parameter, since arrivals of a triplication may have equal times.
            got.sort_by(|a, b| a[1].total_cmp(&b[1]));
            expected.sort_by(|a, b| a[1].total_cmp(&b[1]));
            for (got, expected) in got.iter().zip(expected) {
                let is_level = (expected[2] - 90.0).abs() < 1.0;
                assert!(is_level || (got[2] > 90.0) == (expected[2] > 90.0), "{phase} {got:?} {expected:?}");
                let [got, expected] =
                    [*got, expected].map(|[t, p, i, j]| [t, p, i.to_radians().sin(), j.to_radians().sin()]);
                for k in 0..4 {
                    worst[k] = worst[k].max((got[k] - expected[k]).abs());
                }
            }
        }
    }
    assert!(expected.is_empty(), "{expected:?}");
    worst
}

fn assert_below(worst: [f64; 4], limits: [f64; 4]) {
    assert!(worst.iter().zip(limits).all(|(worst, limit)| *worst < limit), "{worst:?} {limits:?}");
}

#[test]
fn times_agree_with_taup() {
    let prem = differences(&reference(ReferenceEarth::Prem), EARTH_RADIUS, "prem", MANTLE);
    assert_below(prem, [0.002, 0.001, 1e-4, 1e-4]);
    let ak135 = differences(&reference(ReferenceEarth::Ak135), EARTH_RADIUS, "ak135", MANTLE);
    assert_below(ak135, [0.0005, 0.001, 1e-4, 1e-4]);
    // TauP interpolates linearly between rows 50 km apart, where IASP91 has polynomials.
    let iasp91 = differences(&reference(ReferenceEarth::Iasp91), EARTH_RADIUS, "iasp91", MANTLE);
    assert_below(iasp91, [0.016, 0.003, 2e-4, 2e-4]);
}

#[test]
fn times_of_the_core_agree_with_taup() {
    let ak135 = differences(&reference(ReferenceEarth::Ak135), EARTH_RADIUS, "ak135", CORE);
    assert_below(ak135, [0.0005, 0.001, 1e-4, 1e-4]);
}

#[test]
fn the_iasp91_table_of_taup_reproduces_its_times() {
    let rows = table::parse(include_str!("data/iasp91_tvel.txt"), Path::new("iasp91_tvel.txt")).unwrap();
    let rows = DepthRow::from_table(&rows).unwrap();
    let model = EarthModel::depth_table(Interface::Flat(0.0), &rows).unwrap();
    for table in [MANTLE, CORE] {
        let worst = differences(&model, EARTH_RADIUS, "iasp91", table);
        assert_below(worst, [0.0005, 0.001, 1e-4, 1e-4]);
    }
}
