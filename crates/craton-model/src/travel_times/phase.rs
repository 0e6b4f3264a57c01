//! Seismic phases: names and paths.

use std::fmt;
use std::str::FromStr;

use crate::ModelError;

/// Wave type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wave {
    P,
    S,
}

/// A leg of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leg {
    /// From the source up to the surface.
    Up(Wave),
    /// From the source down to a turning point and up to the surface.
    Down(Wave),
    /// From the surface down to a turning point and back.
    Round(Wave),
    /// From the source (first leg) or the surface down to the core as one wave type, and up to the surface as another.
    Echo(Wave, Wave),
    /// From the source (first leg) or the surface down to the core as one wave type, through the core as P, and up to the surface as another.
    Core(Wave, InCore, Wave),
}

/// Path of a ray through the core, where it is a P wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InCore {
    /// Turns in the outer core this number of times, with reflections at its top between them.
    Turns(usize),
    /// Is reflected at the inner core.
    Reflected,
    /// Turns in the inner core.
    Inner,
}

/// A phase of crust, mantle and core, parsed from its name: `"sP".parse()`.
///
/// Lower-case letters leave the source upward, capitals downward; between two letters the wave is reflected or converted at the surface; c
/// is a reflection at the core-mantle boundary or the bottom of the model, K a path through the fluid outer core, i a reflection at the inner
/// core and I a path through it. Waves turn where speed increases with depth, or are totally
/// reflected where it jumps up. There are no waves along boundaries: no head waves, no diffraction.
///
/// Upgoing p and s that arrive directly at the surface are part of `P` and `S`, which they continue to small distances; their takeoff angle
/// is above 90 degrees. A source at the surface has no pP, sP, pS, sS, pPcP, sScS.
#[allow(non_camel_case_types, reason = "p and P are different waves")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// P down to its turning point, or straight up.
    P,
    /// S down to its turning point, or straight up.
    S,
    /// P up, reflected at the surface.
    pP,
    /// S up, converted to P at the surface.
    sP,
    /// P up, converted to S at the surface.
    pS,
    /// S up, reflected at the surface.
    sS,
    /// P reflected at the surface, about halfway.
    PP,
    /// S reflected at the surface, about halfway.
    SS,
    /// P converted to S at the surface.
    PS,
    /// S converted to P at the surface.
    SP,
    /// P reflected at the bottom.
    PcP,
    /// S reflected at the bottom.
    ScS,
    /// S converted to P at the bottom.
    ScP,
    /// P converted to S at the bottom.
    PcS,
    /// P up, reflected at the surface and at the bottom.
    pPcP,
    /// S up, reflected at the surface and at the bottom.
    sScS,
    /// P that turns in the outer core.
    PKP,
    /// P reflected at the inner core.
    PKiKP,
    /// P that turns in the inner core.
    PKIKP,
    /// P that turns twice in the outer core, with a reflection at its top.
    PKKP,
    /// P through the outer core, converted to S at its top.
    PKS,
    /// S through the outer core, converted to P at its top.
    SKP,
    /// S that turns in the outer core, as P there.
    SKS,
    /// S that turns twice in the outer core, as P there.
    SKKS,
    /// S that turns in the inner core, as P there.
    SKIKS,
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 25] = [
        Self::P,
        Self::S,
        Self::pP,
        Self::sP,
        Self::pS,
        Self::sS,
        Self::PP,
        Self::SS,
        Self::PS,
        Self::SP,
        Self::PcP,
        Self::ScS,
        Self::ScP,
        Self::PcS,
        Self::pPcP,
        Self::sScS,
        Self::PKP,
        Self::PKiKP,
        Self::PKIKP,
        Self::PKKP,
        Self::PKS,
        Self::SKP,
        Self::SKS,
        Self::SKKS,
        Self::SKIKS,
    ];

    /// Name, as parsed.
    pub fn name(self) -> &'static str {
        match self {
            Self::P => "P",
            Self::S => "S",
            Self::pP => "pP",
            Self::sP => "sP",
            Self::pS => "pS",
            Self::sS => "sS",
            Self::PP => "PP",
            Self::SS => "SS",
            Self::PS => "PS",
            Self::SP => "SP",
            Self::PcP => "PcP",
            Self::ScS => "ScS",
            Self::ScP => "ScP",
            Self::PcS => "PcS",
            Self::pPcP => "pPcP",
            Self::sScS => "sScS",
            Self::PKP => "PKP",
            Self::PKiKP => "PKiKP",
            Self::PKIKP => "PKIKP",
            Self::PKKP => "PKKP",
            Self::PKS => "PKS",
            Self::SKP => "SKP",
            Self::SKS => "SKS",
            Self::SKKS => "SKKS",
            Self::SKIKS => "SKIKS",
        }
    }

    /// Paths of the phase, each a list of legs.
    pub(super) fn paths(self) -> &'static [&'static [Leg]] {
        use InCore::{Inner, Reflected, Turns};
        use Leg::{Core, Down, Echo, Round, Up};
        use Wave::{P, S};
        match self {
            Self::P => &[&[Up(P)], &[Down(P)]],
            Self::S => &[&[Up(S)], &[Down(S)]],
            Self::pP => &[&[Up(P), Round(P)]],
            Self::sP => &[&[Up(S), Round(P)]],
            Self::pS => &[&[Up(P), Round(S)]],
            Self::sS => &[&[Up(S), Round(S)]],
            Self::PP => &[&[Down(P), Round(P)]],
            Self::SS => &[&[Down(S), Round(S)]],
            Self::PS => &[&[Down(P), Round(S)]],
            Self::SP => &[&[Down(S), Round(P)]],
            Self::PcP => &[&[Echo(P, P)]],
            Self::ScS => &[&[Echo(S, S)]],
            Self::ScP => &[&[Echo(S, P)]],
            Self::PcS => &[&[Echo(P, S)]],
            Self::pPcP => &[&[Up(P), Echo(P, P)]],
            Self::sScS => &[&[Up(S), Echo(S, S)]],
            Self::PKP => &[&[Core(P, Turns(1), P)]],
            Self::PKiKP => &[&[Core(P, Reflected, P)]],
            Self::PKIKP => &[&[Core(P, Inner, P)]],
            Self::PKKP => &[&[Core(P, Turns(2), P)]],
            Self::PKS => &[&[Core(P, Turns(1), S)]],
            Self::SKP => &[&[Core(S, Turns(1), P)]],
            Self::SKS => &[&[Core(S, Turns(1), S)]],
            Self::SKKS => &[&[Core(S, Turns(2), S)]],
            Self::SKIKS => &[&[Core(S, Inner, S)]],
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Phase {
    type Err = ModelError;

    /// # Errors
    /// An unknown name; the error lists all names.
    fn from_str(name: &str) -> Result<Self, ModelError> {
        let known = Self::ALL.into_iter().find(|phase| phase.name() == name);
        known.ok_or_else(|| ModelError::UnknownPhase { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_parsed_from_their_displayed_names() {
        for (index, phase) in Phase::ALL.into_iter().enumerate() {
            assert_eq!(phase.to_string().parse(), Ok(phase));
            assert_eq!(phase as usize, index);
        }
        assert_eq!(
            "p".parse::<Phase>().unwrap_err().to_string(),
            "\"p\" is not a supported phase; use one of P S pP sP pS sS PP SS PS SP PcP ScS ScP PcS pPcP sScS \
             PKP PKiKP PKIKP PKKP PKS SKP SKS SKKS SKIKS; direct upgoing p and s are part of P and S"
        );
        assert!("PKJKP".parse::<Phase>().is_err() && "pp".parse::<Phase>().is_err());
    }
}
