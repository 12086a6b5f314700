//! Modules in a bind request. One end may know modules that the other does not.

use postern_api::tunnel_modules::TunnelModules;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Requested modules. Unreadable modules are never treated as absent, because they may restrict access.
#[derive(Clone, Debug, PartialEq)]
pub enum BindModules {
    /// Modules that this build understands.
    Read(Box<TunnelModules>),
    /// Modules that this build does not understand.
    Unreadable,
}

impl Serialize for BindModules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            BindModules::Read(modules) => modules.serialize(serializer),
            BindModules::Unreadable => serializer.serialize_bool(false),
        }
    }
}

impl<'de> Deserialize<'de> for BindModules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = serde_json::from_value(Value::deserialize(deserializer)?);
        Ok(read.map_or(BindModules::Unreadable, |modules| BindModules::Read(Box::new(modules))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_modules_are_never_treated_as_absent() {
        let read = |text: &str| serde_json::from_str::<BindModules>(text).expect("a message");
        assert_eq!(read("{}"), BindModules::Read(Box::default()));
        let known = read(r#"{"compression":true}"#);
        assert!(matches!(&known, BindModules::Read(modules) if modules.compression));
        for text in [r#"{"compression":true,"of_tomorrow":{}}"#, r#"{"compression":3}"#, "false", "[1]"] {
            assert_eq!(read(text), BindModules::Unreadable, "{text}");
            assert_eq!(read(&serde_json::to_string(&read(text)).expect("written")), BindModules::Unreadable);
        }
        assert_eq!(read(&serde_json::to_string(&known).expect("written")), known);
    }
}
