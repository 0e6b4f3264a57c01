//! netCDF, the classic formats CDF-1, CDF-2 (64-bit offset) and CDF-5 (64-bit data): models and results on grids.
//!
//! A header names dimensions, attributes and variables, and says where the values of each variable begin; all big-endian,
//! the last dimension fastest. Variables along the unlimited dimension stand record by record behind the others.
//!
//! * [`NetcdfReader`] opens a file and reads variables one by one; [`read_volume`] reads one with its coordinates, [`read_cells`] one
//!   with cells of any sizes, [`read_grid`] a surface.
//! * [`write()`] writes a file, variable by variable.
//!
//! Both speak of physical values: `scale_factor`, `add_offset`, `_FillValue` and `missing_value` are applied, and what
//! is missing is NaN. A variable without `_FillValue`, whose values are not bytes, has the default one of the format.
//! `valid_range` and the like are not applied. Values of type char are text, read as such and written byte by byte.
//!
//! Files that are HDF5 inside (netCDF-4) are refused; `nccopy -k classic in.nc out.nc` converts them.
//!
//! Source: The NetCDF Classic Format Specification, and for packed and missing values Attribute Conventions; appendices
//! of the NetCDF Users' Guide, Unidata.

mod cells;
mod grid;
mod header;
mod layout;
mod packing;
mod plan;
mod reader;
mod types;
mod volume;
mod writer;

pub use cells::{CellAxis, Cells, read_cells};
pub use grid::read_grid;
pub(crate) use header::is_netcdf;
pub use reader::NetcdfReader;
pub use types::{Attribute, AttributeValue, DataType, Dataset, Dimension, Variable};
pub use volume::read_volume;
pub use writer::{Slab, write};
