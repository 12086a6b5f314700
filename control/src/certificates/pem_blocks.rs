//! Parser of uploaded PEM text (RFC 7468).

use pem::Pem;
use zeroize::Zeroizing;

/// Suffix of the labels of all forms of private keys.
const KEY_LABEL_SUFFIX: &str = "PRIVATE KEY";

/// One block with its label; the bytes are wiped after use.
pub(super) struct Block {
    pub(super) tag: String,
    pub(super) headers: bool,
    pub(super) encrypted: bool,
    pub(super) bytes: Zeroizing<Vec<u8>>,
}

impl Block {
    pub(super) fn is_certificate(&self) -> bool {
        self.tag == "CERTIFICATE"
    }

    pub(super) fn is_private_key(&self) -> bool {
        self.tag.ends_with(KEY_LABEL_SUFFIX)
    }
}

/// Blocks of a text, in order. `None` if a block is truncated, is not base 64, or has different labels at its begin and end.
/// Text between the blocks is ignored: many tools write the names of a certificate there.
pub(super) fn blocks(text: &str) -> Option<Vec<Block>> {
    let read = pem::parse_many(text.as_bytes()).ok()?;
    // The parser silently stops at a block without an end.
    let whole = text.matches("-----BEGIN ").count() == read.len() && text.matches("-----END ").count() == read.len();
    whole.then(|| read.into_iter().map(block).collect())
}

fn block(read: Pem) -> Block {
    let headers = read.headers().iter().count() > 0;
    let legacy = read.headers().iter().any(|(name, value)| name == "Proc-Type" && value.contains("ENCRYPTED"));
    let tag = read.tag().to_owned();
    let encrypted = legacy || tag == "ENCRYPTED PRIVATE KEY";
    Block { tag, headers, encrypted, bytes: Zeroizing::new(read.into_contents()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ONE: &str = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n";

    fn tags(text: &str) -> Option<Vec<String>> {
        blocks(text).map(|blocks| blocks.into_iter().map(|block| block.tag).collect())
    }

    #[test]
    fn blocks_are_found_among_other_text() {
        assert_eq!(tags(""), Some(vec![]));
        assert_eq!(tags("no block at all"), Some(vec![]));
        assert_eq!(tags(&format!("Subject: CN = a\n{ONE}\nissuer\n{ONE}")), Some(vec!["CERTIFICATE".into(); 2]));
        assert_eq!(tags(&ONE.replace('\n', "\r\n")), Some(vec!["CERTIFICATE".into()]));
        assert_eq!(blocks(ONE).expect("a block")[0].bytes.as_slice(), [1, 2, 3]);
    }

    #[test]
    fn a_truncated_or_mismatched_block_is_an_error() {
        for text in [
            &format!("{ONE}-----BEGIN CERTIFICATE-----\nAQID\n"),
            &ONE[..ONE.len() - 30],
            &ONE[20..],
            &ONE.replace("AQID", "!!!!"),
            &ONE.replacen("CERTIFICATE", "PRIVATE KEY", 1),
        ] {
            assert_eq!(tags(text), None, "{text}");
        }
    }

    #[test]
    fn both_forms_of_encryption_are_detected() {
        let legacy = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAQID\n-----END RSA PRIVATE KEY-----\n";
        let block = &blocks(legacy).expect("a block")[0];
        assert!(block.encrypted && block.headers && block.is_private_key());
        let newer = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAQID\n-----END ENCRYPTED PRIVATE KEY-----\n";
        let block = &blocks(newer).expect("a block")[0];
        assert!(block.encrypted && !block.headers && block.is_private_key());
        assert!(!blocks(ONE).expect("a block")[0].encrypted);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(text in "(-----BEGIN |-----END |[A-Z ]{0,8}|-----|\\n|[A-Za-z+/=]{0,9}|: |\\PC){0,30}") {
            let _ = blocks(&text);
        }
    }
}
