//! Evaluation of a filter on one captured request. Heads and bodies are read on demand and at most once.

use super::{
    FilterNode, FilterTest, NumberRange,
    fields::{FilterFlag, MessageScope, TextField},
    matcher::TextMatcher,
};
use crate::capture::{
    exchange::{Exchange, ExchangeState, nanoseconds},
    head::header_values,
    message::CapturedMessage,
    message_buffer::MessageBuffer,
};
use std::{
    cell::{Cell, OnceCell},
    io::Write,
};

/// Messages up to this size are matched in place, under the lock that capturing waits for.
const IN_PLACE_BYTES: usize = 16 * 1024;
/// The longest tunnel name with its protocol that is matched without an allocation.
const MAX_NAME_BYTES: usize = 160;

/// A captured request that a filter is applied to.
pub(super) struct Candidate<'a> {
    exchange: &'a Exchange,
    messages: OnceCell<(CapturedMessage, Option<CapturedMessage>)>,
    contents: [OnceCell<Vec<u8>>; 2],
    /// Bytes that were read in place.
    in_place_bytes: Cell<u64>,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(exchange: &'a Exchange) -> Self {
        Candidate { exchange, messages: OnceCell::new(), contents: Default::default(), in_place_bytes: Cell::new(0) }
    }

    /// Bytes that have been read so far.
    pub(super) fn read(&self) -> u64 {
        let contents: usize = self.contents.iter().filter_map(|content| content.get()).map(Vec::len).sum();
        contents as u64 + self.in_place_bytes.get()
    }

    pub(super) fn matches(&self, node: &FilterNode) -> bool {
        match node {
            FilterNode::All(nodes) => nodes.iter().all(|node| self.matches(node)),
            FilterNode::Any(nodes) => nodes.iter().any(|node| self.matches(node)),
            FilterNode::Not(node) => !self.matches(node),
            FilterNode::Test(test) => self.matches_test(test),
        }
    }

    fn matches_test(&self, test: &FilterTest) -> bool {
        let info = &self.exchange.info;
        let within = |bounds: &NumberRange, number: Option<u64>| number.is_some_and(|number| bounds.contain(number));
        match test {
            FilterTest::Anywhere(matcher) => self.anywhere(matcher),
            FilterTest::Text(field, matcher) => self.text(*field, matcher),
            FilterTest::Method(method) => info.method().eq_ignore_ascii_case(method),
            FilterTest::Tunnel(name) => info.tunnel.is_called(name, str::eq_ignore_ascii_case),
            FilterTest::Header(scope, name, matcher) => {
                self.sides(*scope).any(|side| self.has_header(side, name, matcher))
            }
            FilterTest::Body(scope, matcher) => self.sides(*scope).any(|side| self.has_in_body(side, matcher)),
            FilterTest::Status(bounds) => within(bounds, self.state(|state| state.status).map(u64::from)),
            FilterTest::Duration(bounds) => within(bounds, self.state(|state| state.duration).map(nanoseconds)),
            FilterTest::Size(scope, bounds) => {
                let (request, response) = self.state(ExchangeState::sizes);
                bounds.contain(match scope {
                    MessageScope::Either => request + response,
                    MessageScope::Request => request,
                    MessageScope::Response => response,
                })
            }
            FilterTest::Flag(flag, expected) => {
                let is = match flag {
                    FilterFlag::Replayed => info.replay_of.is_some(),
                    FilterFlag::Pinned => self.state(|state| state.pinned),
                    FilterFlag::Imported => info.imported,
                    FilterFlag::Cut => self.state(ExchangeState::is_cut),
                    FilterFlag::Pending => self.state(|state| state.duration.is_none()),
                };
                is == *expected
            }
        }
    }

    fn text(&self, field: TextField, matcher: &TextMatcher) -> bool {
        let info = &self.exchange.info;
        let maybe =
            |text: &Option<std::sync::Arc<str>>| text.as_ref().is_some_and(|text| matcher.matches(text.as_bytes()));
        match field {
            TextField::Path => matcher.matches(info.target().as_bytes()),
            TextField::Host => matcher.matches(info.host().as_bytes()),
            TextField::Remote => matcher.matches(info.remote().as_bytes()),
            TextField::Note => self.state(|state| maybe(&state.note)),
            TextField::Error => self.state(|state| maybe(&state.error)),
            TextField::Type => self.has_header(1, "content-type", matcher),
        }
    }

    fn anywhere(&self, matcher: &TextMatcher) -> bool {
        let info = &self.exchange.info;
        let texts = [info.method(), info.target(), info.host(), info.remote()];
        texts.into_iter().any(|text| matcher.matches(text.as_bytes()))
            || self.state(|state| {
                let digits = |code: u16| [code / 100, code / 10 % 10, code % 10].map(|digit| b'0' + digit as u8);
                let texts = [&state.note, &state.error];
                state.status.is_some_and(|code| matcher.matches(&digits(code)))
                    || texts.into_iter().flatten().any(|text| matcher.matches(text.as_bytes()))
            })
            || self.tunnel_is_called(matcher)
    }

    /// Formats the name on the stack: this runs for every captured request.
    fn tunnel_is_called(&self, matcher: &TextMatcher) -> bool {
        let tag = &self.exchange.info.tunnel;
        let mut text = [0; MAX_NAME_BYTES];
        let mut rest = text.as_mut_slice();
        let whole = write!(rest, "{} ({})", tag.definition, tag.proto).is_ok();
        let length = MAX_NAME_BYTES - rest.len();
        if whole { matcher.matches(&text[..length]) } else { matcher.matches(tag.shown().as_bytes()) }
    }

    fn state<T>(&self, read: impl FnOnce(&ExchangeState) -> T) -> T {
        read(&self.exchange.locked())
    }

    /// Reads one message in place, if it exists.
    fn buffer<T>(&self, side: usize, read: impl FnOnce(&MessageBuffer) -> T) -> Option<T> {
        self.state(|state| if side == 0 { Some(read(&state.request)) } else { state.response.as_ref().map(read) })
    }

    fn count_in_place(&self, bytes: usize) {
        self.in_place_bytes.set(self.in_place_bytes.get() + bytes as u64);
    }

    fn sides(&self, scope: MessageScope) -> impl Iterator<Item = usize> + use<> {
        let (first, end) = match scope {
            MessageScope::Either => (0, 2),
            MessageScope::Request => (0, 1),
            MessageScope::Response => (1, 2),
        };
        first..end
    }

    fn message(&self, side: usize) -> Option<&CapturedMessage> {
        let (request, response) = self.messages.get_or_init(|| self.exchange.messages());
        if side == 0 { Some(request) } else { response.as_ref() }
    }

    /// The body without its transfer coding; empty without a message.
    fn content(&self, side: usize) -> &[u8] {
        self.contents[side].get_or_init(|| self.message(side).map(CapturedMessage::content_bytes).unwrap_or_default())
    }

    fn has_header(&self, side: usize, name: &str, matcher: &TextMatcher) -> bool {
        let found = self.buffer(side, |buffer| {
            buffer.with_head(|head| {
                self.count_in_place(head.len());
                header_values(head, name).any(|value| matcher.matches(value))
            })
        });
        found.unwrap_or_default()
    }

    fn has_in_body(&self, side: usize, matcher: &TextMatcher) -> bool {
        let at_once = self.buffer(side, |buffer| {
            let whole = buffer.contiguous().filter(|whole| whole.len() <= IN_PLACE_BYTES)?;
            let (head, body) = whole.split_at_checked(buffer.head)?;
            if !buffer.plain && header_values(head, "transfer-encoding").next().is_some() {
                return None;
            }
            self.count_in_place(body.len());
            Some(matcher.matches(body))
        });
        let at_once = at_once.flatten();
        at_once.unwrap_or_else(|| self.message(side).is_some() && matcher.matches(self.content(side)))
    }
}
