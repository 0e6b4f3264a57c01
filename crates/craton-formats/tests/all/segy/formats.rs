//! Sample formats and byte orders.

use craton_formats::ByteOrder;
use craton_formats::segy::SampleFormat;
use proptest::prelude::*;

use crate::common::assert_refused;
use crate::segy::made::Made;

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

/// Code of a format, numbers, big-endian, and the samples that they give.
type Row = (i16, &'static [&'static [u8]], &'static [f32]);

/// Numbers of every format.
const NUMBERS: [Row; 13] = [
    (1, &[&[0xC2, 0x76, 0xA0, 0], &[0x40, 0x80, 0, 0]], &[-118.625, 0.5]),
    (2, &[&[0xFF, 0xFF, 0xFF, 0xFE], &[0x7F, 0xFF, 0xFF, 0xFF]], &[-2.0, 2_147_483_600.0]),
    (3, &[&[0xFF, 0xFE], &[0x80, 0], &[1, 2]], &[-2.0, -32_768.0, 258.0]),
    (5, &[&[0x3F, 0xC0, 0, 0], &[0xC2, 0xED, 0x40, 0]], &[1.5, -118.625]),
    (6, &[&[0xC0, 0x5D, 0xA8, 0, 0, 0, 0, 0], &[0x3F, 0xF8, 0, 0, 0, 0, 0, 1]], &[-118.625, 1.5]),
    (7, &[&[0xFF, 0xFF, 0xFE], &[0x80, 0, 0], &[1, 2, 3]], &[-2.0, -8_388_608.0, 66_051.0]),
    (8, &[&[0xFE], &[0x80], &[3]], &[-2.0, -128.0, 3.0]),
    (9, &[&[0xFF; 8], &[0x80, 0, 0, 0, 0, 0, 0, 0], &[0, 0, 0, 0, 0, 1, 2, 3]], &[-1.0, -9.223_372e18, 66_051.0]),
    (10, &[&[0xFF; 4], &[1, 2, 3, 0]], &[4_294_967_300.0, 16_909_056.0]),
    (11, &[&[0xFF, 0xFE], &[1, 2]], &[65_534.0, 258.0]),
    (12, &[&[0xFF; 8], &[0, 0, 0, 0, 0, 1, 2, 3]], &[1.844_674_4e19, 66_051.0]),
    (15, &[&[0xFF, 0xFF, 0xFE], &[1, 2, 3]], &[16_777_214.0, 66_051.0]),
    (16, &[&[0xFE], &[3]], &[254.0, 3.0]),
];

#[test]
fn every_format_is_read_in_either_byte_order() {
    for ((code, words, expected), order) in NUMBERS.into_iter().flat_map(|row| ORDERS.map(|order| (row, order))) {
        let format = SampleFormat::from_code(code).unwrap();
        assert_eq!((format.code(), format.bytes()), (code, words[0].len()));
        let plain = Made::new(order, code, words.len() as u16);
        let revision_2 = Made::revision_2(order, code, words.len() as u16);
        for mut made in [plain, revision_2] {
            made.trace(1, words).trace(1, words);
            let traces = made.traces().unwrap();
            assert_eq!(traces.len(), 2, "format {code}, {order:?}");
            assert!(traces.iter().all(|trace| trace.samples == expected), "format {code}, {order:?}: {traces:?}");
        }
    }
    for code in [0, 4, 13, 14, 17, -1] {
        assert_eq!(SampleFormat::from_code(code), None);
    }
}

#[test]
fn the_byte_order_is_reported_and_applies_to_all_headers() {
    for order in ORDERS {
        let mut made = Made::new(order, 5, 2);
        made.put(3255, &2_u16.to_be_bytes());
        made.trace(1, &[&[0; 4], &[0; 4]]).put_in_last(248, 181, &(-77_i32).to_be_bytes());
        let mut reader = made.open().unwrap();
        assert_eq!(reader.traces.order(), order);
        assert_eq!((reader.binary.measurement_system, reader.traces.interval()), (2, 0.002));
        assert_eq!(reader.traces.header(0).unwrap().cdp_x, -77);
        // The header of the trace decides where that of the file is empty.
        let mut bare = made.clone();
        bare.put(3221, &[0, 0]).put(3217, &[0, 0]);
        bare.put_in_last(248, 115, &[0, 2]).put_in_last(248, 117, &500_u16.to_be_bytes());
        let reader = bare.open().unwrap();
        assert_eq!((reader.traces.samples_per_trace(), reader.traces.interval()), (2, 0.0005));
    }
}

#[test]
fn the_constant_decides_the_byte_order() {
    let mut made = Made::revision_2(ByteOrder::Little, 5, 1);
    made.trace(1, &[&[0; 4]]);
    for (constant, said) in [
        ([2, 1, 4, 3], ["byte order (bytes 3297-3300) = 0x02010403", "`dd conv=swab`"]),
        ([3, 4, 1, 2], ["byte order (bytes 3297-3300) = 0x03040102", "swapped in pairs"]),
        ([1, 2, 3, 4], ["format (bytes 3225-3226) = 1280", "the file may not be SEG-Y"]),
    ] {
        let mut swapped = made.clone();
        swapped.bytes[3296..3300].copy_from_slice(&constant);
        assert_refused(swapped.open(), &said);
    }
    // Without a valid format too.
    made.put(3225, &[0, 17]);
    assert_refused(made.open(), &["format (bytes 3225-3226) = 17", "the file may not be SEG-Y"]);
}

#[test]
fn numbers_beyond_single_precision_are_refused() {
    for order in ORDERS {
        let mut made = Made::new(order, 6, 2);
        made.trace(1, &[&1.0_f64.to_be_bytes(), &1e39_f64.to_be_bytes()]);
        assert_refused(made.traces(), &["trace 1, sample 1 = 1e39", "fits into single precision"]);
    }
}

proptest! {
    #[test]
    fn numbers_of_24_and_64_bits_are_the_nearest_single_ones(
        (whole, double) in (-(1_i32 << 23)..1 << 23, prop::num::f64::NORMAL.prop_filter("fits", |x| x.abs() < 3e38)),
        little in any::<bool>(),
    ) {
        let order = ORDERS[usize::from(little)];
        let read = |format, word: &[u8]| Made::new(order, format, 1).trace(1, &[word]).traces().unwrap()[0].samples[0];
        prop_assert_eq!(read(7, &whole.to_be_bytes()[1..]), whole as f32);
        prop_assert_eq!(read(15, &whole.unsigned_abs().to_be_bytes()[1..]), whole.unsigned_abs() as f32);
        prop_assert_eq!(read(6, &double.to_be_bytes()), double as f32);
    }
}
