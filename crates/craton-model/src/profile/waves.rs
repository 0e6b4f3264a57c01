//! Speeds of the slowest and the fastest wave among media within ranges.

use craton_physics::Love;

use crate::Transverse;

/// What becomes of a property.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Change {
    /// It is multiplied by what lies in a range.
    Factor([f64; 2]),
    /// It is replaced by what lies in a range.
    Value([f64; 2]),
}

impl Change {
    /// The range of a positive property that was changed.
    pub fn of(self, [low, high]: [f64; 2]) -> [f64; 2] {
        match self {
            Self::Factor([least, most]) => [least * low, most * high],
            Self::Value(range) => range,
        }
    }
}

/// What becomes of the speeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Changes {
    pub vp: Change,
    pub vs: Change,
}

impl Changes {
    /// All stays as it is.
    pub const NONE: Self = Self { vp: Change::Factor([1.0; 2]), vs: Change::Factor([1.0; 2]) };
}

/// Media between two heights.
pub(crate) struct Stretch {
    /// The media at its ends.
    pub ends: [Transverse; 2],
    /// Ranges of all properties.
    pub ranges: Transverse<[f64; 2]>,
    /// At least how far each property leaves the straight line between its ends.
    pub sags: Transverse,
}

impl Stretch {
    /// How far v² may leave a straight line between the ends \[m²/s²\], for the squared factors `p` and `s`.
    ///
    /// A product of x and y, which change by Δx and Δy and leave their lines by δx and δy, leaves its own by at most
    /// |Δx Δy| / 4 + |x| δy + |y| δx + δx δy.
    fn sag(&self, p: f64, s: f64) -> f64 {
        let product = |[x, change_x, sag_x]: [f64; 3], [y, change_y, sag_y]: [f64; 3]| {
            0.25 * change_x * change_y + x * sag_y + y * sag_x + sag_x * sag_y
        };
        let [first, second] = self.ends;
        let changes = first.join(second, |first, second| (first - second).abs());
        let of = self
            .ranges
            .join(changes, |range, change| [range[1], change])
            .join(self.sags, |[most, change], sag| [most, change, sag]);
        // Speeds are positive: a square changes by at most twice the greatest speed times the speed's change.
        let square = |v: [f64; 3]| [v[0] * v[0], 2.0 * v[0] * v[1], product(v, v)];
        let [a, c, l, n] = [of.vph, of.vpv, of.vsv, of.vsh].map(square);
        let difference: [f64; 3] = std::array::from_fn(|i| p * a[i] + 2.0 * s * l[i]);
        p * (a[2] + c[2]) + s * (l[2] + n[2]) + 0.5 * product(of.eta, difference)
    }

    /// At least the greatest speed of the slowest wave, for ranges of the squared factors.
    fn greatest_slowest(&self, p: [f64; 2], s: [f64; 2]) -> f64 {
        let Transverse { vpv, vph, vsv, vsh, eta, .. } = self.ranges;
        let [a, c, l, n] = [vph, vpv, vsv, vsh].map(squared);
        let differences = [p[0] * a[0] - 2.0 * s[1] * l[1], p[1] * a[1] - 2.0 * s[0] * l[0]];
        let bends =
            [differences[0] * eta[0], differences[0] * eta[1], differences[1] * eta[0], differences[1] * eta[1]];
        let (least, most) =
            bends.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), f| (a.min(f), b.max(f)));
        let f = 0.5 * (least + most);
        let stiffest = Love { a: p[1] * a[1], c: p[1] * c[1], f, l: s[1] * l[1], n: s[1] * n[1] };
        let inside = (stiffest.slowest(1.0).powi(2) + 0.25 * (most - least)).sqrt();
        // Not a number where the stiffest is no solid: then only the waves along and across the axis are known.
        inside.min((s[1] * l[1].min(n[1])).sqrt())
    }
}

/// The squares of a range of speeds or factors.
fn squared(range: [f64; 2]) -> [f64; 2] {
    range.map(|value| value * value)
}

/// Speeds of the extreme waves of some media \[m/s\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Waves {
    /// At most and at least the speed that the slowest wave has in any of them.
    pub slowest: [f64; 2],
    /// At least the speed of the fastest wave of all of them.
    pub fastest: f64,
}

impl Waves {
    /// Of isotropic media.
    pub fn isotropic(ranges: &Transverse<[f64; 2]>, changes: &Changes) -> Self {
        let vp = changes.vp.of(ranges.vpv);
        let slowest = if ranges.vsv[1] == 0.0 { vp } else { changes.vs.of(ranges.vsv) };
        Self { slowest, fastest: vp[1] }
    }

    /// Of a stretch of media with a direction, whose speeds may be multiplied but not replaced.
    ///
    /// v² of a plane wave is a quadratic form of its polarisation, linear in the moduli over density a, c, f, l, n, so the least
    /// over directions is concave in them and the greatest is convex; f = η (a - 2 l) is linear in the squared factors of all P
    /// and of all S waves. So on straight lines between the ends of the stretch both are extreme at an end, with the extreme
    /// factors, and the moduli leave these lines by the square of the stretch's length ([`Stretch::sag`]).
    ///
    /// The greatest speed of the slowest wave lies between: it is below vsv and vsh, and below its value for the greatest a, c,
    /// l, n with f half way, by what f may add to it: half of its distance to an end, as |nₓ n_z gₓ g_z| ≤ 1/4.
    /// Verified by `bounds_hold_every_medium_and_close_in`.
    pub fn transverse(stretch: &Stretch, changes: &Changes) -> Self {
        let (p, s) = (squared(changes.vp.of([1.0; 2])), squared(changes.vs.of([1.0; 2])));
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for end in stretch.ends {
            for (p, s) in [(p[0], s[0]), (p[1], s[1]), (p[0], s[1]), (p[1], s[0])] {
                let Transverse { vpv, vph, vsv, vsh, eta, .. } = end;
                let love =
                    Love::from_speeds([vpv, vph].map(|v| v * p.sqrt()), [vsv, vsh].map(|v| v * s.sqrt()), eta, 1.0);
                let slowest = love.slowest(1.0);
                // Factors that make no solid leave no speed: then nothing is known of the slowest wave.
                least = if slowest.is_nan() { 0.0 } else { least.min(slowest) };
                most = most.max(love.fastest(1.0));
                if changes == &Changes::NONE {
                    break;
                }
            }
        }
        let sag = stretch.sag(p[1], s[1]);
        let greatest = stretch.greatest_slowest(p, s);
        Self { slowest: [(least * least - sag).max(0.0).sqrt(), greatest], fastest: (most * most + sag).sqrt() }
    }

    /// Of all media whose properties lie within ranges.
    ///
    /// The least v² over directions is concave in each of a, c, l, n and η, the greatest convex (see [`Waves::transverse`]): both are extreme where each is at an end.
    pub fn within(ranges: &Transverse<[f64; 2]>) -> Self {
        let (mut slowest, mut fastest) = (f64::INFINITY, 0.0_f64);
        for corner in 0..32_usize {
            let ends = Transverse { vpv: 0, vph: 1, vsv: 2, vsh: 3, eta: 4, rho: 0 };
            let Transverse { vpv, vph, vsv, vsh, eta, .. } = ranges.join(ends, |range, bit| range[corner >> bit & 1]);
            let love = Love::from_speeds([vpv, vph], [vsv, vsh], eta, 1.0);
            let least = love.slowest(1.0);
            // As above, no solid leaves no speed.
            slowest = if least.is_nan() { 0.0 } else { slowest.min(least) };
            fastest = fastest.max(love.fastest(1.0));
        }
        Self { slowest: [slowest, ranges.vsv[1].min(ranges.vsh[1])], fastest }
    }

    /// Of both.
    pub fn and(self, other: Self) -> Self {
        Self {
            slowest: [self.slowest[0].min(other.slowest[0]), self.slowest[1].max(other.slowest[1])],
            fastest: self.fastest.max(other.fastest),
        }
    }
}
