//! Channel codes.

use super::*;
use craton_formats::miniseed::{band_code, synthetic_channel};

#[test]
fn the_channel_follows_the_interval() {
    for (interval, band) in [
        (1e-4, 'J'),
        (2e-4, 'J'),
        (0.0005, 'F'),
        (0.001, 'F'),
        (0.002, 'C'),
        (0.004, 'C'),
        (0.01, 'H'),
        (0.0125, 'H'),
        (1.0 / 80.0, 'H'),
        (0.05, 'B'),
        (0.1, 'B'),
        (0.11, 'M'),
        (0.5, 'M'),
        (0.999, 'M'),
        (1.0, 'L'),
        (2.0, 'L'),
        (10.0, 'V'),
        (100.0, 'U'),
        (1000.0, 'U'),
        (2000.0, 'R'),
        (1e5, 'P'),
        (1e6, 'T'),
        (2e6, 'Q'),
    ] {
        assert_eq!(band_code(interval), band, "{interval}");
    }
    let channels = [(0.05, 'Z'), (1.0, 'Z'), (0.2, 'E')].map(|(interval, axis)| synthetic_channel(interval, axis));
    assert_eq!(channels, ["BXZ", "LXZ", "MXE"]);
}

#[test]
fn the_name_of_a_trace_has_all_its_codes() {
    assert_eq!(wave(1.0, 1).id(), "CT.CRTN.00.BHZ");
    assert_eq!(MiniSeedTrace { location: String::new(), ..wave(1.0, 1) }.id(), "CT.CRTN..BHZ");
}
