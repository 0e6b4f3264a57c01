//! The essential settings of `Par_file`, and notes about the others.

use std::path::Path;

use craton_formats::FormatError;
use craton_formats::specfem::ParFile;

use super::Note;

/// Settings that Craton supports with one value only, and the reason.
const REQUIRED: [(&str, &str, &str); 8] = [
    ("SIMULATION_TYPE", "1", "Craton imports forward simulations"),
    ("NOISE_TOMOGRAPHY", "0", "Craton does not support noise simulations"),
    ("GRAVITY", ".false.", "Craton computes no gravity in spectral elements"),
    ("ROTATION", ".false.", "Craton computes no rotation"),
    ("USE_OLSEN_ATTENUATION", ".false.", "give attenuation.relation in the scenario"),
    ("COUPLE_WITH_INJECTION_TECHNIQUE", ".false.", "Craton does not support injected wavefields"),
    ("COUPLE_WITH_EXTERNAL_CODE", ".false.", "Craton does not support injected wavefields"),
    ("IS_WAVEFIELD_DISCONTINUITY", ".false.", "Craton does not support injected wavefields"),
];

/// Settings that Craton treats differently if they have this value, and what it does.
const DIFFERENT: [(&str, &str, &str); 19] = [
    (
        "PML_CONDITIONS",
        ".true.",
        "absorbing layers of three elements around the mesh; its own layers for PML remain part of the domain",
    ),
    ("PML_INSTEAD_OF_FREE_SURFACE", ".true.", "an absorbing layer above the mesh"),
    ("USE_LDDRK", ".true.", "leapfrog with exact correction of time dispersion"),
    ("LTS_MODE", ".true.", "one time step for all elements"),
    ("APPROXIMATE_OCEAN_LOAD", ".true.", "no load of the ocean; mesh the water as a fluid to include it"),
    ("OCEANS", ".true.", "no load of the ocean; mesh the water as a fluid to include it"),
    (
        "SAVE_SEISMOGRAMS_STRAIN",
        ".true.",
        "not imported: SPECFEM's text format has no name for strain; see receivers.quantities",
    ),
    ("MOVIE_SURFACE", ".true.", "not imported: see output.snapshots.surface"),
    ("MOVIE_VOLUME", ".true.", "not imported: see output.snapshots.volume"),
    ("CREATE_SHAKEMAP", ".true.", "not imported"),
    ("SU_FORMAT", ".true.", "seismograms have SPECFEM's text format; see output.seismograms"),
    ("ASDF_FORMAT", ".true.", "seismograms have SPECFEM's text format; see output.seismograms"),
    ("HDF5_FORMAT", ".true.", "seismograms have SPECFEM's text format; see output.seismograms"),
    ("USE_BINARY_FOR_SEISMOGRAMS", ".true.", "seismograms have SPECFEM's text format; see output.seismograms"),
    ("OUTPUT_ENERGY", ".true.", "not imported"),
    ("SAVE_FORWARD", ".true.", "not imported: Craton writes checkpoints when it is interrupted"),
    ("USE_SOURCE_ENCODING", ".true.", "not imported"),
    (
        "FULL_ATTENUATION_SOLID",
        ".false.",
        "quality factors of the bulk modulus remain: remove qkappa from the scenario to leave them out",
    ),
    ("TOPOGRAPHY", ".true.", "the surface is that of the mesh, or of its uppermost interface"),
];

/// A `Par_file` with the notes so far.
pub struct Parameters {
    file: ParFile,
    /// Name for notes.
    name: String,
    /// What Craton does differently.
    pub notes: Vec<Note>,
}

impl Parameters {
    /// Reads a file.
    ///
    /// # Errors
    /// An unreadable file; settings that Craton cannot honour.
    pub fn read(path: &Path) -> Result<Self, FormatError> {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let mut parameters = Self { file: ParFile::read(path)?, name, notes: Vec::new() };
        for (key, allowed, why) in REQUIRED {
            if !parameters.has(key, allowed)? {
                return Err(parameters.file.refuse(key, &format!("{allowed}: {why}")));
            }
        }
        for (key, value, effect) in DIFFERENT {
            if parameters.file.get(key).is_some() && parameters.has(key, value)? {
                parameters.note(key, effect);
            }
        }
        if parameters.number("NUMBER_OF_SIMULTANEOUS_RUNS")?.is_some_and(|runs| runs > 1.0) {
            parameters.note("NUMBER_OF_SIMULTANEOUS_RUNS", "one run; import each folder by itself");
        }
        Ok(parameters)
    }

    /// Whether a setting has a value, or is absent.
    fn has(&self, key: &str, value: &str) -> Result<bool, FormatError> {
        Ok(match value {
            ".true." | ".false." => self.file.logical(key)?.is_none_or(|found| found == (value == ".true.")),
            number => self.file.integer(key)?.is_none_or(|found| found.to_string() == number),
        })
    }

    /// Adds a note about a setting that the file has.
    pub fn note(&mut self, key: &str, effect: &str) {
        if let Some(found) = self.file.get(key) {
            let setting = format!("{}:{}: {} = {}", self.name, found.line, found.name, found.text);
            self.notes.push(Note { line: found.line, setting, effect: effect.to_owned() });
        }
    }

    /// A logical value; false if absent.
    pub fn is(&self, key: &str) -> Result<bool, FormatError> {
        Ok(self.file.logical(key)?.unwrap_or(false))
    }

    /// Whether one of several keys, the names of a setting in different versions, is true.
    pub fn is_any(&self, keys: &[&str]) -> Result<bool, FormatError> {
        keys.iter().try_fold(false, |any, key| Ok(any | self.is(key)?))
    }

    /// A number, if present.
    pub fn number(&self, key: &str) -> Result<Option<f64>, FormatError> {
        self.file.number(key)
    }

    /// A number that the file must have.
    pub fn required(&self, key: &str, what: &str) -> Result<f64, FormatError> {
        self.file.number(key)?.ok_or_else(|| self.file.missing(key, what))
    }

    /// A text, if present.
    pub fn text(&self, key: &str) -> Result<Option<&str>, FormatError> {
        self.file.text(key)
    }

    /// The error of a setting.
    pub fn refuse(&self, key: &str, expected: &str) -> FormatError {
        self.file.refuse(key, expected)
    }
}
