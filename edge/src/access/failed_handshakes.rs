//! Failed TLS handshakes: all are counted, and a sample is written to the access log.

use crate::{
    access::{Access, ConnectionRecord},
    refusal::{Fault, Refusal},
    telemetry::metrics,
    tls::SILENT,
};
use postern_api::{Code, Error};
use std::{
    io::{self, ErrorKind},
    net::SocketAddr,
    sync::Arc,
};
use tokio::time::Instant;

impl Access {
    /// Counts a failed handshake. `host` is the server name; empty if none was received.
    pub(crate) fn handshake_failed(
        self: &Arc<Self>,
        visitor: SocketAddr,
        host: &str,
        began: Instant,
        error: &io::Error,
    ) {
        let reason = reason(error.kind());
        metrics::handshake_failed(reason);
        tracing::debug!(%visitor, host, reason, %error, "TLS handshake failed");
        if error.kind() == SILENT || self.telemetry.log.is_none() || !self.failures.takes() {
            return;
        }
        let mut record = ConnectionRecord::since(self, visitor, "tls", began);
        record.host = (!host.is_empty()).then(|| host.into());
        let error = Error::new(Code::HandshakeFailed, format!("The TLS handshake failed: {error}."));
        record.failed(&Refusal::new(Fault::Visitor, error));
    }
}

/// The label of the counter.
fn reason(kind: ErrorKind) -> &'static str {
    match kind {
        SILENT => "silent",
        ErrorKind::TimedOut => "timeout",
        ErrorKind::UnexpectedEof
        | ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe => "left",
        ErrorKind::InvalidData => "tls",
        _ => "other",
    }
}
