//! Finds the table lines that cause a survey error.

use super::{Extent, ShotChannel};
use crate::AcquisitionError;
use craton_formats::table::Table;

/// The tables that a survey was read from, kept to locate errors.
#[derive(Debug, Clone)]
pub struct SurveyTables {
    /// Read by [`shots`](super::table::shots).
    pub shots: Table,
    /// Read by [`receivers`](super::table::receivers) or [`receivers_by_shot`](super::table::receivers_by_shot).
    pub receivers: Table,
    /// Read by [`relations`](super::table::relations).
    pub relations: Option<Table>,
}

impl SurveyTables {
    /// Adds file, line and column to an error that concerns a shot or a channel.
    ///
    /// Verified by `survey_errors_name_file_line_and_column`.
    #[must_use]
    pub fn located(&self, error: AcquisitionError) -> AcquisitionError {
        match self.place(&error) {
            Some(place) => AcquisitionError::At { place, reason: Box::new(error) },
            None => error,
        }
    }

    fn place(&self, error: &AcquisitionError) -> Option<String> {
        match *error {
            AcquisitionError::OutsideDomain { channel, ref domain, .. } => self.outside(channel, domain),
            AcquisitionError::DuplicateShot { shot } => {
                twice(&self.shots, "shot", rows(&self.shots, &[("shot", shot)]))
            }
            AcquisitionError::DuplicateChannel { shot, channel } => {
                let receivers = self.rows_of(ShotChannel { shot, channel: Some(channel) });
                twice(&self.receivers, "channel", receivers).or_else(|| {
                    let relations = self.relations.as_ref()?;
                    let [from, to] = ["from", "to"].map(|name| relations.column(name));
                    let (from, to, channel) = (from?, to?, f64::from(channel));
                    let live = rows(relations, &[("shot", shot)]);
                    twice(relations, "from", live.filter(move |&row| from[row] <= channel && channel <= to[row]))
                })
            }
            AcquisitionError::NoReceivers { shot } => first(&self.shots, "shot", rows(&self.shots, &[("shot", shot)])),
            AcquisitionError::UnknownShot { shot } => {
                let table = self.relations.as_ref().unwrap_or(&self.receivers);
                first(table, "shot", rows(table, &[("shot", shot)]))
            }
            AcquisitionError::EmptyRelation { shot, from, to } => {
                let relations = self.relations.as_ref()?;
                first(relations, "from", rows(relations, &[("shot", shot), ("from", from), ("to", to)]))
            }
            _ => None,
        }
    }

    /// Place of the coordinate that lies outside the domain; for an array, of its first point outside.
    fn outside(&self, channel: ShotChannel, domain: &Extent) -> Option<String> {
        let table = if channel.channel.is_none() { &self.shots } else { &self.receivers };
        let (up, sign) = if table.column("depth").is_some() { ("depth", -1.0) } else { ("z", 1.0) };
        let outside_axis = |row: usize| {
            [("x", 1.0), ("y", 1.0), (up, sign)].into_iter().enumerate().find_map(|(axis, (name, sign))| {
                let along = sign * table.column(name)?[row];
                (!domain.contains_along(axis, along)).then_some(name)
            })
        };
        let outside = self.rows_of(channel).find_map(|row| Some(table.place(outside_axis(row)?, row)));
        // Points of an array defined outside the table may lie outside the domain although the centre is inside.
        outside.or_else(|| first(table, "x", self.rows_of(channel)))
    }

    /// Rows of a source or a receiver.
    fn rows_of(&self, at: ShotChannel) -> Box<dyn Iterator<Item = usize> + '_> {
        match at.channel {
            None => Box::new(rows(&self.shots, &[("shot", at.shot)])),
            Some(channel) if self.receivers.column("shot").is_some() => {
                Box::new(rows(&self.receivers, &[("shot", at.shot), ("channel", channel)]))
            }
            Some(channel) => Box::new(rows(&self.receivers, &[("channel", channel)])),
        }
    }
}

/// Rows in which the given columns have the given values; none if a column is missing.
fn rows<'a>(table: &'a Table, wanted: &[(&str, u32)]) -> impl Iterator<Item = usize> + use<'a> {
    let columns: Option<Vec<(&[f64], f64)>> =
        wanted.iter().map(|&(name, value)| Some((table.column(name)?, f64::from(value)))).collect();
    let is_row = move |row: &usize| match &columns {
        Some(columns) => columns.iter().all(|(column, value)| column[*row] == *value),
        None => false,
    };
    (0..table.row_count()).filter(is_row)
}

fn first(table: &Table, column: &str, mut rows: impl Iterator<Item = usize>) -> Option<String> {
    Some(table.place(column, rows.next()?))
}

/// Place of the second row, with the line of the first.
fn twice(table: &Table, column: &str, mut rows: impl Iterator<Item = usize>) -> Option<String> {
    let (first, second) = (rows.next()?, rows.next()?);
    Some(format!("{}, as on line {}", table.place(column, second), table.line(first)))
}
