//! Keys that either end replaces.

use super::*;

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
    while Pin::new(&mut server).poll_write(&mut cx, &numbered(60_000)).is_ready() {}
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
