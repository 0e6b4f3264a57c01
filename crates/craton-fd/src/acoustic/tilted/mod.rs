//! Transversely isotropic media whose axis n is tilted, on CPUs.
//!
//! ```text
//! -σᵢⱼ = p δᵢⱼ + (r - p) nᵢ nⱼ              ∂vᵢ/∂t = (1/ρ) Σⱼ ∂σᵢⱼ/∂xⱼ
//! g = Σᵢⱼ nᵢ nⱼ ∂vᵢ/∂xⱼ                     h = ∇·v - g
//! ∂r/∂t = -κ (g + s h - q)                  ∂p/∂t = -κ (s g + l h - s q)
//! ```
//!
//! The grid is that of a vertical axis (`transverse`). The derivative ∂vᵢ/∂xᵢ is staggered, D vᵢ. A derivative across, ∂vᵢ/∂xⱼ, is the central derivative C
//! of the component interpolated to the centres: C I vᵢ. The force of σᵢⱼ is the transpose, I C σᵢⱼ. With weights ρ and κ⁻¹ the whole operator is
//! skew-adjoint for any n(x), so that the energy is conserved, and a vertical axis gives the same results as `transverse`. The error of the phase velocity is
//! at most 1.1 times that of a fluid.
//!
//! | sweep | half of the step | sets |
//! |---|---|---|
//! | stresses | velocity | -σᵢⱼ at the centres |
//! | forces | velocity | Σⱼ C σᵢⱼ, j ≠ i, at the centres |
//! | velocities | velocity | vᵢ |
//! | components | pressure | I vᵢ at the centres |
//! | pressures | pressure | r and p |
//!
//! Layers that stretch the coordinates amplify waves of a tilted medium whose phase and energy travel in opposite directions along their normal, and the second
//! wave of any medium. Therefore the medium becomes isotropic within the inner half of the layers (`make_isotropic_in_layers`).
//!
//! A sweep updates all planes across z, which threads share. Beyond a free top stresses are odd, I vᵢ and forces are even: these are transposes of each other.

mod memory;
mod operator;
mod sweeps;

pub use operator::TiltedOperator;
