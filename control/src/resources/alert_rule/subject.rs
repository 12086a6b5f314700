//! What an alert rule measures: an edge, a route or a credential.

use crate::resources::{LinkRole, NewLink, Rules, relations::Link};
use postern_api::{
    AnyId, Code, Error, Id, Result,
    resource::{AlertMeasure, Credential, HttpsEdge, HttpsRoute, TcpEdge, TlsEdge},
};

/// The id of something that is measured.
#[derive(Clone, Debug)]
pub(super) struct AlertSubject {
    id: AnyId,
    kind: &'static str,
}

/// Parses the id of one kind.
type SubjectParser = fn(&str) -> Option<AlertSubject>;

impl AlertSubject {
    fn of_kind<R: Rules>(text: &str) -> Option<Self> {
        Some(AlertSubject { id: Id::<R>::parse(text).ok()?.any(), kind: R::KIND })
    }

    /// Parses the id of something that has this measure.
    ///
    /// # Errors
    /// `AlertSubjectInvalid` for any other text.
    pub(super) fn parse(text: &str, measure: AlertMeasure) -> Result<Self> {
        let (kinds, needed): (&[SubjectParser], _) = match measure {
            AlertMeasure::AgentAway => (&[Self::of_kind::<Credential>], "a credential"),
            _ => (
                &[
                    Self::of_kind::<HttpsEdge>,
                    Self::of_kind::<HttpsRoute>,
                    Self::of_kind::<TlsEdge>,
                    Self::of_kind::<TcpEdge>,
                ],
                "an HTTPS, TLS or TCP edge or of a route. Leave `subject_id` out for all traffic together",
            ),
        };
        kinds.iter().find_map(|parse| parse(text)).ok_or_else(|| {
            let shown: String = text.chars().take(64).collect();
            let sentence = format!("`{shown}` cannot be measured: `{}` needs the id of {needed}.", measure.as_str());
            Error::new(Code::AlertSubjectInvalid, sentence).with("field", "subject_id")
        })
    }

    pub(super) fn id(&self) -> &AnyId {
        &self.id
    }

    pub(super) fn into_id(self) -> AnyId {
        self.id
    }

    pub(super) fn link(self, role: LinkRole) -> NewLink {
        let link = Link { to: self.id, kind: self.kind.to_owned(), role };
        NewLink { link, unknown: Code::AlertSubjectUnknown, field: Some("subject_id") }
    }
}
