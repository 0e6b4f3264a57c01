//! Progress of a job: pieces done, speed and time left.

use crate::Seconds;
use craton_formats::escaped;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Minimum time between two lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// A line is due after this fraction of the job ...
const LINE_SHARE: f64 = 0.1;
/// ... or after this time, so that a slow job shows that it is still running.
const LINE_TIMEOUT: Duration = Duration::from_secs(600);
/// Redraws of the bar per second.
const BAR_RATE: u8 = 5;

/// How progress is shown on standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgressMode {
    /// A bar on a terminal, plain lines elsewhere (a log file, a batch job).
    #[default]
    Auto,
    /// A line that is redrawn.
    Bar,
    /// New lines, at intervals.
    Lines,
    /// Nothing.
    Silent,
}

/// Extent of a job, fixed before it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkPlan {
    /// Name of the pieces that are done one after the other: `step`, `shot`.
    pub piece: &'static str,
    /// Number of pieces already done when this process starts: zero unless resumed.
    pub first: u64,
    /// Total number of pieces.
    pub total: u64,
    /// Simulated times of the steps, if the pieces are time steps.
    pub times: Option<Times>,
    /// Name of the units that each piece updates, elements or cells, and their number.
    pub units: (&'static str, f64),
}

/// Simulated times of the steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// Time of step 0 [s].
    pub start: f64,
    /// Time step [s].
    pub dt: f64,
    /// Upper bound of the time displayed [s].
    pub end: f64,
}

/// Shows a running job: pieces, simulated time, pieces and elements or cells per second, time left.
pub struct Progress {
    plan: WorkPlan,
    started: Instant,
    display: Display,
}

enum Display {
    Bar(ProgressBar),
    Lines { to: Box<dyn Write + Send>, last: Duration, last_done: u64 },
    Silent,
}

impl Progress {
    /// Starts the clock and displays progress on standard error.
    #[must_use]
    pub fn new(plan: WorkPlan, mode: ProgressMode) -> Self {
        let terminal = io::stderr().is_terminal();
        match mode {
            ProgressMode::Silent => Self::with_display(plan, Display::Silent),
            ProgressMode::Auto if terminal => Self::bar(plan),
            ProgressMode::Bar => Self::bar(plan),
            ProgressMode::Auto | ProgressMode::Lines => Self::lines_to(plan, Box::new(io::stderr())),
        }
    }

    /// Starts the clock and writes plain lines to `to`, for example a log.
    #[must_use]
    pub fn lines_to(plan: WorkPlan, to: Box<dyn Write + Send>) -> Self {
        Self::with_display(plan, Display::Lines { to, last: Duration::ZERO, last_done: plan.first })
    }

    fn bar(plan: WorkPlan) -> Self {
        let bar = ProgressBar::new(plan.total).with_position(plan.first);
        bar.set_draw_target(indicatif::ProgressDrawTarget::stderr_with_hz(BAR_RATE));
        let style = ProgressStyle::with_template("[{bar:20}] {percent:>3}%  {wide_msg}")
            .expect("the template is a constant that parses")
            .progress_chars("=> ");
        bar.set_style(style);
        Self::with_display(plan, Display::Bar(bar))
    }

    fn with_display(plan: WorkPlan, display: Display) -> Self {
        Self { plan, started: Instant::now(), display }
    }

    /// Updates the number of pieces done; cheap enough to call after each piece.
    pub fn update(&mut self, done: u64) {
        self.update_at(done, self.started.elapsed());
    }

    /// Displays a message, such as a warning or the name of a written file, without disturbing the bar. Control characters are escaped,
    /// since messages quote files. Silent in the silent mode.
    pub fn message(&mut self, text: &str) {
        let text = escaped(text);
        match &mut self.display {
            Display::Bar(bar) => bar.println(text),
            Display::Lines { to, .. } => write_line(to, &text),
            Display::Silent => {}
        }
    }

    /// Ends the display after `done` pieces; the last state stays visible, whether the job is complete or interrupted.
    pub fn finish(mut self, done: u64) {
        let text = self.text(done, self.started.elapsed());
        match &mut self.display {
            Display::Bar(bar) => {
                bar.set_position(done);
                bar.abandon_with_message(text);
            }
            Display::Lines { to, .. } => write_line(to, &text),
            Display::Silent => {}
        }
    }

    fn update_at(&mut self, done: u64, elapsed: Duration) {
        let due = match &self.display {
            Display::Bar(_) => true,
            Display::Lines { last, last_done, .. } => {
                self.line_is_due(done.saturating_sub(*last_done), elapsed - *last)
            }
            Display::Silent => false,
        };
        if !due {
            return;
        }
        let text = self.text(done, elapsed);
        match &mut self.display {
            Display::Bar(bar) => {
                bar.set_position(done);
                bar.set_message(text);
            }
            Display::Lines { to, last, last_done } => {
                write_line(to, &text);
                (*last, *last_done) = (elapsed, done);
            }
            Display::Silent => {}
        }
    }

    fn line_is_due(&self, pieces: u64, waited: Duration) -> bool {
        let share = pieces as f64 / self.plan.total.max(1) as f64;
        waited >= LINE_TIMEOUT || (waited >= LINE_INTERVAL && share >= LINE_SHARE)
    }

    fn text(&self, done: u64, elapsed: Duration) -> String {
        let WorkPlan { piece, first, total, times, units: (unit, count) } = self.plan;
        let own = done.saturating_sub(first);
        let seconds = elapsed.as_secs_f64();
        let rate = if seconds > 0.0 { own as f64 / seconds } else { 0.0 };
        let left = if done >= total { 0.0 } else { (total - done) as f64 / rate };
        let time = times.map_or_else(String::new, |Times { start, dt, end }| {
            format!("  t = {:.3}/{end:.3} s", (start + done as f64 * dt).min(end))
        });
        // The most important figures come first, since a narrow terminal truncates the line.
        format!(
            "{piece} {done}/{total}{time}  {} left  {} {piece}s/s  {} {unit}/s",
            Seconds(left),
            rate_text(rate),
            rate_text(rate * count),
        )
    }
}

/// Formats a rate with three digits and a metric prefix: `812`, `3.25 M`.
fn rate_text(rate: f64) -> String {
    const PREFIXES: [&str; 5] = ["", " k", " M", " G", " T"];
    let mut value = rate;
    let mut prefix = 0;
    while value >= 999.5 && prefix + 1 < PREFIXES.len() {
        value /= 1000.0;
        prefix += 1;
    }
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$}{}", PREFIXES[prefix])
}

/// Writes a line. Errors are ignored, since a closed log must not stop the computation.
fn write_line(to: &mut dyn Write, text: &str) {
    let _ = writeln!(to, "{text}").and_then(|()| to.flush());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Log {
        fn lines(&self) -> Vec<String> {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap().lines().map(str::to_owned).collect()
        }
    }

    /// Lines written for `total_steps` steps at `rate` steps per second of simulated wall-clock time, with dt = 0.01 s.
    fn lines_of(first_step: u64, total_steps: u64, rate: f64) -> Vec<String> {
        let times = Some(Times { start: 0.0, dt: 0.01, end: total_steps as f64 * 0.01 });
        let plan =
            WorkPlan { piece: "step", first: first_step, total: total_steps, times, units: ("elements", 5000.0) };
        let log = Log::default();
        let mut progress = Progress::lines_to(plan, Box::new(log.clone()));
        for step in first_step + 1..=total_steps {
            let elapsed = Duration::from_secs_f64((step - first_step) as f64 / rate);
            progress.update_at(step, elapsed);
        }
        log.lines()
    }

    #[test]
    fn a_short_job_writes_at_most_one_line_in_ten_seconds() {
        assert_eq!(lines_of(0, 1000, 1000.0).len(), 0);
        let lines = lines_of(0, 1000, 1000.0 / 35.0);
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], "step 286/1000  t = 2.860/10.000 s  25.0 s left  28.6 steps/s  143 k elements/s");
    }

    #[test]
    fn a_long_job_writes_a_line_per_tenth_and_at_least_every_ten_minutes() {
        assert_eq!(lines_of(0, 1000, 1.0).len(), 10);
        assert_eq!(lines_of(0, 1000, 0.05).len(), 33);
    }

    #[test]
    fn the_rate_of_a_resumed_job_counts_only_new_steps() {
        let lines = lines_of(500, 1000, 10.0);
        assert!(lines[0].starts_with("step 600/1000  t = 6.000/10.000 s  40.0 s left  10.0 steps/s"), "{}", lines[0]);
    }

    #[test]
    fn messages_and_the_last_state_are_written() {
        let log = Log::default();
        let times = Some(Times { start: 0.0, dt: 0.01, end: 0.1 });
        let plan = WorkPlan { piece: "step", first: 0, total: 10, times, units: ("elements", 1.0) };
        let mut progress = Progress::lines_to(plan, Box::new(log.clone()));
        progress.message("checkpoint written");
        progress.message("\u{1b}]0;x\u{7} is not a number");
        progress.finish(10);
        let lines = log.lines();
        assert_eq!(lines[..2], ["checkpoint written", "\\u{1b}]0;x\\u{7} is not a number"]);
        assert!(lines[2].starts_with("step 10/10  t = 0.100/0.100 s  0 ms left"), "{}", lines[2]);
    }

    #[test]
    fn a_job_without_times_reports_its_pieces() {
        let log = Log::default();
        let plan = WorkPlan { piece: "shot", first: 0, total: 8, times: None, units: ("cells", 1e6) };
        let mut progress = Progress::lines_to(plan, Box::new(log.clone()));
        progress.update_at(2, Duration::from_secs(20));
        assert_eq!(log.lines(), ["shot 2/8  1 min 00 s left  0.10 shots/s  100 k cells/s"]);
    }

    #[test]
    fn rates_carry_three_digits() {
        for (rate, text) in [(0.0, "0.00"), (8.125, "8.12"), (812.0, "812"), (999.6, "1.00 k"), (81.2e6, "81.2 M")] {
            assert_eq!(rate_text(rate), text);
        }
    }
}
