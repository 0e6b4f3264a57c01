//! Instruction counts of kernels, from the listing of nvdisasm.

use super::resources::aligned;
use std::collections::BTreeMap;

/// Instructions that a table always shows: arithmetic, shared and global memory, special functions, barriers.
const ALWAYS: [&str; 9] = ["FFMA", "FMUL", "FADD", "LDS", "STS", "LDG", "STG", "MUFU", "BAR"];
/// Instructions that it shows only if there are any: double precision, spills, constants, atomics, bulk copies.
const IF_ANY: [&str; 12] =
    ["DFMA", "DMUL", "DADD", "LDL", "STL", "LDC", "ATOMG", "ATOMS", "REDG", "UBLKCP", "SYNCS", "CALL"];
/// Maximum number of listed instructions with modifiers.
const LISTED: usize = 16;

/// Instructions by kernel, then by name with modifiers ("LDS.64"), with their number.
pub type Counts = BTreeMap<String, BTreeMap<String, usize>>;

/// Counts the instructions of every kernel of a listing.
pub fn count(listing: &str) -> Counts {
    let mut counts = Counts::new();
    let mut kernel = None;
    for line in listing.lines() {
        if let Some(section) = line.trim_start().strip_prefix(".section\t") {
            let name = section.strip_prefix(".text.");
            kernel = name.and_then(|name| name.split(',').next()).map(str::to_owned);
        } else if let (Some(kernel), Some(name)) = (&kernel, instruction(line)) {
            let kernel = counts.entry(kernel.clone()).or_default();
            *kernel.entry(name.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// The instruction of a line `/*0010*/ @!P0 LDS.64 R2, [R4] ;`; `None` for padding between kernels.
fn instruction(line: &str) -> Option<&str> {
    let (_, text) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let mut words = text.split_whitespace().filter(|word| !word.starts_with('@') && *word != "{");
    let name = words.next()?.trim_end_matches(';');
    (name.starts_with(|c: char| c.is_ascii_uppercase()) && name != "NOP").then_some(name)
}

/// A table of the most informative instructions, and a line for each kernel with the most frequent ones.
pub fn table(counts: &Counts) -> String {
    let base = |name: &str, wanted: &str| name.split('.').next() == Some(wanted);
    let number = |kernel: &BTreeMap<String, usize>, wanted: &str| {
        kernel.iter().filter(|(name, _)| base(name, wanted)).map(|(_, number)| number).sum::<usize>()
    };
    let any = |wanted: &&str| counts.values().any(|kernel| number(kernel, wanted) > 0);
    let shown: Vec<&str> = ALWAYS.into_iter().chain(IF_ANY.into_iter().filter(any)).collect();
    let header = ["kernel", "", ""].into_iter().chain(shown.iter().copied()).chain(["total"]);
    let mut rows = vec![header.map(str::to_owned).collect::<Vec<_>>()];
    let mut lists = String::new();
    for (name, kernel) in counts {
        let figures = shown.iter().map(|wanted| number(kernel, wanted)).chain([kernel.values().sum()]);
        let names = [name.clone(), String::new(), String::new()];
        rows.push(names.into_iter().chain(figures.map(|figure| figure.to_string())).collect());
        let mut sorted: Vec<(&String, &usize)> = kernel.iter().collect();
        sorted.sort_by_key(|&(name, number)| (std::cmp::Reverse(*number), name));
        let most: Vec<String> = sorted.iter().take(LISTED).map(|(name, number)| format!("{name} {number}")).collect();
        lists += &format!("{name}: {}\n", most.join(", "));
    }
    aligned(&rows) + &lists
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "\
//--------------------- .text.step --------------------------
	.section	.text.step,\"ax\",@progbits
	.sectionflags	@\"SHF_BARRIERS=1\"
step:
.text.step:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 LDS.64 R2, [R4] ;
        /*0020*/                   FFMA R2, R2, R3, R4 ;
        /*0030*/                   FFMA.FTZ R2, R2, R3, R4 ;
        /*0040*/                   NOP;
	.section	.nv.shared.step,\"aw\",@nobits
        /*0000*/ 	.byte	0xff
";

    #[test]
    fn instructions_are_counted_with_and_without_their_modifiers() {
        let counts = count(LISTING);
        assert_eq!(counts["step"]["FFMA.FTZ"], 1);
        assert_eq!(counts["step"].values().sum::<usize>(), 4);
        let table = table(&counts);
        let figures: Vec<&str> = table.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(figures, ["step", "2", "0", "0", "1", "0", "0", "0", "0", "0", "1", "4"]);
        assert!(table.ends_with("step: FFMA 1, FFMA.FTZ 1, LDC 1, LDS.64 1\n"), "{table}");
    }
}
