//! Errors of the local API: a numeric code, a short message, and the whole sentence in `details.err`.

use super::json;
use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use postern_api::{
    Code, Error,
    local::{LocalApiError, LocalErrorDetails},
};

/// An error on its way to the caller.
#[derive(Debug)]
pub struct ApiError {
    error: Error,
    /// Refused by the server instead of the agent.
    from_server: bool,
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        ApiError { error, from_server: false }
    }
}

impl ApiError {
    /// A start that the server refused: 502 whatever the status of its error.
    pub(super) fn from_server(error: Error) -> Self {
        ApiError { error, from_server: true }
    }

    fn status(&self) -> u16 {
        if self.from_server { 502 } else { self.error.status() }
    }

    /// The number and message that existing client libraries know; other errors have the number of their code.
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
            // Problems of a module have codes of their own and are invalid configurations all the same.
            code if code.status() == 400 && code.number() < 8000 => (102, "invalid tunnel configuration"),
            code => (code.number(), code.meaning()),
        }
    }

    /// The body of the response.
    pub(super) fn body(&self) -> LocalApiError {
        let (number, message) = self.class();
        let facts = self.error.details.iter().filter(|(name, _)| !matches!(name.as_str(), "err" | "code"));
        LocalApiError {
            error_code: number,
            status_code: self.status(),
            msg: message.to_owned(),
            details: LocalErrorDetails {
                err: self.error.message.clone(),
                code: self.error.code.to_string(),
                facts: facts.map(|(name, value)| (name.clone(), value.clone().into())).collect(),
                problems: None,
            },
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        json::response(status, &self.body())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_has_a_number_a_status_and_both_texts() {
        let error = ApiError::from(Error::new(Code::ConfigInvalid, "Wrong because.").with("line", 3));
        assert_eq!(
            serde_json::json!(error.body()),
            serde_json::json!({"error_code": 102, "status_code": 400, "msg": "invalid tunnel configuration",
                   "details": {"err": "Wrong because.", "code": "ERR_POSTERN_8100", "line": "3"}})
        );
        let refused = ApiError::from_server(Code::NameTaken.into());
        assert_eq!((refused.body().error_code, refused.status()), (103, 502));
    }
}
