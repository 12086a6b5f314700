//! The grammar of filters: tests side by side must all hold; `and`, `or`, `not` and parentheses combine them.

use super::{
    Bounds, FilterError, Node, Test,
    fields::{self, Field, NAMES},
    lexer::{Operator, Placed, Token, cut},
    matcher::Matcher,
};
use crate::config::suggestion::nearest;

/// Parentheses and `not` in one another.
const DEEPEST: usize = 32;
/// Tests in one filter.
const MOST_TESTS: usize = 64;

/// Reads a whole filter.
pub(super) fn parse(text: &str) -> Result<Node, FilterError> {
    let pieces = cut(text)?;
    if pieces.is_empty() {
        return Ok(Node::All(Vec::new()));
    }
    let end = text.chars().count() + 1;
    let mut parser = Parser { pieces: pieces.into_iter().peekable(), end, tests: 0 };
    let node = parser.alternatives(0)?;
    match parser.pieces.next() {
        None => Ok(node),
        Some((at, _)) => Err(FilterError::at(at, "This `)` closes nothing; take it out, or put it in quotes.")),
    }
}

struct Parser {
    pieces: std::iter::Peekable<std::vec::IntoIter<Placed>>,
    end: usize,
    tests: usize,
}

impl Parser {
    fn next_is(&mut self, wanted: &Token) -> bool {
        self.pieces.peek().is_some_and(|(_, token)| token == wanted)
    }

    fn alternatives(&mut self, depth: usize) -> Result<Node, FilterError> {
        let mut nodes = vec![self.together(depth)?];
        while self.next_is(&Token::Or) {
            self.pieces.next();
            nodes.push(self.together(depth)?);
        }
        Ok(combined(nodes, Node::Any))
    }

    fn together(&mut self, depth: usize) -> Result<Node, FilterError> {
        let mut nodes = vec![self.one(depth)?];
        loop {
            match self.pieces.peek() {
                Some((_, Token::And)) => {
                    self.pieces.next();
                }
                None | Some((_, Token::Or | Token::Close)) => return Ok(combined(nodes, Node::All)),
                Some(_) => {}
            }
            nodes.push(self.one(depth)?);
        }
    }

    fn one(&mut self, depth: usize) -> Result<Node, FilterError> {
        let (at, token) = self.pieces.next().ok_or_else(|| {
            FilterError::at(self.end, "The filter ends here, where a test such as `status:5xx` is due.")
        })?;
        if depth > DEEPEST {
            return Err(FilterError::at(at, format!("More than {DEEPEST} parentheses in one another are not read.")));
        }
        match token {
            Token::Open => {
                let node = self.alternatives(depth + 1)?;
                match self.pieces.next() {
                    Some((_, Token::Close)) => Ok(node),
                    _ => Err(FilterError::at(at, "The parenthesis that opens here is never closed; add a `)`.")),
                }
            }
            Token::Not => Ok(Node::Not(Box::new(self.one(depth + 1)?))),
            Token::Close => Err(FilterError::at(at, "Before this `)` a test such as `status:5xx` is missing.")),
            Token::And | Token::Or => {
                let word = if token == Token::And { "and" } else { "or" };
                Err(FilterError::at(
                    at,
                    format!("Before this `{word}` a test is missing; put the word in quotes to look for it."),
                ))
            }
            Token::Text(text) => {
                self.count(at)?;
                contains(&text, at).map(|matcher| Node::Test(Test::Anywhere(matcher)))
            }
            Token::Field { name, operator, value, value_at } => {
                self.count(at)?;
                test(at, &name, operator, &value, value_at).map(Node::Test)
            }
        }
    }

    fn count(&mut self, at: usize) -> Result<(), FilterError> {
        self.tests += 1;
        if self.tests > MOST_TESTS {
            return Err(FilterError::at(at, format!("A filter can have {MOST_TESTS} tests; leave some out.")));
        }
        Ok(())
    }
}

/// Cheap ones first: most requests are decided before anything needs to be read.
fn combined(mut nodes: Vec<Node>, join: impl FnOnce(Vec<Node>) -> Node) -> Node {
    nodes.sort_by_key(Node::cost);
    if nodes.len() > 1 { join(nodes) } else { nodes.swap_remove(0) }
}

fn contains(text: &str, at: usize) -> Result<Matcher, FilterError> {
    Matcher::contains(text).ok_or_else(|| FilterError::at(at, "This text is too long to look for; shorten it."))
}

fn test(at: usize, name: &str, operator: Operator, value: &str, value_at: usize) -> Result<Test, FilterError> {
    let field = Field::named(name).ok_or_else(|| unknown(at, name))?;
    let wrong = |right: &str| FilterError::at(value_at, format!("`{name}` takes {right}."));
    let text = || match operator {
        Operator::Has => contains(value, value_at),
        Operator::Is => Ok(Matcher::equal(value)),
        Operator::Matches => Matcher::pattern(value).map_err(|why| {
            FilterError::at(value_at, format!("This is no regular expression ({why}); `{name}:` looks for plain text."))
        }),
        _ => Err(wrong("`:` (contains), `=` (is) or `~` (matches a regular expression), and a text")),
    };
    let word = || match operator {
        Operator::Has | Operator::Is => Ok(value.to_owned()),
        _ => Err(wrong("`:` and a name")),
    };
    Ok(match field {
        Field::Text(field) => Test::Text(field, text()?),
        Field::Header(half, header) => Test::Header(half, header, text()?),
        Field::Body(half) => Test::Body(half, text()?),
        Field::Method => Test::Method(word()?),
        Field::Tunnel => Test::Tunnel(word()?),
        Field::Status => {
            let right = "a status: `status:404`, `status:5xx`, `status:400-499`, `status>=400`";
            let written = fields::statuses(value).ok_or_else(|| wrong(right))?;
            Test::Status(bounds(operator, written).ok_or_else(|| wrong(right))?)
        }
        Field::Duration => {
            let right = "a bound with a unit: `dur>500ms`, `dur<=2s`";
            let number = fields::nanoseconds(value).ok_or_else(|| wrong(right))?;
            let between = matches!(operator, Operator::Has | Operator::Is);
            let written = Bounds { least: number, most: number };
            Test::Duration(bounds(operator, written).filter(|_| !between).ok_or_else(|| wrong(right))?)
        }
        Field::Size(half) => {
            let right = "a number of bytes: `size>1mb`, `size<=500`, `size=0`";
            let number = fields::bytes(value).ok_or_else(|| wrong(right))?;
            Test::Size(half, bounds(operator, Bounds { least: number, most: number }).ok_or_else(|| wrong(right))?)
        }
        Field::Flag(flag) => {
            let plain = matches!(operator, Operator::Has | Operator::Is);
            let value = fields::truth(value).filter(|_| plain).ok_or_else(|| wrong("`:yes` or `:no`"))?;
            Test::Flag(flag, value)
        }
    })
}

/// What a comparison with a number or a span of numbers allows.
fn bounds(operator: Operator, written: Bounds) -> Option<Bounds> {
    let nothing = Bounds { least: 1, most: 0 };
    Some(match operator {
        Operator::Has | Operator::Is => written,
        Operator::Above => written.most.checked_add(1).map_or(nothing, |least| Bounds { least, most: u64::MAX }),
        Operator::AtLeast => Bounds { least: written.least, most: u64::MAX },
        Operator::Below => written.least.checked_sub(1).map_or(nothing, |most| Bounds { least: 0, most }),
        Operator::AtMost => Bounds { least: 0, most: written.most },
        Operator::Matches => return None,
    })
}

fn unknown(at: usize, name: &str) -> FilterError {
    let shown: String = name.chars().take(40).collect();
    let meant = match nearest(name, NAMES) {
        Some(near) => format!("Is `{near}` meant?"),
        None => format!("There are {} and `header.<name>`.", NAMES.join(", ")),
    };
    FilterError::at(at, format!("There is no field `{shown}`. {meant} To look for the text itself, put it in quotes."))
}
