//! Averages of solids in a cell that interfaces cut: orthorhombic, with the axes of the grid.

/// Stiffness of an orthorhombic solid whose axes are x, y, z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Orthorhombic {
    /// Normal stress along a from the normal strain along b, `[a][b]`, symmetric [Pa].
    pub normal: [[f64; 3]; 3],
    /// Shear moduli yz, xz, xy [Pa].
    pub shear: [f64; 3],
}

impl Orthorhombic {
    /// An isotropic solid.
    ///
    /// # Arguments
    /// * `lambda`, `mu` – λ and μ [Pa]
    pub fn isotropic(lambda: f64, mu: f64) -> Self {
        let entry = |a: usize, b: usize| if a == b { lambda + 2.0 * mu } else { lambda };
        Self { normal: [0, 1, 2].map(|a| [0, 1, 2].map(|b| entry(a, b))), shear: [mu; 3] }
    }

    /// The long-wavelength equivalent medium of a stack of thin layers (Backus average).
    ///
    /// # Arguments
    /// * `axis` – normal to the layers
    /// * `layers` – share or thickness, and stiffness, of each; at least one, with a positive sum of thicknesses
    /// # Source
    /// Backus (1962), Journal of Geophysical Research 67, 4427-4440; Schoenberg & Muir (1989), Geophysics 54, 581-589. Verified by
    /// `a_stack_of_layers_is_that_of_backus`.
    pub fn laminate(axis: usize, layers: &[(f64, Self)]) -> Self {
        let whole: f64 = layers.iter().map(|(part, _)| part).sum();
        let mean = |of: &dyn Fn(&Self) -> f64| layers.iter().map(|(part, own)| part * of(own)).sum::<f64>() / whole;
        let stiff = 1.0 / mean(&|own| 1.0 / own.normal[axis][axis]);
        let ratio = [0, 1, 2].map(|b| mean(&|own| own.normal[axis][b] / own.normal[axis][axis]));
        // Stiffness for strain along the layers at zero stress across them.
        let along = |own: &Self, a: usize, b: usize| {
            own.normal[a][b] - own.normal[axis][a] * own.normal[axis][b] / own.normal[axis][axis]
        };
        let entry = |a: usize, b: usize| match (a == axis, b == axis) {
            (true, true) => stiff,
            (true, false) => stiff * ratio[b],
            (false, true) => stiff * ratio[a],
            (false, false) => mean(&|own| along(own, a, b)) + stiff * ratio[a] * ratio[b],
        };
        let shear = |plane: usize| match plane == axis {
            // The plane of the layers.
            true => mean(&|own| own.shear[plane]),
            false => 1.0 / mean(&|own| 1.0 / own.shear[plane]),
        };
        Self { normal: [0, 1, 2].map(|a| [0, 1, 2].map(|b| entry(a, b))), shear: [0, 1, 2].map(shear) }
    }

    /// The mean of two stiffnesses.
    pub fn mean(&self, other: &Self) -> Self {
        let half = |a: f64, b: f64| 0.5 * (a + b);
        Self {
            normal: [0, 1, 2].map(|a| [0, 1, 2].map(|b| half(self.normal[a][b], other.normal[a][b]))),
            shear: [0, 1, 2].map(|plane| half(self.shear[plane], other.shear[plane])),
        }
    }

    /// Product of the inverse normal stiffness of an isotropic solid and the normal stiffness of this one, row by row [–].
    ///
    /// # Arguments
    /// * `lambda`, `mu` – λ and μ of the isotropic solid [Pa]
    pub fn mixing(&self, lambda: f64, mu: f64) -> [f64; 9] {
        let share = lambda / (3.0 * lambda + 2.0 * mu);
        std::array::from_fn(|entry| {
            let (a, b) = (entry / 3, entry % 3);
            let sum: f64 = self.normal.iter().map(|row| row[b]).sum();
            (self.normal[a][b] - share * sum) / (2.0 * mu)
        })
    }
}
