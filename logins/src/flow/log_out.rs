//! Logout at the host of a session.

use crate::{
    cookies,
    login_request::{LOGIN_PATH_PREFIX, LoginRequest},
    login_response::{LoginResponse, add_cookie, page, redirect},
    logins::Logins,
    pages,
    realm::Realm,
    return_path::ReturnPath,
    session_key::session_key,
};
use http::Method;
use postern_api::{Code, Error};

impl Logins {
    /// Ends all sessions of the browser at the host, and redirects to the identity provider's logout if it has one.
    pub(super) async fn log_out(
        &self,
        request: LoginRequest<'_>,
        realm: &Realm,
        back: Option<ReturnPath>,
    ) -> Result<LoginResponse, Error> {
        let cross_site = request.headers.get("sec-fetch-site").is_some_and(|site| site.as_bytes() == b"cross-site");
        if cross_site {
            let message = "Another site tried to log you out. To log out, open the address yourself.";
            return Err(Error::new(Code::LoginForeign, message));
        }
        let published = self.sessions();
        let (mut ids, mut own_session) = (Vec::new(), None);
        let mut names = vec![realm.cookies.session.clone()];
        for other in self.realms_of_edge(&realm.edge) {
            for secret in cookies::secrets(request.headers, &other.cookies.session) {
                let session = published.get(&session_key(secret, &other.route));
                if let Some(session) = session.filter(|session| session.host == request.origin.host()) {
                    ids.push(session.id.clone());
                    own_session = own_session.or((other.route == realm.route).then_some(session));
                }
            }
            if !names.contains(&other.cookies.session) {
                names.push(other.cookies.session.clone());
            }
        }
        if !ids.is_empty() {
            self.store.end(ids).await?;
        }
        let at_provider = match own_session {
            Some(session) => self.saml_logout(realm, session, request, back.as_ref()).await,
            None => None,
        };
        let mut response = match (at_provider, back) {
            (Some(response), _) => response,
            (None, Some(back)) => redirect(&Method::POST, &request.origin.with(back.as_str()))?,
            (None, None) => page(pages::logged_out(Some(&format!("{LOGIN_PATH_PREFIX}login")))),
        };
        for name in names {
            add_cookie(&mut response, &cookies::clear(&name));
        }
        Ok(response)
    }
}
