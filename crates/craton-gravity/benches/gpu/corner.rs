//! The textbook sum over the eight corners of a prism (Nagy 1966; Nagy, Papp and Benedek 2000), as a baseline for comparison: term by term, as it is usually
//! programmed, with z downwards, so that the logarithms do not cancel for bodies below the points.

use craton_gravity::{GRAVITATIONAL_CONSTANT, Prism};

/// Attraction and tensor in the order of `Fields`, without the potential.
pub const NINE: usize = 9;

macro_rules! corner_form {
    ($name:ident, $real:ty) => {
        /// Attraction [m/s²] and tensor [1/s²] of a prism at a point, without the factor G times density, all in one precision.
        fn $name(prism: &Prism, point: [f64; 3]) -> [f64; NINE] {
            let [x, y, z] = point.map(|value| value as $real);
            let east = [prism.west as $real - x, prism.east as $real - x];
            let north = [prism.south as $real - y, prism.north as $real - y];
            let down = [z - prism.top as $real, z - prism.bottom as $real];
            let mut sums: [$real; NINE] = [0.0; NINE];
            for corner in 0..8 {
                let [i, j, k] = [corner & 1, corner >> 1 & 1, corner >> 2];
                let sign: $real = if (i + j + k) % 2 == 1 { 1.0 } else { -1.0 };
                let (u, v, w) = (east[i], north[j], down[k]);
                let r = (u * u + v * v + w * w).sqrt();
                let [log_u, log_v, log_w] = [(u + r).ln(), (v + r).ln(), (w + r).ln()];
                let angle = |a: $real, b: $real, c: $real| (b * c).atan2(a * r);
                let [angle_u, angle_v, angle_w] = [angle(u, v, w), angle(v, u, w), angle(w, u, v)];
                let terms = [
                    u * angle_u - v * log_w - w * log_v,
                    v * angle_v - u * log_w - w * log_u,
                    u * log_v + v * log_u - w * angle_w,
                    -angle_u,
                    log_w,
                    -log_v,
                    -angle_v,
                    -log_u,
                    -angle_w,
                ];
                sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += sign * term);
            }
            sums.map(f64::from)
        }
    };
}

corner_form!(single, f32);
corner_form!(double, f64);

/// Attraction and tensor of prisms at a point: pairs in single precision, their sum in double.
pub fn sum(prisms: &[Prism], point: [f64; 3]) -> [f64; NINE] {
    sum_by(single, prisms, point)
}

/// The same with pairs in double precision, which checks the formulae.
pub fn sum_in_double(prisms: &[Prism], point: [f64; 3]) -> [f64; NINE] {
    sum_by(double, prisms, point)
}

fn sum_by(pair: fn(&Prism, [f64; 3]) -> [f64; NINE], prisms: &[Prism], point: [f64; 3]) -> [f64; NINE] {
    let mut total = [0.0; NINE];
    for prism in prisms {
        let scale = GRAVITATIONAL_CONSTANT * prism.density;
        total.iter_mut().zip(pair(prism, point)).for_each(|(total, value)| *total += scale * value);
    }
    total
}
