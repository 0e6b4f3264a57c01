//! Hexahedral meshes: geometry, numbering, quality, order and patches.
