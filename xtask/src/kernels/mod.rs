//! `cargo xtask kernels`: compiles GPU kernels ahead of time with pinned compilers; the results are committed next to their sources.

mod build;
mod hashes;
mod images;
mod resources;
mod sass;
mod toolkit;

use anyhow::{Context, Result, bail};
use build::Product;
use craton_device::gpu::compressed;
use images::{Form, Image};
use resources::Table;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use toolkit::Toolkit;

/// File with the resources of every kernel of a folder.
const RESOURCES: &str = "resources.txt";
/// Index of the compiled kernels for the program: a Rust expression.
const INDEX: &str = "images.rs";
/// File with the hashes of the sources and of the compiled files of every image of a folder.
const HASHES: &str = "hashes.txt";
const USAGE: &str = "kernels takes [--accept] [NAME...], --check [all | NAME...], --sass NAME, \
                     or --report FILE [-D NAME=VALUE]... [-I FOLDER]... [--arch CHIP | --portable] [-- NVRTC OPTIONS]";
/// The chip of reports.
const CHIP: &str = "sm_90";

/// Builds, checks or reports, depending on the options.
///
/// # Errors
/// Those of the compilers, stale files, kernels that use more resources than before.
pub fn run(options: &[&str]) -> Result<()> {
    match options {
        ["--check"] => check(&samples()),
        ["--check", "all"] => check(&images::all()),
        ["--check", names @ ..] => check(&selected(names)?),
        ["--accept", names @ ..] => write(&selected(names)?, names.is_empty(), true),
        ["--sass", name] => {
            let all = images::all();
            let image = all.into_iter().find(|image| image.name == *name);
            let image = image.with_context(|| format!("there is no image `{name}`"))?;
            let tuned = image.forms.iter().find(|form| **form != Form::Portable).cloned();
            report(&image, &tuned.unwrap_or(Form::Portable))
        }
        ["--report", file, options @ ..] => {
            let image = ad_hoc(file, options)?;
            report(&image, &image.forms[0])
        }
        names if names.iter().all(|name| !name.starts_with('-')) => write(&selected(names)?, names.is_empty(), false),
        _ => bail!(USAGE),
    }
}

/// Selects all images, or those whose name contains one of some words.
fn selected(words: &[&str]) -> Result<Vec<Image>> {
    let wanted = |image: &Image| words.is_empty() || words.iter().any(|word| image.name.contains(word));
    let images: Vec<Image> = images::all().into_iter().filter(wanted).collect();
    if images.is_empty() && !words.is_empty() {
        bail!("no image is named like {}", words.join(", "));
    }
    Ok(images)
}

/// The first image of each source, which represents the others in a quick check.
fn samples() -> Vec<Image> {
    let mut images = images::all();
    images.sort_by(|a, b| a.source.cmp(&b.source));
    images.dedup_by(|a, b| a.source == b.source);
    images
}

/// Compiles the images that are out of date and writes their files, unless a kernel uses more resources than in the last commit and `accept` is false.
fn write(images: &[Image], whole: bool, accept: bool) -> Result<()> {
    let changed = out_of_date(images)?;
    let products = if changed.is_empty() { Vec::new() } else { build::all(&Toolkit::install()?, &changed)? };
    show(&products, changed.len() > 20);
    let worse = resources::worse(&committed()?, &resources_of(&products));
    if !worse.is_empty() && !accept {
        bail!(
            "kernels use more resources than before; run `cargo xtask kernels --accept` if that is intended:\n{}",
            worse.join("\n")
        );
    }
    for folder in folders() {
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    write_compiled(&products)?;
    write_changed(tables(&products)?)?;
    if whole {
        for path in left_over()? {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
            println!("removed {}", path.display());
        }
    }
    write_changed(tables_of_hashes(&changed)?)
}

/// Writes the compressed code of images, unless the file contains the same code.
fn write_compiled(products: &[Product]) -> Result<()> {
    let changed = products.iter().filter(|product| hashes::content(&product.path()).as_ref() != Some(&product.code));
    write_changed(changed.map(|product| (product.path(), compressed(&product.code))).collect())
}

fn write_changed(files: BTreeMap<PathBuf, Vec<u8>>) -> Result<()> {
    for (path, bytes) in files {
        if fs::read(&path).ok().as_ref() != Some(&bytes) {
            fs::write(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
            println!("wrote {}, {} bytes", path.display(), bytes.len());
        }
    }
    Ok(())
}

/// Fails if the files of an image are out of date, or if compiling `samples` gives other files than the committed ones.
fn check(samples: &[Image]) -> Result<()> {
    let stale = |image: &Image| format!("{} is out of date", image.folder().join(&image.name).display());
    let mut findings: Vec<String> = out_of_date(&images::all())?.iter().map(stale).collect();
    findings.extend(left_over()?.iter().map(|path| format!("{} does not belong to an image", path.display())));
    if findings.is_empty() {
        let products = build::all(&Toolkit::install()?, samples)?;
        show(&products, samples.len() > 20);
        findings = resources::worse(&present()?, &resources_of(&products));
        let compiled = products.iter().filter(|one| hashes::content(&one.path()).as_ref() != Some(&one.code));
        let tables = tables(&products)?.into_iter().filter(|(path, bytes)| fs::read(path).ok().as_ref() != Some(bytes));
        let paths = compiled.map(Product::path).chain(tables.map(|(path, _)| path));
        findings.extend(paths.map(|path| format!("{} is not what the compilers give", path.display())));
    }
    if !findings.is_empty() {
        bail!("run `cargo xtask kernels` and commit:\n{}", findings.join("\n"));
    }
    println!("kernels are up to date");
    Ok(())
}

/// The images whose hashes are not those in the tables.
fn out_of_date(images: &[Image]) -> Result<Vec<Image>> {
    let table = recorded_hashes();
    let mut changed = Vec::new();
    for image in images {
        if table.get(&image.name) != Some(&hashes::of(image)?) {
            changed.push(image.clone());
        }
    }
    Ok(changed)
}

/// The hashes in the working tree.
fn recorded_hashes() -> hashes::Table {
    let texts = folders().into_iter().filter_map(|folder| fs::read_to_string(folder.join(HASHES)).ok());
    texts.flat_map(|text| hashes::read(&text)).collect()
}

/// The tables of hashes, with new rows for images that were compiled.
fn tables_of_hashes(compiled: &[Image]) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut rows = recorded_hashes();
    for image in compiled {
        rows.insert(image.name.clone(), hashes::of(image)?);
    }
    let mut tables: BTreeMap<PathBuf, hashes::Table> = BTreeMap::new();
    for image in images::all() {
        if let Some(&row) = rows.get(&image.name) {
            tables.entry(image.folder().join(HASHES)).or_default().insert(image.name, row);
        }
    }
    Ok(tables.into_iter().map(|(path, table)| (path, hashes::write(&table).into_bytes())).collect())
}

/// Prints the resource usage of kernels: all rows, or only the notable rows if there are many.
fn show(products: &[Product], are_many: bool) {
    let mut table = resources_of(products);
    let kernels = table.len();
    if are_many {
        table.retain(|_, usage| usage.stands_out());
    }
    print!("{}", resources::write_table(&table));
    let megabytes = products.iter().map(|product| product.code.len()).sum::<usize>() as f64 / 1e6;
    println!(
        "{} files, {megabytes:.1} MB before compression; {} of {kernels} kernels shown",
        products.len(),
        table.len()
    );
}

fn resources_of(products: &[Product]) -> Table {
    products.iter().flat_map(|product| product.resources.clone()).collect()
}

/// The folders of the compiled files.
fn folders() -> BTreeSet<PathBuf> {
    images::all().iter().map(Image::folder).collect()
}

/// The resource usage in the last commit, or an empty table.
fn committed() -> Result<Table> {
    let mut all = Table::new();
    for folder in folders() {
        let shown = Command::new("git").arg("show").arg(format!("HEAD:{}/{RESOURCES}", folder.display())).output();
        if let Some(output) = shown.ok().filter(|output| output.status.success()) {
            all.extend(resources::read_table(&String::from_utf8(output.stdout)?)?);
        }
    }
    Ok(all)
}

/// The resource usage in the working tree, or an empty table.
fn present() -> Result<Table> {
    let mut all = Table::new();
    for path in folders().iter().map(|folder| folder.join(RESOURCES)).filter(|path| path.exists()) {
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        all.extend(resources::read_table(&text)?);
    }
    Ok(all)
}

/// The tables of resources and indices with their bytes; images that were not compiled keep their rows in the tables.
fn tables(products: &[Product]) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut table = resources_of(products);
    let built: BTreeSet<String> = table.keys().map(|(image, ..)| image.clone()).collect();
    table.extend(present()?.into_iter().filter(|((image, ..), _)| !built.contains(image)));
    let mut files = BTreeMap::new();
    let images = images::all();
    for folder in folders() {
        let own = || images.iter().filter(|image| image.folder() == folder);
        let names: BTreeSet<&str> = own().map(|image| &*image.name).collect();
        let rows = table.iter().filter(|((image, ..), _)| names.contains(&**image));
        let rows: Table = rows.map(|(key, usage)| (key.clone(), *usage)).collect();
        files.insert(folder.join(RESOURCES), resources::write_table(&rows).into_bytes());
        files.insert(folder.join(INDEX), build::index(own()).into_bytes());
    }
    Ok(files)
}

/// Files in the folders that do not belong to an image.
fn left_over() -> Result<Vec<PathBuf>> {
    let (images, folders) = (images::all(), folders());
    let lists = folders.iter().flat_map(|folder| [RESOURCES, INDEX, HASHES].map(|name| folder.join(name)));
    let built = images
        .iter()
        .flat_map(|image| image.forms.iter().map(|form| image.folder().join(build::file_name(image, form))));
    let expected: BTreeSet<PathBuf> = lists.chain(built).collect();
    let mut found = Vec::new();
    for folder in folders {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            found.extend(Some(entry?.path()).filter(|path| !expected.contains(path)));
        }
    }
    Ok(found)
}

/// The image that the options of `--report` describe.
fn ad_hoc(file: &str, options: &[&str]) -> Result<Image> {
    let name = Path::new(file).file_stem().context("a kernel file has a name")?.to_string_lossy().into_owned();
    let mut image = Image {
        name,
        source: PathBuf::from(file),
        defines: Vec::new(),
        options: Vec::new(),
        forms: vec![Form::Tuned(CHIP.to_owned())],
    };
    let mut rest = options;
    loop {
        rest = match rest {
            [] => return Ok(image),
            ["--", options @ ..] => {
                image.options.extend(options.iter().map(|&option| option.to_owned()));
                &[]
            }
            ["--arch", chip, rest @ ..] => {
                image.forms = vec![Form::Tuned((*chip).to_owned())];
                rest
            }
            ["--portable", rest @ ..] => {
                image.forms = vec![Form::Portable];
                rest
            }
            ["-D", define, rest @ ..] => {
                let (name, value) = define.split_once('=').unwrap_or((define, "1"));
                image.defines.push((name.to_owned(), value.to_owned()));
                rest
            }
            ["-I", folder, rest @ ..] => {
                image.options.push(format!("--include-path={folder}"));
                rest
            }
            _ => bail!(USAGE),
        };
    }
}

/// Prints the resource usage and the instruction counts of the kernels of an image.
fn report(image: &Image, form: &Form) -> Result<()> {
    let toolkit = Toolkit::install()?;
    let product = build::one(&toolkit, image, form)?;
    println!("{}", resources::write_table(&product.resources));
    let chip = match form {
        Form::Portable => CHIP,
        Form::Tuned(chip) => chip,
    };
    let (listing, path) = toolkit.disassemble(&image.name, chip)?;
    println!("{}\nlisting: {}", sass::table(&sass::count(&listing)), path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_report_describe_an_image() {
        let options = ["-D", "DEGREE=4", "-D", "FAST", "--arch", "sm_90a", "--", "--maxrregcount=168"];
        let image = ad_hoc("kernels/element.cu", &options).unwrap();
        assert_eq!(image.name, "element");
        assert_eq!(image.defines, [("DEGREE", "4"), ("FAST", "1")].map(|(a, b)| (a.to_owned(), b.to_owned())));
        assert_eq!(image.forms, [Form::Tuned("sm_90a".to_owned())]);
        assert_eq!(image.options, ["--maxrregcount=168"]);
        assert!(ad_hoc("element.cu", &["--fast"]).is_err());
    }
}
