//! Signing certificates named by messages: fetched only from the provider, verified, and cached.

use super::rejection::Rejection;
use jiff::Timestamp;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::Semaphore;
use x509_parser::{pem::parse_x509_pem, prelude::X509Certificate};

/// Cached certificates; the provider has one or two per region at a time.
const MAX_CERTIFICATES: usize = 256;
/// Concurrent fetches; any visitor can make up names.
const MAX_CONCURRENT_FETCHES: usize = 4;
/// Time for which a request waits for its turn to fetch.
const FETCH_PERMIT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time after which a failed fetch is tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(30);

/// Fetches certificates from a provider.
pub trait SigningCertificates: Send + Sync {
    /// The PEM file at a path of a host of the provider.
    fn fetch<'a>(&'a self, host: &'a str, path: &'a str) -> futures::future::BoxFuture<'a, std::io::Result<Vec<u8>>>;
}

/// The URL of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CertificateUrl {
    host: String,
    path: String,
}

/// The keys of certificates fetched so far.
pub(super) struct Certificates {
    source: Arc<dyn SigningCertificates>,
    known: Mutex<HashMap<CertificateUrl, CachedKey>>,
    fetching: Semaphore,
}

/// Outcome of fetching a certificate.
#[derive(Clone)]
pub(super) enum CachedKey {
    Key { key: Arc<[u8]>, from: i64, until: i64 },
    Unavailable { until: i64 },
}

impl CertificateUrl {
    /// Parses a URL. Only this exact form is certain to belong to the provider.
    pub(super) fn parse(address: &str) -> Option<CertificateUrl> {
        let (host, file) = address.strip_prefix("https://")?.split_once('/')?;
        let within = host.strip_prefix("sns.")?;
        let region = within.strip_suffix(".amazonaws.com").or_else(|| within.strip_suffix(".amazonaws.com.cn"))?;
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let named = (3..=32).contains(&region.len())
            && region.bytes().all(|byte| plain(byte) || byte == b'-')
            && !region.starts_with('-')
            && !region.ends_with('-');
        let name = file.strip_prefix("SimpleNotificationService-")?.strip_suffix(".pem")?;
        let hashed = (1..=128).contains(&name.len()) && name.bytes().all(plain);
        (named && hashed).then(|| CertificateUrl { host: host.to_owned(), path: format!("/{file}") })
    }

    /// The URL as text.
    #[cfg(any(test, fuzzing))]
    pub(super) fn address(&self) -> String {
        format!("https://{}{}", self.host, self.path)
    }
}

impl Certificates {
    pub(super) fn new(source: Arc<dyn SigningCertificates>) -> Self {
        Certificates { source, known: Mutex::default(), fetching: Semaphore::new(MAX_CONCURRENT_FETCHES) }
    }

    /// The public key of a certificate that is currently valid.
    pub(super) async fn key(&self, url: &CertificateUrl, now: Timestamp) -> Result<Arc<[u8]>, Rejection> {
        if let Some(known) = self.find(url, now.as_second()) {
            return known.valid(now.as_second());
        }
        let unavailable = Rejection::InvalidCertificate("its signing certificate cannot be fetched at the moment");
        let permit = tokio::time::timeout(FETCH_PERMIT_TIMEOUT, self.fetching.acquire()).await;
        let _permit = permit.ok().and_then(Result::ok).ok_or(unavailable)?;
        // Another request may have fetched it meanwhile.
        if let Some(known) = self.find(url, now.as_second()) {
            return known.valid(now.as_second());
        }
        let known = match self.source.fetch(&url.host, &url.path).await {
            Ok(pem) => parse_certificate(&pem),
            Err(error) => {
                tracing::warn!(host = url.host, path = url.path, %error, "a signing certificate was not fetched");
                None
            }
        };
        let known =
            known.unwrap_or(CachedKey::Unavailable { until: now.as_second() + RETRY_INTERVAL.as_secs() as i64 });
        self.insert(url, known.clone(), now.as_second());
        known.valid(now.as_second())
    }

    fn find(&self, url: &CertificateUrl, now: i64) -> Option<CachedKey> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(url).filter(|known| known.until() >= now).cloned()
    }

    fn insert(&self, url: &CertificateUrl, one: CachedKey, now: i64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_CERTIFICATES {
            known.retain(|_, known| matches!(known, CachedKey::Key { .. }) && known.until() >= now);
        }
        if known.len() < MAX_CERTIFICATES {
            known.insert(url.clone(), one);
        }
    }
}

impl CachedKey {
    fn until(&self) -> i64 {
        match self {
            CachedKey::Key { until, .. } | CachedKey::Unavailable { until } => *until,
        }
    }

    fn valid(self, now: i64) -> Result<Arc<[u8]>, Rejection> {
        match self {
            CachedKey::Key { key, from, until } if from <= now && now <= until => Ok(key),
            CachedKey::Key { .. } => {
                Err(Rejection::InvalidCertificate("its signing certificate is not valid at this time"))
            }
            CachedKey::Unavailable { .. } => {
                Err(Rejection::InvalidCertificate("its signing certificate cannot be fetched at the moment"))
            }
        }
    }
}

/// Parses the key of a certificate.
pub(super) fn parse_certificate(pem: &[u8]) -> Option<CachedKey> {
    let (_, pem) = parse_x509_pem(pem).ok()?;
    let certificate: X509Certificate<'_> = pem.parse_x509().ok()?;
    let validity = certificate.validity();
    Some(CachedKey::Key {
        key: certificate.public_key().subject_public_key.data.as_ref().into(),
        from: validity.not_before.timestamp(),
        until: validity.not_after.timestamp(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn only_urls_of_the_provider_are_accepted() {
        for (address, host) in [
            ("https://sns.us-east-1.amazonaws.com/SimpleNotificationService-7ff5.pem", "sns.us-east-1.amazonaws.com"),
            (
                "https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-a.pem",
                "sns.cn-north-1.amazonaws.com.cn",
            ),
        ] {
            assert_eq!(CertificateUrl::parse(address).map(|url| url.host).as_deref(), Some(host));
        }
        for address in [
            "http://sns.us-east-1.amazonaws.com/SimpleNotificationService-a.pem",
            "https://sns.us-east-1.amazonaws.com.evil.test/SimpleNotificationService-a.pem",
            "https://evil.test/sns.us-east-1.amazonaws.com/SimpleNotificationService-a.pem",
            "https://evil.test#sns.us-east-1.amazonaws.com/SimpleNotificationService-a.pem",
            "https://me@sns.us-east-1.amazonaws.com/SimpleNotificationService-a.pem",
            "https://sns.us-east-1.amazonaws.com:444/SimpleNotificationService-a.pem",
            "https://sns.a.b.amazonaws.com/SimpleNotificationService-a.pem",
            "https://sns..amazonaws.com/SimpleNotificationService-a.pem",
            "https://sns.us-east-.amazonaws.com/SimpleNotificationService-a.pem",
            "https://sns.-us-east.amazonaws.com/SimpleNotificationService-a.pem",
            "https://sns.us-east-1.amazonaws.com/other.pem",
            "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-a/../x.pem",
            "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-a.pem?x=.pem",
            "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-.pem",
            "https://s3.us-east-1.amazonaws.com/SimpleNotificationService-a.pem",
        ] {
            assert_eq!(CertificateUrl::parse(address), None, "{address}");
        }
    }

    struct Source(AtomicUsize, Option<String>);

    impl SigningCertificates for Source {
        fn fetch<'a>(&'a self, _: &'a str, _: &'a str) -> futures::future::BoxFuture<'a, std::io::Result<Vec<u8>>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            let answer = self.1.clone().map(String::into_bytes);
            Box::pin(async move { answer.ok_or_else(|| std::io::Error::other("no")) })
        }
    }

    fn url() -> CertificateUrl {
        CertificateUrl::parse("https://sns.us-east-1.amazonaws.com/SimpleNotificationService-a.pem").expect("a url")
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    #[tokio::test]
    async fn a_certificate_is_fetched_once_and_used_while_valid() {
        let key = rcgen::KeyPair::generate().expect("a key");
        let mut params = rcgen::CertificateParams::new(Vec::new()).expect("parameters");
        params.not_before = rcgen::date_time_ymd(2023, 1, 1);
        params.not_after = rcgen::date_time_ymd(2024, 1, 1);
        let pem = params.self_signed(&key).expect("a certificate").pem();
        let source = Arc::new(Source(AtomicUsize::new(0), Some(pem)));
        let certificates = Certificates::new(source.clone());
        for _ in 0..3 {
            let found = certificates.key(&url(), at(1_690_000_000)).await.expect("a key");
            assert_eq!(&*found, rcgen::PublicKeyData::der_bytes(&key));
        }
        assert_eq!(source.0.load(Ordering::Relaxed), 1);
        for second in [1_600_000_000, 1_710_000_000] {
            assert!(
                matches!(certificates.key(&url(), at(second)).await, Err(Rejection::InvalidCertificate(_))),
                "{second}"
            );
        }
    }

    #[tokio::test]
    async fn a_failed_fetch_is_retried_after_a_while() {
        let source = Arc::new(Source(AtomicUsize::new(0), None));
        let certificates = Certificates::new(source.clone());
        for (second, fetched) in [(1000, 1), (1029, 1), (1031, 2)] {
            assert!(certificates.key(&url(), at(second)).await.is_err());
            assert_eq!(source.0.load(Ordering::Relaxed), fetched, "{second}");
        }
    }
}
