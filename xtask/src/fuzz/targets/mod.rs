//! The list of all targets.

mod commands;
mod configurations;
mod grids;
mod input_files;
mod run_state;
mod set_ups;
mod size;
mod tables;
mod traces;

use super::target::Target;

/// All targets: one for every reader of `craton-formats`, the configuration files of `craton` with the files that they name, and the files with which
/// runs continue.
pub fn all() -> Vec<Target> {
    let groups = [
        traces::all(),
        tables::all(),
        grids::all(),
        set_ups::all(),
        run_state::all(),
        configurations::all(),
        input_files::all(),
        commands::all(),
    ];
    groups.into_iter().flatten().collect()
}
