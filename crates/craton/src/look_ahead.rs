//! What a survey or sums of gravity would be.

use std::fmt;

/// What is told before work starts: a title, lines of a name and what it is, and warnings.
#[derive(Debug)]
pub struct LookAhead {
    /// Title of what would be computed.
    pub title: String,
    /// Names, which may be empty where a line goes on, and what they are.
    pub lines: Vec<(&'static str, String)>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

impl fmt::Display for LookAhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        self.lines.iter().try_for_each(|(name, text)| writeln!(f, "  {name:<22} {text}"))?;
        self.warnings.iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}
