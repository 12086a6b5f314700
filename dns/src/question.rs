//! A question, and the response that belongs to it.

use simple_dns::{CLASS, Name, Packet, PacketFlag, Question, SimpleDnsError, TYPE};

/// A question for the records of one type.
///
/// # Errors
/// If the text is not a name in DNS.
pub fn question(name: &str, kind: TYPE, recursive: bool) -> Result<Packet<'_>, SimpleDnsError> {
    let mut packet = Packet::new_query(rand::random());
    if recursive {
        packet.set_flags(PacketFlag::RECURSION_DESIRED);
    }
    packet.questions.push(Question::new(Name::new(name)?, kind.into(), CLASS::IN.into(), false));
    Ok(packet)
}

/// Parses a response; `None` if it belongs to another question, or cannot be read.
pub fn response_to<'a>(query: &Packet<'_>, bytes: &'a [u8]) -> Option<Packet<'a>> {
    let packet = Packet::parse(bytes).ok()?;
    let same = packet.id() == query.id()
        && packet.has_flags(PacketFlag::RESPONSE)
        && packet.questions.len() == query.questions.len()
        && packet.questions.iter().zip(&query.questions).all(|(one, other)| {
            let names = one.qname.to_string().eq_ignore_ascii_case(&other.qname.to_string());
            names && one.qtype == other.qtype
        });
    same.then_some(packet)
}
