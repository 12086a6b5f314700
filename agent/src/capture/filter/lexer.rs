//! The lexer of filters: tokens with their positions.

use super::FilterError;

/// The longest filter.
const MAX_FILTER_CHARS: usize = 4096;

/// A token of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FilterToken {
    Open,
    Close,
    And,
    Or,
    Not,
    /// Free text.
    Text(String),
    /// A field with its operator, its value and the value's position.
    Field {
        name: String,
        operator: FilterOperator,
        value: String,
        value_at: usize,
    },
}

/// The operator between a field and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilterOperator {
    /// `:`
    Has,
    /// `=`
    Is,
    /// `~`
    Matches,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `<`
    Below,
    /// `<=`
    AtMost,
}

/// A token and the position of its first character, from 1.
pub(super) type PlacedToken = (usize, FilterToken);

/// Splits a filter into tokens.
pub(super) fn tokenize(text: &str) -> Result<Vec<PlacedToken>, FilterError> {
    let text: Vec<char> = text.chars().take(MAX_FILTER_CHARS + 1).collect();
    if text.len() > MAX_FILTER_CHARS {
        return Err(FilterError::at(
            MAX_FILTER_CHARS + 1,
            format!("The filter is longer than {MAX_FILTER_CHARS} characters; leave something out."),
        ));
    }
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer {
    text: Vec<char>,
    at: usize,
}

impl Lexer {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Result<Option<PlacedToken>, FilterError> {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
        let begin = self.at + 1;
        let token = match self.peek() {
            None => return Ok(None),
            Some('(') => self.single(FilterToken::Open),
            Some(')') => self.single(FilterToken::Close),
            Some('"') => FilterToken::Text(self.quoted()?),
            Some(_) => self.word()?,
        };
        Ok(Some((begin, token)))
    }

    fn single(&mut self, token: FilterToken) -> FilterToken {
        self.at += 1;
        token
    }

    fn word(&mut self) -> Result<FilterToken, FilterError> {
        let begin = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')) {
            self.at += 1;
        }
        let name: String = self.text[begin..self.at].iter().collect();
        if !name.is_empty()
            && let Some(operator) = self.operator()
        {
            let value_at = self.at + 1;
            let value = match self.peek() {
                Some('"') => self.quoted()?,
                _ => self.bare()?,
            };
            if value.is_empty() && self.text.get(self.at.wrapping_sub(1)) != Some(&'"') {
                return Err(FilterError::at(
                    value_at,
                    format!("A value is missing after `{name}`; write `\"\"` for the empty text."),
                ));
            }
            return Ok(FilterToken::Field { name, operator, value, value_at });
        }
        self.at = begin;
        let text = self.bare()?;
        Ok(match text.to_ascii_lowercase().as_str() {
            "and" => FilterToken::And,
            "or" => FilterToken::Or,
            "not" => FilterToken::Not,
            _ => FilterToken::Text(text),
        })
    }

    fn operator(&mut self) -> Option<FilterOperator> {
        let (operator, length) = match (self.peek()?, self.text.get(self.at + 1)) {
            ('>', Some('=')) => (FilterOperator::AtLeast, 2),
            ('<', Some('=')) => (FilterOperator::AtMost, 2),
            ('>', _) => (FilterOperator::Above, 1),
            ('<', _) => (FilterOperator::Below, 1),
            (':', _) => (FilterOperator::Has, 1),
            ('=', _) => (FilterOperator::Is, 1),
            ('~', _) => (FilterOperator::Matches, 1),
            _ => return None,
        };
        self.at += length;
        Some(operator)
    }

    /// Reads up to the next space or closing parenthesis.
    fn bare(&mut self) -> Result<String, FilterError> {
        let begin = self.at;
        while let Some(c) = self.peek() {
            match c {
                ')' => break,
                '(' | '"' => {
                    return Err(FilterError::at(
                        self.at + 1,
                        format!("`{c}` cannot be inside a word; put the whole text in quotes: `\"…\"`."),
                    ));
                }
                c if c.is_whitespace() => break,
                _ => self.at += 1,
            }
        }
        Ok(self.text[begin..self.at].iter().collect())
    }

    /// Reads to the closing quote. `\"` and `\\` are escapes; other backslashes are literal.
    fn quoted(&mut self) -> Result<String, FilterError> {
        let begin = self.at + 1;
        self.at += 1;
        let mut text = String::new();
        loop {
            match (self.peek(), self.text.get(self.at + 1)) {
                (None, _) => {
                    return Err(FilterError::at(begin, "The quotes that open here are never closed; add a `\"`."));
                }
                (Some('"'), _) => {
                    self.at += 1;
                    return Ok(text);
                }
                (Some('\\'), Some(c @ ('"' | '\\'))) => {
                    text.push(*c);
                    self.at += 2;
                }
                (Some(c), _) => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
    }
}
