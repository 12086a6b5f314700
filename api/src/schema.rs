//! JSON schemas of text types.

use crate::{
    AnyId, Id, Secret, Timestamp,
    acl::Acl,
    id::{KSUID_LENGTH, Kind},
    owner::OwnerId,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Implements an inlined string schema for text types.
macro_rules! texts {
    ($($type:ty = $name:literal, $schema:expr;)+) => {
        $(impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        })+
    };
}

texts! {
    AnyId = "AnyId", json_schema!({ "type": "string" });
    Secret = "Secret", json_schema!({ "type": "string" });
    Timestamp = "Timestamp", json_schema!({ "type": "string", "format": "date-time" });
    OwnerId = "OwnerId", json_schema!({ "type": "string", "pattern": pattern("(usr|bot)") });
    Acl = "Acl", json_schema!({ "type": "array", "items": { "type": "string" } });
}

impl<K: Kind> JsonSchema for Id<K> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("{}_id", K::PREFIX).into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": pattern(K::PREFIX) })
    }
}

/// Pattern of ids with a prefix.
pub fn pattern(prefix: &str) -> String {
    format!("^{prefix}_[0-9A-Za-z]{{{KSUID_LENGTH}}}$")
}
