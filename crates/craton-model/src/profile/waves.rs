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

    /// Of media with a direction, whose speeds may be multiplied but not replaced.
    ///
    /// v² of a plane wave is a quadratic form of its polarisation, in the moduli over density a, c, l, n and f = η (a - 2 l). It
    /// is linear in each of a, c, l, n, η and in the squared factors of all P and all S waves, and never falls with c and n.
    /// The least of such forms over directions is concave in each, the greatest is convex: so both are extreme at corners of
    /// the ranges. The greatest speed of the slowest wave lies inside; it is below vsv and vsh, and below its value for the
    /// greatest a, c, l, n with f half way, by what f may add to it: half of its distance to an end, as |nₓ n_z gₓ g_z| ≤ 1/4.
    /// Verified by `bounds_hold_every_medium_and_close_in`.
    pub fn transverse(ranges: &Transverse<[f64; 2]>, changes: &Changes) -> Self {
        let squared = |range: [f64; 2]| range.map(|speed| speed * speed);
        let (p, s) = (squared(changes.vp.of([1.0; 2])), squared(changes.vs.of([1.0; 2])));
        let [a, c, l, n] = [ranges.vph, ranges.vpv, ranges.vsv, ranges.vsh].map(squared);
        let wide = [p, s, a, l, ranges.eta];
        let mut bounds = Self { slowest: [f64::INFINITY, 0.0], fastest: 0.0 };
        let mut bends = [f64::INFINITY, f64::NEG_INFINITY];
        for corner in 0..32 {
            let end = |bit: usize| corner >> bit & 1;
            if (0..5).any(|bit| end(bit) == 1 && wide[bit][0] == wide[bit][1]) {
                continue;
            }
            let [p, s, a, l, eta] = std::array::from_fn(|bit| wide[bit][end(bit)]);
            let bend = eta * (p * a - 2.0 * s * l);
            let love = |end: usize| Love { a: p * a, c: p * c[end], f: bend, l: s * l, n: s * n[end] };
            let slowest = love(0).slowest(1.0);
            // A corner that is no solid has no speed: then nothing is known of the slowest wave.
            bounds.slowest[0] = if slowest.is_nan() { 0.0 } else { bounds.slowest[0].min(slowest) };
            bounds.fastest = bounds.fastest.max(love(1).fastest(1.0));
            bends = [bends[0].min(bend), bends[1].max(bend)];
        }
        let [least, most] = bends;
        let stiffest = Love { a: p[1] * a[1], c: p[1] * c[1], f: 0.5 * (least + most), l: s[1] * l[1], n: s[1] * n[1] };
        let inside = (stiffest.slowest(1.0).powi(2) + 0.25 * (most - least)).sqrt();
        bounds.slowest[1] = inside.min((s[1] * l[1].min(n[1])).sqrt());
        bounds
    }

    /// Of both.
    pub fn and(self, other: Self) -> Self {
        Self {
            slowest: [self.slowest[0].min(other.slowest[0]), self.slowest[1].max(other.slowest[1])],
            fastest: self.fastest.max(other.fastest),
        }
    }
}
