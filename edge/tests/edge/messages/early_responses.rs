//! Responses over HTTP/2 that are complete before the request is (RFC 9113, section 8.1).

use crate::kit::{
    World,
    frames::{ACK, DATA, END_HEADERS, END_STREAM, Fate, Frames, HEADERS, PING, RST_STREAM, block, number},
};

const HOST: &str = "nothing.localhost";

/// Sends the head of a request that is refused, and waits until the response is complete.
async fn refused_request(world: &World, length: &str) -> Frames {
    let mut frames = Frames::open(world, HOST, &[]).await;
    let head = block(&[
        (b":method", b"POST"),
        (b":scheme", b"https"),
        (b":authority", HOST.as_bytes()),
        (b":path", b"/"),
        (b"content-length", length.as_bytes()),
    ]);
    frames.send(HEADERS, END_HEADERS, 1, &head).await;
    assert_eq!(frames.fate(1).await, Fate::Responded(404));
    while !frames.next().await.is_some_and(|frame| frame.kind == DATA && frame.flags & END_STREAM != 0) {}
    frames
}

/// The error of the stream, if it was reset before a PING frame is acknowledged.
async fn reset(frames: &mut Frames) -> Option<u32> {
    frames.send(PING, 0, 0, b"question").await;
    let mut error = None;
    loop {
        let frame = frames.next().await.expect("the connection goes on");
        match frame.kind {
            RST_STREAM => error = Some(number(&frame.payload)),
            PING if frame.flags & ACK != 0 => return error,
            _ => {}
        }
    }
}

/// curl 7.88 takes a reset for a failure of the request while it has not sent the whole body.
#[tokio::test]
async fn the_stream_is_not_reset_while_a_short_body_arrives() {
    let world = World::start().await;
    let mut frames = refused_request(&world, "4").await;
    assert_eq!(reset(&mut frames).await, None, "before the body");
    frames.send(DATA, 0, 1, b"bo").await;
    assert_eq!(reset(&mut frames).await, None, "within the body");
    frames.send(DATA, END_STREAM, 1, b"dy").await;
    assert_eq!(reset(&mut frames).await, None, "after the body");
}

#[tokio::test]
async fn the_stream_is_reset_without_an_error_instead_of_taking_a_long_body() {
    let world = World::start().await;
    let mut frames = refused_request(&world, "8388608").await;
    assert_eq!(frames.fate(1).await, Fate::Reset(0));
}
