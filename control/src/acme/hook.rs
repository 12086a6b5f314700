//! The hook program of challenges in DNS: `PROGRAM add|remove NAME VALUE`, with limits of time and output.

use super::AcmeError;
use crate::dns::TextChange;
use rustix::process::{Pid, Signal, kill_process_group};
use std::{path::Path, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::{Child, Command},
    time::timeout,
};

/// Output of each stream that is logged of a program that failed, in bytes.
const MAX_OUTPUT_BYTES: u64 = 4096;
/// Time that is waited for the end of the output after that of the program, whose children may go on.
const OUTPUT_TIMEOUT: Duration = Duration::from_millis(500);
/// Prefix of the server's own variables, which the program does not get.
const OWN_VARIABLES: &str = "POSTERN_";

/// The processes of a program that has not ended. They are killed when this is dropped.
struct ProcessGroup(Option<Pid>);

/// Runs the program for a change of a TXT record.
///
/// # Errors
/// If it cannot be started, fails, or takes too long.
pub(super) async fn run(
    program: &Path,
    change: TextChange,
    (name, value): (&str, &str),
    limit: Duration,
) -> Result<(), AcmeError> {
    let action = match change {
        TextChange::Add => "add",
        TextChange::Remove => "remove",
    };
    let shown = program.display();
    let failed = |why: String| AcmeError(format!("the hook program {shown} {why}"));
    let mut child =
        command(program, action, name, value).spawn().map_err(|error| failed(format!("cannot be started: {error}")))?;
    let group = ProcessGroup(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)));
    let output = tokio::spawn(collect(child.stdout.take(), child.stderr.take()));
    let ended = timeout(limit, child.wait()).await;
    let why = match ended {
        Ok(Ok(status)) => {
            group.forget();
            if status.success() {
                return Ok(());
            }
            format!("failed for `{action} {name}` ({status}); its output is in the log of the server")
        }
        Ok(Err(error)) => format!("cannot be waited for: {error}"),
        Err(_) => {
            end(&mut child, group).await;
            format!("was ended for `{action} {name}`, because it took longer than {} s", limit.as_secs())
        }
    };
    let output = timeout(OUTPUT_TIMEOUT, output).await.ok().and_then(Result::ok).unwrap_or_default();
    tracing::warn!(program = %shown, action, name, output, "the hook program failed");
    Err(failed(why))
}

/// The program in a process group of its own, with the server's environment but for the settings of the server.
fn command(program: &Path, action: &str, name: &str, value: &str) -> Command {
    let mut command = Command::new(program);
    command.args([action, name, value]).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (variable, _) in std::env::vars_os() {
        if variable.to_string_lossy().starts_with(OWN_VARIABLES) {
            command.env_remove(variable);
        }
    }
    command.env("ACME_DNS_ACTION", action).env("ACME_DNS_NAME", name).env("ACME_DNS_VALUE", value);
    command
}

impl ProcessGroup {
    /// Leaves the group alone, because its program has ended.
    fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may have ended by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Kills the program with all its children, and collects its status.
async fn end(child: &mut Child, group: ProcessGroup) {
    drop(group);
    let _ = timeout(OUTPUT_TIMEOUT, child.wait()).await;
}

/// The beginning of both streams as one line of text. Both are read to their end, so that the program never waits.
async fn collect(stdout: Option<impl AsyncRead + Unpin>, stderr: Option<impl AsyncRead + Unpin>) -> String {
    let (stdout, stderr) = tokio::join!(beginning(stdout), beginning(stderr));
    [stdout, stderr].concat().trim().replace('\n', " | ")
}

async fn beginning(stream: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut stream) = stream else { return String::new() };
    let mut bytes = Vec::new();
    let _ = (&mut stream).take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes).await;
    let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{os::unix::fs::PermissionsExt, path::PathBuf};

    fn script(folder: &Path, text: &str) -> PathBuf {
        let path = folder.join("hook");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o700)).expect("executable");
        path
    }

    #[tokio::test]
    async fn a_hook_gets_the_record_as_arguments_and_variables() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("called").display().to_string();
        let hook =
            script(folder.path(), &format!("echo \"$@ $ACME_DNS_ACTION $ACME_DNS_NAME $ACME_DNS_VALUE\" > {file}"));
        run(&hook, TextChange::Add, ("a.test", "v"), Duration::from_secs(20)).await.expect("it succeeds");
        assert_eq!(std::fs::read_to_string(file).expect("called"), "add a.test v add a.test v\n");
    }

    #[tokio::test]
    async fn a_hook_that_fails_or_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        // More output than a pipe holds does not stop it.
        let hook = script(folder.path(), "head -c 200000 /dev/zero; exit 3");
        let record = ("a.test", "v");
        let AcmeError(why) =
            run(&hook, TextChange::Remove, record, Duration::from_secs(20)).await.expect_err("status 3");
        assert!(why.contains("exit status: 3") && why.contains("remove a.test"), "{why}");
        let missing = folder.path().join("none");
        let AcmeError(why) =
            run(&missing, TextChange::Add, record, Duration::from_secs(20)).await.expect_err("missing");
        assert!(why.contains("cannot be started"), "{why}");
    }

    #[tokio::test]
    async fn a_hook_that_hangs_is_ended_with_its_children() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("child");
        let hook = script(folder.path(), &format!("sleep 1000 & echo $! > {}; wait", file.display()));
        let started = tokio::spawn({
            let hook = hook.clone();
            async move { run(&hook, TextChange::Add, ("a.test", "v"), Duration::from_secs(2)).await }
        });
        let AcmeError(why) = started.await.expect("no panic").expect_err("it hangs");
        assert!(why.contains("longer than 2 s"), "{why}");
        let state = format!("/proc/{}/stat", std::fs::read_to_string(file).expect("its id").trim());
        postern_test_kit::eventually("the child has ended", async || match std::fs::read_to_string(&state) {
            Ok(state) => state.contains(") Z ").then_some(()),
            Err(_) => Some(()),
        })
        .await;
    }
}
