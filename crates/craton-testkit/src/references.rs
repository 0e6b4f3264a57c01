//! Reader of the reference tables in `validation/references`, which contain results of other programs with their provenance.

use std::path::{Path, PathBuf};

/// Traces of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceTraces {
    /// Times of the samples [s].
    pub times: Vec<f64>,
    /// The receivers in the file's order.
    pub receivers: Vec<ReferenceReceiver>,
}

/// Traces of one receiver.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceReceiver {
    /// Number of the receiver in the set; in a set of pressure traces, its offset [m].
    pub number: usize,
    /// Components x (east), y (north), z (up), or only the pressure, in the unit stated in the file.
    pub components: Vec<Vec<f64>>,
}

/// An error while reading a table.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system error.
        source: std::io::Error,
    },
    /// The file is not a table of traces.
    #[error("{} is not a table of traces: {problem}; a line `# columns: t r0_N r0_E r0_U ...` or `# columns: t x100 ...` names its columns", path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        problem: String,
    },
}

/// Marks the line that names the columns.
const COLUMNS: &str = "# columns:";
/// Letters of the components as files write them, in the order x, y, z.
const LETTERS: [char; 3] = ['E', 'N', 'U'];

impl ReferenceTraces {
    /// Reads a table of traces: `#` lines, one of them naming the columns `t r0_N r0_E r0_U ...`, or `t x100 x200 ...` for pressures, then rows of
    /// numbers.
    ///
    /// # Arguments
    /// * `set`, `file` – folder and file in `validation/references`, such as `("full_space", "mt_v.txt")`
    /// # Errors
    /// A missing file, unnamed columns, or a row that does not match the columns.
    pub fn read(set: &str, file: &str) -> Result<Self, ReferenceError> {
        let path = folder().join(set).join(file);
        let text = std::fs::read_to_string(&path)
            .map_err(|source| ReferenceError::Unreadable { path: path.clone(), source })?;
        Self::parse(&text).map_err(|problem| ReferenceError::NotATable { path, problem })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let names = text.lines().find_map(|line| line.strip_prefix(COLUMNS)).ok_or("no line names its columns")?;
        let names: Vec<&str> = names.split_whitespace().collect();
        let mut columns = vec![Vec::new(); names.len()];
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let row: Vec<f64> = line
                .split_whitespace()
                .map(|word| word.parse().map_err(|_| format!("line {}: `{word}` is not a number", index + 1)))
                .collect::<Result<_, _>>()?;
            if row.len() != names.len() {
                return Err(format!("line {}: {} numbers for {} columns", index + 1, row.len(), names.len()));
            }
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
        let column = |name: &str| {
            let place = names.iter().position(|known| *known == name).ok_or(format!("it has no column `{name}`"))?;
            Ok::<_, String>(columns[place].clone())
        };
        let receivers = receiver_numbers(&names).into_iter().map(|number| {
            let components = LETTERS.iter().map(|letter| column(&format!("r{number}_{letter}")));
            Ok(ReferenceReceiver { number, components: components.collect::<Result<_, String>>()? })
        });
        let mut receivers = receivers.collect::<Result<Vec<_>, String>>()?;
        for offset in names.iter().filter_map(|name| name.strip_prefix('x')?.parse().ok()) {
            receivers.push(ReferenceReceiver { number: offset, components: vec![column(&format!("x{offset}"))?] });
        }
        Ok(Self { times: column("t")?, receivers })
    }
}

/// The folder of all reference sets: in the workspace, or below the current folder if the workspace is not there.
pub fn folder() -> PathBuf {
    let below_root = "validation/references";
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(below_root);
    if own.is_dir() { own } else { PathBuf::from(below_root) }
}

/// Receiver numbers in the order of their first columns.
fn receiver_numbers(names: &[&str]) -> Vec<usize> {
    let mut numbers = Vec::new();
    for name in names {
        let number =
            name.strip_prefix('r').and_then(|rest| rest.split('_').next()).and_then(|digits| digits.parse().ok());
        numbers.extend(number.filter(|number| !numbers.contains(number)));
    }
    numbers
}
