//! What every stage decided about one request or connection, and how long it took.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

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
pub(crate) struct Trace {
    /// The edge or route.
    on: Option<Arc<str>>,
    id: Option<Box<str>>,
    decisions: Vec<Decision>,
}

impl Trace {
    /// Names the edge or route whose stages these are.
    pub(crate) fn on(&mut self, id: &Arc<str>) {
        self.on = Some(id.clone());
    }

    /// Names the request in the log and on pages; made when somebody asks for it.
    pub(crate) fn id(&mut self) -> &str {
        self.id.get_or_insert_with(|| crate::http::request_id().into())
    }

    pub(crate) fn record(&mut self, module: &'static str, rule: Option<String>, passed: bool, began: Instant) {
        self.decisions.push(Decision { module, rule, passed, took: began.elapsed() });
    }
}

impl std::fmt::Display for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(id) = &self.on {
            write!(f, "{id}: ")?;
        }
        for (index, decision) in self.decisions.iter().enumerate() {
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
