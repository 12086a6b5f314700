//! Messages as both sides send them in practice: bodies where few expect one, odd targets, framing that must not be
//! passed on, interim responses.

mod early_responses;
mod expectations;
mod interim;
mod lines;
mod requests;
mod responses;

use crate::kit::{ScriptedOrigin, World, agent::Agent, visitor};
use postern_tunnel::message::Scheme;

const HOST: &str = "a.localhost";

/// A service behind a tunnel, published over HTTPS and HTTP.
struct Site {
    world: World,
    origin: ScriptedOrigin,
    _agent: Agent,
}

impl Site {
    async fn of(origin: ScriptedOrigin) -> Site {
        let world = World::start().await;
        let agent = Agent::connect(&world, "one").await;
        agent.http(Some("a"), origin.address).await.unwrap();
        agent.http_on(Scheme::Http, Some("plain"), None, origin.address).await.unwrap();
        Site { world, origin, _agent: agent }
    }

    /// A service that responds to every request with an empty 200.
    async fn empty() -> Site {
        let response = |_: &str| "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned();
        Site::of(ScriptedOrigin::responding(response).await).await
    }

    /// Sends bytes on a connection of their own and reads one response.
    async fn request(&self, request: &str) -> crate::kit::Http1Response {
        visitor::https(&self.world, HOST).await.request(request).await
    }

    /// The last request that reached the service.
    fn last_request(&self) -> String {
        self.origin.request_texts().pop().expect("a request")
    }
}

/// The pseudo-headers of an HTTP/2 request.
fn fields<'a>(method: &'a str, path: &'a str) -> Vec<(&'a [u8], &'a [u8])> {
    let fields: [(&[u8], &[u8]); 4] = [
        (b":method", method.as_bytes()),
        (b":scheme", b"https"),
        (b":authority", HOST.as_bytes()),
        (b":path", path.as_bytes()),
    ];
    fields.to_vec()
}
