//! Changes to headers, made ready once: what both header stages are made of.

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

/// All variables of one message together give so much text; what is beyond is cut off.
const EXPANDED_LIMIT: usize = 32 * 1024;

/// What happens to the headers of one message.
pub(super) struct Changes {
    remove: Vec<HeaderName>,
    add: Vec<(HeaderName, Value)>,
    wanted: Vec<Variable>,
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
    /// Judges them once more, so that nothing that frames a message is ever touched.
    pub(super) fn of(changes: &HeaderChanges, direction: Direction) -> Result<Self, Error> {
        let changes = canonical(changes.clone(), direction)?;
        let name = |text: &String| HeaderName::try_from(text).map_err(|_| Code::HeaderName);
        let remove = changes.remove.iter().map(name).collect::<Result<_, _>>()?;
        let (mut add, mut wanted) = (Vec::new(), Vec::new());
        for (key, text) in &changes.add {
            let value = Value::of(text)?;
            if let Value::Pieces(pieces) = &value {
                for piece in pieces {
                    if let Piece::Variable(variable) = piece
                        && !wanted.contains(variable)
                    {
                        wanted.push(*variable);
                    }
                }
            }
            add.push((name(key)?, value));
        }
        Ok(Changes { remove, add, wanted })
    }

    /// The variables in its values.
    pub(super) fn wanted(&self) -> &[Variable] {
        &self.wanted
    }

    /// Makes the changes: removes first, so that what is also added is replaced; `host` is always replaced.
    pub(super) fn apply(&self, headers: &mut HeaderMap, facts: &Facts) {
        for name in &self.remove {
            headers.remove(name);
        }
        let mut room = EXPANDED_LIMIT;
        for (name, value) in &self.add {
            let value = value.expand(facts, &mut room);
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

    fn expand(&self, facts: &Facts, room: &mut usize) -> HeaderValue {
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
                    let fact = &fact[..fact.len().min(*room)];
                    *room -= fact.len();
                    text.push_str(fact);
                }
            }
        }
        // Facts are printable ASCII, and so are the pieces between them.
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
    }
}

#[cfg(test)]
mod tests;
