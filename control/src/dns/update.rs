//! Dynamic updates (RFC 2136): a TXT record is added to a zone, or removed from it.

use super::{DnsError, TsigKey, exchange::over_tcp, signed_message::SignedRequest};
use postern_api::clock;
use simple_dns::{
    CLASS, Name, OPCODE, Packet, Question, ResourceRecord, TYPE,
    rdata::{RData, TXT},
};
use std::net::SocketAddr;

/// Time to live of an added record, in seconds.
const TTL: u32 = 60;

/// A change of one TXT record. Others of the same name stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextChange {
    Add,
    Remove,
}

/// Changes a TXT record of a zone.
///
/// # Errors
/// If the name server cannot be reached, or refuses the change.
pub(crate) async fn change_text(
    server: SocketAddr,
    key: &TsigKey,
    zone: &str,
    change: TextChange,
    (name, value): (&str, &str),
) -> Result<(), DnsError> {
    let message = message(zone, change, name, value)?;
    let now = || clock::now().as_second().unsigned_abs();
    let request = SignedRequest::new(key, &message, now());
    let response = over_tcp(server, &request.bytes).await?;
    let refused = |why: &str| DnsError(format!("the name server {server} did not change the zone `{zone}`: {why}"));
    match request.verify(&response, now()).map_err(|DnsError(why)| refused(&why))? {
        0 => Ok(()),
        5 => Err(refused(&format!("the key `{}` may not change `{name}` there (REFUSED)", key.name()))),
        9 => Err(refused("it does not have that zone (NOTAUTH)")),
        10 => Err(refused(&format!("`{name}` is not in that zone (NOTZONE)"))),
        4 => Err(refused("it does not take updates (NOTIMP)")),
        code => Err(refused(&format!("it responds with RCODE {code}"))),
    }
}

fn message(zone: &str, change: TextChange, name: &str, value: &str) -> Result<Vec<u8>, DnsError> {
    let invalid = |error: simple_dns::SimpleDnsError| DnsError(format!("`{name}` cannot be changed in DNS: {error}"));
    let (class, ttl) = match change {
        TextChange::Add => (CLASS::IN, TTL),
        // RFC 2136, section 2.5.4: the record with exactly this value.
        TextChange::Remove => (CLASS::NONE, 0),
    };
    let mut packet = Packet::new_query(rand::random());
    *packet.opcode_mut() = OPCODE::Update;
    let zone = Name::new(zone).map_err(invalid)?;
    packet.questions.push(Question::new(zone, TYPE::SOA.into(), CLASS::IN.into(), false));
    let text = RData::TXT(TXT::new().with_string(value).map_err(invalid)?);
    packet.name_servers.push(ResourceRecord::new(Name::new(name).map_err(invalid)?, class, ttl, text));
    packet.build_bytes_vec().map_err(invalid)
}
