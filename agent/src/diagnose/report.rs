//! The report of a diagnosis: building it, and its form for the terminal.

use postern_api::local::{DiagnosisCheck, DiagnosisReport, DiagnosisVerdict};
use std::{fmt::Write, time::Duration};
use tokio::time::Instant;

/// A report without checks.
pub(super) fn empty() -> DiagnosisReport {
    DiagnosisReport {
        agent_version: env!("CARGO_PKG_VERSION").into(),
        at: postern_api::clock::now(),
        verdict: DiagnosisVerdict::Ok,
        checks: Vec::new(),
    }
}

/// Adds a check, which may worsen the verdict.
pub(super) fn add(report: &mut DiagnosisReport, check: DiagnosisCheck) {
    report.verdict = report.verdict.max(check.verdict);
    report.checks.push(check);
}

/// A line for each check with its fix below it, and a summary line.
pub fn report_text(report: &DiagnosisReport) -> String {
    let width = |text: fn(&DiagnosisCheck) -> &str| {
        report.checks.iter().map(|check| text(check).chars().count()).max().unwrap_or(0)
    };
    let (name, subject) = (width(|check| &check.name), width(|check| &check.subject).min(40));
    let mut text = String::new();
    for check in &report.checks {
        let DiagnosisCheck { milliseconds, finding, .. } = check;
        let _ = writeln!(
            text,
            "{:<4}  {:<name$}  {:<subject$}  {milliseconds:>8.1} ms  {finding}",
            check.verdict, check.name, check.subject
        );
        if let Some(fix) = &check.fix {
            let _ = writeln!(text, "      -> {fix}");
        }
    }
    let count = |verdict| report.checks.iter().filter(|check| check.verdict == verdict).count();
    let (warnings, failures) = (count(DiagnosisVerdict::Warn), count(DiagnosisVerdict::Fail));
    text.push_str(&match (failures, warnings) {
        (0, 0) => "Everything works.".to_owned(),
        (0, warnings) => format!("Everything works; warnings: {warnings}."),
        (failures, 0) => format!("Something does not work; failures: {failures}."),
        (failures, warnings) => format!("Something does not work; failures: {failures}, warnings: {warnings}."),
    });
    text
}

/// Measures the duration of a check.
pub(super) struct CheckTimer(Instant);

impl CheckTimer {
    pub(super) fn start() -> Self {
        CheckTimer(Instant::now())
    }

    pub(super) fn ok(&self, name: &str, subject: &str, finding: String) -> DiagnosisCheck {
        self.check(DiagnosisVerdict::Ok, name, subject, finding, None)
    }

    pub(super) fn warn(&self, name: &str, subject: &str, finding: String, fix: &str) -> DiagnosisCheck {
        self.check(DiagnosisVerdict::Warn, name, subject, finding, Some(fix))
    }

    pub(super) fn fail(&self, name: &str, subject: &str, finding: String, fix: &str) -> DiagnosisCheck {
        self.check(DiagnosisVerdict::Fail, name, subject, finding, Some(fix))
    }

    fn check(
        &self,
        verdict: DiagnosisVerdict,
        name: &str,
        subject: &str,
        finding: String,
        fix: Option<&str>,
    ) -> DiagnosisCheck {
        DiagnosisCheck {
            name: name.into(),
            subject: subject.into(),
            verdict,
            milliseconds: milliseconds(self.0.elapsed()),
            finding,
            fix: fix.map(Into::into),
        }
    }
}

/// Milliseconds, rounded to a tenth.
pub(super) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_columns_with_the_fix_below() {
        let check = |verdict, name: &str, fix: Option<&str>| DiagnosisCheck {
            name: name.into(),
            subject: "localhost:4443".into(),
            verdict,
            milliseconds: 1.25,
            finding: "found".into(),
            fix: fix.map(Into::into),
        };
        let mut report = empty();
        add(&mut report, check(DiagnosisVerdict::Ok, "dns", None));
        add(&mut report, check(DiagnosisVerdict::Fail, "protocol", Some("Do this.")));
        add(&mut report, check(DiagnosisVerdict::Warn, "clock", None));
        assert_eq!(report.verdict, DiagnosisVerdict::Fail);
        assert_eq!(
            report_text(&report),
            "OK    dns       localhost:4443       1.2 ms  found\n\
             FAIL  protocol  localhost:4443       1.2 ms  found\n      -> Do this.\n\
             WARN  clock     localhost:4443       1.2 ms  found\n\
             Something does not work; failures: 1, warnings: 1."
        );
        let json = serde_json::to_value(&report).expect("plain data");
        assert_eq!((&json["verdict"], &json["checks"][0]["verdict"]), (&"FAIL".into(), &"OK".into()));
        assert_eq!(serde_json::from_value::<DiagnosisReport>(json).expect("read back"), report);
    }
}
