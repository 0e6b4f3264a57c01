//! Plots of plain data: seismograms, record sections, comparisons, spectra, models, wavefields and meshes; gathers and models of surveys; maps and profiles of
//! fields such as gravity.
//!
//! Each function takes data, options and a path, and writes one PNG file atomically. Positions are in metres (x east, y north, z up), times in seconds; axes
//! use kilometres or milliseconds where appropriate. Fonts and colour maps are embedded, so nothing needs to be installed.
#![forbid(unsafe_code)]

mod axis;
mod azimuthal;
mod beachball;
mod canvas;
mod chunk_field;
mod chunk_map;
mod colour;
mod colour_bar;
mod colour_scale;
mod error;
mod field_colours;
mod field_layout;
mod field_maps;
mod field_maps_picture;
mod field_profile;
mod field_profile_picture;
mod field_samples;
mod gain;
mod gather;
mod gather_picture;
mod gather_pixels;
mod gather_places;
mod graticule;
mod key;
mod layout;
mod map;
mod mesh_picture;
mod model_layout;
mod model_picture;
mod model_section;
mod overlay;
mod panel_grid;
mod pen;
mod raster;
mod record_section;
mod seismograms;
mod source_signs;
mod spectra;
mod survey_model;
mod survey_picture;
mod symbol_text;
mod symbols;
mod table;
mod text;
mod ticks;
mod trace;
mod wiggle;
mod write;

pub use beachball::radiation;
pub use chunk_field::{ChunkField, chunk_field};
pub use chunk_map::{ChunkMapOptions, ChunkView, chunk_map};
pub use colour::ColourMap;
pub use error::{Error, Result};
pub use field_colours::FieldColours;
pub use field_maps::{FieldMapOptions, FieldPanel, field_maps};
pub use field_profile::{FieldProfileOptions, ProfileAxis, ProfileCurve, ProfilePanel, field_profile};
pub use field_samples::FieldSamples;
pub use gain::Gain;
pub use gather::{Gather, GatherOptions, GatherStyle, gather};
pub use gather_places::TraceAxis;
pub use layout::Paper;
pub use map::{Frames, MapOptions, frames, map};
pub use mesh_picture::{MeshColours, MeshFace, MeshOptions, mesh_picture};
pub use model_section::{Height, ModelOptions, ModelView, Property, SourceMark, StationMark, model_section};
pub use overlay::{OverlayOptions, TracePair, overlay};
pub use raster::Raster;
pub use record_section::{Curve, RecordSectionOptions, Spread, record_section};
pub use seismograms::{SeismogramOptions, seismograms};
pub use spectra::{SpectraOptions, spectra};
pub use survey_model::{AbsorbingFrame, Rectangle, SurveyModel, SurveyOptions, SurveyPlane, SurveyView, survey_model};
pub use trace::{Scaling, Trace};
