//! Reference Earths: what the crust and mantle of a spherical Earth are made of.

mod ak135;
mod iasp91;
mod prem;

use crate::{EarthModel, Interface, Material, ModelError, Polynomial, Profile, RadialLayer, Region, Transverse};

/// Two sides of a boundary that differ by less than this part in every property do not jump: coefficients are rounded.
const NO_JUMP: f64 = 1e-4;

/// A spherical model of the Earth, down to the core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceEarth {
    /// PREM with its equivalent isotropic mantle at the reference period of 1 s, without attenuation: Dziewonski & Anderson
    /// (1981), Physics of the Earth and Planetary Interiors 25, 297-356, table I and its footnote.
    Prem,
    /// PREM, transversely isotropic from the Moho to 220 km, at the reference period of 1 s, without attenuation: the same,
    /// table I.
    PremAnisotropic,
    /// IASP91: Kennett & Engdahl (1991), Geophysical Journal International 105, 429-465, table 2. It has no density: here it has
    /// that of PEM (Dziewonski, Hales & Lapwood 1975, Physics of the Earth and Planetary Interiors 10, 12-48), as is usual
    /// beside IASP91, with its boundaries at 410 and 660 km, and 2720 and 2920 kg/m³ in the crust.
    Iasp91,
    /// AK135: Kennett, Engdahl & Buland (1995), Geophysical Journal International 122, 108-124, lines between its rows. The density
    /// is that of the table of travel-time programs, the same as beside IASP91, not that of ak135-f.
    Ak135,
}

/// What lies at the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EarthTop {
    /// The model's crust; its upper crust in place of an ocean, which is a fluid.
    #[default]
    Crust,
    /// The uppermost mantle, its polynomial continued up to the surface, or level above the first row of a table.
    Mantle,
}

/// Which boundaries begin a region, and so become boundaries of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Boundaries {
    /// Those where a property jumps; where only the law changes, a region's profile has several pieces. Jumps below a part in
    /// 10⁴ come from rounded coefficients: PREM's at 80, 600, 771 and 2741 km, IASP91's at 120, 760 and 2740 km.
    #[default]
    Jumps,
    /// All.
    All,
}

/// What a reference Earth may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReferenceOptions {
    /// What lies at the surface.
    pub top: EarthTop,
    /// Which boundaries begin a region.
    pub boundaries: Boundaries,
}

/// One law between two depths.
struct Shell {
    /// Of its top and bottom \[km\].
    depth: [f64; 2],
    law: Law,
}

/// Speeds \[m/s\] and densities \[kg/m³\] of a shell.
enum Law {
    /// Polynomials of the radius over that of the Earth.
    Radial(Transverse<Polynomial>),
    /// Lines between heights \[m\].
    Lines(Vec<(f64, Transverse)>),
}

impl Shell {
    /// An isotropic shell of polynomials in km/s and g/cm³, as papers print them, lowest power first.
    fn isotropic<const P: usize, const S: usize, const R: usize>(
        depth: [f64; 2],
        vp: [f64; P],
        vs: [f64; S],
        rho: [f64; R],
    ) -> Self {
        let law = Transverse::isotropic_law(in_si(vp), in_si(vs), in_si(rho));
        Self { depth, law: Law::Radial(law) }
    }

    /// The shell as a profile, whose first height is `top` \[km\].
    fn profile(&self, top: f64) -> Result<Profile, ModelError> {
        match &self.law {
            Law::Radial(law) => {
                Profile::radial(&[RadialLayer { top: height(top), bottom: height(self.depth[1]), law: *law }])
            }
            Law::Lines(knots) => Profile::through(knots),
        }
    }
}

/// A polynomial in SI units from one in km/s or g/cm³.
fn in_si<const N: usize>(coefficients: [f64; N]) -> Polynomial {
    Polynomial(std::array::from_fn(|power| 1000.0 * coefficients.get(power).copied().unwrap_or(0.0)))
}

/// Height \[m\] of a depth \[km\].
fn height(depth: f64) -> f64 {
    0.0 - 1000.0 * depth
}

impl ReferenceEarth {
    /// Its name, as messages have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prem => "PREM",
            Self::PremAnisotropic => "anisotropic PREM",
            Self::Iasp91 => "IASP91",
            Self::Ak135 => "AK135",
        }
    }

    /// Depth of its core \[m\], a fluid, where it ends.
    pub fn core_depth(self) -> f64 {
        match self {
            Self::Prem | Self::PremAnisotropic => 2_891_000.0,
            Self::Iasp91 => 2_889_000.0,
            Self::Ak135 => 2_891_500.0,
        }
    }

    /// Depth of its Moho \[km\].
    fn moho(self) -> f64 {
        match self {
            Self::Prem | Self::PremAnisotropic => prem::MOHO,
            Self::Iasp91 | Self::Ak135 => 35.0,
        }
    }

    fn shells(self) -> Vec<Shell> {
        match self {
            Self::Prem => prem::isotropic(),
            Self::PremAnisotropic => prem::anisotropic(),
            Self::Iasp91 => iasp91::shells(),
            Self::Ak135 => ak135::shells(),
        }
    }

    fn check_bottom(self, bottom_z: f64) -> Result<(), ModelError> {
        let (name, depth) = (self.name(), self.core_depth());
        crate::check::require(
            (-depth..0.0).contains(&bottom_z),
            "z of the bottom",
            bottom_z,
            format!("below the surface at 0 m and not below {} m, the core-mantle boundary of {name}", -depth),
            "depths count downward from z = 0, so z is negative; the core is a fluid and is not part of the model",
        )?;
        Ok(())
    }

    /// Regions from the surface to the bottom of a domain.
    fn regions(self, options: ReferenceOptions, bottom_z: f64) -> Result<Vec<Region>, ModelError> {
        self.check_bottom(bottom_z)?;
        let is_kept = |shell: &Shell| options.top == EarthTop::Crust || shell.depth[1] > self.moho();
        let shells = self.shells().into_iter().filter(is_kept).filter(|shell| height(shell.depth[0]) > bottom_z);
        let mut profiles: Vec<(f64, Profile)> = Vec::new();
        for (index, shell) in shells.enumerate() {
            let top = if index == 0 { 0.0 } else { shell.depth[0] };
            let profile = shell.profile(top)?;
            match profiles.last_mut() {
                Some((_, above)) if options.boundaries == Boundaries::Jumps && !jumps(above, &profile, height(top)) => {
                    above.append(profile);
                }
                _ => profiles.push((height(top), profile)),
            }
        }
        let region = |(top, profile)| Region { top: Interface::Flat(top), material: Material::from(profile) };
        Ok(profiles.into_iter().map(region).collect())
    }
}

/// Whether two profiles differ at the height where they meet.
fn jumps(above: &Profile, below: &Profile, z: f64) -> bool {
    let sides = above.properties(z).join(below.properties(z), |above, below| (above - below).abs() > NO_JUMP * above);
    sides.values().into_iter().any(|differs| differs)
}

impl EarthModel {
    /// A reference Earth from the surface at z = 0, where z is the height above the sphere of radius 6371 km, to the bottom of a
    /// domain; above the surface, such as in mountains, it stays as it is there.
    ///
    /// # Arguments
    /// * `bottom_z` – height of the bottom \[m\], negative
    /// # Errors
    /// A bottom in the core, or not below the surface.
    /// Verified by `isotropic_prem_is_the_table_of_qssp`, `iasp91_and_ak135_are_the_tables_of_taup`.
    pub fn reference(earth: ReferenceEarth, options: ReferenceOptions, bottom_z: f64) -> Result<Self, ModelError> {
        Self::new(earth.regions(options, bottom_z)?)
    }
}
