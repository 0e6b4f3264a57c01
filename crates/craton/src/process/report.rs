//! Summary table of the operations.

use std::fmt;
use std::path::PathBuf;

use super::files::Outline;
use crate::number::counted;

/// Summary of processing.
#[derive(Debug, Clone, PartialEq)]
pub struct Processed {
    /// The traces as read, and after each operation.
    pub rows: Vec<Row>,
    /// Number of written files.
    pub files: usize,
    /// Number of traces of folders that were left out, because the result of an operation on their quantity has no name.
    pub left_out: usize,
    /// Their folder.
    pub output: PathBuf,
}

/// All traces after an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The operation.
    pub done: String,
    /// Smallest and largest sample interval [s].
    pub interval: [f64; 2],
    /// Smallest and largest number of samples.
    pub samples: [usize; 2],
}

impl Row {
    /// The row of an operation.
    pub(super) fn new<'a>(done: String, outlines: impl Iterator<Item = &'a Outline>) -> Self {
        let start = Self { done, interval: [f64::INFINITY, 0.0], samples: [usize::MAX, 0] };
        outlines.fold(start, |row, outline| {
            let ([shortest, longest], [fewest, most]) = (row.interval, row.samples);
            let (dt, count) = (outline.axis.dt, outline.axis.count);
            Self { interval: [shortest.min(dt), longest.max(dt)], samples: [fewest.min(count), most.max(count)], ..row }
        })
    }
}

impl fmt::Display for Processed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |[least, most]: [String; 2]| if least == most { least } else { format!("{least} to {most}") };
        // Six digits: text without a header defines its interval by the difference of two times.
        let seconds = |time: f64| format!("{time:.5e}").parse().map_or(time, |rounded: f64| rounded).to_string();
        let cells = |row: &Row| {
            [row.done.clone(), range(row.interval.map(seconds)), range(row.samples.map(|count| count.to_string()))]
        };
        let head = ["operation", "interval [s]", "samples"].map(str::to_owned);
        let table: Vec<[String; 3]> = std::iter::once(head).chain(self.rows.iter().map(cells)).collect();
        let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let [first, second, third] = std::array::from_fn(width);
        for [done, interval, samples] in &table {
            writeln!(f, "{done:first$}  {interval:>second$}  {samples:>third$}")?;
        }
        if self.left_out > 0 {
            let left_out = counted(self.left_out, "trace");
            writeln!(f, "\n{left_out} left out: the result of these operations on the quantity has no name")?;
        }
        writeln!(f, "\n{} written to {}", counted(self.files, "file"), self.output.display())
    }
}
