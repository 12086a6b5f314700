//! Changes to headers, prepared once, for both header stages.

mod facts;

pub(super) use facts::Facts;

use hyper::{
    HeaderMap,
    header::{self, HeaderName, HeaderValue},
};
use postern_api::{
    Code, Error,
    headers::{
        Direction, canonical,
        variables::{self, Variable},
    },
    module::HeaderChanges,
};

/// Maximum total length of the expanded variables of one message; the rest is cut off.
const EXPANDED_LIMIT: usize = 32 * 1024;

/// The changes to the headers of one message.
pub(super) struct Changes {
    remove: Vec<HeaderName>,
    add: Vec<(HeaderName, Value)>,
    variables_used: Vec<Variable>,
}

enum Value {
    Fixed(HeaderValue),
    Pieces(Vec<Piece>),
}

enum Piece {
    Text(String),
    Variable(Variable),
}

impl Changes {
    /// Validates the changes again, so that headers that frame a message are never changed.
    pub(super) fn of(changes: &HeaderChanges, direction: Direction) -> Result<Self, Error> {
        let changes = canonical(changes.clone(), direction)?;
        let name = |text: &String| HeaderName::try_from(text).map_err(|_| Code::HeaderName);
        let remove = changes.remove.iter().map(name).collect::<Result<_, _>>()?;
        let (mut add, mut variables_used) = (Vec::new(), Vec::new());
        for (key, text) in &changes.add {
            let value = Value::of(text)?;
            if let Value::Pieces(pieces) = &value {
                for piece in pieces {
                    if let Piece::Variable(variable) = piece
                        && !variables_used.contains(variable)
                    {
                        variables_used.push(*variable);
                    }
                }
            }
            add.push((name(key)?, value));
        }
        Ok(Changes { remove, add, variables_used })
    }

    /// The variables that the values use.
    pub(super) fn variables_used(&self) -> &[Variable] {
        &self.variables_used
    }

    /// Applies the changes. Removals come first, so that a header in both lists is replaced; `host` is always replaced.
    pub(super) fn apply(&self, headers: &mut HeaderMap, facts: &Facts) {
        for name in &self.remove {
            headers.remove(name);
        }
        let mut remaining = EXPANDED_LIMIT;
        for (name, value) in &self.add {
            let value = value.expand(facts, &mut remaining);
            if *name == header::HOST {
                headers.insert(name, value);
            } else {
                headers.append(name, value);
            }
        }
    }
}

impl Value {
    fn of(text: &str) -> Result<Self, Error> {
        let mut pieces: Vec<Piece> = Vec::new();
        for piece in variables::pieces(text) {
            match (piece, pieces.last_mut()) {
                (variables::Piece::Text(text), Some(Piece::Text(before))) => before.push_str(text),
                (variables::Piece::Text(text), _) => pieces.push(Piece::Text(text.to_owned())),
                (variables::Piece::Variable(Some(variable)), _) => pieces.push(Piece::Variable(variable)),
                (variables::Piece::Variable(None), _) => {}
            }
        }
        let fixed = match &pieces[..] {
            [] => "",
            [Piece::Text(text)] => text,
            _ => return Ok(Value::Pieces(pieces)),
        };
        Ok(Value::Fixed(HeaderValue::from_str(fixed).map_err(|_| Code::HeaderValue)?))
    }

    fn expand(&self, facts: &Facts, remaining: &mut usize) -> HeaderValue {
        let pieces = match self {
            Value::Fixed(value) => return value.clone(),
            Value::Pieces(pieces) => pieces,
        };
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Variable(variable) => {
                    let fact = facts.get(*variable);
                    let fact = &fact[..fact.len().min(*remaining)];
                    *remaining -= fact.len();
                    text.push_str(fact);
                }
            }
        }
        // Variables expand to printable ASCII, and so do the pieces between them.
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
    }
}

#[cfg(test)]
mod tests;
