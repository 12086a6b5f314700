//! Asking a filter's tests of one captured request. What must be read is read when a test asks for it, and once.

use super::{
    Bounds, Node, Test,
    fields::{Flag, Half, TextField},
    matcher::Matcher,
};
use crate::capture::{
    exchange::{Exchange, State, nanoseconds},
    head::values,
    message::Message,
    recording::Recording,
};
use std::{
    cell::{Cell, OnceCell},
    io::Write,
};

/// Messages up to this size are looked at where they lie, while whoever captures would have to wait.
const SMALL: usize = 16 * 1024;
/// The longest name of a tunnel, with what is shown behind it.
const LONGEST_NAME: usize = 160;

/// A captured request that is judged.
pub(super) struct Candidate<'a> {
    exchange: &'a Exchange,
    messages: OnceCell<(Message, Option<Message>)>,
    contents: [OnceCell<Vec<u8>>; 2],
    /// Bytes that were looked at where they lie.
    seen: Cell<u64>,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(exchange: &'a Exchange) -> Self {
        Candidate { exchange, messages: OnceCell::new(), contents: Default::default(), seen: Cell::new(0) }
    }

    /// Bytes that were read so far.
    pub(super) fn read(&self) -> u64 {
        let contents: usize = self.contents.iter().filter_map(|content| content.get()).map(Vec::len).sum();
        contents as u64 + self.seen.get()
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
        let opening = &self.exchange.opening;
        let within = |bounds: &Bounds, number: Option<u64>| number.is_some_and(|number| bounds.contain(number));
        match test {
            Test::Anywhere(matcher) => self.anywhere(matcher),
            Test::Text(field, matcher) => self.text(*field, matcher),
            Test::Method(method) => opening.method().eq_ignore_ascii_case(method),
            Test::Tunnel(name) => opening.tunnel.is_called(name, str::eq_ignore_ascii_case),
            Test::Header(half, name, matcher) => self.sides(*half).any(|side| self.has_header(side, name, matcher)),
            Test::Body(half, matcher) => self.sides(*half).any(|side| self.has_in_body(side, matcher)),
            Test::Status(bounds) => within(bounds, self.state(|state| state.status).map(u64::from)),
            Test::Duration(bounds) => within(bounds, self.state(|state| state.duration).map(nanoseconds)),
            Test::Size(half, bounds) => {
                let (request, response) = self.state(State::sizes);
                bounds.contain(match half {
                    Half::Either => request + response,
                    Half::Request => request,
                    Half::Response => response,
                })
            }
            Test::Flag(flag, wanted) => {
                let is = match flag {
                    Flag::Replayed => opening.replay_of.is_some(),
                    Flag::Pinned => self.state(|state| state.pinned),
                    Flag::Imported => opening.imported,
                    Flag::Cut => self.state(State::is_cut),
                    Flag::Pending => self.state(|state| state.duration.is_none()),
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
            TextField::Path => matcher.matches(opening.target().as_bytes()),
            TextField::Host => matcher.matches(opening.host().as_bytes()),
            TextField::Remote => matcher.matches(opening.remote().as_bytes()),
            TextField::Note => self.state(|state| maybe(&state.note)),
            TextField::Error => self.state(|state| maybe(&state.error)),
            TextField::Type => self.has_header(1, "content-type", matcher),
        }
    }

    fn anywhere(&self, matcher: &Matcher) -> bool {
        let opening = &self.exchange.opening;
        let texts = [opening.method(), opening.target(), opening.host(), opening.remote()];
        texts.into_iter().any(|text| matcher.matches(text.as_bytes()))
            || self.state(|state| {
                let digits = |code: u16| [code / 100, code / 10 % 10, code % 10].map(|digit| b'0' + digit as u8);
                let texts = [&state.note, &state.error];
                state.status.is_some_and(|code| matcher.matches(&digits(code)))
                    || texts.into_iter().flatten().any(|text| matcher.matches(text.as_bytes()))
            })
            || self.tunnel_is_called(matcher)
    }

    /// Without making a text of its own for each of a hundred thousand.
    fn tunnel_is_called(&self, matcher: &Matcher) -> bool {
        let tag = &self.exchange.opening.tunnel;
        let mut text = [0; LONGEST_NAME];
        let mut rest = text.as_mut_slice();
        let whole = write!(rest, "{} ({})", tag.definition, tag.proto).is_ok();
        let length = LONGEST_NAME - rest.len();
        if whole { matcher.matches(&text[..length]) } else { matcher.matches(tag.shown().as_bytes()) }
    }

    fn state<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.exchange.locked())
    }

    /// One side where it lies, if it is there.
    fn recording<T>(&self, side: usize, look: impl FnOnce(&Recording) -> T) -> Option<T> {
        self.state(|state| if side == 0 { Some(look(&state.request)) } else { state.response.as_ref().map(look) })
    }

    fn saw(&self, bytes: usize) {
        self.seen.set(self.seen.get() + bytes as u64);
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
        let found = self.recording(side, |recording| {
            recording.look_at_head(|head| {
                self.saw(head.len());
                values(head, name).any(|value| matcher.matches(value))
            })
        });
        found.unwrap_or_default()
    }

    fn has_in_body(&self, side: usize, matcher: &Matcher) -> bool {
        let at_once = self.recording(side, |recording| {
            let whole = recording.in_one_piece().filter(|whole| whole.len() <= SMALL)?;
            let (head, body) = whole.split_at_checked(recording.head)?;
            if !recording.plain && values(head, "transfer-encoding").next().is_some() {
                return None;
            }
            self.saw(body.len());
            Some(matcher.matches(body))
        });
        let at_once = at_once.flatten();
        at_once.unwrap_or_else(|| self.message(side).is_some() && matcher.matches(self.content(side)))
    }
}
