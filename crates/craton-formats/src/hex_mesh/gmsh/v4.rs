//! Sections of version 4.1.

use super::collected::{Collected, Element, Entity, Tags};
use super::cursor::{Cursor, WRITE_AGAIN};
use super::kinds::Kind;
use super::v2::position;
use crate::error::Result;

/// Reads the section `$Entities`, or `$PartitionedEntities`, whose entities also have a parent and partitions: the physical groups of the surfaces and volumes.
pub fn entities(cursor: &mut Cursor, partitioned: bool, mesh: &mut Collected) -> Result<()> {
    if partitioned {
        cursor.size("number of partitions")?;
        cursor.end_record()?;
        let ghosts = cursor.size("number of ghost entities")?;
        cursor.end_record()?;
        for _ in 0..cursor.fits("number of ghost entities", ghosts, 4, 8)? {
            cursor.int("ghost entity")?;
            cursor.int("partition")?;
            cursor.end_record()?;
        }
    }
    let mut counts = [0; 4];
    for (count, what) in counts.iter_mut().zip(["points", "curves", "surfaces", "volumes"]) {
        let what = format!("number of {what}");
        let number = cursor.size(&what)?;
        *count = cursor.fits(&what, number, 8, 28)?;
    }
    cursor.end_record()?;
    for (dimension, count) in (0..).zip(counts) {
        for _ in 0..count {
            entity(cursor, partitioned, dimension, mesh)?;
            cursor.end_record()?;
        }
    }
    cursor.end_section()
}

/// Reads an entity: its tag; its parent and partitions; its position or its bounds; its physical groups; the entities at its boundary.
fn entity(cursor: &mut Cursor, partitioned: bool, dimension: i64, mesh: &mut Collected) -> Result<()> {
    let tag = cursor.int("tag of the entity")?;
    let mut number = tag;
    if partitioned {
        let parent_dimension = cursor.int("dimension of the parent")?;
        let parent = cursor.int("parent of the entity")?;
        if parent_dimension == dimension {
            number = parent;
        }
        list(cursor, "partition", |_| {})?;
    }
    for _ in 0..if dimension == 0 { 3 } else { 6 } {
        cursor.real("bounds of the entity")?;
    }
    let mut physical = Vec::new();
    // A negative number marks the opposite direction of a surface.
    list(cursor, "physical group", |group| physical.push(group.abs()))?;
    physical.retain(|&group| group != 0);
    if dimension > 0 {
        list(cursor, "entity at the boundary", |_| {})?;
    }
    if dimension >= 2 {
        mesh.entities.insert((dimension, tag), Entity { number, physical });
    }
    Ok(())
}

/// Reads a list of whole numbers after its length.
fn list(cursor: &mut Cursor, what: &str, mut each: impl FnMut(i64)) -> Result<()> {
    let count = cursor.size(what)?;
    for _ in 0..cursor.fits(what, count, 2, 4)? {
        each(cursor.int(what)?);
    }
    Ok(())
}

/// Reads the numbers of blocks and items at the start of `$Nodes` and `$Elements`, which the smallest and largest tags follow.
fn header(cursor: &mut Cursor, what: &str, in_text: u64, in_binary: u64) -> Result<[usize; 2]> {
    let blocks = cursor.size("number of blocks")?;
    let blocks = cursor.fits("number of blocks", blocks, 8, 20)?;
    let what = format!("number of {what}");
    let items = cursor.size(&what)?;
    let items = cursor.fits(&what, items, in_text, in_binary)?;
    cursor.size("smallest tag")?;
    cursor.size("largest tag")?;
    cursor.end_record()?;
    Ok([blocks, items])
}

/// Refuses a section with another number of items than its header announces.
fn require_count(cursor: &Cursor, what: &str, announced: usize, found: usize) -> Result<()> {
    if announced == found {
        return Ok(());
    }
    Err(cursor.layout(format!("the section announces {announced} {what}, but has {found}"), WRITE_AGAIN))
}

/// Reads the section `$Nodes`: blocks of nodes of one entity, first the tags, then the positions.
pub fn nodes(cursor: &mut Cursor, mesh: &mut Collected) -> Result<()> {
    mesh.require_first_nodes(cursor)?;
    let [blocks, items] = header(cursor, "nodes", 8, 32)?;
    let mut tags = Vec::with_capacity(items);
    mesh.nodes.reserve_exact(items);
    for _ in 0..blocks {
        let dimension = cursor.int("dimension of the entity")?;
        cursor.int("tag of the entity")?;
        let parametric = cursor.int("whether the nodes have parametric coordinates")?;
        let count = cursor.size("number of nodes")?;
        let count = cursor.fits("number of nodes", count, 8, 32)?;
        cursor.end_record()?;
        for _ in 0..count {
            tags.push(cursor.size("tag of the node")?);
            cursor.end_record()?;
        }
        let parameters = if parametric == 0 { 0 } else { dimension.clamp(0, 3) as usize };
        for _ in 0..count {
            mesh.nodes.push(position(cursor)?);
            cursor.skip_values(8 * parameters)?;
            cursor.end_record()?;
        }
    }
    require_count(cursor, "nodes", items, tags.len())?;
    mesh.node_of = Some(Tags::new(cursor, "node", &tags)?);
    cursor.end_section()
}

/// Reads the section `$Elements`: blocks of elements of one type in one entity.
pub fn elements(cursor: &mut Cursor, mesh: &mut Collected) -> Result<()> {
    mesh.require_first_elements(cursor)?;
    let [blocks, items] = header(cursor, "elements", 4, 16)?;
    let mut read = 0;
    let unmarked = Entity::default();
    let entities = std::mem::take(&mut mesh.entities);
    for _ in 0..blocks {
        let dimension = cursor.int("dimension of the entity")?;
        let number = cursor.int("tag of the entity")?;
        let entity = entities.get(&(dimension, number));
        let number = entity.map_or(number, |entity| entity.number);
        let physical = &entity.unwrap_or(&unmarked).physical[..];
        let kind_number = cursor.int("type of the elements")?;
        let Some(kind) = Kind::of(kind_number) else {
            return Err(cursor.bad("type of the elements", kind_number, "a type of element of Gmsh, such as 5"));
        };
        let count = cursor.size("number of elements")?;
        let count = cursor.fits("number of elements", count, 4, 16)?;
        cursor.end_record()?;
        read += count;
        for _ in 0..count {
            let tag = cursor.size("tag of the element")?;
            let element = Element { kind, tag, physical, entity: number, node_bytes: 8 };
            mesh.element(cursor, element, |cursor| cursor.size("node of the element"))?;
            cursor.end_record()?;
        }
    }
    mesh.require_only_hexahedra(cursor)?;
    require_count(cursor, "elements", items, read)?;
    cursor.end_section()
}
