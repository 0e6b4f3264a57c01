//! From images to files: PTX, machine code, and what each kernel takes of a chip.

use super::images::{Form, Image};
use super::resources::{self, Table};
use super::toolkit::{Assembled, Toolkit};
use anyhow::Result;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The oldest architecture that portable PTX serves.
const PORTABLE: &str = "compute_70";
/// Chips whose resources are watched for portable PTX.
const WATCHED: [&str; 2] = ["sm_80", "sm_90"];

/// What an image in one form becomes.
pub struct Product {
    /// Name of the file.
    pub file: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What its kernels take.
    pub resources: Table,
}

/// Compiles all forms of all images, as many at a time as there are cores.
///
/// # Errors
/// Those of the compilers: the first of them.
pub fn all(toolkit: &Toolkit, images: &[Image]) -> Result<Vec<Product>> {
    let jobs: Vec<(&Image, &Form)> =
        images.iter().flat_map(|image| image.forms.iter().map(move |form| (image, form))).collect();
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((image, form)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = one(toolkit, image, form);
            results.lock().expect("no worker panics").push(result);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut products = results.into_inner().expect("no worker panics").into_iter().collect::<Result<Vec<Product>>>()?;
    products.sort_unstable_by(|a, b| a.file.cmp(&b.file));
    Ok(products)
}

/// Name of the file that a form of an image becomes.
pub fn file_name(image: &Image, form: &Form) -> String {
    match form {
        Form::Portable => format!("{}.ptx", image.name),
        Form::Tuned(chip) => format!("{}.{chip}.cubin", image.name),
    }
}

/// Compiles one form of an image.
pub fn one(toolkit: &Toolkit, image: &Image, form: &Form) -> Result<Product> {
    let file = file_name(image, form);
    match form {
        Form::Portable => {
            let ptx = toolkit.compile(image, PORTABLE)?;
            let tuned = |chip: &str| image.forms.contains(&Form::Tuned(chip.to_owned()));
            let mut resources = Table::new();
            for chip in WATCHED.into_iter().filter(|chip| !tuned(chip)) {
                resources.extend(usage(image, chip, &toolkit.assemble(&image.name, &ptx, chip)?)?);
            }
            Ok(Product { file, bytes: with_origin(&image.source, &ptx), resources })
        }
        Form::Tuned(chip) => {
            let ptx = toolkit.compile(image, &chip.replace("sm_", "compute_"))?;
            let assembled = toolkit.assemble(&image.name, &ptx, chip)?;
            let resources = usage(image, chip, &assembled)?;
            Ok(Product { file, bytes: assembled.cubin, resources })
        }
    }
}

fn usage(image: &Image, chip: &str, assembled: &Assembled) -> Result<Table> {
    let kernels = resources::read_messages(&assembled.messages)?;
    let row = |(kernel, usage)| ((image.name.clone(), kernel, chip.to_owned()), usage);
    Ok(kernels.into_iter().map(row).collect())
}

/// PTX below a line that says where it comes from.
fn with_origin(source: &Path, ptx: &str) -> Vec<u8> {
    format!("// Generated from {} by `cargo xtask kernels`.\n{ptx}", source.display()).into_bytes()
}
