//! Quality factors in a perturbation file.

use craton_formats::netcdf::NetcdfReader;
use craton_model::{MapCut, Maps};

use super::file::{MapFile, named};
use super::{QUALITY, Source};
use crate::config::MissingValues;
use crate::number::{Number, counted};
use crate::setup::findings::Checked;

/// The variables of qp, qs, qkappa and qmu that the scenario names.
pub fn chosen(source: &Source, reader: &NetcdfReader) -> Checked<[Option<usize>; 4]> {
    let config = source.written;
    let names = [&config.qp, &config.qs, &config.qkappa, &config.qmu];
    let mut found = [None; 4];
    for ((found, key), name) in found.iter_mut().zip(QUALITY).zip(names) {
        *found = named(source, reader, key, name.as_deref())?;
    }
    Ok(found)
}

/// The variables of qp, qs, qkappa and qmu by their usual names.
pub fn usual(reader: &NetcdfReader) -> [Option<usize>; 4] {
    let variables = &reader.dataset().variables;
    QUALITY.map(|name| variables.iter().position(|variable| variable.name.eq_ignore_ascii_case(name)))
}

/// Reads the maps of quality factors within the domain; returns a warning about missing values.
///
/// # Errors
/// Variables of both Qs and Qmu, unreadable variables, missing values that are refused.
pub fn read(source: &Source, file: &mut MapFile, cut: &MapCut, maps: &mut Maps) -> Checked<Option<String>> {
    let [qp, qs, qkappa, qmu] = file.quality;
    if qs.is_some() && qmu.is_some() {
        let problem = source.problem("both qs and qmu are given, and both are the quality factor of the shear modulus");
        return Err(problem.hint("choose the variables with perturbation.qp and qs, or qkappa and qmu").into());
    }
    let mut missing = 0;
    for (variable, map) in [(qp, &mut maps.qp), (qs.or(qmu), &mut maps.qmu), (qkappa, &mut maps.qkappa)] {
        let Some(variable) = variable else { continue };
        let (values, strides) = file.values(source, variable)?;
        let index = |at: [usize; 3]| at.iter().zip(strides).map(|(number, stride)| number * stride).sum::<usize>();
        let values = cut.values(|at| values[index(at)]);
        let needed = |index: &usize| values[*index].is_nan() && cut.is_needed(*index);
        let lacking: Vec<usize> = (0..values.len()).filter(needed).collect();
        if let Some(&first) = lacking.first()
            && source.written.missing == MissingValues::Refused
        {
            let [longitude, latitude, depth] = cut.place(first).map(Number);
            let place = format!("longitude {longitude}, latitude {latitude}, depth {depth} m");
            let problem = source.problem(format!("{} is missing at {place}", file.name(variable)));
            let hint =
                "fill the missing values, or set perturbation.missing = \"unchanged\" to keep the Q of the model";
            return Err(problem.hint(hint).into());
        }
        missing += lacking.len();
        *map = Some(values);
    }
    Ok((missing > 0).then(|| {
        let path = source.path.key("file");
        format!("{path}: {} of Q within the domain are missing; Q is unchanged there", counted(missing, "value"))
    }))
}
