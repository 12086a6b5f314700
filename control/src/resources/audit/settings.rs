//! Settings of a record as an event shows them: by the names of request bodies, without secrets, and of bounded size.

use crate::{
    resources::{Codec, ModuleRules, Rules, StoredRecord},
    store::Entry,
};
use postern_api::{
    Code, Error, Result, module, resource,
    resource::{MASK, Resource},
    route_modules,
};
use serde::Serialize;
use serde_json::{Map, Value};

/// Longest text that is recorded whole, in bytes.
const MAX_TEXT_BYTES: usize = 16 << 10;
/// Beginning of a longer text that is recorded, in bytes.
const EXCERPT_BYTES: usize = 200;
/// Largest settings that are recorded, in bytes of JSON.
const MAX_SETTINGS_BYTES: usize = 32 << 10;
/// Members whose members are headers, by name.
const HEADER_MEMBERS: [&str; 2] = ["add", "headers"];
/// Parts of the names of headers with secret values.
const SECRET_HEADER_PARTS: [&str; 8] =
    ["authorization", "cookie", "token", "secret", "password", "api-key", "apikey", "signature"];

/// Settings of one record, or of modules of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(super) members: Map<String, Value>,
    /// JSON pointers to secrets.
    pub(super) masked: Vec<String>,
    /// JSON pointers to texts that were too long.
    pub(super) shortened: Vec<String>,
}

impl Settings {
    /// Settings of a record, without its modules.
    ///
    /// # Errors
    /// If the record is no JSON object.
    pub(crate) fn of_record<R: Rules>(stored: &StoredRecord<R>) -> Result<Self> {
        let mut members = Map::new();
        members.insert("description".to_owned(), stored.description.clone().into());
        members.insert("metadata".to_owned(), stored.metadata.clone().into());
        members.extend(object_of(&stored.spec)?);
        members.extend(R::hidden_settings(&stored.hidden).into_iter().map(|(name, value)| (name.to_owned(), value)));
        let mut settings = Settings { members, ..Settings::default() };
        settings.mask_headers("");
        settings.bound();
        Ok(settings)
    }

    /// What was observed.
    pub(crate) fn of_observation(members: Map<String, Value>) -> Self {
        let mut settings = Settings { members, ..Settings::default() };
        settings.bound();
        settings
    }

    /// Settings of a stored record of any kind that can belong to another record; `None` for other kinds.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub(crate) fn of_entry(kind: &str, entry: &Entry, codec: &Codec) -> Result<Option<Self>> {
        READERS.iter().find(|(name, _)| *name == kind).map(|(_, read)| read(entry, codec)).transpose()
    }

    /// Adds a stored module; `None` means that it is not set.
    pub(crate) fn add_module(&mut self, name: &str, stored: Option<&[u8]>) {
        if self.shortened.iter().any(String::is_empty) {
            return;
        }
        let module = stored.and_then(|value| serde_json::from_slice::<Value>(value).ok());
        let module = module.and_then(|mut value| value.get_mut("module").map(Value::take));
        let Some(module) = module else {
            self.members.insert(name.to_owned(), Value::Null);
            return;
        };
        self.members.insert(name.to_owned(), module);
        for pointer in secrets(name) {
            let Some(inside) = pointer.strip_prefix("/module") else { continue };
            let pointer = format!("/{name}{inside}");
            self.mask(&pointer);
        }
        self.mask_headers(name);
        self.bound();
    }

    /// Replaces a text by the mask, unless it is empty.
    fn mask(&mut self, pointer: &str) {
        let (first, rest) = pointer.trim_start_matches('/').split_once('/').unwrap_or((pointer, ""));
        let rest = if rest.is_empty() { String::new() } else { format!("/{rest}") };
        let Some(slot) = self.members.get_mut(first).and_then(|member| member.pointer_mut(&rest)) else { return };
        if !slot.is_null() && slot.as_str() != Some("") && slot.as_str() != Some(MASK) {
            *slot = Value::String(MASK.to_owned());
            self.masked.push(pointer.to_owned());
        }
    }

    /// Masks the values of headers that usually are secrets: in the module with this name, or in the record.
    fn mask_headers(&mut self, module: &str) {
        let mut found = Vec::new();
        for member in HEADER_MEMBERS {
            let (headers, path) = match module {
                "" => (self.members.get(member), format!("/{member}")),
                _ => (self.members.get(module).and_then(|module| module.get(member)), format!("/{module}/{member}")),
            };
            let names = headers.and_then(Value::as_object).into_iter().flat_map(Map::keys);
            found.extend(names.filter(|name| is_secret_header(name)).map(|name| format!("{path}/{}", escape(name))));
        }
        found.iter().for_each(|pointer| self.mask(pointer));
    }

    /// Shortens texts that are too long, and drops everything if the rest is still too large.
    fn bound(&mut self) {
        for (name, value) in &mut self.members {
            shorten(value, &format!("/{}", escape(name)), &mut self.shortened);
        }
        if serde_json::to_vec(&self.members).map_or(0, |text| text.len()) > MAX_SETTINGS_BYTES {
            self.drop_members();
        }
    }

    /// Drops all settings; that they existed stays known.
    pub(crate) fn drop_members(&mut self) {
        *self = Settings { shortened: vec![String::new()], ..Settings::default() };
    }
}

fn object_of(spec: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(spec) {
        Ok(Value::Object(members)) => Ok(members),
        _ => Err(Error::new(Code::Internal, "The settings of a record could not be written.")),
    }
}

type Reader = fn(&Entry, &Codec) -> Result<Settings>;

/// Readers of the kinds that can belong to another record, and are deleted with it.
macro_rules! readers {
    ($($kind:ident)+) => {
        &[$((<resource::$kind as Resource>::KIND, |entry, codec| {
            Settings::of_record(&codec.read_record::<resource::$kind>(entry)?)
        }),)+]
    };
}
const READERS: &[(&str, Reader)] =
    readers! { AlertRule ApiKey Credential HttpsRoute IpPolicyRule ReservedAddress ReservedDomain };

/// JSON pointers to the sealed texts of the modules with this name.
fn secrets(module: &str) -> &'static [&'static str] {
    macro_rules! table {
        (modules { $($(#[$doc:meta])* $member:ident: $module:ident,)+ }) => {
            &[$((<module::$module as module::Module>::NAME, <module::$module as ModuleRules>::SECRETS),)+]
        };
    }
    const SECRETS: &[(&str, &[&str])] = route_modules! { table };
    SECRETS.iter().find(|(name, _)| *name == module).map_or(&[][..], |(_, pointers)| *pointers)
}

fn is_secret_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_HEADER_PARTS.iter().any(|part| name.contains(part))
}

/// Escapes a name for a JSON pointer (RFC 6901).
fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Shortens every text in a value that is too long, and collects the pointers to them.
fn shorten(value: &mut Value, pointer: &str, shortened: &mut Vec<String>) {
    match value {
        Value::String(text) if text.len() > MAX_TEXT_BYTES => {
            let end = (0..=EXCERPT_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            *text = format!("{}… ({} bytes)", &text[..end], text.len());
            shortened.push(pointer.to_owned());
        }
        Value::Array(items) => {
            for (place, item) in items.iter_mut().enumerate() {
                shorten(item, &format!("{pointer}/{place}"), shortened);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                shorten(member, &format!("{pointer}/{}", escape(name)), shortened);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn module(name: &str, module: &Value) -> Settings {
        let mut settings = Settings::default();
        settings.add_module(name, Some(json!({"module": module, "hidden": {"key": "planted"}}).to_string().as_bytes()));
        settings
    }

    #[test]
    fn sealed_texts_are_masked_and_hidden_state_is_left_out() {
        let sealed = json!({"sealed": "planted"});
        let settings = module("oidc", &json!({"issuer": "https://id.test", "client_secret": sealed}));
        assert_eq!(
            Value::Object(settings.members),
            json!({"oidc": {"issuer": "https://id.test", "client_secret": MASK}})
        );
        assert_eq!(settings.masked, ["/oidc/client_secret"]);
        let provider = json!({"github": {"client_secret": sealed}, "google": {"client_secret": ""}});
        let settings = module("oauth", &json!({"provider": provider}));
        assert_eq!(settings.masked, ["/oauth/provider/github/client_secret"]);
        let mut unset = Settings::default();
        unset.add_module("oidc", None);
        assert_eq!(Value::Object(unset.members), json!({"oidc": null}));
    }

    #[test]
    fn headers_that_carry_secrets_are_masked_by_their_names() {
        let add = json!({"authorization": "Basic planted", "x-api-key": "planted", "x-team": "shop", "sealed": "no"});
        let settings = module("request_headers", &json!({"enabled": true, "add": add}));
        let expected = json!({"authorization": MASK, "x-api-key": MASK, "x-team": "shop", "sealed": "no"});
        assert_eq!(settings.members["request_headers"]["add"], expected);
        assert_eq!(settings.masked, ["/request_headers/add/authorization", "/request_headers/add/x-api-key"]);
    }

    #[test]
    fn long_texts_are_shortened_and_large_settings_dropped() {
        let page = "é".repeat(MAX_TEXT_BYTES);
        let settings = module("error_pages", &json!({"pages": {"5xx": page}}));
        assert_eq!(settings.shortened, ["/error_pages/pages/5xx"]);
        let shown = settings.members["error_pages"]["pages"]["5xx"].as_str().expect("a text");
        assert!(shown.len() < 300 && shown.ends_with("… (32768 bytes)"), "{shown}");
        let many: Vec<String> = (0..4000).map(|number| format!("https://example.test/{number}")).collect();
        let settings = module("redirect", &json!({"rules": many}));
        assert_eq!((settings.members.len(), settings.shortened), (0, vec![String::new()]));
    }
}
