//! A header of the PROXY protocol read piece by piece, as much as is asked for, ends where it ends when read at once;
//! one that names a visitor can be written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use postern_tunnel::proxy::{LONGEST, Look, ProxyHeader, ProxyVersion, encode, look};

fuzz_target!(|bytes: &[u8]| {
    let mut taken = 0;
    let verdict = loop {
        match look(&bytes[..taken]) {
            Ok(Look::Part(wanted)) => {
                assert!(wanted > 0 && taken + wanted <= LONGEST);
                if taken + wanted > bytes.len() {
                    break Ok(None);
                }
                taken += wanted;
            }
            Ok(Look::Whole(header, length)) => {
                assert_eq!(length, taken, "not a byte too many");
                break Ok(Some(header));
            }
            Err(error) => break Err(error),
        }
    };
    match (verdict, look(bytes)) {
        (Ok(Some(header)), whole) => assert_eq!(whole, Ok(Look::Whole(header, taken))),
        (Err(_), whole) => assert!(whole.is_err()),
        (Ok(None), whole) => assert!(!matches!(whole, Ok(Look::Whole(..)))),
    }
    if let Ok(Some(ProxyHeader::Visitor { source, destination })) = verdict {
        for version in [ProxyVersion::V1, ProxyVersion::V2] {
            let written = encode(version, source, Some(destination));
            assert!(matches!(look(&written), Ok(Look::Whole(ProxyHeader::Visitor { .. }, length)) if length == written.len()));
        }
    }
});
