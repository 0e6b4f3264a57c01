//! One-dimensional tables of an element with at most `N` points and with `G` control nodes per axis.

use craton_device::Scalar;
use craton_numerics::gll::Gll;
use craton_numerics::lagrange;

/// Number of points along an axis for which kernels are compiled with constant loops: those of degree 4, the usual choice.
pub const CONSTANT: usize = 5;
/// Number of points along an axis of the largest elements. Kernels with this size have loops of variable length, and serve all other degrees: kernels of each degree
/// would take most of the compile time of the whole program.
pub const MOST: usize = 11;

/// The size of the kernel for a number of points along an axis: either this number or [`MOST`].
pub const fn size_of_kernel(points: usize) -> usize {
    if points == CONSTANT { CONSTANT } else { MOST }
}

/// Tables of the contractions along one axis, in the kernel's precision.
#[derive(Clone)]
pub struct Tables<T, const N: usize, const G: usize> {
    count: usize,
    /// Reference coordinate of each point.
    pub points: [T; N],
    /// `derivative[i][m]`: derivative of basis function m at point i.
    pub derivative: [[T; N]; N],
    /// `shape[i][a]`: shape function of control node a at point i.
    pub shape: [[T; G]; N],
    /// `shape_derivative[i][a]`: its derivative.
    pub shape_derivative: [[T; G]; N],
    /// Minus the quadrature weight of point (i, j, k), because forces are -K u; `[k][j][i]`.
    pub minus_weight: [[[T; N]; N]; N],
    /// Quadrature weight of each point.
    pub weight: [T; N],
    /// `short_waves[i][m]`: see [`short_waves`].
    pub short_waves: [[T; N]; N],
}

impl<T: Scalar, const N: usize, const G: usize> Tables<T, N, G> {
    /// Tables of the Gauss-Lobatto-Legendre points of a degree whose kernel has the size `N`; entries beyond the last point are 0.
    pub fn new(gll: &Gll) -> Self {
        let count = gll.points.len();
        assert_eq!(size_of_kernel(count), N, "a kernel of the degree");
        let derivative = lagrange::derivative_matrix(&gll.points);
        let control = control_points(G);
        let shapes: Vec<_> = gll.points.iter().map(|&x| lagrange::basis(&control, x)).collect();
        let slopes: Vec<_> = gll.points.iter().map(|&x| lagrange::basis_derivative(&control, x)).collect();
        let (points, weight) = (&gll.points, &gll.weights);
        let weight_of = |i: usize| weight.get(i).copied().unwrap_or(0.0);
        let of_pair = |i: usize, m: usize, value: &dyn Fn() -> f64| if i < count && m < count { value() } else { 0.0 };
        let of_control = |all: &[Vec<f64>], i: usize, a: usize| all.get(i).map_or(0.0, |values| values[a]);
        Self {
            count,
            points: std::array::from_fn(|i| T::from_f64(points.get(i).copied().unwrap_or(0.0))),
            derivative: table(|i, m| T::from_f64(of_pair(i, m, &|| derivative[i * count + m]))),
            shape: table(|i, a| T::from_f64(of_control(&shapes, i, a))),
            shape_derivative: table(|i, a| T::from_f64(of_control(&slopes, i, a))),
            minus_weight: std::array::from_fn(|k| {
                table(|j, i| T::from_f64(-weight_of(i) * weight_of(j) * weight_of(k)))
            }),
            weight: std::array::from_fn(|i| T::from_f64(weight_of(i))),
            short_waves: table(|i, m| T::from_f64(of_pair(i, m, &|| short_waves(gll, i, m)))),
        }
    }

    /// Number of points along an axis, a constant for kernels with constant loops.
    #[inline(always)]
    pub fn along(&self) -> usize {
        // The minimum bounds the indices of variable loops.
        if N == MOST { self.count.min(N) } else { N }
    }
}

/// Entry of the quadratic form of the two highest Legendre polynomials along a line: the weight at point i times the value there of the projection of basis function
/// m on them. The form is symmetric and positive; of degree 1 and 2, where these polynomials would include rigid motion, only the highest one or none counts.
pub fn short_waves(gll: &Gll, i: usize, m: usize) -> f64 {
    let lowest = gll.degree.saturating_sub(1).max(2);
    let of_degree = |degree: usize| {
        let value = |at: usize| gll.weights[at] * legendre(degree, gll.points[at]);
        let square: f64 = (0..gll.points.len()).map(|at| value(at) * legendre(degree, gll.points[at])).sum();
        value(i) * value(m) / square
    };
    (lowest..=gll.degree).map(of_degree).sum()
}

/// Legendre polynomial of a degree at x.
fn legendre(degree: usize, x: f64) -> f64 {
    let (mut before, mut value) = (0.0, 1.0);
    for n in 1..=degree {
        let n = n as f64;
        (before, value) = (value, ((2.0 * n - 1.0) * x * value - (n - 1.0) * before) / n);
    }
    value
}

/// Reference coordinates of `count` (2 or 3) control nodes on an axis.
pub fn control_points(count: usize) -> Vec<f64> {
    (0..count).map(|a| -1.0 + 2.0 * a as f64 / (count - 1) as f64).collect()
}

fn table<T, const A: usize, const B: usize>(entry: impl Fn(usize, usize) -> T) -> [[T; A]; B] {
    std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column)))
}
