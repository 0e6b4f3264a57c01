use super::*;
use proptest::prelude::*;

fn value(taps: &Taps, points: GridPoints, field: impl Fn(f64) -> f64) -> f64 {
    taps.weights.iter().zip(taps.first..).map(|(w, i)| w * field(i as f64 + points.offset())).sum()
}

/// Hicks (2002), table for monopoles: b for r = 1, 2, ... at k_max = π/2 and 2 π/3.
#[test]
fn window_has_the_published_shape() {
    let four: &[f64] = &[1.24, 2.94, 4.53, 6.31, 7.91, 9.42, 10.95, 12.53, 14.09];
    let three: &[f64] = &[0.0, 1.84, 3.04, 4.14, 5.26, 6.40, 7.51, 8.56, 9.56, 10.64];
    for (points, published) in [(4.0, four), (3.0, three)] {
        for (radius, &shape) in (1..).zip(published) {
            let sinc = WindowedSinc::new(radius, points).unwrap();
            assert!((sinc.shape() - shape).abs() < 0.04 * shape + 0.01, "r = {radius}: {} {shape}", sinc.shape());
            let theirs = largest_error(radius, shape, 0.5, TAU / points, 256);
            assert!(sinc.error() < 1.03 * theirs, "r = {radius}: {} {theirs}", sinc.error());
        }
    }
}

#[test]
fn error_falls_with_the_radius_and_with_finer_grids() {
    let error = |radius, points| WindowedSinc::new(radius, points).unwrap().error();
    assert!((error(4, 4.0) - 1.35e-3).abs() < 2e-5, "{}", error(4, 4.0));
    assert!((error(4, 3.0) - 8.8e-3).abs() < 1e-4, "{}", error(4, 3.0));
    for points in [2.5, 3.0, 4.0, 8.0, 20.0] {
        for radius in 1..MAX_RADIUS {
            assert!(error(radius + 1, points) < 0.6 * error(radius, points), "r = {radius}, {points} points");
        }
    }
    assert!(error(10, 4.0) < 1e-7 && error(4, 8.0) < 0.3 * error(4, 4.0));
}

proptest! {
    #[test]
    fn band_limited_fields_are_interpolated_within_the_stated_error(
        radius in 1..=MAX_RADIUS,
        fewest in MIN_POINTS_PER_WAVELENGTH..MAX_POINTS_PER_WAVELENGTH,
        waves in prop::collection::vec((0.0..1.0_f64, 0.0..TAU, 0.1..1.0_f64), 1..4),
        position in -20.0..20.0_f64,
    ) {
        let sinc = WindowedSinc::new(radius, fewest).unwrap();
        let total: f64 = waves.iter().map(|&(.., amplitude)| amplitude).sum();
        let field = |x: f64| {
            let wave = |&(part, phase, amplitude): &(f64, f64, f64)| amplitude * (part * TAU / fewest * x + phase).cos();
            waves.iter().map(wave).sum::<f64>()
        };
        for points in [GridPoints::Whole, GridPoints::Half] {
            let taps = sinc.taps(position, points).unwrap();
            let difference = (value(&taps, points, field) - field(position)).abs();
            prop_assert!(difference <= 1.01 * sinc.error() * total + 1e-13, "{difference} {}", sinc.error());
            prop_assert!((taps.weights.iter().sum::<f64>() - 1.0).abs() <= 1.01 * sinc.error() + 1e-13);
        }
    }
}

/// A constant between the sixteenths of a spacing: at a radius of 7 its error peaks at 0.23 of a spacing.
#[test]
fn stated_error_covers_peaks_between_regular_fractions() {
    for fewest in [5.0, 12.0, 19.576106741253227] {
        for radius in 1..=MAX_RADIUS {
            let sinc = WindowedSinc::new(radius, fewest).unwrap();
            for i in 1..1000 {
                let sum = sinc.taps(f64::from(i) / 1000.0, GridPoints::Whole).unwrap().weights.iter().sum::<f64>();
                assert!((sum - 1.0).abs() <= 1.005 * sinc.error() + 1e-14, "r = {radius}, {fewest} points: {i}");
            }
        }
    }
}

#[test]
fn positions_on_a_point_have_one_weight() {
    let sinc = WindowedSinc::new(4, 4.0).unwrap();
    for (position, points, first) in [
        (7.0, GridPoints::Whole, 7),
        (-3.0, GridPoints::Whole, -3),
        (0.1 + 0.2 + 0.7, GridPoints::Whole, 1),
        (7.5, GridPoints::Half, 7),
        (-0.5, GridPoints::Half, -1),
    ] {
        assert_eq!(sinc.taps(position, points).unwrap(), Taps { first, weights: vec![1.0] });
    }
    // The weights are continuous near a point.
    let near = sinc.taps(7.0 + 1e-8, GridPoints::Whole).unwrap();
    assert_eq!((near.first, near.weights.len()), (4, 8));
    assert!((near.weights[3] - 1.0).abs() < 1e-7 && near.weights[4].abs() < 1e-7);
}

#[test]
fn nearest_points_are_used_and_weights_follow_shifts_and_reflections() {
    let sinc = WindowedSinc::new(3, 4.0).unwrap();
    let taps = sinc.taps(10.25, GridPoints::Whole).unwrap();
    assert_eq!((taps.first, taps.weights.len()), (8, 6));
    let half = sinc.taps(10.75, GridPoints::Half).unwrap();
    assert_eq!(half, taps);
    let reflected = sinc.taps(-10.25, GridPoints::Whole).unwrap();
    assert_eq!(reflected.first, -13);
    for (a, b) in taps.weights.iter().zip(reflected.weights.iter().rev()) {
        assert!((a - b).abs() < 1e-15);
    }
}

/// Displacement of a string with varying stiffness, recorded at `receiver`, after a blow at `source`; fixed ends.
fn string(sinc: &WindowedSinc, source: f64, receiver: f64) -> f64 {
    const POINTS: usize = 80;
    let [from, to] = [source, receiver].map(|x| sinc.taps(x, GridPoints::Whole).unwrap());
    let stiffness = |i: usize| 0.3 + 0.2 * (i as f64 * 0.2).sin();
    let (mut before, mut now) = ([0.0; POINTS], [0.0; POINTS]);
    from.weights.iter().zip(from.first as usize..).for_each(|(w, i)| now[i] = *w);
    for _ in 0..90 {
        let mut next = [0.0; POINTS];
        for i in 1..POINTS - 1 {
            let pull = stiffness(i) * (now[i + 1] - now[i]) - stiffness(i - 1) * (now[i] - now[i - 1]);
            next[i] = 2.0 * now[i] - before[i] + pull;
        }
        (before, now) = (now, next);
    }
    to.weights.iter().zip(to.first as usize..).map(|(w, i)| w * now[i]).sum()
}

#[test]
fn sinc_weights_are_reciprocal() {
    let sinc = WindowedSinc::new(4, 4.0).unwrap();
    let (there, back) = (string(&sinc, 20.3, 61.8), string(&sinc, 61.8, 20.3));
    assert!(there.abs() > 1e-3 && (there / back - 1.0).abs() < 1e-10, "{there} {back}");
}

const SURFACE: Mirror = Mirror { half_spacings: 0, medium: Medium::Below, symmetry: Symmetry::Antisymmetric };

#[test]
fn images_cancel_at_the_plane() {
    let sinc = WindowedSinc::new(4, 4.0).unwrap();
    for half_spacings in [-3, 0, 8, 9] {
        for medium in [Medium::Below, Medium::Above] {
            let mirror = Mirror { half_spacings, medium, ..SURFACE };
            for points in [GridPoints::Whole, GridPoints::Half] {
                let taps = sinc.mirrored_taps(0.5 * half_spacings as f64, points, mirror).unwrap();
                assert!(taps.weights.iter().all(|&weight| weight == 0.0), "{mirror:?} {points:?} {taps:?}");
            }
        }
    }
}

#[test]
fn mirrored_weights_interpolate_mirrored_fields() {
    let sinc = WindowedSinc::new(4, 4.0).unwrap();
    for half_spacings in [-3_i64, 0, 8, 9] {
        let plane = 0.5 * half_spacings as f64;
        for (symmetry, field) in
            [(Symmetry::Antisymmetric, f64::sin as fn(f64) -> f64), (Symmetry::Symmetric, f64::cos as fn(f64) -> f64)]
        {
            for (medium, side) in [(Medium::Below, -1.0), (Medium::Above, 1.0)] {
                let mirror = Mirror { half_spacings, medium, symmetry };
                for (points, below) in [(GridPoints::Whole, 0.3), (GridPoints::Half, 1.4), (GridPoints::Whole, 6.2)] {
                    let position = plane + side * below;
                    let taps = sinc.mirrored_taps(position, points, mirror).unwrap();
                    let outermost = [taps.first, taps.first + taps.weights.len() as i64 - 1];
                    for i in outermost {
                        assert!(side * (i as f64 + points.offset() - plane) >= 0.0, "{mirror:?}: point {i}");
                    }
                    let wave = |x: f64| field(1.5 * (x - plane));
                    let difference = (value(&taps, points, wave) - wave(position)).abs();
                    assert!(difference < sinc.error(), "{mirror:?}: {difference}");
                }
            }
        }
    }
    // Far from the plane nothing changes.
    let far = sinc.mirrored_taps(-9.4, GridPoints::Half, SURFACE).unwrap();
    assert_eq!(far, sinc.taps(-9.4, GridPoints::Half).unwrap());
}

#[test]
fn requests_out_of_range_are_rejected() {
    for radius in [0, 11] {
        let message = WindowedSinc::new(radius, 4.0).unwrap_err().to_string();
        assert!(message.contains(&radius.to_string()) && message.contains("between 1 and 10"), "{message}");
    }
    let message = WindowedSinc::new(4, 2.0).unwrap_err().to_string();
    assert!(message.contains("points per wavelength is 2,") && message.contains("between 2.5 and 20"), "{message}");
    let sinc = WindowedSinc::new(4, 4.0).unwrap();
    assert!(sinc.taps(f64::NAN, GridPoints::Whole).is_err() && sinc.taps(1e7, GridPoints::Half).is_err());
    assert!(sinc.mirrored_taps(0.1, GridPoints::Whole, SURFACE).is_err());
    assert!(sinc.mirrored_taps(-0.1, GridPoints::Whole, Mirror { medium: Medium::Above, ..SURFACE }).is_err());
}

#[test]
fn smooth_weights_filter_out_the_shortest_waves() {
    let sinc = WindowedSinc::smooth();
    for place in [0.0, 0.1, 0.25, 0.5, 0.8] {
        let taps = sinc.taps(20.0 + place, GridPoints::Whole).unwrap();
        let response = |kh: f64| {
            let part = |of: fn(f64) -> f64| value(&taps, GridPoints::Whole, |i| of(kh * (i - 20.0 - place)));
            [part(f64::cos), part(f64::sin)]
        };
        for (points, limit) in [(6.0, 0.005), (8.0, 2e-3), (15.0, 1.2e-3)] {
            let [re, im] = response(TAU / points);
            assert!((re - 1.0).hypot(im) < limit, "{place} {points}: {re} {im}");
        }
        for (points, limit) in [(2.0, 0.02), (2.2, 0.02), (2.5, 0.03)] {
            let [re, im] = response(TAU / points);
            assert!(re.hypot(im) < limit, "{place} {points}: {re} {im}");
        }
    }
}
