//! `postern-server setup`: the first configuration of a server, asked in a terminal or given by flags.

use postern_tests::{Process, ProcessOutput, Screen, ServerSetup, ports::free_tcp_ports, programs};
use std::{
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// A folder for the file, and two free ports.
struct Place {
    folder: tempfile::TempDir,
    https: String,
    http: String,
}

impl Place {
    fn new() -> Place {
        let (first, _) = free_tcp_ports(2);
        let (https, http) = (first.to_string(), (first + 1).to_string());
        Place { folder: tempfile::tempdir().unwrap(), https, http }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("etc/server.yml")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }

    fn arguments(&self, more: &[&str]) -> Vec<String> {
        let file = self.file().to_string_lossy().into_owned();
        ["setup", "--config", &file].iter().chain(more).map(|&argument| argument.to_owned()).collect()
    }

    /// Runs it without a terminal.
    async fn run(&self, more: &[&str]) -> ProcessOutput {
        Process::run(&programs::server(), &self.arguments(more), &[]).await
    }

    /// Runs it without a terminal, where no name can be looked up.
    async fn run_without_network(&self, more: &[&str]) -> ProcessOutput {
        let program = programs::server().to_string_lossy().into_owned();
        let mut arguments = ["--map-root-user", "--net", "--", &program].map(str::to_owned).to_vec();
        arguments.extend(self.arguments(more));
        Process::run(Path::new("unshare"), &arguments, &[]).await
    }

    /// Runs it in a terminal.
    fn screen(&self, more: &[&str]) -> Screen {
        let mut command = vec![programs::server().to_string_lossy().into_owned()];
        command.extend(self.arguments(more));
        Screen::start(&command, &[])
    }
}

#[tokio::test]
async fn a_terminal_asks_again_until_an_answer_is_valid() {
    let place = Place::new();
    let mut screen = place.screen(&[]);
    screen.shows("Domain that names are published under").await;
    screen.press("\n");
    screen.shows("An answer is needed.").await;
    screen.press("https://example\n");
    screen.shows("is not a host name").await;
    screen.press("localhost\n");
    screen.shows("Port for HTTPS visitors and agents [4443]").await;
    screen.press("many\n");
    screen.shows("is not a port").await;
    screen.press(&format!("{}\n", place.https));
    screen.shows("Port for plain HTTP visitors [4480]").await;
    screen.press(&format!("{}\n", place.http));
    screen.shows(&format!("port {} for http is free", place.http)).await;
    // A clock that nothing synchronizes is a problem, about which it asks.
    let shown =
        screen.wait_for("it has finished, or asks", |text| text.contains("Next:") || text.contains("anyway?")).await;
    if !shown.contains("Next:") {
        screen.press("y\n");
    }
    let shown = screen.shows("Next:").await;
    assert!(shown.contains("was written") && screen.wait_for_exit().await.success(), "{shown}");
    let text = place.text();
    assert!(text.contains("domain: \"localhost\"") && !text.contains("acme"), "{text}");
    assert_eq!(std::fs::metadata(place.file()).unwrap().permissions().mode() & 0o007, 0, "others cannot read it");
}

#[tokio::test]
async fn a_file_that_exists_is_replaced_only_by_consent() {
    let place = Place::new();
    std::fs::create_dir_all(place.file().parent().unwrap()).unwrap();
    std::fs::write(place.file(), "# mine\n").unwrap();
    let mut screen = place.screen(&["--domain", "localhost"]);
    screen.shows("Replace it? [y/N]").await;
    screen.press("\n");
    screen.shows("was not changed").await;
    assert!(!screen.wait_for_exit().await.success());
    let refused = place.run(&["--domain", "localhost"]).await;
    assert!(!refused.status.success() && refused.output().contains("--force"), "{refused:?}");
    assert_eq!(place.text(), "# mine\n");
    let given = ["--domain", "localhost", "--https-port", &place.https, "--http-port", &place.http, "--force"];
    let written = place.run(&given).await;
    assert!(written.status.success() && place.text().contains("domain"), "{written:?}");
}

#[tokio::test]
async fn the_end_of_the_input_writes_nothing() {
    let place = Place::new();
    let mut screen = place.screen(&[]);
    screen.shows("Domain that names are published under").await;
    screen.press("\u{4}");
    screen.shows("nothing was written").await;
    assert!(!screen.wait_for_exit().await.success() && !place.file().exists());
}

#[tokio::test]
async fn a_server_starts_with_what_flags_have_written() {
    let place = Place::new();
    let data = place.folder.path().join("data").to_string_lossy().into_owned();
    let given =
        ["--domain", "localhost", "--https-port", &place.https, "--http-port", &place.http, "--data-dir", &data];
    let written = place.run(&given).await;
    assert!(written.status.success() && written.stdout.contains("Next:"), "{written:?}");
    let file = place.file().to_string_lossy().into_owned();
    let https = format!("127.0.0.1:{}", place.https);
    let (setup, http) = (ServerSetup::new(&data), format!("127.0.0.1:{}", place.http));
    let server = setup.flags(&["--config", &file, "--https-addr", &https, "--http-addr", &http]).start().await;
    assert_eq!(server.addresses.https.to_string(), https);
}

#[tokio::test]
async fn missing_and_wrong_answers_are_named_by_their_flags() {
    let place = Place::new();
    for (given, part) in [
        (&[][..], "give --domain"),
        (&["--domain", "*.example.test"], "--domain: `*.example.test` is not a host name"),
        (&["--domain", "example.test", "--mail", "me"], "--mail: `me` is not an e-mail address"),
        (&["--domain", "localhost", "--https-port", "0"], "--https-port: `0` is not a port"),
    ] {
        let refused = place.run(given).await;
        assert!(!refused.status.success() && refused.output().contains(part), "{part}: {refused:?}");
        assert!(!place.file().exists());
    }
}

#[tokio::test]
async fn what_is_not_ready_is_said_with_the_way_out() {
    let place = Place::new();
    let taken = TcpListener::bind(("127.0.0.1", place.https.parse().unwrap())).unwrap();
    let given = ["--domain", "localhost", "--https-port", &place.https, "--http-port", &place.http];
    let written = place.run(&given).await;
    let expected = format!("problem  port {} for https is taken", place.https);
    assert!(written.status.success() && written.stdout.contains(&expected), "{written:?}");
    assert!(written.stdout.contains("--https-port"), "{written:?}");
    drop(taken);
    let public = ["--domain", "shop.test", "--mail", "me@shop.test", "--https-port", &place.https];
    let written = place.run_without_network(&[&public[..], &["--http-port", &place.http, "--force"]].concat()).await;
    assert!(written.stdout.contains("shop.test has no address in DNS: add an A record"), "{written:?}");
    assert!(written.stdout.contains("*.shop.test"), "{written:?}");
    let text = place.text();
    assert!(text.contains("acme_contact: \"me@shop.test\"") && text.contains("letsencrypt"), "{text}");
}
