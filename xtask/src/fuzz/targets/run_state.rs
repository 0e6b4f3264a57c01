//! Files with which runs continue: checkpoints, journals, records, and the list of the files of a run.

use crate::fuzz::mutate::Form;
use crate::fuzz::target::{Outcome, Target};
use craton_run::journal::{ClaimRequest, ClaimResult, Done, Failed, Journal};
use craton_run::{Checkpoint, CheckpointStore, OutputDirectory, RunRecord, Scalar, ScalarType};
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

/// Updates the hashes of the sections in the header, as far as it can be parsed, and that of the header.
fn seal_checkpoint(bytes: &mut [u8]) {
    const PREAMBLE: usize = 24;
    const KEY: &str = "\"xxh3\":\"";
    let Some(&[a, b, c, d]) = bytes.get(12..16) else { return };
    let end = PREAMBLE + u32::from_le_bytes([a, b, c, d]) as usize;
    let Some(header) = bytes.get(PREAMBLE..end) else { return };
    let mut text = String::from_utf8_lossy(header).into_owned();
    if let Ok(json) = serde_json::from_str::<serde_json::Value>(&text) {
        let mut at = end.next_multiple_of(64);
        let places: Vec<usize> = text.match_indices(KEY).map(|(place, _)| place + KEY.len()).collect();
        for (section, place) in json["sections"].as_array().into_iter().flatten().zip(places) {
            let size = section["bytes"].as_u64().unwrap_or(0) as usize;
            let numbers = bytes.get(at..at.saturating_add(size));
            if let Some(numbers) = numbers.filter(|_| section["xxh3"].as_str().is_some_and(|hash| hash.len() == 16)) {
                text.replace_range(place..place + 16, &format!("{:016x}", xxh3_64(numbers)));
            }
            at = at.saturating_add(size).checked_next_multiple_of(64).unwrap_or(usize::MAX);
        }
    }
    if text.len() == end - PREAMBLE {
        bytes[PREAMBLE..end].copy_from_slice(text.as_bytes());
    }
    let hash = xxh3_64(&bytes[PREAMBLE..end]);
    bytes[16..PREAMBLE].copy_from_slice(&hash.to_le_bytes());
}

fn read_checkpoint(path: &Path) -> Outcome {
    let newest = CheckpointStore::open(folder(path), IDENTITY).and_then(|store| store.latest());
    Outcome::of(newest, |newest| {
        let Some((checkpoint, _)) = newest else { return Outcome::Accepted(0) };
        let mut count = checkpoint.step() as usize % 2;
        for section in checkpoint.sections() {
            count += match section.scalar {
                ScalarType::F32 => read_section::<f32>(&checkpoint, &section.name),
                ScalarType::F64 => read_section::<f64>(&checkpoint, &section.name),
                ScalarType::U32 => read_section::<u32>(&checkpoint, &section.name),
                ScalarType::U64 => read_section::<u64>(&checkpoint, &section.name),
                ScalarType::U8 => read_section::<u8>(&checkpoint, &section.name),
            };
        }
        Outcome::Accepted(count)
    })
}

/// Reads a section at once, into an array of fixed length, and in pieces; returns the number of values.
fn read_section<T: Scalar>(checkpoint: &Checkpoint, name: &str) -> usize {
    let _ = checkpoint.read_into(name, &mut [T::zeroed(); 3]);
    let Ok(values) = checkpoint.read::<T>(name) else { return 0 };
    if let Ok(mut reader) = checkpoint.section::<T>(name, values.len()) {
        let mut piece = [T::zeroed(); 2];
        for _ in 0..values.len() / 2 {
            reader.read(&mut piece);
        }
        reader.read(&mut piece[..values.len() % 2]);
        let _ = reader.finish();
    }
    values.len()
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
