//! Content negotiation by `Accept-Encoding` (RFC 9110, section 12.5.3).

use super::Coding;
use hyper::{HeaderMap, header};

/// The coding that the client prefers; `None` if it accepts none of ours or prefers an unencoded response.
pub(super) fn best(headers: &HeaderMap) -> Option<Coding> {
    // Weights in thousandths. A named coding has its own weight, others that of `*`, else 0.
    let (mut named, mut others, mut plain) = ([None::<u16>; Coding::ALL.len()], None, None);
    let items = headers.get_all(header::ACCEPT_ENCODING).iter();
    for item in items.flat_map(|value| value.as_bytes().split(|byte| *byte == b',')) {
        let mut parts = item.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
        let name = parts.next().unwrap_or_default();
        let Some(weight) = weight(parts) else { continue };
        match name {
            b"*" => others = Some(weight),
            _ if name.eq_ignore_ascii_case(b"identity") => plain = Some(weight),
            _ => {
                if let Some(index) = Coding::ALL.iter().position(|coding| coding.is(name)) {
                    named[index] = named[index].max(Some(weight));
                }
            }
        }
    }
    let mut best = None;
    for (coding, named) in Coding::ALL.into_iter().zip(named) {
        let weight = named.or(others).unwrap_or(0);
        // The codings are in our order of preference, so only a higher weight wins.
        if weight > best.map_or(0, |(_, weight)| weight) {
            best = Some((coding, weight));
        }
    }
    let (coding, weight) = best?;
    (weight >= plain.unwrap_or(0)).then_some(coding)
}

/// The weight in thousandths; `None` if it is invalid, and then the item is ignored.
fn weight<'a>(parameters: impl Iterator<Item = &'a [u8]>) -> Option<u16> {
    for parameter in parameters {
        let Some((b"q" | b"Q", value)) = parameter.split_once_at(b'=') else { continue };
        return thousandths(value);
    }
    Some(1000)
}

fn thousandths(text: &[u8]) -> Option<u16> {
    let (whole, fraction) = text.split_once_at(b'.').unwrap_or((text, b""));
    let whole = match whole {
        b"0" => 0,
        b"1" => 1000,
        _ => return None,
    };
    if fraction.len() > 3 || !fraction.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digit = |index: usize| fraction.get(index).map_or(0, |digit| u16::from(digit - b'0'));
    let sum = whole + 100 * digit(0) + 10 * digit(1) + digit(2);
    (sum <= 1000).then_some(sum)
}

/// `split_once` for bytes, trimming white space around the separator.
trait SplitOnce {
    fn split_once_at(&self, separator: u8) -> Option<(&[u8], &[u8])>;
}

impl SplitOnce for [u8] {
    fn split_once_at(&self, separator: u8) -> Option<(&[u8], &[u8])> {
        let at = self.iter().position(|byte| *byte == separator)?;
        Some((self[..at].trim_ascii(), self[at + 1..].trim_ascii()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;
    use proptest::prelude::*;

    fn chosen(values: &[&str]) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::ACCEPT_ENCODING, HeaderValue::try_from(*value).expect("a value"));
        }
        best(&headers).map(Coding::name)
    }

    #[test]
    fn weights_decide_and_our_order_breaks_ties() {
        for (values, expected) in [
            (&["gzip, deflate, br, zstd"][..], Some("br")),
            (&["gzip"], Some("gzip")),
            (&["x-gzip"], Some("gzip")),
            (&["GZIP;Q=0.5, deflate;q=0.8"], Some("deflate")),
            (&["gzip", "br;q=0.9"], Some("gzip")),
            (&["br;q=0, gzip;q=0.001"], Some("gzip")),
            (&["gzip ; q = 0.5 , br;q=0.4"], Some("gzip")),
            (&["*"], Some("br")),
            (&["*;q=0.1, gzip;q=0.2"], Some("gzip")),
            (&["br;q=0, *"], Some("gzip")),
            (&["gzip;q=1.000, br;q=0.999"], Some("gzip")),
            (&["identity;q=0.5, gzip;q=0.5"], Some("gzip")),
            (&["gzip;level=9;q=0.5, deflate;q=0.4"], Some("gzip")),
        ] {
            assert_eq!(chosen(values), expected, "{values:?}");
        }
    }

    #[test]
    fn without_an_acceptable_coding_there_is_none() {
        for values in [
            &[][..],
            &[""],
            &["identity"],
            &["zstd, compress"],
            &["gzip;q=0"],
            &["*;q=0"],
            &["gzip;q=0.5, identity"],
            &["gzip;q=2"],
            &["gzip;q=-1"],
            &["gzip;q=1.0001"],
            &["gzip;q="],
            &["gzip;q=1.5"],
            &["gz ip"],
        ] {
            assert_eq!(chosen(values), None, "{values:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "[ -~]{0,80}") {
            let _ = chosen(&[&text]);
        }
    }
}
