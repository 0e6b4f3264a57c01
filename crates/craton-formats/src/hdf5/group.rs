//! Groups: a local heap of names, symbol table nodes, a version 1 B-tree and an object header.

use super::messages::{UNDEFINED, group_header, pad};

/// Half the entries of a full symbol table node; the default of the HDF5 library.
pub(super) const LEAF_K: usize = 4;

/// Half the children of a full node of the tree; the default of the HDF5 library.
pub(super) const INTERNAL_K: usize = 16;

const LEAF_ENTRIES: usize = 2 * LEAF_K;
const CHILDREN: usize = 2 * INTERNAL_K;

/// Bytes of a symbol table node: signature, version, count, and entries of 40 bytes.
const LEAF_BYTES: usize = 8 + 40 * LEAF_ENTRIES;

/// Bytes of a node of the tree: 24 of header, `CHILDREN` addresses between `CHILDREN + 1` keys.
const NODE_BYTES: usize = 24 + 8 * CHILDREN + 8 * (CHILDREN + 1);

/// Bytes of a heap before its names.
const HEAP_BYTES: usize = 32;

/// A free list without entries.
const NO_FREE_LIST: u64 = 1;

/// A group that is ready to be written.
#[derive(Debug)]
pub(super) struct EncodedGroup {
    pub bytes: Vec<u8>,
    /// Address of the object header.
    pub header: u64,
    /// Address of the root of the tree.
    pub tree: u64,
    /// Address of the heap.
    pub heap: u64,
}

/// A name and its object.
struct Entry {
    /// Position of the name in the heap.
    name: u64,
    /// Address of the object header.
    object: u64,
}

/// A child of a node of the tree.
struct Child {
    address: u64,
    /// Position in the heap of its last name in the order of the names.
    last: u64,
}

/// Encodes a group.
///
/// # Arguments
/// * `members` – names in ascending order, each with the address of its object header
/// * `attributes` – encoded messages
/// * `at` – address of the group, a multiple of 8
pub(super) fn encode_group<'a>(
    members: impl Iterator<Item = (&'a str, u64)>,
    attributes: Vec<Vec<u8>>,
    at: u64,
) -> EncodedGroup {
    // The empty name is before all others, as the first key of a tree.
    let mut names = vec![0; 8];
    let mut entries = Vec::new();
    for (name, object) in members {
        entries.push(Entry { name: names.len() as u64, object });
        names.extend(name.bytes().chain([0]));
        pad(&mut names);
    }
    let mut bytes = b"HEAP\0\0\0\0".to_vec();
    for field in [names.len() as u64, NO_FREE_LIST, at + HEAP_BYTES as u64] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend(names);
    let leaves = append_leaves(&entries, at, &mut bytes);
    let tree = append_tree(leaves, at, &mut bytes);
    let header = at + bytes.len() as u64;
    bytes.extend(group_header(tree, at, attributes));
    EncodedGroup { bytes, header, tree, heap: at }
}

/// Appends the symbol table nodes.
///
/// # Arguments
/// * `at` – address of the first of `bytes`
fn append_leaves(entries: &[Entry], at: u64, bytes: &mut Vec<u8>) -> Vec<Child> {
    let append = |own: &[Entry]| {
        let start = bytes.len();
        bytes.extend(b"SNOD\x01\0");
        bytes.extend((own.len() as u16).to_le_bytes());
        for entry in own {
            bytes.extend(entry.name.to_le_bytes());
            bytes.extend(entry.object.to_le_bytes());
            // Nothing about the object is cached here.
            bytes.extend([0; 24]);
        }
        bytes.resize(start + LEAF_BYTES, 0);
        Child { address: at + start as u64, last: own[own.len() - 1].name }
    };
    entries.chunks(LEAF_ENTRIES).map(append).collect()
}

/// Appends the nodes of the tree, level by level from the leaves up; returns the address of its root.
///
/// # Arguments
/// * `at` – address of the first of `bytes`
fn append_tree(leaves: Vec<Child>, at: u64, bytes: &mut Vec<u8>) -> u64 {
    let (mut level, mut children) = (0, leaves);
    loop {
        children = append_level(level, &children, at, bytes);
        if let [root] = &children[..] {
            return root.address;
        }
        level += 1;
    }
}

/// Appends the nodes of a level; one without children if there are none.
fn append_level(level: u8, children: &[Child], at: u64, bytes: &mut Vec<u8>) -> Vec<Child> {
    let first = at + bytes.len() as u64;
    let count = children.len().div_ceil(CHILDREN).max(1);
    let address = |index: usize| first + (index * NODE_BYTES) as u64;
    let mut last = 0;
    let append = |index: usize| {
        let start = bytes.len();
        let own = &children[(index * CHILDREN).min(children.len())..((index + 1) * CHILDREN).min(children.len())];
        let of_group = 0;
        bytes.extend(b"TREE");
        bytes.extend([of_group, level]);
        bytes.extend((own.len() as u16).to_le_bytes());
        let left = if index > 0 { address(index - 1) } else { UNDEFINED };
        let right = if index + 1 < count { address(index + 1) } else { UNDEFINED };
        // The key before a child is the last name of the child before it.
        for field in [left, right, last] {
            bytes.extend(field.to_le_bytes());
        }
        for child in own {
            bytes.extend(child.address.to_le_bytes());
            bytes.extend(child.last.to_le_bytes());
            last = child.last;
        }
        bytes.resize(start + NODE_BYTES, 0);
        Child { address: address(index), last }
    };
    (0..count).map(append).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bytes: &[u8], at: usize) -> u64 {
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
    }

    /// A group with numbered members, at address 96.
    fn group(count: usize) -> EncodedGroup {
        let names: Vec<String> = (0..count).map(|index| format!("{index:06}")).collect();
        encode_group(names.iter().enumerate().map(|(index, name)| (name.as_str(), index as u64)), Vec::new(), 96)
    }

    /// The objects of a group in the order of the tree, and the depth of the tree.
    fn objects(group: &EncodedGroup) -> (Vec<u64>, usize) {
        let (mut nodes, mut depth) = (vec![group.tree], 0);
        loop {
            let mut children = Vec::new();
            let mut level = 0;
            for node in nodes {
                let node = &group.bytes[(node - 96) as usize..][..NODE_BYTES];
                assert_eq!(&node[..5], b"TREE\0");
                level = node[5];
                children.extend((0..usize::from(node[6])).map(|child| word(node, 32 + 16 * child)));
            }
            nodes = children;
            depth += 1;
            if level == 0 {
                break;
            }
        }
        let of_leaf = |leaf: u64| {
            let leaf = &group.bytes[(leaf - 96) as usize..][..LEAF_BYTES];
            assert_eq!(&leaf[..6], b"SNOD\x01\0");
            (0..usize::from(leaf[6])).map(|entry| word(leaf, 16 + 40 * entry)).collect::<Vec<_>>()
        };
        (nodes.into_iter().flat_map(of_leaf).collect(), depth)
    }

    #[test]
    fn trees_of_any_depth_reach_all_members_in_order() {
        for (count, depth) in [(0, 1), (1, 1), (8, 1), (256, 1), (257, 2), (8192, 2), (8193, 3)] {
            assert_eq!(objects(&group(count)), ((0..count as u64).collect(), depth), "{count} members");
        }
    }

    #[test]
    fn an_empty_group_has_the_documented_bytes() {
        let group = group(0);
        assert_eq!((group.heap, group.tree, group.header), (96, 136, 680));
        assert_eq!(&group.bytes[..8], b"HEAP\0\0\0\0");
        assert_eq!([8, 16, 24, 32].map(|at| word(&group.bytes, at)), [8, NO_FREE_LIST, 128, 0]);
        assert_eq!(
            group.bytes[584..],
            [
                [1, 0, 1, 0, 1, 0, 0, 0],
                [24, 0, 0, 0, 0, 0, 0, 0],
                [17, 0, 16, 0, 0, 0, 0, 0],
                136_u64.to_le_bytes(),
                96_u64.to_le_bytes()
            ]
            .concat()
        );
    }
}
