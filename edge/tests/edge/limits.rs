//! Deadlines and limits: slow, flooding or hoarding visitors lose their own connection without affecting others.

mod crowds;
mod floods;
mod slowness;
