//! Reserved domains: names reserved for their owners, with all names below them.

use super::{
    BoundAddress, CallContext, Claim, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, RemovablePart,
    Resources, Rules, StoredRecord, commit_plan::CommitPlan, hostports, reservations,
};
use crate::{LiveAddress, NameHold};
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
use serde_json::Value;

mod name;

/// Generated names to try before giving up.
const MAX_NAME_ATTEMPTS: usize = 100;
/// Longest value of an entry in `resolves_to`, in bytes.
const MAX_RESOLVES_TO_BYTES: usize = 64;

/// Hidden state of a domain.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DomainState {
    pub(crate) certificate: Option<Id<TlsCertificate>>,
    /// Picked by the server during this call.
    #[serde(skip)]
    picked: bool,
}

impl Rules for ReservedDomain {
    type Hidden = DomainState;
    const PICKS_VALUE: bool = true;

    async fn create(body: ReservedDomainCreate, context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let ctx = context.call.resources;
        let owner_id = context.call.owner_for(body.owner_id.as_deref()).await?;
        let (name, picked) = match requested_name(&body)? {
            Some(text) => (name::parse(text, ctx).map_err(|error| error.with("field", "domain"))?, false),
            None => (free_name(ctx).await?, true),
        };
        let domain = ReservedDomain {
            domain: name.to_string(),
            region: Region::Unsaid,
            certificate_management_policy: body.certificate_management_policy,
            resolves_to: body.resolves_to.unwrap_or_default(),
            owner_id,
        };
        let certificate =
            parse_certificate(body.certificate_id.as_deref(), body.certificate_management_policy.as_ref())?;
        Ok(NewRecord::new(domain, DomainState { certificate: certificate.flatten(), picked }))
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: ReservedDomainUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        let policy = body.certificate_management_policy;
        if let Some(certificate) = parse_certificate(body.certificate_id.as_deref(), policy.as_ref())? {
            if certificate.is_some() {
                stored.spec.certificate_management_policy = None;
            }
            stored.hidden.certificate = certificate;
        }
        if policy.is_some() {
            stored.spec.certificate_management_policy = policy;
            stored.hidden.certificate = None;
        }
        if let Some(places) = body.resolves_to {
            stored.spec.resolves_to = places;
        }
        Ok(Vec::new())
    }

    fn check(stored: &StoredRecord<Self>, _former: Option<&StoredRecord<Self>>, _ctx: &Resources) -> Result<()> {
        let places = &stored.spec.resolves_to;
        let fits = |ResolvesTo { value }: &ResolvesTo| {
            (1..=MAX_RESOLVES_TO_BYTES).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if places.len() > RESOLVES_TO_LIMIT || !places.iter().all(fits) {
            let sentence = format!(
                "`resolves_to` has at most {RESOLVES_TO_LIMIT} places; the value of each is 1 to {MAX_RESOLVES_TO_BYTES} \
                 letters, digits or signs."
            );
            return Err(Error::new(Code::FieldInvalid, sentence).with("field", "resolves_to"));
        }
        Ok(())
    }

    fn hidden_settings(state: &DomainState) -> Vec<(&'static str, Value)> {
        let certificate = state.certificate.as_ref().map(Id::to_string).unwrap_or_default();
        vec![("certificate_id", certificate.into())]
    }

    fn claims(stored: &StoredRecord<Self>) -> Vec<Claim> {
        name_of(&stored.spec).iter().map(reservations::domain_claim).collect()
    }

    fn claim_taken(claim: &Claim, holder: &str) -> Error {
        let name: Vec<&str> = claim.value.rsplit('.').collect();
        let sentence = format!("`{}` is reserved by `{holder}` already. Take another name.", name.join("."));
        Error::new(Code::ReservedElsewhere, sentence).with("id", holder).with("field", "domain")
    }

    fn links(stored: &StoredRecord<Self>) -> Vec<NewLink> {
        let owner = NewLink::to_owner(&stored.spec.owner_id, LinkRole::Belongs);
        let certificate = stored.hidden.certificate.iter().map(|certificate| NewLink::to(certificate, LinkRole::Needs));
        std::iter::once(owner).chain(certificate).collect()
    }

    fn name_hold(stored: &StoredRecord<Self>, former: Option<&StoredRecord<Self>>) -> NameHold {
        if former.is_some() {
            return NameHold::default();
        }
        let names = name_of(&stored.spec).into_iter().collect();
        NameHold { names, owner: Some(stored.spec.owner_id.clone()), ..NameHold::default() }
    }

    async fn before_commit(
        plan: &mut CommitPlan,
        stored: &StoredRecord<Self>,
        former: Option<&StoredRecord<Self>>,
        call: &CallContext<'_>,
    ) -> Result<()> {
        let (None, Some(name)) = (former, name_of(&stored.spec)) else { return Ok(()) };
        let owner = &stored.spec.owner_id;
        check_above(plan, &name, owner, call.resources).await?;
        check_below(plan, &name, owner, call.resources).await?;
        let lies_in = |address: &LiveAddress| {
            HostName::parse(&address.host).is_ok_and(|host| host.owned_with().any(|owner| owner == name))
        };
        if let Some(tunnel) =
            call.resources.tunnel_of_another(owner, |address| address.scheme != "tcp" && lies_in(address)).await?
        {
            let sentence = format!(
                "A tunnel of another owner, `{tunnel}`, is up under `{name}` or a name below it. Take another name, or \
                 have that tunnel stopped first."
            );
            return Err(Error::new(Code::ReservedLive, sentence).with("id", tunnel).with("field", "domain"));
        }
        let ctx = call.resources;
        let picked = stored.hidden.picked;
        if picked && (ctx.edge_named(plan, &name).await?.is_some() || ctx.live.host_in_use(&name)) {
            return Err(Code::StorageConflict.into());
        }
        let taken = || {
            let sentence = format!(
                "A tunnel of another owner is up under `{name}` or a name below it. Take another name, or have that tunnel \
                 stopped first."
            );
            Error::new(Code::ReservedLive, sentence).with("field", "domain")
        };
        let bound = BoundAddress::Host(name.clone());
        if picked {
            ctx.take_bound(plan, &bound, None, || Code::StorageConflict.into()).await?;
        } else {
            ctx.take_bound(plan, &bound, Some(owner.as_str()), taken).await?;
        }
        ctx.take_bound_below(plan, &name, owner.as_str(), taken).await
    }

    async fn before_delete(plan: &mut CommitPlan, stored: &StoredRecord<Self>, ctx: &Resources) -> Result<()> {
        let Some(name) = name_of(&stored.spec) else { return Ok(()) };
        if let Some(edge) = ctx.edge_named(plan, &name).await? {
            return Err(reservations::in_use(&stored.id, &edge));
        }
        if name.wildcard_parent().is_none() {
            return Ok(());
        }
        // An edge below a wildcard uses it, unless a more specific reservation covers the edge's name.
        let below = hostports::claim(&name).key();
        let below = below.strip_suffix('*').unwrap_or(&below);
        for entry in ctx.read_all(plan, below).await? {
            let Some(used) = name::from_claim(&entry.key) else { continue };
            let closest = ctx.reserved_domain(plan, &used).await?;
            if name.covers(&used) && closest.is_none_or(|closest| closest.id == stored.id) {
                return Err(reservations::in_use(&stored.id, &String::from_utf8_lossy(&entry.value)));
            }
        }
        Ok(())
    }

    async fn status(stored: &StoredRecord<Self>, _modules: &Modules, ctx: &Resources) -> Result<ReservedDomainStatus> {
        let domain = &ctx.settings.domain;
        let name = name_of(&stored.spec);
        let custom = name.as_ref().is_some_and(|name| !name.owned_with().any(|owner| owner == *domain));
        let progress = name.as_ref().map(|name| ctx.provisioning.status(name, stored.created_at)).unwrap_or_default();
        let wildcard = name.is_some_and(|name| name.wildcard_parent().is_some());
        let proof = || format!("{}.acme-challenge.{domain}", stored.id.ksuid().to_ascii_lowercase());
        let refer = |certificate: &Id<TlsCertificate>| Ref::to(ctx.base_url(), certificate);
        Ok(ReservedDomainStatus {
            cname_target: custom.then(|| domain.to_string()),
            certificate: stored.hidden.certificate.as_ref().map(refer),
            certificate_management_status: stored.spec.certificate_management_policy.map(|_| progress),
            acme_challenge_cname_target: (custom && wildcard).then(proof),
        })
    }
}

/// Certificate of a reserved domain.
pub(crate) struct DomainCertificatePart;

impl RemovablePart for DomainCertificatePart {
    type Of = ReservedDomain;
    const NAME: &'static str = "certificate";
    fn remove(stored: &mut StoredRecord<ReservedDomain>) {
        stored.hidden.certificate = None;
    }
}

/// Policy for the certificate of a reserved domain.
pub(crate) struct CertificatePolicyPart;

impl RemovablePart for CertificatePolicyPart {
    type Of = ReservedDomain;
    const NAME: &'static str = "certificate_management_policy";
    fn remove(stored: &mut StoredRecord<ReservedDomain>) {
        stored.spec.certificate_management_policy = None;
    }
}

/// Name of a reserved domain.
pub(crate) fn name_of(domain: &ReservedDomain) -> Option<HostName> {
    HostName::parse(&domain.domain).ok()
}

/// Requested name: `domain`, or its former name `name`.
fn requested_name(body: &ReservedDomainCreate) -> Result<Option<&str>> {
    let trimmed_length =
        |text: &'_ Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::len);
    if trimmed_length(&body.domain).is_some() && trimmed_length(&body.name).is_some() && body.domain != body.name {
        let sentence = "`name` is the former name of `domain`, and their values differ. Send one of them.";
        return Err(Error::new(Code::FieldInvalid, sentence).with("field", "name"));
    }
    Ok([&body.domain, &body.name].into_iter().flatten().map(|text| text.trim()).find(|text| !text.is_empty()))
}

/// Certificate in a body: absent, to be removed, or an id.
fn parse_certificate(
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

/// Random name below the server's domain that is not reserved and not in use.
async fn free_name(ctx: &Resources) -> Result<HostName> {
    for _ in 0..MAX_NAME_ATTEMPTS {
        let name = HostName::parse(&format!("{}.{}", words::label(), ctx.settings.domain))?;
        let mut unused = CommitPlan::default();
        let free = ctx.reserved_domain(&mut unused, &name).await?.is_none()
            && ctx.edge_named(&mut unused, &name).await?.is_none()
            && !ctx.live.host_in_use(&name);
        if free {
            return Ok(name);
        }
    }
    Err(Error::new(Code::Unavailable, "No free name was found. Choose a name."))
}

/// Refuses a name that is covered by the reservation of another owner.
async fn check_above(plan: &mut CommitPlan, name: &HostName, owner: &OwnerId, ctx: &Resources) -> Result<()> {
    let Some(found) = ctx.reserved_domain(plan, name).await? else { return Ok(()) };
    let exact = ctx.claim_holder(&reservations::domain_claim(name)).await?.is_some();
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

/// Refuses a name if a name below it is reserved for another owner.
async fn check_below(plan: &mut CommitPlan, name: &HostName, owner: &OwnerId, ctx: &Resources) -> Result<()> {
    let own = reservations::domain_claim(name).key();
    let prefix = own.strip_suffix('*').map_or_else(|| format!("{own}."), str::to_owned);
    for entry in ctx.read_all(plan, &prefix).await?.iter().filter(|entry| entry.key != own) {
        let id = Id::<ReservedDomain>::parse(&String::from_utf8_lossy(&entry.value))?;
        let Some((stored, _)) = ctx.load(&id).await? else { continue };
        if stored.spec.owner_id != *owner {
            let sentence = format!(
                "`{}`, which lies below `{name}`, is reserved for another owner, by `{id}`. Take another name.",
                stored.spec.domain
            );
            return Err(Error::new(Code::ReservedBelow, sentence).with("id", &id).with("field", "domain"));
        }
    }
    Ok(())
}
