//! One stream of an HTTP/2 connection, followed as a conversation of HTTP/1.1 with one request.

use super::message::HeaderList;
use crate::capture::sniffer::Conversation;

/// The error code of a stream that ends without an error (RFC 9113 section 7).
const NO_ERROR: u32 = 0;

/// The party that sends the frames of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sender {
    Visitor,
    Service,
}

/// A stream whose request has begun.
pub(super) struct FollowedStream {
    conversation: Conversation,
    request: Progress,
    response: Progress,
}

/// The progress of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// Its head is awaited.
    Head,
    /// In its body, which is given the chunked coding.
    Chunked,
    /// In its body, which is declared to have so many bytes more.
    Plain(u64),
    Ended,
}

impl FollowedStream {
    pub(super) fn new(conversation: Conversation) -> Self {
        FollowedStream { conversation, request: Progress::Head, response: Progress::Head }
    }

    /// Takes a header block: a head or trailers. `ends` with the last frame of its direction.
    pub(super) fn headers(&mut self, sender: Sender, headers: &HeaderList, ends: bool) {
        match self.progress(sender) {
            Progress::Head => self.head(sender, headers, ends),
            Progress::Chunked if ends => {
                self.pass(sender, &headers.trailers());
                self.end(sender);
            }
            Progress::Plain(_) if ends => self.end(sender),
            _ => {}
        }
    }

    fn head(&mut self, sender: Sender, headers: &HeaderList, ends: bool) {
        let Ok(length) = headers.length() else { return self.give_up("The length of the body is not valid.") };
        let chunked = !ends && length.is_none();
        match (sender, headers.status()) {
            (Sender::Visitor, _) => self.pass(sender, &headers.request_head(chunked)),
            // An interim response has no body, and another head follows (RFC 9113 section 8.1).
            (Sender::Service, Some(100..=199)) => return,
            (Sender::Service, Some(status)) => self.pass(sender, &headers.response_head(status, chunked)),
            (Sender::Service, None) => return self.give_up("The response has no status."),
        }
        *self.progress_mut(sender) = if chunked { Progress::Chunked } else { Progress::Plain(length.unwrap_or(0)) };
        if ends {
            self.end(sender);
        }
    }

    /// Takes data of the body.
    pub(super) fn data(&mut self, sender: Sender, data: &[u8], ends: bool) {
        match self.progress(sender) {
            Progress::Chunked => {
                if !data.is_empty() {
                    self.pass(sender, format!("{:x}\r\n", data.len()).as_bytes());
                    self.pass(sender, data);
                    self.pass(sender, b"\r\n");
                }
                if ends {
                    self.pass(sender, b"0\r\n\r\n");
                }
            }
            Progress::Plain(left) => {
                let allowed = usize::try_from(left).map_or(data.len(), |left| data.len().min(left));
                self.pass(sender, &data[..allowed]);
                // More bytes would be taken for another request.
                if allowed < data.len() {
                    return self.give_up("The body is longer than declared.");
                }
                *self.progress_mut(sender) = Progress::Plain(left - allowed as u64);
            }
            Progress::Head | Progress::Ended => return,
        }
        if ends {
            self.end(sender);
        }
    }

    /// The stream was reset by a party.
    pub(super) fn fail(&mut self, sender: Sender, code: u32) {
        let name = h2_reason(code);
        match sender {
            // A service that does not need the rest of the request says so after its response (RFC 9113 section 8.1).
            Sender::Service if code == NO_ERROR && self.response == Progress::Ended => {}
            Sender::Service => self.give_up(&format!("The local service reset the stream: {name}.")),
            Sender::Visitor => self.give_up(&format!("The request was given up by its sender: {name}.")),
        }
    }

    pub(super) fn give_up(&mut self, why: &str) {
        self.conversation.fail(why);
        (self.request, self.response) = (Progress::Ended, Progress::Ended);
    }

    /// Whether both messages have passed.
    pub(super) fn is_over(&self) -> bool {
        (self.request, self.response) == (Progress::Ended, Progress::Ended)
    }

    fn end(&mut self, sender: Sender) {
        *self.progress_mut(sender) = Progress::Ended;
        if sender == Sender::Service && self.conversation.answered() == 0 {
            // Without a declared length the body ends with the stream.
            self.conversation.response_closed();
        }
    }

    fn pass(&mut self, sender: Sender, bytes: &[u8]) {
        match sender {
            Sender::Visitor => self.conversation.request_bytes(bytes),
            // What follows the response would be taken for another one.
            Sender::Service if self.conversation.answered() > 0 => {}
            Sender::Service => self.conversation.response_bytes(bytes),
        }
    }

    fn progress(&self, sender: Sender) -> Progress {
        match sender {
            Sender::Visitor => self.request,
            Sender::Service => self.response,
        }
    }

    fn progress_mut(&mut self, sender: Sender) -> &mut Progress {
        match sender {
            Sender::Visitor => &mut self.request,
            Sender::Service => &mut self.response,
        }
    }
}

/// The name of an error code (RFC 9113 section 7).
fn h2_reason(code: u32) -> String {
    const NAMES: [&str; 14] = [
        "NO_ERROR",
        "PROTOCOL_ERROR",
        "INTERNAL_ERROR",
        "FLOW_CONTROL_ERROR",
        "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
        "FRAME_SIZE_ERROR",
        "REFUSED_STREAM",
        "CANCEL",
        "COMPRESSION_ERROR",
        "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY",
        "HTTP_1_1_REQUIRED",
    ];
    usize::try_from(code)
        .ok()
        .and_then(|code| NAMES.get(code))
        .map_or_else(|| format!("error {code}"), |name| (*name).to_owned())
}
