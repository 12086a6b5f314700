//! Looking at everything a tunnel needs, one after the other: each finding with a verdict, and a fix where it is bad.

mod clock;
mod local;
mod report;
mod server;

pub use report::{Check, Report, Verdict};

use crate::config::{Config, Sources};
use report::Watch;

/// What is to be looked at.
#[derive(Debug)]
pub struct Question {
    /// Where the configuration comes from.
    pub sources: Sources,
    /// Whether IPv6 has to work too.
    pub ipv6: bool,
}

impl Question {
    /// Looks at everything. Takes some seconds where something does not answer.
    pub async fn answer(&self) -> Report {
        let mut report = Report::new();
        let watch = Watch::start();
        let files = self.sources.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
        let config = match self.sources.load() {
            Ok(config) => {
                let finding = format!("valid; tunnels: {}", config.tunnels.len());
                report.add(watch.ok("configuration", &files, finding));
                config
            }
            Err(problems) => {
                let finding = problems.to_string().trim().replace('\n', "; ");
                let fix = "Mend the file: `postern config edit` opens it and checks it afterwards.";
                report.add(watch.fail("configuration", &files, finding, fix));
                return report;
            }
        };
        report.add(token(&config));
        for address in &config.settings.servers {
            server::look_at(&mut report, &config.settings, address, self.ipv6).await;
        }
        local::look_at(&mut report, &config).await;
        report
    }
}

fn token(config: &Config) -> Check {
    let watch = Watch::start();
    match &config.settings.authtoken {
        Some(_) => watch.ok("authtoken", "", "there is one".into()),
        None => watch.fail(
            "authtoken",
            "",
            "there is none".into(),
            "Run `postern config add-authtoken -`, or set POSTERN_AUTHTOKEN.",
        ),
    }
}
