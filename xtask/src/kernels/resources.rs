//! Resource usage of kernels: registers, shared memory, stack and spills, from `ptxas --verbose`.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A kernel of an image on a chip: `(image, kernel, chip)`.
pub type Key = (String, String, String);
/// The resources of many kernels.
pub type Table = BTreeMap<Key, Usage>;

/// Resources of one kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block [bytes].
    pub shared: u32,
    /// Stack per thread [bytes].
    pub stack: u32,
    /// Spill stores [bytes].
    pub spill_stores: u32,
    /// Spill loads [bytes].
    pub spill_loads: u32,
}

const COLUMNS: [&str; 5] = ["registers", "shared", "stack", "spill_stores", "spill_loads"];

impl Usage {
    fn from_figures([registers, shared, stack, spill_stores, spill_loads]: [u32; 5]) -> Self {
        Self { registers, shared, stack, spill_stores, spill_loads }
    }

    fn figures(self) -> [u32; 5] {
        [self.registers, self.shared, self.stack, self.spill_stores, self.spill_loads]
    }

    /// Whether a thread spills registers, or uses nearly the maximum number of registers.
    pub fn stands_out(self) -> bool {
        self.stack > 0 || self.spill_stores > 0 || self.registers > 200
    }

    /// Increases relative to `before`: registers, stack or spills.
    fn worse_than(self, before: Self) -> Option<String> {
        let pairs = COLUMNS.into_iter().zip(before.figures()).zip(self.figures());
        let grown = pairs.filter(|&((name, before), now)| name != "shared" && now > before);
        let each: Vec<String> = grown.map(|((name, before), now)| format!("{name} {before} -> {now}")).collect();
        (!each.is_empty()).then(|| each.join(", "))
    }
}

/// Reads the messages of `ptxas --verbose`: the usage of every kernel by its name.
///
/// # Errors
/// A message of another form.
pub fn read_messages(messages: &str) -> Result<BTreeMap<String, Usage>> {
    let mut kernels = BTreeMap::new();
    let mut kernel: Option<(String, Usage)> = None;
    let before = |line: &str, what: &str| {
        let figure = line.split(what).next().and_then(|text| text.split_whitespace().last());
        figure.and_then(|text| text.parse().ok()).unwrap_or(0)
    };
    for line in messages.lines() {
        if line.contains("Compiling entry function") {
            let name = line.split('\'').nth(1).context("ptxas names no kernel")?;
            kernel = Some((name.to_owned(), Usage::default()));
        } else if let Some((_, usage)) = kernel.as_mut()
            && line.contains("bytes stack frame")
        {
            // A called function has its own frame, which is listed after that of the kernel.
            usage.stack += before(line, " bytes stack frame");
            usage.spill_stores += before(line, " bytes spill stores");
            usage.spill_loads += before(line, " bytes spill loads");
        } else if line.contains(": Used ") {
            let (name, mut usage) = kernel.take().with_context(|| format!("no kernel before `{line}`"))?;
            usage.registers = before(line, " registers");
            usage.shared = if line.contains("bytes smem") { before(line, " bytes smem") } else { 0 };
            kernels.insert(name, usage);
        }
    }
    Ok(kernels)
}

/// The table as text: columns divided by blanks, in order of image, kernel and chip.
pub fn write_table(table: &Table) -> String {
    let mut rows = vec![["image", "kernel", "chip"].into_iter().chain(COLUMNS).map(str::to_owned).collect::<Vec<_>>()];
    for ((image, kernel, chip), usage) in table {
        let names = [image, kernel, chip].map(Clone::clone);
        rows.push(names.into_iter().chain(usage.figures().map(|figure| figure.to_string())).collect());
    }
    aligned(&rows)
}

/// Rows as text, each column as wide as it needs; the first three are names, to the left, the rest figures, to the right.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0..3 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        writeln!(text, "{}", line.trim_end()).expect("a string takes all text");
    }
    text
}

/// Reads what `write_table` wrote.
///
/// # Errors
/// A row of another form.
pub fn read_table(text: &str) -> Result<Table> {
    let mut table = Table::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let [image, kernel, chip, figures @ ..] = &cells[..] else { bail!("not a row of resources: `{line}`") };
        let figures: Vec<u32> = figures.iter().map(|figure| figure.parse()).collect::<Result<_, _>>()?;
        let figures: [u32; 5] = figures.try_into().ok().with_context(|| format!("not a row of resources: `{line}`"))?;
        let key = [image, kernel, chip].map(|name| (*name).to_owned()).into();
        table.insert(key, Usage::from_figures(figures));
    }
    Ok(table)
}

/// One sentence for each kernel that uses more resources than before.
pub fn worse(before: &Table, now: &Table) -> Vec<String> {
    let each = now.iter().filter_map(|(key, usage)| {
        let more = usage.worse_than(*before.get(key)?)?;
        Some(format!("{} of {} on {}: {more}", key.1, key.0, key.2))
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGES: &str = "\
ptxas info    : 16 bytes gmem
ptxas info    : Compiling entry function 'step' for 'sm_90'
ptxas info    : Function properties for step
    24 bytes stack frame, 20 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 24 bytes cumulative stack size, 1024 bytes smem
ptxas info    : Compile time = 8.217 ms
ptxas info    : Compiling entry function 'sum' for 'sm_90'
ptxas info    : Function properties for sum
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 15 registers, used 0 barriers, 360 bytes cmem[0]
";

    fn table() -> Table {
        let kernels = read_messages(MESSAGES).unwrap();
        kernels.into_iter().map(|(kernel, usage)| (("d4".into(), kernel, "sm_90".into()), usage)).collect()
    }

    #[test]
    fn figures_are_read_from_the_messages() {
        let kernels = read_messages(MESSAGES).unwrap();
        assert_eq!(kernels["step"], Usage::from_figures([255, 1024, 24, 20, 12]));
        assert_eq!(kernels["sum"], Usage::from_figures([15, 0, 0, 0, 0]));
    }

    #[test]
    fn a_table_is_read_back() {
        assert_eq!(read_table(&write_table(&table())).unwrap(), table());
        assert!(read_table("image\nd4 step sm_90 1 2\n").is_err());
    }

    #[test]
    fn more_registers_or_spills_are_worse_and_shared_memory_is_a_choice() {
        let (before, mut now) = (table(), table());
        let step = now.values_mut().next().unwrap();
        *step = Usage { registers: 200, shared: 4096, ..*step };
        assert!(worse(&before, &now).is_empty());
        assert_eq!(worse(&now, &before), ["step of d4 on sm_90: registers 200 -> 255"]);
    }
}
