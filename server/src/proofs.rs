//! What shows ACME authorities that names lead here: the listeners of the edge.

use postern_control::{Proof, Proofs};
use postern_edge::Challenges;

/// The edge's, as the control side asks for it.
pub(crate) struct OnTheListeners(pub(crate) Challenges);

impl Proofs for OnTheListeners {
    fn show(&self, proof: Proof) -> Box<dyn Send> {
        Box::new(match proof {
            Proof::Text { token, text } => self.0.text(&token, &text),
            Proof::Certificate { name, certificate } => self.0.certificate(&name, certificate),
        })
    }
}
