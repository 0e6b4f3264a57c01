//! The list of all images: what is compiled ahead of time and committed.

use std::path::PathBuf;

/// A file of kernels, specialised by macros.
pub struct Image {
    /// Name of the files it becomes, without their endings: "element_d4_f32".
    pub name: String,
    /// The CUDA C++ file, from the root of the workspace.
    pub source: PathBuf,
    /// Macros with their values.
    pub defines: Vec<(String, String)>,
    /// Further options of NVRTC.
    pub options: Vec<String>,
    /// What it is compiled to.
    pub forms: Vec<Form>,
}

/// What an image is compiled to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// PTX that a driver turns into code for any chip from Volta on.
    Portable,
    /// Machine code of one chip, "sm_90" or "sm_90a".
    Tuned(String),
}

/// Every image, in the order in which they are compiled.
pub fn all() -> Vec<Image> {
    Vec::new()
}
