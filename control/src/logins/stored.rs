//! How people who have logged in, and their sessions, are stored: each sealed as a whole, with what ties them together
//! beside it in the open.

use crate::{
    resources::{
        Claim, Codec, Link, Role,
        kept::{self, Linked, Ties},
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

/// What is sealed of a stored value.
const SEALED: [&str; 1] = ["/whole"];

/// A person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct User {
    /// As the provider described them last.
    pub(crate) person: Person,
    pub(crate) created_at: Timestamp,
    pub(crate) last_login: Timestamp,
}

/// A person or a session in the store.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(default)]
    claims: Vec<Claim>,
    #[serde(default)]
    links: Vec<Link>,
    whole: String,
}

/// How the keys of all records of a view begin.
pub(crate) fn records<V: View>() -> String {
    format!("records/{}/", V::KIND)
}

/// The key of a record.
pub(crate) fn key<V: View>(id: &str) -> String {
    format!("{}{id}", records::<V>())
}

/// How the keys of all uses of sessions begin.
pub(crate) const USES_OF_SESSIONS: &str = "uses/as_";

/// Where the moment is kept at which a session or a person was active last. That changes far more often than the
/// record, and is nothing the edge must be told.
pub(crate) fn use_key(id: &str) -> String {
    format!("uses/{id}")
}

/// The bytes of such a moment.
pub(crate) fn moment(at: Timestamp) -> Vec<u8> {
    format!("\"{at}\"").into_bytes()
}

/// The moment in an entry, if there is one.
pub(crate) fn read_moment(value: &[u8]) -> Option<Timestamp> {
    serde_json::from_slice(value).ok()
}

/// What nobody else's record may hold: who the person is at their provider. Nothing can be read in it.
pub(crate) fn claim(person: &Person) -> Claim {
    let mut context = Context::new(&SHA256);
    for part in [&person.provider, &person.provider_url, &person.id] {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part.as_bytes());
    }
    let value = context.finish().as_ref().iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    Claim { scope: AppUser::KIND.to_owned(), value }
}

/// What ties a session to its person.
fn link(user: &str) -> Link {
    Link { to: AnyId::from_text(user), kind: AppUser::KIND.to_owned(), role: Role::Belongs }
}

/// How the keys of a person's ties to their sessions begin.
pub(crate) fn sessions_of(user: &Id<AppUser>) -> String {
    kept::links_to(user.as_str())
}

/// The key of such a tie, and what stands there.
pub(crate) fn tie(user: &str, session: &str) -> Result<(String, Vec<u8>)> {
    let linked = Linked { role: Role::Belongs, from: key::<AppSession>(session) };
    Ok((link(user).key(session), serde_json::to_vec(&linked).map_err(unwritten)?))
}

/// The bytes of a person.
pub(crate) fn write_user(codec: &Codec, id: &Id<AppUser>, user: &User) -> Result<Vec<u8>> {
    write(codec, &key::<AppUser>(id.as_str()), vec![claim(&user.person)], Vec::new(), user)
}

/// The bytes of a session.
pub(crate) fn write_session(codec: &Codec, session: &LoginSession) -> Result<Vec<u8>> {
    write(codec, &key::<AppSession>(&session.id), Vec::new(), vec![link(&session.user)], session)
}

/// The person or session in an entry.
pub(crate) fn read<T: DeserializeOwned>(codec: &Codec, entry: &Entry) -> Result<T> {
    let stored: Stored = codec.read(&entry.key, &entry.value, &SEALED)?;
    // What serde says of a secret text might show it.
    serde_json::from_str(&stored.whole)
        .map_err(|_| Error::new(Code::Internal, format!("`{}` cannot be read: it has another form.", entry.key)))
}

/// Whose session it is; known even where it cannot be opened.
pub(crate) fn owner(entry: &Entry) -> Result<String> {
    let ties: Ties = kept::decode(entry)?;
    Ok(ties.links.first().map(|link| link.to.to_string()).unwrap_or_default())
}

/// What a stored person holds for themselves.
pub(crate) fn claims(entry: &Entry) -> Result<Vec<Claim>> {
    kept::decode::<Ties>(entry).map(|ties| ties.claims)
}

fn write(codec: &Codec, key: &str, claims: Vec<Claim>, links: Vec<Link>, value: &impl Serialize) -> Result<Vec<u8>> {
    let whole = serde_json::to_string(value).map_err(unwritten)?;
    codec.write(&Stored { claims, links, whole }, key, &SEALED)
}

fn unwritten(error: serde_json::Error) -> Error {
    Error::new(Code::Internal, format!("A login could not be written: {error}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_apart_by_provider_and_id() {
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
    fn moments_read_back() {
        let at = Timestamp::new(jiff::Timestamp::from_second(1_700_000_000).expect("a moment"));
        assert_eq!(read_moment(&moment(at)), Some(at));
        assert_eq!(read_moment(b"soon"), None);
    }
}
