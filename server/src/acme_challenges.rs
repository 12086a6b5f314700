//! Serves ACME challenges (RFC 8555, RFC 8737) on the listeners of the edge.

use postern_control::{ChallengePresenter, ChallengeResponse};
use postern_edge::Challenges;

/// Challenges of the edge, for the management side.
pub(crate) struct EdgeChallenges(pub(crate) Challenges);

impl ChallengePresenter for EdgeChallenges {
    fn present(&self, response: ChallengeResponse) -> Box<dyn Send> {
        Box::new(match response {
            ChallengeResponse::Http01 { token, key_authorization } => self.0.text(&token, &key_authorization),
            ChallengeResponse::TlsAlpn01 { name, certificate } => self.0.certificate(&name, certificate),
        })
    }
}
