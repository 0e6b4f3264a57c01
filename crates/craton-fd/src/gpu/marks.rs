//! Points near interfaces: a bit for each quad of points along x, and the list of the quads whose bit is set.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError};
use craton_numerics::staggered::MAX_HALF_LENGTH;

use crate::layout::{GROUP, Layout};
use craton_fd_kernels::{Classes, Pattern};

/// Points per quad along x.
pub const QUAD: usize = 4;

/// The points with folded stencils in one half of the step.
pub struct Marks<T: Scalar> {
    /// A byte for each group of points, `[k][j][group]`: bit q is set if its quad q is in the list.
    pub marks: Buffer<u8>,
    /// Number of the quad in its row, row, plane, class; on the host.
    pub list: Vec<[u32; 4]>,
    /// Pattern of each class: nine stencils, and the factors.
    pub patterns: Buffer<[u32; 10]>,
    /// Coefficients of each stencil, `[m][p, q, r][lane]` [1/m].
    pub taps: Buffer<T>,
    /// Factors that multiply the derivatives, `[mixing][factor][lane]` [–].
    pub factors: Buffer<T>,
}

impl<T: Scalar> Marks<T> {
    /// Copies the classes of a block to a device.
    ///
    /// # Arguments
    /// * `half` – of the step: 0 for velocities, 1 for stresses
    /// * `regular` – coefficients far from interfaces, along each axis [1/m]
    pub fn new(
        gpu: &Gpu,
        layout: &Layout,
        half: usize,
        classes: &Classes<T>,
        regular: &[[T; MAX_HALF_LENGTH]; 3],
    ) -> Result<Self, GpuError> {
        let quads = quads_of_stencils(classes, regular, layout.halo);
        let mixed = quads_of_factors(classes, &crate::mixture::regular(half));
        let of_class = |pattern: &Pattern| {
            let own = (pattern.mixing as usize).checked_sub(1).map_or(0, |mixing| mixed[mixing]);
            pattern.stencils.iter().fold(own, |all, &stencil| all | quads[stencil as usize])
        };
        let of_classes: Vec<u8> = classes.patterns().iter().map(of_class).collect();
        let (per_row, rows) = (layout.groups(), layout.extent()[1]);
        let marks: Vec<u8> = classes.groups().iter().map(|&class| of_classes[class as usize]).collect();
        let mut list = Vec::new();
        for (group, (&mark, &class)) in marks.iter().zip(classes.groups()).enumerate() {
            let (first, j, k) = (group % per_row * (GROUP / QUAD), group / per_row % rows, group / per_row / rows);
            let quads = (0..GROUP / QUAD).filter(|quad| mark >> quad & 1 == 1);
            list.extend(quads.map(|quad| [(first + quad) as u32, j as u32, k as u32, class]));
        }
        Ok(Self {
            marks: gpu.upload(&marks)?,
            list,
            patterns: gpu.upload(&classes.patterns().iter().map(Pattern::numbers).collect::<Vec<_>>())?,
            taps: gpu.upload(classes.taps())?,
            factors: gpu.upload(classes.factors())?,
        })
    }
}

/// For each list of factors, a bit for each quad with a point that is not regular.
fn quads_of_factors<T: Scalar>(classes: &Classes<T>, regular: &[f64]) -> Vec<u8> {
    let quads = |factors: &[T]| {
        let is_regular = |lane: usize| {
            let own = factors.iter().skip(lane).step_by(GROUP);
            own.zip(regular).all(|(own, regular)| own.to_f64() == *regular)
        };
        (0..GROUP).filter(|&lane| !is_regular(lane)).fold(0, |all, lane| all | 1 << (lane / QUAD))
    };
    classes.factors().chunks_exact(GROUP * regular.len()).map(quads).collect()
}

/// For each stencil, a bit for each quad with a point that is not regular. Stencils are specific to a derivative, so that the bit of one derivative
/// does not affect the others.
fn quads_of_stencils<T: Scalar>(
    classes: &Classes<T>,
    regular: &[[T; MAX_HALF_LENGTH]; 3],
    half_length: usize,
) -> Vec<u8> {
    let stencil_len = 3 * half_length * GROUP;
    let mut axis_of = vec![0; classes.taps().len() / stencil_len];
    for pattern in classes.patterns() {
        pattern.stencils.iter().enumerate().for_each(|(d, &stencil)| axis_of[stencil as usize] = d % 3);
    }
    let quads = |(taps, axis): (&[T], usize)| {
        let is_regular = |lane: usize| {
            (0..half_length).all(|m| {
                let tap = |which: usize| taps[(3 * m + which) * GROUP + lane];
                tap(0) == regular[axis][m] && tap(1) == T::default() && tap(2) == T::default()
            })
        };
        (0..GROUP).filter(|&lane| !is_regular(lane)).fold(0, |all, lane| all | 1 << (lane / QUAD))
    };
    classes.taps().chunks_exact(stencil_len).zip(axis_of).map(quads).collect()
}
