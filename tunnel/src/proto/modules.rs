//! The modules that come with the wish for a tunnel. One end may know modules that the other does not.

use postern_api::tunnel_modules::TunnelModules;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// What is asked for. Modules that cannot be read are never taken for none: they may have guarded the way.
#[derive(Clone, Debug, PartialEq)]
pub enum Modules {
    /// These.
    Read(Box<TunnelModules>),
    /// Something this build does not understand.
    Unreadable,
}

impl Serialize for Modules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Modules::Read(modules) => modules.serialize(serializer),
            Modules::Unreadable => serializer.serialize_bool(false),
        }
    }
}

impl<'de> Deserialize<'de> for Modules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = serde_json::from_value(Value::deserialize(deserializer)?);
        Ok(read.map_or(Modules::Unreadable, |modules| Modules::Read(Box::new(modules))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_understood_is_never_taken_for_nothing() {
        let read = |text: &str| serde_json::from_str::<Modules>(text).expect("a message");
        assert_eq!(read("{}"), Modules::Read(Box::default()));
        let known = read(r#"{"compression":true}"#);
        assert!(matches!(&known, Modules::Read(modules) if modules.compression));
        for text in [r#"{"compression":true,"of_tomorrow":{}}"#, r#"{"compression":3}"#, "false", "[1]"] {
            assert_eq!(read(text), Modules::Unreadable, "{text}");
            assert_eq!(read(&serde_json::to_string(&read(text)).expect("written")), Modules::Unreadable);
        }
        assert_eq!(read(&serde_json::to_string(&known).expect("written")), known);
    }
}
