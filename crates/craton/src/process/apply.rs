//! Application of operations to the components of a seismogram.

use craton_acquisition::Quantity;
use craton_numerics::NumericsError;

use super::files::{Outline, Record};
use super::plan::{Axis, Operation};
use super::rotate::Turn;
use crate::error::{Error, ProcessError};

/// Applies an operation to outlines, which have no samples: all checks are made here.
///
/// # Returns
/// The rotation of the group, if there is one.
/// # Errors
/// An operation that a trace does not support, with its file and the option.
pub(super) fn advance(group: &mut [&mut Outline], operation: &Operation) -> Result<Option<Turn>, ProcessError> {
    if let Operation::Rotate { event } = operation {
        return Turn::of(group, *event);
    }
    for outline in group {
        let refused = |reason| refused(outline, operation, reason);
        let axis = operation.axis(outline.axis).map_err(refused)?;
        if axis.count < 2 {
            let (start, end) = (outline.axis.start, outline.axis.end());
            return Err(ProcessError::EmptyCut {
                file: outline.file.clone(),
                asked: operation.to_string(),
                start,
                end,
            });
        }
        if let Some(change) = change_of(operation) {
            match outline.quantity.map(change) {
                Some(Some(quantity)) => outline.set_quantity(quantity),
                // An unknown quantity cannot have a wrong name.
                None => (),
                Some(None) => {
                    let (file, option) = (outline.file.clone(), operation.option());
                    return Err(ProcessError::NoQuantity { file, option, quantity: outline.quantity_word() });
                }
            }
        }
        outline.axis = axis;
    }
    Ok(None)
}

/// Applies operations to a group of traces.
///
/// # Errors
/// An error of [`advance`], or a sample that is not finite.
pub(super) fn apply(group: &mut [Record], operations: &[Operation]) -> Result<(), Error> {
    for operation in operations {
        let before: Vec<Axis> = group.iter().map(|record| record.outline.axis).collect();
        let mut outlines: Vec<&mut Outline> = group.iter_mut().map(|record| &mut record.outline).collect();
        let turn = advance(&mut outlines, operation)?;
        if let Some(turn) = turn {
            let mut north = std::mem::take(&mut group[turn.north].samples);
            turn.turn(&mut north, &mut group[turn.east].samples);
            group[turn.north].samples = north;
        }
        for (record, axis) in group.iter_mut().zip(before) {
            let samples = std::mem::take(&mut record.samples);
            let processed = operation.samples(samples, axis);
            record.samples = processed.map_err(|reason| refused(&record.outline, operation, reason))?;
        }
    }
    Ok(())
}

fn refused(outline: &Outline, operation: &Operation, reason: NumericsError) -> ProcessError {
    let (file, option, asked) = (outline.file.clone(), operation.option(), operation.to_string());
    ProcessError::Refused { file, option, asked, reason }
}

/// Whether the results of all operations on a quantity have names; an unknown quantity needs none.
pub(super) fn have_names(operations: &[Operation], quantity: Option<Quantity>) -> bool {
    let mut changes = operations.iter().filter_map(change_of);
    quantity.is_none_or(|quantity| changes.try_fold(quantity, |quantity, change| change(quantity)).is_some())
}

/// The quantity that results from an operation, if it changes; `None` if the result has no name.
fn change_of(operation: &Operation) -> Option<fn(Quantity) -> Option<Quantity>> {
    match operation {
        Operation::Integrate => Some(|quantity| match quantity {
            Quantity::Acceleration => Some(Quantity::Velocity),
            Quantity::Velocity => Some(Quantity::Displacement),
            Quantity::RotationRate => Some(Quantity::Rotation),
            Quantity::FibreStrainRate => Some(Quantity::FibreStrain),
            _ => None,
        }),
        Operation::Differentiate => Some(|quantity| match quantity {
            Quantity::Displacement => Some(Quantity::Velocity),
            Quantity::Velocity => Some(Quantity::Acceleration),
            Quantity::Rotation => Some(Quantity::RotationRate),
            Quantity::FibreStrain => Some(Quantity::FibreStrainRate),
            _ => None,
        }),
        _ => None,
    }
}
