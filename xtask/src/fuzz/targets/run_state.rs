//! Files with which runs continue: checkpoints, journals, records, and the list of the files of a run.

use crate::fuzz::mutate::Form;
use crate::fuzz::target::{Outcome, Target};
use craton_run::journal::{ClaimRequest, ClaimResult, Done, Failed, Journal};
use craton_run::{Checkpoint, OutputDirectory, RunRecord, Scalar, ScalarType};
use std::path::Path;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Hash of the scenario and the job in the corpus.
const IDENTITY: u64 = 0x0123_4567_89ab_cdef;
/// Number of pieces of the job in the corpus.
const PIECES: u32 = 10;

/// The targets of this module.
pub fn all() -> Vec<Target> {
    vec![
        Target {
            seal: Some(seal_checkpoint),
            ..Target::new("checkpoint", Form::Mixed, "checkpoints/checkpoint-000000000100.craton", read_checkpoint)
        },
        Target {
            seal: Some(seal_journal),
            may_change: &["journal"],
            ..Target::new("journal", Form::Binary, "journal/journal", read_journal)
        },
        Target { may_change: &["out"], ..Target::new("run_record", Form::Text, "out/run.json", read_record) },
        Target {
            may_change: &["out"],
            companions: vec![("out/result", "xtask/corpus/raw/values"), ("foreign", "xtask/corpus/raw/values")],
            ..Target::new("manifest", Form::Text, "out/.craton-files", overwrite)
        },
    ]
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// Updates the hashes of the blocks in the table, as far as the header can be parsed, and that of header and table.
fn seal_checkpoint(bytes: &mut [u8]) {
    const PREAMBLE: usize = 24;
    const ENTRY: usize = 16;
    let Some(&[a, b, c, d]) = bytes.get(12..16) else { return };
    let table = PREAMBLE + u32::from_le_bytes([a, b, c, d]) as usize;
    let Some(header) = bytes.get(PREAMBLE..table) else { return };
    let json: serde_json::Value = serde_json::from_slice(header).unwrap_or_default();
    let sections = json["sections"].as_array().into_iter().flatten();
    let blocks = sections.filter_map(|section| section["blocks"].as_u64()).fold(0, u64::saturating_add) as usize;
    let end = table.saturating_add(blocks.saturating_mul(ENTRY));
    if end > bytes.len() {
        return;
    }
    let mut position = end;
    for entry in (table..end).step_by(ENTRY) {
        position = position.next_multiple_of(4096);
        let size = u64::from_le_bytes(*bytes[entry..].first_chunk().expect("an entry"));
        let after = position.saturating_add(size as usize);
        if let Some(numbers) = bytes.get(position..after) {
            let hash = xxh3_64(numbers);
            bytes[entry + 8..entry + ENTRY].copy_from_slice(&hash.to_le_bytes());
        }
        position = after.min(bytes.len());
    }
    let hash = xxh3_64(&bytes[PREAMBLE..end]);
    bytes[16..PREAMBLE].copy_from_slice(&hash.to_le_bytes());
}

fn read_checkpoint(path: &Path) -> Outcome {
    let opened = Checkpoint::open(path, IDENTITY);
    Outcome::of(opened, |checkpoint| {
        let _ = checkpoint.verify();
        let mut count = checkpoint.step() as usize % 2;
        for section in checkpoint.sections() {
            count += match section.scalar {
                ScalarType::F32 => read_section::<f32>(&checkpoint, &section.name),
                ScalarType::F64 => read_section::<f64>(&checkpoint, &section.name),
            };
        }
        Outcome::Accepted(count)
    })
}

/// Reads a section and finds its blocks; returns the number of values.
fn read_section<T: Scalar>(checkpoint: &Checkpoint, name: &str) -> usize {
    let _ = checkpoint.blocks::<T>(name, &[3]);
    checkpoint.read::<T>(name).map_or(0, |values| values.len())
}

/// Updates the hashes of all blocks.
fn seal_journal(bytes: &mut [u8]) {
    for (number, block) in bytes.chunks_exact_mut(128).enumerate() {
        let hash = xxh3_64_with_seed(&block[..120], number as u64);
        block[120..].copy_from_slice(&hash.to_le_bytes());
    }
}

fn read_journal(path: &Path) -> Outcome {
    let opened = Journal::open(folder(path), IDENTITY, PIECES);
    let done = opened.and_then(|journal| {
        let request = ClaimRequest { device: 0, one_kind: false, among: 0..PIECES };
        if let ClaimResult::Pieces(claims) = journal.take(3, &request)? {
            let pieces: Vec<u32> = claims.iter().map(|claim| claim.piece).collect();
            journal.finish(&[Done { piece: pieces[0], checksum: 1, seconds: 0.5 }])?;
            journal.fail(&[Failed { piece: pieces[pieces.len() / 2], code: 1, reason: "a test" }])?;
            journal.release(&pieces)?;
            journal.forget(&pieces)?;
        }
        let (summary, states) = (journal.summary()?, journal.states()?);
        let sum = summary.free + summary.taken + summary.done + summary.failed;
        assert_eq!((sum, states.len()), (PIECES, PIECES as usize), "the states do not add up");
        Ok(summary.done as usize)
    });
    Outcome::of(done, Outcome::Accepted)
}

fn read_record(path: &Path) -> Outcome {
    let _ = OutputDirectory::check(folder(path), false).map_err(|error| error.to_string());
    let _ = OutputDirectory::resume(folder(path)).map_err(|error| error.to_string());
    Outcome::of(RunRecord::read(folder(path)), |record| {
        Outcome::of(record.write(folder(path)).and_then(|()| RunRecord::read(folder(path))), |again| {
            if again == record {
                Outcome::Accepted(record.files.len())
            } else {
                Outcome::Broken("the record has changed".to_owned())
            }
        })
    })
}

fn overwrite(path: &Path) -> Outcome {
    match OutputDirectory::create(folder(path), true) {
        Ok(_) => Outcome::Accepted(1),
        // The message has the path of a file, which may be as long as the input.
        Err(error) => Outcome::Refused(error.to_string().chars().take(200).collect()),
    }
}
