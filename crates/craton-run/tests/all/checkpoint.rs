//! Checkpoints are restored bit-identically, or refused.

use craton_run::{Checkpoint, CheckpointStore, RunError, SectionForm};
use std::fs;
use std::path::{Path, PathBuf};

const SCENARIO: u64 = 0x0123_4567_89ab_cdef;

fn state(step: u64) -> (Vec<f32>, Vec<f64>) {
    let displacement = (0..30).map(|i| (i as f32 + step as f32) * 1.5e-7).collect();
    let energy = vec![step as f64, f64::MIN_POSITIVE, -0.0];
    (displacement, energy)
}

fn write(store: &CheckpointStore, step: u64) -> PathBuf {
    let (displacement, energy) = state(step);
    let sections =
        [SectionForm::new::<f32>("displacement", &[10, 3], &[12, 18]), SectionForm::new::<f64>("energy", &[3], &[3])];
    let mut draft = store.draft(step, &sections).unwrap();
    draft.write(0, 1, &displacement[12..]).unwrap();
    draft.write(0, 0, &displacement[..12]).unwrap();
    draft.write(1, 0, &energy).unwrap();
    draft.finish().unwrap()
}

/// The newest intact checkpoint, and what is wrong with newer ones.
fn newest(store: &CheckpointStore) -> (Option<Checkpoint>, Vec<String>) {
    let mut damaged = Vec::new();
    for path in store.paths().unwrap() {
        match store.checkpoint(&path).and_then(|checkpoint| checkpoint.verify().map(|()| checkpoint)) {
            Ok(checkpoint) => return (Some(checkpoint), damaged),
            Err(error @ RunError::DamagedCheckpoint { .. }) => damaged.push(error.to_string()),
            Err(error) => panic!("{error}"),
        }
    }
    (None, damaged)
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_state_is_restored_bit_identically() {
    let folder = tempfile::tempdir().unwrap();
    let store = CheckpointStore::open(folder.path(), SCENARIO).unwrap();
    assert!(newest(&store).0.is_none());
    write(&store, 120);
    let (Some(checkpoint), damaged) = newest(&store) else { panic!("a checkpoint") };
    assert!(damaged.is_empty());
    assert_eq!(checkpoint.step(), 120);
    assert_eq!(checkpoint.sections()[0].shape, [10, 3]);
    let (displacement, energy) = state(120);
    let read: Vec<f32> = checkpoint.read("displacement").unwrap();
    let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&read), bits(&displacement));
    let read: Vec<f64> = checkpoint.read("energy").unwrap();
    assert_eq!(
        read.iter().map(|v| v.to_bits()).collect::<Vec<_>>(),
        energy.iter().map(|v| v.to_bits()).collect::<Vec<_>>()
    );
}

#[test]
fn the_last_two_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = CheckpointStore::open(folder.path(), SCENARIO).unwrap();
    for step in [100, 200, 300, 400] {
        write(&store, step);
    }
    assert_eq!(names(folder.path()), ["checkpoint-000000000300.craton", "checkpoint-000000000400.craton"]);
}

#[test]
fn every_flipped_byte_is_detected_and_the_previous_checkpoint_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let store = CheckpointStore::open(folder.path(), SCENARIO).unwrap();
    write(&store, 100);
    let path = write(&store, 200);
    let whole = fs::read(&path).unwrap();
    // The header with the table of three blocks, and the blocks; the padding between them is not hashed.
    let header_end = 24 + u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize + 3 * 16;
    let blocks = [4096..4096 + 48, 8192..8192 + 72, 12288..12288 + 24];
    for position in (0..header_end).chain(blocks.into_iter().flatten()) {
        let mut bytes = whole.clone();
        bytes[position] ^= 0x10;
        fs::write(&path, bytes).unwrap();
        let (Some(checkpoint), damaged) = newest(&store) else { panic!("an intact checkpoint") };
        assert_eq!(checkpoint.step(), 100, "byte {position}");
        assert_eq!(damaged.len(), 1);
        assert!(damaged[0].contains("damaged"), "{}", damaged[0]);
        let block = position / 4096;
        let named =
            ["header", "block 0 of section \"displacement\"", "block 1 of section", "block 0 of section \"energy\""];
        assert!(block == 0 || damaged[0].contains(named[block]), "{}", damaged[0]);
    }
}

#[test]
fn truncation_at_any_byte_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let store = CheckpointStore::open(folder.path(), SCENARIO).unwrap();
    let path = write(&store, 200);
    let whole = fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(7) {
        fs::write(&path, &whole[..length]).unwrap();
        let (None, damaged) = newest(&store) else { panic!("{length} bytes are no checkpoint") };
        let error = store.none_intact(&damaged).to_string();
        assert!(error.contains("no checkpoint") && error.contains("is intact"), "{length}: {error}");
    }
}

#[test]
fn the_checkpoint_of_another_scenario_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&CheckpointStore::open(folder.path(), SCENARIO).unwrap(), 100);
    let error = CheckpointStore::open(folder.path(), 1).unwrap().checkpoint(&path).unwrap_err().to_string();
    assert!(error.contains("0123456789abcdef") && error.contains("0000000000000001"), "{error}");
}

#[test]
fn after_a_fallback_the_later_damaged_checkpoint_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let store = CheckpointStore::open(folder.path(), SCENARIO).unwrap();
    write(&store, 100);
    fs::write(write(&store, 200), "damaged").unwrap();
    write(&store, 150);
    assert_eq!(names(folder.path()), ["checkpoint-000000000100.craton", "checkpoint-000000000150.craton"]);
}

#[test]
fn a_state_of_another_shape_is_refused_with_the_section_name() {
    let folder = tempfile::tempdir().unwrap();
    let store = CheckpointStore::open(folder.path(), SCENARIO).unwrap();
    write(&store, 1);
    let (Some(checkpoint), _) = newest(&store) else { panic!("a checkpoint") };
    assert_eq!(checkpoint.blocks::<f32>("displacement", &[12, 18]).unwrap().len(), 2);
    let error = checkpoint.blocks::<f32>("displacement", &[12, 21]).unwrap_err().to_string();
    assert!(error.contains("30 values") && error.contains("33"), "{error}");
    let error = checkpoint.blocks::<f32>("displacement", &[15, 15]).unwrap_err().to_string();
    assert!(error.contains("30 values have other blocks"), "{error}");
    let error = checkpoint.read::<f64>("displacement").unwrap_err().to_string();
    assert!(error.contains("F32") && error.contains("F64"), "{error}");
    let error = checkpoint.read::<f64>("velocity").unwrap_err().to_string();
    assert!(error.contains("\"velocity\"") && error.contains("missing"), "{error}");
}

#[test]
fn partial_files_are_removed_on_opening() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".checkpoint-000000000100.craton.aB3.partial"), "half").unwrap();
    CheckpointStore::open(folder.path(), SCENARIO).unwrap();
    assert!(names(folder.path()).is_empty());
}
