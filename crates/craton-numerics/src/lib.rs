//! Tables and transforms in double precision: quadrature, interpolation, filters, time dispersion.
