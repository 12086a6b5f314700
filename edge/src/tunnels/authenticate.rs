//! Authentication of agents by their authtoken.

use postern_api::{
    Code, Error, Secret,
    published::{Credential, Published},
    token::Token,
};

/// The credential behind a token, with the KSUID that names it.
pub(crate) fn credential<'a>(published: &'a Published, token: &Secret) -> Result<(&'a str, &'a Credential), Error> {
    if token.is_empty() {
        let message = "No authtoken was given. Save one with `postern config add-authtoken -`.";
        return Err(Error::new(Code::TokenMissing, message));
    }
    let unknown = || {
        let message = "The authtoken is not known to this server. Check that it was copied in full, that it is of \
                       this server, and that its credential was not deleted.";
        Error::new(Code::TokenUnknown, message)
    };
    let token = Token::parse(token.reveal()).ok_or_else(unknown)?;
    if let Some((key, credential)) = published.credentials.get_key_value(token.ksuid()) {
        return if credential.hash.verifies(&token) { Ok((key, credential)) } else { Err(unknown()) };
    }
    if published.inactive_credentials.get(token.ksuid()).is_some_and(|hash| hash.verifies(&token)) {
        return Err(revocation_error(published, token.ksuid()));
    }
    if published.api_keys.get(token.ksuid()).is_some_and(|hash| hash.verifies(&token)) {
        let message = "This is an API key; an agent needs the authtoken of a tunnel credential. Save it with \
                       `postern config add-authtoken -`.";
        return Err(Error::new(Code::TokenIsApiKey, message));
    }
    Err(unknown())
}

/// Why a credential that was accepted before is so no longer.
pub(crate) fn revocation_error(published: &Published, key: &str) -> Error {
    if published.inactive_credentials.contains_key(key) {
        let message = "The bot user that owns this authtoken is not active. An administrator can activate it.";
        return Error::new(Code::CredentialInactive, message);
    }
    Code::CredentialDeleted.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::acl::Acl;

    #[test]
    fn each_mistake_has_its_own_code() {
        let (known, key) = ("0ujtsYcgvSTl8PAuAdqWYSMnLOv", "0ujtsYcgvSTl8PAuAdqWYSMnLOw");
        let (token, api_key) = (Token::generate(known), Token::generate(key));
        let mut published = Published::default();
        let credential_of = |token: &Token| Credential {
            id: "cr_1".into(),
            hash: token.hash(),
            acl: Acl::default(),
            owner: "usr_1".into(),
        };
        published.credentials.insert_mut(known.to_owned(), credential_of(&token));
        published.api_keys.insert_mut(key.to_owned(), api_key.hash());
        let resting = "0ujtsYcgvSTl8PAuAdqWYSMnLOx";
        let asleep = Token::generate(resting);
        published.inactive_credentials.insert_mut(resting.to_owned(), asleep.hash());
        let code = |secret: &Secret| credential(&published, secret).map(|found| found.0).map_err(|error| error.code);
        assert_eq!(code(token.secret()), Ok(known));
        assert_eq!(code(&Secret::new("")), Err(Code::TokenMissing));
        assert_eq!(code(&Secret::new("hello")), Err(Code::TokenUnknown));
        assert_eq!(code(Token::generate(known).secret()), Err(Code::TokenUnknown), "right id, wrong secret");
        assert_eq!(code(api_key.secret()), Err(Code::TokenIsApiKey));
        assert_eq!(code(Token::generate(key).secret()), Err(Code::TokenUnknown), "a guess is told nothing");
        assert_eq!(code(asleep.secret()), Err(Code::CredentialInactive));
        assert_eq!(code(Token::generate(resting).secret()), Err(Code::TokenUnknown), "a guess is told nothing");
        assert_eq!(revocation_error(&published, resting).code, Code::CredentialInactive);
        assert_eq!(revocation_error(&published, key).code, Code::CredentialDeleted);
    }
}
