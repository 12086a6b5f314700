//! The diagnosis of everything that a tunnel needs, check by check: each with a verdict, and a fix for a bad one.

mod clock;
mod local_services;
mod report;
mod server;

pub use postern_api::local::{DiagnosisCheck, DiagnosisReport, DiagnosisVerdict};
pub use report::report_text;

use crate::config::{Config, Sources};
use report::CheckTimer;

/// The subject of a diagnosis.
#[derive(Debug)]
pub struct Diagnosis {
    /// The sources of the configuration.
    pub sources: Sources,
    /// Requires IPv6 as well.
    pub ipv6: bool,
}

impl Diagnosis {
    /// Runs all checks. Takes some seconds if something does not respond.
    pub async fn run(&self) -> DiagnosisReport {
        let mut report = report::empty();
        let timer = CheckTimer::start();
        let files = self.sources.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
        let config = match self.sources.load() {
            Ok(config) => {
                let finding = format!("valid; tunnels: {}", config.tunnels.len());
                report::add(&mut report, timer.ok("configuration", &files, finding));
                config
            }
            Err(problems) => {
                let finding = problems.to_string().trim().replace('\n', "; ");
                let fix = "Correct the file: `postern config edit` opens it and checks it afterwards.";
                report::add(&mut report, timer.fail("configuration", &files, finding, fix));
                return report;
            }
        };
        report::add(&mut report, token(&config));
        for address in &config.settings.servers {
            server::check(&mut report, &config.settings, address, self.ipv6).await;
        }
        local_services::check(&mut report, &config).await;
        report
    }
}

fn token(config: &Config) -> DiagnosisCheck {
    let timer = CheckTimer::start();
    match &config.settings.authtoken {
        Some(_) => timer.ok("authtoken", "", "set".into()),
        None => timer.fail(
            "authtoken",
            "",
            "not set".into(),
            "Run `postern config add-authtoken -`, or set POSTERN_AUTHTOKEN.",
        ),
    }
}
