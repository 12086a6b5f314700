//! The filter language for captured requests: `status:5xx method:POST body~"…" dur>500ms tunnel:web`.
//!
//! A filter is parsed once and then applied to many requests. Tests of indexed facts come before tests that read heads,
//! and those before tests that read bodies.

mod evaluation;
mod fields;
mod lexer;
mod matcher;
mod parser;

use super::exchange::Exchange;
use fields::{FilterFlag, MessageScope, TextField};
use matcher::TextMatcher;
use postern_api::{Code, Error};

/// A parsed filter. The empty filter matches everything.
#[derive(Clone, Debug)]
pub struct Filter {
    root: FilterNode,
}

/// A syntax error of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// The position in characters, from 1.
    pub position: usize,
    /// The problem and its remedy.
    pub message: String,
}

#[derive(Clone, Debug)]
enum FilterNode {
    All(Vec<FilterNode>),
    Any(Vec<FilterNode>),
    Not(Box<FilterNode>),
    Test(FilterTest),
}

/// A test of one captured request.
#[derive(Clone, Debug)]
enum FilterTest {
    /// A text in any of the facts that the list shows.
    Anywhere(TextMatcher),
    Text(TextField, TextMatcher),
    Method(String),
    Tunnel(String),
    Header(MessageScope, String, TextMatcher),
    Body(MessageScope, TextMatcher),
    Status(NumberRange),
    Duration(NumberRange),
    Size(MessageScope, NumberRange),
    Flag(FilterFlag, bool),
}

/// An inclusive range of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NumberRange {
    min: u64,
    max: u64,
}

impl Filter {
    /// Parses a filter.
    ///
    /// # Errors
    /// The first syntax error with its position.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        parser::parse(text).map(|root| Filter { root })
    }

    /// Whether a captured request matches. Adds the bytes of heads and bodies that were read to `work`.
    pub fn matches(&self, exchange: &Exchange, work: &mut u64) -> bool {
        let candidate = evaluation::Candidate::new(exchange);
        let matches = candidate.matches(&self.root);
        *work += candidate.read();
        matches
    }
}

impl FilterError {
    fn at(position: usize, message: impl Into<String>) -> Self {
        FilterError { position, message: message.into() }
    }
}

impl From<FilterError> for Error {
    fn from(error: FilterError) -> Self {
        Error::new(Code::FilterInvalid, format!("At character {} of the filter: {}", error.position, error.message))
            .with("position", error.position)
    }
}

impl NumberRange {
    fn contain(self, number: u64) -> bool {
        (self.min..=self.max).contains(&number)
    }
}

impl FilterNode {
    /// The relative cost of the reads it takes.
    fn cost(&self) -> u8 {
        match self {
            FilterNode::All(nodes) | FilterNode::Any(nodes) => nodes.iter().map(FilterNode::cost).max().unwrap_or(0),
            FilterNode::Not(node) => node.cost(),
            FilterNode::Test(FilterTest::Body(..)) => 3,
            FilterNode::Test(FilterTest::Header(..) | FilterTest::Text(TextField::Type, _)) => 2,
            FilterNode::Test(FilterTest::Anywhere(_) | FilterTest::Text(..)) => 1,
            FilterNode::Test(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests;
