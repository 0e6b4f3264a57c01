//! A preview of a survey or gravity computation.

use std::fmt;

/// A preview before work starts: a title, labelled lines, and warnings.
#[derive(Debug)]
pub struct LookAhead {
    /// Title of the computation.
    pub title: String,
    /// Labels and texts; a label is empty if a text continues on the next line.
    pub lines: Vec<(&'static str, String)>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl fmt::Display for LookAhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        self.lines.iter().try_for_each(|(name, text)| writeln!(f, "  {name:<22} {text}"))?;
        self.warnings.iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}
