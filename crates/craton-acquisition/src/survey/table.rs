//! Surveys from tables, as [`craton_formats::table`] reads them: columns named on the first line, in any order.
//!
//! | table | columns |
//! |---|---|
//! | shots | `shot x y`, `depth` or `z`, and `weight` where rows of one shot are the points of its source array |
//! | receivers | `channel x y`, `depth` or `z`; `weight` likewise; `shot` where each shot has receivers of its own |
//! | relation | `shot from to`: channels `from` to `to` are live at a shot |
//!
//! Depths are positive down from z = 0.

use super::{Array, Relation, SurveyReceiver, WeightedPoint};
use craton_formats::FormatError;
use craton_formats::table::Table;
use std::collections::HashMap;
use std::hash::Hash;

/// Number and source of each shot, in the order of the table.
///
/// # Errors
/// A column that is missing, a number that is not whole, both `depth` and `z`, weights of a shot that are all 0.
pub fn shots(table: &Table) -> Result<Vec<(u32, Array)>, FormatError> {
    arrays(table, &whole_numbers(table, "shot")?)
}

/// The receivers, in the order of the table.
///
/// # Errors
/// As [`shots`].
pub fn receivers(table: &Table) -> Result<Vec<SurveyReceiver>, FormatError> {
    let arrays = arrays(table, &whole_numbers(table, "channel")?)?;
    Ok(arrays.into_iter().map(|(channel, array)| SurveyReceiver { channel, array }).collect())
}

/// Receivers with the number of the shot they listen to, from a table with a column `shot`.
///
/// # Errors
/// As [`shots`].
pub fn receivers_by_shot(table: &Table) -> Result<Vec<(u32, SurveyReceiver)>, FormatError> {
    let shots = whole_numbers(table, "shot")?;
    let keys: Vec<(u32, u32)> = shots.into_iter().zip(whole_numbers(table, "channel")?).collect();
    let arrays = arrays(table, &keys)?;
    Ok(arrays.into_iter().map(|((shot, channel), array)| (shot, SurveyReceiver { channel, array })).collect())
}

/// Which channels are live at which shot.
///
/// # Errors
/// A column that is missing, a number that is not whole, a last channel before the first.
pub fn relations(table: &Table) -> Result<Vec<Relation>, FormatError> {
    let [shots, from, to] = ["shot", "from", "to"].map(|name| whole_numbers(table, name));
    let (shots, from, to) = (shots?, from?, to?);
    let relation = |row: usize| {
        let relation = Relation { shot: shots[row], from: from[row], to: to[row] };
        if relation.from > relation.to {
            return Err(table.refuse("to", row, "the last channel, not below `from`"));
        }
        Ok(relation)
    };
    (0..table.row_count()).map(relation).collect()
}

/// What the rows of a table say, by their keys; with a column `weight`, rows of one key are one array.
fn arrays<K: Copy + Eq + Hash>(table: &Table, keys: &[K]) -> Result<Vec<(K, Array)>, FormatError> {
    let positions = positions(table)?;
    let Some(weights) = table.column("weight") else {
        return Ok(keys.iter().copied().zip(positions.into_iter().map(Array::point)).collect());
    };
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut arrays: Vec<(K, Vec<WeightedPoint>)> = Vec::new();
    for ((&key, position), &weight) in keys.iter().zip(positions).zip(weights) {
        let place = *places.entry(key).or_insert(arrays.len());
        if place == arrays.len() {
            arrays.push((key, Vec::new()));
        }
        arrays[place].1.push(WeightedPoint { position, weight });
    }
    let is_silent = |points: &[WeightedPoint]| points.iter().all(|point| point.weight == 0.0);
    if let Some((silent, _)) = arrays.iter().find(|(_, points)| is_silent(points)) {
        let row = keys.iter().position(|key| key == silent).unwrap_or(0);
        let expected = "weights of its array that are not all 0; they are factors, 1 for a full share";
        return Err(table.refuse("weight", row, expected));
    }
    Ok(arrays.into_iter().map(|(key, points)| (key, Array::of(&points))).collect())
}

/// x, y, z of every row \[m\].
fn positions(table: &Table) -> Result<Vec<[f64; 3]>, FormatError> {
    let (x, y) = (table.require("x")?, table.require("y")?);
    let z: Vec<f64> = match (table.column("depth"), table.column("z")) {
        (Some(_), Some(_)) => return Err(table.refuse("z", 0, "one of the columns `depth` and `z`: remove the other")),
        (Some(depth), None) => depth.iter().map(|depth| 0.0 - depth).collect(),
        (None, _) => table.require("z")?.to_vec(),
    };
    Ok(x.iter().zip(y).zip(z).map(|((&x, &y), z)| [x, y, z]).collect())
}

/// A column of numbers of shots or channels: those that trace headers hold.
fn whole_numbers(table: &Table, name: &str) -> Result<Vec<u32>, FormatError> {
    let number = |(row, &value): (usize, &f64)| {
        if value.fract() == 0.0 && (0.0..=f64::from(i32::MAX)).contains(&value) {
            return Ok(value as u32);
        }
        Err(table.refuse(name, row, "a whole number from 0 to 2147483647, which trace headers hold"))
    };
    table.require(name)?.iter().enumerate().map(number).collect()
}
