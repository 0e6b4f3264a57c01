//! Comparison of travel times with TauP.

use std::collections::BTreeMap;
use std::path::Path;

use craton_formats::table;
use craton_model::{Arrival, DepthRow, EarthModel, Interface, Phase, ReferenceEarth, ReferenceOptions, TravelTimes};

const DEPTHS: [&str; 3] = ["0", "33", "647.1"];

/// A row of the reference table.
struct Row {
    phase: Phase,
    depth: &'static str,
    distance: &'static str,
    arrival: [f64; 4],
}

fn rows(model: &str) -> Vec<Row> {
    let row = |line: &'static str| {
        let fields: Vec<&'static str> = line.split_whitespace().collect();
        (fields[0] == model).then(|| Row {
            phase: fields[1].parse().unwrap(),
            depth: fields[2],
            distance: fields[3],
            arrival: std::array::from_fn(|k| fields[4 + k].parse().unwrap()),
        })
    };
    include_str!("data/taup_arrivals.txt").lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
}

fn reference(earth: ReferenceEarth) -> EarthModel {
    EarthModel::reference(earth, ReferenceOptions::default(), -earth.core_depth()).unwrap()
}

fn as_numbers(arrival: &Arrival) -> [f64; 4] {
    [arrival.time, arrival.ray_parameter, arrival.takeoff, arrival.incidence]
}

/// Largest differences of time [s], ray parameter [s/degree] and the sines of takeoff and incidence angles from the reference, arrival by
/// arrival. Both must have the same number of arrivals, with the same upward or downward takeoff. Sines are compared because TauP
/// interpolates the parameter of a nearly horizontal ray, where the angle is singular.
fn differences(model: &EarthModel, core_depth: f64, name: &str) -> [f64; 4] {
    let mut worst = [0.0_f64; 4];
    let mut expected: BTreeMap<(&str, &str, &str), Vec<[f64; 4]>> = BTreeMap::new();
    for row in rows(name) {
        expected.entry((row.depth, row.distance, row.phase.name())).or_default().push(row.arrival);
    }
    for depth in DEPTHS {
        let times = TravelTimes::new(model, 1000.0 * depth.parse::<f64>().unwrap(), core_depth).unwrap();
        for (distance, phase) in
            ["0.7", "12", "19", "30", "75", "130"].into_iter().flat_map(|d| Phase::ALL.map(|p| (d, p)))
        {
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
    let prem = differences(&reference(ReferenceEarth::Prem), ReferenceEarth::Prem.core_depth(), "prem");
    assert_below(prem, [0.002, 0.001, 1e-4, 1e-4]);
    let ak135 = differences(&reference(ReferenceEarth::Ak135), ReferenceEarth::Ak135.core_depth(), "ak135");
    assert_below(ak135, [0.0005, 0.001, 1e-4, 1e-4]);
    // TauP interpolates linearly between rows 50 km apart, where IASP91 has polynomials.
    let iasp91 = differences(&reference(ReferenceEarth::Iasp91), ReferenceEarth::Iasp91.core_depth(), "iasp91");
    assert_below(iasp91, [0.016, 0.003, 2e-4, 2e-4]);
}

#[test]
fn the_iasp91_table_of_taup_reproduces_its_times() {
    let rows = table::parse(include_str!("data/iasp91_tvel.txt"), Path::new("iasp91_tvel.txt")).unwrap();
    let rows = DepthRow::from_table(&rows).unwrap();
    let model = EarthModel::depth_table(Interface::Flat(0.0), &rows).unwrap();
    let worst = differences(&model, ReferenceEarth::Iasp91.core_depth(), "iasp91");
    assert_below(worst, [0.0005, 0.001, 1e-4, 1e-4]);
}
