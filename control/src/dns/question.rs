//! A question to one name server, and its answer.

use super::{
    DnsError,
    exchange::{over_tcp, over_udp},
};
use postern_dns::response_to;
use simple_dns::{Name, Packet, PacketFlag, RCODE, TYPE, rdata::RData};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Types of records that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DnsRecordType {
    A,
    Aaaa,
    Cname,
    Ns,
    Soa,
    Txt,
}

/// Answer of a name server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DnsAnswer {
    /// Whether the server has the zone itself.
    pub(crate) is_authoritative: bool,
    /// Records of the answer with those that an alias leads over, in their order.
    pub(crate) records: Vec<DnsRecordData>,
    /// Zone of the name, as far as the server says it.
    pub(crate) zone: Option<String>,
}

/// Content of a record; names are in lower case, without a final dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DnsRecordData {
    Address(IpAddr),
    Alias(String),
    NameServer(String),
    Text(String),
}

/// What a name server responds to a question.
enum Response {
    Answer(DnsAnswer),
    Truncated,
    Refused(RCODE),
}

impl From<DnsRecordType> for TYPE {
    fn from(kind: DnsRecordType) -> TYPE {
        match kind {
            DnsRecordType::A => TYPE::A,
            DnsRecordType::Aaaa => TYPE::AAAA,
            DnsRecordType::Cname => TYPE::CNAME,
            DnsRecordType::Ns => TYPE::NS,
            DnsRecordType::Soa => TYPE::SOA,
            DnsRecordType::Txt => TYPE::TXT,
        }
    }
}

/// Asks a name server; a name without such a record has an answer without records.
///
/// # Errors
/// If the server does not respond, or refuses.
pub(crate) async fn ask(
    server: SocketAddr,
    name: &str,
    kind: DnsRecordType,
    recursive: bool,
) -> Result<DnsAnswer, DnsError> {
    let invalid = |_| DnsError(format!("`{name}` is not a name in DNS"));
    let packet = postern_dns::question(name, TYPE::from(kind), recursive).map_err(invalid)?;
    let message = packet.build_bytes_vec().map_err(invalid)?;
    let mut response = over_udp(server, &message, |bytes| parse(bytes, &packet)).await?;
    if matches!(response, Response::Truncated) {
        let bytes = over_tcp(server, &message).await?;
        response = parse(&bytes, &packet).unwrap_or(Response::Refused(RCODE::FormatError));
    }
    match response {
        Response::Answer(answer) => Ok(answer),
        Response::Refused(code) => Err(DnsError(format!("the name server {server} refuses: {code:?}"))),
        Response::Truncated => Err(DnsError(format!("the answer of the name server {server} is too long"))),
    }
}

/// Parses a response; `None` if it belongs to another question, or cannot be read.
fn parse(bytes: &[u8], query: &Packet<'_>) -> Option<Response> {
    let packet = response_to(query, bytes)?;
    if packet.has_flags(PacketFlag::TRUNCATION) {
        return Some(Response::Truncated);
    }
    if !matches!(packet.rcode(), RCODE::NoError | RCODE::NameError) {
        return Some(Response::Refused(packet.rcode()));
    }
    let mut sections = packet.answers.iter().chain(&packet.name_servers);
    let zone = sections.find(|record| matches!(record.rdata, RData::SOA(_))).map(|record| text(&record.name));
    Some(Response::Answer(DnsAnswer {
        is_authoritative: packet.has_flags(PacketFlag::AUTHORITATIVE_ANSWER),
        records: packet.answers.iter().filter_map(|record| content(&record.rdata)).collect(),
        zone,
    }))
}

fn content(data: &RData<'_>) -> Option<DnsRecordData> {
    match data {
        RData::A(a) => Some(DnsRecordData::Address(Ipv4Addr::from(a.address).into())),
        RData::AAAA(a) => Some(DnsRecordData::Address(Ipv6Addr::from(a.address).into())),
        RData::CNAME(alias) => Some(DnsRecordData::Alias(text(alias))),
        RData::NS(server) => Some(DnsRecordData::NameServer(text(server))),
        RData::TXT(parts) => String::try_from(parts.clone()).ok().map(DnsRecordData::Text),
        _ => None,
    }
}

fn text(name: &Name<'_>) -> String {
    name.to_string().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use simple_dns::{CLASS, Question, ResourceRecord, rdata::TXT};

    fn query(name: &str) -> Packet<'_> {
        let mut packet = Packet::new_query(7);
        let name = Name::new(name).expect("a name");
        packet.questions.push(Question::new(name, TYPE::TXT.into(), CLASS::IN.into(), false));
        packet
    }

    #[test]
    fn an_answer_belongs_to_its_question() {
        let asked = query("_acme-challenge.shop.test");
        let mut reply = query("_ACME-challenge.shop.test").into_reply();
        reply.set_flags(PacketFlag::AUTHORITATIVE_ANSWER);
        let name = Name::new("_acme-challenge.shop.test").expect("a name");
        let record = TXT::new().with_string("a value").expect("a text");
        reply.answers.push(ResourceRecord::new(name, CLASS::IN, 60, RData::TXT(record)));
        let bytes = reply.build_bytes_vec().expect("a message");
        let Some(Response::Answer(answer)) = parse(&bytes, &asked) else { panic!("an answer") };
        assert!(answer.is_authoritative);
        assert_eq!(answer.records, [DnsRecordData::Text("a value".to_owned())]);
        assert!(parse(&bytes, &query("other.test")).is_none());
        assert!(parse(&bytes[..bytes.len() - 1], &asked).is_none());
        reply.set_id(8);
        assert!(parse(&reply.build_bytes_vec().expect("a message"), &asked).is_none());
    }
}
