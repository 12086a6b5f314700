//! The modules: what is special about each.

mod backend;
mod ip_restriction;
