//! Files of the Geophysical Inversion Facility of the University of British Columbia (UBC-GIF), as used by GRAV3D, GG3D and SimPEG: meshes,
//! density models, gravity and gravity gradients.
//!
//! | file | read | write | unit and axes in the file |
//! |---|---|---|---|
//! | mesh | [`Mesh::read`] | [`Mesh::write`] | m; x east, y north, z elevation (up) |
//! | model | [`Model::read`] | [`Model::write`] | g/cm³, density contrast |
//! | GRAV3D locations, observations | [`GravityData::read`] | [`GravityData::write`] | m, elevation up; mGal, **positive down**: larger above excess mass |
//! | GG3D locations, observations | [`GradientData::read`] | [`GradientData::write`] | m, elevation up; Eötvös, components along **x north, y east, z down** |
//!
//! So positions and components in one file use different axes: [`Component::east_north_up`] converts the components to x east, y north, z
//! up. `!` starts a comment anywhere in a line.
//!
//! Source: manuals of GRAV3D 6.0 and GG3D 6.0, UBC-GIF: "Mesh file", "Model file", "Observations file" and "Background theory", whose
//! equations define the axes. The order of values and uncertainties follows `read_gg3d_ubc` in SimPEG.

mod gradient;
mod gravity;
mod mesh;
mod model;
mod stations;

pub use gradient::{Component, GradientData};
pub use gravity::GravityData;
pub use mesh::Mesh;
pub use model::{LEFT_OUT_G_CM3, Model};

/// Data of a trimmed line; `None` if it holds only a comment.
fn data(line: &str) -> Option<&str> {
    let data = line.split('!').next().unwrap_or_default().trim();
    (!data.is_empty()).then_some(data)
}
