//! Volumes from files of all formats, and from the calling program.

use std::path::Path;

use craton_formats::raw::Number as RawNumber;
use craton_formats::volume::{Axis, Volume};
use craton_formats::{ByteOrder, FormatError, netcdf, raw, rsf, segy, sofi3d, xyz};

use crate::config::{self, VolumeFile, VolumeFormat};
use crate::inputs::{Given, Input, wrong_kind};
use crate::key_path::KeyPath;
use crate::setup::findings::{Checked, bad_file};
use crate::written::{Format, Written};

/// The format of a file: as given, or by the file name.
pub fn format_of(file: &VolumeFile) -> VolumeFormat {
    let extension = file.file.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    file.format.unwrap_or(match extension.as_deref() {
        Some("segy" | "sgy") => VolumeFormat::Segy,
        Some("rsf") => VolumeFormat::Rsf,
        Some("nc") => VolumeFormat::Netcdf,
        Some("xyz" | "txt") => VolumeFormat::Text,
        _ => VolumeFormat::Raw,
    })
}

/// A volume from a file or the calling program, and its format; a volume of the calling program has the format of raw
/// files, which do not define their axes.
pub(super) fn volume<C: Format>(
    file: &VolumeFile,
    written: &Written<C>,
    path: &KeyPath,
) -> Checked<(Volume, VolumeFormat)> {
    let path = path.key("file");
    let opened = match written.input(&file.file) {
        Input::File(opened) => opened,
        Input::Given(Given::Volume(volume)) => return Ok((volume.clone(), VolumeFormat::Raw)),
        Input::Given(given) => return Err(wrong_kind(given, "a volume", &file.file, &path)),
    };
    let format = format_of(file);
    if format == VolumeFormat::Sofi3d
        && let Ok(data) =
            sofi3d_property(file, &opened).and_then(|property| sofi3d::Parameters::read(&opened)?.file(property))
    {
        written.mark(&data);
    }
    if format == VolumeFormat::Rsf
        && let Ok(Some(data)) = rsf::data_file(&opened)
    {
        // The contents of the file count, too; if it is unreadable, that is reported below.
        written.mark(&file.file.parent().unwrap_or(Path::new("")).join(data));
    }
    let volume = volume_of_file(file, &opened).map_err(|error| bad_file(&error, &file.file, &path))?;
    Ok((volume, format))
}

/// Whether the configuration gives all that determines positions, so that the headers of a file are not consulted; the order of the axes
/// of a section is known.
fn is_placed(file: &VolumeFile) -> bool {
    let is_section = |spacing: &Vec<f64>| spacing.len() == 2;
    let has_axes = file.axes.is_some() || file.spacing.as_ref().is_some_and(is_section);
    file.origin.is_some() && file.spacing.is_some() && has_axes
}

/// Reads a column of a text file, with its values in SI units unless the configuration gives a factor.
fn text_volume(file: &VolumeFile, path: &Path) -> Result<Volume, FormatError> {
    let column = file.variable.as_deref();
    let volume = xyz::read(path, column)?;
    let names = xyz::columns(path)?;
    let index = column.and_then(|column| names.iter().position(|name| name.eq_ignore_ascii_case(column)));
    let unit =
        index.map_or_else(|| Ok(String::new()), |index| Ok::<_, FormatError>(xyz::units(path)?.swap_remove(index)))?;
    let is_thousand = matches!(&*unit, "km/s" | "g/cm3" | "g/cm^3" | "g/cc" | "km_s" | "g_cm3");
    if !is_thousand || file.factor.is_some() {
        return Ok(volume);
    }
    let (axes, mut values) = volume.into_parts();
    values.iter_mut().for_each(|value| *value *= 1000.0);
    Volume::new(axes, values).map_err(|refused| refused.unreadable(path))
}

/// The property of a model of SOFI3D that the configuration names.
fn sofi3d_property(file: &VolumeFile, path: &Path) -> Result<sofi3d::Property, FormatError> {
    use sofi3d::Property::{Density, Qp, Qs, Vp, Vs};
    let name = file.variable.as_deref().unwrap_or_default();
    let found = [Vp, Vs, Density, Qp, Qs].into_iter().find(|property| property.extension() == name);
    found.ok_or_else(|| FormatError::Layout {
        path: path.to_owned(),
        line: 1,
        problem: format!("`variable` = {name:?} is no model of SOFI3D"),
        hint: "set variable to \"vp\", \"vs\", \"rho\", \"qp\" or \"qs\"".to_owned(),
    })
}

/// Reads a file with its axes.
fn volume_of_file(file: &VolumeFile, path: &Path) -> Result<Volume, FormatError> {
    match format_of(file) {
        VolumeFormat::Rsf => rsf::read(path),
        VolumeFormat::Netcdf => netcdf::read_volume(path, file.variable.as_deref()),
        VolumeFormat::Text => text_volume(file, path),
        VolumeFormat::Segy => segy::read_model(path, is_placed(file), file.coordinate_bytes),
        VolumeFormat::Sofi3d => {
            let parameters = sofi3d::Parameters::read(path)?;
            parameters.volume(sofi3d_property(file, path)?)
        }
        VolumeFormat::Raw => {
            let shape = file.shape.iter().flatten();
            let spacing = file.spacing.iter().flatten();
            let axes = shape.zip(spacing).map(|(&count, &spacing)| Axis::new(count, 0.0, spacing)).collect();
            let order = match file.byte_order {
                config::ByteOrder::Little => ByteOrder::Little,
                config::ByteOrder::Big => ByteOrder::Big,
            };
            raw::read(path, axes, RawNumber::F32, order)
        }
    }
}
