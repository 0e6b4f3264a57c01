//! Universally unique identifiers (UUID) that depend on the content only.

use xxhash_rust::xxh3::Xxh3;

use super::DasRecord;

/// The hash of a record, from which its identifiers follow.
pub(super) struct Identifiers {
    hash: Xxh3,
}

impl std::fmt::Debug for Identifiers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.debug_struct("Identifiers").finish_non_exhaustive()
    }
}

impl Identifiers {
    /// Adds everything but the samples.
    pub fn new(record: &DasRecord) -> Self {
        let mut hash = Xxh3::new();
        let mut add = |values: &[f64]| values.iter().for_each(|value| hash.update(&value.to_le_bytes()));
        let start = record.start;
        let date = [start.year.into(), start.month.into(), start.day.into(), start.hour.into(), start.minute.into()];
        add(&date);
        add(&[start.second, record.interval, record.spacing, record.gauge_length]);
        add(&[record.samples as f64, record.distances.len() as f64, f64::from(record.quantity as u8)]);
        add(record.distances);
        add(record.positions.as_flattened());
        for text in record.coordinates.into_iter().chain([record.description]) {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        Self { hash }
    }

    /// Adds the samples of the next channel.
    pub fn add_samples(&mut self, samples: &[f32]) {
        let mut bytes = [0; 4096];
        for piece in samples.chunks(bytes.len() / 4) {
            let filled = &mut bytes[..4 * piece.len()];
            filled.chunks_exact_mut(4).zip(piece).for_each(|(out, sample)| out.copy_from_slice(&sample.to_le_bytes()));
            self.hash.update(filled);
        }
    }

    /// Identifier of a part of the record, of version 8 (RFC 9562, section 5.8).
    pub fn of(&self, part: &str) -> String {
        let mut hash = self.hash.clone();
        hash.update(part.as_bytes());
        let mut bytes = hash.digest128().to_be_bytes();
        bytes[6] = 0x80 | bytes[6] & 0x0F;
        bytes[8] = 0x80 | bytes[8] & 0x3F;
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
    }
}
