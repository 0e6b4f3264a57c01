//! Import of a set-up of SPECFEM3D Cartesian: the folder with `DATA/Par_file`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use craton_formats::hex_mesh::specfem::{self as mesh_files, MaterialKind};
use craton_formats::xyz;
use craton_model::{Attenuation, Losses};
use craton_physics::{QualityLaw, Relaxation};

use super::block::{self, of_material, unsupported, volume};
use super::par_file::Parameters;
use super::source::{HEIGHTS, Source};
use super::{Imported, Note, fluid};
use crate::error::Error;

/// Folders in which examples keep external meshes.
const MESH_FOLDERS: [&str; 3] = ["MESH-default", "MESH", "OUTPUT_FILES/MESH"];

/// Mechanisms of the attenuation of SPECFEM3D, and the default of scenarios.
const MECHANISMS: usize = 3;

/// Points per wavelength with which the highest frequency of a mesh is stated, the default of scenarios.
const POINTS_PER_WAVELENGTH: f64 = 4.0;
/// Degree of the elements of SPECFEM3D.
const DEGREE: f64 = 4.0;

/// Imports a set-up.
///
/// # Arguments
/// * `folder` – the folder that contains `DATA/Par_file`
/// * `mesh` – folder of an external mesh, relative to `folder`; by default the block of `DATA/meshfem3D_files`, or an external mesh next to it
/// # Errors
/// Files that are missing or damaged; settings that Craton cannot honour.
pub fn specfem(folder: &Path, mesh: Option<&Path>) -> Result<Imported, Error> {
    let data = folder.join("DATA");
    let mut parameters = Parameters::read(&data.join("Par_file"))?;
    check_files(&data)?;
    let mut source = Source::read(folder, &parameters)?;
    let domain = domain(folder, mesh, &mut parameters)?;
    let name = name_of(folder);
    let steps = parameters.required("NSTEP", "the number of time steps")?;
    let dt = parameters.required("DT", "the time step [s]")?;
    parameters.note("DT", "the time step follows from the mesh; seismograms have the sample interval of the set-up");
    let duration = rounded((steps - 1.0) * dt - source.lead);
    if duration <= 0.0 {
        let problem = format!("NSTEP x DT ends before time 0, because SPECFEM3D starts {} s earlier", source.lead);
        return Err(unsupported(&data.join("Par_file"), problem, "raise NSTEP"));
    }
    let interval = interval(&parameters, dt)?;
    let mut beginning = String::new();
    let _ = writeln!(beginning, "# Imported from a set-up of SPECFEM3D by `craton import specfem`.");
    let _ = writeln!(beginning, "title = {name:?}\nduration = {:?}\n", duration);
    beginning.push_str(&domain.text);
    beginning.push_str(&boundaries(&mut parameters, domain.has_fluid)?);
    beginning.push_str(&attenuation(&mut parameters, domain.coarsest)?);
    let mut text = receivers(&parameters)?;
    let _ = writeln!(
        text,
        "\n[method.sem]\nmax_frequency = {:?} # resolved by the mesh with {POINTS_PER_WAVELENGTH} points per wavelength",
        floor_digits(domain.frequency)
    );
    if parameters.is("PML_CONDITIONS")? {
        let _ = writeln!(text, "absorbing.cpml = {{}}");
    }
    let _ = write!(
        text,
        "\n[output]\ndirectory = \"results/{name}\"\nseismograms = [\"specfem\"]\nsample_interval = {:?}\n",
        rounded(interval)
    );
    let files: Vec<_> = domain.files.into_iter().chain(std::mem::take(&mut source.files)).collect();
    let mut notes = parameters.notes;
    notes.extend(domain.notes);
    if domain.has_fluid {
        let whole = [&*beginning, &source.text, &text].concat();
        if let Some(counts) = fluid::sources(&whole, &files, folder)? {
            notes.extend(source.in_fluid(counts)?);
        }
    }
    notes.sort_by_key(|note| note.line);
    Ok(Imported { scenario: [&*beginning, &source.text, &text].concat(), files, notes })
}

/// The name of a folder.
fn name_of(folder: &Path) -> String {
    let name = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    name.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Refuses a set-up with files that would be ignored, or without stations.
fn check_files(data: &Path) -> Result<(), Error> {
    let faults = data.join("Par_file_faults");
    if faults.exists() {
        let problem = "the set-up has dynamic faults, which Craton does not support".to_owned();
        return Err(unsupported(&faults, problem, "use source.srf for a kinematic fault"));
    }
    let stations = data.join("STATIONS");
    match stations.exists() {
        true => Ok(()),
        false => Err(unsupported(&stations, "there is no such file".to_owned(), "add the stations of the set-up")),
    }
}

/// The sample interval of the seismograms [s].
fn interval(parameters: &Parameters, dt: f64) -> Result<f64, Error> {
    let every = "NTSTEP_BETWEEN_OUTPUT_SAMPLE";
    let interval = dt * parameters.number(every)?.unwrap_or(1.0);
    match interval >= dt && interval.is_finite() {
        true => Ok(interval),
        false => Err(parameters.refuse(every, "a whole number, at least 1").into()),
    }
}

/// Rounds to nine decimals, to remove round-off.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.9}").parse().unwrap_or(value)
}

/// A number rounded down to three significant digits.
fn floor_digits(value: f64) -> f64 {
    let unit = 10_f64.powf(value.log10().floor() - 2.0);
    rounded((value / unit * (1.0 + 1e-12)).floor() * unit)
}

/// The domain and model of a set-up.
struct Domain {
    text: String,
    /// Highest frequency of the mesh [Hz].
    frequency: f64,
    /// That of the original mesh, if its elements are wider in places.
    coarsest: f64,
    files: Vec<(PathBuf, String)>,
    notes: Vec<Note>,
    /// Whether a material is a fluid.
    has_fluid: bool,
}

fn domain(folder: &Path, mesh: Option<&Path>, parameters: &mut Parameters) -> Result<Domain, Error> {
    let tomography =
        parameters.text("TOMOGRAPHY_PATH")?.unwrap_or("DATA/tomo_files/").trim_start_matches("./").to_owned();
    let tomography = if tomography.ends_with('/') { tomography } else { format!("{tomography}/") };
    let model = parameters.text("MODEL")?.unwrap_or("default").to_lowercase();
    if !["default", "tomo"].contains(&&*model) {
        return Err(parameters
            .refuse("MODEL", "default or tomo: convert other models to layers, a depth table or a volume")
            .into());
    }
    let projection = projection(parameters)?;
    let internal = folder.join("DATA/meshfem3D_files/Mesh_Par_file");
    let external = MESH_FOLDERS.iter().map(Path::new).find(|name| folder.join(name).join("mesh_file").exists());
    let mut domain = match (mesh, external) {
        (None, external) if internal.exists() => {
            if let Some(external) = external {
                let setting = format!("DATA/meshfem3D_files and {}", external.display());
                let effect =
                    "the block of the internal mesher is imported; --mesh selects the external mesh".to_owned();
                parameters.notes.push(Note { line: 0, setting, effect });
            }
            of_block(folder, parameters, &tomography)?
        }
        (Some(mesh), _) | (None, Some(mesh)) => of_mesh(folder, mesh, parameters, &tomography)?,
        (None, None) => {
            return Err(unsupported(
                &folder.join("DATA/Par_file"),
                "there is neither DATA/meshfem3D_files/Mesh_Par_file nor a folder MESH or MESH-default".to_owned(),
                "name the folder of the mesh with --mesh",
            ));
        }
    };
    // The table of the projection belongs to the table before the model.
    if let Some(zone) = projection {
        let at = domain.text.find("\n[model").map_or(domain.text.len(), |at| at + 1);
        domain.text.insert_str(at, &zone);
    }
    if model == "tomo" {
        let at = domain.text.find("[model").unwrap_or(domain.text.len());
        domain.text.truncate(at);
        let file = format!("{tomography}tomography_model.xyz");
        domain.text.push_str(&volume("[model.volume]", folder, &file, parameters.is("ATTENUATION")?)?);
    }
    domain.has_fluid = domain.text.contains("vs = 0.0,");
    Ok(domain)
}

/// The table of the projection, if coordinates are degrees.
fn projection(parameters: &Parameters) -> Result<Option<String>, Error> {
    if parameters.is("SUPPRESS_UTM_PROJECTION")? {
        return Ok(None);
    }
    let zone =
        parameters.required("UTM_PROJECTION_ZONE", "a zone from -60 to 60, or SUPPRESS_UTM_PROJECTION = .true.")?;
    let south = if zone < 0.0 { ", south = true" } else { "" };
    Ok(Some(format!("projection.utm = {{ zone = {}{south} }}\n\n", zone.abs())))
}

fn of_block(folder: &Path, parameters: &Parameters, tomography: &str) -> Result<Domain, Error> {
    let block = block::read(folder, parameters.is("ATTENUATION")?, tomography)?;
    let mut notes = Vec::new();
    if block.doublings > 0 {
        let setting = format!("Mesh_Par_file: NDOUBLINGS = {}", block.doublings);
        notes.push(Note {
            line: 0,
            setting,
            effect: "elements double with depth where wave speeds allow it".to_owned(),
        });
    }
    Ok(Domain {
        text: format!("{}\n{}", block.domain, block.model),
        frequency: block.frequency,
        coarsest: block.coarsest,
        files: block.files,
        notes,
        has_fluid: false,
    })
}

fn of_mesh(folder: &Path, mesh: &Path, parameters: &Parameters, tomography: &str) -> Result<Domain, Error> {
    let at = folder.join(mesh);
    let (file, materials) = (mesh_files::read(&at)?, mesh_files::read_materials(&at)?);
    let attenuates = parameters.is("ATTENUATION")?;
    let mut text = format!(
        "[domain]\nmesh = {{ file = {:?}, unmarked = \"free\" }}\n\n[model.mesh]\n",
        mesh.display().to_string()
    );
    let mut slowest = vec![f64::INFINITY; file.blocks.len()];
    for (index, block) in file.blocks.iter().enumerate() {
        let material = materials.iter().find(|material| material.number == block.number).map(|material| &material.kind);
        let missing =
            || unsupported(&at.join(mesh_files::MATERIALS), format!("material {} is missing", block.number), "add it");
        let kind = material.ok_or_else(missing)?;
        let _ = writeln!(text, "[[model.mesh.blocks]]\nblock = {:?}", block.name);
        slowest[index] = match kind {
            MaterialKind::Homogeneous { vp, vs, .. } => {
                let _ = writeln!(text, "material = {{ {} }}", of_material(kind, attenuates));
                if *vs > 0.0 { *vs } else { *vp }
            }
            MaterialKind::Tomography { file, is_fluid } => {
                block::refuse_fluid(*is_fluid, &at.join(mesh_files::MATERIALS))?;
                let file = format!("{tomography}{file}");
                text.push_str(&volume("[model.mesh.blocks.volume]", folder, &file, attenuates)?);
                let limits = xyz::tomography(&folder.join(&file))?;
                limits.map_or(f64::INFINITY, |limits| limits.vs[0].max(1.0))
            }
        };
    }
    let frequency = frequency(&file, &slowest);
    Ok(Domain { text, frequency, coarsest: frequency, files: Vec::new(), notes: Vec::new(), has_fluid: false })
}

/// Highest frequency [Hz] at which the longest edge of every element has enough points per wavelength.
fn frequency(file: &craton_formats::hex_mesh::HexMeshFile, slowest: &[f64]) -> f64 {
    let along = if file.nodes_per_element == 8 { 2 } else { 3 };
    let corner = |index: usize| {
        (index & 1) * (along - 1) + along * ((index >> 1 & 1) * (along - 1) + along * ((index >> 2) * (along - 1)))
    };
    let of_element = |element: usize| {
        let nodes = file.nodes_of(element);
        let at = |index: usize| file.nodes[nodes[corner(index)] as usize];
        let edges = (0..8).flat_map(|from| [1, 2, 4].map(|bit| (from, from | bit))).filter(|(from, to)| from != to);
        let length =
            |(from, to): (usize, usize)| at(from).iter().zip(at(to)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let longest = edges.map(length).fold(0.0, f64::max);
        DEGREE * slowest[usize::from(file.block_of[element])] / (POINTS_PER_WAVELENGTH * longest)
    };
    (0..file.n_elements()).map(of_element).fold(f64::INFINITY, f64::min)
}

/// The table of the boundary conditions.
fn boundaries(parameters: &mut Parameters, has_fluid: bool) -> Result<String, Error> {
    let absorbs = parameters.is_any(&["STACEY_ABSORBING_CONDITIONS", "ABSORBING_CONDITIONS", "PML_CONDITIONS"])?;
    let mut text = String::from("\n[boundaries]\n");
    let tops = ["STACEY_INSTEAD_OF_FREE_SURFACE", "ABSORB_INSTEAD_OF_FREE_SURFACE", "PML_INSTEAD_OF_FREE_SURFACE"];
    let top = parameters.is_any(&tops)?;
    let kind = |is_absorbing: bool| if is_absorbing { "absorbing" } else { "free" };
    let bottom = absorbs && !parameters.is("BOTTOM_FREE_SURFACE")?;
    let _ =
        writeln!(text, "top = {:?}\nbottom = {:?}\nsides = {:?}", kind(absorbs && top), kind(bottom), kind(absorbs));
    if !absorbs {
        let also = if has_fluid {
            "all sides are free, also those of fluids, which SPECFEM3D makes rigid"
        } else {
            "all sides are free"
        };
        parameters.note("STACEY_ABSORBING_CONDITIONS", also);
    }
    Ok(text)
}

/// Highest frequency of the automatic band of SPECFEM3D over that which the mesh resolves with four points per wavelength: its five points per wavelength on
/// average are 1.25 times as many, of which a factor of 0.99 is left.
const END_OF_BAND: f64 = 1.0 / (1.25 * 0.99);
/// Width of the automatic band [decades].
const DECADES: f64 = 1.75;

/// The table of the attenuation.
///
/// # Arguments
/// * `resolved` – highest frequency of the original mesh [Hz]
fn attenuation(parameters: &mut Parameters, resolved: f64) -> Result<String, Error> {
    if !parameters.is("ATTENUATION")? {
        return Ok(String::new());
    }
    let key = "COMPUTE_FREQ_BAND_AUTOMATIC";
    let has_band = parameters.text("MIN_ATTENUATION_PERIOD")?.is_some() && !parameters.is(key)?;
    let band = match has_band {
        true => {
            let shortest = parameters.required("MIN_ATTENUATION_PERIOD", "a period [s]")?;
            [1.0 / parameters.required("MAX_ATTENUATION_PERIOD", "a period [s]")?, 1.0 / shortest]
        }
        false => {
            parameters.note(
                key,
                "the band is that of SPECFEM3D for a mesh with these elements: it depends on the coarsest one",
            );
            let end = floor_digits(END_OF_BAND * resolved);
            [floor_digits(end / 10_f64.powf(DECADES)), end]
        }
    };
    let mut reference = parameters.number("ATTENUATION_f0_REFERENCE")?.unwrap_or(OLD_REFERENCE);
    if parameters.is("ANISOTROPY")? {
        // The anisotropic branch of its code does not shift the moduli.
        parameters.note(
            "ANISOTROPY",
            "speeds are unrelaxed, as SPECFEM3D uses them with ATTENUATION: reference_frequency is chosen so",
        );
        reference = unrelaxed_reference(band).unwrap_or(reference);
    }
    Ok(format!("\n[attenuation]\nreference_frequency = {reference:?}\nband = {band:?}\n"))
}

/// The reference frequency of versions without the key [Hz].
const OLD_REFERENCE: f64 = 1.0 / 3.0;

/// The reference frequency at which speeds are those of the unrelaxed medium [Hz].
fn unrelaxed_reference(band: [f64; 2]) -> Option<f64> {
    /// Any small loss: speeds depend on it linearly.
    const LOSS: Losses = Losses { bulk: 0.0, shear: 0.01 };
    let relaxation = Relaxation::new(band, MECHANISMS, QualityLaw::CONSTANT).ok()?;
    let over =
        |reference: f64| Some(Attenuation::new(relaxation.clone(), reference).ok()?.coefficients(LOSS).unrelaxed[1]);
    let [mut low, mut high] = [band[1], 100.0 * band[1]];
    for _ in 0..40 {
        let middle = (low * high).sqrt();
        // Speeds given at a higher frequency are those of a softer medium at lower ones.
        if over(middle)? > 1.0 { low = middle } else { high = middle }
    }
    Some(floor_digits((low * high).sqrt()))
}

/// The table of the receivers.
fn receivers(parameters: &Parameters) -> Result<String, Error> {
    let kinds = ["DISPLACEMENT", "VELOCITY", "ACCELERATION", "PRESSURE"];
    let mut quantities = Vec::new();
    for kind in kinds {
        if parameters.is(&format!("SAVE_SEISMOGRAMS_{kind}"))? {
            quantities.push(format!("{:?}", kind.to_lowercase()));
        }
    }
    if quantities.is_empty() {
        quantities.push("\"displacement\"".to_owned());
    }
    let heights = if parameters.is("USE_SOURCES_RECEIVERS_Z")? { HEIGHTS } else { "" };
    Ok(format!(
        "\n[receivers]\nstations_file = \"DATA/STATIONS\"\n{heights}outside = \"left_out\"\nquantities = [{}]\n",
        quantities.join(", ")
    ))
}
