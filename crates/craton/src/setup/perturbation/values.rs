//! Values of a map within the domain: units, scaling, missing values.

use craton_model::{MapCut, MapValues, Maps};

use super::file::{MapFile, Variables};
use super::{ACROSS, MAPS, QUANTITIES, Source, VOIGT};
use crate::config::MissingValues;
use crate::error::Problem;
use crate::number::{Number, counted};
use crate::setup::findings::Checked;

/// The maps of vp, vs and density within the domain, the meaning of their values, and warnings about missing ones.
///
/// # Errors
/// Unknown or mixed units, missing values within the domain, scaling factors without a variable to scale.
pub fn maps(source: &Source, file: &mut MapFile, cut: &MapCut) -> Checked<(Maps, MapValues, Option<String>)> {
    let mut fields = Fields::default();
    let mut meaning = None;
    for (quantity, variables) in file.variables.into_iter().enumerate() {
        let mut read = |variable| field(source, file, cut, (quantity, variable), &mut meaning);
        match variables {
            None => {}
            Some(Variables::One(variable)) => fields[quantity] = Some(read(variable)?),
            Some(Variables::Polarised([vertical, horizontal])) => {
                fields[quantity] = Some(read(vertical)?);
                fields[ACROSS[quantity]] = Some(read(horizontal)?);
            }
        }
    }
    // A file may have quality factors only.
    let meaning = meaning.unwrap_or(MapValues::Relative);
    for (quantity, across) in ACROSS.into_iter().enumerate() {
        if source.averages && fields[across].is_some() {
            fields[quantity] = without_direction(&fields, quantity, meaning);
            fields[across] = None;
        }
    }
    let missing = fill(source, &mut fields, meaning, cut)?;
    scale(source, &mut fields, meaning)?;
    let [vp, vs, rho, vph, vsh] = fields;
    Ok((Maps { vp, vs, rho, vph, vsh, ..Maps::default() }, meaning, missing))
}

/// Values of each available map.
type Fields = [Option<Vec<f32>>; MAPS.len()];

/// The values of vp or vs, averaged over two polarisations.
fn without_direction(fields: &Fields, quantity: usize, meaning: MapValues) -> Option<Vec<f32>> {
    let vertical = fields[quantity].as_ref()?;
    let Some(horizontal) = &fields[ACROSS[quantity]] else { return Some(vertical.clone()) };
    let both = vertical.iter().zip(horizontal);
    Some(both.map(|(&vertical, &horizontal)| mean(meaning, VOIGT[quantity], [vertical, horizontal])).collect())
}

/// The values of a variable within the domain, in SI units or as fractions; all variables must have the same meaning.
fn field(
    source: &Source,
    file: &mut MapFile,
    cut: &MapCut,
    (quantity, variable): (usize, usize),
    meaning: &mut Option<MapValues>,
) -> Checked<Vec<f32>> {
    let unit = file.unit(source, quantity, variable)?;
    if *meaning.get_or_insert(unit.meaning) != unit.meaning {
        let problem = source.problem("the file mixes relative and absolute variables");
        return Err(problem.hint("choose variables of one kind with perturbation.vp, vs and rho").into());
    }
    let (values, strides) = file.values(source, variable)?;
    let value = |at: [usize; 3]| values[at.iter().zip(strides).map(|(number, stride)| number * stride).sum::<usize>()];
    Ok(cut.values(|at| (f64::from(value(at)) * unit.factor) as f32))
}

/// The root of the weighted mean square of two speeds, or of relative perturbations of one speed.
///
/// # Arguments
/// * `shares` – weights of the squares, with a sum of 1
fn mean(meaning: MapValues, shares: [f64; 2], values: [f32; 2]) -> f32 {
    let unchanged = if meaning == MapValues::Relative { 1.0 } else { 0.0 };
    let squares = values.map(|value| (unchanged + f64::from(value)).powi(2));
    ((shares[0] * squares[0] + shares[1] * squares[1]).sqrt() - unchanged) as f32
}

/// Replaces missing values if that is allowed; reports how many are within the domain.
fn fill(source: &Source, fields: &mut Fields, meaning: MapValues, cut: &MapCut) -> Checked<Option<String>> {
    let count = fields.iter().flatten().map(Vec::len).next().unwrap_or(0);
    let is_missing = |fields: &Fields, index: usize| fields.iter().flatten().any(|field| field[index].is_nan());
    let missing: Vec<usize> = (0..count).filter(|&index| is_missing(fields, index)).collect();
    let needed: Vec<usize> = missing.iter().copied().filter(|&index| cut.is_needed(index)).collect();
    if let Some(&first) = needed.first()
        && (meaning == MapValues::Absolute || source.written.missing == MissingValues::Refused)
    {
        return Err(needed_problem(source, fields, meaning, cut, first, needed.len()));
    }
    let level = cut.axes().longitudes.len() * cut.axes().latitudes.len();
    let mut donors: Vec<Option<Option<usize>>> = vec![None; cut.axes().depths.len()];
    for index in missing {
        // Unused values must not widen the range of values at their depth.
        let depth = index / level;
        let donor = *donors[depth]
            .get_or_insert_with(|| (depth * level..(depth + 1) * level).find(|&index| !is_missing(fields, index)));
        for field in fields.iter_mut().flatten() {
            match (meaning, donor) {
                (MapValues::Relative, _) if field[index].is_nan() => field[index] = 0.0,
                (MapValues::Absolute, Some(donor)) => field[index] = field[donor],
                _ => {}
            }
        }
    }
    Ok((!needed.is_empty()).then(|| {
        format!(
            "{} = {:?}: {} within the domain have no value, and the model is unchanged there (perturbation.missing)",
            source.path.key("file"),
            source.file().display().to_string(),
            counted(needed.len(), "point")
        )
    }))
}

/// The problem of missing values within the domain.
fn needed_problem(
    source: &Source,
    fields: &Fields,
    meaning: MapValues,
    cut: &MapCut,
    first: usize,
    count: usize,
) -> Box<Problem> {
    let is_first = |(_, field): &(&str, &Option<Vec<f32>>)| field.as_ref().is_some_and(|field| field[first].is_nan());
    let quantity = MAPS.into_iter().zip(fields).find(is_first).map_or("a value", |(quantity, _)| quantity);
    let [longitude, latitude, depth] = cut.place(first).map(Number);
    let others = match count - 1 {
        0 => String::new(),
        more => format!(", and at {} within the domain", counted(more, "more point")),
    };
    let place = format!("longitude {longitude}, latitude {latitude}, depth {depth} m{others}");
    let problem = source.problem(format!("{quantity} is missing at {place}"));
    Box::new(problem.hint(match meaning {
        MapValues::Relative => {
            "fill the missing values, shrink the domain, or set perturbation.missing = \"unchanged\""
        }
        MapValues::Absolute => "fill the missing values, or shrink the domain",
    }))
}

/// Derives perturbations of quantities without a variable from those of vs, or of vp.
fn scale(source: &Source, fields: &mut Fields, meaning: MapValues) -> Checked<()> {
    let scaling = &source.written.scaling;
    let factors = [scaling.vp, scaling.vs, scaling.rho];
    let base = [1, 0].into_iter().find(|&quantity| fields[quantity].is_some());
    let scaled = factors.into_iter().enumerate().filter_map(|(quantity, factor)| Some((quantity, factor?)));
    for (quantity, factor) in scaled {
        let problem = |message: &str| {
            Problem::new(source.path.key("scaling").key(QUANTITIES[quantity]), message).value(Number(factor))
        };
        if fields[quantity].is_some() {
            let hint = "remove the factor, or name the variables to read with perturbation.vp, vs and rho";
            return Err(problem("the file has values of this quantity").hint(hint).at_key().into());
        }
        if meaning == MapValues::Absolute {
            let hint = "use a file with relative perturbations, or one with all perturbed quantities";
            return Err(problem("requires relative perturbations, but the file has absolute values")
                .hint(hint)
                .at_key()
                .into());
        }
        let changes = base.and_then(|base| without_direction(fields, base, meaning));
        let Some(changes) = changes else {
            return Err(problem("scales perturbations of vs or vp, but the file has neither").at_key().into());
        };
        fields[quantity] = Some(changes.iter().map(|change| (factor * f64::from(*change)) as f32).collect());
    }
    Ok(())
}
