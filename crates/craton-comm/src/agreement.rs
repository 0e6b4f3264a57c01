//! Collective exchange of values, facts and failures between ranks, encoded as bytes.

use crate::error::{CommError, Dissent, Fault};
use crate::ranks::Ranks;

/// Gathers the values of all ranks, by rank; each rank must give the same number of values.
///
/// # Errors
/// A rank that is lost, or that gave another number of values.
pub fn gather_values<R: Ranks + ?Sized>(ranks: &R, own: &[f64]) -> Result<Vec<Vec<f64>>, CommError> {
    let bytes: Vec<u8> = own.iter().flat_map(|value| value.to_le_bytes()).collect();
    let gathered = ranks.all_gather(&bytes)?;
    let read = |(rank, bytes): (usize, Vec<u8>)| match bytes.as_chunks() {
        (values, []) if values.len() == own.len() => Ok(values.iter().copied().map(f64::from_le_bytes).collect()),
        _ => Err(CommError::NotUnderstood { rank, bytes: bytes.len() }),
    };
    gathered.into_iter().enumerate().map(read).collect()
}

/// Checks that all ranks agree on some facts.
///
/// # Errors
/// [`CommError::Disagreement`] names what differs, and the ranks and hosts that differ from the first; a rank that is lost.
pub fn agree<R: Ranks + ?Sized>(ranks: &R, facts: &[(&str, String)]) -> Result<(), CommError> {
    let mut own = vec![ranks.host()];
    own.extend(facts.iter().flat_map(|(name, value)| [(*name).to_owned(), value.clone()]));
    let gathered_texts = gather_texts(ranks, &own)?;
    let names = gathered_texts.iter().flat_map(|texts| texts.iter().skip(1).step_by(2));
    for what in names {
        let (host, value) = (gathered_texts[0][0].clone(), fact(&gathered_texts[0], what).to_owned());
        let differing = gathered_texts.iter().enumerate().filter(|(_, texts)| fact(texts, what) != value);
        let dissent = |(rank, texts): (usize, &Vec<String>)| Dissent {
            rank,
            host: texts[0].clone(),
            value: fact(texts, what).to_owned(),
        };
        let others: Vec<Dissent> = differing.map(dissent).collect();
        if !others.is_empty() {
            return Err(CommError::Disagreement { what: what.clone(), host, value, others });
        }
    }
    Ok(())
}

/// Value of the fact `what` in the texts of a rank (host, then names and values); empty if the rank lacks it.
fn fact<'a>(texts: &'a [String], what: &str) -> &'a str {
    texts[1..].chunks_exact(2).find(|pair| pair[0] == what).map_or("", |pair| &pair[1])
}

/// Reports the first rank that has failed to all ranks.
///
/// # Errors
/// [`CommError::Failed`] on all ranks, with the message of the first rank that failed; a rank that is lost.
pub fn confirm<R: Ranks + ?Sized>(ranks: &R, own: Result<(), Fault>) -> Result<(), CommError> {
    let own = own.err().map_or_else(Vec::new, |fault| vec![ranks.host(), fault.message, fault.code.to_string()]);
    for (rank, texts) in gather_texts(ranks, &own)?.into_iter().enumerate() {
        if let [host, message, code] = texts.as_slice() {
            let (host, message) = (host.clone(), message.clone());
            return Err(CommError::Failed { rank, host, message, code: code.parse().unwrap_or(1) });
        }
    }
    Ok(())
}

/// Gathers the texts of all ranks, by rank; each text is encoded as its length and its bytes.
fn gather_texts<R: Ranks + ?Sized>(ranks: &R, own: &[String]) -> Result<Vec<Vec<String>>, CommError> {
    let mut bytes = Vec::new();
    for text in own {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    let gathered = ranks.all_gather(&bytes)?;
    let read = |(rank, bytes): (usize, Vec<u8>)| {
        read_texts(&bytes).ok_or(CommError::NotUnderstood { rank, bytes: bytes.len() })
    };
    gathered.into_iter().enumerate().map(read).collect()
}

fn read_texts(mut bytes: &[u8]) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk()?;
        let (text, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        texts.push(String::from_utf8(text.to_vec()).ok()?);
        bytes = rest;
    }
    Some(texts)
}
