//! netCDF in the classic formats CDF-1, CDF-2 (64-bit offset) and CDF-5 (64-bit data), and as netCDF-4 (HDF5) for reading: models and results on grids.
//!
//! In the classic formats, a header lists dimensions, attributes and variables, and the offset of each variable's values. All numbers are big-endian, with the last
//! dimension fastest. Variables with the unlimited dimension are stored record by record after the others.
//!
//! * [`NetcdfReader`] opens a file and reads variables one by one; [`read_volume`] reads one with its coordinates, [`open_volume`] windows of it,
//!   [`read_cells`] one with cells of any size, [`read_grid`] a surface.
//! * [`write()`] writes a file, variable by variable.
//!
//! Both use physical values: `scale_factor`, `add_offset`, `_FillValue` and `missing_value` are applied, and missing values are NaN. A
//! variable without `_FillValue` uses the default of the format, except for bytes. `valid_range` and similar attributes are ignored. Values
//! of type char are text, read as text and written byte by byte.
//!
//! netCDF-4 files are HDF5 (`hdf5.rs`): chunked, compressed and big-endian variables are read, files with groups are refused.
//!
//! Source: The NetCDF Classic Format Specification; for packed and missing values, Attribute Conventions; both are appendices of the NetCDF
//! Users' Guide, Unidata.

mod cells;
mod grid;
mod hdf5;
mod header;
mod layout;
mod packing;
mod plan;
mod reader;
mod types;
mod volume;
mod writer;

pub use cells::{CellAxis, Cells, read_cells};
pub use grid::{read_grid, read_grid_with_gaps, read_variable};
pub(crate) use header::is_netcdf;
pub use reader::NetcdfReader;
pub use types::{Attribute, AttributeValue, DataType, Dataset, Dimension, Variable};
pub use volume::{NetcdfVolumeReader, open_volume, read_volume};
pub use writer::{Slab, write};
