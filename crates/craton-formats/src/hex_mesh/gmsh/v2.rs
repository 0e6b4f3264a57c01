//! Sections of version 2.2.

use super::collected::{Collected, Element, Tags};
use super::cursor::Cursor;
use super::kinds::Kind;
use crate::error::Result;

/// Reads the section `$Nodes`: the number of nodes, and for each its tag and its position.
pub fn nodes(cursor: &mut Cursor, mesh: &mut Collected) -> Result<()> {
    mesh.require_first_nodes(cursor)?;
    let count = count(cursor, "number of nodes", 8, 28)?;
    let mut tags = Vec::with_capacity(count);
    mesh.nodes.reserve_exact(count);
    for _ in 0..count {
        tags.push(tag(cursor, "tag of the node")?);
        mesh.nodes.push(position(cursor)?);
        cursor.end_record()?;
    }
    mesh.node_of = Some(Tags::new(cursor, "node", &tags)?);
    cursor.end_section()
}

/// Reads the section `$Elements`. In text a line has the tag of the element, its type, the number of groups, the groups and the nodes. In binary files several elements of one type
/// follow a header with the type, the number of elements and the number of groups.
pub fn elements(cursor: &mut Cursor, mesh: &mut Collected) -> Result<()> {
    mesh.require_first_elements(cursor)?;
    let count = count(cursor, "number of elements", 6, 8)?;
    let mut read = 0;
    while read < count {
        match cursor.binary {
            None => {
                let tag = tag(cursor, "tag of the element")?;
                let kind = kind(cursor)?;
                let groups = groups(cursor)?;
                element(cursor, mesh, kind, tag, groups)?;
                read += 1;
            }
            Some(_) => {
                let kind = kind(cursor)?;
                let what = "number of elements of a type";
                let following = cursor.int(what)?;
                let n_groups = groups(cursor)?;
                let remaining = count - read;
                let fits = usize::try_from(following).ok().filter(|following| (1..=remaining).contains(following));
                let Some(following) = fits else {
                    return Err(cursor.bad(what, following, format!("1 to {remaining}, the remaining elements")));
                };
                for _ in 0..following {
                    let tag = tag(cursor, "tag of the element")?;
                    element(cursor, mesh, kind, tag, n_groups)?;
                }
                read += following;
            }
        }
    }
    mesh.require_only_hexahedra(cursor)?;
    cursor.end_section()
}

/// Reads the groups of an element, which are the physical group, the elementary entity and perhaps partitions, and its nodes.
fn element(cursor: &mut Cursor, mesh: &mut Collected, kind: Kind, tag: u64, groups: usize) -> Result<()> {
    let (mut physical, mut entity) = (0, 0);
    for index in 0..groups {
        let number = cursor.int("group of the element")?;
        match index {
            // A negative number marks the opposite direction of a surface.
            0 => physical = number.abs(),
            1 => entity = number,
            _ => {}
        }
    }
    let physical = [physical];
    let physical = if physical == [0] { &[][..] } else { &physical };
    mesh.element(cursor, Element { kind, tag, physical, entity, node_bytes: 4 }, |cursor| tag_of_node(cursor))?;
    cursor.end_record()
}

/// Reads a count, which the rest of the file must be able to hold.
fn count(cursor: &mut Cursor, what: &str, in_text: u64, in_binary: u64) -> Result<usize> {
    let count = cursor.text_integer(what)?;
    cursor.end_line()?;
    let natural = u64::try_from(count).map_err(|_| cursor.bad(what, count, "a whole number of at least 0"))?;
    cursor.fits(what, natural, in_text, in_binary)
}

fn kind(cursor: &mut Cursor) -> Result<Kind> {
    let number = cursor.int("type of the element")?;
    Kind::of(number).ok_or_else(|| cursor.bad("type of the element", number, "a type of element of Gmsh, such as 5"))
}

fn groups(cursor: &mut Cursor) -> Result<usize> {
    let what = "number of groups of an element";
    let groups = cursor.int(what)?;
    let natural = u64::try_from(groups).map_err(|_| cursor.bad(what, groups, "a whole number of at least 0"))?;
    cursor.fits(what, natural, 2, 4)
}

fn tag(cursor: &mut Cursor, what: &str) -> Result<u64> {
    let tag = cursor.int(what)?;
    u64::try_from(tag).map_err(|_| cursor.bad(what, tag, "a whole number of at least 0"))
}

fn tag_of_node(cursor: &mut Cursor) -> Result<u64> {
    tag(cursor, "node of the element")
}

/// Reads the position of a node.
pub fn position(cursor: &mut Cursor) -> Result<[f64; 3]> {
    Ok([cursor.real("x")?, cursor.real("y")?, cursor.real("z")?])
}
