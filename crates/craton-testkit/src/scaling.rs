//! What the benchmarks of many parts ask, measure and tell: the same for all methods.

use std::time::Instant;

use craton_device::gpu::{Gpu, devices};

/// Runs of each measurement, of which the best, the median and the spread are told.
const RUNS: usize = 3;
/// Seconds that a run takes at least, so that its end does not count.
const LEAST_SECONDS: f64 = 0.5;

/// What is asked for on the command line: experiments by name, numbers, and the GPUs of this machine or emulated ones.
pub struct Asked {
    experiments: Vec<String>,
    numbers: Vec<(&'static str, usize)>,
    /// What computes; each reaches the memory of the others where it can.
    pub gpus: Vec<Gpu>,
}

impl Asked {
    /// Reads the words of the command line.
    ///
    /// # Arguments
    /// * `numbers` – options that take a number, and what they are unless said; `--emulated N` is one of all benchmarks, and `--parts N` is how many
    ///   parts share each real GPU, 1 unless said: what they say to each other, and what it costs, can be seen where there is one GPU
    ///
    /// # Errors
    /// An option without its number, no parts, no GPU.
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

    /// What computes, in words.
    pub fn title(&self) -> String {
        let (name, count) = (&self.gpus[0].info().name, self.gpus.len());
        match if self.number("--emulated") == 0 { self.number("--parts") } else { 1 } {
            1 => format!("{count} x {name}"),
            parts => format!("{count} parts on {} x {name}", count / parts),
        }
    }

    /// The number of an option.
    ///
    /// # Panics
    /// If there is no such option.
    pub fn number(&self, name: &str) -> usize {
        self.numbers.iter().find(|(option, _)| *option == name).expect("an option of this benchmark").1
    }

    /// Whether an experiment is asked for: all are where none is named.
    pub fn wants(&self, experiment: &str) -> bool {
        self.experiments.is_empty() || self.names(experiment)
    }

    /// Whether an experiment is asked for by its name.
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
    /// * `advance` – makes so many steps and waits for them
    pub fn measure(gpus: usize, name: String, size: usize, mut advance: impl FnMut(u64)) -> Self {
        let mut seconds = |steps: u64| {
            let start = Instant::now();
            advance(steps);
            start.elapsed().as_secs_f64()
        };
        // A first go warms up and says how many steps a run needs.
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

    /// The rate of a device beside that of the first row, where all rows are one problem: 1 where nothing is lost.
    pub fn strong(&self, first: &Self) -> f64 {
        first.seconds() * first.gpus as f64 / (self.seconds() * self.gpus as f64)
    }

    /// The same where every device of every row has as much to do.
    pub fn weak(&self, first: &Self) -> f64 {
        first.seconds() / self.seconds()
    }
}

/// A table in Markdown.
///
/// # Arguments
/// * `unit` – of the sizes, in the singular
/// * `part` – what the last column says of a row and the first one
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
