//! Facade of the crate for the server program.

use crate::{
    Acme, AcmeSettings, ChallengePresenter, Cluster, CommittedEvent, ConsoleProviderSettings, ControlSettings,
    EventTasks, LiveState, LoginStore, OAuthApps, acme,
    console_provider::ConsoleProvider,
    console_sessions, files,
    http::{AdmissionCheck, ApiState, ServedDescription},
    logins,
    publishing::Publisher,
    resources::{
        self, AddressClaims, Caller, Codec, RecordPath, Resources, StoredRecord,
        audit::{CallOrigin, retention},
    },
    sealing::{self, Seal},
    settings::OAuthFacts,
    store::{self, Change, Health, Presence, Revision, SharedLocation, Store, StoreError, lock::FolderLock},
    views::ViewSource,
};
use postern_api::{
    Code, Error, Id, Result, Role, Secret,
    published::Published,
    resource::{ApiKey, ApiKeyCreate, IpRestriction, IpRestrictionUpdate, Node, RestrictionType, User, UserCreate},
    token::Token,
};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::sync::watch;

const KEY_FILE: &str = "admin.key";
/// Time between two checkpoints of the store.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(600);

/// The running management side. Needs a Tokio runtime.
pub struct Control {
    pub(crate) resources: Arc<Resources>,
    publisher: Publisher,
    admission: Option<AdmissionCheck>,
    /// That this server uses a shared store.
    presence: Option<Arc<Presence>>,
    cluster: Option<Cluster>,
}

/// What is known of a store that several programs could use.
#[derive(Clone, Debug)]
pub struct StoreSignals {
    /// Whether changes can be made.
    pub health: watch::Receiver<Health>,
    /// Whether the store knows of this server.
    pub registered: watch::Receiver<bool>,
}

impl Control {
    /// Opens the data folder and publishes the configuration stored there.
    ///
    /// # Errors
    /// `StorageLocked` if another server uses the folder, `StorageReadOnly` or `StorageFull` if it cannot be written.
    pub async fn open(mut settings: ControlSettings, live: Arc<dyn LiveState>) -> Result<Self> {
        settings.base_url = settings.base_url.trim_end_matches('/').to_owned();
        if let Some(location) = settings.store.clone() {
            return Self::open_shared(&location, settings, live).await;
        }
        let folder = settings.data_dir.clone();
        let opened = tokio::task::spawn_blocking(move || store::open(&folder)).await;
        let store = opened.map_err(|error| StoreError::Broken(format!("opening did not finish: {error}")))??;
        let seal = Seal::open(&settings.data_dir)?;
        Self::from_store(store, seal, (None, None), settings, live).await
    }

    /// Opens a store that several programs could use, for this server alone or as one of several nodes.
    async fn open_shared(
        location: &SharedLocation,
        settings: ControlSettings,
        live: Arc<dyn LiveState>,
    ) -> Result<Self> {
        files::create_private_folder(&settings.data_dir)?;
        let lock = FolderLock::take(&settings.data_dir)?;
        let store = store::open_shared(location).await?;
        let folder = &settings.data_dir;
        let seal = Seal::open_shared(folder, settings.join_file.as_deref(), store.as_ref()).await?;
        let presence = Arc::new(Presence::begin(store.clone(), folder, settings.usage.clone(), lock).await?);
        let cluster = Cluster::join(&presence, store.as_ref(), &seal, folder).await?;
        Self::from_store(store, seal, (Some(presence), cluster), settings, live).await
    }

    async fn from_store(
        store: Arc<dyn Store>,
        seal: Seal,
        (presence, cluster): (Option<Arc<Presence>>, Option<Cluster>),
        settings: ControlSettings,
        live: Arc<dyn LiveState>,
    ) -> Result<Self> {
        store::refuse_incomplete(store.as_ref()).await?;
        let codec = Codec::new(Arc::new(seal));
        tokio::spawn(checkpoint_regularly(Arc::downgrade(&store)));
        let leading = cluster.as_ref().map(Cluster::leading);
        tokio::spawn(retention::remove_expired_regularly(Arc::downgrade(&store), settings.audit_retention, leading));
        let publisher = Publisher::start(store.clone(), codec.clone()).await?;
        let (published, revision) = (publisher.published.clone(), publisher.revision.clone());
        let mut resources = Resources::new(store, codec, settings, live, published, revision);
        resources.presence = presence.clone();
        let resources = Arc::new(resources);
        let leading = cluster.as_ref().map(Cluster::leading);
        tokio::spawn(resources::complete_regularly(Arc::downgrade(&resources), leading.clone()));
        tokio::spawn(console_sessions::sweep_regularly(Arc::downgrade(&resources), leading));
        Ok(Control { resources, publisher, admission: None, presence, cluster })
    }

    /// Sets the check that decides after authentication whether a caller may use the API at all.
    #[must_use]
    pub fn with_admission_check(mut self, admission: AdmissionCheck) -> Self {
        self.admission = Some(admission);
        self
    }

    /// Router of the management API. It responds to every path, so use it as the fallback of other routes.
    pub fn router(&self) -> axum::Router {
        crate::http::router(Arc::new(ApiState { resources: self.resources.clone(), admission: self.admission.clone() }))
    }

    /// Collects the texts of all records for searches, and keeps them up to date, in a task of the current runtime that
    /// ends with the store.
    pub fn index_records(&self) {
        let resources = Arc::downgrade(&self.resources);
        tokio::spawn(async { resources::keep_index(resources, crate::http::indexed_kinds()).await });
    }

    /// OpenAPI description of the management API, with the URL of this server.
    pub fn description(&self) -> ServedDescription {
        ServedDescription::new(&self.resources.settings.base_url)
    }

    /// Calls a function with every audit event that is committed from now on. It runs on the thread that commits, so it
    /// must be short and never wait.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn follow_audit_events(&self, mut follow: Box<dyn FnMut(CommittedEvent) + Send>) -> Result<()> {
        let newest = *self.publisher.revision.borrow();
        let subscriber = move |changes: &[Change], _: Revision| {
            changes.iter().filter_map(CommittedEvent::of_change).for_each(&mut follow);
        };
        Ok(self.resources.store.subscribe(newest, Box::new(subscriber)).await?)
    }

    /// Gets certificates by ACME until the returned handle is dropped.
    pub fn certify(&self, settings: AcmeSettings, presenter: Arc<dyn ChallengePresenter>) -> Acme {
        let leading = self.cluster.as_ref().map(Cluster::leading);
        Acme::start(self.resources.clone(), settings, presenter, leading)
    }

    /// Replaces the operator's OAuth apps, which modules without an app of their own need.
    pub fn set_oauth_apps(&self, apps: &OAuthApps, has_microsoft_tenants: bool) {
        self.resources.set_oauth_facts(OAuthFacts::new(apps, has_microsoft_tenants));
    }

    /// Replaces the provider by which people sign in to the console. Sessions that another issuer has begun end.
    ///
    /// # Errors
    /// `IssuerInvalid` if the issuer is not a URL, `Unavailable` if the certificate authorities of this machine cannot be read.
    pub fn set_console_provider(&self, settings: Option<ConsoleProviderSettings>) -> Result<()> {
        let provider = settings.map(ConsoleProvider::new).transpose()?;
        self.resources.set_console_provider(provider.map(Arc::new));
        Ok(())
    }

    /// Sends events to their destinations, and records what is observed, such as which agents come and go, until the
    /// returned handle is dropped.
    pub fn run_event_tasks(&self) -> EventTasks {
        EventTasks::start(&self.resources, self.cluster.as_ref().map(Cluster::leading))
    }

    /// Presents what other nodes have to prove to an authority, until the store is closed. Does nothing for a server that
    /// uses its store alone.
    pub fn present_for_others(&self, presenter: Arc<dyn ChallengePresenter>) {
        if self.cluster.is_some() {
            tokio::spawn(acme::present_shared(Arc::downgrade(&self.resources.store), presenter));
        }
    }

    /// Where tunnels claim names and ports; `None` for a server that uses its store alone. At the node that leads, claims of
    /// agents that are gone are removed until the store is closed.
    pub fn claim_addresses(&self) -> Option<AddressClaims> {
        let cluster = self.cluster.as_ref()?;
        tokio::spawn(resources::sweep_regularly(Arc::downgrade(&self.resources), cluster.leading()));
        tokio::spawn(logins::sweep_spent_regularly(Arc::downgrade(&self.resources), cluster.leading()));
        Some(AddressClaims::start(&self.resources, cluster.id().to_string()))
    }

    /// This server as one of several on its store; `None` if it uses the store alone.
    pub fn cluster(&self) -> Option<&Cluster> {
        self.cluster.as_ref()
    }

    /// What is known of a store that several programs could use; `None` if the store is the database in the folder.
    pub fn store_signals(&self) -> Option<StoreSignals> {
        let registered = self.presence.as_ref()?.registered();
        Some(StoreSignals { health: self.resources.store.health(), registered })
    }

    /// The servers that use the store, as `GET /nodes` lists them.
    ///
    /// # Errors
    /// None at present.
    pub async fn nodes(&self) -> Result<Vec<Node>> {
        <Node as ViewSource>::list(&self.resources, None, usize::MAX).await
    }

    /// Newest revision up to which changes are published.
    pub fn revision(&self) -> watch::Receiver<i64> {
        self.publisher.revision.clone()
    }

    /// The text with which another server joins those of the store. It is as secret as `seal.key`.
    ///
    /// # Errors
    /// `ConfigInvalid` if the store is the database in the folder.
    pub async fn invite(&self) -> Result<Secret> {
        sealing::invite(&self.resources.settings.data_dir, self.resources.store.as_ref()).await
    }

    /// Newest configuration for the edge.
    pub fn published(&self) -> watch::Receiver<Arc<Published>> {
        self.publisher.published.clone()
    }

    /// Store of the logins at the edge.
    pub fn logins(&self) -> LoginStore {
        LoginStore { resources: self.resources.clone() }
    }

    /// Creates an administrator and an API key if the store has no key, and writes the key to `admin.key` in the data
    /// folder as one line. Gives the path, or `None` if there was a key already.
    ///
    /// # Errors
    /// If the store or the file cannot be written.
    pub async fn ensure_first_key(&self) -> Result<Option<PathBuf>> {
        let path = self.resources.settings.data_dir.join(KEY_FILE);
        let mut any = false;
        self.resources.for_each(|_: StoredRecord<ApiKey>| any = true).await?;
        if any {
            return self.recover_key_file(&path).await;
        }
        // Of several nodes that begin at once, one creates it.
        if self.cluster.as_ref().is_some_and(|cluster| !*cluster.leading().borrow()) {
            return Ok(None);
        }
        let administrator = self.administrator().await?;
        // The file is written before the key is stored, so that a crash in between never leaves a key that is lost.
        let write = |token: &Secret| -> Result<()> {
            let line = format!("{}\n", token.reveal());
            Ok(files::stage(&path, line.as_bytes())?)
        };
        let body = ApiKeyCreate { description: Some("the first key".to_owned()), ..Default::default() };
        self.resources.create_prepared::<ApiKey>(&administrator, None, body, write).await?;
        files::publish_staged(&path)?;
        Ok(Some(path))
    }

    /// Creates an API key and returns it; it is never shown again. With the role of an administrator it belongs to the oldest
    /// one, otherwise to a new user with the role.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn create_api_key(&self, description: &str, role: Role) -> Result<Secret> {
        let owner = if role.is_admin() { self.administrator().await? } else { self.user(description, role).await? };
        let body = ApiKeyCreate { description: Some(description.to_owned()), ..Default::default() };
        let record = self.resources.create::<ApiKey>(&owner, None, body).await?;
        record.status.token.ok_or_else(|| Error::from(Code::Internal))
    }

    /// Stops the enforcement of all IP restrictions of types `api` and `dashboard`, as a rescue after a lock-out. Gives
    /// those that were enforced, with their types, oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn unlock(&self) -> Result<Vec<(String, RestrictionType)>> {
        let mut enforced = Vec::new();
        let locks_out = |kind| matches!(kind, RestrictionType::Api | RestrictionType::Dashboard);
        self.resources
            .for_each(|stored: StoredRecord<IpRestriction>| {
                if stored.spec.enforced && locks_out(stored.spec.kind) {
                    enforced.push((stored.id, stored.spec.kind));
                }
            })
            .await?;
        enforced.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut suspended = Vec::new();
        if enforced.is_empty() {
            return Ok(suspended);
        }
        let administrator = self.administrator().await?;
        for (id, kind) in enforced {
            let name = id.to_string();
            let change = IpRestrictionUpdate { enforced: Some(false), ..Default::default() };
            match self.resources.update::<IpRestriction>(&administrator, &RecordPath { id, parent: None }, change).await
            {
                Ok(_) => suspended.push((name, kind)),
                // A restriction deleted meanwhile is not enforced either.
                Err(error) if error.code == Code::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(suspended)
    }

    /// Closes the store and gives up the lock on the data folder, so that another server can use it while this one
    /// finishes open connections. The published configuration stays in use; later calls of the API fail with
    /// `ServerDraining`.
    pub async fn close(&self) {
        if let Some(presence) = &self.presence {
            presence.end().await;
        }
        self.resources.store.close().await;
    }

    /// The oldest administrator, created if there is none.
    async fn administrator(&self) -> Result<Caller> {
        let mut oldest: Option<Id<User>> = None;
        self.resources
            .for_each(|user: StoredRecord<User>| {
                if user.spec.admin && oldest.as_ref().is_none_or(|oldest| user.id < *oldest) {
                    oldest = Some(user.id);
                }
            })
            .await?;
        match oldest {
            Some(owner) => Ok(operator(owner)),
            None => self.user("admin", Role::Admin).await,
        }
    }

    async fn user(&self, name: &str, role: Role) -> Result<Caller> {
        let name: String = name.chars().filter(|letter| !letter.is_control()).take(60).collect();
        let name = if name.trim().is_empty() { "API key".to_owned() } else { name };
        let body = UserCreate { name, role: Some(role), ..Default::default() };
        let creator = operator(Id::new(postern_api::clock::now()));
        let user = self.resources.create::<User>(&creator, None, body).await?;
        Ok(operator(user.id))
    }

    /// Publishes the staged key file after a crash between storing the first key and renaming its file.
    async fn recover_key_file(&self, path: &Path) -> Result<Option<PathBuf>> {
        if path.exists() {
            return Ok(None);
        }
        let Some(bytes) = files::read(&files::staged_path(path))? else { return Ok(None) };
        let text = Secret::new(String::from_utf8_lossy(&bytes).trim());
        if Token::parse(text.reveal()).is_none() || self.resources.authenticate(text.reveal()).await.is_err() {
            return Ok(None);
        }
        files::publish_staged(path)?;
        Ok(Some(path.to_owned()))
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").field("settings", &self.resources.settings).finish_non_exhaustive()
    }
}

/// Caller for commands on the machine itself, on behalf of a user.
fn operator(owner: Id<User>) -> Caller {
    Caller {
        key: postern_api::AnyId::from_text(Caller::OPERATOR),
        owner: owner.into(),
        name: String::new(),
        key_role: Role::Admin,
        rights: Role::Admin.into(),
        origin: CallOrigin::default(),
    }
}

/// Moves the changes of the log into the main storage now and then, as long as the store is open.
async fn checkpoint_regularly(store: Weak<dyn Store>) {
    loop {
        tokio::time::sleep(CHECKPOINT_INTERVAL).await;
        let Some(store) = store.upgrade() else { return };
        if let Err(error) = store.checkpoint().await {
            tracing::warn!(%error, "the log of the database was not moved into its file");
        }
    }
}
