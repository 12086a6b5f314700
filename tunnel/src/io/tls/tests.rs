//! Both ends of a connection, or one of them beside a stream of rustls as the reference.

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
    AlertDescription, ClientConfig, ClientConnection, ContentType, Error, HandshakeType, ServerConfig,
    ServerConnection, SupportedCipherSuite,
    crypto::{CryptoProvider, aws_lc_rs, cipher::OutboundChunks},
};
use rustls_pki_types::ServerName;
use std::{
    io::Write,
    sync::Arc,
    task::{Context, Waker},
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, duplex};

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

const KEY_UPDATE: u8 = 24;

fn key_update(request: u8) -> [u8; 5] {
    [KEY_UPDATE, 0, 0, 1, request]
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
        let mut cx = Context::from_waker(Waker::noop());
        let mut byte = [0];
        let poll = std::pin::Pin::new(&mut server).poll_read(&mut cx, &mut tokio::io::ReadBuf::new(&mut byte));
        assert!(poll.is_pending());
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
        let mut cx = Context::from_waker(Waker::noop());
        let mut byte = [0];
        let poll = std::pin::Pin::new(&mut server).poll_read(&mut cx, &mut tokio::io::ReadBuf::new(&mut byte));
        assert!(poll.is_pending());
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
async fn data_that_comes_with_the_end_of_the_handshake_is_not_lost() {
    for suite in suites() {
        let ((server, client), (near, mut far)) = (configs(suite), duplex(1 << 20));
        let mut client = ClientConnection::new(client, name()).expect("a client");
        let accepting = tokio::spawn(accept(near, server, Vec::new()));
        let mut bytes = vec![0; 1 << 16];
        while client.is_handshaking() {
            let mut flight = Vec::new();
            client.write_tls(&mut flight).expect("written");
            far.write_all(&flight).await.expect("sent");
            let count = far.read(&mut bytes).await.expect("received");
            let mut received = &bytes[..count];
            while !received.is_empty() {
                client.read_tls(&mut received).expect("read");
                client.process_new_packets().expect("understood");
            }
        }
        // The last flight with three records of data, of which the last is sent in part, and then the end.
        let data = numbered(40_000);
        client.writer().write_all(&data).expect("taken");
        client.send_close_notify();
        let mut flight = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut flight).expect("written");
        }
        let (sent, rest) = flight.split_at(flight.len() - 9_000);
        far.write_all(sent).await.expect("sent");
        let (mut server, _) = match in_time(accepting).await.expect("no panic") {
            Ok(established) => established,
            Err((error, _)) => panic!("{error}"),
        };
        far.write_all(rest).await.expect("sent");
        let mut received = Vec::new();
        in_time(server.read_to_end(&mut received)).await.expect("received");
        assert!(received == data, "{} bytes", received.len());
        assert_eq!(server.held(), 0);
    }
}

#[tokio::test]
async fn a_certificate_that_is_not_trusted_fails_the_handshake_at_both_ends() {
    let ((server, _), (_, client)) = (configs(tls13()), configs(tls13()));
    let (near, far) = duplex(PIPE);
    let (accepted, connected) = tokio::join!(accept(near, server, Vec::new()), connect(far, client, name()));
    let connected = connected.expect_err("not trusted");
    assert!(matches!(tls_error(&connected), Some(Error::InvalidCertificate(_))), "{connected:?}");
    let (accepted, _) = accepted.expect_err("told");
    assert!(matches!(tls_error(&accepted), Some(Error::AlertReceived(_))), "{accepted:?}");
}

#[tokio::test]
async fn what_is_no_handshake_is_refused_with_an_alert() {
    const ALERT: u8 = 21;
    let (server, client) = configs(tls13());
    for sent in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], &[22, 3, 3, 0, 4, 99, 0, 0, 0], &[23, 3, 3, 0, 1, 0, 0xff]] {
        for is_server in [true, false] {
            let (near, mut far) = duplex(PIPE);
            far.write_all(sent).await.expect("sent");
            let error = match is_server {
                true => accept(near, server.clone(), Vec::new()).await.map(|_| ()).map_err(|(error, _)| error),
                false => connect(near, client.clone(), name()).await.map(|_| ()),
            };
            let error = error.expect_err("refused");
            assert!(tls_error(&error).is_some(), "{error:?}");
            let mut answer = Vec::new();
            in_time(far.read_to_end(&mut answer)).await.expect("received");
            assert_eq!(answer.len().checked_sub(7).map(|alert| answer[alert]), Some(ALERT), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn a_session_is_resumed_by_the_ticket_of_the_one_before() {
    let (server, client) = configs(tls13());
    let mut kinds = Vec::new();
    for _ in 0..2 {
        let (near, far) = duplex(PIPE);
        let mut reference = ServerConnection::new(server.clone()).expect("a server");
        let (mut near_read, mut near_write) = tokio::io::split(near);
        let serve = async {
            let mut bytes = vec![0; 1 << 16];
            loop {
                while reference.wants_write() {
                    let mut flight = Vec::new();
                    reference.write_tls(&mut flight).expect("written");
                    near_write.write_all(&flight).await.expect("sent");
                }
                if !reference.is_handshaking() {
                    return;
                }
                let count = near_read.read(&mut bytes).await.expect("received");
                reference.read_tls(&mut &bytes[..count]).expect("read");
                reference.process_new_packets().expect("understood");
            }
        };
        let ((), connected) = tokio::join!(serve, connect(far, client.clone(), name()));
        let (mut stream, _) = connected.expect("connected");
        reference.writer().write_all(b"x").expect("taken");
        let mut data = Vec::new();
        reference.write_tls(&mut data).expect("written");
        near_write.write_all(&data).await.expect("sent");
        // The ticket comes before the data.
        assert_eq!(in_time(stream.read_u8()).await.expect("received"), b'x');
        kinds.push(reference.handshake_kind());
    }
    assert_eq!(kinds, [Some(rustls::HandshakeKind::Full), Some(rustls::HandshakeKind::Resumed)]);
}

#[tokio::test]
async fn keys_are_replaced_before_their_limit() {
    let (mut server, mut client) = with_client(tls13()).await;
    for _ in 0..5 {
        server.session().0.encrypter().set_limit(0);
        let bytes = numbered(40_000);
        let mut received = vec![0; bytes.len()];
        in_time(transfer(&mut server, &bytes, &mut client, &mut received)).await;
        assert_eq!(received, bytes);
    }
    let (mut server, mut client) = with_client(tls12()).await;
    server.session().0.encrypter().set_limit(0);
    assert_eq!(server.write(b"x").await.expect_err("too much for TLS 1.2").kind(), io::ErrorKind::InvalidData);
    server.flush().await.expect("flushed");
    assert_eq!(in_time(client.read(&mut [0])).await.expect("announced"), 0);
}

#[tokio::test]
async fn the_peer_may_replace_its_keys_and_ask_for_others() {
    // Of rustls.
    let (mut server, mut client) = with_client(tls13()).await;
    for _ in 0..40 {
        client.get_mut().1.refresh_traffic_keys().expect("possible");
        client.write_all(b"new").await.expect("taken");
        client.flush().await.expect("sent");
        let mut received = [0; 3];
        in_time(server.read_exact(&mut received)).await.expect("received");
        server.write_all(b"old").await.expect("taken");
        in_time(client.read_exact(&mut received)).await.expect("received");
        assert_eq!(&received, b"old");
    }
    // One that asks, in pieces.
    let (mut server, mut client) = pair(tls13()).await;
    for round in 0..3 {
        let update = key_update(1);
        match round {
            0 => send_record(&mut client, ContentType::Handshake, &update).await,
            _ => {
                send_record(&mut client, ContentType::Handshake, &update[..2]).await;
                send_record(&mut client, ContentType::Handshake, &update[2..]).await;
            }
        }
        client.session().0.renew_encrypter();
        client.write_all(b"new").await.expect("taken");
        let mut received = [0; 3];
        in_time(server.read_exact(&mut received)).await.expect("received");
        server.write_all(b"new").await.expect("taken");
        in_time(client.read_exact(&mut received)).await.expect("received");
    }
}

#[tokio::test]
async fn a_peer_that_asks_for_keys_and_never_reads_is_answered_once() {
    let (mut server, mut client) = pair(tls13()).await;
    // The server's side of the pipe is full.
    let mut cx = Context::from_waker(Waker::noop());
    while std::pin::Pin::new(&mut server).poll_write(&mut cx, &numbered(60_000)).is_ready() {}
    let waiting = server.session().1.len();
    for _ in 0..20 {
        for _ in 0..30 {
            send_record(&mut client, ContentType::Handshake, &key_update(1)).await;
            client.session().0.renew_encrypter();
        }
        client.write_all(b"x").await.expect("taken");
        client.flush().await.expect("sent");
        in_time(server.read_u8()).await.expect("received");
    }
    assert!(server.session().1.len() < waiting + 100);
    for _ in 0..33 {
        send_record(&mut client, ContentType::Handshake, &key_update(0)).await;
        client.session().0.renew_encrypter();
    }
    let error = in_time(server.read_u8()).await.expect_err("too many");
    assert_eq!(tls_error(&error), Some(Error::PeerMisbehaved(rustls::PeerMisbehaved::TooManyKeyUpdateRequests)));
}

#[tokio::test]
async fn a_handshake_message_without_end_is_not_kept() {
    let (server, client) = configs(tls13());
    let (near, mut far) = duplex(PIPE);
    let mut client = ClientConnection::new(client, name()).expect("a client");
    let mut hello = Vec::new();
    client.write_tls(&mut hello).expect("written");
    // The longest message, of which each byte has a record of its own.
    let mut message = hello.split_off(5);
    message[1..4].copy_from_slice(&[0, 0xff, 0xff]);
    message.resize(0xffff, 0);
    let send = async {
        let mut sent = 0;
        for byte in message {
            far.write_all(&[22, 3, 3, 0, 1, byte]).await.expect("taken");
            sent += 6;
        }
        sent
    };
    let accepted = in_time(async {
        tokio::select! {
            accepted = accept(near, server, Vec::new()) => accepted,
            sent = send => panic!("{sent} bytes are kept"),
        }
    })
    .await;
    let (error, _) = accepted.expect_err("refused");
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
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

#[tokio::test]
async fn altered_bytes_are_refused() {
    for suite in suites() {
        let (mut server, mut client) = pair(suite).await;
        let (session, outgoing) = client.session();
        let record = session.encrypter().encrypt(ContentType::ApplicationData, OutboundChunks::from(&b"hello"[..]));
        let mut record = record.expect("encrypted");
        *record.last_mut().expect("a tag") ^= 1;
        outgoing.push(record);
        client.flush().await.expect("sent");
        assert_refused(&mut server, &mut client, AlertDescription::BadRecordMac).await;
    }
}

#[tokio::test]
async fn what_is_no_record_is_refused() {
    for (header, alert) in [
        ([22, 3, 3, 0, 20], AlertDescription::UnexpectedMessage),
        ([20, 3, 3, 0, 20], AlertDescription::UnexpectedMessage),
        ([23, 4, 3, 0, 20], AlertDescription::ProtocolVersion),
        ([23, 3, 3, 0xff, 0xff], AlertDescription::RecordOverflow),
        ([23, 3, 3, 0, 0], AlertDescription::BadRecordMac),
    ] {
        let (mut server, mut client) = pair(tls13()).await;
        client.io().write_all(&header).await.expect("sent");
        client.io().write_all(&[0; 20]).await.expect("sent");
        assert_refused(&mut server, &mut client, alert).await;
    }
}

#[tokio::test]
async fn what_no_peer_may_send_is_refused() {
    use AlertDescription as Alert;
    let wrong = refused(tls13(), &[(ContentType::Handshake, &[])], Alert::DecodeError).await;
    assert!(matches!(wrong, Error::InvalidMessage(_)), "{wrong}");
    let hello = [u8::from(HandshakeType::ClientHello), 0, 0, 0];
    let wrong = refused(tls13(), &[(ContentType::Handshake, &hello)], Alert::UnexpectedMessage).await;
    assert!(matches!(wrong, Error::InappropriateHandshakeMessage { .. }), "{wrong}");
    let wrong = refused(tls13(), &[(ContentType::ApplicationData, &b""[..]); 33], Alert::UnexpectedMessage).await;
    assert_eq!(wrong, Error::PeerMisbehaved(rustls::PeerMisbehaved::TooManyEmptyFragments));
    refused(tls13(), &[(ContentType::Handshake, &key_update(2))], Alert::IllegalParameter).await;
    let ticket = [u8::from(HandshakeType::NewSessionTicket), 0, 0, 0];
    refused(tls13(), &[(ContentType::Handshake, &ticket)], Alert::UnexpectedMessage).await;
    let long = [u8::from(HandshakeType::NewSessionTicket), 2, 0, 0];
    refused(tls13(), &[(ContentType::Handshake, &long)], Alert::DecodeError).await;
    let interleaved = [(ContentType::Handshake, &key_update(0)[..3]), (ContentType::ApplicationData, &b"x"[..])];
    refused(tls13(), &interleaved, Alert::UnexpectedMessage).await;
    let two = [key_update(0), key_update(0)].concat();
    refused(tls13(), &[(ContentType::Handshake, &two)], Alert::UnexpectedMessage).await;
    refused(tls13(), &[(ContentType::Alert, &[1])], Alert::DecodeError).await;
    refused(tls13(), &[(ContentType::ChangeCipherSpec, &[1])], Alert::UnexpectedMessage).await;
    refused(tls12(), &[(ContentType::Handshake, &key_update(0))], Alert::UnexpectedMessage).await;
    // One renegotiation is refused by a warning, which the other end ignores; a second is too many.
    let renegotiation = (ContentType::Handshake, &hello[..]);
    refused(tls12(), &[renegotiation, renegotiation], Alert::UnexpectedMessage).await;
    let warning = (ContentType::Alert, &[1, 90][..]);
    for suite in [tls12(), tls13()] {
        let wrong = refused(suite, &[warning; 5], Alert::UnexpectedMessage).await;
        assert!(matches!(wrong, Error::PeerMisbehaved(_)), "{wrong}");
    }
}
