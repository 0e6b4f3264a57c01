//! Reference models of a spherical Earth.

mod ak135;
mod iasp91;
mod losses;
mod moho;
mod prem;

use crate::geodesy::EARTH_RADIUS;
use crate::{
    EarthModel, Interface, LossField, Material, ModelError, Polynomial, Profile, RadialLayer, Region, Transverse,
};

/// Relative difference of properties below which a boundary is not a discontinuity, since coefficients are rounded.
const JUMP_TOLERANCE: f64 = 1e-4;

/// A spherical reference model of the Earth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceEarth {
    /// PREM with its equivalent isotropic mantle, at the reference period of 1 s, without attenuation: Dziewonski & Anderson (1981),
    /// Physics of the Earth and Planetary Interiors 25, 297-356, table I and its footnote.
    Prem,
    /// PREM, transversely isotropic from the Moho to 220 km, at the reference period of 1 s, without attenuation: same paper, table I.
    PremAnisotropic,
    /// IASP91: Kennett & Engdahl (1991), Geophysical Journal International 105, 429-465, table 2. IASP91 does not define density; Craton
    /// uses that of PEM (Dziewonski, Hales & Lapwood 1975, Physics of the Earth and Planetary Interiors 10, 12-48), as is usual, with its
    /// discontinuities moved to 410 and 660 km, and 2720 and 2920 kg/m³ in the crust.
    Iasp91,
    /// AK135: Kennett, Engdahl & Buland (1995), Geophysical Journal International 122, 108-124, linear between its rows. The density is
    /// that of the table used by travel-time programs, the same as for IASP91.
    Ak135,
    /// AK135-F, spherical average: AK135 below 120 km, with a crust of 18 km and the densities and quality factors of Montagner & Kennett
    /// (1996), Geophysical Journal International 125, 229-248. The upper crust replaces the 300 m of sediments.
    Ak135F,
}

/// The uppermost layer of a reference model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EarthTop {
    /// The crust of the model, with its upper crust instead of an ocean.
    #[default]
    Crust,
    /// The crust of PREM or AK135-F and its ocean, 3 km deep. Other models have no ocean: as `Crust`.
    Ocean,
    /// The uppermost mantle, its polynomial extrapolated to the surface, or constant above the first row of a table.
    Mantle,
}

/// Which boundaries start a new region, and so become element boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Boundaries {
    /// Only discontinuities. A region then has a profile of several pieces where only the polynomial changes. Jumps below 1e-4 come from
    /// rounded coefficients: those of PREM at 80, 600, 771 and 2741 km, of IASP91 at 120, 760 and 2740 km.
    #[default]
    Jumps,
    /// All boundaries.
    All,
}

/// Options for a reference model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReferenceOptions {
    /// The uppermost layer.
    pub top: EarthTop,
    /// Which boundaries start a new region.
    pub boundaries: Boundaries,
    /// Whether the model has losses; their discontinuities then start new regions too.
    pub attenuated: bool,
}

/// A shell between two depths.
struct Shell {
    /// Depth of its top and bottom \[km\].
    depth: [f64; 2],
    law: Law,
}

/// Speeds \[m/s\] and densities \[kg/m³\] of a shell.
enum Law {
    /// Polynomials of the radius divided by that of the Earth.
    Radial(Transverse<Polynomial>),
    /// Linear between heights \[m\].
    Lines(Vec<(f64, Transverse)>),
}

impl Shell {
    /// Creates an isotropic shell from polynomials in km/s and g/cm³ as published, lowest power first.
    fn isotropic<const P: usize, const S: usize, const R: usize>(
        depth: [f64; 2],
        vp: [f64; P],
        vs: [f64; S],
        rho: [f64; R],
    ) -> Self {
        let law = Transverse::isotropic_law(in_si(vp), in_si(vs), in_si(rho));
        Self { depth, law: Law::Radial(law) }
    }

    /// Converts the shell to a profile that starts at depth `top` \[km\].
    fn profile(&self, top: f64) -> Result<Profile, ModelError> {
        match &self.law {
            Law::Radial(law) => {
                Profile::radial(&[RadialLayer { top: height(top), bottom: height(self.depth[1]), law: *law }])
            }
            Law::Lines(knots) => Profile::through(knots),
        }
    }
}

/// Depth of the bottom of the ocean of PREM and of AK135-F \[km\].
const OCEAN: f64 = 3.0;

/// The shells with the ocean instead of the uppermost part of the crust.
fn below_ocean(mut shells: Vec<Shell>) -> Vec<Shell> {
    shells[0].depth[0] = OCEAN;
    shells.insert(0, Shell::isotropic([0.0, OCEAN], [1.45], [0.0], [1.02]));
    shells
}

/// Converts a polynomial in km/s or g/cm³ to SI units.
fn in_si<const N: usize>(coefficients: [f64; N]) -> Polynomial {
    Polynomial(std::array::from_fn(|power| 1000.0 * coefficients.get(power).copied().unwrap_or(0.0)))
}

/// Height \[m\] of a depth \[km\].
fn height(depth: f64) -> f64 {
    0.0 - 1000.0 * depth
}

impl ReferenceEarth {
    /// Name used in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prem => "PREM",
            Self::PremAnisotropic => "anisotropic PREM",
            Self::Iasp91 => "IASP91",
            Self::Ak135 => "AK135",
            Self::Ak135F => "AK135-F",
        }
    }

    /// Depth of the core-mantle boundary \[m\].
    pub fn core_depth(self) -> f64 {
        match self {
            Self::Prem | Self::PremAnisotropic => 2_891_000.0,
            Self::Iasp91 => 2_889_000.0,
            Self::Ak135 | Self::Ak135F => 2_891_500.0,
        }
    }

    /// Depth of the Moho \[km\].
    fn moho(self) -> f64 {
        match self {
            Self::Prem | Self::PremAnisotropic => prem::MOHO,
            Self::Iasp91 | Self::Ak135 => 35.0,
            Self::Ak135F => 18.0,
        }
    }

    fn shells(self, top: EarthTop) -> Vec<Shell> {
        let shells = match self {
            Self::Prem => prem::isotropic(),
            Self::PremAnisotropic => prem::anisotropic(),
            Self::Iasp91 => return iasp91::shells(),
            Self::Ak135F => ak135::shells_f(),
            Self::Ak135 => return ak135::shells(),
        };
        if top == EarthTop::Ocean { below_ocean(shells) } else { shells }
    }

    fn check_bottom(self, bottom_z: f64) -> Result<(), ModelError> {
        crate::check::require(
            (-EARTH_RADIUS..0.0).contains(&bottom_z),
            "z of the bottom",
            bottom_z,
            format!("below 0 m, the surface, and at or above {} m, the centre of {}", -EARTH_RADIUS, self.name()),
            "z is negative below the surface",
        )?;
        Ok(())
    }

    /// Builds the regions from the surface to the bottom of a domain.
    fn regions(self, options: ReferenceOptions, bottom_z: f64) -> Result<Vec<Region>, ModelError> {
        self.check_bottom(bottom_z)?;
        let is_kept = |shell: &Shell| options.top != EarthTop::Mantle || shell.depth[1] > self.moho();
        let shells =
            self.shells(options.top).into_iter().filter(is_kept).filter(|shell| height(shell.depth[0]) > bottom_z);
        let mut profiles: Vec<(f64, Profile)> = Vec::new();
        let losses = self.losses();
        for (index, shell) in shells.enumerate() {
            let top = if index == 0 { 0.0 } else { shell.depth[0] };
            let profile = shell.profile(top)?;
            match profiles.last_mut() {
                Some((_, above))
                    if options.boundaries == Boundaries::Jumps
                        && !jumps(above, &profile, height(top))
                        && !(options.attenuated && losses.jumps(height(top))) =>
                {
                    above.append(profile);
                }
                _ => profiles.push((height(top), profile)),
            }
        }
        let bottoms: Vec<f64> = profiles[1..].iter().map(|(top, _)| *top).chain([bottom_z]).collect();
        let region = |((top, profile), bottom)| Region {
            losses: if options.attenuated { losses.within(top, bottom).into() } else { LossField::NONE },
            ..Region::elastic(Interface::Flat(top), Material::from(profile))
        };
        let profiles = profiles.into_iter().zip(bottoms);
        Ok(profiles.map(region).collect())
    }
}

/// Whether two profiles differ at the height where they meet.
fn jumps(above: &Profile, below: &Profile, z: f64) -> bool {
    let sides =
        above.properties(z).join(below.properties(z), |above, below| (above - below).abs() > JUMP_TOLERANCE * above);
    sides.values().into_iter().any(|differs| differs)
}

impl EarthModel {
    /// Creates a reference model from the surface at z = 0 to the bottom of a domain, where z is the height above the sphere of radius 6371
    /// km. Above the surface, for example in mountains, the medium is that at the surface.
    ///
    /// # Arguments
    /// * `bottom_z` – height of the bottom \[m\], negative
    /// # Errors
    /// A bottom below the centre of the Earth, or not below the surface.
    /// Verified by `isotropic_prem_agrees_with_the_table_of_qssp`, `iasp91_and_ak135_agree_with_the_tables_of_taup`,
    /// `the_table_of_ak135_f_has_nearly_the_mass_and_inertia_of_the_earth`.
    pub fn reference(earth: ReferenceEarth, options: ReferenceOptions, bottom_z: f64) -> Result<Self, ModelError> {
        Self::new(earth.regions(options, bottom_z)?)
    }
}
