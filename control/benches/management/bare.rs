//! Baseline for reads: an axum handler that always returns the same bytes, in a process of its own.

use crate::load::Target;
use axum::{Router, routing::get};
use bytes::Bytes;
use http::header;
use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
};

/// Argument that starts this program as the bare server.
pub const ARGUMENT: &str = "bare-handler";

/// A running bare server; dropping it stops the process.
pub struct Bare {
    child: Child,
    /// Address of the server.
    pub target: Target,
}

impl Bare {
    /// Starts this program again as a server that returns these bytes.
    pub fn start(bytes: &[u8]) -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut child = Command::new(program)
            .arg(ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts once more");
        // Closing the pipe ends the bytes.
        child.stdin.take().expect("piped").write_all(bytes).expect("it reads");
        let mut address = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut address).expect("it says where it listens");
        let target = Target {
            address: address.trim().parse().expect("an address"),
            process: child.id(),
            key: "Bearer none".to_owned(),
        };
        Bare { child, target }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the bare server until the process is killed.
#[expect(clippy::print_stdout, reason = "the parent process reads the address there")]
pub async fn serve() {
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body).expect("the bytes");
    let body = Bytes::from(body);
    let answer = move || {
        let body = body.clone();
        async move { ([(header::CONTENT_TYPE, "application/json")], body) }
    };
    let router = Router::new().route("/{*any}", get(answer));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("bound"));
    let connections = axum::serve::ListenerExt::tap_io(listener, |stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(connections, router).await.expect("it serves");
}
