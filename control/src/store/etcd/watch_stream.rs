//! An open watch.

use super::{
    failure::Failure,
    member::{Call, Member, with_metadata},
    messages::{WatchOperation, WatchProgressRequest, WatchRequest, WatchResponse},
};
use tokio::sync::mpsc;
use tonic::{
    Streaming,
    metadata::{Ascii, MetadataValue},
};
use tonic_prost::ProstCodec;

/// Requests that may wait until the connection takes them.
const QUEUE_LIMIT: usize = 4;

/// A watch at one member.
pub(in crate::store) struct WatchStream {
    requests: mpsc::Sender<WatchRequest>,
    responses: Streaming<WatchResponse>,
}

impl WatchStream {
    /// Opens a watch with its first request.
    pub(super) async fn open(
        member: &Member,
        call: &Call<WatchRequest, WatchResponse>,
        token: Option<MetadataValue<Ascii>>,
        first: WatchRequest,
    ) -> Result<Self, Failure> {
        let (requests, queue) = mpsc::channel(QUEUE_LIMIT);
        // The channel is new and has room.
        let _ = requests.try_send(first);
        let sent = futures::stream::unfold(queue, async |mut queue| queue.recv().await.map(|request| (request, queue)));
        let mut grpc = member.grpc();
        grpc.ready().await.map_err(|error| Failure::from(tonic::Status::from_error(error.into())))?;
        let codec = ProstCodec::<WatchRequest, WatchResponse>::default();
        let responses = grpc.streaming(with_metadata(sent, token), call.path(), codec).await?.into_inner();
        Ok(WatchStream { requests, responses })
    }

    /// The next response.
    pub(in crate::store) async fn next(&mut self) -> Result<WatchResponse, Failure> {
        let ended = || Failure::NoAnswer("the watch ended".to_owned());
        self.responses.message().await?.ok_or_else(ended)
    }

    /// Asks for a sign of life. The revision in it says nothing: before 3.4.31 and 3.5.13 it may be ahead of the events.
    pub(in crate::store) fn ask_for_sign_of_life(&self) {
        let request = WatchRequest { request: Some(WatchOperation::Progress(WatchProgressRequest {})) };
        // If the queue is full, one has been asked for already.
        let _ = self.requests.try_send(request);
    }
}
