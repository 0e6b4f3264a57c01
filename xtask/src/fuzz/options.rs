//! Options of the command.

use super::campaign::Budget;
use anyhow::{Context as _, Result, bail};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Duration without options [s].
const SECONDS: f64 = 30.0;
/// Longest execution without options [s].
const LIMIT: f64 = 5.0;

const USAGE: &str =
    "fuzz takes [--seconds N | --executions N] [--seed N] [--target WORD] [--limit SECONDS] [--replay FILE] [--list]";

/// Options of the command.
#[derive(Clone, Debug)]
pub struct Options {
    /// Budget of all targets together.
    pub budget: Budget,
    /// Seed of all mutations.
    pub seed: u64,
    /// Only targets whose names contain this word.
    pub word: String,
    /// Longest execution.
    pub limit: Duration,
    /// An input to execute once, instead of a campaign.
    pub replay: Option<PathBuf>,
    /// Whether to list the targets only.
    pub list: bool,
    /// The working folder, in the process that executes the targets.
    pub worker: Option<PathBuf>,
}

impl Options {
    /// Reads the words of the command line.
    ///
    /// # Errors
    /// An unknown option, or a value that is no number.
    pub fn read(words: &[&str]) -> Result<Self> {
        let mut options = Self {
            budget: Budget::Seconds(SECONDS),
            seed: 0,
            word: String::new(),
            limit: Duration::from_secs_f64(LIMIT),
            replay: None,
            list: false,
            worker: None,
        };
        let mut rest = words;
        while let [option, after @ ..] = rest {
            if *option == "--list" {
                (options.list, rest) = (true, after);
                continue;
            }
            let [value, after @ ..] = after else { bail!("{USAGE}") };
            match *option {
                "--seconds" => options.budget = Budget::Seconds(positive(value)?),
                "--executions" => options.budget = Budget::Executions(number(value)?),
                "--seed" => options.seed = number(value)?,
                "--target" => options.word = (*value).to_owned(),
                "--limit" => options.limit = Duration::from_secs_f64(positive(value)?),
                "--replay" => options.replay = Some(PathBuf::from(value)),
                "--worker" => options.worker = Some(PathBuf::from(value)),
                _ => bail!("{USAGE}"),
            }
            rest = after;
        }
        Ok(options)
    }
}

fn number<T: FromStr<Err: std::error::Error + Send + Sync + 'static>>(text: &str) -> Result<T> {
    text.parse().with_context(|| format!("`{text}` is not a number of the expected kind"))
}

fn positive(text: &str) -> Result<f64> {
    let seconds: f64 = number(text)?;
    if !(seconds > 0.0 && seconds < 1e9) {
        bail!("`{text}` is not a time; give seconds, above 0");
    }
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_in_any_order() {
        let options = Options::read(&["--target", "sac", "--executions", "7", "--list"]).unwrap();
        assert_eq!((options.budget, &*options.word, options.list), (Budget::Executions(7), "sac", true));
        for words in [&["--seconds", "0"][..], &["--seed"], &["--seed", "x"], &["--what", "1"]] {
            assert!(Options::read(words).is_err(), "{words:?}");
        }
    }
}
