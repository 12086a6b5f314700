//! Serves ACME challenges (RFC 8555, RFC 8737) on the listeners of the edge.

use postern_control::{Proof, Proofs};
use postern_edge::Challenges;

/// Challenges of the edge, for the management side.
pub(crate) struct EdgeChallenges(pub(crate) Challenges);

impl Proofs for EdgeChallenges {
    fn show(&self, proof: Proof) -> Box<dyn Send> {
        Box::new(match proof {
            Proof::Text { token, text } => self.0.text(&token, &text),
            Proof::Certificate { name, certificate } => self.0.certificate(&name, certificate),
        })
    }
}
