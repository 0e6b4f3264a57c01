//! Runs: consecutive items whose values follow from those of the first one.

/// Items of a chunk.
const CHUNK: usize = 32;

/// For each 32 items a mask of those that start a run, and the number of the run before them, as `kernels/runs.cuh` reads it.
///
/// # Arguments
/// * `starts` – whether each item starts a run; the first one does
/// * `first` – number of the first run
pub fn chunks(starts: &[bool], first: u32) -> Vec<[u32; 2]> {
    let mut before = first.wrapping_sub(1);
    let chunk = |starts: &[bool]| {
        let mask = starts.iter().enumerate().fold(0, |mask, (item, &starts)| mask | u32::from(starts) << item);
        let own = [mask, before];
        before = before.wrapping_add(mask.count_ones());
        own
    };
    starts.chunks(CHUNK).map(chunk).collect()
}

/// Ascending numbers in runs of consecutive ones: the chunks, then for each run the difference of a number and its position.
pub fn of_numbers(numbers: &[u32]) -> Vec<u32> {
    let differences: Vec<u32> = (0..).zip(numbers).map(|(at, number)| number - at).collect();
    let starts: Vec<bool> = (0..numbers.len()).map(|at| at == 0 || differences[at] != differences[at - 1]).collect();
    let mut all = chunks(&starts, 2 * numbers.len().div_ceil(CHUNK) as u32).concat();
    all.extend(differences.iter().zip(&starts).filter(|(_, starts)| **starts).map(|(difference, _)| difference));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_from_their_runs() {
        let numbers: Vec<u32> = (7..9).chain(11..60).chain([100, 102]).chain(200..300).collect();
        let all = of_numbers(&numbers);
        assert_eq!(all.len(), 2 * numbers.len().div_ceil(CHUNK) + 5);
        for (at, &number) in numbers.iter().enumerate() {
            let [mask, before] = [all[2 * (at / CHUNK)], all[2 * (at / CHUNK) + 1]];
            let run = before + (mask & (2_u32 << (at % CHUNK)).wrapping_sub(1)).count_ones();
            assert_eq!(all[run as usize] + at as u32, number);
        }
        assert!(of_numbers(&[]).is_empty());
    }
}
