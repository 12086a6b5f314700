//! Deadlines and caps: whoever dawdles, floods or hoards loses their own connection, and nobody else notices.

mod crowds;
mod floods;
mod slowness;
