//! The record of one connection that is not HTTP: checked before any byte passes, written down when it ends.

use crate::{
    access::Access,
    modules::Pipeline,
    refusal::Refusal,
    telemetry::{AccessRecord, RequestDescription, Trace, metrics},
};
use std::{net::SocketAddr, sync::Arc};
use tokio::time::Instant;

/// One connection of a TLS or TCP edge, or of a TCP tunnel.
pub(crate) struct ConnectionRecord {
    access: Arc<Access>,
    record: Arc<AccessRecord>,
    pub(crate) visitor: SocketAddr,
    pub(crate) trace: Trace,
    /// `tls` or `tcp`.
    scheme: &'static str,
    /// The server name of the ClientHello, if it has one.
    pub(crate) host: Option<Box<str>>,
    counted: bool,
}

impl ConnectionRecord {
    pub(crate) fn of(access: &Arc<Access>, visitor: SocketAddr, scheme: &'static str) -> Self {
        ConnectionRecord::since(access, visitor, scheme, Instant::now())
    }

    /// A record of a connection that was accepted at `began`.
    pub(crate) fn since(access: &Arc<Access>, visitor: SocketAddr, scheme: &'static str, began: Instant) -> Self {
        let (record, trace) = (AccessRecord::since(&access.telemetry, began), Trace::default());
        ConnectionRecord { access: access.clone(), record, visitor, trace, scheme, host: None, counted: false }
    }

    /// Checks the visitor against the IP restrictions of the service and the modules of an edge. `None` if it is
    /// refused.
    pub(crate) fn checked(mut self, pipeline: Option<&Pipeline>) -> Option<Self> {
        let address = self.visitor.ip();
        let restrictions = &self.access.restrictions;
        let checked = restrictions.visitor(address, &mut self.trace).and_then(|()| match pipeline {
            Some(pipeline) => pipeline.check_connection(address, &self.access.geo, &mut self.trace),
            None => Ok(()),
        });
        match checked {
            Ok(()) => {
                tracing::debug!(visitor = %self.visitor, trace = %self.trace, "connection admitted");
                Some(self)
            }
            Err(refusal) => {
                self.refused(&refusal);
                None
            }
        }
    }

    /// Counts the connection as started: an upstream serves it.
    pub(crate) fn mark_started(&mut self) {
        self.counted = true;
        self.record.started(&self.trace, Some(self.record.elapsed()));
    }

    pub(crate) fn add_bytes(&self, bytes_in: u64, bytes_out: u64) {
        self.record.add_bytes_in(bytes_in);
        self.record.add_bytes_out(bytes_out);
    }

    /// Ends the record with a refusal.
    pub(crate) fn refused(mut self, refusal: &Refusal) {
        let code = refusal.error.code;
        metrics::refusal(self.trace.refused_by(), code);
        tracing::info!(visitor = %self.visitor, trace = %self.trace, %code, "connection refused: {}", refusal.error.message);
        if !self.counted {
            self.record.started(&self.trace, None);
        }
        self.record.ended(0, &self.trace, Some(refusal));
        self.finish(Some(refusal));
    }

    /// Ends the record of a connection that failed before it reached an edge.
    pub(crate) fn failed(mut self, refusal: &Refusal) {
        self.finish(Some(refusal));
    }

    /// It is over.
    pub(crate) fn ended(mut self) {
        self.finish(None);
    }

    fn finish(&mut self, refusal: Option<&Refusal>) {
        let host = self.host.as_deref().unwrap_or_default();
        let request =
            RequestDescription { visitor: self.visitor, scheme: self.scheme, protocol: "", host, method: "", path: "" };
        self.record.describe(request, 0, &mut self.trace, refusal);
    }
}
