//! Errors of meshes.

use thiserror::Error;

/// Errors of meshes.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A range of the box is empty, reversed or not finite.
    #[error("the box is empty along {axis}: {low} to {high} m; give a finite range in ascending order")]
    EmptyRange {
        /// x, y or z
        axis: char,
        /// Lower end [m]
        low: f64,
        /// Upper end [m]
        high: f64,
    },
    /// The box has no stratum.
    #[error("the box has no stratum; give at least one, whose top is the surface of the domain")]
    NoStratum,
    /// An interface has an elevation that is not finite.
    #[error(
        "interface {interface} (0 = top of the domain) has elevation {value} at x = {x}, y = {y}; it must be \
         finite everywhere in the box"
    )]
    InterfaceNotFinite {
        /// Number of the interface from the top
        interface: usize,
        /// Place [m]
        x: f64,
        /// Place [m]
        y: f64,
        /// Elevation that the surface returned
        value: f64,
    },
    /// Two interfaces touch or cross.
    #[error(
        "interfaces {upper} and {lower} (0 = top of the domain, last = its bottom) leave a stratum {thickness:.3} m \
         thick at x = {x}, y = {y}; at least {least:.3} m is needed (1 % of its mean): strata must not pinch out or \
         cross, so clip the interface or merge the strata"
    )]
    StrataCross {
        /// Number of the interface above
        upper: usize,
        /// Number of the interface below
        lower: usize,
        /// Place [m]
        x: f64,
        /// Place [m]
        y: f64,
        /// Thickness there [m]
        thickness: f64,
        /// Minimum thickness [m]
        least: f64,
    },
    /// The size field gave an element size or a wave speed that is not positive and finite.
    #[error(
        "the {what} of stratum {stratum} between z = {z_low} and {z_high} m is {value}; it must be positive and finite"
    )]
    SizeField {
        /// Name of the quantity
        what: &'static str,
        /// Number of the stratum from the top
        stratum: usize,
        /// Requested span [m]
        z_low: f64,
        /// Requested span [m]
        z_high: f64,
        /// The value
        value: f64,
    },
    /// A prescribed horizontal size or count is not positive.
    #[error("horizontal element size or count {value} along {axis} is not allowed; it must be positive")]
    Horizontal {
        /// x or y
        axis: char,
        /// Offending size [m] or count
        value: f64,
    },
    /// No subdivision satisfies the size field.
    #[error(
        "no subdivision of the box satisfies the requested element sizes (smallest {smallest} m); \
         the size field must not shrink without bound inside a stratum"
    )]
    NoPlan {
        /// Smallest size required over a whole stratum [m]
        smallest: f64,
    },
    /// Doublings at elevations where they are not possible.
    #[error(
        "elements cannot double below z = {tops:?} m: {step} must divide the elements along x and y at the top, and at each of these heights the layers that \
         follow must be at least half as thick as the wide elements are wide, one for each axis"
    )]
    Doublings {
        /// Requested mean elevations [m]
        tops: Vec<f64>,
        /// Required divisor of the elements at the top
        step: usize,
    },
    /// Elevations of doublings that do not descend or are outside the box.
    #[error(
        "doublings below z = {tops:?} m are not valid: give at most {most} elevations in descending order, above the bottom at {bottom} m"
    )]
    DoublingOrder {
        /// Requested mean elevations [m]
        tops: Vec<f64>,
        /// Bottom of the box [m]
        bottom: f64,
        /// Maximum number of doublings.
        most: u32,
    },
    /// A periodic direction with too few elements for unique vertices.
    #[error(
        "the periodic {axis} direction has {count} elements; at least 3 are needed: use smaller elements or a wider box"
    )]
    PeriodicTooFew {
        /// x or y
        axis: char,
        /// Elements across the box
        count: usize,
    },
    /// Opposite periodic sides do not match.
    #[error(
        "the periodic sides do not match at x = {x}, y = {y}, z = {z}: the opposite point is off by {offset:.6} m; \
         surfaces and deformation must be periodic too"
    )]
    PeriodicMismatch {
        /// Place [m]
        x: f64,
        /// Place [m]
        y: f64,
        /// Place [m]
        z: f64,
        /// Distance from the expected position of the image [m]
        offset: f64,
    },
    /// A slice that a box does not have.
    #[error(
        "slice {at:?} of {of:?} along x and y: the box can be divided into at most {tiles:?} slices; sides that are periodic are not divided"
    )]
    Slices {
        /// Slices along x and y
        of: [usize; 2],
        /// Indices of the slice
        at: [usize; 2],
        /// Tiles along x and y
        tiles: [usize; 2],
    },
    /// A count does not fit the 32-bit numbers of the mesh.
    #[error("the mesh would have {count} {what}, more than the {limit} that can be numbered; use larger elements")]
    TooLarge {
        /// What is counted
        what: &'static str,
        /// Their number
        count: u64,
        /// The largest possible number
        limit: u64,
    },
    /// The arrays of a mesh are inconsistent.
    #[error("the mesh is malformed: {what} is {value}, expected {expected}")]
    Malformed {
        /// Which array or entry
        what: &'static str,
        /// Its length or value
        value: u64,
        /// The expected value or upper bound
        expected: u64,
    },
    /// An element uses the same vertex twice.
    #[error(
        "element {element} near {} uses one vertex twice; a hexahedron needs eight distinct ones \
         (a periodic direction needs at least 3 elements)", place(.centre)
    )]
    RepeatedVertex {
        /// Offending element
        element: u32,
        /// Its centre [m]
        centre: [f64; 3],
    },
    /// More than two elements share a face.
    #[error(
        "face {face} of element {element} near {} is shared by more than two elements; \
         elements must not overlap (a periodic direction needs at least 3)", place(.centre)
    )]
    FaceShared {
        /// One of the elements
        element: u32,
        /// Its face, 0 to 5
        face: u8,
        /// Centre of the element [m]
        centre: [f64; 3],
    },
    /// A face listed as boundary has an element on both sides.
    #[error(
        "face {face} of element {element} near {} is listed as boundary but has an element on \
         each side", place(.centre)
    )]
    BoundaryShared {
        /// Offending element
        element: u32,
        /// Its face, 0 to 5
        face: u8,
        /// Centre of the element [m]
        centre: [f64; 3],
    },
    /// Elements at the same place that share no nodes.
    #[error(
        "{count} faces of elements coincide with faces of other elements without sharing their nodes, such as one near {}; merge them before meshing (Coherence in Gmsh, imprint and \
         merge in Cubit), because waves do not cross such faces", place(.centre)
    )]
    Disconnected {
        /// Centre of a face [m]
        centre: [f64; 3],
        /// Number of such faces
        count: usize,
    },
    /// A polynomial degree out of range.
    #[error("polynomial degree {degree} is out of range; choose 1 to {}", crate::numbering::LARGEST_DEGREE)]
    Degree {
        /// Offending degree
        degree: usize,
    },
    /// An element is inverted or nearly flat.
    #[error(
        "element {element} near {} is inverted or degenerate: its smallest scaled Jacobian is \
         {scaled_jacobian:.4}, at least {least} is needed ({count} such elements in all); smooth the interfaces or \
         use smaller elements", place(.centre)
    )]
    Degenerate {
        /// Worst element
        element: u32,
        /// Its centre [m]
        centre: [f64; 3],
        /// Its smallest scaled Jacobian, 1 for a box, <= 0 when inverted
        scaled_jacobian: f64,
        /// Limit
        least: f64,
        /// Elements below the limit
        count: usize,
    },
    /// A patch cannot hold a whole number of SIMD batches.
    #[error(
        "patches of at most {max_per_patch} elements cannot be multiples of {multiple}; use at least {multiple}, \
         and a multiple of at least 1"
    )]
    PatchSize {
        /// Requested elements per patch
        max_per_patch: usize,
        /// Requested multiple
        multiple: usize,
    },
    /// More parts than items, or no parts.
    #[error(
        "{n_items} patches of elements cannot be divided into {n_parts} parts; choose 1 to {n_items} ranks or devices"
    )]
    TooManyParts {
        /// Requested parts
        n_parts: usize,
        /// Number of items, which are not cut
        n_items: usize,
    },
    /// METIS found no partition.
    #[error("METIS cannot partition the mesh into {n_parts} parts: {why}; choose the regular partition")]
    Metis {
        /// Requested parts
        n_parts: usize,
        /// Reason
        why: String,
    },
    /// An order that is not a permutation of the elements.
    #[error(
        "the order lists element {element} twice or out of range; it must be a permutation of all {count} elements"
    )]
    NotAPermutation {
        /// Offending entry
        element: u32,
        /// Elements of the mesh
        count: usize,
    },
    /// An absorbing layer around a concave side has inverted elements.
    #[error(
        "the absorbing layer outside a concave side of the mesh folds near {}; make that side plane, or choose the paraxial condition for it",
        place(.centre)
    )]
    FoldedLayer {
        /// Centre of an inverted element [m]
        centre: [f64; 3],
    },
}

fn place([x, y, z]: &[f64; 3]) -> String {
    format!("x = {x:.1}, y = {y:.1}, z = {z:.1} m")
}
