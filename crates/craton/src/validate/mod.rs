//! Checks of the meaning of a scenario that the schema cannot express and that open no other file.

mod compute;
mod domain;
mod material;
mod model;
mod output;
mod perturbation;
mod place;
mod receivers;
mod source;

pub use compute::device;
pub use material::speeds_of_solid;
pub use output::nameless_folder;
pub use place::SURFACE_TOLERANCE;
pub use receivers::{TOO_LONG_HINT, too_long_for};

use crate::config::{Config, Method, Partition};
use crate::error::Problem;
use crate::inputs::Inputs;
use crate::key_path::KeyPath;
use crate::number::Number;

/// All problems of a scenario; empty if there are none.
///
/// Files that the scenario names are not opened here.
///
/// # Arguments
/// * `inputs` – what is given instead of files
pub fn validate(config: &Config, inputs: &Inputs) -> Vec<Problem> {
    let root = KeyPath::default();
    let mut problems = domain::shape(&config.domain, &root.key("domain"));
    if !problems.is_empty() {
        // All other checks need the limits of the domain.
        return problems;
    }
    problems.extend(domain::domain(&config.domain, &root.key("domain")));
    problems.extend(mesh_by_sem(config, &root));
    problems.extend(sphere_by_sem(config, &root.key("domain")));
    problems.extend(width_twice(&config.method, &root.key("method").key(config.method.name())));
    problems.extend(unequal_blocks(config, &root.key("method").key("sem")));
    problems.extend(doubling_depths(config, &root.key("method").key("sem")));
    problems.extend(domain::boundaries(config, &root.key("boundaries")));
    problems.extend(model::model(config, inputs, &root.key("model")));
    problems.extend(perturbation::perturbation(config, &root.key("perturbation")));
    problems.extend(source::sources(config, &root.key("source")));
    problems.extend(receivers::receivers(config, &root.key("receivers")));
    problems.extend(time_step(&config.method, config.duration, &root.key("method").key(config.method.name())));
    problems.extend(output::output(config, &root.key("output")));
    problems.extend(compute::compute(&config.compute, &root.key("compute")));
    problems.extend(partition_of_a_mesh(config, &root.key("compute")));
    problems
}

/// The problem of a chunk or globe with a method that supports only boxes.
fn sphere_by_sem(config: &Config, path: &KeyPath) -> Option<Problem> {
    let refused = config.domain.is_on_sphere() && !matches!(config.method, Method::Sem(_));
    let key = config.domain.sphere_key();
    let problem = || Problem::new(path.key(key), "is not supported by method.fd, whose grid is a box").at_key();
    refused.then(|| problem().hint("use [method.sem], or a box with domain.x, domain.y and domain.z"))
}

/// Keys that a mesh of another program excludes.
fn mesh_by_sem(config: &Config, root: &KeyPath) -> Vec<Problem> {
    if config.domain.mesh.is_none() {
        return Vec::new();
    }
    let Method::Sem(sem) = &config.method else {
        let path = root.key("domain").key("mesh");
        let problem = Problem::new(path, "is not supported by method.fd, whose grid is a box").at_key();
        return vec![problem.hint("use [method.sem], or a box with domain.x, domain.y and domain.z")];
    };
    let keys = [
        ("element_size", sem.element_size.is_some()),
        ("elements", sem.elements.is_some()),
        ("doubling_depths", sem.doubling_depths.is_some()),
        ("control_nodes", sem.control_nodes.is_some()),
    ];
    let path = root.key("method").key("sem");
    let problem = |key| Problem::new(path.key(key), "conflicts with `domain.mesh`").at_key();
    let given = keys.into_iter().filter(|(_, is_given)| *is_given);
    given.map(|(key, _)| problem(key).hint("remove it: the mesh has its own elements")).collect()
}

/// The problem of mesh partitioning with a method without mesh.
fn partition_of_a_mesh(config: &Config, path: &KeyPath) -> Option<Problem> {
    let word = match config.compute.partition {
        Partition::Regular => return None,
        Partition::Slices => "slices",
        Partition::Metis => "metis",
    };
    let problem = || Problem::new(path.key("partition"), "applies to meshes, but method.fd has a grid").value(word);
    let refused = !matches!(config.method, Method::Sem(_));
    refused.then(|| problem().allowed("regular").hint("leave it out: Craton partitions grids into equal blocks"))
}

/// The problem of elements whose width is given twice.
fn width_twice(method: &Method, path: &KeyPath) -> Option<Problem> {
    let Method::Sem(sem) = method else { return None };
    let twice = sem.element_size.is_some() && sem.elements.is_some();
    let problem = || Problem::new(path.key("elements"), "conflicts with `element_size`").at_key();
    twice.then(|| problem().hint("remove one of the two keys"))
}

/// The problem of different numbers of elements along the edges of the blocks of a globe.
fn unequal_blocks(config: &Config, path: &KeyPath) -> Option<Problem> {
    let (Method::Sem(sem), true) = (&config.method, config.domain.globe.is_some()) else { return None };
    let [x, y] = sem.elements.filter(|[x, y]| x != y)?;
    let problem =
        Problem::new(path.key("elements"), "must be the same number twice, because the blocks of a globe are square");
    Some(problem.value(format!("[{x}, {y}]")).allowed(format!("such as [{x}, {x}]")))
}

/// The problem of doubling depths that are not in descending order within the domain, or that conflict with `doubling`.
fn doubling_depths(config: &Config, path: &KeyPath) -> Option<Problem> {
    let Method::Sem(sem) = &config.method else { return None };
    let depths = sem.doubling_depths.as_ref()?;
    let path = path.key("doubling_depths");
    if !sem.doubling {
        let problem = Problem::new(path, "conflicts with `doubling = false`").at_key();
        return Some(problem.hint("remove one of the two keys"));
    }
    let [deepest, highest] = config.domain.z().map(|z| 0.0 - z);
    let mut above = None;
    for (index, &depth) in depths.iter().enumerate() {
        let wrong = !(highest..deepest).contains(&depth) || above.is_some_and(|above| depth <= above);
        if wrong {
            let least = above.map_or(format!(">= {} m", Number(highest)), |above| {
                format!("> {} m (the previous depth)", Number(above))
            });
            let problem = Problem::new(path.index(index), "is out of order or outside the domain").value(Number(depth));
            return Some(problem.allowed(format!("{least} and < {} m (the bottom)", Number(deepest))));
        }
        above = Some(depth);
    }
    None
}

fn time_step(method: &Method, duration: f64, path: &KeyPath) -> Option<Problem> {
    let time_step = method.time_step().filter(|&time_step| time_step >= duration)?;
    let problem = Problem::new(path.key("time_step"), "is longer than the simulation");
    Some(problem.value(Number(time_step)).allowed(format!("< duration = {} s", Number(duration))))
}

/// The problem of a table that does not have exactly one of some keys.
///
/// # Arguments
/// * `path` – the table
/// * `keys` – each key, and whether it is present
pub fn exactly_one(path: &KeyPath, keys: &[(&str, bool)]) -> Option<Problem> {
    let all = keys.iter().map(|(key, _)| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    let given: Vec<&str> = keys.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect();
    match &given[..] {
        [_] => None,
        [] => Some(Problem::new(path, format!("requires one of {all}"))),
        [first, second, ..] => {
            let message = format!("`{first}` and `{second}` exclude each other");
            let problem = Problem::new(path.key(second), message).hint("remove one of the two keys").at_key();
            Some(problem.allowed(format!("exactly one of {all}")))
        }
    }
}
