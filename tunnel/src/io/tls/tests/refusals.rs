//! What ends a connection with an alert.

use super::*;

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
