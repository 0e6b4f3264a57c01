//! SPECFEM's file names, `NET.STA.<band>X<component>.sem<quantity>`.

use std::fmt;

/// Quantity of a SPECFEM trace, from the last letter of its file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecfemQuantity {
    /// `semd`: displacement [m].
    Displacement,
    /// `semv`: velocity [m/s].
    Velocity,
    /// `sema`: acceleration [m/s^2].
    Acceleration,
    /// `semp`: pressure [Pa].
    Pressure,
}

impl SpecfemQuantity {
    const ALL: [Self; 4] = [Self::Displacement, Self::Velocity, Self::Acceleration, Self::Pressure];

    fn letter(self) -> char {
        match self {
            Self::Displacement => 'd',
            Self::Velocity => 'v',
            Self::Acceleration => 'a',
            Self::Pressure => 'p',
        }
    }
}

/// The parts of a SPECFEM file name; `to_string` joins them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecfemName {
    /// Network code, without dots.
    pub network: String,
    /// Station code, without dots.
    pub station: String,
    /// Band letter for the sampling interval, see [`band_letter`].
    pub band: char,
    /// `X`, `Y`, `Z` without a projection, `E`, `N`, `Z` with one; `P` for pressure.
    pub component: char,
    /// Quantity of the trace.
    pub quantity: SpecfemQuantity,
}

impl SpecfemName {
    /// Splits a file name; `None` if it does not follow SPECFEM's pattern.
    pub fn parse(file_name: &str) -> Option<Self> {
        let parts: Vec<_> = file_name.split('.').collect();
        let [network, station, channel, suffix] = parts[..] else {
            return None;
        };
        let channel: Vec<char> = channel.chars().collect();
        let [band, 'X', component] = channel[..] else {
            return None;
        };
        let quantity =
            SpecfemQuantity::ALL.into_iter().find(|quantity| suffix == format!("sem{}", quantity.letter()))?;
        Some(Self { network: network.to_owned(), station: station.to_owned(), band, component, quantity })
    }
}

impl fmt::Display for SpecfemName {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let Self { network, station, band, component, quantity } = self;
        write!(out, "{network}.{station}.{band}X{component}.sem{}", quantity.letter())
    }
}

/// Band letter that SPECFEM uses for a sampling interval [s], following SEED.
pub fn band_letter(dt: f64) -> char {
    match dt {
        dt if dt >= 1.0 => 'L',
        dt if dt > 0.1 => 'M',
        dt if dt > 0.0125 => 'B',
        dt if dt > 0.004 => 'H',
        dt if dt > 0.001 => 'C',
        _ => 'F',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_band_follows_the_sampling_interval() {
        let bands = [(1.0, 'L'), (0.5, 'M'), (0.1, 'B'), (0.0125, 'H'), (0.004, 'C'), (0.001, 'F')];
        for (dt, band) in bands {
            assert_eq!(band_letter(dt), band, "{dt}");
        }
    }

    #[test]
    fn names_survive_a_round_trip() {
        for (quantity, letter) in SpecfemQuantity::ALL.into_iter().zip(['d', 'v', 'a', 'p']) {
            let name = SpecfemName {
                network: "DB".to_owned(),
                station: "X20".to_owned(),
                band: band_letter(0.01),
                component: 'Z',
                quantity,
            };
            assert_eq!(name.to_string(), format!("DB.X20.HXZ.sem{letter}"));
            assert_eq!(SpecfemName::parse(&name.to_string()), Some(name));
        }
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["DB.X20.HXZ.sac", "DB.X20.HHZ.semd", "X20.HXZ.semd", "DB.X20.HXZ.semx", "DB.X20.HXZZ.semd"] {
            assert_eq!(SpecfemName::parse(name), None, "{name}");
        }
    }
}
