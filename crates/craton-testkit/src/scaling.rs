//! Command line, measurement and report of scaling benchmarks, common to all methods.

use std::time::Instant;

use craton_device::gpu::{Gpu, devices};

/// Runs per measurement; the best, the median and the worst are reported.
const RUNS: usize = 3;
/// Minimum duration of a run [s], so that start and end effects are negligible.
const LEAST_SECONDS: f64 = 0.5;

/// Parsed command line: experiments by name, numeric options, and the GPUs of this machine or emulated ones.
pub struct Asked {
    experiments: Vec<String>,
    numbers: Vec<(&'static str, usize)>,
    /// The GPUs, with peer access enabled where possible.
    pub gpus: Vec<Gpu>,
}

impl Asked {
    /// Parses the command line.
    ///
    /// # Arguments
    /// * `numbers` – numeric options with their defaults. All benchmarks accept `--emulated N`, and `--parts N` for the number of parts per real GPU (default
    ///   1), which measures communication between parts even on a single GPU
    ///
    /// # Errors
    /// An option without its number, zero parts, or no GPU.
    pub fn read(numbers: &[(&'static str, usize)]) -> Result<Self, String> {
        let mut numbers = [numbers, &[("--emulated", 0), ("--parts", 1)]].concat();
        let mut experiments = Vec::new();
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            if let Some((_, number)) = numbers.iter_mut().find(|(name, _)| *name == word) {
                let given = words.next().and_then(|number| number.parse().ok());
                *number = given.ok_or(format!("{word} takes a number"))?;
            } else if !word.starts_with("--") {
                experiments.push(word);
            }
        }
        let mut asked = Self { experiments, numbers, gpus: Vec::new() };
        if asked.number("--parts") == 0 {
            return Err("--parts takes 1 or more".to_owned());
        }
        let gpus: Result<Vec<Gpu>, _> = match asked.number("--emulated") {
            0 => devices().and_then(|all| {
                let parts = all.iter().flat_map(|gpu| vec![gpu.ordinal; asked.number("--parts")]);
                parts.map(Gpu::cuda).collect()
            }),
            count => (0..count).map(|_| Gpu::emulated()).collect(),
        };
        asked.gpus = gpus.map_err(|error| error.to_string())?;
        for gpu in &asked.gpus {
            for other in asked.gpus.iter().filter(|other| other.info().ordinal != gpu.info().ordinal) {
                gpu.reach(other).map_err(|error| error.to_string())?;
            }
        }
        Ok(asked)
    }

    /// Description of the GPUs.
    pub fn title(&self) -> String {
        let (name, count) = (&self.gpus[0].info().name, self.gpus.len());
        match if self.number("--emulated") == 0 { self.number("--parts") } else { 1 } {
            1 => format!("{count} x {name}"),
            parts => format!("{count} parts on {} x {name}", count / parts),
        }
    }

    /// Returns the value of a numeric option.
    ///
    /// # Panics
    /// If the option is unknown.
    pub fn number(&self, name: &str) -> usize {
        self.numbers.iter().find(|(option, _)| *option == name).expect("an option of this benchmark").1
    }

    /// Whether an experiment should run: if none is named, all of them run.
    pub fn wants(&self, experiment: &str) -> bool {
        self.experiments.is_empty() || self.names(experiment)
    }

    /// Whether an experiment is requested by name.
    pub fn names(&self, experiment: &str) -> bool {
        self.experiments.iter().any(|asked| asked == experiment)
    }

    /// 1, 2, 4 ... of the GPUs.
    pub fn counts(&self) -> Vec<usize> {
        (0..).map(|power| 1 << power).take_while(|&count| count <= self.gpus.len()).collect()
    }
}

/// One line of a table.
pub struct Row {
    gpus: usize,
    name: String,
    size: usize,
    /// Seconds of a step in each run, ascending.
    steps: Vec<f64>,
}

impl Row {
    /// Measures steps on some GPUs.
    ///
    /// # Arguments
    /// * `size` – elements or cells
    /// * `advance` – makes the given number of steps and waits for their completion
    pub fn measure(gpus: usize, name: String, size: usize, mut advance: impl FnMut(u64)) -> Self {
        let mut seconds = |steps: u64| {
            let start = Instant::now();
            advance(steps);
            start.elapsed().as_secs_f64()
        };
        // A warm-up run determines the number of steps per run.
        seconds(2);
        let steps = ((LEAST_SECONDS / (seconds(4) / 4.0)) as u64).clamp(4, 2000);
        let mut runs: Vec<f64> = (0..RUNS).map(|_| seconds(steps) / steps as f64).collect();
        runs.sort_by(f64::total_cmp);
        Self { gpus, name, size, steps: runs }
    }

    /// Seconds of a step: the median.
    pub fn seconds(&self) -> f64 {
        self.steps[RUNS / 2]
    }

    /// Strong-scaling efficiency: rate per device relative to the first row, if all rows are the same problem.
    pub fn strong(&self, first: &Self) -> f64 {
        first.seconds() * first.gpus as f64 / (self.seconds() * self.gpus as f64)
    }

    /// Weak-scaling efficiency: the same if the work per device is constant.
    pub fn weak(&self, first: &Self) -> f64 {
        first.seconds() / self.seconds()
    }
}

/// A table in Markdown.
///
/// # Arguments
/// * `unit` – unit of the sizes, in the singular
/// * `part` – computes the last column from a row and the first row
pub fn table(unit: &str, rows: &[Row], part: impl Fn(&Row, &Row) -> f64) -> String {
    let mut text = format!(
        "| parts | messages | {unit}s | ms a step, best (median, worst) | ns per {unit} and part | share of the first row |\n\
         |---|---|---|---|---|---|\n"
    );
    for row in rows {
        let Row { gpus, name, size, steps } = row;
        let [best, worst] = [steps[0], steps[RUNS - 1]].map(|seconds| 1e3 * seconds);
        let median = 1e3 * row.seconds();
        let each = 1e6 * median / (*size as f64 / (*gpus).max(1) as f64);
        let part = part(row, &rows[0]);
        text +=
            &format!("| {gpus} | {name} | {size} | {best:.3} ({median:.3}, {worst:.3}) | {each:.4} | {part:.4} |\n");
    }
    text
}
