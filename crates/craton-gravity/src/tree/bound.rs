//! Truncation error of an expansion.
//!
//! The part of degree l of a mass at s is s^l P_l(cos γ)/r^(l + 1). Its value, its gradient and its second derivatives (Frobenius norm) are largest on the
//! axis: s^l times 1/r^(l + 1), (l + 1)/r^(l + 2), √6 (l + 1)(l + 2)/2/r^(l + 3). For a sum over masses, s^l is replaced by its mean. Alternatively it can be
//! replaced by the norm N_l of [`super::solid::Solid::norms`], by the Cauchy-Schwarz inequality with the derivatives of the harmonics. By symmetry about the
//! axis, their products summed over m are diagonal: for the gradient (l + 1)², l(l + 1)/2 twice; for the trace-free second derivatives 3/2 (l + 1)²(l + 2)²,
//! l(l + 1)(l + 2)² and (l - 1)l(l + 1)(l + 2)/4, twice each. The first is the largest in each case and equals the square of the factor above.
//!
//! The truncation error of degrees p + 1 to L = [`DEGREE`] is therefore at most the sum of their N_l terms. That of all higher degrees is at most a geometric
//! series, because a mean power of degree l > L is at most that of degree L times radius^(l - L).
//!
//! A dipole m has m · ∇ of s^l P_l instead of s^l P_l. By the same argument, its part of degree l is at most l |m| s^(l - 1) times the same factors: summed
//! over m, the products of the derivatives of the harmonics along s and across it are l² and, twice, l(l + 1)/2.

use super::moments::DEGREE;
use super::node::Node;

/// Kinds of fields: potential, attraction, tensor.
pub const KINDS: usize = 3;

/// Errors of the potential, the length of the attraction, and the norm of the tensor.
pub type Errors = [f64; KINDS];

/// An expansion that is accurate enough to replace the prisms of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accepted {
    /// Its highest degree.
    pub order: usize,
    /// Bound of its truncation error, per unit of G times the mass of the node.
    pub errors: Errors,
}

/// √6: the norm of the tensor of a point mass, in units of 1/r³.
pub const POINT_TENSOR: f64 = 2.449_489_742_783_178;

/// Largest field of degree l of each kind, in units of s^l/r^(l + kind + 1).
#[inline(always)]
pub fn factors(l: usize) -> Errors {
    let l = l as f64;
    [1.0, l + 1.0, 0.5 * POINT_TENSOR * (l + 1.0) * (l + 2.0)]
}

/// The lowest order whose truncation error is at most `allowed` at points at least `distance` from the centre of the node; `None` if no order suffices.
///
/// # Arguments
/// * `sources` – order of the sources: 0 for masses, 1 for dipoles
/// * `allowed` – per unit of G times the mass of the node: [1/m], [1/m²], [1/m³]
pub fn accept(node: &Node, sources: usize, distance: f64, allowed: &Errors) -> Option<Accepted> {
    if node.radius >= distance {
        return None;
    }
    // In units of 1/r^(kind + 1).
    let scales = [distance, distance * distance, distance * distance * distance];
    let ratio = node.radius / distance;
    let mut powers = [1.0; DEGREE + 1];
    for l in 1..=DEGREE {
        powers[l] = powers[l - 1] * ratio;
    }
    let series = if sources == 0 { beyond(ratio) } else { beyond_of_dipoles(ratio) };
    let mut errors = series.map(|series| series * node.power * powers[DEGREE]);
    let is_kept = |errors: &Errors| (0..KINDS).all(|kind| errors[kind] <= allowed[kind] * scales[kind]);
    if !is_kept(&errors) {
        return None;
    }
    let mut order = DEGREE;
    while order > 0 {
        let factors = factors(order);
        let more = std::array::from_fn(|kind| errors[kind] + factors[kind] * node.norms[order] * powers[order]);
        if !is_kept(&more) {
            break;
        }
        errors = more;
        order -= 1;
    }
    Some(Accepted { order, errors: std::array::from_fn(|kind| errors[kind] / scales[kind]) })
}

/// Sums over l > L of the factors times ratio^(l - L).
fn beyond(ratio: f64) -> Errors {
    let (n, over) = (DEGREE as f64, 1.0 / (1.0 - ratio));
    let once = ratio * over;
    let second = 0.5 * (n + 1.0) * (n + 2.0) * once + (n + 2.0) * once * over + once * once * over;
    [once, (n + 1.0) * once + once * over, POINT_TENSOR * second]
}

/// Sums over l > L of l times the factors times ratio^(l - L), for dipoles. The terms l times the factors are l, 2 C(l + 1, 2) and 3 √6 C(l + 2, 3), with
/// binomial coefficients C; in the code, n = L.
fn beyond_of_dipoles(ratio: f64) -> Errors {
    let (n, over) = (DEGREE as f64, 1.0 / (1.0 - ratio));
    let first = ratio * over;
    let [second, third, fourth] = [first * over, first * first * over, first * first * first * over];
    let pairs = 0.5 * n * (n + 1.0) * first + (n + 1.0) * second + third;
    let triples =
        n * (n + 1.0) * (n + 2.0) / 6.0 * first + 0.5 * (n + 1.0) * (n + 2.0) * second + (n + 2.0) * third + fourth;
    [n * first + second, 2.0 * pairs, 3.0 * POINT_TENSOR * triples]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_high_degrees_are_those_of_their_terms() {
        for ratio in [0.01, 0.3, 0.6, 0.9] {
            let mut sums = [[0.0; KINDS]; 2];
            for l in DEGREE + 1..2000 {
                let power = f64::powi(ratio, (l - DEGREE) as i32);
                for kind in 0..KINDS {
                    sums[0][kind] += factors(l)[kind] * power;
                    sums[1][kind] += l as f64 * factors(l)[kind] * power;
                }
            }
            for (sums, closed) in sums.into_iter().zip([beyond(ratio), beyond_of_dipoles(ratio)]) {
                for (sum, closed) in sums.into_iter().zip(closed) {
                    assert!((sum / closed - 1.0).abs() < 1e-12, "{sum} instead of {closed} for {ratio}");
                }
            }
        }
    }
}
