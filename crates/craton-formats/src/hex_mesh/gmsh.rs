//! Meshes of Gmsh: files `.msh` of version 2.2 or 4.1, text or binary, in either byte order.
//!
//! | section | content that is read |
//! |---|---|
//! | `$MeshFormat` | version, text or binary, byte order |
//! | `$PhysicalNames` | names of the physical groups |
//! | `$Entities`, `$PartitionedEntities` (4.1) | physical groups of the surfaces and volumes |
//! | `$Nodes` | positions |
//! | `$Elements` | hexahedra of 8, 20 or 27 nodes, quadrilaterals in physical surfaces |
//! | `$ElementData` | fields with one number per hexahedron |
//!
//! All other sections are skipped, among them `$Periodic`, `$GhostElements` and `$NodeData`. Elements of points, lines and surfaces without physical group are skipped.
//!
//! Blocks are the physical groups of dimension 3, in ascending order of their numbers. Hexahedra without physical group belong to the block `unmarked`, which is the last one and has
//! the number 0. If no hexahedron has a physical group, the blocks are the elementary volumes, named `volume 1` and so on. If a hexahedron belongs to several physical groups, it
//! belongs to the block of the first one in the file. Sides are the physical groups of dimension 2 with quadrilaterals. A quadrilateral in several physical groups belongs to each side.
//!
//! Source: manual of Gmsh 4.15, "Gmsh file formats" and "Node ordering".

mod collected;
mod cursor;
mod data;
mod finish;
mod kinds;
mod v2;
mod v4;

#[cfg(test)]
mod tests;

use std::path::Path;

use self::collected::Collected;
use self::cursor::Cursor;
use super::HexMeshFile;
use crate::byte_order::ByteOrder;
use crate::error::Result;
use crate::text::{BYTE_ORDER_MARK, read_bytes};

/// How to convert a file to a version that [`read`] accepts.
const CONVERT: &str = "version 2.2 or 4.1: convert it with `gmsh old.msh -save -format msh41 -o new.msh`, or set `Mesh.MshFileVersion = 4.1`";

/// Version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// 2.2.
    Two,
    /// 4.1.
    Four,
}

/// Reads a mesh. Nodes that belong neither to a hexahedron nor to a face of a side are dropped; elements of 20 nodes are completed to 27.
///
/// # Errors
/// A file that is unreadable, truncated or damaged; a version other than 2.2 and 4.1; elements of volumes that are not hexahedra of order 1 or 2; hexahedra with different numbers of
/// nodes; elements other than quadrilaterals of order 1 or 2 in a physical surface; more than 65536 blocks or sides; values of a field that are not finite.
pub fn read(path: &Path) -> Result<HexMeshFile> {
    let bytes = read_bytes(path)?;
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    let mut cursor = Cursor::new(path, bytes);
    let version = format(&mut cursor)?;
    let mut mesh = Collected::default();
    while cursor.section()? {
        match (&*cursor.section, version) {
            ("PhysicalNames", _) => mesh.physical_names(&mut cursor)?,
            ("Entities", Version::Four) => v4::entities(&mut cursor, false, &mut mesh)?,
            ("PartitionedEntities", Version::Four) => v4::entities(&mut cursor, true, &mut mesh)?,
            ("Nodes", Version::Two) => v2::nodes(&mut cursor, &mut mesh)?,
            ("Nodes", Version::Four) => v4::nodes(&mut cursor, &mut mesh)?,
            ("Elements", Version::Two) => v2::elements(&mut cursor, &mut mesh)?,
            ("Elements", Version::Four) => v4::elements(&mut cursor, &mut mesh)?,
            ("ElementData", _) => data::element_data(&mut cursor, &mut mesh)?,
            ("ParametricNodes", _) => {
                return Err(cursor.layout("the nodes have parametric coordinates", "set `Mesh.SaveParametric = 0`"));
            }
            _ => cursor.skip_section()?,
        }
    }
    mesh.finished(&cursor)?.checked(path)
}

/// Reads the section `$MeshFormat`; comments may precede it.
fn format(cursor: &mut Cursor) -> Result<Version> {
    loop {
        if !cursor.section()? || ["NOD", "ELM"].contains(&&*cursor.section) {
            let problem = "the file does not start with `$MeshFormat`";
            return Err(cursor.layout(problem, format!("give a mesh of Gmsh of {CONVERT}")));
        }
        match &*cursor.section {
            "MeshFormat" => break,
            _ => cursor.skip_section()?,
        }
    }
    let version = match cursor.text_word("version")? {
        b"2.2" => Version::Two,
        b"4.1" => Version::Four,
        other => return Err(cursor.bad("version of the format", String::from_utf8_lossy(other), CONVERT)),
    };
    let kind = cursor.text_integer("type of the file")?;
    let size = cursor.text_integer("size of a number")?;
    cursor.end_line()?;
    match kind {
        0 => {}
        1 if size != 8 => return Err(cursor.bad("size of a number in bytes", size, "8")),
        1 => cursor.binary = Some(byte_order(cursor)?),
        _ => return Err(cursor.bad("type of the file", kind, "0 (text) or 1 (binary)")),
    }
    cursor.end_section()?;
    Ok(version)
}

/// Byte order of a binary file, which writes the number 1.
fn byte_order(cursor: &mut Cursor) -> Result<ByteOrder> {
    cursor.binary = Some(ByteOrder::NATIVE);
    let one = cursor.take(4)?;
    [ByteOrder::Little, ByteOrder::Big]
        .into_iter()
        .find(|order| order.read::<i32>(one) == 1)
        .ok_or_else(|| cursor.bad("number that gives the byte order", format!("{one:?}"), "1 as a 4-byte integer"))
}
