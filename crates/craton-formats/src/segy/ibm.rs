//! IBM hexadecimal floating point: sign, exponent of 16 (7 bits, excess 64), 24-bit fraction.

/// Bits of the significand of IEEE single precision, including the leading one.
const FRACTION_BITS: u32 = 24;
const SIGN: u32 = 1 << 31;
const FRACTION: u32 = (1 << FRACTION_BITS) - 1;

/// Exact value of an IBM number.
pub(super) fn to_f64(bits: u32) -> f64 {
    let exponent = 4 * (((bits & !SIGN) >> FRACTION_BITS) as i32 - 64) - FRACTION_BITS as i32;
    let power = f64::from_bits(((1023 + exponent) as u64) << 52);
    let magnitude = f64::from(bits & FRACTION) * power;
    if bits & SIGN == 0 { magnitude } else { -magnitude }
}

/// Converts a finite number to the nearest IBM number, ties to even.
///
/// There is no overflow or underflow. Up to three bits are lost because the leading digit is hexadecimal, a relative error of at most
/// 2^-21.
pub(super) fn from_f32(value: f32) -> u32 {
    let sign = value.to_bits() & SIGN;
    let magnitude = value.to_bits() & !SIGN;
    if magnitude == 0 {
        return sign;
    }
    // |value| = fraction / 2^24 * 2^exponent, 2^23 <= fraction < 2^24.
    let (biased, stored) = (magnitude >> 23, magnitude & 0x7F_FFFF);
    let leading = if biased == 0 { 0 } else { 1 << 23 };
    let unshifted: u32 = leading | stored;
    let shift = unshifted.leading_zeros() - (32 - FRACTION_BITS);
    let fraction = unshifted << shift;
    let exponent = biased.max(1) as i32 - 126 - shift as i32;
    let hexadecimal = (exponent + 3).div_euclid(4);
    let lost = (4 * hexadecimal - exponent) as u32;
    let rounded = round_to_even(fraction, lost);
    sign | ((hexadecimal + 64) as u32) << FRACTION_BITS | rounded
}

/// `value / 2^bits`, rounded to the nearest, ties to even.
fn round_to_even(value: u32, bits: u32) -> u32 {
    if bits == 0 {
        return value;
    }
    let quotient = value >> bits;
    let rest = value & ((1 << bits) - 1);
    let half = 1 << (bits - 1);
    let up = rest > half || (rest == half && quotient & 1 == 1);
    quotient + u32::from(up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_of_the_manual_are_converted() {
        for (bits, value) in [
            (0x4110_0000, 1.0),
            (0xC276_A000, -118.625),
            (0x4080_0000, 0.5),
            (0x0000_0000, 0.0),
            (0x8000_0000, -0.0),
            (0x60FF_FFFF, f32::MAX),
            (0x2140_0000, f32::MIN_POSITIVE),
        ] {
            assert_eq!((from_f32(value), to_f64(bits) as f32), (bits, value), "{value:e}");
            assert_eq!((to_f64(bits) as f32).is_sign_negative(), value.is_sign_negative());
        }
        assert_eq!(to_f64(0x7FFF_FFFF), 16_f64.powi(63) * (1.0 - 2_f64.powi(-24)));
        assert_eq!(to_f64(0x4000_0001), 2_f64.powi(-24));
    }

    #[test]
    fn ties_go_to_the_even_neighbour() {
        // 1 + 2^-21 lies halfway between 1 and 1 + 2^-20.
        assert_eq!(from_f32(1.0 + 2_f32.powi(-21)), 0x4110_0000);
        assert_eq!(from_f32(1.0 + 3.0 * 2_f32.powi(-21)), 0x4110_0002);
        assert_eq!(from_f32(1.0 + 2_f32.powi(-21) + 2_f32.powi(-22)), 0x4110_0001);
    }

    proptest! {
        #[test]
        fn every_finite_number_survives_a_round_trip(bits in any::<u32>()) {
            let value = f32::from_bits(bits);
            prop_assume!(value.is_finite());
            let back = to_f64(from_f32(value));
            // Half a unit of the last of 21 bits, relative to the leading one.
            prop_assert!((back - f64::from(value)).abs() <= 2_f64.powi(-21) * f64::from(value).abs(), "{value:e} {back:e}");
            prop_assert_eq!(back.is_sign_negative(), value.is_sign_negative());
            let neighbours = [from_f32(value) - 1, from_f32(value) + 1].map(to_f64);
            let nearest = neighbours.iter().all(|other| (other - f64::from(value)).abs() >= (back - f64::from(value)).abs());
            prop_assert!(from_f32(value) & FRACTION == 0 || nearest, "{value:e}");
        }

        #[test]
        fn a_number_exact_in_both_formats_is_kept(fraction in 0x10_0000_u32..0x100_0000, exponent in 40_u32..96, minus in any::<bool>()) {
            let bits = u32::from(minus) << 31 | exponent << 24 | fraction;
            prop_assert_eq!(from_f32(to_f64(bits) as f32), bits);
        }
    }
}
