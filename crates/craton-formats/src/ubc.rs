//! Files of the Geophysical Inversion Facility of the University of British Columbia (UBC-GIF), as GRAV3D, GG3D and
//! SimPEG read and write them: meshes, models of density, gravity and its gradients.
//!
//! | file | read | write | unit and axes, as written |
//! |---|---|---|---|
//! | mesh | [`Mesh::read`] | [`Mesh::write`] | m; x east, y north, z elevation (up) |
//! | model | [`Model::read`] | [`Model::write`] | g/cm³, contrast of density |
//! | GRAV3D locations, observations | [`GravityData::read`] | [`GravityData::write`] | m, elevation up; mGal, **positive down**: more where there is more mass below |
//! | GG3D locations, observations | [`GradientData::read`] | [`GradientData::write`] | m, elevation up; Eötvös, components along **x north, y east, z down** |
//!
//! So places and components of one file have different axes: [`Component::east_north_up`] turns the components to x east,
//! y north, z up. `!` starts a comment anywhere in a line.
//!
//! Source: manuals of GRAV3D 6.0 and GG3D 6.0, UBC-GIF: "Mesh file", "Model file", "Observations file" and "Background
//! theory", whose equations give the axes; the order of values and uncertainties is that of `read_gg3d_ubc` in SimPEG.

mod gradient;
mod gravity;
mod mesh;
mod model;
mod stations;

pub use gradient::{Component, GradientData};
pub use gravity::GravityData;
pub use mesh::Mesh;
pub use model::{LEFT_OUT_G_CM3, Model};

/// What a trimmed line holds, `None` if that is nothing but a comment.
fn data(line: &str) -> Option<&str> {
    let data = line.split('!').next().unwrap_or_default().trim();
    (!data.is_empty()).then_some(data)
}
