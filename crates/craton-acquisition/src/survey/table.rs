//! Surveys from tables read by [`craton_formats::table`]: columns named on the first line, in any order.
//!
//! | table | columns |
//! |---|---|
//! | shots | `shot x y`, `depth` or `z`; with `weight` or `delay` \[s\], rows of the same shot are the points of its source array |
//! | receivers | `channel x y`, `depth` or `z`; with `weight`, rows of the same channel are the points of a group; with `shot`, each shot has its own receivers |
//! | shots | optional: `wavelet`, the number of the source signature, the same in all rows of a shot |
//! | both | optional, for trace headers: `elevation` of the surface above z = 0, `water_depth` |
//! | relation | `shot from to`: channels `from` to `to` are live at a shot |
//!
//! Depths are positive down from z = 0.

use super::{Array, Relation, Site, SurveyReceiver, WeightedPoint};
use craton_formats::FormatError;
use craton_formats::table::Table;
use std::collections::HashMap;
use std::hash::Hash;

/// Reads the number and source of each shot, in the order of the table.
///
/// # Errors
/// A missing column, a number that is not an integer, both `depth` and `z`, weights of a shot that are all 0.
pub fn shots(table: &Table) -> Result<Vec<(u32, Array)>, FormatError> {
    arrays(table, &whole_numbers(table, "shot")?)
}

/// Reads the receivers, in the order of the table.
///
/// # Errors
/// As [`shots`]; a column `delay`.
pub fn receivers(table: &Table) -> Result<Vec<SurveyReceiver>, FormatError> {
    let arrays = arrays(without_delays(table)?, &whole_numbers(table, "channel")?)?;
    Ok(arrays.into_iter().map(|(channel, array)| SurveyReceiver { channel, array }).collect())
}

/// Reads receivers with their shot numbers, from a table with a column `shot`.
///
/// # Errors
/// As [`shots`].
pub fn receivers_by_shot(table: &Table) -> Result<Vec<(u32, SurveyReceiver)>, FormatError> {
    let shots = whole_numbers(table, "shot")?;
    let keys: Vec<(u32, u32)> = shots.into_iter().zip(whole_numbers(table, "channel")?).collect();
    let arrays = arrays(without_delays(table)?, &keys)?;
    Ok(arrays.into_iter().map(|((shot, channel), array)| (shot, SurveyReceiver { channel, array })).collect())
}

/// Reads which channels are live at which shot.
///
/// # Errors
/// A missing column, a number that is not an integer, a last channel before the first.
pub fn relations(table: &Table) -> Result<Vec<Relation>, FormatError> {
    let [shots, from, to] = ["shot", "from", "to"].map(|name| whole_numbers(table, name));
    let (shots, from, to) = (shots?, from?, to?);
    let relation = |row: usize| {
        let relation = Relation { shot: shots[row], from: from[row], to: to[row] };
        if relation.from > relation.to {
            return Err(table.refuse("to", row, "the last channel, at least `from`"));
        }
        Ok(relation)
    };
    (0..table.row_count()).map(relation).collect()
}

/// Reads the number of the source signature of each shot, from a table of shots; empty without a column `wavelet`.
///
/// # Errors
/// A number that is not an integer; different numbers in the rows of a shot.
pub fn wavelets(table: &Table) -> Result<HashMap<u32, u32>, FormatError> {
    if table.column("wavelet").is_none() {
        return Ok(HashMap::new());
    }
    let shots = whole_numbers(table, "shot")?;
    let mut of_shots = HashMap::new();
    for (row, (shot, wavelet)) in shots.into_iter().zip(whole_numbers(table, "wavelet")?).enumerate() {
        if *of_shots.entry(shot).or_insert(wavelet) != wavelet {
            return Err(table.refuse("wavelet", row, "the same number in all rows of a shot"));
        }
    }
    Ok(of_shots)
}

/// A table of receivers, which have no delays.
fn without_delays(table: &Table) -> Result<&Table, FormatError> {
    match table.column("delay") {
        Some(_) => Err(table.refuse("delay", 0, "no such column: only points of sources have delays")),
        None => Ok(table),
    }
}

/// Groups the rows of a table by their keys; with a column `weight` or `delay`, rows of the same key form one array.
fn arrays<K: Copy + Eq + Hash>(table: &Table, keys: &[K]) -> Result<Vec<(K, Array)>, FormatError> {
    let positions = positions(table)?;
    let sites = sites(table);
    let (weights, delays) = (table.column("weight"), table.column("delay"));
    if weights.is_none() && delays.is_none() {
        let points = positions.into_iter().enumerate().map(|(row, position)| Array::point(position).on(sites(row)));
        return Ok(keys.iter().copied().zip(points).collect());
    }
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut arrays: Vec<(K, Vec<WeightedPoint>)> = Vec::new();
    for (row, (&key, position)) in keys.iter().zip(positions).enumerate() {
        let weight = weights.map_or(1.0, |weights| weights[row]);
        let delay = delays.map_or(0.0, |delays| delays[row]);
        let place = *places.entry(key).or_insert(arrays.len());
        if place == arrays.len() {
            arrays.push((key, Vec::new()));
        }
        arrays[place].1.push(WeightedPoint { position, weight, delay });
    }
    let is_silent = |points: &[WeightedPoint]| points.iter().all(|point| point.weight == 0.0);
    if let Some((silent, _)) = arrays.iter().find(|(_, points)| is_silent(points)) {
        let row = keys.iter().position(|key| key == silent).unwrap_or(0);
        let expected = "an array with at least one weight other than 0; a weight of 1 counts the point fully";
        return Err(table.refuse("weight", row, expected));
    }
    let row_of = |key: K| keys.iter().position(|other| *other == key).unwrap_or(0);
    Ok(arrays.into_iter().map(|(key, points)| (key, Array::of(&points).on(sites(row_of(key))))).collect())
}

/// The surface at the point of each row.
fn sites(table: &Table) -> impl Fn(usize) -> Site {
    let [elevation, water_depth] = ["elevation", "water_depth"].map(|name| table.column(name));
    move |row| Site {
        elevation: elevation.map(|column| column[row]),
        water_depth: water_depth.map_or(0.0, |column| column[row]),
        point: None,
    }
}

/// Reads x, y, z of every row \[m\].
fn positions(table: &Table) -> Result<Vec<[f64; 3]>, FormatError> {
    let (x, y) = (table.require("x")?, table.require("y")?);
    let z: Vec<f64> = match (table.column("depth"), table.column("z")) {
        (Some(_), Some(_)) => {
            return Err(table.refuse("z", 0, "only one of the columns `depth` and `z`; remove one of them"));
        }
        (Some(depth), None) => depth.iter().map(|depth| 0.0 - depth).collect(),
        (None, _) => table.require("z")?.to_vec(),
    };
    Ok(x.iter().zip(y).zip(z).map(|((&x, &y), z)| [x, y, z]).collect())
}

/// Reads a column of shot or channel numbers, within the range of trace headers.
fn whole_numbers(table: &Table, name: &str) -> Result<Vec<u32>, FormatError> {
    let number = |(row, &value): (usize, &f64)| {
        if value.fract() == 0.0 && (0.0..=f64::from(i32::MAX)).contains(&value) {
            return Ok(value as u32);
        }
        Err(table.refuse(name, row, "an integer from 0 to 2147483647, the range of trace headers"))
    };
    table.require(name)?.iter().enumerate().map(number).collect()
}
