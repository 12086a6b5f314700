//! `postern diagnose`: checks what a tunnel needs and says what to do.

use super::{flags::RunFlags, say};
use crate::diagnose::{Diagnosis, DiagnosisCheck, DiagnosisReport, DiagnosisVerdict, report_text};
use clap::Args;
use postern_api::{Code, Error};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(super) struct DiagnoseFlags {
    /// Require IPv6 to work as well
    #[arg(long)]
    ipv6: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Also write the result to a file, as JSON
    #[arg(short, long = "write", value_name = "FILE")]
    write: Option<PathBuf>,
    #[command(flatten)]
    run: Box<RunFlags>,
}

pub(super) fn run(flags: &DiagnoseFlags) -> Result<(), Error> {
    let diagnosis = Diagnosis { sources: flags.run.sources()?, ipv6: flags.ipv6 };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::new(Code::Internal, format!("The program could not start its threads: {error}.")))?;
    let report = runtime.block_on(diagnosis.run());
    let json = serde_json::to_string_pretty(&report).expect("plain data is JSON");
    if let Some(file) = &flags.write {
        write(file, &json)?;
    }
    say(&if flags.json { json } else { report_text(&report) })?;
    verdict(&report)
}

fn write(file: &Path, json: &str) -> Result<(), Error> {
    std::fs::write(file, format!("{json}\n"))
        .map_err(|error| Error::new(Code::ConfigInvalid, format!("{} cannot be written: {error}.", file.display())))
}

fn verdict(report: &DiagnosisReport) -> Result<(), Error> {
    if report.verdict < DiagnosisVerdict::Fail {
        return Ok(());
    }
    let failed = |check: &&DiagnosisCheck| check.verdict == DiagnosisVerdict::Fail;
    let first =
        report.checks.iter().find(failed).map(|check| format!("{} {}: {}", check.name, check.subject, check.finding));
    let first = first.unwrap_or_default();
    let end = if first.ends_with(['.', '?', '!']) { "" } else { "." };
    Err(Error::new(Code::DiagnosisFailed, format!("Fix this first: {first}{end}")))
}
