//! The facade: everything the server program does with the control side.

use crate::{
    Acme, AcmeSettings, KeptLogins, Live, Proofs, Settings, files,
    http::{Admission, Shared},
    publishing::Publisher,
    resources::{Address, Caller, Codec, Kept, Resources},
    sealing::Seal,
    store::{self, Store, StoreError},
};
use postern_api::{
    Code, Error, Id, Result, Secret,
    published::Published,
    resource::{ApiKey, ApiKeyCreate, IpRestriction, IpRestrictionUpdate, RestrictionType, User, UserCreate},
    token::Token,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::sync::watch;

const KEY_FILE: &str = "admin.key";

/// A running control side. Needs a tokio runtime.
pub struct Control {
    pub(crate) resources: Arc<Resources>,
    publisher: Publisher,
    admission: Option<Admission>,
}

impl Control {
    /// Opens the data folder and publishes the configuration found there.
    ///
    /// Fails with `StorageLocked` if another server has the folder, and with `StorageReadOnly` or
    /// `StorageFull` if it cannot be written.
    pub async fn open(mut settings: Settings, live: Arc<dyn Live>) -> Result<Self> {
        settings.base_url = settings.base_url.trim_end_matches('/').to_owned();
        let folder = settings.data_dir.clone();
        let opening = tokio::task::spawn_blocking(move || store::open(&folder)).await;
        let store = opening.map_err(|error| StoreError::Broken(format!("opening did not finish: {error}")))??;
        Self::over(store, settings, live).await
    }

    async fn over(store: Arc<dyn Store>, settings: Settings, live: Arc<dyn Live>) -> Result<Self> {
        let codec = Codec::new(Arc::new(Seal::open(&settings.data_dir)?));
        let publisher = Publisher::start(store.clone(), codec.clone()).await?;
        let (published, reached) = (publisher.published.clone(), publisher.reached.clone());
        let resources = Arc::new(Resources::new(store, codec, settings, live, published, reached));
        Ok(Control { resources, publisher, admission: None })
    }

    /// Sets who may use the API at all; asked after authentication, before anything else.
    #[must_use]
    pub fn admitting(mut self, admission: Admission) -> Self {
        self.admission = Some(admission);
        self
    }

    /// The management API. It answers every path, so put other routes before it and this one as the fallback.
    pub fn router(&self) -> axum::Router {
        crate::http::router(Arc::new(Shared { resources: self.resources.clone(), admission: self.admission.clone() }))
    }

    /// The OpenAPI description of the management API, with the address this server is reached at.
    pub fn description(&self) -> serde_json::Value {
        let mut description = crate::description();
        description["servers"] = serde_json::json!([{ "url": self.resources.settings.base_url }]);
        description
    }

    /// Gets certificates by ACME from now on, for as long as the answer is kept.
    pub fn certify(&self, settings: AcmeSettings, proofs: Arc<dyn Proofs>) -> Acme {
        Acme::start(self.resources.clone(), settings, proofs)
    }

    /// The configuration as the edge needs it, always the newest.
    pub fn published(&self) -> watch::Receiver<Arc<Published>> {
        self.publisher.published.clone()
    }

    /// Who has logged in at the edge.
    pub fn logins(&self) -> KeptLogins {
        KeptLogins { resources: self.resources.clone() }
    }

    /// With an empty store: makes the administrator and one API key and writes the key, one line, to
    /// `admin.key` in the data folder. Says where it is, or `None` if there was a key already.
    pub async fn ensure_first_key(&self) -> Result<Option<PathBuf>> {
        let path = self.resources.settings.data_dir.join(KEY_FILE);
        let mut any = false;
        self.resources.each(|_: Kept<ApiKey>| any = true).await?;
        if any {
            return self.settle_key(&path).await;
        }
        let administrator = self.administrator().await?;
        // The key is on disk before it counts: a crash in between leaves no key that nobody knows.
        let write = |token: &Secret| -> Result<()> {
            let line = format!("{}\n", token.reveal());
            Ok(files::write_beside(&path, line.as_bytes(), files::PRIVATE)?)
        };
        let body = ApiKeyCreate { description: Some("the first key".to_owned()), ..Default::default() };
        self.resources.create_prepared::<ApiKey>(&administrator, None, body, write).await?;
        files::settle(&path)?;
        Ok(Some(path))
    }

    /// Makes an API key and returns it, the one time it can be seen. With `admin` it belongs to the
    /// administrator, otherwise to a new user without rights over others.
    pub async fn create_api_key(&self, description: &str, admin: bool) -> Result<Secret> {
        let owner = if admin { self.administrator().await? } else { self.user(description, false).await? };
        let body = ApiKeyCreate { description: Some(description.to_owned()), ..Default::default() };
        let record = self.resources.create::<ApiKey>(&owner, None, body).await?;
        record.status.token.ok_or_else(|| Error::from(Code::Internal))
    }

    /// The rescue after a lock-out: no enforced IP restriction of types `api` and `dashboard` is enforced any more.
    /// Returns those that were, each with its type, in the order they were made.
    pub async fn unlock(&self) -> Result<Vec<(String, RestrictionType)>> {
        let mut locking = Vec::new();
        let guards = |kind| matches!(kind, RestrictionType::Api | RestrictionType::Dashboard);
        self.resources
            .each(|kept: Kept<IpRestriction>| {
                if kept.spec.enforced && guards(kept.spec.kind) {
                    locking.push((kept.id, kept.spec.kind));
                }
            })
            .await?;
        locking.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut suspended = Vec::new();
        if locking.is_empty() {
            return Ok(suspended);
        }
        let administrator = self.administrator().await?;
        for (id, kind) in locking {
            let name = id.to_string();
            let change = IpRestrictionUpdate { enforced: Some(false), ..Default::default() };
            match self.resources.update::<IpRestriction>(&administrator, &Address { id, parent: None }, change).await {
                Ok(_) => suspended.push((name, kind)),
                // Deleted meanwhile, it locks nobody out.
                Err(error) if error.code == Code::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(suspended)
    }

    /// The oldest administrator, made if there is none.
    async fn administrator(&self) -> Result<Caller> {
        let mut oldest: Option<Id<User>> = None;
        self.resources
            .each(|user: Kept<User>| {
                if user.spec.admin && oldest.as_ref().is_none_or(|oldest| user.id < *oldest) {
                    oldest = Some(user.id);
                }
            })
            .await?;
        match oldest {
            Some(owner) => Ok(operator(owner)),
            None => self.user("admin", true).await,
        }
    }

    async fn user(&self, name: &str, admin: bool) -> Result<Caller> {
        let name: String = name.chars().filter(|letter| !letter.is_control()).take(60).collect();
        let name = if name.trim().is_empty() { "API key".to_owned() } else { name };
        let body = UserCreate { name, admin: Some(admin), ..Default::default() };
        let nobody = operator(Id::new(jiff::Timestamp::now()));
        let user = self.resources.create::<User>(&nobody, None, body).await?;
        Ok(operator(user.id))
    }

    /// After a crash between making the first key and moving its file into place: moves it now.
    async fn settle_key(&self, path: &Path) -> Result<Option<PathBuf>> {
        if path.exists() {
            return Ok(None);
        }
        let Some(bytes) = files::read(&files::beside(path))? else { return Ok(None) };
        let text = Secret::new(String::from_utf8_lossy(&bytes).trim());
        if Token::parse(text.reveal()).is_none() || self.resources.authenticate(text.reveal()).await.is_err() {
            return Ok(None);
        }
        files::settle(path)?;
        Ok(Some(path.to_owned()))
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").field("settings", &self.resources.settings).finish_non_exhaustive()
    }
}

/// Whoever works on the machine itself, in the name of a user.
fn operator(owner: Id<User>) -> Caller {
    Caller { key: postern_api::AnyId::from_text("operator"), owner: owner.into(), admin: true }
}
