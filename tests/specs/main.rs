//! Specifications.
