//! Deserializer that reads structs from JSON objects only, and takes their null members for absent. The values of maps
//! stay as they are.
//!
//! Serde by itself also reads them from arrays, member by member: `["bkdtg_…"]` for a backend.

use serde::{
    Deserializer,
    de::{
        Error as _, IntoDeserializer, Visitor,
        value::{MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::{Error, Value};

/// A value whose structs must be objects.
pub(super) struct StrictObjects(pub(super) Value);

impl<'de> Deserializer<'de> for StrictObjects {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => {
                let mut items = SeqDeserializer::new(items.into_iter().map(StrictObjects));
                let read = visitor.visit_seq(&mut items)?;
                items.end().map(|()| read)
            }
            Value::Object(members) => {
                let mut members =
                    MapDeserializer::new(members.into_iter().map(|(name, value)| (name, StrictObjects(value))));
                let read = visitor.visit_map(&mut members)?;
                members.end().map(|()| read)
            }
            plain => plain.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(_) => Err(Error::custom("invalid type: sequence, expected an object")),
            Value::Object(mut members) => {
                members.retain(|_, value| !value.is_null());
                StrictObjects(Value::Object(members)).deserialize_any(visitor)
            }
            plain => StrictObjects(plain).deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

impl IntoDeserializer<'_, Error> for StrictObjects {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Whole {
        part: Option<Part>,
        parts: Vec<Part>,
        labels: BTreeMap<String, f64>,
        case: Option<Case>,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Part {
        number: u8,
        text: Option<String>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Case {
        One,
    }

    fn read(value: Value) -> Result<Whole, String> {
        Whole::deserialize(StrictObjects(value)).map_err(|error| error.to_string())
    }

    #[test]
    fn valid_values_are_read_as_serde_reads_them() {
        for value in [
            json!({}),
            json!({"part": null, "case": "one"}),
            json!({"part": {"number": 7, "text": "x"}, "parts": [{}, {"text": null}], "labels": {"a": 1, "b": 0.5}}),
        ] {
            assert_eq!(read(value.clone()), Ok(serde_json::from_value(value).expect("right")));
        }
    }

    #[test]
    fn an_array_is_never_an_object() {
        for value in [json!([]), json!({"part": []}), json!({"part": [1, "x"]}), json!({"parts": [[1]]})] {
            let error = read(value.clone()).expect_err("a list");
            assert!(error.contains("expected an object"), "{value}: {error}");
        }
    }

    #[test]
    fn other_errors_are_those_of_serde() {
        for value in [
            json!({"part": {"number": 256}}),
            json!({"part": {"colour": 1}}),
            json!({"parts": {}}),
            json!({"labels": [1]}),
            json!({"case": "two"}),
            json!("text"),
        ] {
            let error = serde_json::from_value::<Whole>(value.clone()).expect_err("wrong");
            assert_eq!(read(value), Err(error.to_string()));
        }
    }
}
