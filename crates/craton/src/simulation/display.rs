//! Display of progress on standard error, on request of the calling program.

use craton_run::{Progress, ProgressMode};

use super::sink::{Watch, Work};

/// Displays progress as the command line does: a bar on a terminal, lines elsewhere.
pub struct Display {
    mode: ProgressMode,
    shown: Option<Progress>,
    /// Messages before the computation started.
    before: Vec<String>,
}

impl Display {
    /// An empty display.
    pub fn new(mode: ProgressMode) -> Self {
        Self { mode, shown: None, before: Vec::new() }
    }
}

impl Watch for Display {
    fn begin(&mut self, work: &Work) {
        let mut progress = Progress::new(*work, self.mode);
        self.before.drain(..).for_each(|text| progress.message(&text));
        self.shown = Some(progress);
    }

    fn progress(&mut self, done: u64) {
        if let Some(progress) = &mut self.shown {
            progress.update(done);
        }
    }

    fn message(&mut self, text: &str) {
        match &mut self.shown {
            Some(progress) => progress.message(text),
            None => self.before.push(text.to_owned()),
        }
    }
}
