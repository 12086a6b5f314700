//! The text of the configuration file.

use super::answers::Answers;
use std::fmt::Write;

/// The directory that issues certificates.
const ACME_DIRECTORY: &str = "https://acme-v02.api.letsencrypt.org/directory";

/// The settings of the answers, with comments on the next ones.
pub(super) fn text(answers: &Answers) -> String {
    let Answers { domain, mail, https, http, data_dir } = answers;
    let mut text = String::from(
        "# Settings of postern-server. `postern-server run --help` lists all of them.\n\
         # After a change: `systemctl reload postern-server`. Its log names those that need a restart.\n\n",
    );
    let mut set = |key: &str, value: &str| {
        // What is written to memory does not fail.
        let _ = writeln!(text, "{key}: {}", quoted(value));
    };
    set("domain", domain.as_str());
    if let Some(folder) = data_dir {
        set("data_dir", &folder.to_string_lossy());
    }
    set("https_addr", &https.to_string());
    set("http_addr", &http.to_string());
    if answers.is_public() {
        set("tcp_addr", &https.ip().to_string());
    }
    if let Some(mail) = mail {
        text.push_str("\n# Certificates for the names of edges and of reserved domains.\n");
        let _ = writeln!(text, "acme_directory: {}\nacme_contact: {}", quoted(ACME_DIRECTORY), quoted(mail));
    }
    if answers.is_public() {
        let _ = writeln!(
            text,
            "\n# A certificate for *.{domain}, for generated names. Without it they have one of the server's own authority.\n\
             # certificate: /etc/postern/wildcard.pem\n# certificate_key: /etc/postern/wildcard.key"
        );
    }
    text
}

/// A text of YAML, in the quotes that JSON has, too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::{Configuration, RawSettings};
    use postern_api::host::HostName;

    fn resolved(answers: &Answers) -> Configuration {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text(answers)).expect("written");
        let (raw, mistakes) = RawSettings::gather([], |_| None, Some(file.path()));
        Configuration::resolve(&raw, mistakes).expect("valid")
    }

    #[test]
    fn what_was_answered_is_what_a_server_reads() {
        let answers = Answers {
            domain: HostName::parse("example.com").expect("a name"),
            mail: Some("me@example.com".into()),
            https: ([0; 16], 443).into(),
            http: ([0; 16], 80).into(),
            data_dir: Some("/srv/my \"own\" #folder".into()),
        };
        let found = resolved(&answers);
        assert_eq!(
            (found.domain.as_str(), found.https_addr, found.http_addr),
            ("example.com", answers.https, answers.http)
        );
        assert_eq!(Some(found.data_dir), answers.data_dir);
        assert_eq!(found.tcp_addr.to_string(), "::");
        let acme = found.acme.expect("certificates");
        assert_eq!((acme.directory.as_str(), acme.contact.as_deref()), (ACME_DIRECTORY, Some("me@example.com")));
    }

    #[test]
    fn a_server_for_this_machine_alone_orders_no_certificates() {
        let answers = Answers {
            domain: HostName::parse("localhost").expect("a name"),
            mail: None,
            https: ([127, 0, 0, 1], 4443).into(),
            http: ([127, 0, 0, 1], 4480).into(),
            data_dir: None,
        };
        let found = resolved(&answers);
        assert!(found.acme.is_none() && found.tcp_addr.is_loopback());
        assert!(!text(&answers).contains("certificate:"));
    }
}
