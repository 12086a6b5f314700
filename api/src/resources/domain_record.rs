//! A record in DNS that a reserved domain needs, and what is found of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A record in DNS that a reserved domain needs. It is looked up when it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomainRecord {
    /// What it is for.
    pub purpose: DomainRecordPurpose,
    /// Type to create.
    #[serde(rename = "type")]
    pub record_type: DomainRecordType,
    /// Full name to create it under, without a final dot.
    pub name: String,
    /// Contents to create it with, one record each; empty if the server does not know them.
    pub values: Vec<String>,
    /// What a name server answers now: the target of an alias, or addresses.
    pub found: Vec<String>,
    /// Whether that is right.
    pub ok: bool,
    /// What is right, or wrong and what to do, in a sentence.
    pub msg: String,
}

/// What a record in DNS is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DomainRecordPurpose {
    /// Visitors reach the server.
    Traffic,
    /// The server proves to a certificate authority that it controls the name.
    Certificate,
}

/// Types of records in DNS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum DomainRecordType {
    /// IPv4 address.
    A,
    /// IPv6 address.
    Aaaa,
    /// Alias of another name.
    Cname,
}
