//! Opening volumes of all formats, and of the calling program.

use std::ops::Range;
use std::path::Path;

use craton_formats::raw::Number as RawNumber;
use craton_formats::volume::{Axis, VolumeReader, Window};
use craton_formats::{ByteOrder, FormatError, netcdf, raw, rsf, segy, sofi3d, xyz};

use super::{check_lists, names_of};
use crate::config::{self, VolumeAxis, VolumeFile, VolumeFormat};
use crate::error::Problem;
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

/// A volume of which a window is read.
pub(super) struct Opened<'a> {
    reader: Box<dyn VolumeReader + 'a>,
    /// The format of the file; a volume of the calling program has the format of raw files, which do not define their axes.
    pub format: VolumeFormat,
    /// Factor that converts values to SI units.
    factor: f64,
}

/// Opens a volume of a file or the calling program.
///
/// # Arguments
/// * `input` – the volume
pub(super) fn open<'a, C: Format>(
    file: &VolumeFile,
    written: &Written<C>,
    input: &'a Input<'_>,
    path: &KeyPath,
) -> Checked<Opened<'a>> {
    let key = path.key("file");
    let opened = match input {
        Input::File(opened) => opened,
        Input::Given(Given::Volume(volume)) => {
            let reader = Box::new(volume);
            return Ok(Opened { reader, format: VolumeFormat::Raw, factor: file.factor.unwrap_or(1.0) });
        }
        Input::Given(given) => return Err(wrong_kind(given, "a volume", &file.file, &key)),
    };
    let format = format_of(file);
    if format == VolumeFormat::Sofi3d
        && let Ok(data) =
            sofi3d_property(file, opened).and_then(|property| sofi3d::Parameters::read(opened)?.file(property))
    {
        written.mark(&data);
    }
    if format == VolumeFormat::Rsf
        && let Ok(Some(data)) = rsf::data_file(opened)
    {
        // The contents of the file count, too; if it is unreadable, that is reported below.
        written.mark(&file.file.parent().unwrap_or(Path::new("")).join(data));
    }
    let (reader, own) = reader(file, opened).map_err(|error| bad_file(&error, &file.file, &key))?;
    Ok(Opened { reader, format, factor: file.factor.unwrap_or(own) })
}

impl Opened<'_> {
    /// Axes of the file, the fastest first.
    pub fn axes(&self) -> &[Axis] {
        self.reader.axes()
    }

    /// The names of the axes, as given or from the file.
    ///
    /// # Errors
    /// Names or lists that do not match the axes of the file; keys of another format.
    pub fn names(&self, file: &VolumeFile, path: &KeyPath) -> Checked<Vec<VolumeAxis>> {
        let axes = self.axes();
        if file.coordinate_bytes.is_some() && self.format != VolumeFormat::Segy {
            let problem = Problem::new(path.key("coordinate_bytes"), "applies only to SEG-Y files").at_key();
            return Err(problem.hint("remove it").into());
        }
        let named = match &file.axes {
            Some(named) => named.clone(),
            None => names_of(axes, self.format, false, &path.key("axes"))?,
        };
        if named.len() != axes.len() || axes.len() < 2 {
            let message = format!("the file has {} axes", axes.len());
            return Err(Problem::new(path.key("axes"), message).allowed("2 or 3 named axes").into());
        }
        check_lists(file, axes.len(), path)?;
        Ok(named)
    }

    /// Reads the values of a window, in SI units.
    ///
    /// # Arguments
    /// * `window` – range of points along each axis of the file
    /// # Errors
    /// An unreadable file.
    pub fn values(&mut self, window: Vec<Range<usize>>, file: &VolumeFile, path: &KeyPath) -> Checked<Vec<f32>> {
        let refuse = |error: &FormatError| bad_file(error, &file.file, &path.key("file"));
        let window = Window::new(self.axes(), window).map_err(|refused| refuse(&refused.unreadable(&file.file)))?;
        let mut values = self.reader.values(&window).map_err(|error| refuse(&error))?;
        values.iter_mut().for_each(|value| *value = (f64::from(*value) * self.factor) as f32);
        Ok(values)
    }
}

/// Whether the configuration gives all that determines positions, so that the headers of a file are not consulted; the order of the axes
/// of a section is known.
fn is_placed(file: &VolumeFile) -> bool {
    let is_section = |spacing: &Vec<f64>| spacing.len() == 2;
    let has_axes = file.axes.is_some() || file.spacing.as_ref().is_some_and(is_section);
    file.origin.is_some() && file.spacing.is_some() && has_axes
}

/// Opens a column of a text file, and returns the factor that converts its values to SI units.
fn text_reader<'a>(file: &VolumeFile, path: &'a Path) -> Result<(xyz::TextReader<'a>, f64), FormatError> {
    let reader = xyz::open(path, file.variable.as_deref())?;
    let [name, unit] = reader.column();
    let is_named = file.variable.as_ref().is_some_and(|column| column.eq_ignore_ascii_case(name));
    let is_thousand = matches!(unit, "km/s" | "g/cm3" | "g/cm^3" | "g/cc" | "km_s" | "g_cm3");
    let factor = if is_named && is_thousand { 1000.0 } else { 1.0 };
    Ok((reader, factor))
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

/// Opens a file, and returns the factor that converts its values to SI units, if the file defines their unit.
fn reader<'a>(file: &VolumeFile, path: &'a Path) -> Result<(Box<dyn VolumeReader + 'a>, f64), FormatError> {
    let reader: Box<dyn VolumeReader> = match format_of(file) {
        VolumeFormat::Text => {
            let (reader, factor) = text_reader(file, path)?;
            return Ok((Box::new(reader), factor));
        }
        VolumeFormat::Rsf => Box::new(rsf::open(path)?),
        VolumeFormat::Netcdf => Box::new(netcdf::open_volume(path, file.variable.as_deref())?),
        VolumeFormat::Segy => Box::new(segy::open_model(path, is_placed(file), file.coordinate_bytes)?),
        VolumeFormat::Sofi3d => {
            let parameters = sofi3d::Parameters::read(path)?;
            Box::new(parameters.open(sofi3d_property(file, path)?)?)
        }
        VolumeFormat::Raw => {
            let shape = file.shape.iter().flatten();
            let spacing = file.spacing.iter().flatten();
            let axes = shape.zip(spacing).map(|(&count, &spacing)| Axis::new(count, 0.0, spacing)).collect();
            let order = match file.byte_order {
                config::ByteOrder::Little => ByteOrder::Little,
                config::ByteOrder::Big => ByteOrder::Big,
            };
            Box::new(raw::open(path, axes, RawNumber::F32, order)?)
        }
    };
    Ok((reader, 1.0))
}
