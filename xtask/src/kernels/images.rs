//! The list of all images, which are compiled ahead of time and committed.

use std::path::{Path, PathBuf};

/// Folder of the kernels of spectral elements, from the root of the workspace.
const SEM: &str = "crates/craton-sem/kernels";
/// Folder of the kernels of finite differences.
const FD: &str = "crates/craton-fd/kernels";
/// Folder of the kernels of gravity.
const GRAVITY: &str = "crates/craton-gravity/kernels";
/// Folder of the compiled kernels, next to their sources.
const BUILT: &str = "built";

/// A file of kernels, specialised by macros.
#[derive(Clone)]
pub struct Image {
    /// Name of its compiled files without extension: "gather_d4_linear_isotropic_f32".
    pub name: String,
    /// The CUDA C++ file, from the root of the workspace.
    pub source: PathBuf,
    /// Macros with their values.
    pub defines: Vec<(String, String)>,
    /// Further options of NVRTC.
    pub options: Vec<String>,
    /// Compiled forms.
    pub forms: Vec<Form>,
}

impl Image {
    /// Folder of what is built from it and from its neighbours, from the root of the workspace.
    pub fn folder(&self) -> PathBuf {
        self.source.parent().unwrap_or(Path::new("")).join(BUILT)
    }

    /// Key by which a program looks it up: its file and macros, as in "gather.cu -DPOINTS=5 -DREAL=float".
    pub fn key(&self) -> String {
        let file = self.source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let defines = self.defines.iter().map(|(name, value)| format!("-D{name}={value}"));
        std::iter::once(file).chain(defines).collect::<Vec<_>>().join(" ")
    }
}

/// Compiled form of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// PTX that a driver compiles for any chip from Volta on.
    Portable,
    /// Machine code of one chip, "sm_90" or "sm_90a".
    Tuned(String),
}

/// Names and macros of the choices that specialise kernels.
const DEGREES: [usize; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const PRECISIONS: [(&str, &str); 2] = [("f32", "float"), ("f64", "double")];
const GEOMETRIES: [(&str, &str); 2] = [("linear", "2"), ("quadratic", "3")];
const LAWS: [(&str, &str); 4] = [
    ("isotropic", "Isotropic"),
    ("transverse", "TransverselyIsotropic"),
    ("anisotropic", "Anisotropic"),
    ("fluid", "Fluid"),
];
/// Unknowns of a node of a solid and of a fluid, and the end of the names of kernels.
const PHASES: [(&str, &str); 2] = [("", "3"), ("fluid_", "1")];
/// A name and the value of its macro.
type Choice = (&'static str, &'static str);

/// Laws of patches, and how their parameters are stored.
const PATCHES: [(Choice, Choice); 8] = [
    (LAWS[0], ("element", "0")),
    (LAWS[0], ("point", "1")),
    (LAWS[1], ("element", "0")),
    (LAWS[1], ("point", "1")),
    (LAWS[1], ("packed", "2")),
    (LAWS[2], ("point", "1")),
    (LAWS[3], ("element", "0")),
    (LAWS[3], ("point", "1")),
];
/// Relaxing points of patches: name of the image, and the value of its macro.
const RELAXES: [Choice; 3] = [("odd", "1"), ("inner", "2"), ("full", "3")];
/// Orders of finite differences whose kernels are built, in single precision: half-length, and points per thread as in the program.
const ORDERS: [(usize, &str); 2] = [(2, "4"), (4, "2")];

/// Acoustic kernels and those of their gradients that are built: half-length, number of axes (2 or 3), rows per block, minimum number of blocks per multiprocessor.
const SHOTS: [(usize, &str, &str, &str); 4] =
    [(4, "2", "4", "8"), (8, "2", "4", "8"), (2, "3", "16", "2"), (4, "3", "16", "2")];

/// Kernels of the scalar wave equation that are built: half-length, threads per block, minimum number of blocks per multiprocessor. The first one is the sample
/// that CI compiles; the compiler gives one of two versions of that of half-length 2.
const SCALAR: [(usize, &str, &str); 3] = [(4, "256", "3"), (8, "256", "2"), (2, "512", "2")];

/// Prefix of the names and value of RELAXES of acoustic kernels without and with relaxation.
const PRESSURES: [[&str; 2]; 2] = [["", "0"], ["relaxing_", "1"]];
/// Half-lengths of the acoustic tile kernels that are built.
const TILES: [usize; 2] = [4, 8];

/// Fields of prisms that are summed: all ten, or the vertical attraction alone; a bit for each.
const SUMMED: [(&str, &str); 2] = [("all", "1023"), ("up", "8")];

/// Returns all images.
pub fn all() -> Vec<Image> {
    [spectral_elements(), finite_differences(), gravity()].concat()
}

fn gravity() -> Vec<Image> {
    let product = |file: &'static str| {
        PRECISIONS.into_iter().flat_map(move |(precision, real)| {
            SUMMED.map(|(fields, bits)| {
                let name = format!("{file}_{fields}_{precision}");
                tuned(portable(GRAVITY, name, &format!("{file}.cu"), &[("REAL", real), ("FIELDS", bits)]))
            })
        })
    };
    let tesseroids = [("all", "1023"), ("attraction", "14")].map(|(fields, bits)| {
        let name = format!("tesseroids_{fields}_f64");
        tuned(portable(GRAVITY, name, "tesseroids.cu", &[("REAL", "double"), ("FIELDS", bits)]))
    });
    let magnetics = PRECISIONS.map(|(precision, real)| {
        let defines = [("REAL", real), ("FIELDS", "1022")];
        tuned(portable(GRAVITY, format!("magnetics_{precision}"), "magnetics.cu", &defines))
    });
    ["prisms", "transpose"].into_iter().flat_map(product).chain(tesseroids).chain(magnetics).collect()
}

fn finite_differences() -> Vec<Image> {
    let taps =
        |(precision, real): (&str, &str)| portable(FD, format!("taps_{precision}"), "taps.cu", &[("REAL", real)]);
    let step = |(half_length, width): (usize, &'static str)| {
        [("step", width, None), ("relaxing_step", "2", Some(("RELAXES", "1")))].map(|(name, width, relaxes)| {
            let half_length_text = half_length.to_string();
            let defines = [("HALF_LENGTH", &*half_length_text), ("REAL", "float"), ("WIDTH", width)];
            let defines: Vec<(&str, &str)> = defines.into_iter().chain(relaxes).collect();
            tuned(portable(FD, format!("{name}_o{}_f32", 2 * half_length), "step.cu", &defines))
        })
    };
    let tiles = |(half_length, [prefix, relaxes]): (usize, [&str; 2])| {
        let defines = [
            ("HALF_LENGTH", &*half_length.to_string()),
            ("REAL", "float"),
            ("WIDTH", "4"),
            ("AXES", "2"),
            ("WARPS", "16"),
            ("DEPTH", "7"),
            ("RELAXES", relaxes),
        ];
        let name = format!("{prefix}acoustic_tiles_o{}_f32", 2 * half_length);
        tuned(portable(FD, name, "acoustic_tiles.cu", &defines))
    };
    let elastic = PRECISIONS.map(taps).into_iter().chain(ORDERS.into_iter().flat_map(step));
    let shots = SHOTS.into_iter().flat_map(|shape| PRESSURES.map(|of| in_rows("acoustic", shape, of)));
    let gradients = SHOTS.map(|shape| in_rows("acoustic_gradient", shape, PRESSURES[0]));
    let planes = TILES.into_iter().flat_map(|half_length| PRESSURES.map(|relaxes| tiles((half_length, relaxes))));
    elastic.chain(shots).chain(gradients).chain(planes).chain(SCALAR.map(scalar)).collect()
}

/// An image of acoustic shots in blocks of rows.
fn in_rows(
    file: &str,
    (half_length, axes, rows, blocks): (usize, &str, &str, &str),
    [prefix, relaxes]: [&str; 2],
) -> Image {
    let defines = [
        ("HALF_LENGTH", &*half_length.to_string()),
        ("REAL", "float"),
        ("WIDTH", "4"),
        ("AXES", axes),
        ("ROWS", rows),
        ("BLOCKS", blocks),
        ("RELAXES", relaxes),
    ];
    let name = format!("{prefix}{file}_{axes}d_o{}_f32", 2 * half_length);
    tuned(portable(FD, name, &format!("{file}.cu"), &defines))
}

/// An image of the scalar wave equation.
fn scalar((half_length, threads, blocks): (usize, &str, &str)) -> Image {
    let defines = [
        ("HALF_LENGTH", &*half_length.to_string()),
        ("REAL", "float"),
        ("WIDTH", "4"),
        ("AXES", "3"),
        ("THREADS", threads),
        ("BLOCKS", blocks),
    ];
    tuned(portable(FD, format!("scalar_o{}_f32", 2 * half_length), "scalar.cu", &defines))
}

fn spectral_elements() -> Vec<Image> {
    let gather = |degree: usize, (geometry, control), (law, class), (precision, real)| {
        let points = (degree + 1).to_string();
        let name = format!("gather_d{degree}_{geometry}_{law}_{precision}");
        portable(SEM, name, "gather.cu", &[("POINTS", &*points), ("CONTROL", control), ("LAW", class), ("REAL", real)])
    };
    let patch = |(geometry, control), (law, class), (material, varies)| {
        let name = format!("patch_{geometry}_{law}_{material}");
        portable(SEM, name, "patch.cu", &[("CONTROL", control), ("LAW", class), ("VARIES", varies)])
    };
    let mut images = Vec::new();
    for precision in PRECISIONS {
        let name = format!("coupling_{}", precision.0);
        images.push(portable(SEM, name, "coupling.cu", &[("REAL", precision.1)]));
        images.extend(PHASES.map(|phase| substeps(phase, precision)));
        for degree in DEGREES {
            let points = (degree + 1).to_string();
            images.extend(PHASES.map(|(phase, components)| {
                let name = format!("nodes_d{degree}_{phase}{}", precision.0);
                let defines = [("POINTS", &*points), ("COMPONENTS", components), ("REAL", precision.1)];
                portable(SEM, name, "nodes.cu", &defines)
            }));
            for geometry in GEOMETRIES {
                images.extend(LAWS.map(|law| gather(degree, geometry, law, precision)));
            }
        }
    }
    for geometry in GEOMETRIES {
        for (law, material) in PATCHES {
            // Fluids do not relax.
            let relaxes = if law == LAWS[3] { &RELAXES[..0] } else { &RELAXES };
            let own = patch(geometry, law, material);
            let all = std::iter::once(own.clone())
                .chain(relaxes.iter().map(|&relaxes| specialised(&own, "RELAXES", relaxes)));
            for image in all {
                let is_full = !image.defines.iter().any(|(name, value)| name == "RELAXES" && value != "3");
                // Layers have no packed parameters; their edges have parameters and memory at all points.
                if material.0 != "packed" {
                    images.push(tuned(specialised(&image, "PML", ("side", "1"))));
                }
                if material.0 == "point" && is_full {
                    images.push(tuned(specialised(&image, "PML", ("edge", "3"))));
                }
                images.push(tuned(image));
            }
        }
    }
    images
}

fn substeps((phase, components): Choice, (precision, real): Choice) -> Image {
    let name = format!("substeps_{phase}{precision}");
    portable(SEM, name, "substeps.cu", &[("COMPONENTS", components), ("REAL", real)])
}

/// An image of a patch with a further macro.
fn specialised(image: &Image, define: &str, (name, value): Choice) -> Image {
    let mut image = image.clone();
    image.defines.push((define.to_owned(), value.to_owned()));
    image.name = format!("{}_{name}", image.name);
    image
}

fn portable(folder: &str, name: String, file: &str, defines: &[(&str, &str)]) -> Image {
    let defines = defines.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    Image { name, source: Path::new(folder).join(file), defines, options: Vec::new(), forms: vec![Form::Portable] }
}

/// Adds machine code for the chip that the kernels are tuned for.
fn tuned(mut image: Image) -> Image {
    image.forms.push(Form::Tuned("sm_90".to_owned()));
    image
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_keys_are_unique() {
        for label in [|image: &Image| image.name.clone(), Image::key] {
            let labels: BTreeSet<String> = all().iter().map(label).collect();
            assert_eq!(labels.len(), all().len());
        }
    }

    #[test]
    fn every_image_runs_on_any_chip() {
        assert!(all().iter().all(|image| image.forms.contains(&Form::Portable)));
    }
}
