//! Wall-clock time of each stage of a run.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Instant;

/// One stage of a run and the wall-clock time spent in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Name of the stage, as in the pipeline: "mesh", "operator", "time loop".
    pub name: String,
    /// Wall-clock time [s].
    pub seconds: f64,
}

/// Timers of named stages, in the order in which they first ran; displayed as a table of stage, seconds and share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stages(Vec<Stage>);

impl Stages {
    /// Creates an empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `work` and adds its wall-clock time to the stage `name`; returns the result of `work`.
    pub fn time<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.add(name, start.elapsed().as_secs_f64());
        result
    }

    /// Adds `seconds`, measured elsewhere, to the stage `name`.
    pub fn add(&mut self, name: &str, seconds: f64) {
        match self.0.iter_mut().find(|stage| stage.name == name) {
            Some(stage) => stage.seconds += seconds,
            None => self.0.push(Stage { name: name.to_owned(), seconds }),
        }
    }

    /// The stages in the order in which they first ran.
    pub fn iter(&self) -> impl Iterator<Item = &Stage> {
        self.0.iter()
    }

    /// Time of one stage [s]; zero when it never ran.
    #[must_use]
    pub fn seconds(&self, name: &str) -> f64 {
        self.0.iter().find(|stage| stage.name == name).map_or(0.0, |stage| stage.seconds)
    }

    /// Total time of all stages [s].
    #[must_use]
    pub fn total_seconds(&self) -> f64 {
        self.0.iter().map(|stage| stage.seconds).sum()
    }
}

impl fmt::Display for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total_seconds();
        let width = self.0.iter().map(|stage| stage.name.chars().count()).max().unwrap_or(0).max("total".len());
        writeln!(f, "{:width$}  {:>10}  {:>6}", "stage", "seconds", "share")?;
        for Stage { name, seconds } in &self.0 {
            let percent = if total > 0.0 { 100.0 * seconds / total } else { 0.0 };
            writeln!(f, "{name:width$}  {seconds:>10.3}  {percent:>5.1}%")?;
        }
        write!(f, "{:width$}  {total:>10.3}", "total")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_stage_returns_its_result_and_its_time() {
        let mut stages = Stages::new();
        let answer = stages.time("mesh", || {
            std::thread::sleep(Duration::from_millis(20));
            42
        });
        assert_eq!(answer, 42);
        assert!(stages.seconds("mesh") >= 0.02);
        assert_eq!(stages.seconds("operator"), 0.0);
    }

    #[test]
    fn the_table_shows_shares_in_order_of_first_run() {
        let mut stages = Stages::new();
        stages.add("mesh", 0.5);
        stages.add("time loop", 3.0);
        stages.add("mesh", 0.5);
        assert_eq!(
            stages.to_string(),
            "stage         seconds   share\n\
             mesh            1.000   25.0%\n\
             time loop       3.000   75.0%\n\
             total           4.000"
        );
    }
}
