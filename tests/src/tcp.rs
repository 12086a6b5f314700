//! TCP services behind tunnels, and what visitors do with them.

use crate::bytes::{Sum, pieces};
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A TCP service that greets with its name, a line, and then sends back what it gets.
pub struct Echo {
    address: SocketAddr,
    serving: tokio::task::JoinHandle<()>,
}

impl Echo {
    /// Starts on a port of its own.
    pub async fn named(name: &str) -> Echo {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let greeting = format!("{name}\n");
        let serving = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let greeting = greeting.clone();
                tokio::spawn(async move {
                    stream.write_all(greeting.as_bytes()).await?;
                    let (mut read, mut write) = stream.split();
                    tokio::io::copy(&mut read, &mut write).await?;
                    write.shutdown().await
                });
            }
        });
        Echo { address, serving }
    }
}

impl std::fmt::Display for Echo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.address.fmt(f)
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A visitor's connection to an [`Echo`].
pub struct Line {
    stream: TcpStream,
}

impl Line {
    /// Connects to a port of this machine and reads the greeting; `None` if the connection is closed before it.
    pub async fn open(port: u16) -> Option<(Line, String)> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.ok()?;
        let greeting = read_line(&mut stream).await?;
        Some((Line { stream }, greeting))
    }

    /// Says a line and hears it back; `None` if the connection has ended.
    pub async fn says(&mut self, text: &str) -> Option<String> {
        self.stream.write_all(format!("{text}\n").as_bytes()).await.ok()?;
        read_line(&mut self.stream).await
    }

    /// Sends so many bytes while reading them back; gives the sum of what came back.
    pub async fn sends_and_hears_back(self, seed: u64, length: u64) -> String {
        let (mut read, mut write) = self.stream.into_split();
        let sending = tokio::spawn(async move {
            for piece in pieces(seed, length) {
                write.write_all(&piece).await.expect("the tunnel takes it");
            }
            write.shutdown().await.expect("half closed");
        });
        let mut sum = Sum::default();
        let mut buffer = vec![0; 64 << 10];
        loop {
            match read.read(&mut buffer).await.expect("the tunnel gives it back") {
                0 => break,
                length => sum.add(&buffer[..length]),
            }
        }
        sending.await.expect("sent");
        sum.finish()
    }
}

async fn read_line(stream: &mut TcpStream) -> Option<String> {
    let mut line = Vec::new();
    loop {
        match stream.read_u8().await.ok()? {
            b'\n' => return String::from_utf8(line).ok(),
            byte => line.push(byte),
        }
    }
}
