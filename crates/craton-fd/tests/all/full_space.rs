//! Comparison with the closed form of an unbounded solid.

use crate::common::*;
use craton_fd::{
    Boundaries, FdOperator, Material, Medium, Options, PointSource, Precision, Probe, ProbeQuantity, Side,
    SourceMechanism,
};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_testkit::full_space::{FullSpace, Gaussian, History};

const FORCE: [f64; 3] = [1e12, -2e12, 1.5e12];
const MOMENT: [f64; 6] = [1e15, -5e14, 2e15, 8e14, -1.2e15, 6e14];

/// A problem in a cube with rigid sides, recorded until the first reflection.
struct Problem {
    /// vp, vs [m/s] and density [kg/m³].
    solid: [f64; 3],
    half_length: usize,
    /// Cells along an edge of the cube of 2 km.
    cells: usize,
    mechanism: SourceMechanism,
    gaussian: Gaussian,
    /// Fraction of the stable step.
    courant: f64,
    radius: usize,
    gradient: bool,
}

impl Problem {
    /// Relative L2 of all samples against the closed form.
    fn error<T: Precision>(&self) -> f64 {
        let h = 2000.0 / self.cells as f64;
        let [vp, vs, rho] = self.solid;
        let solid = Material::from_speeds(vp, vs, rho);
        let medium = Medium::<T>::new(cubes([self.cells; 3], h), |_| solid).unwrap();
        let options = Options {
            stencil: StaggeredStencil::taylor(self.half_length).unwrap(),
            interpolation: WindowedSinc::new(self.radius, 6.0).unwrap(),
            ..options(self.half_length, Boundaries::all(Side::Rigid))
        };
        // Neither position is a point of any of the grids.
        let (position, receiver) = ([913.0, 1008.0, 989.0], [1251.0, 1207.0, 1133.0]);
        let stable = craton_fd::stable_step(&medium, &options.boundaries, &options.stencil).unwrap();
        // Until the P wave returns from the nearest wall.
        let end = (912.0 + 748.0) / vp;
        let steps = (end / (self.courant * stable)).ceil();
        let dt = end / steps;
        let whole = |n: usize| n as f64 * dt;
        let history = |n| match self.mechanism {
            SourceMechanism::Force(_) => self.gaussian.value(whole(n)),
            SourceMechanism::Moment(_) => self.gaussian.step_value(whole(n)),
        };
        let source = PointSource {
            position,
            mechanism: self.mechanism,
            history: (0..steps as usize).map(history).collect(),
            interface: None,
        };
        let quantity = if self.gradient { ProbeQuantity::Gradient } else { ProbeQuantity::Velocity };
        let probe = Probe { position: receiver, quantity, interface: None };
        let mut operator = FdOperator::new(&medium, &options, dt, &[source], &[probe], workers(1)).unwrap();
        advance(&mut operator, steps as u64);
        let samples: Vec<f64> = operator.take_samples().unwrap().iter().map(|v| v.to_f64()).collect();
        let times: Vec<f64> = (0..steps as usize).map(|n| whole(n) + 0.5 * dt).collect();
        let offset = [0, 1, 2].map(|i| receiver[i] - position[i]);
        let exact = self.exact(offset, &times);
        let channels = exact.len();
        let (mut difference, mut square) = (0.0, 0.0);
        for (channel, exact) in exact.iter().enumerate() {
            for (n, exact) in exact.iter().enumerate() {
                difference += (samples[n * channels + channel] - exact).powi(2);
                square += exact * exact;
            }
        }
        (difference / square).sqrt()
    }

    /// Velocity, or its gradient by central differences of fourth order over a metre.
    fn exact(&self, offset: [f64; 3], times: &[f64]) -> Vec<Vec<f64>> {
        if !self.gradient {
            return self.velocity(offset, times).to_vec();
        }
        let mut gradient = vec![Vec::new(); 9];
        for axis in 0..3 {
            let at = |step: f64| {
                let mut moved = offset;
                moved[axis] += step;
                self.velocity(moved, times)
            };
            let values = [at(-2.0), at(-1.0), at(1.0), at(2.0)];
            for c in 0..3 {
                let slope =
                    |n: usize| (8.0 * (values[2][c][n] - values[1][c][n]) - (values[3][c][n] - values[0][c][n])) / 12.0;
                gradient[3 * c + axis] = (0..times.len()).map(slope).collect();
            }
        }
        gradient
    }

    fn velocity(&self, offset: [f64; 3], times: &[f64]) -> [Vec<f64>; 3] {
        let [vp, vs, rho] = self.solid;
        let space = FullSpace { vp, vs, rho };
        match self.mechanism {
            SourceMechanism::Force(force) => space.of_force(force, &self.derivative(), offset, times),
            SourceMechanism::Moment(moment) => space.of_moment(moment, &self.gaussian.pulse(), offset, times),
        }
    }

    /// The derivative of the Gaussian as the source history, which converts the displacement of the force into velocity.
    fn derivative(&self) -> History<'static> {
        let g = self.gaussian;
        let x = move |t: f64| (t - g.centre) / g.sigma;
        History {
            rate: Box::new(move |t| (x(t).powi(2) - 1.0) / g.sigma.powi(2) * g.value(t)),
            value: Box::new(move |t| -x(t) / g.sigma * g.value(t)),
            integral: Box::new(move |t| g.value(t)),
            double_integral: Box::new(move |t| g.step_value(t)),
        }
    }
}

/// Shortest S wave of the Gaussian that carries more than a percent of its amplitude, over the grid spacing.
fn points_per_wavelength(problem: &Problem) -> f64 {
    let highest = (2.0 * 100.0_f64.ln()).sqrt() / (2.0 * std::f64::consts::PI * problem.gaussian.sigma);
    problem.solid[1] / highest / (2000.0 / problem.cells as f64)
}

#[test]
fn a_force_and_a_moment_have_the_amplitudes_of_the_closed_form() {
    let gaussian = Gaussian { sigma: 0.035, centre: 0.16 };
    let [force, moment] = [SourceMechanism::Force(FORCE), SourceMechanism::Moment(MOMENT)];
    // The last has a negative lambda.
    let auxetic = [4000.0, 3200.0, 2500.0];
    for (mechanism, gradient, solid) in [(force, false, ROCK), (moment, true, ROCK), (moment, false, auxetic)] {
        let problem =
            Problem { solid, half_length: 4, cells: 64, mechanism, gaussian, courant: 0.35, radius: 4, gradient };
        let error = problem.error::<f32>();
        assert!(
            error < 0.002,
            "{mechanism:?}: {error} at {:.1} points per wavelength",
            points_per_wavelength(&problem)
        );
    }
}

#[test]
fn errors_fall_at_the_order_of_the_stencil() {
    let gaussian = Gaussian { sigma: 0.05, centre: 0.215 };
    for (half_length, cells, courant) in [(1, [40, 60], 0.9), (2, [32, 48], 0.2), (4, [30, 40], 0.04)] {
        let errors = cells.map(|cells| {
            let mechanism = SourceMechanism::Moment(MOMENT);
            let problem =
                Problem { solid: ROCK, half_length, cells, mechanism, gaussian, courant, radius: 10, gradient: false };
            problem.error::<f64>()
        });
        let order = (errors[0] / errors[1]).ln() / (cells[1] as f64 / cells[0] as f64).ln();
        assert!(order > 2.0 * half_length as f64 - 0.2, "{half_length}: {order}");
    }
}
