//! The fields of a point mass.

use craton_device::Lanes;

/// The fields of a unit mass at an offset from the point, per unit of G.
#[inline(always)]
pub fn point_mass<V: Lanes<Scalar = f64>>(x: V, y: V, z: V) -> [V; 10] {
    let r2 = x.mul_add(x, y.mul_add(y, z * z));
    let over2 = r2.recip();
    let over = over2.sqrt();
    let over3 = over * over2;
    let three = V::constant(3.0) * over2;
    let [x3, y3, z3] = [x * over3, y * over3, z * over3];
    let [xt, yt, zt] = [x * three, y * three, z * three];
    [
        over,
        x3,
        y3,
        z3,
        xt.mul_add(x3, -over3),
        xt * y3,
        xt * z3,
        yt.mul_add(y3, -over3),
        yt * z3,
        zt.mul_add(z3, -over3),
    ]
}
