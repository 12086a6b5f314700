//! Links between nodes: visitors of one node and agents of another.

mod identity;
mod loss;
mod names;
mod streams;
mod versions;
