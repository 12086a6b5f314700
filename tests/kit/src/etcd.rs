//! A real etcd on free ports, with its files in a temporary folder: one member or three, which can be killed, stopped and
//! started again.

use crate::{condition::eventually, ports::free_tcp_ports};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs::File,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Files, in PEM, with which members identify themselves to clients, and clients to them.
#[derive(Clone, Debug)]
pub struct EtcdTls {
    /// Certificate of all members.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// Authority of the clients.
    pub client_authority: PathBuf,
}

/// Members of one cluster. They end with their handle.
pub struct Etcd {
    members: Vec<Member>,
    folder: TempDir,
}

struct Member {
    child: Option<Child>,
    clients: SocketAddr,
    /// Where it answers this kit, without TLS.
    plain: SocketAddr,
    arguments: Vec<String>,
    output: PathBuf,
}

impl Etcd {
    /// Starts one member alone.
    pub async fn single() -> Etcd {
        Self::start(1, None).await
    }

    /// Starts three members.
    pub async fn three() -> Etcd {
        Self::start(3, None).await
    }

    /// Starts members, with TLS for clients if it is given.
    pub async fn start(count: usize, tls: Option<&EtcdTls>) -> Etcd {
        let folder = tempfile::tempdir().expect("a folder");
        let (first, last) = free_tcp_ports(3 * u16::try_from(count).expect("a few members"));
        let mut unused = (first..=last).map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let mut unused_address = || unused.next().expect("three for each member");
        let peers: Vec<SocketAddr> = (0..count).map(|_| unused_address()).collect();
        let name = |number: usize| format!("m{number}");
        let cluster: Vec<String> =
            peers.iter().enumerate().map(|(number, peer)| format!("{}=http://{peer}", name(number))).collect();
        let members = peers.iter().enumerate().map(|(number, peer)| {
            let (clients, plain) = (unused_address(), unused_address());
            let scheme = if tls.is_some() { "https" } else { "http" };
            let own = folder.path().join(name(number));
            let mut arguments = vec![
                format!("--name={}", name(number)),
                format!("--data-dir={}", own.display()),
                format!("--listen-peer-urls=http://{peer}"),
                format!("--initial-advertise-peer-urls=http://{peer}"),
                format!("--initial-cluster={}", cluster.join(",")),
                format!("--listen-client-urls={scheme}://{clients},http://{plain}"),
                format!("--advertise-client-urls={scheme}://{clients}"),
                // Half of what it does otherwise: tests wait for elections.
                "--heartbeat-interval=50".to_owned(),
                "--election-timeout=500".to_owned(),
                "--log-outputs=stderr".to_owned(),
                "--logger=zap".to_owned(),
            ];
            if let Some(tls) = tls {
                arguments.push(format!("--cert-file={}", tls.certificate.display()));
                arguments.push(format!("--key-file={}", tls.key.display()));
                arguments.push(format!("--trusted-ca-file={}", tls.client_authority.display()));
                arguments.push("--client-cert-auth".to_owned());
            }
            Member {
                child: None,
                clients,
                plain,
                arguments,
                output: folder.path().join(format!("{}.log", name(number))),
            }
        });
        let mut etcd = Etcd { members: members.collect(), folder };
        etcd.members.iter_mut().for_each(Member::begin);
        for number in 0..count {
            etcd.until_it_answers(number).await;
        }
        etcd
    }

    /// Hosts and ports of all members, as an address lists them.
    pub fn addresses(&self) -> String {
        let addresses: Vec<String> = self.members.iter().map(|member| member.clients.to_string()).collect();
        addresses.join(",")
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none; there are always some.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Host and port of one member.
    pub fn member(&self, number: usize) -> SocketAddr {
        self.members[number].clients
    }

    /// Folder with the files of all members.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Ends a member at once.
    pub fn kill(&mut self, number: usize) {
        self.members[number].end();
    }

    /// Halts a member, which keeps its connections.
    pub fn stop(&self, number: usize) {
        self.members[number].signal(Signal::STOP);
    }

    /// Lets a halted member go on.
    pub fn go_on(&self, number: usize) {
        self.members[number].signal(Signal::CONT);
    }

    /// Starts a member that was killed.
    pub fn restart(&mut self, number: usize) {
        self.members[number].begin();
    }

    /// Number of the member that leads.
    pub async fn leader(&self) -> usize {
        eventually("a member leads", async || {
            for number in 0..self.members.len() {
                let Some(status) = self.members[number].ask("/v3/maintenance/status", "{}").await else { continue };
                if let (Some(leader), Some(own)) = (field(&status, "leader"), field(&status, "member_id"))
                    && leader == own
                {
                    return Some(number);
                }
            }
            None
        })
        .await
    }

    /// Number of a member that does not lead.
    pub async fn follower(&self) -> usize {
        (self.leader().await + 1) % self.members.len()
    }

    /// Newest revision.
    pub async fn revision(&self) -> u64 {
        let status = self.ask("/v3/maintenance/status", "{}").await;
        field(&status, "revision").and_then(|revision| revision.parse().ok()).expect("a revision")
    }

    /// Forgets all revisions but the newest.
    pub async fn compact(&self) {
        let revision = self.revision().await;
        self.ask("/v3/kv/compaction", &format!("{{\"revision\":\"{revision}\",\"physical\":true}}")).await;
    }

    /// Deletes all keys with a prefix.
    pub async fn delete(&self, prefix: &str) {
        self.ask("/v3/kv/deleterange", &below(prefix)).await;
    }

    /// Number of keys with a prefix.
    pub async fn count(&self, prefix: &str) -> u64 {
        let found = self.ask("/v3/kv/range", &below(prefix)).await;
        field(&found, "count").and_then(|count| count.parse().ok()).unwrap_or(0)
    }

    /// Keys with a prefix and their values, as etcd answers in JSON.
    pub async fn entries(&self, prefix: &str) -> String {
        let answer = self.ask("/v3/kv/range", &below(prefix)).await;
        answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).expect("a body")
    }

    /// Writes a key.
    pub async fn put(&self, key: &str, value: &[u8]) {
        let body = format!("{{\"key\":\"{}\",\"value\":\"{}\"}}", base64(key.as_bytes()), base64(value));
        self.ask("/v3/kv/put", &body).await;
    }

    /// Asks any member over HTTP; body and answer are JSON.
    pub async fn ask(&self, path: &str, body: &str) -> String {
        eventually("a member answers", async || {
            for member in &self.members {
                if let Some(answer) = member.ask(path, body).await {
                    return Some(answer);
                }
            }
            None
        })
        .await
    }

    async fn until_it_answers(&mut self, number: usize) {
        let member = &mut self.members[number];
        eventually("etcd answers", async || {
            let output = || std::fs::read_to_string(&member.output).unwrap_or_default();
            let runs = member.child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)));
            assert!(runs, "etcd ended: {}", output());
            // Without a leader this is not answered.
            member.ask("/v3/kv/range", "{\"key\":\"AA==\"}").await
        })
        .await;
    }
}

impl Member {
    fn begin(&mut self) {
        let output = File::create(&self.output).expect("a file");
        let mut command = Command::new("etcd");
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(output);
        // It runs elsewhere, too, if it is told so.
        if cfg!(target_arch = "aarch64") {
            command.env("ETCD_UNSUPPORTED_ARCH", "arm64");
        }
        self.child = Some(command.spawn().expect("etcd starts: Debian has it in `etcd-server`"));
    }

    fn end(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn signal(&self, signal: Signal) {
        let child = self.child.as_ref().expect("it runs");
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("an id");
        kill_process(id, signal).expect("it takes signals");
    }

    /// The body of a successful answer.
    async fn ask(&self, path: &str, body: &str) -> Option<String> {
        self.child.as_ref()?;
        let asked = async {
            let mut stream = TcpStream::connect(self.plain).await.ok()?;
            // Answers to HTTP/1.0 come in one piece.
            let request = format!("POST {path} HTTP/1.0\r\nhost: etcd\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            stream.write_all(request.as_bytes()).await.ok()?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.ok()?;
            Some(answer).filter(|answer| answer.starts_with("HTTP/1.0 200"))
        };
        // A member that is halted or has no leader does not answer.
        tokio::time::timeout(Duration::from_secs(1), asked).await.ok()?
    }
}

/// The body that names all keys with a prefix.
fn below(prefix: &str) -> String {
    let mut end = prefix.as_bytes().to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    let (key, end) = (base64(prefix.as_bytes()), base64(&end));
    format!("{{\"key\":\"{key}\",\"range_end\":\"{end}\"}}")
}

fn base64(bytes: &[u8]) -> String {
    use base64::{Engine, prelude::BASE64_STANDARD};
    BASE64_STANDARD.encode(bytes)
}

/// A text or a number of JSON, wherever it is.
fn field<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = json.split_once(&format!("\"{name}\":\""))?;
    after.split('"').next()
}

impl Drop for Etcd {
    fn drop(&mut self) {
        self.members.iter_mut().for_each(Member::end);
    }
}
