//! Moment tensors: constructors from components, fault angles and CMT catalogues; scalar moment and magnitude.

use crate::AcquisitionError;
use crate::error::{check, finite, positive};

/// A symmetric moment tensor \[N m\], x east, y north, z up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MomentTensor {
    /// Component (x, x).
    pub xx: f64,
    /// Component (y, y).
    pub yy: f64,
    /// Component (z, z).
    pub zz: f64,
    /// Components (y, z) and (z, y).
    pub yz: f64,
    /// Components (x, z) and (z, x).
    pub xz: f64,
    /// Components (x, y) and (y, x).
    pub xy: f64,
}

/// A moment tensor in the spherical axes of CMT catalogues \[N m\]: r up, theta south, phi east.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SphericalMoment {
    /// Component (r, r).
    pub rr: f64,
    /// Component (theta, theta).
    pub tt: f64,
    /// Component (phi, phi).
    pub pp: f64,
    /// Components (r, theta) and (theta, r).
    pub rt: f64,
    /// Components (r, phi) and (phi, r).
    pub rp: f64,
    /// Components (theta, phi) and (phi, theta).
    pub tp: f64,
}

impl MomentTensor {
    /// Creates a tensor from its components.
    ///
    /// # Arguments
    /// * `components` – xx, yy, zz, yz, xz, xy \[N m\]
    /// # Errors
    /// A component that is not finite.
    pub fn new(components: [f64; 6]) -> Result<Self, AcquisitionError> {
        const NAMES: [&str; 6] = ["xx", "yy", "zz", "yz", "xz", "xy"];
        for (name, value) in NAMES.iter().zip(components) {
            finite(&format!("moment tensor, component {name}"), value, "a finite number of N m")?;
        }
        Ok(Self::from_voigt(components))
    }

    /// An explosion: `moment` \[N m\] on the diagonal.
    ///
    /// # Errors
    /// A moment that is not finite.
    pub fn explosion(moment: f64) -> Result<Self, AcquisitionError> {
        Self::new([moment, moment, moment, 0.0, 0.0, 0.0])
    }

    /// Shear slip on a plane fault.
    ///
    /// # Arguments
    /// * `strike` – degrees clockwise from north; the fault dips to the right of the strike direction
    /// * `dip` – degrees below the horizontal, 0 to 90
    /// * `rake` – direction of slip of the hanging wall: degrees from the strike direction, positive upward in the fault plane
    /// * `moment` – scalar moment \[N m\]
    /// # Errors
    /// A dip outside 0..90, a moment that is not positive, an angle that is not finite.
    /// # Source
    /// Aki and Richards (2002), box 4.4, whose axes north, east, down are converted to east, north, up. Verified by
    /// `double_couple_is_slip_times_normal_of_the_fault`.
    pub fn double_couple(strike: f64, dip: f64, rake: f64, moment: f64) -> Result<Self, AcquisitionError> {
        finite("strike", strike, "a finite angle in degrees")?;
        finite("rake", rake, "a finite angle in degrees")?;
        check(
            (0.0..=90.0).contains(&dip),
            "dip",
            dip,
            "between 0 and 90 degrees",
            "the fault dips to the right of its strike; add 180 to the strike to reverse the dip direction",
        )?;
        positive("scalar moment", moment, "above 0 N m", "add 180 to the rake to reverse the slip")?;
        let (sin_dip, cos_dip) = dip.to_radians().sin_cos();
        let (sin_2dip, cos_2dip) = (2.0 * dip).to_radians().sin_cos();
        let (sin_rake, cos_rake) = rake.to_radians().sin_cos();
        let (sin_strike, cos_strike) = strike.to_radians().sin_cos();
        let (sin_2strike, cos_2strike) = (2.0 * strike).to_radians().sin_cos();

        let along = sin_dip * cos_rake;
        let updip = sin_2dip * sin_rake;
        let north_north = -(along * sin_2strike + updip * sin_strike * sin_strike);
        let east_east = along * sin_2strike - updip * cos_strike * cos_strike;
        let north_east = along * cos_2strike + 0.5 * updip * sin_2strike;
        let north_down = -(cos_dip * cos_rake * cos_strike + cos_2dip * sin_rake * sin_strike);
        let east_down = -(cos_dip * cos_rake * sin_strike - cos_2dip * sin_rake * cos_strike);
        Ok(Self {
            xx: moment * east_east,
            yy: moment * north_north,
            zz: moment * updip,
            yz: -moment * north_down,
            xz: -moment * east_down,
            xy: moment * north_east,
        })
    }

    /// Converts a tensor of a CMT catalogue to x east, y north, z up. Verified by
    /// `bolivia_1994_turns_into_east_north_up_with_magnitude_8_2`.
    pub fn from_spherical(m: SphericalMoment) -> Self {
        Self { xx: m.pp, yy: m.tt, zz: m.rr, yz: -m.rt, xz: m.rp, xy: -m.tp }
    }

    /// Converts the tensor to the axes of CMT catalogues.
    pub fn to_spherical(self) -> SphericalMoment {
        SphericalMoment { rr: self.zz, tt: self.yy, pp: self.xx, rt: -self.yz, rp: self.xz, tp: -self.xy }
    }

    /// Creates a tensor from its components in the order xx, yy, zz, yz, xz, xy.
    pub fn from_voigt([xx, yy, zz, yz, xz, xy]: [f64; 6]) -> Self {
        Self { xx, yy, zz, yz, xz, xy }
    }

    /// The components in the order xx, yy, zz, yz, xz, xy.
    pub fn to_voigt(self) -> [f64; 6] {
        [self.xx, self.yy, self.zz, self.yz, self.xz, self.xy]
    }

    /// Trace xx + yy + zz \[N m\]: three times the isotropic moment.
    pub fn trace(self) -> f64 {
        self.xx + self.yy + self.zz
    }

    /// Frobenius norm \[N m\]: √(Σ Mᵢⱼ²) over all nine components.
    pub fn norm(self) -> f64 {
        let diagonal = self.xx * self.xx + self.yy * self.yy + self.zz * self.zz;
        let shear = self.yz * self.yz + self.xz * self.xz + self.xy * self.xy;
        (diagonal + 2.0 * shear).sqrt()
    }

    /// Scalar moment \[N m\]: the norm divided by √2, which for a double couple is its moment.
    pub fn scalar_moment(self) -> f64 {
        self.norm() / std::f64::consts::SQRT_2
    }

    /// Moment magnitude Mw of the scalar moment.
    pub fn magnitude(self) -> f64 {
        magnitude_of_moment(self.scalar_moment())
    }
}

/// Scalar moment \[N m\] of a moment magnitude: 10^(1.5 Mw + 9.1), the IASPEI standard.
///
/// # Errors
/// A magnitude outside -10..10.
pub fn moment_of_magnitude(magnitude: f64) -> Result<f64, AcquisitionError> {
    check(
        (-10.0..=10.0).contains(&magnitude),
        "magnitude",
        magnitude,
        "between -10 and 10",
        "give a scalar moment in N m as a moment, not as a magnitude",
    )?;
    Ok(10f64.powf(1.5 * magnitude + 9.1))
}

/// Moment magnitude of a scalar moment \[N m\]: (log10 M0 - 9.1) / 1.5.
pub fn magnitude_of_moment(moment: f64) -> f64 {
    (moment.log10() - 9.1) / 1.5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_tensor(found: MomentTensor, expected: [f64; 6]) {
        let size = found.norm();
        for (a, b) in found.to_voigt().into_iter().zip(expected) {
            assert!((a - b).abs() <= 1e-12 * size, "{found:?} instead of {expected:?}");
        }
    }

    #[test]
    fn double_couple_has_no_trace_and_the_norm_of_its_moment() {
        for (strike, dip, rake) in [(30.0, 60.0, 45.0), (211.0, 13.0, -92.0), (0.0, 90.0, 180.0)] {
            let m = MomentTensor::double_couple(strike, dip, rake, 3e16).unwrap();
            assert!(m.trace().abs() < 1e-14 * 3e16);
            assert!((m.norm() / (2f64.sqrt() * 3e16) - 1.0).abs() < 1e-14);
            assert!((m.scalar_moment() / 3e16 - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn vertical_strike_slip_on_a_northward_fault_is_pure_xy() {
        let m = MomentTensor::double_couple(0.0, 90.0, 0.0, 1e18).unwrap();
        assert_tensor(m, [0.0, 0.0, 0.0, 0.0, 0.0, 1e18]);
    }

    #[test]
    fn thrust_at_45_degrees_compresses_across_strike_and_extends_vertically() {
        let m = MomentTensor::double_couple(0.0, 45.0, 90.0, 1e18).unwrap();
        assert_tensor(m, [-1e18, 0.0, 1e18, 0.0, 0.0, 0.0]);
        let eastward = MomentTensor::double_couple(90.0, 45.0, 90.0, 1e18).unwrap();
        assert_tensor(eastward, [0.0, -1e18, 1e18, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn double_couple_is_slip_times_normal_of_the_fault() {
        // For strike 30 and dip 60 the hanging wall lies east-south-east of the fault. Normal and slip are computed from the geometry, as a
        // check independent of the closed formulas.
        let (strike, dip, rake) = (30f64.to_radians(), 60f64.to_radians(), 45f64.to_radians());
        let along = [strike.sin(), strike.cos(), 0.0];
        let right = [strike.cos(), -strike.sin(), 0.0];
        let up_dip = [-dip.cos() * right[0], -dip.cos() * right[1], dip.sin()];
        let normal = [dip.sin() * right[0], dip.sin() * right[1], dip.cos()];
        let slip: [f64; 3] = std::array::from_fn(|i| rake.cos() * along[i] + rake.sin() * up_dip[i]);
        let m = |i: usize, j: usize| 1e16 * (slip[i] * normal[j] + slip[j] * normal[i]);
        let found = MomentTensor::double_couple(30.0, 60.0, 45.0, 1e16).unwrap();
        assert_tensor(found, [m(0, 0), m(1, 1), m(2, 2), m(1, 2), m(0, 2), m(0, 1)]);
    }

    #[test]
    fn bolivia_1994_turns_into_east_north_up_with_magnitude_8_2() {
        let cmt = SphericalMoment { rr: -7.59e20, tt: 7.75e20, pp: -0.16e20, rt: -25.03e20, rp: 0.42e20, tp: -2.48e20 };
        let m = MomentTensor::from_spherical(cmt);
        assert_tensor(m, [-0.16e20, 7.75e20, -7.59e20, 25.03e20, 0.42e20, 2.48e20]);
        assert_eq!(m.to_spherical(), cmt);
        assert!((m.scalar_moment() / 2.6299e21 - 1.0).abs() < 1e-4, "{:e}", m.scalar_moment());
        assert!((m.magnitude() - 8.213).abs() < 1e-3);
    }

    #[test]
    fn magnitude_and_moment_are_inverse() {
        let moment = moment_of_magnitude(6.0).unwrap();
        assert!((moment / 1.258_925_411_794_167e18 - 1.0).abs() < 1e-12);
        assert!((magnitude_of_moment(moment) - 6.0).abs() < 1e-12);
        assert!(moment_of_magnitude(1e16).is_err());
    }

    #[test]
    fn impossible_faults_are_refused_with_value_and_range() {
        let dip = MomentTensor::double_couple(0.0, 100.0, 0.0, 1e16).unwrap_err();
        assert_eq!(
            dip.to_string(),
            "dip = 100 is not allowed: it must be between 0 and 90 degrees; the fault dips to the right of its strike; add 180 to the strike to reverse the dip direction"
        );
        assert!(MomentTensor::double_couple(0.0, 10.0, 0.0, -1e16).is_err());
        assert!(MomentTensor::new([0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0]).is_err());
    }
}
