//! One member: its connection, and the calls over it.

use super::{connector::Connector, failure::Failure};
use http::uri::PathAndQuery;
use prost::Message;
use std::{
    marker::PhantomData,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tonic::{
    Request,
    client::Grpc,
    metadata::{Ascii, MetadataMap, MetadataValue},
    transport::{Channel, Endpoint},
};
use tonic_prost::ProstCodec;

/// Larger than a page of a snapshot, and than all revisions that a watch delivers at once.
const MAX_MESSAGE_BYTES: usize = 256 << 20;
/// Sooner than firewalls forget an idle connection; more often than each 5 s is refused.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// A method with the types of its request and its response.
pub(super) struct Call<Q, A> {
    path: &'static str,
    types: PhantomData<fn(Q) -> A>,
}

impl<Q, A> Call<Q, A> {
    pub(super) const fn new(path: &'static str) -> Self {
        Call { path, types: PhantomData }
    }

    pub(super) fn path(&self) -> PathAndQuery {
        PathAndQuery::from_static(self.path)
    }
}

/// A member.
pub(super) struct Member {
    /// Host and port.
    pub(super) name: String,
    connector: Connector,
    channel: Mutex<Channel>,
}

impl Member {
    /// A member that is connected to when it is needed.
    pub(super) fn new(name: &str, connector: Connector) -> Self {
        Member { name: name.to_owned(), channel: Mutex::new(channel(name, &connector)), connector }
    }

    /// Gives the connection up, because calls over it are not answered: it may be dead.
    pub(super) fn give_up(&self, after: Duration) -> Failure {
        *self.channel.lock().unwrap_or_else(PoisonError::into_inner) = channel(&self.name, &self.connector);
        Failure::NoAnswer(format!("{} did not answer within {} ms", self.name, after.as_millis()))
    }

    /// A client over the connection.
    pub(super) fn grpc(&self) -> Grpc<Channel> {
        let channel = self.channel.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Grpc::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES).max_encoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Sends one request and reads the first response.
    pub(super) async fn call<Q, A>(
        &self,
        call: &Call<Q, A>,
        request: Q,
        token: Option<MetadataValue<Ascii>>,
        timeout: Duration,
    ) -> Result<A, Failure>
    where
        Q: Message + Default + 'static,
        A: Message + Default + 'static,
    {
        let mut grpc = self.grpc();
        let answered = async {
            grpc.ready().await.map_err(|error| Failure::from(tonic::Status::from_error(error.into())))?;
            let request = with_metadata(request, token);
            let codec = ProstCodec::<Q, A>::default();
            let mut answers = grpc.server_streaming(request, call.path(), codec).await?.into_inner();
            let none = || Failure::NoAnswer(format!("{} ended the call without an answer", self.name));
            let answer = answers.message().await?.ok_or_else(none)?;
            // Up to its end: a stream that is left is reset.
            answers.message().await?;
            Ok(answer)
        };
        tokio::time::timeout(timeout, answered).await.unwrap_or_else(|_| Err(self.give_up(timeout)))
    }
}

/// A request that only a member with a leader performs, on behalf of a user.
pub(super) fn with_metadata<T>(message: T, token: Option<MetadataValue<Ascii>>) -> Request<T> {
    let mut request = Request::new(message);
    let metadata: &mut MetadataMap = request.metadata_mut();
    metadata.insert("hasleader", MetadataValue::from_static("true"));
    if let Some(token) = token {
        metadata.insert("token", token);
    }
    request
}

fn channel(name: &str, connector: &Connector) -> Channel {
    let (connector, member) = (connector.clone(), name.to_owned());
    // The address is only the `:authority` of requests: the connector knows where to go.
    let uri = http::Uri::builder().scheme("http").authority(name).path_and_query("/").build().unwrap_or_default();
    Endpoint::from(uri)
        .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_INTERVAL)
        .http2_adaptive_window(true)
        .connect_with_connector_lazy(tower::service_fn(move |_| connector.connect(member.clone())))
}
