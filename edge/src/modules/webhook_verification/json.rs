//! JSON values that a body must contain, parsed without storing the rest: the sender is not verified yet.

use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use std::fmt;

/// Members of an object; no provider sends as many.
const MAX_MEMBERS: usize = 100;

/// The members of an object, in order.
#[derive(Debug)]
pub(super) struct JsonMembers(pub(super) Vec<(String, JsonScalar)>);

/// A string, or a number as text; `None` for any other value.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct JsonScalar(pub(super) Option<String>);

impl JsonMembers {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).and_then(|(_, leaf)| leaf.0.as_deref())
    }
}

impl<'de> Deserialize<'de> for JsonMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = JsonMembers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonMembers, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                    if members.len() > MAX_MEMBERS {
                        return Err(A::Error::custom("too many members"));
                    }
                }
                Ok(JsonMembers(members))
            }
        }
        deserializer.deserialize_map(All)
    }
}

impl<'de> Deserialize<'de> for JsonScalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct One;
        impl<'de> Visitor<'de> for One {
            type Value = JsonScalar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_str<E>(self, text: &str) -> Result<JsonScalar, E> {
                Ok(JsonScalar(Some(text.to_owned())))
            }

            fn visit_u64<E>(self, number: u64) -> Result<JsonScalar, E> {
                Ok(JsonScalar(Some(number.to_string())))
            }

            fn visit_i64<E>(self, _: i64) -> Result<JsonScalar, E> {
                Ok(JsonScalar(None))
            }

            fn visit_f64<E>(self, _: f64) -> Result<JsonScalar, E> {
                Ok(JsonScalar(None))
            }

            fn visit_bool<E>(self, _: bool) -> Result<JsonScalar, E> {
                Ok(JsonScalar(None))
            }

            fn visit_unit<E>(self) -> Result<JsonScalar, E> {
                Ok(JsonScalar(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<JsonScalar, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(JsonScalar(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonScalar, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(JsonScalar(None))
            }
        }
        deserializer.deserialize_any(One)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_numbers_are_parsed_and_other_values_skipped() {
        let text = r#"{"a":"\u00e9","b":17,"c":-1,"d":1.5,"e":null,"f":[1,{"x":[]}],"g":{"a":"no"},"h":true}"#;
        let members: JsonMembers = serde_json::from_str(text).expect("members");
        assert_eq!((members.text("a"), members.text("b")), (Some("é"), Some("17")));
        for name in ["c", "d", "e", "f", "g", "h", "i"] {
            assert_eq!(members.text(name), None, "{name}");
        }
        assert_eq!(members.0.len(), 8);
        let many = |count: usize| format!("{{{}}}", vec![r#""a":1"#; count].join(","));
        assert!(serde_json::from_str::<JsonMembers>(&many(MAX_MEMBERS)).is_ok());
        assert!(serde_json::from_str::<JsonMembers>(&many(MAX_MEMBERS + 1)).is_err());
        for other in ["[]", "1", "null", "{", "{}x", ""] {
            assert!(serde_json::from_str::<JsonMembers>(other).is_err(), "{other}");
        }
    }
}
