//! Asking a filter's tests of one captured request. What must be read is read when a test asks for it, and once.

use super::{
    Bounds, Node, Test,
    fields::{Flag, Half, TextField},
    matcher::Matcher,
};
use crate::capture::{
    exchange::{Exchange, Facts, nanoseconds},
    message::Message,
};
use std::cell::{Cell, OnceCell};

/// A captured request that is judged.
pub(super) struct Candidate<'a> {
    exchange: &'a Exchange,
    facts: Facts,
    messages: OnceCell<(Message, Option<Message>)>,
    contents: [OnceCell<Vec<u8>>; 2],
    heads: Cell<u64>,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(exchange: &'a Exchange) -> Self {
        let facts = exchange.facts();
        Candidate { exchange, facts, messages: OnceCell::new(), contents: Default::default(), heads: Cell::new(0) }
    }

    /// Bytes that were read so far.
    pub(super) fn read(&self) -> u64 {
        let contents: usize = self.contents.iter().filter_map(|content| content.get()).map(Vec::len).sum();
        contents as u64 + self.heads.get()
    }

    pub(super) fn fits(&self, node: &Node) -> bool {
        match node {
            Node::All(nodes) => nodes.iter().all(|node| self.fits(node)),
            Node::Any(nodes) => nodes.iter().any(|node| self.fits(node)),
            Node::Not(node) => !self.fits(node),
            Node::Test(test) => self.passes(test),
        }
    }

    fn passes(&self, test: &Test) -> bool {
        let (opening, facts) = (&self.exchange.opening, &self.facts);
        let within = |bounds: &Bounds, number: Option<u64>| number.is_some_and(|number| bounds.contain(number));
        match test {
            Test::Anywhere(matcher) => self.anywhere(matcher),
            Test::Text(field, matcher) => self.text(*field, matcher),
            Test::Method(method) => opening.method.eq_ignore_ascii_case(method),
            Test::Tunnel(name) => {
                let tag = &opening.tunnel;
                tag.definition.eq_ignore_ascii_case(name) || tag.shown().eq_ignore_ascii_case(name)
            }
            Test::Header(half, name, matcher) => self.sides(*half).any(|side| self.has_header(side, name, matcher)),
            Test::Body(half, matcher) => {
                self.sides(*half).any(|side| self.message(side).is_some() && matcher.matches(self.content(side)))
            }
            Test::Status(bounds) => within(bounds, facts.status.map(u64::from)),
            Test::Duration(bounds) => within(bounds, facts.duration.map(nanoseconds)),
            Test::Size(half, bounds) => bounds.contain(match half {
                Half::Either => facts.request_size + facts.response_size,
                Half::Request => facts.request_size,
                Half::Response => facts.response_size,
            }),
            Test::Flag(flag, wanted) => {
                let is = match flag {
                    Flag::Replayed => opening.replay_of.is_some(),
                    Flag::Pinned => facts.pinned,
                    Flag::Imported => opening.imported,
                    Flag::Cut => facts.cut,
                    Flag::Pending => facts.duration.is_none(),
                };
                is == *wanted
            }
        }
    }

    fn text(&self, field: TextField, matcher: &Matcher) -> bool {
        let opening = &self.exchange.opening;
        let maybe =
            |text: &Option<std::sync::Arc<str>>| text.as_ref().is_some_and(|text| matcher.matches(text.as_bytes()));
        match field {
            TextField::Path => matcher.matches(opening.target.as_bytes()),
            TextField::Host => matcher.matches(opening.host.as_bytes()),
            TextField::Remote => matcher.matches(opening.remote.as_bytes()),
            TextField::Note => maybe(&self.facts.note),
            TextField::Error => maybe(&self.facts.error),
            TextField::Type => self.has_header(1, "content-type", matcher),
        }
    }

    fn anywhere(&self, matcher: &Matcher) -> bool {
        let opening = &self.exchange.opening;
        let texts = [&opening.method, &opening.target, &opening.host, &opening.remote];
        texts.into_iter().any(|text| matcher.matches(text.as_bytes()))
            || matcher.matches(opening.tunnel.shown().as_bytes())
            || self.facts.status.is_some_and(|status| matcher.matches(status.to_string().as_bytes()))
            || self.text(TextField::Note, matcher)
            || self.text(TextField::Error, matcher)
    }

    fn sides(&self, half: Half) -> impl Iterator<Item = usize> + use<> {
        let (first, end) = match half {
            Half::Either => (0, 2),
            Half::Request => (0, 1),
            Half::Response => (1, 2),
        };
        first..end
    }

    fn message(&self, side: usize) -> Option<&Message> {
        let (request, response) = self.messages.get_or_init(|| self.exchange.messages());
        if side == 0 { Some(request) } else { response.as_ref() }
    }

    /// The body without its transfer coding; nothing where there is no message.
    fn content(&self, side: usize) -> &[u8] {
        self.contents[side].get_or_init(|| self.message(side).map(Message::whole_content).unwrap_or_default())
    }

    fn has_header(&self, side: usize, name: &str, matcher: &Matcher) -> bool {
        let Some(message) = self.message(side) else { return false };
        self.heads.set(self.heads.get() + message.head_length() as u64);
        message.has_header(name, |value| matcher.matches(value))
    }
}
