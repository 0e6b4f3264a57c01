//! Meshes and set-ups of other programs.

use super::traces::finite_volume;
use crate::fuzz::mutate::Form;
use crate::fuzz::target::{Outcome, Target};
use craton_formats::hex_mesh::{self, HexMeshFile, specfem as mesh_files};
use craton_formats::nonlinloc::{self, NllEvent};
use craton_formats::sofi3d::{Parameters, Property};
use craton_formats::specfem::{Interfaces, MeshParFile, ParFile};
use craton_formats::{ndk, srf, xyz};
use std::path::Path;

/// Files next to an element file of SPECFEM3D.
const OF_MESH: [(&str, &str); 3] = [
    ("nodes_coords_file", "xtask/corpus/companions/nodes_coords_file"),
    ("materials_file", "xtask/corpus/companions/materials_file"),
    ("free_or_absorbing_surface_file_zmax", "xtask/corpus/companions/zmax"),
];

/// The targets of this module.
pub fn all() -> Vec<Target> {
    vec![
        Target {
            corpus: &["crates/craton-formats/tests/all/hex_mesh/samples"],
            ..Target::new("hex_mesh", Form::Mixed, "a.msh", |path| {
                Outcome::of(hex_mesh::read(path), |mesh| checked(&mesh))
            })
        },
        Target {
            companions: OF_MESH.to_vec(),
            ..Target::new("mesh_file", Form::Text, "mesh_file", |path| {
                Outcome::of(mesh_files::read(path.parent().unwrap_or(path)), |mesh| checked(&mesh))
            })
        },
        Target::new("materials", Form::Text, mesh_files::MATERIALS, |path| {
            Outcome::of(mesh_files::read_materials(path.parent().unwrap_or(path)), |all| Outcome::Accepted(all.len()))
        }),
        Target::new("par_file", Form::Text, "Par_file", |path| {
            Outcome::of(ParFile::read(path), |file| Outcome::Accepted(file.keys().count()))
        }),
        Target::new("mesh_par_file", Form::Text, "Mesh_Par_file", |path| {
            Outcome::of(MeshParFile::read(path), |file| Outcome::Accepted(file.regions.len()))
        }),
        Target {
            companions: vec![("a.dat", "xtask/corpus/companions/a.dat"), ("b.dat", "xtask/corpus/companions/b.dat")],
            ..Target::new("interfaces", Form::Text, "interfaces.dat", |path| {
                Outcome::of(Interfaces::read(path), |file| {
                    Outcome::finite(file.interfaces.iter().flat_map(|interface| interface.values.iter().copied()))
                })
            })
        },
        Target::new("xyz", Form::Text, "a.xyz", |path| {
            Outcome::of(xyz::read(path, Some("vp")), |volume| finite_volume(&volume))
        }),
        Target::new("ndk", Form::Text, "a.ndk", read_ndk),
        Target {
            corpus: &["crates/craton-formats/tests/all/nonlinloc/samples"],
            ..Target::new("nonlinloc", Form::Text, "a.hyp", read_nonlinloc)
        },
        Target {
            corpus: &["crates/craton-formats/tests/all/sofi3d/samples/sofi3D.json"],
            ..Target::new("sofi3d", Form::Text, "sofi3D.json", read_sofi3d)
        },
        Target::new("srf", Form::Text, "a.srf", |path| {
            Outcome::of(srf::read(path), |fault| Outcome::finite(fault.samples.iter().map(|&rate| f64::from(rate))))
        }),
    ]
}

fn read_ndk(path: &Path) -> Outcome {
    Outcome::of(ndk::read(path), |events| Outcome::finite(events.iter().flat_map(|event| event.moment_newton_metre())))
}

fn read_nonlinloc(path: &Path) -> Outcome {
    Outcome::of(nonlinloc::read(path), |events| {
        let mechanisms = events.iter().filter_map(|event| event.mechanism);
        let angles = mechanisms.flat_map(|mechanism| [mechanism.strike, mechanism.dip, mechanism.rake]);
        let places = events.iter().flat_map(|event| {
            assert!(event.origin.is_valid(), "the origin time is invalid");
            [event.latitude, event.longitude, event.depth()]
        });
        Outcome::finite(places.chain(angles).chain(events.iter().filter_map(NllEvent::magnitude)))
    })
}

fn read_sofi3d(path: &Path) -> Outcome {
    Outcome::of(Parameters::read(path), |file| {
        let _ = file.volume(Property::Vp);
        Outcome::finite(file.grid.spacing)
    })
}

/// Checks the indices of a mesh.
fn checked(mesh: &HexMeshFile) -> Outcome {
    assert_eq!(mesh.elements.len(), mesh.n_elements() * mesh.nodes_per_element, "the elements are incomplete");
    let all = mesh.elements.iter().chain(mesh.faces.iter().flat_map(|face| &face.corners));
    assert!(all.copied().all(|node| (node as usize) < mesh.nodes.len()), "an element has a node that does not exist");
    assert!(mesh.block_of.iter().all(|&block| usize::from(block) < mesh.blocks.len()), "an element has no block");
    assert!(mesh.faces.iter().all(|face| usize::from(face.side) < mesh.sides.len()), "a face has no side");
    Outcome::finite(mesh.nodes.iter().flatten().copied())
}
