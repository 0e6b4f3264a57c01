//! Tests that need private fields.

use craton_testkit::devices;

use super::bodies::RUN;
use super::*;
use crate::{Field, Prism};

#[test]
fn results_are_bit_identical_when_spans_are_split_over_devices() {
    let Some(gpus) = devices::gpus(3) else { return };
    let cell = |n: usize| {
        let [x, y] = [n % 40, n / 40].map(|number| 30.0 * number as f64);
        Prism { west: x, east: x + 30.0, south: y, north: y + 30.0, bottom: -90.0, top: -5.0, density: 9.0 * n as f64 }
    };
    // Five spans of one run each, the last one short.
    let prisms = Prisms::new((0..4 * RUN + 100).map(cell)).expect("sound prisms");
    let points = Points::new((0..7).map(|n| [170.0 * f64::from(n), 400.0, 2.0])).expect("sound points");
    let devices: Vec<GpuPrisms> = gpus
        .iter()
        .map(|gpu| GpuPrisms(GpuBodies { span: 1, ..GpuPrisms::new(gpu, &prisms).expect("a device that works").0 }))
        .collect();
    let fields = Fields::from_iter([Field::North, Field::UpUp]);
    for precision in [Precision::Double, Precision::Single] {
        let sums = |count: usize| {
            let sums = GpuPrisms::forward_on(&devices[..count], &points, fields, precision, &|| true);
            sums.expect("devices that work").expect("never cancelled")
        };
        let [one, two, three] = [1, 2, 3].map(sums);
        assert!(one.get(Field::North).expect("a requested field").iter().all(|value| *value != 0.0));
        assert_eq!([&two, &three], [&one; 2], "{precision:?}");
        let stopped = GpuPrisms::forward_on(&devices, &points, fields, precision, &|| false);
        assert_eq!(stopped.expect("devices that work"), None);
    }
}
