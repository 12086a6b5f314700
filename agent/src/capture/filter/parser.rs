//! The grammar of filters: tests side by side must all match; `and`, `or`, `not` and parentheses combine them.

use super::{
    FilterError, FilterNode, FilterTest, NumberRange,
    fields::{self, FIELD_NAMES, FilterField},
    lexer::{FilterOperator, FilterToken, PlacedToken, tokenize},
    matcher::TextMatcher,
};
use crate::config::suggestion::nearest;

/// The deepest nesting of parentheses and `not`.
const MAX_DEPTH: usize = 32;
/// The most tests of a filter.
const MAX_TESTS: usize = 64;

/// Parses a whole filter.
pub(super) fn parse(text: &str) -> Result<FilterNode, FilterError> {
    let tokens = tokenize(text)?;
    if tokens.is_empty() {
        return Ok(FilterNode::All(Vec::new()));
    }
    let end = text.chars().count() + 1;
    let mut parser = Parser { tokens: tokens.into_iter().peekable(), end, tests: 0 };
    let node = parser.alternatives(0)?;
    match parser.tokens.next() {
        None => Ok(node),
        Some((at, _)) => Err(FilterError::at(at, "This `)` closes nothing; remove it, or put it in quotes.")),
    }
}

struct Parser {
    tokens: std::iter::Peekable<std::vec::IntoIter<PlacedToken>>,
    end: usize,
    tests: usize,
}

impl Parser {
    fn next_is(&mut self, expected: &FilterToken) -> bool {
        self.tokens.peek().is_some_and(|(_, token)| token == expected)
    }

    fn alternatives(&mut self, depth: usize) -> Result<FilterNode, FilterError> {
        let mut nodes = vec![self.conjunction(depth)?];
        while self.next_is(&FilterToken::Or) {
            self.tokens.next();
            nodes.push(self.conjunction(depth)?);
        }
        Ok(combined(nodes, FilterNode::Any))
    }

    fn conjunction(&mut self, depth: usize) -> Result<FilterNode, FilterError> {
        let mut nodes = vec![self.term(depth)?];
        loop {
            match self.tokens.peek() {
                Some((_, FilterToken::And)) => {
                    self.tokens.next();
                }
                None | Some((_, FilterToken::Or | FilterToken::Close)) => return Ok(combined(nodes, FilterNode::All)),
                Some(_) => {}
            }
            nodes.push(self.term(depth)?);
        }
    }

    fn term(&mut self, depth: usize) -> Result<FilterNode, FilterError> {
        let (at, token) = self.tokens.next().ok_or_else(|| {
            FilterError::at(self.end, "The filter ends here, where a test such as `status:5xx` is expected.")
        })?;
        if depth > MAX_DEPTH {
            return Err(FilterError::at(at, format!("More than {MAX_DEPTH} nested parentheses are not supported.")));
        }
        match token {
            FilterToken::Open => {
                let node = self.alternatives(depth + 1)?;
                match self.tokens.next() {
                    Some((_, FilterToken::Close)) => Ok(node),
                    _ => Err(FilterError::at(at, "The parenthesis that opens here is never closed; add a `)`.")),
                }
            }
            FilterToken::Not => Ok(FilterNode::Not(Box::new(self.term(depth + 1)?))),
            FilterToken::Close => Err(FilterError::at(at, "A test such as `status:5xx` is missing before this `)`.")),
            FilterToken::And | FilterToken::Or => {
                let word = if token == FilterToken::And { "and" } else { "or" };
                Err(FilterError::at(
                    at,
                    format!("A test is missing before this `{word}`; put the word in quotes to search for it."),
                ))
            }
            FilterToken::Text(text) => {
                self.count(at)?;
                contains(&text, at).map(|matcher| FilterNode::Test(FilterTest::Anywhere(matcher)))
            }
            FilterToken::Field { name, operator, value, value_at } => {
                self.count(at)?;
                parse_test(at, &name, operator, &value, value_at).map(FilterNode::Test)
            }
        }
    }

    fn count(&mut self, at: usize) -> Result<(), FilterError> {
        self.tests += 1;
        if self.tests > MAX_TESTS {
            return Err(FilterError::at(at, format!("A filter can have {MAX_TESTS} tests; leave some out.")));
        }
        Ok(())
    }
}

/// Cheap tests first: most requests are decided before anything is read.
fn combined(mut nodes: Vec<FilterNode>, join: impl FnOnce(Vec<FilterNode>) -> FilterNode) -> FilterNode {
    nodes.sort_by_key(FilterNode::cost);
    if nodes.len() > 1 { join(nodes) } else { nodes.swap_remove(0) }
}

fn contains(text: &str, at: usize) -> Result<TextMatcher, FilterError> {
    TextMatcher::contains(text).ok_or_else(|| FilterError::at(at, "This text is too long to search for; shorten it."))
}

fn parse_test(
    at: usize,
    name: &str,
    operator: FilterOperator,
    value: &str,
    value_at: usize,
) -> Result<FilterTest, FilterError> {
    let field = FilterField::from_name(name).ok_or_else(|| unknown(at, name))?;
    let wrong = |right: &str| FilterError::at(value_at, format!("`{name}` takes {right}."));
    let text = || match operator {
        FilterOperator::Has => contains(value, value_at),
        FilterOperator::Is => Ok(TextMatcher::equal(value)),
        FilterOperator::Matches => TextMatcher::pattern(value).map_err(|why| {
            FilterError::at(
                value_at,
                format!("This is not a regular expression ({why}); `{name}:` searches for plain text."),
            )
        }),
        _ => Err(wrong("`:` (contains), `=` (is) or `~` (matches a regular expression), and a text")),
    };
    let word = || match operator {
        FilterOperator::Has | FilterOperator::Is => Ok(value.to_owned()),
        _ => Err(wrong("`:` and a name")),
    };
    Ok(match field {
        FilterField::Text(field) => FilterTest::Text(field, text()?),
        FilterField::Header(scope, header) => FilterTest::Header(scope, header, text()?),
        FilterField::Body(scope) => FilterTest::Body(scope, text()?),
        FilterField::Method => FilterTest::Method(word()?),
        FilterField::Tunnel => FilterTest::Tunnel(word()?),
        FilterField::Status => {
            let right = "a status: `status:404`, `status:5xx`, `status:400-499`, `status>=400`";
            let written = fields::parse_statuses(value).ok_or_else(|| wrong(right))?;
            FilterTest::Status(bounds(operator, written).ok_or_else(|| wrong(right))?)
        }
        FilterField::Duration => {
            let right = "a bound with a unit: `dur>500ms`, `dur<=2s`";
            let number = fields::parse_nanoseconds(value).ok_or_else(|| wrong(right))?;
            let between = matches!(operator, FilterOperator::Has | FilterOperator::Is);
            let written = NumberRange { min: number, max: number };
            FilterTest::Duration(bounds(operator, written).filter(|_| !between).ok_or_else(|| wrong(right))?)
        }
        FilterField::Size(scope) => {
            let right = "a number of bytes: `size>1mb`, `size<=500`, `size=0`";
            let number = fields::parse_bytes(value).ok_or_else(|| wrong(right))?;
            FilterTest::Size(
                scope,
                bounds(operator, NumberRange { min: number, max: number }).ok_or_else(|| wrong(right))?,
            )
        }
        FilterField::Flag(flag) => {
            let plain = matches!(operator, FilterOperator::Has | FilterOperator::Is);
            let value = fields::parse_flag(value).filter(|_| plain).ok_or_else(|| wrong("`:yes` or `:no`"))?;
            FilterTest::Flag(flag, value)
        }
    })
}

/// The numbers that a comparison with a number or a range allows.
fn bounds(operator: FilterOperator, written: NumberRange) -> Option<NumberRange> {
    let nothing = NumberRange { min: 1, max: 0 };
    Some(match operator {
        FilterOperator::Has | FilterOperator::Is => written,
        FilterOperator::Above => written.max.checked_add(1).map_or(nothing, |min| NumberRange { min, max: u64::MAX }),
        FilterOperator::AtLeast => NumberRange { min: written.min, max: u64::MAX },
        FilterOperator::Below => written.min.checked_sub(1).map_or(nothing, |max| NumberRange { min: 0, max }),
        FilterOperator::AtMost => NumberRange { min: 0, max: written.max },
        FilterOperator::Matches => return None,
    })
}

fn unknown(at: usize, name: &str) -> FilterError {
    let shown: String = name.chars().take(40).collect();
    let meant = match nearest(name, FIELD_NAMES) {
        Some(near) => format!("Did you mean `{near}`?"),
        None => format!("The fields are {} and `header.<name>`.", FIELD_NAMES.join(", ")),
    };
    FilterError::at(
        at,
        format!("There is no field `{shown}`. {meant} To search for the text itself, put it in quotes."),
    )
}
