//! The streams that are open on an HTTP/2 connection (RFC 9113, section 5.1).

/// The streams of a connection that have begun and not ended.
#[derive(Debug, Default)]
pub(super) struct OpenStreams {
    /// Few: a connection may have a hundred.
    open: Vec<OpenStream>,
    /// The newest stream that the client began.
    last: u32,
}

#[derive(Debug)]
struct OpenStream {
    id: u32,
    is_received: bool,
    is_sent: bool,
}

impl OpenStreams {
    /// Notes a frame that begins a stream, or carries trailers.
    pub(super) fn begin(&mut self, id: u32) {
        if id > self.last {
            self.last = id;
            self.open.push(OpenStream { id, is_received: false, is_sent: false });
        }
    }

    /// The client sends no more on this stream.
    pub(super) fn received_end(&mut self, id: u32) {
        self.update(id, |stream| stream.is_received = true);
    }

    /// The server sends no more on this stream.
    pub(super) fn sent_end(&mut self, id: u32) {
        self.update(id, |stream| stream.is_sent = true);
    }

    /// The stream was reset.
    pub(super) fn reset(&mut self, id: u32) {
        self.update(id, |stream| (stream.is_received, stream.is_sent) = (true, true));
    }

    fn update(&mut self, id: u32, update: impl FnOnce(&mut OpenStream)) {
        let Some(index) = self.open.iter().rposition(|stream| stream.id == id) else { return };
        let stream = &mut self.open[index];
        update(stream);
        if stream.is_received && stream.is_sent {
            self.open.swap_remove(index);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The newest stream that the client began; 0 before the first.
    pub(super) fn last(&self) -> u32 {
        self.last
    }

    /// Returns memory that is not needed.
    pub(super) fn shrink(&mut self) {
        self.open.shrink_to_fit();
    }
}
