//! Verification of a complete survey.

use craton_device::Workers;
use craton_run::RunRecord;
use craton_run::journal::{Journal, Status};

use super::session::{FilePlan, Session};
use crate::checksums::{Comparison, compare};
use crate::error::Error;
use crate::number::counted;
use crate::verify::{Verified, require_intact, unverifiable};

/// Folder of the journal in a results folder.
const JOURNAL: &str = "journal";

/// Compares gathers with the checksums of the journal, and snapshots with those of the record.
///
/// # Errors
/// Damaged, incomplete or missing results, or those of another survey.
pub fn verify(mut session: Session) -> Result<Verified, Error> {
    let FilePlan { gathers, order, .. } = session.files()?;
    let directory = session.setup.output.directory.clone();
    if !gathers.is_complete() {
        return Err(unverifiable(&directory, "the gathers are not complete"));
    }
    let states = Journal::read(&directory.join(JOURNAL), session.identity(), order.len() as u32)?;
    let (mut done, mut failed, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    for (piece, state) in states.iter().enumerate() {
        match state.status {
            Status::Done { checksum, .. } => done.push((piece, checksum)),
            Status::Failed => failed.push(piece),
            Status::Free | Status::Taken { .. } => {}
        }
    }
    let unlisted = states.len() - done.len() - failed.len();
    if unlisted > 0 {
        let reason = format!("the journal lists no checksums of {}", counted(unlisted, "shot"));
        return Err(unverifiable(&directory, &reason));
    }
    if !failed.is_empty() {
        warnings.push(format!("{} failed and left out", counted(failed.len(), "shot")));
    }
    let path = gathers.path().display();
    let mut damaged = Vec::new();
    if gathers.are_whole(&failed)? {
        let workers = Workers::new(Some(session.devices.threads()))?;
        let shots = workers.run(|| gathers.damaged_when_complete(&failed, &done))?;
        let number = |piece: usize| session.setup.survey.shots()[order[piece]].number;
        damaged.extend(shots.into_iter().map(|piece| format!("shot {} in {path} has changed", number(piece))));
    } else {
        damaged.push(format!("{path} has another size or other file headers"));
    }
    let of_record = RunRecord::read(&directory).ok().map(|record| compare(&record, &directory));
    let Comparison { files, changed } = of_record.unwrap_or(Comparison { files: 0, changed: Vec::new() });
    require_intact(&directory, damaged.into_iter().chain(changed).collect())?;
    let snapshots = (files > 0).then(|| counted(files, "snapshot"));
    let compared = std::iter::once(counted(done.len(), "shot")).chain(snapshots).collect();
    Ok(Verified { directory, compared, warnings })
}
