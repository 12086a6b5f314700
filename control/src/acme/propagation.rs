//! Waits until the name servers of a zone have a record, so that the authority finds it whichever it asks.

use super::AcmeError;
use crate::dns::{DnsError, DnsRecordData, DnsRecordType, Resolver, ask};
use std::{net::SocketAddr, time::Duration};
use tokio::time::Instant;

/// Name servers that are asked for one record.
const MAX_SERVERS: usize = 8;
/// Failures after which a name server is not waited for.
const MAX_FAILURES: u32 = 2;
const FIRST_INTERVAL: Duration = Duration::from_millis(250);
const MAX_INTERVAL: Duration = Duration::from_secs(5);

/// State of one name server.
enum Sight {
    Has,
    /// It is not for the zone, or does not answer.
    Unusable(String),
    Lacks,
}

/// The name servers of a record's zone, and the primary one that was told the record.
pub(super) async fn authoritative_servers(
    resolver: &Resolver,
    primary: Option<SocketAddr>,
    name: &str,
) -> Vec<SocketAddr> {
    let mut servers: Vec<SocketAddr> = primary.into_iter().collect();
    match resolver.zone_servers(name).await {
        Ok((_, found)) => servers.extend(found),
        Err(DnsError(why)) => tracing::debug!(name, "the name servers of a zone are not known: {why}"),
    }
    servers.dedup();
    servers.truncate(MAX_SERVERS);
    servers
}

/// Waits until all name servers that can be reached have a TXT record.
///
/// # Errors
/// If one of them has not within the time.
pub(super) async fn until_visible(
    mut servers: Vec<SocketAddr>,
    (name, value): (&str, &str),
    limit: Duration,
) -> Result<(), AcmeError> {
    let deadline = Instant::now() + limit;
    let (mut interval, mut attempts) = (FIRST_INTERVAL, 0);
    loop {
        let mut lacking = Vec::new();
        for server in std::mem::take(&mut servers) {
            match sight(server, name, value).await {
                Sight::Has => {}
                Sight::Unusable(why) if attempts + 1 >= MAX_FAILURES => {
                    tracing::debug!(name, %server, "not waited for: {why}");
                }
                Sight::Unusable(_) | Sight::Lacks => lacking.push(server),
            }
        }
        let Some(first) = lacking.first() else { return Ok(()) };
        if Instant::now() + interval > deadline {
            let seconds = limit.as_secs();
            return Err(AcmeError(format!(
                "the name server {first} does not have the TXT record of `{name}` after {seconds} s"
            )));
        }
        tokio::time::sleep(interval).await;
        (interval, attempts, servers) = ((interval * 2).min(MAX_INTERVAL), attempts + 1, lacking);
    }
}

async fn sight(server: SocketAddr, name: &str, value: &str) -> Sight {
    match ask(server, name, DnsRecordType::Txt, false).await {
        Ok(answer) if !answer.is_authoritative => Sight::Unusable("it does not have the zone".to_owned()),
        Ok(answer)
            if answer.records.iter().any(|record| matches!(record, DnsRecordData::Text(text) if text == value)) =>
        {
            Sight::Has
        }
        Ok(_) => Sight::Lacks,
        Err(DnsError(why)) => Sight::Unusable(why),
    }
}
