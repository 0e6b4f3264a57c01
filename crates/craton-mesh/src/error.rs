//! Everything that can be wrong with a mesh, told with the value, the place and what to do.

use thiserror::Error;

/// A mesh that cannot be made or must not be used.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A range of the box is empty, reversed or not finite.
    #[error("the box is empty along {axis}: {low} to {high} m; give a finite range whose first value is the smaller")]
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
    /// An interface has no finite elevation somewhere.
    #[error(
        "interface {interface} (0 = top of the domain) has elevation {value} at x = {x}, y = {y}; it must be \
         finite all over the box"
    )]
    InterfaceNotFinite {
        /// Number of the interface from the top
        interface: usize,
        /// Place [m]
        x: f64,
        /// Place [m]
        y: f64,
        /// What the surface returned
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
        /// Least thickness allowed [m]
        least: f64,
    },
    /// The size field gave an element size or a wave speed that is not positive and finite.
    #[error(
        "the {what} of stratum {stratum} between z = {z_low} and {z_high} m is {value}; it must be positive and finite"
    )]
    SizeField {
        /// Which of its two functions
        what: &'static str,
        /// Number of the stratum from the top
        stratum: usize,
        /// Span asked for [m]
        z_low: f64,
        /// Span asked for [m]
        z_high: f64,
        /// What it returned
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
        "no subdivision of the box satisfies the element sizes asked for (smallest {smallest} m); \
         the size field must not shrink without bound inside a stratum"
    )]
    NoPlan {
        /// Smallest size asked for over a whole stratum [m]
        smallest: f64,
    },
    /// Doublings at places where there can be none.
    #[error(
        "elements cannot double below z = {tops:?} m: {step} must divide the elements along x and y at the top, and at each of these heights the layers that \
         follow must be at least half as thick as the wide elements are wide, one for each axis"
    )]
    Doublings {
        /// Mean elevations asked for [m]
        tops: Vec<f64>,
        /// What divides the elements at the top
        step: usize,
    },
    /// Doublings that do not follow each other downwards in the box.
    #[error(
        "doublings below z = {tops:?} m make no sense: give at most {most} elevations, the highest first, above the bottom at {bottom} m"
    )]
    DoublingOrder {
        /// Mean elevations asked for [m]
        tops: Vec<f64>,
        /// Bottom of the box [m]
        bottom: f64,
        /// Most doublings
        most: u32,
    },
    /// A periodic direction is too short to be numbered.
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
        /// Distance from where the image should stand [m]
        offset: f64,
    },
    /// Slices of a box that cannot be built alone.
    #[error(
        "slice {at:?} of {of:?} along x and y cannot be built alone: the {columns:?} columns at the top, and those at and below each doubling, must be \
         multiples of the slices, a doubling's of four times as many, and no side that is cut may be periodic"
    )]
    Slices {
        /// Slices along x and y
        of: [usize; 2],
        /// Which one
        at: [usize; 2],
        /// Elements along x and y at the top of the box
        columns: [usize; 2],
    },
    /// A count does not fit the 32-bit numbers of the mesh.
    #[error("the mesh would have {count} {what}, more than the {limit} that can be numbered; use larger elements")]
    TooLarge {
        /// What is counted
        what: &'static str,
        /// How many
        count: u64,
        /// How many are possible
        limit: u64,
    },
    /// The arrays of a mesh contradict each other.
    #[error("the mesh is malformed: {what} is {value}, expected {expected}")]
    Malformed {
        /// Which array or entry
        what: &'static str,
        /// Its length or value
        value: u64,
        /// What it should be, or the bound it should stay under
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
    /// A face said to lie on the boundary has an element on both sides.
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
    /// The polynomial degree cannot be numbered.
    #[error("degree {degree} is not allowed; choose 1 to {}", crate::numbering::LARGEST_DEGREE)]
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
        /// Elements per patch asked for
        max_per_patch: usize,
        /// Multiple asked for
        multiple: usize,
    },
    /// A mesh cannot be cut into so many parts.
    #[error("{n_items} patches of elements cannot be cut into {n_parts} parts; choose 1 to {n_items} ranks or devices")]
    TooManyParts {
        /// Parts asked for
        n_parts: usize,
        /// Items that are not cut themselves
        n_items: usize,
    },
    /// METIS found no partition.
    #[error("METIS cannot cut the mesh into {n_parts} parts: {why}; choose the regular partition")]
    Metis {
        /// Parts asked for
        n_parts: usize,
        /// What it says
        why: String,
    },
    /// An order does not list every element once.
    #[error(
        "the order lists element {element} twice or out of range; it must be a permutation of all {count} elements"
    )]
    NotAPermutation {
        /// Offending entry
        element: u32,
        /// Elements of the mesh
        count: usize,
    },
}

fn place([x, y, z]: &[f64; 3]) -> String {
    format!("x = {x:.1}, y = {y:.1}, z = {z:.1} m")
}
