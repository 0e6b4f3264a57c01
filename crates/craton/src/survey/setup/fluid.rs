//! The fluid that waves travel in: layers or volumes, asked at places and averaged over cells.

use std::path::Path;

use craton_fd::acoustic::AcousticMaterial;
use craton_formats::raw::Number as RawNumber;
use craton_formats::volume::{Axis, Volume};
use craton_formats::{ByteOrder, FormatError, netcdf, raw, rsf, segy};

use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, bad_file};
use crate::survey::SurveyFile;
use crate::survey::config::{self, FluidLayer, Layered, VolumeAxis, VolumeFile, VolumeFormat};

/// Speed up to which a fluid without a density is water [m/s], and its density [kg/m³].
const WATER: (f64, f64) = (1550.0, 1025.0);
/// Places along an axis of a cell at which layers are looked at.
const PLACES: usize = 8;
/// Speeds and densities that a fluid may have [m/s, kg/m³]: beyond them the unit is another one.
const ALLOWED: std::ops::RangeInclusive<f64> = 100.0..=1e5;
/// Depth interval [m] that a sample interval of 1 s stands for in a SEG-Y file of a model: thousandths of a metre stand where microseconds do.
const METRES_PER_SECOND: f64 = 1000.0;

/// A fluid.
#[derive(Debug, Clone, PartialEq)]
pub enum Fluid {
    /// Flat layers from the top down: z of the top [m] and what is below it.
    Layers(Vec<(f64, AcousticMaterial)>),
    /// Values at the points of grids.
    Volumes(Box<Volumes>),
}

/// A fluid at the points of grids.
#[derive(Debug, Clone, PartialEq)]
pub struct Volumes {
    /// Speed [m/s].
    vp: Sampled,
    /// Density [kg/m³]; else from the speed.
    rho: Option<Sampled>,
}

/// Values at the points of a regular grid, linear between them and constant beyond.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    /// Place of the first point, distance of the points and their number, along x, y and z; one point along y in a plane.
    axes: [(f64, f64, usize); 3],
    /// From one point to the next along each axis.
    strides: [usize; 3],
    values: Vec<f32>,
}

/// Density from speed where nothing else is known [kg/m³].
///
/// # Source
/// Gardner, Gardner and Gregory (1974), Geophysics 39, 770-780: 0.31 vp^0.25 g/cm³ in m/s, for rock.
pub fn density_of(vp: f64) -> f64 {
    if vp <= WATER.0 { WATER.1 } else { 310.0 * vp.powf(0.25) }
}

impl Fluid {
    /// The fluid of a survey as it is written.
    pub fn new(model: &config::Model, survey: &SurveyFile, path: &KeyPath) -> Checked<Self> {
        match model {
            config::Model::Layered(Layered { layers }) => Ok(Self::of_layers(layers)),
            config::Model::Volume(volumes) => {
                let path = path.key("volume");
                let vp = Sampled::read(&volumes.velocity, survey, &path.key("velocity"))?;
                let density = volumes.density.as_ref();
                let rho = density.map(|density| Sampled::read(density, survey, &path.key("density"))).transpose()?;
                Ok(Self::Volumes(Box::new(Volumes { vp, rho })))
            }
        }
    }

    fn of_layers(layers: &[FluidLayer]) -> Self {
        let layer = |layer: &FluidLayer| {
            let material = AcousticMaterial { vp: layer.vp, rho: layer.rho.unwrap_or_else(|| density_of(layer.vp)) };
            (layer.top.map_or(f64::INFINITY, |top| -top), material)
        };
        let mut layers: Vec<_> = layers.iter().map(layer).collect();
        layers[0].0 = f64::INFINITY;
        Self::Layers(layers)
    }

    /// Ends of the model along x, y and z [m], where it has any: layers have none, and a plane has none along y.
    pub fn ends(&self) -> [Option<[f64; 2]>; 3] {
        match self {
            Self::Layers(_) => [None; 3],
            Self::Volumes(volumes) => volumes.vp.axes.map(|(first, spacing, count)| {
                let last = first + (count - 1) as f64 * spacing;
                (count > 1).then_some([first.min(last), first.max(last)])
            }),
        }
    }

    /// The fluid at a place [m].
    pub fn at(&self, position: [f64; 3]) -> AcousticMaterial {
        match self {
            Self::Layers(layers) => {
                let below = layers.iter().rev().find(|(top, _)| position[2] < *top);
                below.unwrap_or(&layers[0]).1
            }
            Self::Volumes(volumes) => {
                let vp = volumes.vp.at(position);
                AcousticMaterial {
                    vp,
                    rho: volumes.rho.as_ref().map_or_else(|| density_of(vp), |rho| rho.at(position)),
                }
            }
        }
    }

    /// The fluid that stands for a cell: density is its mean, and bulk modulus the harmonic one.
    ///
    /// A cell is looked at as closely as the model is given, and a fine grid takes what is between its points.
    pub fn of_cell(&self, centre: [f64; 3], spacing: [f64; 3]) -> AcousticMaterial {
        let places = self.places(spacing);
        if places == [1; 3] {
            return self.at(centre);
        }
        let (mut rho, mut compliance, mut count) = (0.0, 0.0, 0.0);
        for c in 0..places[2] {
            for b in 0..places[1] {
                for a in 0..places[0] {
                    let place = [a, b, c];
                    let offset = |axis: usize| ((place[axis] as f64 + 0.5) / places[axis] as f64 - 0.5) * spacing[axis];
                    let own = self.at([0, 1, 2].map(|axis| centre[axis] + offset(axis)));
                    rho += own.rho;
                    compliance += 1.0 / (own.rho * own.vp * own.vp);
                    count += 1.0;
                }
            }
        }
        let rho = rho / count;
        AcousticMaterial { vp: (count / compliance / rho).sqrt(), rho }
    }

    /// Places along each axis at which a cell is looked at.
    fn places(&self, spacing: [f64; 3]) -> [usize; 3] {
        match self {
            Self::Layers(_) => [1, 1, PLACES],
            Self::Volumes(volumes) => [0, 1, 2].map(|axis| {
                let finest = |sampled: &Sampled| match sampled.axes[axis] {
                    (_, _, 1) => f64::INFINITY,
                    (_, between, _) => between.abs(),
                };
                let finest = volumes.rho.iter().map(finest).fold(finest(&volumes.vp), f64::min);
                // Of a model that is not finer than the grid, the middle of the cell is all there is to see.
                if spacing[axis] <= 1.01 * finest { 1 } else { (spacing[axis] / finest).ceil() as usize }
            }),
        }
    }

    /// Slowest and fastest speed [m/s].
    pub fn speeds(&self) -> [f64; 2] {
        let extremes = |values: &mut dyn Iterator<Item = f64>| {
            values.fold([f64::INFINITY, 0.0], |[least, most], value| [value.min(least), value.max(most)])
        };
        match self {
            Self::Layers(layers) => extremes(&mut layers.iter().map(|(_, material)| material.vp)),
            Self::Volumes(volumes) => extremes(&mut volumes.vp.values.iter().map(|&value| f64::from(value))),
        }
    }

    /// Distance of the points along x, y and z [m], where the fluid is given at points.
    pub fn spacing(&self) -> Option<[f64; 3]> {
        match self {
            Self::Layers(_) => None,
            Self::Volumes(volumes) => Some(volumes.vp.axes.map(|(_, spacing, _)| spacing.abs())),
        }
    }
}

/// The format of a file: as it is written, or by the end of its name.
pub fn format_of(file: &VolumeFile) -> VolumeFormat {
    let extension = file.file.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    file.format.unwrap_or(match extension.as_deref() {
        Some("segy" | "sgy") => VolumeFormat::Segy,
        Some("rsf") => VolumeFormat::Rsf,
        Some("nc") => VolumeFormat::Netcdf,
        _ => VolumeFormat::Raw,
    })
}

impl Sampled {
    fn read(file: &VolumeFile, survey: &SurveyFile, path: &KeyPath) -> Checked<Self> {
        let opened = survey.opened(&file.file);
        if format_of(file) == VolumeFormat::Rsf
            && let Ok(Some(data)) = rsf::data_file(&opened)
        {
            // What is in it counts, too; that it cannot be read is told below.
            survey.opened(&file.file.parent().unwrap_or(Path::new("")).join(data));
        }
        let volume = volume(file, &opened).map_err(|error| bad_file(&error, &file.file, &path.key("file")))?;
        let (axes, values) = volume.into_parts();
        let named: Vec<VolumeAxis> = match &file.axes {
            Some(named) => named.clone(),
            None => [VolumeAxis::Depth, VolumeAxis::X, VolumeAxis::Y].into_iter().take(axes.len()).collect(),
        };
        if named.len() != axes.len() || axes.len() < 2 {
            let message = format!("the file has {} axes", axes.len());
            return Err(Problem::new(path.key("axes"), message).allowed("2 or 3 of them, each with its name").into());
        }
        let mut sampled = Self { axes: [(0.0, 1.0, 1); 3], strides: [0; 3], values };
        let mut stride = 1;
        for (number, (name, axis)) in named.iter().zip(&axes).enumerate() {
            let (along, sign) = match name {
                VolumeAxis::X => (0, 1.0),
                VolumeAxis::Y => (1, 1.0),
                VolumeAxis::Depth => (2, -1.0),
            };
            let (origin, spacing) = metres(file, number, axis, path)?;
            sampled.axes[along] = (sign * origin, sign * spacing, axis.count);
            sampled.strides[along] = stride;
            stride *= axis.count;
        }
        sampled.values.iter_mut().for_each(|value| *value = (f64::from(*value) * file.factor) as f32);
        sampled.check(file, path)?;
        Ok(sampled)
    }

    /// Refuses values that are no speeds or densities.
    fn check(&self, file: &VolumeFile, path: &KeyPath) -> Checked<()> {
        let Some(place) = self.values.iter().position(|&value| !ALLOWED.contains(&f64::from(value))) else {
            return Ok(());
        };
        let point = [0, 1, 2].map(|axis| {
            let (first, spacing, count) = self.axes[axis];
            if count == 1 { first } else { first + (place / self.strides[axis] % count) as f64 * spacing }
        });
        let [x, y, z] = point.map(Number);
        let message = format!("holds {} at x = {x}, y = {y}, z = {z} m", Number(f64::from(self.values[place])));
        let problem = Problem::new(path.key("file"), message).value(format!("{:?}", file.file.display().to_string()));
        let allowed = format!("{} to {}", ALLOWED.start(), ALLOWED.end());
        Err(problem
            .allowed(allowed)
            .hint("in another unit? see `factor`; in another byte order? see `byte_order`")
            .into())
    }

    fn at(&self, position: [f64; 3]) -> f64 {
        let mut around = [(0, 0, 0.0); 3];
        for axis in 0..3 {
            let (first, spacing, count) = self.axes[axis];
            let along = ((position[axis] - first) / spacing).clamp(0.0, (count - 1) as f64);
            let lower = (along as usize).min(count.saturating_sub(2));
            let step = if count > 1 { self.strides[axis] } else { 0 };
            around[axis] = (lower * self.strides[axis], step, along - lower as f64);
        }
        let corner = |number: usize| {
            let (mut at, mut weight) = (0, 1.0);
            for (axis, (lower, step, part)) in around.into_iter().enumerate() {
                let is_upper = number >> axis & 1 == 1;
                at += lower + if is_upper { step } else { 0 };
                weight *= if is_upper { part } else { 1.0 - part };
            }
            (at, weight)
        };
        let corners = (0..8).map(corner).filter(|&(_, weight)| weight > 0.0);
        corners.map(|(at, weight)| weight * f64::from(self.values[at])).sum()
    }
}

/// Place of the first point of an axis and distance of its points [m]: as they are written, or as the file says.
fn metres(file: &VolumeFile, number: usize, axis: &Axis, path: &KeyPath) -> Checked<(f64, f64)> {
    let label = if axis.label.is_empty() { format!("axis {}", number + 1) } else { format!("`{}`", axis.label) };
    let [spacing, origin] = [&file.spacing, &file.origin].map(|list| list.as_ref().map(|list| list[number]));
    // Formats that name units leave them out where they count.
    let is_count = matches!(format_of(file), VolumeFormat::Segy | VolumeFormat::Netcdf) && axis.unit.is_empty();
    if is_count && axis.count > 1 && spacing.is_none() {
        let message = format!("is missing: along {label} the file has numbers, and no metres");
        return Err(Problem::new(path.key("spacing"), message)
            .allowed("the distance of the points along each axis [m]")
            .into());
    }
    if axis.label == "distance" && format_of(file) == VolumeFormat::Segy && origin.is_none() {
        let message =
            "is missing: the line of the file does not lie along x, so that only distances along it are known";
        let problem =
            Problem::new(path.key("origin"), message).allowed("the place of the first point along each axis [m]");
        return Err(problem.hint("origin = [0, 0] puts the beginning of the line at x = 0").into());
    }
    let factor = match axis.unit.to_lowercase().as_str() {
        "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" => 1000.0,
        "" | "m" | "meter" | "meters" | "metre" | "metres" => 1.0,
        other if spacing.is_none() || origin.is_none() => {
            let problem = Problem::new(path.key("spacing"), format!("along {label} the file has the unit `{other}`"));
            let problem = problem.allowed("m or km");
            return Err(problem.hint("give `spacing` and `origin` in metres, in place of what the file says").into());
        }
        _ => 1.0,
    };
    let first = if is_count { 0.0 } else { factor * axis.origin };
    Ok((origin.unwrap_or(first), spacing.unwrap_or(factor * axis.spacing)))
}

/// What is in a file, with the axes that it says.
fn volume(file: &VolumeFile, path: &Path) -> Result<Volume, FormatError> {
    match format_of(file) {
        VolumeFormat::Rsf => rsf::read(path),
        VolumeFormat::Netcdf => netcdf::read_volume(path, file.variable.as_deref()),
        VolumeFormat::Segy => {
            let (mut axes, values) = segy::read_volume(path)?.into_parts();
            let depth =
                Axis::new(axes[0].count, METRES_PER_SECOND * axes[0].origin, METRES_PER_SECOND * axes[0].spacing);
            axes[0] = depth.named("depth", "m");
            Ok(Volume::new(axes, values).expect("a volume whose first axis has another unit"))
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
