//! Checks of the Earth model.

use super::exactly_one;
use super::material::{material, speeds_of_solid};
use crate::config::{
    Block, Config, DepthTable, Domain, Earth, EarthName, EarthTop, Layered, Level, MOST_DENSITY, MOST_SPEED, MeshModel,
    Model, Volumes,
};
use crate::error::Problem;
use crate::inputs::Inputs;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::sampled::volume_problems;

/// Problems of the model.
pub fn model(config: &Config, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    match &config.model {
        Model::Homogeneous(solid) => material(solid, &path.key("homogeneous")),
        Model::Layered(layered) => layers(layered, config, &path.key("layered").key("layers")),
        Model::DepthTable(table) => depth_table(table, &path.key("depth_table")),
        Model::Volume(volumes) => volume(volumes, config, inputs, &path.key("volume")),
        Model::Earth(written) => earth(written, config, &path.key("earth")).into_iter().collect(),
        Model::Mesh(written) => blocks(written, config, inputs, &path.key("mesh")),
    }
}

/// The problem of an ocean or a Moho that the rest of the model excludes.
fn earth(earth: &Earth, config: &Config, path: &KeyPath) -> Option<Problem> {
    let has_ocean = !matches!(earth.name, EarthName::Iasp91 | EarthName::Ak135);
    let top = path.key("top");
    match earth.top {
        EarthTop::Ocean if !has_ocean => Some(
            Problem::new(top, "requires `name = \"prem\"`, `\"prem_anisotropic\"` or `\"ak135_f\"`")
                .hint("use \"crust\", or write the layers of the model in a depth table, with vs = 0 in the ocean"),
        ),
        EarthTop::Ocean if config.domain.topography.is_some() || earth.moho.is_some() => Some(
            Problem::new(
                top,
                "cannot be combined with `domain.topography` or `moho`, because the ocean has a constant depth of 3 km",
            )
            .hint("use \"crust\". An ocean that ends at coasts is not supported"),
        ),
        EarthTop::Mantle if earth.moho.is_some() => Some(
            Problem::new(path.key("moho"), "conflicts with `top = \"mantle\"`")
                .hint("remove one of the two keys")
                .at_key(),
        ),
        _ if earth.thinnest_crust > 0.0 && earth.moho.is_none() => Some(
            Problem::new(path.key("thinnest_crust"), "requires `moho`")
                .hint("set `model.earth.moho`, or remove `thinnest_crust`")
                .at_key(),
        ),
        _ => None,
    }
}

/// Problems of the materials of a mesh.
fn blocks(written: &MeshModel, config: &Config, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    if config.domain.mesh.is_none() {
        let problem = Problem::new(path, "requires `domain.mesh`").at_key();
        return vec![problem.hint("give the mesh, or use another model")];
    }
    let of_block = |(number, block): (usize, &Block)| {
        let path = path.key("blocks").index(number);
        let of_material = block.material.iter().flat_map(|given| material(given, &path.key("material")));
        let of_volume = block.volume.iter().flat_map(|given| volume(given, config, inputs, &path.key("volume")));
        of_material.chain(of_volume).collect::<Vec<_>>()
    };
    written.blocks.iter().enumerate().flat_map(of_block).collect()
}

fn volume(volumes: &Volumes, config: &Config, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    if config.domain.is_on_sphere() {
        let problem = Problem::new(path, "is a volume over x and y, which the spherical Earth does not support");
        let hint = "use model.earth with a `perturbation` over longitude and latitude, or a box";
        return vec![problem.hint(hint).at_key()];
    }
    let files = [("vp", Some(&volumes.vp)), ("vs", Some(&volumes.vs)), ("rho", volumes.rho.as_ref())];
    let Volumes { qp, qs, qkappa, qmu, .. } = volumes;
    let qualities = [("qp", qp), ("qs", qs), ("qkappa", qkappa), ("qmu", qmu)].map(|(key, file)| (key, file.as_ref()));
    files
        .into_iter()
        .chain(qualities)
        .filter_map(|(key, file)| Some((key, file?)))
        .flat_map(|(key, file)| volume_problems(file, inputs, &path.key(key)))
        .collect()
}

fn layers(layered: &Layered, config: &Config, path: &KeyPath) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut above: Option<f64> = None;
    for (index, layer) in layered.layers.iter().enumerate() {
        let path = path.index(index);
        problems.extend(material(&layer.material, &path));
        let top = path.key("top");
        match &layer.top {
            None if index > 0 => {
                let hint = "only the first layer may leave `top` out, because it extends to the top of the domain";
                problems.push(Problem::new(&top, "is missing").hint(hint));
            }
            Some(level) if index == 0 => problems.extend(first_top(level, config, &top)),
            // Only the first layer below the domain is reported.
            Some(Level::Flat(level)) if above.is_some_and(|above| (*level..=config.domain.z()[0]).contains(&above)) => {
            }
            Some(Level::Flat(level)) => {
                let last = layered.layers.len() - 1;
                problems.extend(order(*level, above, &config.domain, &top, [index, last]));
            }
            None | Some(Level::Grid(_)) => {}
        }
        above = match &layer.top {
            Some(Level::Flat(level)) => Some(*level),
            Some(Level::Grid(_)) => above,
            None => Some(config.domain.z()[1]),
        };
    }
    problems
}

/// The top of the first layer must be the top of the domain.
fn first_top(level: &Level, config: &Config, path: &KeyPath) -> Option<Problem> {
    if config.domain.topography.is_some() {
        let problem = Problem::new(path, "the first layer always starts at the topography");
        return Some(problem.hint("remove `top` of the first layer").at_key());
    }
    let surface = config.domain.z()[1];
    match level {
        Level::Flat(level) if *level < surface => Some(
            Problem::new(path, "leaves the uppermost part of the domain without material")
                .value(Number(*level))
                .allowed(format!(">= domain.z[1] = {} m", Number(surface)))
                .hint("remove `top` of the first layer, or raise it to the top of the domain"),
        ),
        Level::Flat(_) => None,
        Level::Grid(_) => Some(
            Problem::new(path, "a grid is not allowed for the top of the first layer")
                .hint("give the grid as `domain.topography` and remove this `top`"),
        ),
    }
}

/// A flat interface must be below the previous one and above the bottom.
///
/// # Arguments
/// * `numbers` – indices of its layer and of the last layer
fn order(
    level: f64,
    above: Option<f64>,
    domain: &Domain,
    path: &KeyPath,
    [index, last]: [usize; 2],
) -> Option<Problem> {
    let problem = if above.is_some_and(|above| level >= above) {
        Problem::new(path, "is not below the top of the previous layer").hint("list the layers from the top down")
    } else if level <= domain.z()[0] {
        let layers = if index < last { format!("layers[{index}] to layers[{last}]") } else { "the layer".to_owned() };
        Problem::new(path, "is below the domain").hint(format!("remove {layers}, or {}", domain.lowering()))
    } else {
        return None;
    };
    let allowed = match above.map(Number) {
        Some(above) => format!("< {above} m and > {}", domain.named_bottom()),
        None => format!("> {}", domain.named_bottom()),
    };
    Some(problem.value(Number(level)).allowed(allowed))
}

fn depth_table(table: &DepthTable, path: &KeyPath) -> Vec<Problem> {
    if let Some(problem) = exactly_one(path, &[("file", table.file.is_some()), ("rows", table.rows.is_some())]) {
        return vec![problem];
    }
    let path = path.key("rows");
    let mut problems = Vec::new();
    let mut above = f64::NEG_INFINITY;
    for (index, row) in table.rows.iter().flatten().enumerate() {
        let path = path.index(index);
        let &[depth, vp, vs, rho, ..] = &row[..] else {
            let problem = Problem::new(path, format!("has {} numbers", row.len())).allowed("4, or 6 with qp and qs");
            problems.push(problem.hint("give depth, vp, vs and rho"));
            continue;
        };
        if row.len() == 5 {
            let problem = Problem::new(path.clone(), "has five numbers").allowed("4, or 6 with qp and qs");
            problems.push(problem.hint("give both quality factors, or none"));
        } else if table.rows.iter().flatten().any(|first| first.len() < row.len()) {
            let problem = Problem::new(path.clone(), "has quality factors, but other rows have none");
            problems.push(problem.hint("give qp and qs in every row; 1e9 is as good as elastic"));
        }
        if depth < above {
            let problem =
                Problem::new(path.index(0), "the depth is less than that of the previous row").value(Number(depth));
            problems.push(problem.allowed(format!(">= {} m", Number(above))));
        }
        above = depth;
        for (column, name, value) in [(1, "vp", vp), (2, "vs", vs), (3, "rho", rho)] {
            let most = if name == "rho" { MOST_DENSITY } else { MOST_SPEED };
            let (least, is_fluid) = if name == "vs" { (">= 0", value == 0.0) } else { ("> 0", false) };
            if (value <= 0.0 && !is_fluid) || value > most {
                let problem = Problem::new(path.index(column), format!("{name} is out of range")).value(Number(value));
                problems.push(problem.allowed(format!("{least} and <= {}", Number(most))));
            }
        }
        if vp > 0.0 {
            problems.extend(speeds_of_solid(vp, vs, &path.index(2)));
        }
    }
    problems
}
