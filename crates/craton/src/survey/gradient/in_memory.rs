//! Gradients for calling programs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

use craton_device::Workers;

use super::engine::{GradientEngine, Target};
use super::{GradientOptions, ModelGradient, Observed, SurveyGradient, check, every};
use crate::error::{Error, SurveyError};
use crate::sampled::Sampled;
use crate::simulation::{Watch, Work};
use crate::survey::Survey;
use crate::survey::shots::{Engine as _, Trouble};

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
    /// Cores compute the gradient, whatever the device of the survey is. Shots are summed in the order of the survey: the result does not depend on the
    /// number of threads. The gradient is that of the discrete computation for a fixed grid and time step.
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
        check(&self.setup, options)?;
        let shots = self.all_shots();
        let all = self.setup.survey.shots();
        let threads = self.devices.gradient_threads(self.setup.is_plane, all.len());
        let room = self.devices.gradient_room(&self.grids, all, threads.len())?;
        let target =
            Target { setup: &self.setup, observed, options: *options, every: every(&self.clock, options)?, room };
        watch.begin(&Work { piece: "shot", first: 0, total: all.len() as u64, times: None, units: ("points", 1.0) });
        let (next, mut early) = (AtomicUsize::new(0), BTreeMap::new());
        let mut total = super::MisfitAndGradient { misfit: 0.0, gradient: ModelGradient::zeros(&self.setup, options) };
        let mut misfits = Vec::new();
        let engines = threads.iter().map(|&threads| Ok(Arc::new(Workers::new(Some(threads))?)));
        let engines: Vec<Arc<Workers>> = engines.collect::<Result<_, Error>>()?;
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(engines.len());
            for workers in engines {
                let (shots, target, next, sender) = (&shots, &target, &next, sender.clone());
                scope.spawn(move || {
                    let mut engine = GradientEngine::new(shots, target, workers);
                    while let Some(shot) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let found = engine.compute(&[shot], &shots.grids.window(shot));
                        let is_last = !matches!(&found, Ok(all) if all[0].is_ok());
                        if sender.send((shot.number, found)).is_err() || is_last || shots.is_over() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let order: BTreeMap<u32, usize> = all.iter().enumerate().map(|(at, shot)| (shot.number, at)).collect();
            for (number, found) in receiver {
                let found = match found.map(|mut outcomes| outcomes.remove(0)) {
                    Ok(Ok(found)) => found,
                    Ok(Err(error)) | Err(Trouble::Shots(error) | Trouble::Device(error) | Trouble::Output(error)) => {
                        shots.halt();
                        return Err(error);
                    }
                    Err(Trouble::Stopped) => {
                        shots.halt();
                        return Err(SurveyError::Stopped.into());
                    }
                };
                early.insert(order[&number], found);
                while let Some(found) = early.remove(&misfits.len()) {
                    misfits.push((all[misfits.len()].number, found.misfit));
                    total.misfit += found.misfit;
                    total.gradient.add(&found.gradient);
                    watch.progress(misfits.len() as u64);
                }
            }
            Ok(())
        })?;
        match misfits.len() == all.len() {
            true => Ok(SurveyGradient { misfits, total }),
            false => Err(SurveyError::Stopped.into()),
        }
    }
}
