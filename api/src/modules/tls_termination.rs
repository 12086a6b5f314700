//! The TLS termination modules: where a visitor's TLS is terminated, and its minimum version.
//!
//! An HTTPS edge always terminates TLS. A TLS edge may also pass it through to the backend.

use crate::{
    Code, Error, Result,
    module::{Module, enabled, yes},
    published::Termination,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A version of TLS that is offered to visitors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum TlsVersion {
    /// TLS 1.2.
    #[default]
    #[serde(rename = "1.2")]
    Tls12,
    /// TLS 1.3.
    #[serde(rename = "1.3")]
    Tls13,
}

impl TlsVersion {
    /// Reads `1.2` or `1.3`.
    ///
    /// # Errors
    /// [`Code::TlsVersion`] for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let sentence = match text {
            "1.2" => return Ok(TlsVersion::Tls12),
            "1.3" => return Ok(TlsVersion::Tls13),
            "1.0" | "1.1" => format!(
                "TLS {text} is broken and not offered by this server. Write `1.2` or `1.3`, or leave `min_version` out."
            ),
            _ => {
                let shown: String = text.chars().take(64).collect();
                format!("`{shown}` is not a version of TLS. Write `1.2` or `1.3`, or leave `min_version` out.")
            }
        };
        Err(Error::new(Code::TlsVersion, sentence).with("field", "min_version"))
    }
}

/// TLS termination point of visitors' connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TerminateAt {
    /// At the edge, which shows the certificate.
    #[default]
    Edge,
    /// At the backend; the edge forwards the encrypted bytes.
    Upstream,
}

impl TerminateAt {
    /// Reads `edge` or `upstream`.
    ///
    /// # Errors
    /// [`Code::TlsTerminateAt`] for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            "edge" => Ok(TerminateAt::Edge),
            "upstream" => Ok(TerminateAt::Upstream),
            _ => {
                let shown: String = text.chars().take(64).collect();
                let sentence = format!("`{shown}` is no place where TLS can end. Write `edge` or `upstream`.");
                Err(Error::new(Code::TlsTerminateAt, sentence).with("field", "terminate_at"))
            }
        }
    }
}

/// TLS termination of an HTTPS edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpsTermination {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// Minimum version of TLS; default: `1.2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TlsVersion>")]
    pub min_version: Option<String>,
    /// Read-only: accepted here only to return a specific error.
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub terminate_at: Option<Value>,
}

/// TLS termination of a TLS edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TlsTermination {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// TLS termination point; default: `edge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TerminateAt>")]
    pub terminate_at: Option<String>,
    /// Minimum version of TLS; default: `1.2`. Only if TLS is terminated at the edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TlsVersion>")]
    pub min_version: Option<String>,
}

impl HttpsTermination {
    /// Minimum version of TLS.
    ///
    /// # Errors
    /// [`Code::TlsVersion`] if the text is not a supported version.
    pub fn oldest(&self) -> Result<TlsVersion> {
        self.min_version.as_deref().map_or(Ok(TlsVersion::default()), TlsVersion::parse)
    }
}

impl TlsTermination {
    /// TLS termination point.
    ///
    /// # Errors
    /// [`Code::TlsTerminateAt`] if the text is not a place.
    pub fn place(&self) -> Result<TerminateAt> {
        self.terminate_at.as_deref().map_or(Ok(TerminateAt::default()), TerminateAt::parse)
    }

    /// Minimum version of TLS; `None` if the backend terminates TLS.
    ///
    /// # Errors
    /// [`Code::TlsVersion`] if the text is not a supported version.
    pub fn oldest(&self) -> Result<Option<TlsVersion>> {
        let said = self.min_version.as_deref().map(TlsVersion::parse).transpose()?;
        Ok(match self.place()? {
            TerminateAt::Edge => Some(said.unwrap_or_default()),
            TerminateAt::Upstream => said,
        })
    }
}

/// The TLS termination module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TerminationView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// TLS termination point.
    pub terminate_at: TerminateAt,
    /// Minimum version of TLS; null if TLS is not terminated at the edge.
    pub min_version: Option<TlsVersion>,
}

impl Module for HttpsTermination {
    const NAME: &'static str = "tls_termination";
    type View = TerminationView;
    type Published = Termination;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}
impl Module for TlsTermination {
    const NAME: &'static str = "tls_termination";
    type View = TerminationView;
    type Published = Termination;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}
