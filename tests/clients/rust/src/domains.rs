//! Parts of reserved domains that can be removed separately.

use crate::{given::Given, report::{Step, gone, same}};
use ngrok_api::{Client, types};

/// The certificate of a domain, and its management policy.
pub async fn parts(api: &Client, given: &Given) -> Step {
    let client = api.reserved_domains();
    let upload = types::TLSCertificateCreate {
        certificate_pem: given.text("leaf.pem"),
        private_key_pem: given.text("leaf.key"),
        ..Default::default()
    };
    let certificate = api.tls_certificates().create(&upload).await?.id;
    let create = types::ReservedDomainCreate {
        domain: "own.clients.test".into(),
        certificate_id: Some(certificate.clone()),
        ..Default::default()
    };
    let own = client.create(&create).await?;
    if own.certificate.as_ref().is_none_or(|shown| shown.id != certificate) {
        return Err("the domain does not show its certificate".into());
    }
    client.delete_certificate(&own.id).await?;
    let without = types::ReservedDomain { certificate: None, ..own };
    same("the domain without its certificate", &client.get(&without.id).await?, &without)?;

    let policy = types::ReservedDomainCertPolicy { authority: "letsencrypt".into(), private_key_type: "rsa".into() };
    let update = types::ReservedDomainUpdate {
        id: without.id.clone(),
        certificate_management_policy: Some(policy.clone()),
        ..Default::default()
    };
    let managed = client.update(&update).await?;
    same("the policy of the domain", &managed.certificate_management_policy, &Some(policy))?;
    client.delete_certificate_management_policy(&without.id).await?;
    same("the domain without its policy", &client.get(&without.id).await?, &without)?;

    client.delete(&without.id).await?;
    gone(client.delete_certificate(&without.id).await)?;
    gone(client.delete_certificate_management_policy(&without.id).await)?;
    Ok("certificate and policy set, taken out, gone".into())
}
