//! Names of traces.

use std::fmt;
use std::path::Path;

use craton_acquisition::Quantity;
use craton_formats::text_trace::{SpecfemName, SpecfemQuantity};
use craton_formats::{Refused, check_code};

/// All quantities and their words in file names.
const QUANTITIES: [(Quantity, &str); 9] = [
    (Quantity::Displacement, "displacement"),
    (Quantity::Velocity, "velocity"),
    (Quantity::Acceleration, "acceleration"),
    (Quantity::Strain, "strain"),
    (Quantity::Pressure, "pressure"),
    (Quantity::Rotation, "rotation"),
    (Quantity::RotationRate, "rotation_rate"),
    (Quantity::FibreStrain, "fibre_strain"),
    (Quantity::FibreStrainRate, "fibre_strain_rate"),
];

/// Station, quantity and component of a trace, independent of the file format.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TraceName {
    /// `NET.STA` or `NET.STA.LOC`.
    pub station: String,
    /// The recorded quantity; unknown for foreign files.
    pub quantity: Option<Quantity>,
    /// Component, such as `X`.
    pub component: String,
}

impl TraceName {
    /// Parses a file name without its folder: SPECFEM's, or `STATION.QUANTITY.COMPONENT.EXTENSION`, or any name whose
    /// last part before the extension is the component.
    pub fn of_file(file: &Path) -> Self {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if let Some(specfem) = SpecfemName::parse(&name) {
            return Self::of_specfem(&specfem);
        }
        let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
        let (rest, component) = stem.rsplit_once('.').unwrap_or((stem, ""));
        let named = rest.rsplit_once('.').and_then(|(station, word)| Some((station, quantity_of(word)?)));
        let (station, quantity) = named.map_or((rest, None), |(station, quantity)| (station, Some(quantity)));
        Self { station: station.to_owned(), quantity, component: component.to_owned() }
    }

    fn of_specfem(name: &SpecfemName) -> Self {
        let quantity = match name.quantity {
            SpecfemQuantity::Displacement => Quantity::Displacement,
            SpecfemQuantity::Velocity => Quantity::Velocity,
            SpecfemQuantity::Acceleration => Quantity::Acceleration,
            SpecfemQuantity::Pressure => Quantity::Pressure,
        };
        Self {
            station: format!("{}.{}", name.network, name.station),
            quantity: Some(quantity),
            component: name.component.to_string(),
        }
    }

    /// The quantity in a file name, before the extension: `XX.S10.velocity.mseed`.
    pub(super) fn quantity_of_file(file: &Path) -> Option<Quantity> {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        quantity_of(stem.rsplit('.').next().unwrap_or_default())
    }

    /// Checks that the codes may become a file name. All writers of seismograms call it.
    ///
    /// # Errors
    /// A code that is not plain, see [`check_code`].
    pub(crate) fn check(&self) -> Result<(), Refused> {
        let parts = self.station.split('.').map(|code| ("code of the station", code));
        let mut all = parts.chain([("component", &*self.component)]);
        all.try_for_each(|(what, code)| check_code(what, code))
    }

    /// Network, station and location; the location may be empty.
    pub fn codes(&self) -> [&str; 3] {
        let mut parts = self.station.splitn(3, '.');
        std::array::from_fn(|_| parts.next().unwrap_or_default())
    }

    /// Station and quantity, which the components of a seismogram share.
    pub fn seismogram(&self) -> String {
        match self.quantity {
            Some(quantity) => format!("{} {}", self.station, word_of(quantity)),
            None => self.station.clone(),
        }
    }
}

/// The name without extension: `XX.S10.velocity.X`.
impl fmt::Display for TraceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&*self.station, self.quantity.map_or("", word_of), &*self.component];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        f.write_str(&parts.join("."))
    }
}

/// The word of a quantity in file names.
pub(crate) fn word_of(quantity: Quantity) -> &'static str {
    let known = QUANTITIES.iter().find(|(known, _)| *known == quantity);
    known.expect("every quantity is listed").1
}

fn quantity_of(word: &str) -> Option<Quantity> {
    QUANTITIES.iter().find(|(_, known)| *known == word).map(|(quantity, _)| *quantity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_in_every_format() {
        let name =
            TraceName { station: "XX.S10".to_owned(), quantity: Some(Quantity::Velocity), component: "X".to_owned() };
        for file in ["XX.S10.velocity.X.sac", "a/XX.S10.velocity.X.txt", "XX.S10.BXX.semv"] {
            assert_eq!(TraceName::of_file(Path::new(file)), name, "{file}");
        }
        assert_eq!(name.to_string(), "XX.S10.velocity.X");
        assert_eq!(name.seismogram(), "XX.S10 velocity");
        assert_eq!(name.codes(), ["XX", "S10", ""]);
    }

    #[test]
    fn a_name_from_another_program_keeps_its_parts() {
        let name = TraceName::of_file(Path::new("IU.ANMO.00.BHZ.sac"));
        assert_eq!((&*name.station, name.quantity, &*name.component), ("IU.ANMO.00", None, "BHZ"));
        assert_eq!(name.to_string(), "IU.ANMO.00.BHZ");
    }
}
