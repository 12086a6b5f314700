//! What is wanted of JSON in a body, read without keeping the rest: it is not known yet who wrote it.

use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use std::fmt;

/// No provider's object has as many members.
const MOST: usize = 100;

/// The members of an object, in their order.
#[derive(Debug)]
pub(super) struct Members(pub(super) Vec<(String, Leaf)>);

/// A text or a number as text; nothing for whatever else.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Leaf(pub(super) Option<String>);

impl Members {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).and_then(|(_, leaf)| leaf.0.as_deref())
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                    if members.len() > MOST {
                        return Err(A::Error::custom("too many members"));
                    }
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(All)
    }
}

impl<'de> Deserialize<'de> for Leaf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct One;
        impl<'de> Visitor<'de> for One {
            type Value = Leaf;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_str<E>(self, text: &str) -> Result<Leaf, E> {
                Ok(Leaf(Some(text.to_owned())))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Leaf, E> {
                Ok(Leaf(Some(number.to_string())))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Leaf, E> {
                Ok(Leaf(None))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Leaf, E> {
                Ok(Leaf(None))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Leaf, E> {
                Ok(Leaf(None))
            }

            fn visit_unit<E>(self) -> Result<Leaf, E> {
                Ok(Leaf(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Leaf, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Leaf(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Leaf, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Leaf(None))
            }
        }
        deserializer.deserialize_any(One)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_numbers_are_read_and_the_rest_is_passed_over() {
        let text = r#"{"a":"\u00e9","b":17,"c":-1,"d":1.5,"e":null,"f":[1,{"x":[]}],"g":{"a":"no"},"h":true}"#;
        let members: Members = serde_json::from_str(text).expect("members");
        assert_eq!((members.text("a"), members.text("b")), (Some("é"), Some("17")));
        for name in ["c", "d", "e", "f", "g", "h", "i"] {
            assert_eq!(members.text(name), None, "{name}");
        }
        assert_eq!(members.0.len(), 8);
        let many = |count: usize| format!("{{{}}}", vec![r#""a":1"#; count].join(","));
        assert!(serde_json::from_str::<Members>(&many(MOST)).is_ok());
        assert!(serde_json::from_str::<Members>(&many(MOST + 1)).is_err());
        for other in ["[]", "1", "null", "{", "{}x", ""] {
            assert!(serde_json::from_str::<Members>(other).is_err(), "{other}");
        }
    }
}
