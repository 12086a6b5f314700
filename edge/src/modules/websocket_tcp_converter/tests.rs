use super::*;

/// The example of RFC 6455.
const GOOD: [(&str, &str); 4] = [
    ("connection", "Upgrade"),
    ("upgrade", "websocket"),
    ("sec-websocket-version", "13"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
];

/// The good handshake with a header in the place of the one of the same name, or without it if it says nothing.
fn with(name: &str, value: &str) -> HeaderMap {
    let mut map = HeaderMap::new();
    let others = GOOD.iter().copied().filter(|(other, _)| *other != name);
    for (name, value) in others.chain((!value.is_empty()).then_some((name, value))) {
        map.append(HeaderName::try_from(name).expect("a name"), HeaderValue::try_from(value).expect("a value"));
    }
    map
}

#[test]
fn the_answer_proves_that_the_key_was_read() {
    let answer = read(&with("upgrade", "WebSocket")).expect("a handshake").answer();
    assert_eq!(answer.status(), StatusCode::SWITCHING_PROTOCOLS);
    assert_eq!(answer.headers()[header::SEC_WEBSOCKET_ACCEPT], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_eq!(
        (&answer.headers()[header::UPGRADE], &answer.headers()[header::CONNECTION]),
        (&"websocket".parse().expect("a value"), &"Upgrade".parse().expect("a value"))
    );
    assert!(!answer.headers().contains_key(header::SEC_WEBSOCKET_PROTOCOL), "none was offered");
    assert!(!answer.headers().contains_key(header::SEC_WEBSOCKET_EXTENSIONS), "there are none here");
}

#[test]
fn what_is_no_handshake_is_refused() {
    for (name, value) in [
        ("upgrade", ""),
        ("upgrade", "h2c"),
        ("upgrade", "websocket, h2c"),
        ("sec-websocket-version", ""),
        ("sec-websocket-version", "8"),
        ("sec-websocket-version", "13, 8"),
        ("sec-websocket-key", ""),
        ("sec-websocket-key", "not base64!"),
        ("sec-websocket-key", "dG9vIHNob3J0"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZXdpdGhtb3Jl"),
    ] {
        assert!(read(&with(name, value)).is_err(), "{name}: {value}");
    }
    for (name, value) in &GOOD[1..] {
        let mut twice = with("", "");
        twice.append(HeaderName::try_from(*name).expect("a name"), HeaderValue::try_from(*value).expect("a value"));
        assert!(read(&twice).is_err(), "{name} twice");
    }
}

#[test]
fn one_of_the_offered_subprotocols_is_taken() {
    for (offered, expected) in [
        ("mqtt", Some("mqtt")),
        ("mqttv3.1, mqtt", Some("mqttv3.1")),
        ("base64, binary", Some("binary")),
        ("binary,base64", Some("binary")),
        (" , ", None),
    ] {
        let handshake = read(&with("sec-websocket-protocol", offered)).expect("a handshake");
        assert_eq!(handshake.protocol.as_ref().and_then(|value| value.to_str().ok()), expected, "{offered}");
    }
}
