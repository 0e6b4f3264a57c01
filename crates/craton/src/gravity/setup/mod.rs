//! The checked problem: the files it names are read, and every part is known to make sense.
//!
//! | module | from the problem as written to |
//! |---|---|
//! | `bodies` | prisms |
//! | `layer` | the prisms between two surfaces |
//! | `scenario` | the prisms of a scenario's model |
//! | `places` | points, and how they lie |
//! | `lists` | columns of files |

mod bodies;
mod layer;
mod lists;
mod places;
mod scenario;

use std::collections::BTreeMap;

use craton_gravity::{Prisms, overlaps};

pub use places::{Places, Shape};

use super::GravityFile;
use super::config::{Method, Output, Quantity};
use crate::error::Error;
use crate::key_path::KeyPath;
use crate::setup::findings::Findings;

/// Pairs of prisms that are named, at most.
const LISTED: usize = 5;

/// A checked problem.
#[derive(Debug, Clone)]
pub struct Setup {
    /// A line that names the problem.
    pub title: String,
    /// What attracts.
    pub prisms: Prisms,
    /// Where gravity is computed.
    pub places: Places,
    /// What is computed.
    pub quantities: Vec<Quantity>,
    /// How sums are made.
    pub method: Method,
    /// What is written.
    pub output: Output,
    /// Worker threads.
    pub threads: Option<usize>,
    /// What a user is told of the bodies.
    pub notes: Vec<String>,
    /// Files that were read, and their hashes.
    pub files: BTreeMap<String, String>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

impl Setup {
    /// Reads and checks what the problem names.
    ///
    /// # Errors
    /// [`Error::Scenario`] with everything that is wrong.
    pub fn new(file: &GravityFile) -> Result<Self, Error> {
        let (config, root) = (&file.config, KeyPath::default());
        let mut findings = Findings::default();
        let places = findings.keep(Places::new(file, &root.key("points")));
        let made =
            places.as_ref().and_then(|places| bodies::Bodies::new(file, places, &root.key("body"), &mut findings));
        let (Some(places), Some(made), true) = (places, made, findings.problems.is_empty()) else {
            return Err(file.refuse(findings.problems));
        };
        let mut warnings = findings.warnings;
        if config.method.find_overlaps {
            warnings.push(told_of_overlaps(&made.prisms));
        }
        Ok(Self {
            title: config.title.clone(),
            prisms: made.prisms,
            places,
            quantities: config.fields.clone(),
            method: config.method.clone(),
            output: config.output.clone(),
            threads: config.compute.threads,
            notes: made.notes,
            files: file.file_hashes()?,
            warnings,
        })
    }
}

/// Names prisms that overlap, counted from 0 through all bodies.
fn told_of_overlaps(prisms: &Prisms) -> String {
    let found = overlaps(prisms, LISTED + 1);
    let pairs: Vec<String> = found.iter().take(LISTED).map(|[a, b]| format!("{a} and {b}")).collect();
    match found.len() {
        0 => "no prisms overlap".to_owned(),
        count => {
            let more = if count > LISTED { ", and more" } else { "" };
            format!(
                "prisms overlap, counted from 0 through all bodies: {}{more}; their densities add",
                pairs.join(", ")
            )
        }
    }
}
