//! Cell types and the order of their nodes.

/// VTK cell type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// A point.
    Vertex,
    /// A quadrilateral with 4 nodes.
    Quad,
    /// A quadrilateral with 9 nodes.
    BiquadraticQuad,
    /// A hexahedron with 8 nodes.
    Hexahedron,
    /// A hexahedron with 27 nodes.
    TriquadraticHexahedron,
}

impl CellKind {
    /// VTK's number of the cell type.
    pub fn vtk_type(self) -> u8 {
        match self {
            Self::Vertex => 1,
            Self::Quad => 9,
            Self::BiquadraticQuad => 28,
            Self::Hexahedron => 12,
            Self::TriquadraticHexahedron => 29,
        }
    }

    /// Number of nodes of a cell.
    pub fn node_count(self) -> usize {
        self.lexicographic_of_vtk().len()
    }

    /// For each node in VTK's order, its index in lexicographic order: i + n (j + n k), i along the first axis, n = 2 or 3 nodes per side.
    ///
    /// VTK numbers corners around the bottom, then the top; then mid-edge nodes of bottom, top and vertical edges; then mid-face nodes -1,
    /// +1 along each axis; then the centre. Verified by `validation/readers/check_vtk.py`, with VTK's own shape functions.
    pub fn lexicographic_of_vtk(self) -> &'static [usize] {
        match self {
            Self::Vertex => &[0],
            Self::Quad => &[0, 1, 3, 2],
            Self::BiquadraticQuad => &[0, 2, 8, 6, 1, 5, 7, 3, 4],
            Self::Hexahedron => &[0, 1, 3, 2, 4, 5, 7, 6],
            Self::TriquadraticHexahedron => {
                &[0, 2, 8, 6, 18, 20, 26, 24, 1, 5, 7, 3, 19, 23, 25, 21, 9, 11, 17, 15, 12, 14, 10, 16, 4, 22, 13]
            }
        }
    }
}

/// Order of the nodes of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeOrder {
    /// First axis fastest: see [`CellKind::lexicographic_of_vtk`].
    Lexicographic,
    /// VTK's order.
    Vtk,
}

/// Cells of one type.
#[derive(Clone, Copy, Debug)]
pub struct CellBlock<'a> {
    /// Cell type.
    pub kind: CellKind,
    /// Point indices, cell by cell, shape (cells, nodes per cell).
    pub nodes: &'a [u32],
    /// Order of the nodes within a cell.
    pub order: NodeOrder,
}

impl CellBlock<'_> {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.nodes.len() / self.kind.node_count()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Point indices of all cells, in VTK's order.
    pub(super) fn vtk_nodes(&self) -> impl Iterator<Item = u32> {
        let permutation = self.kind.lexicographic_of_vtk();
        let place = move |vtk: usize| match self.order {
            NodeOrder::Lexicographic => permutation[vtk],
            NodeOrder::Vtk => vtk,
        };
        let cells = self.nodes.chunks_exact(permutation.len());
        cells.flat_map(move |cell| (0..cell.len()).map(move |vtk| cell[place(vtk)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_orders_are_permutations() {
        use CellKind::*;
        for kind in [Vertex, Quad, BiquadraticQuad, Hexahedron, TriquadraticHexahedron] {
            let mut order = kind.lexicographic_of_vtk().to_vec();
            order.sort_unstable();
            assert!(order.into_iter().eq(0..kind.node_count()), "{kind:?}");
        }
    }

    #[test]
    fn a_lexicographic_hexahedron_is_reordered_around_its_faces() {
        let nodes = [10, 11, 12, 13, 14, 15, 16, 17];
        let mut block = CellBlock { kind: CellKind::Hexahedron, nodes: &nodes, order: NodeOrder::Lexicographic };
        assert!(block.vtk_nodes().eq([10, 11, 13, 12, 14, 15, 17, 16]));
        block.order = NodeOrder::Vtk;
        assert!(block.vtk_nodes().eq(nodes));
    }
}
