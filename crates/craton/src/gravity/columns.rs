//! Fields of gravity as results: quantities with directions and units.

use craton_gravity::{Field, Fields};

use super::config::{Quantity, Units};

/// A field at all points.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The quantity.
    pub quantity: Quantity,
    /// Name with unit: `g_u_mgal`.
    pub name: String,
    /// Unit: `mGal`.
    pub unit: &'static str,
    /// One value per point.
    pub values: Vec<f64>,
}

/// The fields that the quantities require.
pub fn fields_of(quantities: &[Quantity]) -> Fields {
    quantities.iter().flat_map(|&quantity| made_of(quantity).iter().map(|&(field, _)| field)).collect()
}

/// The fields of a quantity, with signs.
fn made_of(quantity: Quantity) -> &'static [(Field, f64)] {
    use Field::*;
    match quantity {
        Quantity::Potential => &[(Potential, 1.0)],
        Quantity::GE => &[(East, 1.0)],
        Quantity::GN => &[(North, 1.0)],
        Quantity::GU => &[(Up, 1.0)],
        Quantity::GD => &[(Up, -1.0)],
        Quantity::GEe => &[(EastEast, 1.0)],
        Quantity::GEn => &[(EastNorth, 1.0)],
        Quantity::GEu => &[(EastUp, 1.0)],
        Quantity::GEd => &[(EastUp, -1.0)],
        Quantity::GNn => &[(NorthNorth, 1.0)],
        Quantity::GNu => &[(NorthUp, 1.0)],
        Quantity::GNd => &[(NorthUp, -1.0)],
        Quantity::GUu | Quantity::GDd => &[(UpUp, 1.0)],
        Quantity::GLength => &[(East, 1.0), (North, 1.0), (Up, 1.0)],
        Quantity::Invariant2 | Quantity::Invariant3 | Quantity::Dimensionality => {
            &[(EastEast, 1.0), (EastNorth, 1.0), (EastUp, 1.0), (NorthNorth, 1.0), (NorthUp, 1.0), (UpUp, 1.0)]
        }
        _ => made_of_magnetic(quantity),
    }
}

/// The fields of a magnetic quantity. The flux density takes the place of the attraction, and its gradient that of the
/// tensor.
fn made_of_magnetic(quantity: Quantity) -> &'static [(Field, f64)] {
    use Field::*;
    match quantity {
        Quantity::BE => &[(East, 1.0)],
        Quantity::BN => &[(North, 1.0)],
        Quantity::BU => &[(Up, 1.0)],
        Quantity::BD => &[(Up, -1.0)],
        Quantity::BEe => &[(EastEast, 1.0)],
        Quantity::BEn => &[(EastNorth, 1.0)],
        Quantity::BEu => &[(EastUp, 1.0)],
        Quantity::BNn => &[(NorthNorth, 1.0)],
        Quantity::BNu => &[(NorthUp, 1.0)],
        Quantity::BUu => &[(UpUp, 1.0)],
        Quantity::TfaE => &[(EastEast, 1.0), (EastNorth, 1.0), (EastUp, 1.0)],
        Quantity::TfaN => &[(EastNorth, 1.0), (NorthNorth, 1.0), (NorthUp, 1.0)],
        Quantity::TfaU => &[(EastUp, 1.0), (NorthUp, 1.0), (UpUp, 1.0)],
        Quantity::TfaGradient => made_of(Quantity::Invariant2),
        _ => made_of(Quantity::GLength),
    }
}

/// Exponents of the units of attraction and tensor in a quantity.
enum Kind {
    Potential,
    Attraction,
    Tensor(i32),
    Ratio,
    FluxDensity,
    FluxGradient,
}

fn kind(quantity: Quantity) -> Kind {
    match quantity {
        Quantity::Potential => Kind::Potential,
        Quantity::GE | Quantity::GN | Quantity::GU | Quantity::GD | Quantity::GLength => Kind::Attraction,
        Quantity::Invariant2 => Kind::Tensor(2),
        Quantity::Invariant3 => Kind::Tensor(3),
        Quantity::Dimensionality => Kind::Ratio,
        quantity if quantity.is_magnetic_gradient() => Kind::FluxGradient,
        quantity if quantity.is_magnetic() => Kind::FluxDensity,
        _ => Kind::Tensor(1),
    }
}

impl Quantity {
    /// Name in the problem file and in results.
    pub fn name(self) -> String {
        let value = serde_json::to_value(self).expect("a quantity is a word");
        value.as_str().expect("a quantity is a word").to_owned()
    }

    /// Unit in column names, unit in words, and the factor from SI units.
    pub fn unit(self, units: Units) -> (&'static str, &'static str, f64) {
        match (kind(self), units) {
            (Kind::Potential, _) => ("m2_per_s2", "m²/s²", 1.0),
            (Kind::Attraction, Units::Geophysical) => ("mgal", "mGal", 1e5),
            (Kind::Attraction, Units::Si) => ("m_per_s2", "m/s²", 1.0),
            (Kind::Tensor(1), Units::Geophysical) => ("eotvos", "E", 1e9),
            (Kind::Tensor(2), Units::Geophysical) => ("eotvos2", "E²", 1e18),
            (Kind::Tensor(_), Units::Geophysical) => ("eotvos3", "E³", 1e27),
            (Kind::Tensor(1), Units::Si) => ("per_s2", "1/s²", 1.0),
            (Kind::Tensor(2), Units::Si) => ("per_s4", "1/s⁴", 1.0),
            (Kind::Tensor(_), Units::Si) => ("per_s6", "1/s⁶", 1.0),
            (Kind::Ratio, _) => ("", "", 1.0),
            (Kind::FluxDensity, Units::Geophysical) => ("nt", "nT", 1e9),
            (Kind::FluxDensity, Units::Si) => ("t", "T", 1.0),
            (Kind::FluxGradient, Units::Geophysical) => ("nt_per_m", "nT/m", 1e9),
            (Kind::FluxGradient, Units::Si) => ("t_per_m", "T/m", 1.0),
        }
    }

    /// Column name: `g_u_mgal`.
    pub fn column_name(self, units: Units) -> String {
        let (word, ..) = self.unit(units);
        if word.is_empty() { self.name() } else { format!("{}_{word}", self.name()) }
    }

    /// Description in words.
    pub fn title(self) -> String {
        let towards = |letter: char| match letter {
            'e' => "to the east",
            'n' => "to the north",
            'u' => "upwards",
            _ => "downwards",
        };
        match self {
            Self::Potential => "gravitational potential".to_owned(),
            Self::GLength => "length of the attraction".to_owned(),
            Self::Invariant2 => "second invariant of the gravity gradient tensor".to_owned(),
            Self::Invariant3 => "third invariant of the gravity gradient tensor".to_owned(),
            Self::Dimensionality => "dimensionality of the gravity gradient tensor".to_owned(),
            Self::BLength => "length of the magnetic flux density".to_owned(),
            Self::Tfa => "total-field anomaly".to_owned(),
            Self::TfaGradient => "length of the gradient of the total-field anomaly".to_owned(),
            Self::TfaE => "derivative to the east of the total-field anomaly".to_owned(),
            Self::TfaN => "derivative to the north of the total-field anomaly".to_owned(),
            Self::TfaU => "derivative upwards of the total-field anomaly".to_owned(),
            _ => {
                let name = self.name();
                let letters: Vec<char> = name.chars().skip(2).collect();
                let field = if self.is_magnetic() { "magnetic flux density" } else { "attraction" };
                let attraction = format!("{field} {}", towards(letters[0]));
                match letters.get(1) {
                    Some(&along) => format!("derivative {} of the {attraction}", towards(along)),
                    None => attraction,
                }
            }
        }
    }

    /// The value at a point.
    ///
    /// # Arguments
    /// * `main` – unit vector along the main field
    fn of(self, parts: &[f64], main: [f64; 3]) -> f64 {
        let along = |vector: [f64; 3]| main[0] * vector[0] + main[1] * vector[1] + main[2] * vector[2];
        match *parts {
            [value] => value,
            [e, n, u] if self.is_along_main_field() => along([e, n, u]),
            [ee, en, eu, nn, nu, uu] if self == Self::TfaGradient => {
                let slopes = [[ee, en, eu], [en, nn, nu], [eu, nu, uu]].map(along);
                slopes.iter().map(|slope| slope * slope).sum::<f64>().sqrt()
            }
            [e, n, u] => (e * e + n * n + u * u).sqrt(),
            [ee, en, eu, nn, nu, uu] => {
                let tensor = [ee, en, eu, nn, nu, uu];
                match self {
                    Self::Invariant2 => invariants(tensor)[0],
                    Self::Invariant3 => invariants(tensor)[1],
                    _ => dimensionality(tensor),
                }
            }
            _ => unreachable!("quantities have one, three or six parts"),
        }
    }

    /// Whether it is a component along the main field.
    fn is_along_main_field(self) -> bool {
        matches!(self, Self::Tfa | Self::TfaE | Self::TfaN | Self::TfaU)
    }
}

/// Second and third invariant of a tensor with components ee, en, eu, nn, nu, uu.
fn invariants([ee, en, eu, nn, nu, uu]: [f64; 6]) -> [f64; 2] {
    let second = (ee * nn - en * en) + (nn * uu - nu * nu) + (ee * uu - eu * eu);
    let third = ee * (nn * uu - nu * nu) - en * (en * uu - nu * eu) + eu * (en * nu - nn * eu);
    [second, third]
}

/// NaN without a gradient: the dimensionality is undefined.
fn dimensionality(tensor: [f64; 6]) -> f64 {
    let largest = tensor.iter().fold(0.0_f64, |largest, part| largest.max(part.abs()));
    // The ratio does not depend on the scale, but cubes of small numbers underflow. Scaling by a power of two is exact.
    let scale = (-largest.log2().floor()).clamp(-1000.0, 1000.0).exp2();
    let [second, third] = invariants(tensor.map(|part| scale * part));
    if second == 0.0 { f64::NAN } else { -6.75 * third * third / (second * second * second) }
}

/// The requested quantities in their units.
///
/// # Arguments
/// * `fields` – computed fields, with `values` of each at all points in SI units
/// * `main` – unit vector along the main magnetic field; not used for gravity
/// # Source
/// Invariants and dimensionality: Pedersen and Rasmussen (1990), Geophysics 55, 1558-1566.
pub fn columns(
    quantities: &[Quantity],
    fields: Fields,
    values: &[Vec<f64>],
    units: Units,
    main: [f64; 3],
) -> Vec<Column> {
    let place = |field: Field| fields.iter().position(|known| known == field).expect("its fields were computed");
    let column = |&quantity: &Quantity| {
        let parts: Vec<(&[f64], f64)> =
            made_of(quantity).iter().map(|&(field, sign)| (&values[place(field)][..], sign)).collect();
        let (_, unit, factor) = quantity.unit(units);
        let mut here = vec![0.0; parts.len()];
        let at = |point: usize| {
            here.iter_mut().zip(&parts).for_each(|(value, (column, sign))| *value = sign * column[point]);
            factor * quantity.of(&here, main)
        };
        let values = (0..parts[0].0.len()).map(at).collect();
        Column { quantity, name: quantity.column_name(units), unit, values }
    };
    quantities.iter().map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tensor_of_a_point_is_three_dimensional_and_of_a_line_two_dimensional() {
        let quantities = [Quantity::Invariant2, Quantity::Invariant3, Quantity::Dimensionality, Quantity::GDd];
        let fields = fields_of(&quantities);
        // A point mass below, and a line along x below: (ee, en, eu, nn, nu, uu).
        let values = [[-1.0, 0.0], [0.0; 2], [0.0; 2], [-1.0, -3.0], [0.0; 2], [2.0, 3.0]]
            .map(|field| field.map(|v| 1e-9 * v).to_vec());
        let columns = columns(&quantities, fields, &values, Units::Geophysical, [0.0; 3]);
        let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        assert_eq!(names, ["invariant2_eotvos2", "invariant3_eotvos3", "dimensionality", "g_dd_eotvos"]);
        let close = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12, "{value} and not {expected}");
        for (column, expected) in columns.iter().zip([[-3.0, -9.0], [2.0, 0.0], [1.0, 0.0], [2.0, 3.0]]) {
            close(column.values[0], expected[0]);
            close(column.values[1], expected[1]);
        }
    }

    #[test]
    fn the_dimensionality_is_independent_of_scale() {
        for size in [1e-300, 1e-120, 1e-9, 1e60] {
            assert!((dimensionality([-1.0, 0.0, 0.0, -1.0, 0.0, 2.0].map(|part| size * part)) - 1.0).abs() < 1e-12);
        }
        assert!(dimensionality([0.0; 6]).is_nan());
    }
}
