//! Errors as agents of this kind give them: a numeric code, a short message, the whole sentence in `details.err`.

use super::wire;
use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use postern_api::{Code, Error};
use serde_json::{Value as Json, json};

/// An error on its way to the caller.
#[derive(Debug)]
pub struct ApiError {
    error: Error,
    /// The server refused, not the agent.
    from_server: bool,
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        ApiError { error, from_server: false }
    }
}

impl ApiError {
    /// A start that the server refused: 502 whatever the server's own status was.
    pub(super) fn from_server(error: Error) -> Self {
        ApiError { error, from_server: true }
    }

    fn status(&self) -> u16 {
        if self.from_server { 502 } else { self.error.status() }
    }

    /// The numbers that existing client libraries know; everything else has the number of its code.
    fn class(&self) -> (u16, &'static str) {
        if self.from_server {
            return (103, "failed to start tunnel");
        }
        match self.error.code {
            Code::TunnelUnknown => (100, "tunnel not found"),
            Code::CapturedUnknown => (100, "captured request not found"),
            Code::ConfigInvalid | Code::AddressFormat | Code::NameInvalid | Code::OwnListener | Code::TunnelExists => {
                (102, "invalid tunnel configuration")
            }
            Code::SessionNotReady => (104, "tunnel session not ready yet"),
            // What is wrong with a module has a code of its own, and is a wrong configuration all the same.
            code if code.status() == 400 && code.number() < 8000 => (102, "invalid tunnel configuration"),
            code => (code.number(), code.meaning()),
        }
    }

    /// The body.
    pub(super) fn body(&self) -> Json {
        let (number, message) = self.class();
        let mut details = serde_json::Map::new();
        details.insert("err".into(), self.error.message.clone().into());
        details.insert("code".into(), self.error.code.to_string().into());
        for (name, value) in &self.error.details {
            details.entry(name.clone()).or_insert_with(|| value.clone().into());
        }
        json!({"error_code": number, "status_code": self.status(), "msg": message, "details": details})
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        wire::answer(status, &self.body())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_has_a_number_a_status_and_both_texts() {
        let error = ApiError::from(Error::new(Code::ConfigInvalid, "Wrong because.").with("line", 3));
        assert_eq!(
            error.body(),
            json!({"error_code": 102, "status_code": 400, "msg": "invalid tunnel configuration",
                   "details": {"err": "Wrong because.", "code": "ERR_POSTERN_8100", "line": "3"}})
        );
        let refused = ApiError::from_server(Code::NameTaken.into());
        assert_eq!((refused.body()["error_code"].as_u64(), refused.status()), (Some(103), 502));
    }
}
