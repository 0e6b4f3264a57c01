//! Surfaces, volumes, meshes and pictures.

use super::traces::finite_volume;
use crate::fuzz::mutate::Form;
use crate::fuzz::target::{Outcome, Target};
use craton_formats::grid::{self, Grid, esri, litho1};
use craton_formats::netcdf::{self, DataType, NetcdfReader};
use craton_formats::volume::Axis;
use craton_formats::{ByteOrder, raw, rsf, ubc, vtk};
use std::path::Path;

/// The targets of this module.
pub fn all() -> Vec<Target> {
    vec![
        Target::new("grid", Form::Text, "a.asc", read_grid),
        Target {
            corpus: &["crates/craton-formats/tests/all/geotiff/samples"],
            ..Target::new("geotiff", Form::Binary, "a.tif", read_grid)
        },
        Target {
            corpus: &["crates/craton-formats/tests/all/netcdf/samples"],
            ..Target::new("netcdf", Form::Binary, "a.nc", read_netcdf)
        },
        Target {
            companions: vec![("values.bin", "xtask/corpus/raw/values")],
            ..Target::new("rsf", Form::Mixed, "a.rsf", read_rsf)
        },
        Target::new("raw", Form::Binary, "a.raw", read_raw),
        Target {
            corpus: &["crates/craton-formats/tests/all/ubc/samples/discretize.msh"],
            ..Target::new("ubc_mesh", Form::Text, "a.msh", read_ubc_mesh)
        },
        Target {
            companions: vec![("a.msh", "crates/craton-formats/tests/all/ubc/samples/discretize.msh")],
            corpus: &["crates/craton-formats/tests/all/ubc/samples/discretize.den"],
            ..Target::new("ubc_model", Form::Text, "a.den", read_ubc_model)
        },
        Target {
            corpus: &[
                "crates/craton-formats/tests/all/ubc/samples/simpeg.gg",
                "crates/craton-formats/tests/all/ubc/samples/simpeg.grv",
            ],
            ..Target::new("ubc_stations", Form::Text, "a.gg", read_ubc_stations)
        },
        Target::new("litho1", Form::Text, "node1.model", read_litho1),
        Target::new("vtk", Form::Mixed, "a.vtu", read_vtk),
    ]
}

/// Checks the number of values and that coordinates ascend; gaps are NaN if allowed.
fn finite_grid(Grid { x, y, values }: &Grid, with_gaps: bool) -> Outcome {
    assert_eq!(values.len(), x.len() * y.len(), "the number of values differs from that of the points");
    if [x, y].iter().any(|axis| axis.windows(2).any(|pair| pair[0] >= pair[1])) {
        return Outcome::Broken("coordinates do not ascend".to_owned());
    }
    let values = values.iter().copied().filter(|value| !(with_gaps && value.is_nan()));
    Outcome::finite(x.iter().chain(y).copied().chain(values))
}

fn read_grid(path: &Path) -> Outcome {
    let whole = Outcome::of(grid::read(path), |(grid, _)| finite_grid(&grid, false));
    whole.or(Outcome::of(esri::read_with_gaps(path), |grid| finite_grid(&grid, true)))
}

fn read_netcdf(path: &Path) -> Outcome {
    let variables = Outcome::of(NetcdfReader::open(path), |mut reader| {
        let variables = reader.dataset().variables.clone();
        let mut count = 0;
        for variable in &variables {
            let read = match variable.data_type {
                DataType::Char => reader.texts(&variable.name).map(|texts| texts.len()),
                _ => reader.values_f64(&variable.name).map(|values| values.len()),
            };
            let _ = reader.values_f32(&variable.name);
            count += read.unwrap_or(0);
        }
        Outcome::Accepted(count)
    });
    let surface = Outcome::of(netcdf::read_grid(path), |(grid, _)| finite_grid(&grid, false));
    let volume = Outcome::of(netcdf::read_volume(path, None), |volume| finite_volume(&volume));
    let cells = Outcome::of(netcdf::read_cells(path, None), |cells| {
        let planes = cells.axes.iter().flat_map(|axis| axis.planes.iter().copied());
        Outcome::finite(planes.chain(cells.values.iter().copied()))
    });
    variables.or(surface).or(volume).or(cells)
}

fn read_rsf(path: &Path) -> Outcome {
    let _ = rsf::data_file(path);
    Outcome::of(rsf::read(path), |volume| finite_volume(&volume))
}

fn read_raw(path: &Path) -> Outcome {
    let axes = vec![Axis::new(3, 0.0, 10.0), Axis::new(2, 0.0, 25.0)];
    let double = raw::read(path, axes[..1].to_vec(), raw::Number::F64, ByteOrder::Big);
    let single = raw::read(path, axes, raw::Number::F32, ByteOrder::Little);
    Outcome::of(single.or(double), |volume| finite_volume(&volume))
}

fn read_litho1(path: &Path) -> Outcome {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let places = Outcome::of(litho1::places(&text, path), |places| Outcome::finite(places.into_iter().flatten()));
    let profile = Outcome::of(litho1::profile(&text, path), |(boundaries, moho)| {
        let values = boundaries.iter().flat_map(|one| [one.elevation, one.density, one.vp, one.vs]);
        Outcome::finite(values.chain([moho]))
    });
    profile.or(places)
}

fn read_ubc_mesh(path: &Path) -> Outcome {
    Outcome::of(ubc::Mesh::read(path), |mesh| Outcome::finite(mesh.edges().iter().flatten().copied()))
}

fn read_ubc_model(path: &Path) -> Outcome {
    let mesh = ubc::Mesh::read(&path.with_file_name("a.msh"));
    // Densities may be NaN, which means air.
    Outcome::of(mesh.and_then(|mesh| ubc::Model::read(path, &mesh)), |model| {
        Outcome::Accepted(model.densities_kg_m3().len())
    })
}

fn read_ubc_stations(path: &Path) -> Outcome {
    let gravity = Outcome::of(ubc::GravityData::read(path), |data| {
        let values = data.values_mgal.into_iter().chain(data.uncertainties_mgal).flatten();
        Outcome::finite(data.points.into_iter().flatten().chain(values))
    });
    let gradient = Outcome::of(ubc::GradientData::read(path), |data| {
        let values = data.values_eotvos.into_iter().chain(data.uncertainties_eotvos).flatten().flatten();
        Outcome::finite(data.points.into_iter().flatten().chain(values))
    });
    gradient.or(gravity)
}

fn read_vtk(path: &Path) -> Outcome {
    let series = Outcome::of(vtk::read_pvd(path), |steps| Outcome::finite(steps.iter().map(|step| step.time)));
    let field = Outcome::of(vtk::read_f32(path, "velocity [m/s]"), |values| Outcome::Accepted(values.len()));
    field.or(series)
}
