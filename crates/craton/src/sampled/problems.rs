//! Checks of the configuration of a volume.

use super::{along, format_of};
use crate::config::{VolumeFile, VolumeFormat};
use crate::error::Problem;
use crate::inputs::Inputs;
use crate::key_path::KeyPath;

/// Shapes, spacings and origins that do not match the axes or the format.
pub fn volume_problems(file: &VolumeFile, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    let mut problems = Vec::new();
    let count = file.axes.as_ref().map(Vec::len).or(file.shape.as_ref().map(Vec::len));
    let lengths = [
        ("shape", file.shape.as_ref().map(Vec::len)),
        ("spacing", file.spacing.as_ref().map(Vec::len)),
        ("origin", file.origin.as_ref().map(Vec::len)),
    ];
    for (key, length) in lengths.into_iter().filter_map(|(key, length)| Some((key, length?))) {
        if count.is_some_and(|count| count != length) || !(2..=3).contains(&length) {
            let expected = count.map_or("2 or 3 numbers".to_owned(), |count| format!("{count} numbers, one per axis"));
            problems.push(Problem::new(path.key(key), format!("has {length} numbers")).allowed(expected));
        }
    }
    if let Some(axes) = &file.axes {
        let is_twice = (1..axes.len()).any(|last| (0..last).any(|first| along(axes[first]).0 == along(axes[last]).0));
        if is_twice || !(2..=3).contains(&axes.len()) {
            problems.push(
                Problem::new(path.key("axes"), "are not valid axes of a model")
                    .allowed("depth or z, x and optionally y, each once"),
            );
        }
    }
    let is_raw = format_of(file) == VolumeFormat::Raw && inputs.get(&file.file).is_none();
    for (key, is_there) in [("shape", file.shape.is_some()), ("spacing", file.spacing.is_some())] {
        if is_raw && !is_there {
            let problem = Problem::new(path.key(key), "is missing: raw files do not define their grid");
            problems.push(problem.hint("give one number per axis, the fastest first, or choose another `format`"));
        }
    }
    if !is_raw && file.shape.is_some() {
        problems.push(Problem::new(path.key("shape"), "is defined by the file").hint("remove it").at_key());
    }
    problems
}
