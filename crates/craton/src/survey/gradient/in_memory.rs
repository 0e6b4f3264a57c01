//! Gradients for calling programs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

use super::engine::Target;
use super::{
    Comparison, GradientOptions, MisfitAndGradient, MisfitFunction, ModelGradient, Observed, SurveyGradient, check,
};
use crate::error::{Error, SurveyError};
use crate::sampled::Sampled;
use crate::simulation::{Watch, Work};
use crate::survey::Survey;
use crate::survey::shots::{Outcome, Trouble};

/// Name of a gradient, number of points along each axis of its grid, the slowest first, and values in this order.
pub type Shaped = (&'static str, Vec<usize>, Vec<f64>);

impl Survey {
    /// Arrays of a gradient with the shape of the gridded model, including points outside of the domain, where it is zero.
    pub fn shaped(&self, gradient: &ModelGradient) -> Vec<Shaped> {
        let values = [("velocity", &gradient.velocity), ("density", &gradient.density)];
        let pairs = values.into_iter().zip(self.setup.fluid.grids());
        let shaped = |((name, values), grid): ((&'static str, &Vec<f64>), &Sampled)| {
            let (axes, values) = grid.like_file(values);
            (name, axes.iter().rev().map(|&(_, (_, _, count))| count).collect(), values)
        };
        pairs.filter(|((_, values), _)| !values.is_empty()).map(shaped).collect()
    }

    /// Misfit between the gathers of the survey and observed ones, and its gradient with respect to the gridded model.
    ///
    /// The devices of the survey compute the gradient: GPUs, or cores. Shots are summed in the order of the survey: the result does not depend on the number of
    /// devices and threads; those of GPUs and of CPUs agree within single precision. The gradient is that of the discrete computation for a fixed grid and time step.
    ///
    /// # Arguments
    /// * `observed` – observed gathers of all shots and channels, with the samples of the survey
    /// * `watch` – progress
    /// # Errors
    /// A survey or gathers that are not supported or do not match, insufficient memory, or [`SurveyError::Stopped`] after a cancellation.
    pub fn misfit_and_gradient(
        &self,
        observed: &dyn Observed,
        options: &GradientOptions,
        watch: &mut dyn Watch,
    ) -> Result<SurveyGradient, Error> {
        self.gradient_of(Comparison::Gathers(observed), options, watch)
    }

    /// As [`misfit_and_gradient`](Self::misfit_and_gradient), for a misfit of the calling program.
    ///
    /// # Arguments
    /// * `misfit` – from the computed gather of a shot to the misfit and its derivative with respect to each sample; several threads call it, in any order of the
    ///   shots
    /// * `options` – `misfit` is not used
    /// # Errors
    /// As [`misfit_and_gradient`](Self::misfit_and_gradient), and an error or an invalid result of `misfit`.
    pub fn gradient_of_misfit(
        &self,
        misfit: &MisfitFunction,
        options: &GradientOptions,
        watch: &mut dyn Watch,
    ) -> Result<SurveyGradient, Error> {
        self.gradient_of(Comparison::Function(misfit), options, watch)
    }

    fn gradient_of(
        &self,
        comparison: Comparison,
        options: &GradientOptions,
        watch: &mut dyn Watch,
    ) -> Result<SurveyGradient, Error> {
        check(&self.setup, options)?;
        let shots = self.all_shots();
        let all = self.setup.survey.shots();
        let target = Target::new((&self.setup, &self.grids, &self.clock), comparison, *options)?;
        watch.begin(&Work { piece: "shot", first: 0, total: all.len() as u64, times: None, units: ("points", 1.0) });
        let computers = self.devices.gradient_computers(&shots, &target)?;
        let next = AtomicUsize::new(0);
        let found = std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(computers.len().max(1));
            for mut computer in computers {
                let (shots, next, sender) = (&shots, &next, sender.clone());
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(shot) = all.get(number) else { return };
                        let found = one(computer.engine.compute(&[shot], &shots.grids.window(shot)));
                        let is_last = found.is_err();
                        if sender.send((number, found)).is_err() || is_last || shots.is_over() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let zeros = ModelGradient::zeros(&self.setup, options);
            let found = in_order(receiver, zeros, |done| watch.progress(done));
            // After an error, the others stop.
            shots.halt();
            found
        })?;
        if found.misfits.len() < all.len() {
            return Err(SurveyError::Stopped.into());
        }
        let misfits = all.iter().map(|shot| shot.number).zip(found.misfits).collect();
        Ok(SurveyGradient { misfits, total: found.total })
    }
}

/// The result of the only shot.
fn one(found: Result<Vec<Outcome<MisfitAndGradient>>, Trouble>) -> Result<MisfitAndGradient, Error> {
    match found.map(|mut outcomes| outcomes.remove(0)) {
        Ok(found) => found,
        Err(Trouble::Shots(error) | Trouble::Device(error) | Trouble::Output(error)) => Err(error),
        Err(Trouble::Stopped) => Err(SurveyError::Stopped.into()),
    }
}

/// Sums of shots.
struct Sums {
    misfits: Vec<f64>,
    total: MisfitAndGradient,
}

/// Sums shots in their order, as they are computed in any order.
fn in_order(
    computed: Receiver<(usize, Result<MisfitAndGradient, Error>)>,
    zeros: ModelGradient,
    mut progress: impl FnMut(u64),
) -> Result<Sums, Error> {
    let mut early = BTreeMap::new();
    let mut sums = Sums { misfits: Vec::new(), total: MisfitAndGradient { misfit: 0.0, gradient: zeros } };
    for (number, found) in computed {
        early.insert(number, found?);
        while let Some(found) = early.remove(&sums.misfits.len()) {
            sums.misfits.push(found.misfit);
            sums.total.misfit += found.misfit;
            sums.total.gradient.add(&found.gradient);
            progress(sums.misfits.len() as u64);
        }
    }
    Ok(sums)
}
