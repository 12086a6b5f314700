//! The least that a tunnel with two TLS connections can cost: a relay of bytes on the same libraries, which knows neither HTTP nor names.
//! `docs/performance.md` compares Postern with it.
//!
//! ```text
//! plain_relay server VISITORS AGENTS CHAIN.PEM KEY.PEM       the two addresses to listen at
//! plain_relay agent SERVER SERVER_NAME CA.PEM SERVICE        one connection to the service for each visitor
//! ```

use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject};
use std::{error::Error, io::Error as IoError, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, mpsc},
};
use tokio_rustls::{TlsAcceptor, TlsConnector, server::TlsStream};

type Failure = Box<dyn Error + Send + Sync>;

/// Connections that the agent holds for visitors to come.
const WAITING: usize = 64;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server", visitors, agents, chain, key] => serve(visitors, agents, chain, key).await,
        ["agent", server, name, ca, service] => relay(server, name, ca, service).await,
        _ => {
            Err("use: plain_relay server VISITORS AGENTS CHAIN KEY, or plain_relay agent SERVER NAME CA SERVICE".into())
        }
    }
}

async fn serve(visitors: &str, agents: &str, chain: &str, key: &str) -> Result<(), Failure> {
    let chain = CertificateDer::pem_file_iter(chain)?.collect::<Result<Vec<_>, _>>()?;
    let config =
        ServerConfig::builder().with_no_client_auth().with_single_cert(chain, PrivateKeyDer::from_pem_file(key)?)?;
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let (waiting, mut ready) = mpsc::channel(2 * WAITING);
    let agents = TcpListener::bind(agents).await?;
    tokio::spawn(accept(agents, acceptor.clone(), waiting));
    let (accepted, mut visiting) = mpsc::channel(1);
    tokio::spawn(accept(TcpListener::bind(visitors).await?, acceptor, accepted));
    while let Some(mut visitor) = visiting.recv().await {
        let Some(mut tunnel) = ready.recv().await else { break };
        tokio::spawn(async move { copy_bidirectional(&mut visitor, &mut tunnel).await });
    }
    Ok(())
}

/// Accepts TLS connections, handshakes at the same time, and hands them over.
async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    to: mpsc::Sender<TlsStream<TcpStream>>,
) -> Result<(), IoError> {
    loop {
        let (stream, _) = listener.accept().await?;
        let (acceptor, to) = (acceptor.clone(), to.clone());
        tokio::spawn(async move {
            stream.set_nodelay(true)?;
            // The channel is closed when the program ends.
            to.send(acceptor.accept(stream).await?).await.map_err(IoError::other)
        });
    }
}

async fn relay(server: &str, name: &str, ca: &str, service: &str) -> Result<(), Failure> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(ca)? {
        roots.add(certificate?)?;
    }
    let connector =
        TlsConnector::from(Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()));
    let name = ServerName::try_from(name.to_owned())?;
    let waiting = Arc::new(Semaphore::new(WAITING));
    loop {
        let permit = Arc::clone(&waiting).acquire_owned().await?;
        let stream = TcpStream::connect(server).await?;
        stream.set_nodelay(true)?;
        let mut tunnel = connector.connect(name.clone(), stream).await?;
        let service = service.to_owned();
        tokio::spawn(async move {
            let mut first = [0; 8192];
            let length = tunnel.read(&mut first).await?;
            drop(permit);
            let mut local = TcpStream::connect(service).await?;
            local.set_nodelay(true)?;
            local.write_all(&first[..length]).await?;
            copy_bidirectional(&mut tunnel, &mut local).await
        });
    }
}
