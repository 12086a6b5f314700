//! OpenSSH: keys, a server on loopback, and a client that trusts only a given authority.

use crate::process::{Process, ProcessOutput};
use postern_test_kit::{condition::finishes, eventually, ports};
use std::path::{Path, PathBuf};

/// Another program may take a free port before sshd does.
const MAX_PORT_ATTEMPTS: usize = 10;

/// A key pair made by `ssh-keygen`, and a certificate of it if there is one.
#[derive(Clone, Debug)]
pub struct KeyPair {
    path: PathBuf,
}

impl KeyPair {
    /// Generates a key pair of type `ed25519`, `ecdsa` or `rsa`.
    pub async fn generate(folder: &Path, name: &str, kind: &str) -> KeyPair {
        let path = folder.join(name);
        let file = path.to_string_lossy().into_owned();
        let made = Process::run(Path::new("ssh-keygen"), &["-q", "-t", kind, "-N", "", "-f", &file], &[]).await;
        assert!(made.status.success(), "{}", made.output());
        KeyPair { path }
    }

    /// The line of the public key.
    pub fn public(&self) -> String {
        std::fs::read_to_string(self.path.with_extension("pub")).expect("a public key").trim().to_owned()
    }

    /// Writes a certificate to the file that OpenSSH reads.
    pub fn certify(&self, certificate: &str) {
        std::fs::write(self.certificate(), format!("{certificate}\n")).expect("written");
    }

    fn certificate(&self) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!("{name}-cert.pub"))
    }
}

/// A running `sshd`, on a port of loopback. It ends with its handle.
pub struct Sshd {
    process: Process,
    port: u16,
}

impl Sshd {
    /// Starts `sshd` with the certificate of `host`. It admits users with a certificate of `authority` (a public key).
    pub async fn start(folder: &Path, host: &KeyPair, authority: &str) -> Sshd {
        let trusted = folder.join("trusted_user_authorities");
        std::fs::write(&trusted, format!("{authority}\n")).expect("written");
        if rustix::process::geteuid().is_root() {
            // The privilege separation folder, which a service manager otherwise creates.
            std::fs::create_dir_all("/run/sshd").expect("root may make it");
        }
        for _ in 0..MAX_PORT_ATTEMPTS {
            let port = ports::free_tcp_port();
            let configuration = folder.join(format!("sshd_config.{port}"));
            let text = format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey {host}\nHostCertificate {certificate}\n\
                 TrustedUserCAKeys {trusted}\nAuthorizedKeysFile none\nPasswordAuthentication no\n\
                 KbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\nPidFile none\n",
                host = host.path.display(),
                certificate = host.certificate().display(),
                trusted = trusted.display(),
            );
            std::fs::write(&configuration, text).expect("written");
            let arguments = ["-D", "-e", "-f", &configuration.to_string_lossy()];
            let process = Process::start(Path::new("/usr/sbin/sshd"), &arguments, &[]);
            let listening = eventually("sshd listens or ends", async || {
                if process.stderr().contains("Server listening on") {
                    return Some(true);
                }
                (!process.is_running()).then_some(false)
            })
            .await;
            if listening {
                return Sshd { process, port };
            }
            let ended = process.wait_with_output().await;
            assert!(ended.stderr.contains("Address already in use"), "sshd does not start: {}", ended.stderr);
        }
        panic!("no port stays free");
    }

    /// Logs in as `login` to the host `name` and runs a command. The client trusts only `authority`.
    pub async fn log_in(&self, user: &KeyPair, login: &str, name: &str, authority: &str) -> SshLogin {
        assert!(self.process.is_running(), "sshd is there");
        let folder = user.path.parent().expect("keys lie in a folder");
        let known = folder.join("known_hosts");
        std::fs::write(&known, format!("@cert-authority * {authority}\n")).expect("written");
        let mut arguments: Vec<String> =
            ["-v", "-F", "none", "-T", "-p", &self.port.to_string()].map(String::from).into();
        for option in [
            "HostName=127.0.0.1".to_owned(),
            format!("HostKeyAlias={name}"),
            format!("UserKnownHostsFile={}", known.display()),
            "GlobalKnownHostsFile=/dev/null".to_owned(),
            "StrictHostKeyChecking=yes".to_owned(),
            "BatchMode=yes".to_owned(),
            "IdentitiesOnly=yes".to_owned(),
            "IdentityAgent=none".to_owned(),
            "ConnectTimeout=15".to_owned(),
        ] {
            arguments.extend(["-o".to_owned(), option]);
        }
        arguments.extend(["-i".to_owned(), user.path.to_string_lossy().into_owned()]);
        arguments.extend([format!("{login}@{name}"), "echo let in".to_owned()]);
        SshLogin(finishes("ssh", Process::run(Path::new("ssh"), &arguments, &[])).await)
    }
}

/// The result of a login.
#[derive(Debug)]
pub struct SshLogin(ProcessOutput);

impl SshLogin {
    /// The client accepted the server's certificate and the server the user's.
    #[track_caller]
    pub fn assert_admitted(&self) {
        assert!(self.0.status.success() && self.0.stdout.trim() == "let in", "{}", self.0.output());
        assert!(self.0.stderr.contains("-CERT host certificate"), "by the certificate: {}", self.0.stderr);
    }

    /// The client went away because of the server's certificate.
    #[track_caller]
    pub fn assert_host_refused(&self, reason: &str) {
        assert!(!self.0.status.success() && self.0.stdout.is_empty(), "{}", self.0.output());
        let expected = format!("Certificate invalid: {reason}");
        assert!(self.0.stderr.contains(&expected), "`{expected}` is missing: {}", self.0.stderr);
    }

    /// The client trusts no authority that has signed for this server.
    #[track_caller]
    pub fn assert_unknown_host(&self) {
        assert!(!self.0.status.success() && self.0.stdout.is_empty(), "{}", self.0.output());
        assert!(self.0.stderr.contains("Host key verification failed"), "{}", self.0.stderr);
    }

    /// The server was accepted, and did not let the user in.
    #[track_caller]
    pub fn assert_denied(&self) {
        assert!(!self.0.status.success() && self.0.stdout.is_empty(), "{}", self.0.output());
        assert!(self.0.stderr.contains("-CERT host certificate"), "{}", self.0.stderr);
        assert!(self.0.stderr.contains("Permission denied"), "{}", self.0.stderr);
    }
}

/// The name of the current user, the only one who can log in to an `sshd` without root.
pub async fn login() -> String {
    let ended = Process::run(Path::new("id"), &["-un"], &[]).await;
    assert!(ended.status.success(), "{}", ended.output());
    ended.stdout.trim().to_owned()
}
