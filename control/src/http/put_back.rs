//! Calls that restore the state before a change: made from an audit event and the bodies that the kind accepts.

use super::routes::put_back_kinds;
use http::Method;
use postern_api::{
    module::{BasicAuth, Module},
    resource::{AuditEvent, AuditOperation, MASK, Parent, PutBack, PutBackCall, Resource},
};
use schemars::{JsonSchema, Schema, schema_for};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Bodies that a kind accepts. Their schemas are made when the first event of the kind is read.
pub(super) struct PutBackKind {
    pub(super) kind: &'static str,
    path: &'static str,
    parent: Option<Parent>,
    create: LazyLock<BodyMembers>,
    update: LazyLock<BodyMembers>,
    /// Modules, which have paths of their own.
    pub(super) modules: Vec<&'static str>,
    /// Members that have a DELETE operation of their own.
    pub(super) parts: Vec<&'static str>,
}

/// Names of the members of a body.
struct BodyMembers {
    all: Vec<String>,
    required: Vec<String>,
}

impl BodyMembers {
    fn of<B: JsonSchema>() -> Self {
        let schema: Schema = schema_for!(B);
        let names = |value: Option<&Value>| match value {
            Some(Value::Object(members)) => members.keys().cloned().collect(),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        BodyMembers { all: names(schema.get("properties")), required: names(schema.get("required")) }
    }
}

impl PutBackKind {
    pub(super) fn of<R: Resource>() -> Self {
        PutBackKind {
            kind: R::KIND,
            path: R::PATH,
            parent: R::PARENT,
            create: LazyLock::new(BodyMembers::of::<R::Create>),
            update: LazyLock::new(BodyMembers::of::<R::Update>),
            modules: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Path of the collection of a record; `None` if its parent is not known.
    fn collection(&self, event: &AuditEvent) -> Option<String> {
        match self.parent {
            None => Some(self.path.to_owned()),
            Some(parent) => {
                let id = event.parent_id.as_ref()?;
                Some(self.path.replace(&format!("{{{}}}", parent.parameter), id.as_str()))
            }
        }
    }

    /// Calls that set everything back that an update changed.
    fn undo_update(&self, event: &AuditEvent, before: &Map<String, Value>) -> PutBack {
        let Some(collection) = self.collection(event) else { return PutBack::impossible(UNKNOWN) };
        let item = format!("{collection}/{}", event.object_id);
        let after = event.after.as_ref();
        let changed = before.iter().filter(|(name, value)| after.and_then(|after| after.get(*name)) != Some(*value));
        let (mut patch, mut calls) = (Map::new(), Vec::new());
        for (name, value) in changed {
            let call =
                |method: Method, body| PutBackCall { method: method.to_string(), path: format!("{item}/{name}"), body };
            if let Some(note) = missing_part(event, before, name) {
                return PutBack::impossible(note);
            }
            let is_module = self.modules.contains(&name.as_str());
            match value {
                Value::Null if is_module || self.parts.contains(&name.as_str()) => {
                    calls.push(call(Method::DELETE, None));
                }
                Value::Object(module) if is_module => calls.push(call(Method::PUT, Some(module.clone()))),
                value if self.update.all.contains(name) => _ = patch.insert(name.clone(), value.clone()),
                _ => return PutBack::impossible(format!("`{name}` cannot be changed on a record that exists.")),
            }
        }
        if !patch.is_empty() {
            calls.insert(0, PutBackCall { method: Method::PATCH.to_string(), path: item, body: Some(patch) });
        }
        if event.shortened.iter().any(String::is_empty) {
            return PutBack::impossible("The former settings were too large to be recorded. Set them by hand.");
        }
        match (calls.is_empty(), event.secrets_changed) {
            (true, true) => PutBack::impossible("Only a secret was changed, and secrets are not in the audit log."),
            (true, false) => PutBack::impossible(UNCHANGED),
            (false, true) => PutBack { calls, note: "The secret that was changed too stays as it is.".to_owned() },
            (false, false) => PutBack { calls, note: String::new() },
        }
    }

    /// A call that creates a deleted record again.
    fn undo_deletion(&self, event: &AuditEvent, before: &Map<String, Value>) -> PutBack {
        let Some(path) = self.collection(event) else { return PutBack::impossible(UNKNOWN) };
        if event.shortened.iter().any(String::is_empty) {
            return PutBack::impossible(
                "The former settings were too large to be recorded. Create the record by hand.",
            );
        }
        if let Some(note) = before.keys().find_map(|name| missing_part(event, before, name)) {
            return PutBack::impossible(note);
        }
        let known = before.iter().filter(|(name, value)| !value.is_null() && self.create.all.contains(name));
        let body: Map<String, Value> = known.map(|(name, value)| (name.clone(), value.clone())).collect();
        if let Some(missing) = self.create.required.iter().find(|name| !body.contains_key(*name)) {
            return PutBack::impossible(format!(
                "`{missing}` is needed to create the record again, and is not in the audit log."
            ));
        }
        PutBack {
            calls: vec![PutBackCall { method: Method::POST.to_string(), path, body: Some(body) }],
            note: AGAIN.into(),
        }
    }
}

const UNCHANGED: &str = "Nothing was changed.";
const UNKNOWN: &str = "The record that this one was nested in is not known.";
const AGAIN: &str = "The record is created again with a new ID. Whatever referred to the deleted one has to be changed to \
                     the new ID, and what the server makes itself, such as a token or a key, is new.";

/// What restores the state before the change of an event.
pub(super) fn put_back(event: &AuditEvent) -> PutBack {
    let Some(kind) = put_back_kinds().iter().find(|kind| kind.kind == event.kind) else {
        return PutBack::impossible(match event.operation {
            AuditOperation::Observed => UNCHANGED,
            _ => "Logins of visitors cannot be put back.",
        });
    };
    match (event.operation, &event.before) {
        (AuditOperation::Observed, _) => PutBack::impossible(UNCHANGED),
        (AuditOperation::Created, _) => {
            PutBack::impossible("The record did not exist before. Delete it to get the former state.")
        }
        (_, None) => PutBack::impossible("The settings before the change were not recorded."),
        (AuditOperation::Updated, Some(before)) => kind.undo_update(event, before),
        (AuditOperation::Deleted, Some(before)) => kind.undo_deletion(event, before),
    }
}

/// Why a member of `before` cannot be set again: it holds a mask, lacks a part, or belongs to passwords.
fn missing_part(event: &AuditEvent, before: &Map<String, Value>, name: &str) -> Option<String> {
    let member = before.get(name)?;
    let inside = |pointer: &&String| match pointer.strip_prefix('/').unwrap_or(name).strip_prefix(name) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => member.pointer(rest).is_some(),
        _ => false,
    };
    let masked = |pointer: &&String| {
        inside(pointer)
            && pointer.strip_prefix(&format!("/{name}")).and_then(|rest| member.pointer(rest))
                == Some(&Value::from(MASK))
    };
    let secret = |path: &str| {
        Some(format!("`{path}` is a secret, and secrets are not in the audit log. Set the former state by hand."))
    };
    if let Some(pointer) = event.masked.iter().find(masked) {
        return secret(&pointer.trim_start_matches('/').replace('/', "."));
    }
    if name == BasicAuth::NAME && !keeps_passwords(member, event.after.as_ref().and_then(|after| after.get(name))) {
        return secret("basic_auth.users.password");
    }
    let is_short = event.shortened.iter().any(|pointer| inside(&pointer));
    is_short.then(|| "The former settings were too long to be recorded whole. Set them by hand.".to_owned())
}

/// Whether every user of a former basic auth module is in the present one and so keeps the password.
fn keeps_passwords(former: &Value, present: Option<&Value>) -> bool {
    let users = |module: &Value| -> Vec<Value> { module["users"].as_array().cloned().unwrap_or_default() };
    let present = present.map(users).unwrap_or_default();
    users(former).iter().all(|user| present.contains(user))
}
