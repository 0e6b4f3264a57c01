//! Earth models, surfaces and geodesy.
