//! Handshakes that succeed, fail, or never end, and what comes with their last message.

use super::*;
use rustls::{ClientConnection, ServerConnection};
use std::io::Write;

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
