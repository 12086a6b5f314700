//! Reserved domains: names kept for their owners, with all that lies below them.

use super::{
    Attachment, Call, Claim, Draft, Kept, Link, Making, Modules, Part, Resources, Role, Rules, hostports, plan::Plan,
    reserved,
};
use crate::{LiveAddress, Wanted};
use postern_api::{
    Code, Error, Id, OwnerId, Result,
    host::HostName,
    resource::{
        CertificateManagementPolicy, RESOLVES_TO_LIMIT, Ref, Region, ReservedDomain, ReservedDomainCreate,
        ReservedDomainStatus, ReservedDomainUpdate, ResolvesTo, TlsCertificate,
    },
    words,
};
use serde::{Deserialize, Serialize};

mod name;

/// Generated names tried before giving up.
const TRIES: usize = 100;
/// The longest name of a place a domain is resolved to, in bytes.
const PLACE_LIMIT: usize = 64;

/// What is kept beside a domain.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Beside {
    pub(crate) certificate: Option<Id<TlsCertificate>>,
    /// Chosen by the server in this very call: nobody may have it.
    #[serde(skip)]
    ours: bool,
}

impl Rules for ReservedDomain {
    type Hidden = Beside;
    const PICKS: bool = true;

    async fn create(body: ReservedDomainCreate, making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let here = making.call.here;
        let owner_id = making.call.owner_for(body.owner_id.as_deref()).await?;
        let (name, ours) = match wanted(&body)? {
            Some(text) => (name::read(text, here).map_err(|error| error.with("field", "domain"))?, false),
            None => (free_name(here).await?, true),
        };
        let domain = ReservedDomain {
            domain: name.to_string(),
            region: Region::Unsaid,
            certificate_management_policy: body.certificate_management_policy,
            resolves_to: body.resolves_to.unwrap_or_default(),
            owner_id,
        };
        let certificate = certificate(body.certificate_id.as_deref(), body.certificate_management_policy.as_ref())?;
        Ok(Draft::new(domain, Beside { certificate: certificate.flatten(), ours }))
    }

    async fn change(kept: &mut Kept<Self>, body: ReservedDomainUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        let policy = body.certificate_management_policy;
        if let Some(certificate) = certificate(body.certificate_id.as_deref(), policy.as_ref())? {
            if certificate.is_some() {
                kept.spec.certificate_management_policy = None;
            }
            kept.hidden.certificate = certificate;
        }
        if policy.is_some() {
            kept.spec.certificate_management_policy = policy;
            kept.hidden.certificate = None;
        }
        if let Some(places) = body.resolves_to {
            kept.spec.resolves_to = places;
        }
        Ok(Vec::new())
    }

    fn check(kept: &Kept<Self>, _former: Option<&Kept<Self>>, _here: &Resources) -> Result<()> {
        let places = &kept.spec.resolves_to;
        let fits = |ResolvesTo { value }: &ResolvesTo| {
            (1..=PLACE_LIMIT).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if places.len() > RESOLVES_TO_LIMIT || !places.iter().all(fits) {
            let sentence = format!(
                "`resolves_to` has at most {RESOLVES_TO_LIMIT} places; the value of each is 1 to {PLACE_LIMIT} \
                 letters, digits or signs."
            );
            return Err(Error::new(Code::FieldInvalid, sentence).with("field", "resolves_to"));
        }
        Ok(())
    }

    fn claims(kept: &Kept<Self>) -> Vec<Claim> {
        name_of(&kept.spec).iter().map(reserved::domain_claim).collect()
    }

    fn taken(claim: &Claim, holder: &str) -> Error {
        let name: Vec<&str> = claim.value.rsplit('.').collect();
        let sentence = format!("`{}` is reserved by `{holder}` already. Take another name.", name.join("."));
        Error::new(Code::ReservedElsewhere, sentence).with("id", holder).with("field", "domain")
    }

    fn links(kept: &Kept<Self>) -> Vec<Link> {
        let owner = Link::to_owner(&kept.spec.owner_id, Role::Belongs);
        let certificate = kept.hidden.certificate.iter().map(|certificate| Link::to(certificate, Role::Needs));
        std::iter::once(owner).chain(certificate).collect()
    }

    fn wanted(kept: &Kept<Self>, former: Option<&Kept<Self>>) -> Wanted {
        if former.is_some() {
            return Wanted::default();
        }
        let names = name_of(&kept.spec).into_iter().collect();
        Wanted { names, owner: Some(kept.spec.owner_id.clone()), ..Wanted::default() }
    }

    async fn secure(plan: &mut Plan, kept: &Kept<Self>, former: Option<&Kept<Self>>, call: &Call<'_>) -> Result<()> {
        let (None, Some(name)) = (former, name_of(&kept.spec)) else { return Ok(()) };
        let owner = &kept.spec.owner_id;
        above(plan, &name, owner, call.here).await?;
        below(plan, &name, owner, call.here).await?;
        let lies_in = |address: &LiveAddress| {
            HostName::parse(&address.host).is_ok_and(|host| host.owned_with().any(|owner| owner == name))
        };
        if let Some(tunnel) =
            call.here.tunnel_of_another(owner, |address| address.scheme != "tcp" && lies_in(address)).await?
        {
            let sentence = format!(
                "A tunnel of another owner, `{tunnel}`, is up under `{name}` or a name below it. Take another name, or \
                 have that tunnel stopped first."
            );
            return Err(Error::new(Code::ReservedLive, sentence).with("id", tunnel).with("field", "domain"));
        }
        let here = call.here;
        let ours = kept.hidden.ours;
        if ours && (here.edge_named(plan, &name).await?.is_some() || here.live.host_in_use(&name)) {
            return Err(Code::StorageConflict.into());
        }
        Ok(())
    }

    async fn release(plan: &mut Plan, kept: &Kept<Self>, here: &Resources) -> Result<()> {
        let Some(name) = name_of(&kept.spec) else { return Ok(()) };
        if let Some(edge) = here.edge_named(plan, &name).await? {
            return Err(reserved::in_use(&kept.id, &edge));
        }
        if name.wildcard_parent().is_none() {
            return Ok(());
        }
        // An edge below a wildcard uses it, unless the edge's name is reserved more closely.
        let below = hostports::claim(&name).key();
        let below = below.strip_suffix('*').unwrap_or(&below);
        for entry in here.below(plan, below).await? {
            let Some(used) = name::from_claim(&entry.key) else { continue };
            let closest = here.reserved_domain(plan, &used).await?;
            if name.covers(&used) && closest.is_none_or(|closest| closest.id == kept.id) {
                return Err(reserved::in_use(&kept.id, &String::from_utf8_lossy(&entry.value)));
            }
        }
        Ok(())
    }

    async fn status(kept: &Kept<Self>, _modules: &Modules, here: &Resources) -> Result<ReservedDomainStatus> {
        let domain = &here.settings.domain;
        let name = name_of(&kept.spec);
        let custom = name.as_ref().is_some_and(|name| !name.owned_with().any(|owner| owner == *domain));
        let progress = name.as_ref().map(|name| here.progress.of(name, kept.created_at)).unwrap_or_default();
        let wildcard = name.is_some_and(|name| name.wildcard_parent().is_some());
        let proof = || format!("{}.acme-challenge.{domain}", kept.id.ksuid().to_ascii_lowercase());
        let refer = |certificate: &Id<TlsCertificate>| Ref::to(here.base_url(), certificate);
        Ok(ReservedDomainStatus {
            cname_target: custom.then(|| domain.to_string()),
            certificate: kept.hidden.certificate.as_ref().map(refer),
            certificate_management_status: kept.spec.certificate_management_policy.map(|_| progress),
            acme_challenge_cname_target: (custom && wildcard).then(proof),
        })
    }
}

/// The certificate of a reserved domain.
pub(crate) struct Certificate;

impl Part for Certificate {
    type Of = ReservedDomain;
    const NAME: &'static str = "certificate";
    fn remove(kept: &mut Kept<ReservedDomain>) {
        kept.hidden.certificate = None;
    }
}

/// Its policy for getting one.
pub(crate) struct Policy;

impl Part for Policy {
    type Of = ReservedDomain;
    const NAME: &'static str = "certificate_management_policy";
    fn remove(kept: &mut Kept<ReservedDomain>) {
        kept.spec.certificate_management_policy = None;
    }
}

/// The name of a reserved domain.
pub(crate) fn name_of(domain: &ReservedDomain) -> Option<HostName> {
    HostName::parse(&domain.domain).ok()
}

/// The name that a body asks for, under its one name or the other.
fn wanted(body: &ReservedDomainCreate) -> Result<Option<&str>> {
    let said = |text: &'_ Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::len);
    if said(&body.domain).is_some() && said(&body.name).is_some() && body.domain != body.name {
        let sentence = "`name` is the former word for `domain`, and here they differ. Send one of them.";
        return Err(Error::new(Code::FieldInvalid, sentence).with("field", "name"));
    }
    Ok([&body.domain, &body.name].into_iter().flatten().map(|text| text.trim()).find(|text| !text.is_empty()))
}

/// What a body says about the certificate: nothing, none, or a certain one.
fn certificate(
    id: Option<&str>,
    policy: Option<&CertificateManagementPolicy>,
) -> Result<Option<Option<Id<TlsCertificate>>>> {
    match id.map(str::trim) {
        None => Ok(None),
        Some("") => Ok(Some(None)),
        Some(_) if policy.is_some() => {
            let sentence = "Send `certificate_id` or `certificate_management_policy`, not both.";
            Err(Error::new(Code::CertificateOrPolicy, sentence).with("field", "certificate_id"))
        }
        Some(id) => Ok(Some(Some(Id::parse(id).map_err(|error: Error| error.with("field", "certificate_id"))?))),
    }
}

/// A name below the server's domain that nobody has.
async fn free_name(here: &Resources) -> Result<HostName> {
    for _ in 0..TRIES {
        let name = HostName::parse(&format!("{}.{}", words::label(), here.settings.domain))?;
        let mut look = Plan::default();
        let free = here.reserved_domain(&mut look, &name).await?.is_none()
            && here.edge_named(&mut look, &name).await?.is_none()
            && !here.live.host_in_use(&name);
        if free {
            return Ok(name);
        }
    }
    Err(Error::new(Code::Unavailable, "No free name was found. Ask for a name of your own."))
}

/// What a name lies in must be nobody else's.
async fn above(plan: &mut Plan, name: &HostName, owner: &OwnerId, here: &Resources) -> Result<()> {
    let Some(found) = here.reserved_domain(plan, name).await? else { return Ok(()) };
    let exact = here.holder(&reserved::domain_claim(name)).await?.is_some();
    let (code, sentence) = match (found.owner == *owner, exact) {
        (true, false) => return Ok(()),
        (true, true) => {
            (Code::ReservedAlready, format!("`{name}` is reserved already, by `{}`. Use that reservation.", found.id))
        }
        (false, _) => (
            Code::ReservedElsewhere,
            format!("`{name}` is reserved for another owner, by `{}`. Take another name.", found.id),
        ),
    };
    Err(Error::new(code, sentence).with("id", &found.id).with("field", "domain"))
}

/// What lies below a name must be nobody else's.
async fn below(plan: &mut Plan, name: &HostName, owner: &OwnerId, here: &Resources) -> Result<()> {
    let own = reserved::domain_claim(name).key();
    let prefix = own.strip_suffix('*').map_or_else(|| format!("{own}."), str::to_owned);
    for entry in here.below(plan, &prefix).await?.iter().filter(|entry| entry.key != own) {
        let id = Id::<ReservedDomain>::parse(&String::from_utf8_lossy(&entry.value))?;
        let Some((kept, _)) = here.stored(&id).await? else { continue };
        if kept.spec.owner_id != *owner {
            let sentence = format!(
                "`{}`, which lies below `{name}`, is reserved for another owner, by `{id}`. Take another name.",
                kept.spec.domain
            );
            return Err(Error::new(Code::ReservedBelow, sentence).with("id", &id).with("field", "domain"));
        }
    }
    Ok(())
}
