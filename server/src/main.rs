//! The program `postern-server`.
fn main() {}
