//! Settings of certificates by ACME, and of challenges in DNS.

use super::{
    resolver::Resolver,
    values::{
        certificate_file, directory, duration, mail, name_server, password_file, plain_name, program, resolver_address,
    },
};
use postern_api::host::HostName;
use postern_control::{AcmeSettings, DnsChallengeSettings, DnsProvider, TsigAlgorithm, TsigKey};
use std::{net::SocketAddr, time::Duration};

/// Limit of a hook program, and of waiting for name servers.
const DNS_TIMEOUT: Duration = Duration::from_secs(120);

pub(super) fn acme(resolver: &mut Resolver<'_>) -> Option<AcmeSettings> {
    let directory = resolver.value("acme_directory", directory);
    let contact = resolver.value("acme_contact", mail);
    let root = resolver.value("acme_ca", certificate_file);
    let dns = dns_challenges(resolver);
    for key in ["acme_contact", "acme_ca", "acme_dns_server", "acme_dns_hook"] {
        resolver.belongs_to(key, "acme_directory");
    }
    directory.map(|directory| AcmeSettings { directory, contact, root, dns })
}

/// The name server for lookups.
pub(super) fn dns_resolver(resolver: &mut Resolver<'_>) -> Option<SocketAddr> {
    resolver.value("dns_resolver", resolver_address)
}

fn dns_challenges(resolver: &mut Resolver<'_>) -> Option<DnsChallengeSettings> {
    let server = resolver.value("acme_dns_server", name_server);
    let hook = resolver.value("acme_dns_hook", program);
    let zone = resolver.value("acme_dns_zone", plain_name);
    let key = key(resolver);
    let timeout = resolver.value("acme_dns_timeout", duration).unwrap_or(DNS_TIMEOUT);
    resolver.belong_together("acme_dns_key", "acme_dns_secret_file");
    for key in ["acme_dns_key", "acme_dns_secret_file", "acme_dns_algorithm", "acme_dns_zone"] {
        resolver.belongs_to(key, "acme_dns_server");
    }
    let (is_server, is_hook) = (resolver.is_given("acme_dns_server"), resolver.is_given("acme_dns_hook"));
    if is_server && is_hook {
        resolver.mistakes.push("--acme-dns-server and --acme-dns-hook exclude each other: give one of them.".into());
    }
    if is_server && !resolver.is_given("acme_dns_key") && !resolver.is_given("acme_dns_secret_file") {
        resolver.mistakes.push(
            "--acme-dns-server needs a key that signs updates: give --acme-dns-key and --acme-dns-secret-file.".into(),
        );
    }
    if resolver.is_given("acme_dns_timeout") && !is_server && !is_hook {
        resolver.mistakes.push(
            "--acme-dns-timeout belongs to --acme-dns-server or --acme-dns-hook: give one of them, or leave it out."
                .into(),
        );
    }
    let zone = zone.as_ref().map(HostName::to_string);
    let provider = match (server, hook) {
        (Some(server), _) => DnsProvider::NameServer { server, zone, key: key? },
        (None, Some(hook)) => DnsProvider::Hook(hook),
        (None, None) => return None,
    };
    Some(DnsChallengeSettings { provider, timeout })
}

fn key(resolver: &mut Resolver<'_>) -> Option<TsigKey> {
    let algorithm = resolver.value("acme_dns_algorithm", algorithm).unwrap_or_default();
    let name = resolver.value("acme_dns_key", key_name);
    let secret = resolver.value("acme_dns_secret_file", password_file);
    match TsigKey::new(&name?, algorithm, secret?) {
        Ok(key) => Some(key),
        Err(why) => {
            resolver.mistakes.push(format!("--acme-dns-secret-file: the first line of the file {why}."));
            None
        }
    }
}

fn key_name(text: &str) -> Result<String, String> {
    if TsigKey::is_name(text) { Ok(text.to_owned()) } else { Err("is not the name of a key, such as postern.".into()) }
}

fn algorithm(text: &str) -> Result<TsigAlgorithm, String> {
    let found = TsigAlgorithm::ALL.into_iter().find(|algorithm| algorithm.as_str().eq_ignore_ascii_case(text));
    found.ok_or_else(|| "is neither hmac-sha256, hmac-sha384 nor hmac-sha512".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::{Configuration, RawSettings};
    use postern_api::{Code, Error};

    const DIRECTORY: (&str, &str) = ("acme_directory", "https://a.test/directory");

    fn check(flags: &[(&'static str, &str)]) -> Result<Configuration, Error> {
        let all = [&[("data_dir", "/data")], flags].concat();
        let flags = all.iter().map(|(key, text)| (*key, (*text).to_owned()));
        let (raw, errors) = RawSettings::gather(flags, |_| None, None);
        Ok(Configuration::resolve(&raw, errors)?)
    }

    /// Checks that settings are refused with a sentence, which never has the secret.
    #[track_caller]
    fn refused(flags: &[(&'static str, &str)], part: &str) {
        let error = check(flags).expect_err(part);
        assert_eq!(error.code, Code::ConfigInvalid);
        assert!(error.message.contains(part) && !error.message.contains("cGxh"), "{part} in {}", error.message);
    }

    #[test]
    fn an_acme_directory_has_a_contact_and_an_authority() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("none.pem");
        std::fs::write(&file, "nothing").expect("written");
        let shown = file.to_string_lossy().into_owned();
        let found =
            check(&[DIRECTORY, ("acme_contact", "mailto:me@a.test")]).expect("complete").acme.expect("a directory");
        assert_eq!((found.directory.as_str(), found.contact.as_deref()), (DIRECTORY.1, Some("me@a.test")));
        assert!(found.dns.is_none());
        assert!(check(&[]).expect("nothing").acme.is_none());
        for (values, part) in [
            (&[("acme_directory", "http://a.test/")][..], "--acme-directory"),
            (&[("acme_contact", "me@a.test")], "belongs to --acme-directory"),
            (&[DIRECTORY, ("acme_contact", "me")], "not an e-mail address"),
            (&[DIRECTORY, ("acme_ca", "/nowhere/ca.pem")], "cannot be read"),
            (&[DIRECTORY, ("acme_ca", &shown)], "no certificate"),
        ] {
            refused(values, part);
        }
    }

    #[test]
    fn updates_of_a_name_server_are_signed_with_a_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let secret = folder.path().join("secret");
        std::fs::write(&secret, "cGxhbnRlZA==\n").expect("written");
        let secret = secret.to_string_lossy().into_owned();
        let (server, key, file) =
            (("acme_dns_server", "ns.a.test"), ("acme_dns_key", "postern."), ("acme_dns_secret_file", secret.as_str()));
        let found = check(&[DIRECTORY, server, key, file, ("acme_dns_algorithm", "HMAC-SHA512")]).expect("complete");
        let dns = found.acme.and_then(|acme| acme.dns).expect("challenges in DNS");
        assert_eq!(dns.timeout, DNS_TIMEOUT);
        let DnsProvider::NameServer { server: address, zone, key: signing } = dns.provider else { panic!("a server") };
        assert_eq!((address.as_str(), zone), ("ns.a.test:53", None));
        assert_eq!((signing.name(), signing.algorithm()), ("postern", TsigAlgorithm::HmacSha512));
        let other = folder.path().join("other");
        std::fs::write(&other, "not base 64, cGxh\n").expect("written");
        let other = other.to_string_lossy().into_owned();
        for (values, part) in [
            (&[server, key, file][..], "--acme-dns-server belongs to --acme-directory"),
            (&[DIRECTORY, server], "needs a key"),
            (&[DIRECTORY, server, key], "belong together"),
            (&[DIRECTORY, key, file], "belongs to --acme-dns-server"),
            (&[DIRECTORY, server, key, ("acme_dns_secret_file", &other)], "is not in base 64"),
            (&[DIRECTORY, server, key, file, ("acme_dns_algorithm", "hmac-md5")], "is neither hmac-sha256"),
            (&[DIRECTORY, server, key, file, ("acme_dns_hook", "/bin/true")], "exclude each other"),
            (&[DIRECTORY, ("acme_dns_server", "ns.a.test:0"), key, file], "is not the address of a name server"),
            (&[DIRECTORY, server, ("acme_dns_key", "a b"), file], "is not the name of a key"),
            (&[DIRECTORY, ("acme_dns_timeout", "3s")], "belongs to --acme-dns-server or --acme-dns-hook"),
        ] {
            refused(values, part);
        }
    }

    #[test]
    fn a_hook_is_a_program_that_exists() {
        let found = check(&[DIRECTORY, ("acme_dns_hook", "/bin/sh"), ("acme_dns_timeout", "3s")]).expect("complete");
        let dns = found.acme.and_then(|acme| acme.dns).expect("challenges in DNS");
        assert_eq!(
            dns,
            DnsChallengeSettings { provider: DnsProvider::Hook("/bin/sh".into()), timeout: Duration::from_secs(3) }
        );
        for wrong in ["sh", "/nowhere/hook", "/"] {
            refused(&[DIRECTORY, ("acme_dns_hook", wrong)], "--acme-dns-hook");
        }
    }

    #[test]
    fn a_resolver_has_an_address() {
        let found = |text| check(&[("dns_resolver", text)]).map(|found| found.dns_resolver.map(|at| at.to_string()));
        assert_eq!(found("192.0.2.1").expect("an address").as_deref(), Some("192.0.2.1:53"));
        assert_eq!(found("[::1]:5353").expect("an address").as_deref(), Some("[::1]:5353"));
        for wrong in ["dns.test", "192.0.2.1:0", "192.0.2.1:x"] {
            refused(&[("dns_resolver", wrong)], "--dns-resolver");
        }
    }
}
