//! The start of a login: the redirect to the identity provider.

use crate::{
    cookies,
    crypto::{digest, hex, random_token},
    login_attempts::LoginAttempt,
    login_nodes::secret_of,
    login_request::LoginRequest,
    login_response::{LoginResponse, add_cookie, redirect},
    logins::Logins,
    realm::{Provider, Realm},
    return_path::ReturnPath,
    settings::LoginSettings,
};
use postern_api::Error;

/// Unfinished logins of one browser; their cookies would otherwise fill its requests.
const MAX_UNFINISHED: usize = 6;

impl Logins {
    /// Redirects a visitor to the provider, to return to `back` afterwards. With `reauthenticate`, the provider asks
    /// for credentials even if the visitor is logged in there.
    ///
    /// # Errors
    /// If the provider cannot be reached.
    pub async fn begin(
        &self,
        realm: &Realm,
        request: LoginRequest<'_>,
        back: &str,
        reauthenticate: bool,
    ) -> Result<LoginResponse, Error> {
        let back = ReturnPath::from_request(back);
        let (secret, state) = (random_token(), self.state_of(&random_token()));
        let (mut url, stage) = match &realm.provider {
            Provider::Oidc(oidc) => {
                let LoginSettings { http_client, clock, .. } = &self.settings;
                oidc.begin(http_client, clock, &self.callback_url(), reauthenticate).await?
            }
            Provider::OAuth(oauth) => oauth.begin(&self.callback_url(), reauthenticate),
            Provider::Saml(saml) => saml.begin(&state, reauthenticate)?,
        };
        let (origin, browser) = (request.origin.clone(), Some(digest(&[&secret])));
        let attempt = LoginAttempt::new(&realm.route, origin, back, browser, stage, self.now());
        self.insert_attempt(&state, attempt).await;
        if !matches!(realm.provider, Provider::Saml(_)) {
            url.query_pairs_mut().append_pair("state", &state);
        }
        let mut response = redirect(request.method, url.as_str())?;
        let unfinished: Vec<_> = cookies::names(request.headers, &realm.cookies.nonce).collect();
        for name in unfinished.iter().take(unfinished.len().saturating_sub(MAX_UNFINISHED - 1)) {
            add_cookie(&mut response, &cookies::clear(name));
        }
        add_cookie(&mut response, &cookies::set(&nonce_cookie(realm, &state), &secret, Some(600)));
        Ok(response)
    }

    pub(super) fn callback_url(&self) -> String {
        self.settings.login_host.with("/oauth2/callback")
    }
}

/// The name of the cookie that ties a login attempt to its browser.
pub(super) fn nonce_cookie(realm: &Realm, state: &str) -> String {
    format!("{}{}", realm.cookies.nonce, hex(&digest(&["cookie", secret_of(state)])[..8]))
}
