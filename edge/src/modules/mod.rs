//! Modules at work: their order, and the trace of what each of them decided.

pub(crate) mod ip_restriction;

use crate::refusal::Refusal;
use postern_api::ip_rules::IpRules;
use std::{
    net::IpAddr,
    time::{Duration, Instant},
};

/// The modules of one route or edge. Built from what is published, so one connection or request sees one
/// configuration from start to end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Column<'a> {
    pub(crate) ip_restriction: Option<&'a IpRules>,
}

impl Column<'_> {
    /// The order of all stages, from the visitor to the backend.
    pub(crate) fn judge(&self, visitor: IpAddr, trace: &mut Trace) -> Result<(), Refusal> {
        ip_restriction::stage(self.ip_restriction, visitor, trace)?; // before any work is spent on the visitor
        Ok(())
    }
}

/// What one module said.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    pub(crate) module: &'static str,
    pub(crate) rule: Option<String>,
    pub(crate) passed: bool,
    pub(crate) took: Duration,
}

/// What all modules said about one request or connection, in order. Empty ones cost nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace(Vec<Decision>);

impl Trace {
    pub(crate) fn record(&mut self, module: &'static str, rule: Option<String>, passed: bool, began: Instant) {
        self.0.push(Decision { module, rule, passed, took: began.elapsed() });
    }
}

impl std::fmt::Display for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, decision) in self.0.iter().enumerate() {
            let gap = if index == 0 { "" } else { ", " };
            let verdict = if decision.passed { "passed" } else { "refused" };
            write!(f, "{gap}{} {verdict}", decision.module)?;
            if let Some(rule) = &decision.rule {
                write!(f, " by {rule}")?;
            }
            write!(f, " in {} us", decision.took.as_micros())?;
        }
        Ok(())
    }
}
