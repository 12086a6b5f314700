//! Both ends of a connection, or one of them beside a stream of rustls as the reference.

mod handshakes;
mod key_updates;
mod refusals;

use super::{
    super::buffers::{Buffer, FULL_LIMIT, SIZE},
    *,
};
use postern_test_kit::{
    in_time,
    tls::{roots, self_signed, server_config},
};
use proptest::prelude::*;
use rustls::{
    AlertDescription, ClientConfig, ContentType, Error, HandshakeType, ServerConfig, SupportedCipherSuite,
    crypto::{CryptoProvider, aws_lc_rs, cipher::OutboundChunks},
};
use rustls_pki_types::ServerName;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Waker},
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf, duplex};

/// How many bytes a connection below TLS takes before it blocks.
const PIPE: usize = 20_000;

fn name() -> ServerName<'static> {
    ServerName::try_from("localhost").expect("a name")
}

fn configs(suite: SupportedCipherSuite) -> (Arc<ServerConfig>, Arc<ClientConfig>) {
    let own = self_signed("localhost");
    let mut server = server_config(&own, &[b"test"]);
    let provider = Arc::new(CryptoProvider { cipher_suites: vec![suite], ..aws_lc_rs::default_provider() });
    let mut client = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[suite.version()])
        .expect("the suite has a version")
        .with_root_certificates(roots(&[own.cert.der().clone()]))
        .with_no_client_auth();
    client.alpn_protocols = vec![b"test".to_vec()];
    server.enable_secret_extraction = true;
    client.enable_secret_extraction = true;
    (Arc::new(server), Arc::new(client))
}

fn tls13() -> SupportedCipherSuite {
    aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256
}

fn tls12() -> SupportedCipherSuite {
    aws_lc_rs::cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
}

fn suites() -> Vec<SupportedCipherSuite> {
    let suites: Vec<_> = aws_lc_rs::ALL_CIPHER_SUITES
        .iter()
        .filter(|suite| !format!("{suite:?}").contains("ECDHE_RSA"))
        .copied()
        .collect();
    assert_eq!(suites.len(), 6, "three of TLS 1.3 and three of 1.2");
    suites
}

/// The server and the client of a connection.
async fn pair(suite: SupportedCipherSuite) -> (TlsStream<DuplexStream>, TlsStream<DuplexStream>) {
    let ((server, client), (near, far)) = (configs(suite), duplex(PIPE));
    let (accepted, connected) = tokio::join!(accept(near, server, Vec::new()), connect(far, client, name()));
    let ((server, at_server), (client, at_client)) = (accepted.expect("accepted"), connected.expect("connected"));
    assert_eq!((at_server.suite, at_client.suite), (suite, suite));
    assert_eq!(at_server.protocol.as_deref(), Some(&b"test"[..]));
    assert_eq!(at_client.protocol.as_deref(), Some(&b"test"[..]));
    (server, client)
}

/// A server, and a client of rustls.
async fn with_client(
    suite: SupportedCipherSuite,
) -> (TlsStream<DuplexStream>, tokio_rustls::client::TlsStream<DuplexStream>) {
    let ((server, client), (near, far)) = (configs(suite), duplex(PIPE));
    let connector = tokio_rustls::TlsConnector::from(client);
    let (accepted, connected) = tokio::join!(accept(near, server, Vec::new()), connector.connect(name(), far));
    (accepted.expect("accepted").0, connected.expect("connected"))
}

/// A client, and a server of rustls.
async fn with_server(
    suite: SupportedCipherSuite,
) -> (TlsStream<DuplexStream>, tokio_rustls::server::TlsStream<DuplexStream>) {
    let ((server, client), (near, far)) = (configs(suite), duplex(PIPE));
    let acceptor = tokio_rustls::TlsAcceptor::from(server);
    let (connected, accepted) = tokio::join!(connect(near, client, name()), acceptor.accept(far));
    (connected.expect("connected").0, accepted.expect("accepted"))
}

fn numbered(length: usize) -> Vec<u8> {
    (0..length).map(|position| (position % 251) as u8).collect()
}

/// Sends `length` bytes in pieces of these sizes, and ends.
async fn send(stream: &mut (impl AsyncWrite + Unpin), length: usize, sizes: &[usize]) {
    let bytes = numbered(length);
    let (mut rest, mut sizes) = (bytes.as_slice(), sizes.iter().cycle());
    while let (false, Some(size)) = (rest.is_empty(), sizes.next()) {
        let (piece, after) = rest.split_at(rest.len().min(*size));
        stream.write_all(piece).await.expect("taken");
        stream.flush().await.expect("sent");
        rest = after;
    }
    stream.shutdown().await.expect("ended");
}

/// Receives to the end with buffers of these sizes.
async fn receive(stream: &mut (impl AsyncRead + Unpin), sizes: &[usize]) -> Vec<u8> {
    let mut received = Vec::new();
    for size in sizes.iter().cycle() {
        let mut bytes = vec![0; *size];
        match stream.read(&mut bytes).await.expect("no error") {
            0 => break,
            count => received.extend_from_slice(&bytes[..count]),
        }
    }
    received
}

/// Both directions at once.
async fn exchange(
    one: impl AsyncRead + AsyncWrite + Unpin,
    other: impl AsyncRead + AsyncWrite + Unpin,
    length: usize,
    sizes: &[usize],
) {
    let ((mut read, mut write), (mut other_read, mut other_write)) = (tokio::io::split(one), tokio::io::split(other));
    let (received, others, (), ()) = in_time(async {
        tokio::join!(
            receive(&mut read, sizes),
            receive(&mut other_read, sizes),
            send(&mut write, length, sizes),
            send(&mut other_write, length, sizes)
        )
    })
    .await;
    assert!(received == numbered(length) && others == numbered(length));
}

/// Sends bytes from one end to the other.
async fn transfer(
    from: &mut (impl AsyncWrite + Unpin),
    bytes: &[u8],
    to: &mut (impl AsyncRead + Unpin),
    received: &mut [u8],
) {
    let send = async {
        from.write_all(bytes).await.expect("taken");
        from.flush().await.expect("sent");
    };
    tokio::join!(send, async { to.read_exact(received).await.expect("received") });
}

/// One record of the given type, written as it is.
async fn send_record(stream: &mut TlsStream<DuplexStream>, content: ContentType, payload: &[u8]) {
    let (session, outgoing) = stream.session();
    outgoing.push(session.encrypter().encrypt(content, OutboundChunks::from(payload)).expect("encrypted"));
    stream.flush().await.expect("sent");
}

/// The error of a server that refuses what it has received, of which the client is told by an alert.
async fn assert_refused(
    server: &mut TlsStream<DuplexStream>,
    client: &mut TlsStream<DuplexStream>,
    alert: AlertDescription,
) -> Error {
    let error = tls_error(&in_time(server.read_u8()).await.expect_err("refused")).expect("an error of TLS");
    let again = server.read_u8().await.expect_err("refused for good");
    assert_eq!(tls_error(&again), Some(error.clone()));
    assert_eq!(server.write(b"x").await.expect_err("nothing follows an alert").kind(), io::ErrorKind::BrokenPipe);
    let told = in_time(client.read_u8()).await.expect_err("told");
    assert_eq!(tls_error(&told), Some(Error::AlertReceived(alert)), "after {error}");
    error
}

fn tls_error(error: &io::Error) -> Option<Error> {
    error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()).cloned()
}

/// What a server makes of records that a client sends.
async fn refused(suite: SupportedCipherSuite, records: &[(ContentType, &[u8])], alert: AlertDescription) -> Error {
    let (mut server, mut client) = pair(suite).await;
    for (content, payload) in records {
        send_record(&mut client, *content, payload).await;
    }
    assert_refused(&mut server, &mut client, alert).await
}

fn key_update(request: u8) -> [u8; 5] {
    [u8::from(HandshakeType::KeyUpdate), 0, 0, 1, request]
}

/// Whether a read would wait.
fn waits_for_more(stream: &mut TlsStream<DuplexStream>) -> bool {
    let (mut cx, mut byte) = (Context::from_waker(Waker::noop()), [0]);
    Pin::new(stream).poll_read(&mut cx, &mut ReadBuf::new(&mut byte)).is_pending()
}

#[tokio::test]
async fn each_suite_is_understood_by_rustls_at_the_other_end() {
    for suite in suites() {
        let (server, client) = with_client(suite).await;
        exchange(server, client, 300_000, &[1, 70_000, 5, 16_384, 16_385]).await;
        let (client, server) = with_server(suite).await;
        exchange(client, server, 300_000, &[1, 70_000, 5, 16_384, 16_385]).await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn all_bytes_arrive_however_they_are_written_and_read(
        suite in prop::sample::select(suites()),
        length in 0usize..400_000,
        sizes in prop::collection::vec(prop_oneof![1usize..40, 1_000usize..100_000], 1..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        // Single bytes of much data would take long.
        let length = length.min(sizes.iter().sum::<usize>() * 200);
        runtime.block_on(async {
            let (server, client) = pair(suite).await;
            exchange(server, client, length, &sizes).await;
            let (server, client) = with_client(suite).await;
            exchange(server, client, length, &sizes).await;
        });
    }
}

#[tokio::test]
async fn slices_are_gathered_in_records() {
    let (mut server, mut client) = pair(tls13()).await;
    let (head, body) = (numbered(100), numbered(3000));
    let slices = [io::IoSlice::new(&head), io::IoSlice::new(&[]), io::IoSlice::new(&body)];
    assert_eq!(client.write_vectored(&slices).await.expect("taken"), 3100);
    let mut record = [0; 5];
    server.io().read_exact(&mut record).await.expect("a header");
    // One record: both slices, the content type and the tag.
    assert_eq!(usize::from(u16::from_be_bytes([record[3], record[4]])), 3100 + 1 + 16);
}

#[tokio::test]
async fn nothing_is_held_while_nothing_is_unread() {
    let (mut server, mut client) = pair(tls13()).await;
    for length in [1, 5_000, 60_000] {
        let bytes = numbered(length);
        let mut received = vec![0; length];
        in_time(transfer(&mut client, &bytes, &mut server, &mut received)).await;
        assert_eq!(received, bytes);
        assert_eq!(server.held(), 0);
        // And none while more is waited for.
        assert!(waits_for_more(&mut server));
        assert_eq!(server.held(), 0);
    }
}

#[tokio::test]
async fn many_connections_with_parts_of_records_hold_little() {
    let lent: Vec<Buffer> = (0..=FULL_LIMIT as usize / SIZE).map(|_| Buffer::borrow()).collect();
    let (mut server, mut client) = pair(tls13()).await;
    // A record of which a part is missing.
    let (session, _) = client.session();
    let record = session.encrypter().encrypt(ContentType::ApplicationData, OutboundChunks::from(&numbered(9000)[..]));
    let record = record.expect("encrypted");
    for piece in [&record[..3], &record[3..7000]] {
        client.io().write_all(piece).await.expect("sent");
        assert!(waits_for_more(&mut server));
        assert!(server.held() <= record.len(), "{}", server.held());
    }
    client.io().write_all(&record[7000..]).await.expect("sent");
    let mut received = vec![0; 9000];
    in_time(server.read_exact(&mut received)).await.expect("received");
    assert_eq!(received, numbered(9000));
    assert_eq!(server.held(), 0);
    drop(lent);
}

#[tokio::test]
async fn an_end_without_notice_is_an_error() {
    for unfinished in [&[][..], &[23, 3, 3], &[23, 3, 3, 0, 40, 1]] {
        let (mut server, mut client) = pair(tls13()).await;
        client.io().write_all(unfinished).await.expect("sent");
        drop(client);
        assert_eq!(server.read(&mut [0]).await.expect_err("cut off").kind(), io::ErrorKind::UnexpectedEof);
    }
}

#[tokio::test]
async fn one_direction_may_end_before_the_other() {
    let (mut server, mut client) = pair(tls13()).await;
    let (session, outgoing) = client.session();
    session.close(outgoing);
    client.flush().await.expect("sent");
    client.io().write_all(b"what nothing may follow").await.expect("sent");
    assert_eq!(in_time(server.read(&mut [0])).await.expect("an end"), 0);
    assert_eq!(server.read(&mut [0]).await.expect("still an end"), 0);
    assert_eq!(server.held(), 0);
    server.write_all(b"more").await.expect("taken");
    server.shutdown().await.expect("ended");
    let mut received = Vec::new();
    in_time(client.read_to_end(&mut received)).await.expect("received");
    assert_eq!(received, b"more");
    assert_eq!(client.write(b"x").await.expect_err("ended").kind(), io::ErrorKind::BrokenPipe);
}
