//! Channels of optical fibres.

use craton_acquisition::Fibre;

/// Strain of a channel for a displacement field.
fn strain(fibre: &Fibre, channel: usize, displacement: impl Fn([f64; 3]) -> [f64; 3]) -> f64 {
    let term = |term: &craton_acquisition::FibreTerm| {
        let motion = displacement(fibre.points[term.point]);
        (0..3).map(|axis| term.weight[axis] * motion[axis]).sum::<f64>()
    };
    fibre.channels[channel].terms.iter().map(term).sum()
}

/// A displacement with a constant gradient.
const GRADIENT: [[f64; 3]; 3] = [[0.3, -0.2, 0.7], [0.5, 0.1, -0.4], [0.2, 0.6, -0.9]];

fn uniform(position: [f64; 3]) -> [f64; 3] {
    GRADIENT.map(|row| (0..3).map(|axis| row[axis] * position[axis]).sum())
}

/// t . E t for a unit vector.
fn along(direction: [f64; 3]) -> f64 {
    (0..3).map(|i| (0..3).map(|j| direction[i] * GRADIENT[i][j] * direction[j]).sum::<f64>()).sum()
}

#[test]
fn a_uniform_strain_has_its_value_along_every_piece() {
    let path = [[0.0, 0.0, 0.0], [30.0, 40.0, 0.0], [30.0, 40.0, -100.0]];
    let fibre = Fibre::new("well", &path, 10.0, 5.0).unwrap();
    let [first, second] = [along([0.6, 0.8, 0.0]), along([0.0, 0.0, -1.0])];
    for (index, channel) in fibre.channels.iter().enumerate() {
        // Part of the gauge length before the bend at 50 m.
        let before = ((50.0 - (channel.distance - 5.0)) / 10.0).clamp(0.0, 1.0);
        let expected = before * first + (1.0 - before) * second;
        assert!((strain(&fibre, index, uniform) - expected).abs() < 1e-12, "{channel:?}");
    }
}

#[test]
fn channels_are_as_many_as_fit_and_share_their_points() {
    let fibre = Fibre::new("line", &[[0.0; 3], [100.0, 0.0, 0.0]], 10.0, 10.0).unwrap();
    assert_eq!((fibre.channels.len(), fibre.points.len()), (10, 11));
    assert_eq!(fibre.channels[9].position, [95.0, 0.0, 0.0]);
    assert_eq!(Fibre::new("line", &[[0.0; 3], [100.0, 0.0, 0.0]], 10.0, 7.0).unwrap().channels.len(), 13);
    let only = Fibre::new("gauge", &[[0.0; 3], [10.0, 0.0, 0.0]], 10.0, 7.0).unwrap();
    assert_eq!((only.channels.len(), only.channels[0].distance), (1, 5.0));
}

#[test]
fn repeated_points_of_a_path_count_once() {
    let path = [[0.0; 3], [0.0; 3], [5.0, 0.0, 0.0], [5.0, 0.0, 0.0], [10.0, 0.0, 0.0]];
    let fibre = Fibre::new("line", &path, 4.0, 2.0).unwrap();
    assert_eq!(fibre.channels.len(), 4);
    assert!((strain(&fibre, 1, uniform) - 0.3).abs() < 1e-12);
}

#[test]
fn impossible_fibres_are_refused() {
    let line = [[0.0; 3], [100.0, 0.0, 0.0]];
    let refused =
        |path: &[[f64; 3]], gauge: f64, spacing: f64| Fibre::new("F", path, gauge, spacing).unwrap_err().to_string();
    assert!(refused(&line, 0.0, 1.0).contains("gauge length"), "{}", refused(&line, 0.0, 1.0));
    assert!(refused(&line, 10.0, f64::NAN).contains("spacing"));
    assert!(refused(&line, 101.0, 1.0).contains("length"));
    assert!(refused(&line[..1], 1.0, 1.0).contains("length"));
    assert!(refused(&[], 1.0, 1.0).contains("length"));
    assert!(refused(&line, 1e-5, 1e-5).contains("channels"));
    assert!(refused(&[[0.0; 3], [f64::INFINITY, 0.0, 0.0]], 1.0, 1.0).contains("coordinate"));
}
