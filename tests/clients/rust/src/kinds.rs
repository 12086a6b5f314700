//! The kinds as a table: how the SDK creates and changes each.

use crate::{given::Given, report::{Report, Step, agree, changed, collect, gone, same, without_token}};
use ngrok_api::{Client, types};
use std::collections::HashMap;

const RECORDS: u16 = 5;

/// The five operations of a kind: its client, the arguments and items of its list, the nth record, an update.
macro_rules! five_operations {
    ($client:expr, $paging:ident . $items:ident, |$number:ident| $create:expr, |$id:ident| $update:expr) => {{
        let client = $client;
        let step: Step = async {
            let mut records = Vec::new();
            for $number in 0..RECORDS {
                let create = $create;
                let record = client.create(&create).await?;
                agree("the created record", &create, &record)?;
                same("the record read back", &without_token(&client.get(&record.id).await?), &without_token(&record))?;
                records.push(record);
            }
            let pages = types::$paging { limit: Some("2".into()), ..Default::default() };
            let listed = collect(client.list(pages).$items().await).await?;
            for record in &records {
                let Some(shown) = listed.iter().find(|shown| shown.id == record.id) else {
                    return Err("a created record is not listed".into());
                };
                same("the record listed", &without_token(shown), &without_token(record))?;
            }
            let before = client.get(&records[1].id).await?;
            let $id = before.id.clone();
            let update = $update;
            let after = client.update(&update).await?;
            changed(&update, &before, &after)?;
            same("the record read after the update", &client.get(&before.id).await?, &after)?;
            for record in &records {
                client.delete(&record.id).await?;
                gone(client.get(&record.id).await)?;
            }
            gone(client.update(&update).await)?;
            Ok(format!("{RECORDS} created, read, listed with {} in all, changed, deleted, gone", listed.len()))
        }
        .await;
        step
    }};
}

/// The description and metadata of the nth record, and the rest of its members.
macro_rules! described {
    ($kind:ident, $number:expr $(, $name:ident: $value:expr)* $(,)?) => {
        types::$kind {
            description: format!("number {}", $number),
            metadata: format!("{{\"number\":{}}}", $number),
            $($name: $value,)*
            ..Default::default()
        }
    };
}

/// A changed description, and the members that the SDK's update cannot omit.
macro_rules! redescribed {
    ($kind:ident, $id:expr $(, $name:ident: $value:expr)* $(,)?) => {
        types::$kind { id: $id, description: Some("changed".into()), $($name: $value,)* ..Default::default() }
    };
}

/// Every kind, with the records that it refers to.
pub async fn all(report: &mut Report, api: &Client, given: &Given) {
    report.tells("ip_policies", ip_policies(api).await);
    report.tells("ip_policy_rules", ip_policy_rules(api).await);
    report.tells("ip_restrictions", ip_restrictions(api).await);
    report.tells("backends/weighted", weighted(api).await);
    report.tells("backends/http_response", http_response(api).await);
    report.tells("backends/tunnel_group", tunnel_group(api).await);
    report.tells("backends/failover", failover(api).await);
    report.tells("backends/static", static_address(api).await);
    report.tells("edges/tcp", tcp_edges(api, given).await);
    report.tells("edges/tls", tls_edges(api, given).await);
    report.tells("edges/https", https_edges(api, given).await);
    report.tells("credentials", credentials(api).await);
    report.tells("api_keys", api_keys(api).await);
    report.tells("bot_users", bot_users(api).await);
    report.tells("certificate_authorities", certificate_authorities(api, given).await);
    report.tells("tls_certificates", tls_certificates(api, given).await);
    report.tells("ssh_certificate_authorities", ssh_certificate_authorities(api).await);
    report.tells("ssh_host_certificates", ssh_host_certificates(api, given).await);
    report.tells("ssh_user_certificates", ssh_user_certificates(api, given).await);
    report.tells("reserved_domains", reserved_domains(api).await);
    report.tells("reserved_addrs", reserved_addrs(api).await);
}

async fn ip_policies(api: &Client) -> Step {
    five_operations!(
        api.ip_policies(),
        FilteredPaging.ip_policies,
        |number| described!(IPPolicyCreate, number),
        |id| redescribed!(IPPolicyUpdate, id)
    )
}

async fn ip_policy_rules(api: &Client) -> Step {
    let policy = policy(api).await?;
    five_operations!(
        api.ip_policy_rules(),
        FilteredPaging.ip_policy_rules,
        |number| described!(
            IPPolicyRuleCreate,
            number,
            cidr: format!("198.51.{number}.0/24"),
            ip_policy_id: policy.clone(),
            action: Some("deny".into()),
        ),
        |id| redescribed!(IPPolicyRuleUpdate, id, cidr: Some("2001:db8::/32".into()))
    )
}

async fn ip_restrictions(api: &Client) -> Step {
    let policies = vec![policy(api).await?];
    five_operations!(
        api.ip_restrictions(),
        FilteredPaging.ip_restrictions,
        // Not enforced, so that the test is not locked out.
        |number| described!(
            IPRestrictionCreate,
            number,
            r#type: "endpoints".into(),
            ip_policy_ids: policies.clone(),
        ),
        |id| redescribed!(IPRestrictionUpdate, id, ip_policy_ids: policies.clone())
    )
}

async fn weighted(api: &Client) -> Step {
    let group = group(api).await?;
    five_operations!(
        api.backends().weighted(),
        Paging.backends,
        |number| described!(WeightedBackendCreate, number, backends: HashMap::from([(group.clone(), i64::from(number))])),
        |id| redescribed!(WeightedBackendUpdate, id, backends: HashMap::from([(group.clone(), 10_000)]))
    )
}

async fn http_response(api: &Client) -> Step {
    five_operations!(
        api.backends().http_response(),
        Paging.backends,
        // Without headers: this SDK knows no null for them.
        |number| described!(HTTPResponseBackendCreate, number, body: format!("number {number}")),
        |id| redescribed!(
            HTTPResponseBackendUpdate,
            id,
            headers: Some(text_map("retry-after", "5")),
            status_code: Some(503),
        )
    )
}

async fn tunnel_group(api: &Client) -> Step {
    five_operations!(
        api.backends().tunnel_group(),
        Paging.backends,
        |number| described!(TunnelGroupBackendCreate, number, labels: text_map("number", &number.to_string())),
        |id| redescribed!(TunnelGroupBackendUpdate, id, labels: text_map("number", "changed"))
    )
}

async fn failover(api: &Client) -> Step {
    let group = group(api).await?;
    five_operations!(
        api.backends().failover(),
        Paging.backends,
        |number| described!(FailoverBackendCreate, number, backends: vec![group.clone()]),
        |id| redescribed!(FailoverBackendUpdate, id, backends: vec![group.clone()])
    )
}

async fn static_address(api: &Client) -> Step {
    five_operations!(
        api.backends().static_address(),
        Paging.backends,
        |number| described!(
            StaticBackendCreate,
            number,
            address: format!("192.0.2.{number}:8443"),
            tls: types::StaticBackendTLS { enabled: true },
        ),
        |id| redescribed!(StaticBackendUpdate, id, address: "shop.test:80".into())
    )
}

async fn tcp_edges(api: &Client, given: &Given) -> Step {
    let (backend, ip_restriction) = (backend(api).await?, restriction(api).await?);
    five_operations!(
        api.edges().tcp(),
        Paging.tcp_edges,
        |number| described!(
            TCPEdgeCreate,
            number,
            hostports: Some(vec![given.hostport(number)]),
            backend: Some(backend.clone()),
            ip_restriction: Some(ip_restriction.clone()),
        ),
        |id| redescribed!(TCPEdgeUpdate, id, hostports: Some(vec![given.hostport(RECORDS)]))
    )
}

async fn tls_edges(api: &Client, given: &Given) -> Step {
    let (backend, ip_restriction) = (backend(api).await?, restriction(api).await?);
    let mutual_tls = mutual_tls(api, given).await?;
    let at_edge = types::EndpointTLSTermination {
        enabled: Some(true),
        terminate_at: "edge".into(),
        min_version: Some("1.3".into()),
    };
    five_operations!(
        api.edges().tls(),
        Paging.tls_edges,
        |number| described!(
            TLSEdgeCreate,
            number,
            hostports: Some(vec![format!("tls-{number}.clients.test:443")]),
            backend: Some(backend.clone()),
            ip_restriction: Some(ip_restriction.clone()),
            mutual_tls: Some(mutual_tls.clone()),
            tls_termination: Some(at_edge.clone()),
        ),
        |id| redescribed!(TLSEdgeUpdate, id, hostports: Some(vec!["tls-changed.clients.test:443".into()]))
    )
}

async fn https_edges(api: &Client, given: &Given) -> Step {
    let mutual_tls = mutual_tls(api, given).await?;
    five_operations!(
        api.edges().https(),
        Paging.https_edges,
        |number| described!(
            HTTPSEdgeCreate,
            number,
            hostports: Some(vec![format!("https-{number}.clients.test:443")]),
            mutual_tls: Some(mutual_tls.clone()),
            tls_termination: Some(types::EndpointTLSTerminationAtEdge::default()),
        ),
        |id| redescribed!(HTTPSEdgeUpdate, id, hostports: Some(vec!["https-changed.clients.test:443".into()]))
    )
}

async fn credentials(api: &Client) -> Step {
    five_operations!(
        api.credentials(),
        FilteredPaging.credentials,
        |number| described!(CredentialCreate, number, acl: vec!["bind:*.clients.test".into()]),
        |id| redescribed!(CredentialUpdate, id, acl: Some(vec!["bind:app=*".into()]))
    )
}

async fn api_keys(api: &Client) -> Step {
    five_operations!(api.api_keys(), FilteredPaging.keys, |number| described!(APIKeyCreate, number), |id| redescribed!(
        APIKeyUpdate,
        id
    ))
}

async fn bot_users(api: &Client) -> Step {
    five_operations!(
        api.bot_users(),
        Paging.bot_users,
        |number| types::BotUserCreate { name: format!("bot {number}"), ..Default::default() },
        |id| types::BotUserUpdate { id, name: Some("changed bot".into()), active: Some(false) }
    )
}

async fn certificate_authorities(api: &Client, given: &Given) -> Step {
    five_operations!(
        api.certificate_authorities(),
        FilteredPaging.certificate_authorities,
        |number| described!(CertificateAuthorityCreate, number, ca_pem: given.text("authority.pem")),
        |id| redescribed!(CertificateAuthorityUpdate, id)
    )
}

async fn tls_certificates(api: &Client, given: &Given) -> Step {
    five_operations!(
        api.tls_certificates(),
        FilteredPaging.tls_certificates,
        |number| described!(
            TLSCertificateCreate,
            number,
            certificate_pem: given.text("leaf.pem"),
            private_key_pem: given.text("leaf.key"),
        ),
        |id| redescribed!(TLSCertificateUpdate, id)
    )
}

async fn ssh_certificate_authorities(api: &Client) -> Step {
    five_operations!(
        api.ssh_certificate_authorities(),
        FilteredPaging.ssh_certificate_authorities,
        // The SDK omits type, curve and size as empty strings and zero.
        |number| described!(SSHCertificateAuthorityCreate, number),
        |id| redescribed!(SSHCertificateAuthorityUpdate, id)
    )
}

async fn ssh_host_certificates(api: &Client, given: &Given) -> Step {
    let authority = ssh_authority(api).await?;
    five_operations!(
        api.ssh_host_certificates(),
        Paging.ssh_host_certificates,
        // The SDK omits both times as empty strings.
        |number| described!(
            SSHHostCertificateCreate,
            number,
            ssh_certificate_authority_id: authority.clone(),
            public_key: given.text("ssh.pub").trim().into(),
            principals: vec![format!("{number}.clients.test")],
        ),
        |id| redescribed!(SSHHostCertificateUpdate, id)
    )
}

async fn ssh_user_certificates(api: &Client, given: &Given) -> Step {
    let authority = ssh_authority(api).await?;
    five_operations!(
        api.ssh_user_certificates(),
        Paging.ssh_user_certificates,
        |number| described!(
            SSHUserCertificateCreate,
            number,
            ssh_certificate_authority_id: authority.clone(),
            public_key: given.text("ssh.pub").trim().into(),
            principals: vec!["deploy".into()],
            critical_options: text_map("force-command", "uptime"),
            extensions: text_map("permit-pty", ""),
            valid_until: "2040-01-01T00:00:00Z".into(),
        ),
        |id| redescribed!(SSHUserCertificateUpdate, id)
    )
}

async fn reserved_domains(api: &Client) -> Step {
    five_operations!(
        api.reserved_domains(),
        FilteredPaging.reserved_domains,
        |number| described!(ReservedDomainCreate, number, domain: format!("reserved-{number}.clients.test")),
        |id| redescribed!(ReservedDomainUpdate, id)
    )
}

async fn reserved_addrs(api: &Client) -> Step {
    five_operations!(
        api.reserved_addrs(),
        FilteredPaging.reserved_addrs,
        |number| described!(ReservedAddrCreate, number),
        |id| redescribed!(ReservedAddrUpdate, id)
    )
}

/// A new IP policy's id.
pub async fn policy(api: &Client) -> Step {
    Ok(api.ip_policies().create(&types::IPPolicyCreate::default()).await?.id)
}

/// A new tunnel group's id.
pub async fn group(api: &Client) -> Step {
    let create = types::TunnelGroupBackendCreate { labels: text_map("app", "clients"), ..Default::default() };
    Ok(api.backends().tunnel_group().create(&create).await?.id)
}

/// A backend module over a new tunnel group.
pub async fn backend(api: &Client) -> Step<types::EndpointBackendMutate> {
    Ok(types::EndpointBackendMutate { enabled: None, backend_id: group(api).await? })
}

/// An IP restriction module over a new policy.
pub async fn restriction(api: &Client) -> Step<types::EndpointIPPolicyMutate> {
    Ok(types::EndpointIPPolicyMutate { enabled: Some(true), ip_policy_ids: vec![policy(api).await?] })
}

/// A mutual TLS module over a new authority.
pub async fn mutual_tls(api: &Client, given: &Given) -> Step<types::EndpointMutualTLSMutate> {
    let create = types::CertificateAuthorityCreate { ca_pem: given.text("authority.pem"), ..Default::default() };
    let authority = api.certificate_authorities().create(&create).await?.id;
    Ok(types::EndpointMutualTLSMutate { enabled: Some(true), certificate_authority_ids: vec![authority] })
}

async fn ssh_authority(api: &Client) -> Step {
    let create = types::SSHCertificateAuthorityCreate { private_key_type: "ecdsa".into(), ..Default::default() };
    Ok(api.ssh_certificate_authorities().create(&create).await?.id)
}

/// A map of one member.
pub fn text_map(name: &str, value: &str) -> HashMap<String, String> {
    HashMap::from([(name.to_owned(), value.to_owned())])
}
