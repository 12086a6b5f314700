//! Uploaded PEM text, cut into its blocks.

use pem::Pem;
use zeroize::Zeroizing;

/// What keeps the private half of a key, and every form in which people may mix it up with something else.
const KEY_TAG_END: &str = "PRIVATE KEY";

/// One block: what it says it is, whether it has headers, and its bytes, wiped after use.
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
        self.tag.ends_with(KEY_TAG_END)
    }
}

/// The blocks of a text, in order. `None` if one of them is cut off, or is not base 64, or ends as another than
/// it began. Text between the blocks is no error: many tools write the names of a certificate there.
pub(super) fn blocks(text: &str) -> Option<Vec<Block>> {
    let read = pem::parse_many(text.as_bytes()).ok()?;
    // The parser stops without a word at a block that has no end.
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
    fn blocks_are_found_among_other_text_and_line_ends() {
        assert_eq!(tags(""), Some(vec![]));
        assert_eq!(tags("no block at all"), Some(vec![]));
        assert_eq!(tags(&format!("Subject: CN = a\n{ONE}\nissuer\n{ONE}")), Some(vec!["CERTIFICATE".into(); 2]));
        assert_eq!(tags(&ONE.replace('\n', "\r\n")), Some(vec!["CERTIFICATE".into()]));
        assert_eq!(blocks(ONE).expect("a block")[0].bytes.as_slice(), [1, 2, 3]);
    }

    #[test]
    fn a_block_that_is_cut_off_or_mixed_up_is_an_error() {
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
    fn encryption_is_seen_in_both_its_forms() {
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
        fn any_text_is_judged_without_a_panic(text in "(-----BEGIN |-----END |[A-Z ]{0,8}|-----|\\n|[A-Za-z+/=]{0,9}|: |\\PC){0,30}") {
            let _ = blocks(&text);
        }
    }
}
