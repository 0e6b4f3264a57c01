//! The lines of a text around a problem, as the report of an error shows them.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// Largest number of characters of a line; of longer ones a part is shown.
const LONGEST: usize = 200;
/// Number of characters before the problem that are shown of a long line.
const BEFORE: usize = 60;
/// Marks where a line was cut.
const CUT: &str = "…";

/// A line of a text with its neighbours, cut to a readable length.
#[derive(Debug, Clone)]
pub struct Excerpt {
    name: String,
    text: String,
    /// Number of lines before the excerpt.
    lines_before: usize,
    /// Index of the line with the problem in the excerpt, and the number of characters that it lost at its start.
    cut: (usize, usize),
}

impl Excerpt {
    /// The excerpt around some bytes of a text, and their place in the excerpt. Of a value of many lines, it has the first.
    ///
    /// # Arguments
    /// * `line` – number of the line in which the bytes begin, from 1
    ///
    /// Verified by `long_reports::many_problems_and_long_lines_are_cut`.
    pub fn new(name: &str, text: &str, bytes: Range<usize>, line: usize) -> (Self, SourceSpan) {
        let start = text[..bytes.start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[bytes.start..].find('\n').map_or(text.len(), |newline| bytes.start + newline + 1);
        let previous = start.checked_sub(1).map(|end| text[..end].rfind('\n').map_or(0, |newline| newline + 1)..start);
        let next = end..text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
        let mut excerpt = previous.clone().map_or_else(String::new, |previous| beginning(&text[previous]));
        let column = text[start..bytes.start].chars().count();
        let lost = if text[start..end].chars().count() > LONGEST { column.saturating_sub(BEFORE) } else { 0 };
        let lost_bytes: usize = text[start..].chars().take(lost).map(char::len_utf8).sum();
        if lost > 0 {
            excerpt.push_str(CUT);
        }
        let from = excerpt.len() + bytes.start - start - lost_bytes;
        excerpt.push_str(&beginning(&text[start + lost_bytes..end]));
        let of_value = text[bytes].lines().next().map_or(0, str::len);
        let shown = excerpt[from..].trim_end_matches('\n').len();
        excerpt.push_str(&beginning(&text[next]));
        let index = usize::from(previous.is_some());
        // The mark is a character, too.
        let cut = (index, lost.saturating_sub(CUT.chars().count()));
        let excerpt = Self { name: name.to_owned(), text: excerpt, lines_before: line - 1 - index, cut };
        (excerpt, (from, of_value.min(shown)).into())
    }
}

/// The beginning of a line, with its line break.
fn beginning(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((end, letter)) if letter != '\n' => {
            let ending = if line.ends_with('\n') { "\n" } else { "" };
            format!("{}{CUT}{ending}", &line[..end])
        }
        _ => line.to_owned(),
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, before, after)?;
        let (line, lost) = self.cut;
        // With context, the contents begin at the start of a line.
        let column = inner.column() + if before == 0 && inner.line() == line { lost } else { 0 };
        let (line, count) = (inner.line() + self.lines_before, inner.line_count());
        let name = self.name.clone();
        Ok(Box::new(MietteSpanContents::new_named(name, inner.data(), *inner.span(), line, column, count)))
    }
}
