//! The way of one connection that is not HTTP: judged before any byte passes, written down when it is over.

use crate::{
    access::Access,
    modules::Column,
    refusal::Refusal,
    telemetry::{AccessRecord, RequestDescription, Trace, metrics},
};
use std::{net::SocketAddr, sync::Arc, time::Instant};

/// One connection of a TLS or TCP edge, or of a TCP tunnel.
pub(crate) struct ConnectionRecord {
    access: Arc<Access>,
    record: Arc<AccessRecord>,
    pub(crate) visitor: SocketAddr,
    pub(crate) trace: Trace,
    /// `tls` or `tcp`.
    scheme: &'static str,
    /// The name that was asked for, if one was.
    pub(crate) host: Option<Box<str>>,
    counted: bool,
}

impl ConnectionRecord {
    pub(crate) fn of(access: &Arc<Access>, visitor: SocketAddr, scheme: &'static str) -> Self {
        ConnectionRecord::since(access, visitor, scheme, Instant::now())
    }

    /// One that began a while ago.
    pub(crate) fn since(access: &Arc<Access>, visitor: SocketAddr, scheme: &'static str, began: Instant) -> Self {
        let (record, trace) = (AccessRecord::since(&access.telemetry, began), Trace::default());
        ConnectionRecord { access: access.clone(), record, visitor, trace, scheme, host: None, counted: false }
    }

    /// Judges the visitor by what holds for everybody, and by the stages of an edge.
    pub(crate) fn judged(mut self, column: Option<&Column>) -> Option<Self> {
        let address = self.visitor.ip();
        let restrictions = &self.access.restrictions;
        let judged = restrictions
            .visitor(address, &mut self.trace)
            .and_then(|()| column.map_or(Ok(()), |column| column.connection(address, &mut self.trace)));
        match judged {
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

    /// Somebody serves it.
    pub(crate) fn carried(&mut self) {
        self.counted = true;
        self.record.started(&self.trace);
    }

    pub(crate) fn moved(&self, bytes_in: u64, bytes_out: u64) {
        self.record.came_in(bytes_in);
        self.record.went_out(bytes_out);
    }

    /// It came to nothing.
    pub(crate) fn refused(mut self, refusal: &Refusal) {
        let code = refusal.error.code;
        metrics::refusal(self.trace.refused_by(), code);
        tracing::info!(visitor = %self.visitor, trace = %self.trace, %code, "connection refused: {}", refusal.error.message);
        if !self.counted {
            self.carried();
        }
        self.record.ended(0, &self.trace, Some(refusal));
        self.tell(Some(refusal));
    }

    /// It did not even come so far that anybody could judge it.
    pub(crate) fn failed(mut self, refusal: &Refusal) {
        self.tell(Some(refusal));
    }

    /// It is over.
    pub(crate) fn ended(mut self) {
        self.tell(None);
    }

    fn tell(&mut self, refusal: Option<&Refusal>) {
        let host = self.host.as_deref().unwrap_or_default();
        let request =
            RequestDescription { visitor: self.visitor, scheme: self.scheme, protocol: "", host, method: "", path: "" };
        self.record.describe(request, 0, &mut self.trace, refusal);
    }
}
