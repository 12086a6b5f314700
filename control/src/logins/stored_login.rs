//! Stored forms of people who have logged in, and of their sessions: sealed as a whole, with claims and links in
//! plain text.

use crate::{
    resources::{
        Claim, Codec, LinkRole, keys,
        relations::{self, ClaimsAndLinks, Link, LinkEntry},
    },
    store::Entry,
};
use aws_lc_rs::digest::{Context, SHA256};
use postern_api::{
    AnyId, Code, Error, Id, Result, Timestamp,
    published::{LoginSession, Person},
    resource::{AppSession, AppUser, View},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// JSON pointers to the sealed texts.
const SECRETS: [&str; 1] = ["/whole"];

/// A person who has logged in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredUser {
    /// Latest description by the identity provider.
    pub(crate) person: Person,
    pub(crate) created_at: Timestamp,
    pub(crate) last_login: Timestamp,
}

/// Stored form of a person or a session.
#[derive(Serialize, Deserialize)]
struct SealedLogin {
    #[serde(default)]
    claims: Vec<Claim>,
    #[serde(default)]
    links: Vec<Link>,
    whole: String,
}

/// Prefix of the keys of all records of a view.
pub(crate) fn records<V: View>() -> String {
    format!("records/{}/", V::KIND)
}

/// Key of a record.
pub(crate) fn key<V: View>(id: &str) -> String {
    format!("{}{id}", records::<V>())
}

/// Prefix of the keys with the last use of each session.
pub(crate) const USES_OF_SESSIONS: &str = "uses/as_";

/// Key of the time at which a session or a person was last active. It is apart from the record because it changes far more
/// often and is not published.
pub(crate) fn use_key(id: &str) -> String {
    format!("uses/{id}")
}

/// Encodes a time of last use.
pub(crate) fn encode_time(at: Timestamp) -> Vec<u8> {
    format!("\"{at}\"").into_bytes()
}

/// Decodes a time of last use; `None` if it is invalid.
pub(crate) fn decode_time(value: &[u8]) -> Option<Timestamp> {
    serde_json::from_slice(value).ok()
}

/// Claim on the identity of a person at their provider, as a hash.
pub(crate) fn claim(person: &Person) -> Claim {
    let mut context = Context::new(&SHA256);
    for part in [&person.provider, &person.provider_url, &person.id] {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part.as_bytes());
    }
    let value = context.finish().as_ref().iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    Claim { scope: AppUser::KIND.to_owned(), value }
}

/// Link of a session to its person.
fn link(user: &str) -> Link {
    Link { to: AnyId::from_text(user), kind: AppUser::KIND.to_owned(), role: LinkRole::Belongs }
}

/// Prefix of the keys of the links from a person's sessions.
pub(crate) fn session_links(user: &Id<AppUser>) -> String {
    keys::links_to(user.as_str())
}

/// Key and value of the link of a session to its person.
pub(crate) fn session_link(user: &str, session: &str) -> Result<(String, Vec<u8>)> {
    let linked = LinkEntry { role: LinkRole::Belongs, from: key::<AppSession>(session) };
    Ok((link(user).key(session), serde_json::to_vec(&linked).map_err(encode_error)?))
}

/// Encodes a person.
pub(crate) fn encode_user(codec: &Codec, id: &Id<AppUser>, user: &StoredUser) -> Result<Vec<u8>> {
    encode(codec, &key::<AppUser>(id.as_str()), vec![claim(&user.person)], Vec::new(), user)
}

/// Encodes a session.
pub(crate) fn encode_session(codec: &Codec, session: &LoginSession) -> Result<Vec<u8>> {
    encode(codec, &key::<AppSession>(&session.id), Vec::new(), vec![link(&session.user)], session)
}

/// Decodes a person or a session.
pub(crate) fn read<T: DeserializeOwned>(codec: &Codec, entry: &Entry) -> Result<T> {
    let sealed: SealedLogin = codec.read(&entry.key, &entry.value, &SECRETS)?;
    // The error of serde is dropped because it may quote the secret text.
    serde_json::from_str(&sealed.whole)
        .map_err(|_| Error::new(Code::Internal, format!("`{}` cannot be read: it has another form.", entry.key)))
}

/// Id of a session's person, readable even if the session cannot be unsealed.
pub(crate) fn session_user(entry: &Entry) -> Result<String> {
    let relations: ClaimsAndLinks = relations::decode(entry)?;
    Ok(relations.links.first().map(|link| link.to.to_string()).unwrap_or_default())
}

/// Claims of a stored person.
pub(crate) fn claims(entry: &Entry) -> Result<Vec<Claim>> {
    relations::decode::<ClaimsAndLinks>(entry).map(|relations| relations.claims)
}

fn encode(codec: &Codec, key: &str, claims: Vec<Claim>, links: Vec<Link>, value: &impl Serialize) -> Result<Vec<u8>> {
    let whole = serde_json::to_string(value).map_err(encode_error)?;
    codec.write(&SealedLogin { claims, links, whole }, key, &SECRETS)
}

fn encode_error(error: serde_json::Error) -> Error {
    Error::new(Code::Internal, format!("A login could not be written: {error}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_identified_by_provider_and_id() {
        let person = |provider: &str, url: &str, id: &str| Person {
            provider: provider.to_owned(),
            provider_url: url.to_owned(),
            id: id.to_owned(),
            ..Person::default()
        };
        let one = claim(&person("oidc", "https://id.test", "1"));
        assert_eq!(one.value.len(), 64);
        let named = Person { name: "Ada".to_owned(), ..person("oidc", "https://id.test", "1") };
        assert_eq!(claim(&named), one, "a name may change");
        for other in [
            person("oidc", "https://id.test", "2"),
            person("saml", "https://id.test", "1"),
            person("oidc", "https://id.test1", ""),
        ] {
            assert_ne!(claim(&other), one);
        }
    }

    #[test]
    fn times_are_decoded_as_they_were_encoded() {
        let at = Timestamp::new(jiff::Timestamp::from_second(1_700_000_000).expect("a moment"));
        assert_eq!(decode_time(&encode_time(at)), Some(at));
        assert_eq!(decode_time(b"soon"), None);
    }
}
