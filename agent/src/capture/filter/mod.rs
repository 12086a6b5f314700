//! The filter language for captured requests: `status:5xx method:POST body~"…" dur>500ms tunnel:web`.
//!
//! A text is parsed once and then asked of one request after the other. Tests of what is known at once come before
//! those that read heads, and those before the ones that read bodies.

mod evaluation;
mod fields;
mod lexer;
mod matcher;
mod parser;

use super::exchange::Exchange;
use fields::{Flag, Half, TextField};
use matcher::Matcher;
use postern_api::{Code, Error};

/// A filter that was understood. The empty one lets everything pass.
#[derive(Clone, Debug)]
pub struct Filter {
    root: Node,
}

/// Why a filter was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// The number of the character it is about, counted from 1.
    pub position: usize,
    /// What is wrong there, and what would be right.
    pub message: String,
}

#[derive(Clone, Debug)]
enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Test(Test),
}

/// What is asked of one request.
#[derive(Clone, Debug)]
enum Test {
    /// Somewhere in what the list shows.
    Anywhere(Matcher),
    Text(TextField, Matcher),
    Method(String),
    Tunnel(String),
    Header(Half, String, Matcher),
    Body(Half, Matcher),
    Status(Bounds),
    Duration(Bounds),
    Size(Half, Bounds),
    Flag(Flag, bool),
}

/// Numbers from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    least: u64,
    most: u64,
}

impl Filter {
    /// Reads a filter.
    ///
    /// # Errors
    /// What is not understood, where it stands, and what would be right.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        parser::parse(text).map(|root| Filter { root })
    }

    /// Whether a captured request passes. Adds the bytes of heads and bodies that had to be read to `work`.
    pub fn passes(&self, exchange: &Exchange, work: &mut u64) -> bool {
        let candidate = evaluation::Candidate::new(exchange);
        let passes = candidate.fits(&self.root);
        *work += candidate.read();
        passes
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

impl Bounds {
    fn contain(self, number: u64) -> bool {
        (self.least..=self.most).contains(&number)
    }
}

impl Node {
    /// How much must be read to decide it.
    fn cost(&self) -> u8 {
        match self {
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().map(Node::cost).max().unwrap_or(0),
            Node::Not(node) => node.cost(),
            Node::Test(Test::Body(..)) => 3,
            Node::Test(Test::Header(..) | Test::Text(TextField::Type, _)) => 2,
            Node::Test(Test::Anywhere(_) | Test::Text(..)) => 1,
            Node::Test(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests;
