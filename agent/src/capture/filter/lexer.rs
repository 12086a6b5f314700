//! A filter's text cut into words, each with the place where it stands.

use super::FilterError;

/// More characters than anybody types.
const LONGEST: usize = 4096;

/// A piece of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Open,
    Close,
    And,
    Or,
    Not,
    /// Free text.
    Text(String),
    /// A field, what is asked of it, and where its value stands.
    Field {
        name: String,
        operator: Operator,
        value: String,
        value_at: usize,
    },
}

/// What is asked of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
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

/// A piece and the number of its first character, counted from 1.
pub(super) type Placed = (usize, Token);

/// Cuts a text into its pieces.
pub(super) fn cut(text: &str) -> Result<Vec<Placed>, FilterError> {
    let text: Vec<char> = text.chars().take(LONGEST + 1).collect();
    if text.len() > LONGEST {
        return Err(FilterError::at(
            LONGEST + 1,
            format!("The filter is longer than {LONGEST} characters; leave something out."),
        ));
    }
    let mut lexer = Lexer { text, at: 0 };
    let mut pieces = Vec::new();
    while let Some(piece) = lexer.next()? {
        pieces.push(piece);
    }
    Ok(pieces)
}

struct Lexer {
    text: Vec<char>,
    at: usize,
}

impl Lexer {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Result<Option<Placed>, FilterError> {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
        let begin = self.at + 1;
        let token = match self.peek() {
            None => return Ok(None),
            Some('(') => self.single(Token::Open),
            Some(')') => self.single(Token::Close),
            Some('"') => Token::Text(self.quoted()?),
            Some(_) => self.word()?,
        };
        Ok(Some((begin, token)))
    }

    fn single(&mut self, token: Token) -> Token {
        self.at += 1;
        token
    }

    fn word(&mut self) -> Result<Token, FilterError> {
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
                    format!("Behind `{name}` a value is missing; write `\"\"` for the empty text."),
                ));
            }
            return Ok(Token::Field { name, operator, value, value_at });
        }
        self.at = begin;
        let text = self.bare()?;
        Ok(match text.to_ascii_lowercase().as_str() {
            "and" => Token::And,
            "or" => Token::Or,
            "not" => Token::Not,
            _ => Token::Text(text),
        })
    }

    fn operator(&mut self) -> Option<Operator> {
        let (operator, length) = match (self.peek()?, self.text.get(self.at + 1)) {
            ('>', Some('=')) => (Operator::AtLeast, 2),
            ('<', Some('=')) => (Operator::AtMost, 2),
            ('>', _) => (Operator::Above, 1),
            ('<', _) => (Operator::Below, 1),
            (':', _) => (Operator::Has, 1),
            ('=', _) => (Operator::Is, 1),
            ('~', _) => (Operator::Matches, 1),
            _ => return None,
        };
        self.at += length;
        Some(operator)
    }

    /// Up to the next space or closing parenthesis.
    fn bare(&mut self) -> Result<String, FilterError> {
        let begin = self.at;
        while let Some(c) = self.peek() {
            match c {
                ')' => break,
                '(' | '"' => {
                    return Err(FilterError::at(
                        self.at + 1,
                        format!("`{c}` cannot stand inside a word; put the whole text in quotes: `\"…\"`."),
                    ));
                }
                c if c.is_whitespace() => break,
                _ => self.at += 1,
            }
        }
        Ok(self.text[begin..self.at].iter().collect())
    }

    /// Behind the closing quote. `\"` and `\\` stand for the character; other backslashes for themselves.
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
