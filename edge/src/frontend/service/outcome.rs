//! The outcome of a request: its log line, metrics and access record, and the error page of a refusal.

use super::EdgeState;
use crate::{
    frontend::{
        VisitorConnection,
        error_pages::{self, ErrorFormat},
    },
    http::{VisitorBody, headers::leaves_http},
    refusal::{Fault, Refusal},
    telemetry::{AccessRecord, RequestDescription, Trace, metrics},
    upstream::ResponseBody,
};
use hyper::{
    Method, Request, Response, StatusCode, Uri, Version,
    header::{self, HeaderValue},
};
use postern_api::Code;

/// The parts of a request's head that its outcome is written with.
pub(super) struct LoggedRequest {
    method: Method,
    uri: Uri,
    version: Version,
    host: Option<HeaderValue>,
    pub(super) format: ErrorFormat,
    /// The guard reads no request behind this one, since it may change the protocol of the connection.
    leaves_http: bool,
}

impl LoggedRequest {
    pub(super) fn new(request: &Request<VisitorBody>) -> Self {
        LoggedRequest {
            method: request.method().clone(),
            uri: request.uri().clone(),
            version: request.version(),
            host: request.headers().get(header::HOST).cloned(),
            format: ErrorFormat::new(request.headers()),
            leaves_http: leaves_http(request),
        }
    }

    fn describe(&self, connection: &VisitorConnection) -> RequestDescription<'_> {
        let host = self.host.as_ref().and_then(|host| host.to_str().ok());
        RequestDescription {
            visitor: connection.visitor.address,
            scheme: connection.scheme(),
            protocol: match self.version {
                Version::HTTP_2 => "HTTP/2",
                Version::HTTP_10 => "HTTP/1.0",
                _ => "HTTP/1.1",
            },
            // HTTP/2 has the host in the target, HTTP/1.1 in a header.
            host: self.uri.host().or(host).unwrap_or_default(),
            method: self.method.as_str(),
            path: self.uri.path(),
        }
    }
}

/// Logs and counts the outcome of a request, and makes the response that the visitor gets.
pub(super) fn finish(
    outcome: Result<Response<ResponseBody>, Refusal>,
    connection: &VisitorConnection,
    head: &LoggedRequest,
    trace: &mut Trace,
    record: &AccessRecord,
) -> Response<ResponseBody> {
    // A client that sends an invalid request cannot be trusted to frame the next one.
    let invalid = outcome.as_ref().is_err_and(|refusal| refusal.error.code == Code::RequestInvalid);
    let (mut response, refusal) = match outcome {
        Ok(response) => {
            let (method, uri, status) = (&head.method, &head.uri, response.status().as_u16());
            tracing::debug!(visitor = %connection.visitor.address, %method, %uri, status, %trace, "answered");
            (response, None)
        }
        Err(refusal) => {
            let id = trace.id().to_owned();
            log_refusal(&refusal, &id, connection, head, trace);
            (error_pages::response(&refusal, head.format, &id), Some(refusal))
        }
    };
    write_record(record, connection, head, response.status().as_u16(), trace, refusal.as_ref());
    let unusable = invalid || response.status() == StatusCode::MISDIRECTED_REQUEST;
    let switches = response.status() == StatusCode::SWITCHING_PROTOCOLS;
    if unusable && head.version < Version::HTTP_2 || head.leaves_http && !switches {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Counts the outcome of a request and writes it to the access record.
pub(super) fn write_record(
    record: &AccessRecord,
    connection: &VisitorConnection,
    head: &LoggedRequest,
    status: u16,
    trace: &mut Trace,
    refusal: Option<&Refusal>,
) {
    count(record, status, trace, refusal, head.describe(connection));
}

fn count(
    record: &AccessRecord,
    status: u16,
    trace: &mut Trace,
    refusal: Option<&Refusal>,
    request: RequestDescription<'_>,
) {
    let latency = record.elapsed();
    metrics::request(trace.kind(), status, latency);
    record.started(trace, Some(latency));
    record.ended(status, trace, refusal);
    record.describe(request, status, trace, refusal);
}

/// Counts a request that could not be parsed and writes its refusal to the access record. Returns the
/// response.
pub(in crate::frontend) fn refuse_unparsed(
    state: &EdgeState,
    connection: &VisitorConnection,
    refusal: &Refusal,
) -> String {
    let (record, mut trace) = (AccessRecord::begin(&state.access.telemetry), Trace::begin());
    let (head, body) = error_pages::raw_response(refusal, trace.id());
    metrics::refusal(None, refusal.error.code);
    let request = RequestDescription {
        visitor: connection.visitor.address,
        scheme: connection.scheme(),
        protocol: "HTTP/1.1",
        host: "",
        method: "",
        path: "",
    };
    count(&record, refusal.status(), &mut trace, Some(refusal), request);
    record.add_bytes_out(body.len() as u64);
    head + &body
}

fn log_refusal(refusal: &Refusal, id: &str, connection: &VisitorConnection, head: &LoggedRequest, trace: &Trace) {
    let (code, text, visitor) = (refusal.error.code, &refusal.error.message, connection.visitor.address);
    let LoggedRequest { method, uri, .. } = head;
    if refusal.location().is_some() {
        return tracing::debug!(id, %visitor, %method, %uri, "redirected to https");
    }
    metrics::refusal(trace.refused_by(), code);
    match refusal.fault {
        Fault::Us => tracing::error!(id, %visitor, %method, %uri, %code, %trace, "{text}"),
        Fault::Agent | Fault::Service | Fault::Route => {
            tracing::info!(id, %visitor, %method, %uri, %code, %trace, "{text}")
        }
        Fault::Visitor => tracing::debug!(id, %visitor, %method, %uri, %code, %trace, "{text}"),
    }
}
