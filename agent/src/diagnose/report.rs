//! What was found out.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    time::{Duration, Instant},
};

/// Everything that was looked at, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The agent's version.
    pub agent_version: String,
    /// When it began.
    pub at: Timestamp,
    /// The worst verdict of all.
    pub verdict: Verdict,
    /// What was looked at.
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// What kind of thing: `dns`, `tcp`, `tls`, `protocol`, `latency`, `clock`, `service` and so on.
    pub name: String,
    /// Which one; empty if there is only one.
    pub subject: String,
    /// The verdict.
    pub verdict: Verdict,
    /// How long looking took, or what was measured.
    pub milliseconds: f64,
    /// What was found.
    pub finding: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// How good it is; later ones are worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// As it should be.
    Ok,
    /// It works, but not well.
    Warn,
    /// It does not work.
    Fail,
}

impl Report {
    pub(super) fn new() -> Self {
        Report {
            agent_version: env!("CARGO_PKG_VERSION").into(),
            at: Timestamp::now(),
            verdict: Verdict::Ok,
            checks: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, check: Check) {
        self.verdict = self.verdict.max(check.verdict);
        self.checks.push(check);
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Ok => "OK",
            Verdict::Warn => "WARN",
            Verdict::Fail => "FAIL",
        })
    }
}

/// A line for each check, its fix below it, and the end in one line.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width =
            |text: fn(&Check) -> &str| self.checks.iter().map(|check| text(check).chars().count()).max().unwrap_or(0);
        let (name, subject) = (width(|check| &check.name), width(|check| &check.subject).min(40));
        for check in &self.checks {
            let Check { milliseconds, finding, .. } = check;
            writeln!(
                f,
                "{:<4}  {:<name$}  {:<subject$}  {milliseconds:>8.1} ms  {finding}",
                check.verdict, check.name, check.subject
            )?;
            if let Some(fix) = &check.fix {
                writeln!(f, "      -> {fix}")?;
            }
        }
        let count = |verdict| self.checks.iter().filter(|check| check.verdict == verdict).count();
        let (warnings, failures) = (count(Verdict::Warn), count(Verdict::Fail));
        match (failures, warnings) {
            (0, 0) => write!(f, "Everything is as it should be."),
            (0, warnings) => write!(f, "Everything works; warnings: {warnings}."),
            (failures, 0) => write!(f, "Something does not work; failures: {failures}."),
            (failures, warnings) => {
                write!(f, "Something does not work; failures: {failures}, warnings: {warnings}.")
            }
        }
    }
}

/// Measures one check.
pub(super) struct Watch(Instant);

impl Watch {
    pub(super) fn start() -> Self {
        Watch(Instant::now())
    }

    pub(super) fn ok(&self, name: &str, subject: &str, finding: String) -> Check {
        self.check(Verdict::Ok, name, subject, finding, None)
    }

    pub(super) fn warn(&self, name: &str, subject: &str, finding: String, fix: &str) -> Check {
        self.check(Verdict::Warn, name, subject, finding, Some(fix))
    }

    pub(super) fn fail(&self, name: &str, subject: &str, finding: String, fix: &str) -> Check {
        self.check(Verdict::Fail, name, subject, finding, Some(fix))
    }

    fn check(&self, verdict: Verdict, name: &str, subject: &str, finding: String, fix: Option<&str>) -> Check {
        Check {
            name: name.into(),
            subject: subject.into(),
            verdict,
            milliseconds: milliseconds(self.0.elapsed()),
            finding,
            fix: fix.map(Into::into),
        }
    }
}

/// To a tenth.
pub(super) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_in_columns_with_the_fix_below() {
        let check = |verdict, name: &str, fix: Option<&str>| Check {
            name: name.into(),
            subject: "localhost:4443".into(),
            verdict,
            milliseconds: 1.25,
            finding: "found".into(),
            fix: fix.map(Into::into),
        };
        let mut report = Report::new();
        report.add(check(Verdict::Ok, "dns", None));
        report.add(check(Verdict::Fail, "protocol", Some("Do this.")));
        report.add(check(Verdict::Warn, "clock", None));
        assert_eq!(report.verdict, Verdict::Fail);
        assert_eq!(
            report.to_string(),
            "OK    dns       localhost:4443       1.2 ms  found\n\
             FAIL  protocol  localhost:4443       1.2 ms  found\n      -> Do this.\n\
             WARN  clock     localhost:4443       1.2 ms  found\n\
             Something does not work; failures: 1, warnings: 1."
        );
        let json = serde_json::to_value(&report).expect("plain data");
        assert_eq!((&json["verdict"], &json["checks"][0]["verdict"]), (&"FAIL".into(), &"OK".into()));
        assert_eq!(serde_json::from_value::<Report>(json).expect("read back"), report);
    }
}
