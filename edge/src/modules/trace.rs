//! What every stage decided about one request or connection, and how long it took.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// What a module or restriction said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    Refused,
    /// It would have refused if it were enforced.
    Warned,
}

/// What one module said.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    pub(crate) module: &'static str,
    pub(crate) rule: Option<String>,
    pub(crate) verdict: Verdict,
    pub(crate) took: Duration,
}

/// What all modules said about one request or connection, in order. Empty ones cost nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    edge: Option<Arc<str>>,
    route: Option<Arc<str>>,
    id: Option<Box<str>>,
    decisions: Vec<Decision>,
}

impl Trace {
    /// Names the edge that was reached.
    pub(crate) fn at_edge(&mut self, id: &Arc<str>) {
        self.edge = Some(id.clone());
    }

    /// Names the route of the edge whose stages these are.
    pub(crate) fn on_route(&mut self, id: &Arc<str>) {
        self.route = Some(id.clone());
    }

    /// Names the request in the log and on pages; made when somebody asks for it.
    pub(crate) fn id(&mut self) -> &str {
        self.id.get_or_insert_with(|| crate::http::request_id().into())
    }

    pub(crate) fn record(&mut self, module: &'static str, rule: Option<String>, passed: bool, began: Instant) {
        let verdict = if passed { Verdict::Passed } else { Verdict::Refused };
        self.note(module, rule, verdict, began);
    }

    pub(crate) fn note(&mut self, module: &'static str, rule: Option<String>, verdict: Verdict, began: Instant) {
        self.decisions.push(Decision { module, rule, verdict, took: began.elapsed() });
    }
}

impl Verdict {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Refused => "refused",
            Verdict::Warned => "warned",
        }
    }
}

impl std::fmt::Display for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(id) = self.route.as_ref().or(self.edge.as_ref()) {
            write!(f, "{id}: ")?;
        }
        for (index, decision) in self.decisions.iter().enumerate() {
            let gap = if index == 0 { "" } else { ", " };
            write!(f, "{gap}{} {}", decision.module, decision.verdict.as_str())?;
            if let Some(rule) = &decision.rule {
                write!(f, " by {rule}")?;
            }
            write!(f, " in {} us", decision.took.as_micros())?;
        }
        Ok(())
    }
}
