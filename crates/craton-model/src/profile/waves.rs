//! Bounds of the extreme wave speeds of media within ranges.

use craton_physics::Love;

use crate::Transverse;

/// The change of a property.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Change {
    /// Multiplication by a factor in a range.
    Factor([f64; 2]),
    /// Replacement by a value in a range.
    Value([f64; 2]),
}

impl Change {
    /// Range of a positive property after the change.
    pub fn of(self, [low, high]: [f64; 2]) -> [f64; 2] {
        match self {
            Self::Factor([least, most]) => [least * low, most * high],
            Self::Value(range) => range,
        }
    }

    /// Upper bounds of a property after the change, of its difference between two ends, and of its deviation from the straight line between
    /// them.
    fn bounds(self, most: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Factor([_, factor]) => most.map(|value| factor * value),
            Self::Value([_, value]) => [value, 0.0, 0.0],
        }
    }
}

/// Changes of the speeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Changes {
    pub vp: Change,
    pub vs: Change,
    /// Change of vph, if different; `vp` then applies to vpv only.
    pub vph: Option<Change>,
    /// Change of vsh, if different; `vs` then applies to vsv only.
    pub vsh: Option<Change>,
}

impl Changes {
    const UNCHANGED: Change = Change::Factor([1.0; 2]);

    /// No changes.
    pub const NONE: Self = Self { vp: Self::UNCHANGED, vs: Self::UNCHANGED, vph: None, vsh: None };

    /// Whether the two polarisations change differently.
    pub fn splits_polarisations(&self) -> bool {
        self.vph.is_some() || self.vsh.is_some()
    }

    /// Change of each property.
    fn of_each(&self) -> Transverse<Change> {
        let Self { vp, vs, vph, vsh } = *self;
        let (vph, vsh) = (vph.unwrap_or(vp), vsh.unwrap_or(vs));
        Transverse { vpv: vp, vph, vsv: vs, vsh, eta: Self::UNCHANGED, rho: Self::UNCHANGED }
    }

    /// All combinations of range ends of the changes, as 0 or 1 for each property. Properties with a common change are at the same end.
    fn ends(&self) -> impl Iterator<Item = Transverse<usize>> {
        let apart = [Some(self.vp), Some(self.vs), self.vph, self.vsh];
        let two = apart.map(|change| matches!(change, Some(Change::Factor([a, b]) | Change::Value([a, b])) if a != b));
        let (vph, vsh) = (if self.vph.is_some() { 2 } else { 0 }, if self.vsh.is_some() { 3 } else { 1 });
        (0..16_usize).filter(move |corner| (0..4).all(|bit| corner >> bit & 1 == 0 || two[bit])).map(move |corner| {
            let end = |bit: usize| corner >> bit & 1;
            Transverse { vpv: end(0), vph: end(vph), vsv: end(1), vsh: end(vsh), eta: 0, rho: 0 }
        })
    }
}

/// Media between two heights.
pub(crate) struct Interval {
    /// Properties at its ends.
    pub ends: [Transverse; 2],
    /// Ranges of all properties.
    pub ranges: Transverse<[f64; 2]>,
    /// Upper bound of the deviation of each property from the straight line between its ends.
    pub sags: Transverse,
}

impl Interval {
    /// Upper bound of the deviation of v² from the straight line between the ends \[m²/s²\], after changes.
    ///
    /// A product of x and y, which change by Δx and Δy and deviate from their lines by δx and δy, deviates from its own by at most |Δx Δy|
    /// / 4 + |x| δy + |y| δx + δx δy.
    fn sag(&self, each: Transverse<Change>) -> f64 {
        let product = |[x, change_x, sag_x]: [f64; 3], [y, change_y, sag_y]: [f64; 3]| {
            0.25 * change_x * change_y + x * sag_y + y * sag_x + sag_x * sag_y
        };
        let [first, second] = self.ends;
        let changes = first.join(second, |first, second| (first - second).abs());
        let of = self
            .ranges
            .join(changes, |range, change| [range[1], change])
            .join(self.sags, |[most, change], sag| [most, change, sag])
            .join(each, |most, change| change.bounds(most));
        // Speeds are positive, so a square changes by at most twice the largest speed times the change of speed.
        let square = |v: [f64; 3]| [v[0] * v[0], 2.0 * v[0] * v[1], product(v, v)];
        let [a, c, l, n] = [of.vph, of.vpv, of.vsv, of.vsh].map(square);
        let difference: [f64; 3] = std::array::from_fn(|i| a[i] + 2.0 * l[i]);
        a[2] + c[2] + l[2] + n[2] + 0.5 * product(of.eta, difference)
    }
}

/// Upper bound of the speed of the slowest wave of media within ranges.
fn greatest_slowest(ranges: Transverse<[f64; 2]>) -> f64 {
    let Transverse { vpv, vph, vsv, vsh, eta, .. } = ranges;
    let [a, c, l, n] = [vph, vpv, vsv, vsh].map(squared);
    let differences = [a[0] - 2.0 * l[1], a[1] - 2.0 * l[0]];
    let bends = [differences[0] * eta[0], differences[0] * eta[1], differences[1] * eta[0], differences[1] * eta[1]];
    let (least, most) = bends.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), f| (a.min(f), b.max(f)));
    let stiffest = Love { a: a[1], c: c[1], f: 0.5 * (least + most), l: l[1], n: n[1] };
    let inside = (stiffest.slowest(1.0).powi(2) + 0.25 * (most - least)).sqrt();
    // NaN if the stiffest medium is not a valid solid; then only the waves along and across the axis are bounded.
    inside.min(l[1].min(n[1]).sqrt())
}

/// The squares of a range of speeds.
fn squared(range: [f64; 2]) -> [f64; 2] {
    range.map(|value| value * value)
}

/// Bounds of the extreme wave speeds of a set of media \[m/s\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Waves {
    /// Lower and upper bound of the speed of the slowest wave.
    pub slowest: [f64; 2],
    /// Upper bound of the speed of the fastest wave.
    pub fastest: f64,
}

impl Waves {
    /// Bounds for isotropic media.
    pub fn isotropic(ranges: &Transverse<[f64; 2]>, changes: &Changes) -> Self {
        let vp = changes.vp.of(ranges.vpv);
        let slowest = if ranges.vsv[1] == 0.0 { vp } else { changes.vs.of(ranges.vsv) };
        Self { slowest, fastest: vp[1] }
    }

    /// Bounds for an interval of media that are anisotropic, or become so by the changes.
    ///
    /// v² of a plane wave is a quadratic form of its polarisation, linear in the density-normalised moduli a, c, f, l, n. So the minimum
    /// over directions is a concave function of the moduli and the maximum a convex one. f = η (a - 2 l) is linear in the squares of the
    /// factors or values of each speed. So along straight lines between the ends of the interval both are extreme at an end, with extreme
    /// changes. The moduli deviate from these lines to second order in the length of the interval ([`Interval::sag`]).
    ///
    /// The upper bound of the slowest wave follows from two estimates: it is below vsv and vsh, and at most the value for the largest a, c,
    /// l, n with f at the centre of its range, plus the effect of half the range of f, where |nₓ n_z gₓ g_z| ≤ 1/4. Verified by
    /// `bounds_contain_every_medium_and_converge` and `long_spans_are_bounded_closely_where_polarisations_differ`.
    pub fn transverse(interval: &Interval, changes: &Changes) -> Self {
        let each = changes.of_each();
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for end in interval.ends {
            let ranges = end.join(each, |value, change| change.of([value; 2]));
            for ends in changes.ends() {
                let Transverse { vpv, vph, vsv, vsh, eta, .. } = ranges.join(ends, |range, end| range[end]);
                let love = Love::from_speeds([vpv, vph], [vsv, vsh], eta, 1.0);
                let slowest = love.slowest(1.0);
                // Changes that make an invalid solid give NaN; the slowest wave then has no lower bound.
                least = if slowest.is_nan() { 0.0 } else { least.min(slowest) };
                most = most.max(love.fastest(1.0));
            }
        }
        let sag = interval.sag(each);
        let greatest = greatest_slowest(interval.ranges.join(each, |range, change| change.of(range)));
        Self { slowest: [(least * least - sag).max(0.0).sqrt(), greatest], fastest: (most * most + sag).sqrt() }
    }

    /// Bounds for both sets of media.
    pub fn and(self, other: Self) -> Self {
        Self {
            slowest: [self.slowest[0].min(other.slowest[0]), self.slowest[1].max(other.slowest[1])],
            fastest: self.fastest.max(other.fastest),
        }
    }
}
