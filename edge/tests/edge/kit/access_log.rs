//! Reads the lines of the access log.

use super::until;
use postern_api::{Code, trace::Decision};
use postern_edge::AccessLogReader;
use serde::Deserialize;
use std::collections::VecDeque;

/// A line of the access log.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    #[serde(rename = "time")]
    pub(crate) _time: jiff::Timestamp,
    pub(crate) kind: String,
    pub(crate) id: String,
    #[serde(rename = "visitor")]
    pub(crate) _visitor: std::net::SocketAddr,
    pub(crate) scheme: String,
    pub(crate) protocol: String,
    pub(crate) host: String,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) status: u16,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    pub(crate) duration_microseconds: u64,
    pub(crate) edge: String,
    pub(crate) route: String,
    pub(crate) backend: String,
    pub(crate) served_by: String,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) error_code: Option<Code>,
    pub(crate) message: String,
}

/// The lines of an access log, in order.
pub(crate) struct Lines {
    reader: AccessLogReader,
    read: VecDeque<Line>,
}

impl Lines {
    pub(crate) fn new(reader: AccessLogReader) -> Self {
        Lines { reader, read: VecDeque::new() }
    }

    /// The next line, if it is written already.
    pub(crate) fn written(&mut self) -> Option<Line> {
        let lines = self.reader.take().split_inclusive(|byte| *byte == b'\n');
        self.read.extend(lines.map(|line| serde_json::from_slice::<Line>(line).expect("a line of JSON")));
        self.read.pop_front()
    }

    /// All lines that are written already.
    pub(crate) fn all(&mut self) -> Vec<Line> {
        std::iter::from_fn(|| self.written()).collect()
    }

    /// The next line, once it is written.
    pub(crate) async fn next(&mut self) -> Line {
        let mut line = None;
        until("a line is written", || {
            line = self.written();
            line.is_some()
        })
        .await;
        line.unwrap()
    }
}
