//! The body of a visitor's request, as the service gets it. The connection reads the next parts when the service asks for one.

use super::body_reader::FramingError;
use crate::http::BodyError;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// The reading end of a body.
#[derive(Debug)]
pub(in crate::http) struct ReceivedBody {
    shared: Arc<Mutex<SharedBody>>,
    /// The bytes that are left, if they are known.
    exact: Option<u64>,
    is_ended: bool,
}

/// The end of a body at the connection.
#[derive(Debug)]
pub(super) struct BodySender(Arc<Mutex<SharedBody>>);

#[derive(Debug, Default)]
struct SharedBody {
    /// The next parts, until they are taken.
    next: VecDeque<Frame<Bytes>>,
    /// How the body ended, behind the next parts.
    end: Option<Result<(), BodyReadError>>,
    /// Whether a reader waits for the next part.
    is_wanted: bool,
    /// Whether the reading end is gone.
    is_abandoned: bool,
    reader: Option<Waker>,
    connection: Option<Waker>,
}

/// Why a body ended early.
#[derive(Debug, thiserror::Error)]
pub(super) enum BodyReadError {
    #[error(transparent)]
    Framing(#[from] FramingError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("the connection ended")]
    Closed,
}

fn lock(shared: &Mutex<SharedBody>) -> MutexGuard<'_, SharedBody> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Both ends of a body. `exact` is its size, if it is known.
pub(super) fn pair(exact: Option<u64>) -> (BodySender, ReceivedBody) {
    let shared = Arc::<Mutex<SharedBody>>::default();
    (BodySender(shared.clone()), ReceivedBody { shared, exact, is_ended: false })
}

impl ReceivedBody {
    pub(in crate::http) fn is_end_stream(&self) -> bool {
        self.is_ended || self.exact == Some(0)
    }

    pub(in crate::http) fn size_hint(&self) -> SizeHint {
        self.exact.map_or_else(SizeHint::new, SizeHint::with_exact)
    }

    pub(in crate::http) fn poll_frame(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if self.is_end_stream() {
            return Poll::Ready(None);
        }
        let mut shared = lock(&self.shared);
        if let Some(next) = shared.next.pop_front() {
            if let (Some(left), Some(data)) = (&mut self.exact, next.data_ref()) {
                *left = left.saturating_sub(data.len() as u64);
            }
            self.is_ended = next.is_trailers();
            return Poll::Ready(Some(Ok(next)));
        }
        if let Some(end) = shared.end.take() {
            self.is_ended = true;
            return Poll::Ready(end.err().map(|error| Err(error.into())));
        }
        shared.is_wanted = true;
        if !shared.reader.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            shared.reader = Some(cx.waker().clone());
        }
        // A reader in another task has to wake the connection.
        let connection = shared.connection.take().filter(|waker| !waker.will_wake(cx.waker()));
        drop(shared);
        if let Some(connection) = connection {
            connection.wake();
        }
        Poll::Pending
    }
}

impl Drop for ReceivedBody {
    fn drop(&mut self) {
        let mut shared = lock(&self.shared);
        shared.is_abandoned = true;
        let connection = shared.connection.take().filter(|_| shared.end.is_none() && !self.is_end_stream());
        drop(shared);
        if let Some(connection) = connection {
            connection.wake();
        }
    }
}

impl BodySender {
    /// Whether the reader waits for the next part. Otherwise the connection is woken when it does.
    pub(super) fn is_wanted(&self, cx: &Context<'_>) -> bool {
        let mut shared = lock(&self.0);
        if !shared.is_wanted && !shared.connection.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            shared.connection = Some(cx.waker().clone());
        }
        shared.is_wanted && !shared.is_abandoned
    }

    /// Whether the reading end is gone.
    pub(super) fn is_abandoned(&self) -> bool {
        lock(&self.0).is_abandoned
    }

    /// Hands a part over, after [`BodySender::is_wanted`]. A reader in the task of `cx` has to be polled by the caller.
    pub(super) fn send(&self, part: Frame<Bytes>, cx: &Context<'_>) {
        self.update(Some(cx), |shared| shared.next.push_back(part));
    }

    /// Hands the end over. A reader in the task of `cx` has to be polled by the caller.
    pub(super) fn end(&self, end: Result<(), BodyReadError>, cx: &Context<'_>) {
        self.update(Some(cx), |shared| shared.end = Some(end));
    }

    /// A task that wakes itself is queued anew, which costs the wake-up of another thread.
    fn update(&self, cx: Option<&Context<'_>>, change: impl FnOnce(&mut SharedBody)) {
        let mut shared = lock(&self.0);
        change(&mut shared);
        shared.is_wanted = false;
        let reader = shared.reader.take().filter(|reader| !cx.is_some_and(|cx| reader.will_wake(cx.waker())));
        drop(shared);
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}

impl Drop for BodySender {
    fn drop(&mut self) {
        self.update(None, |shared| {
            shared.end.get_or_insert(Err(BodyReadError::Closed));
        });
    }
}
