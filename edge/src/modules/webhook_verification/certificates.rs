//! Certificates that messages name: fetched from their provider alone, checked, and kept.

use super::reason::Reason;
use jiff::Timestamp;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::Semaphore;
use x509_parser::{pem::parse_x509_pem, prelude::X509Certificate};

/// The provider has one or two for each region at a time.
const MOST: usize = 256;
/// Fetched at the same time: names can be made up by anybody.
const AT_ONCE: usize = 4;
/// How long a request waits until its certificate is fetched.
const TURN: Duration = Duration::from_secs(5);
/// How long a name that led nowhere is not tried again.
const PAUSE: Duration = Duration::from_secs(30);

/// Fetches a certificate from the provider.
pub trait SigningCertificates: Send + Sync {
    /// The text behind an address on a host of the provider, in PEM.
    fn fetch<'a>(&'a self, host: &'a str, path: &'a str) -> futures::future::BoxFuture<'a, std::io::Result<Vec<u8>>>;
}

/// Where a certificate is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    host: String,
    path: String,
}

/// The keys of the certificates that were fetched so far.
pub(super) struct Certificates {
    source: Arc<dyn SigningCertificates>,
    known: Mutex<HashMap<Place, Known>>,
    fetching: Semaphore,
}

/// What came of a certificate.
#[derive(Clone)]
pub(super) enum Known {
    Key { key: Arc<[u8]>, from: i64, until: i64 },
    Nothing { until: i64 },
}

impl Place {
    /// Takes an address apart. Only one form of it leads to the provider and to nobody else.
    pub(super) fn read(address: &str) -> Option<Place> {
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
        (named && hashed).then(|| Place { host: host.to_owned(), path: format!("/{file}") })
    }

    /// Where it leads.
    #[cfg(any(test, fuzzing))]
    pub(super) fn address(&self) -> String {
        format!("https://{}{}", self.host, self.path)
    }
}

impl Certificates {
    pub(super) fn new(source: Arc<dyn SigningCertificates>) -> Self {
        Certificates { source, known: Mutex::default(), fetching: Semaphore::new(AT_ONCE) }
    }

    /// The public key of a certificate that is valid now.
    pub(super) async fn key(&self, place: &Place, now: Timestamp) -> Result<Arc<[u8]>, Reason> {
        if let Some(known) = self.find(place, now.as_second()) {
            return known.valid(now.as_second());
        }
        let unavailable = Reason::Certificate("the certificate that it names cannot be fetched at the moment");
        let turn = tokio::time::timeout(TURN, self.fetching.acquire()).await;
        let _turn = turn.ok().and_then(Result::ok).ok_or(unavailable)?;
        // Somebody else may have fetched it meanwhile.
        if let Some(known) = self.find(place, now.as_second()) {
            return known.valid(now.as_second());
        }
        let known = match self.source.fetch(&place.host, &place.path).await {
            Ok(pem) => read(&pem),
            Err(error) => {
                tracing::warn!(host = place.host, path = place.path, %error, "a signing certificate was not fetched");
                None
            }
        };
        let known = known.unwrap_or(Known::Nothing { until: now.as_second() + PAUSE.as_secs() as i64 });
        self.keep(place, known.clone(), now.as_second());
        known.valid(now.as_second())
    }

    fn find(&self, place: &Place, now: i64) -> Option<Known> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(place).filter(|known| known.until() >= now).cloned()
    }

    fn keep(&self, place: &Place, one: Known, now: i64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.retain(|_, known| matches!(known, Known::Key { .. }) && known.until() >= now);
        }
        if known.len() < MOST {
            known.insert(place.clone(), one);
        }
    }
}

impl Known {
    fn until(&self) -> i64 {
        match self {
            Known::Key { until, .. } | Known::Nothing { until } => *until,
        }
    }

    fn valid(self, now: i64) -> Result<Arc<[u8]>, Reason> {
        match self {
            Known::Key { key, from, until } if from <= now && now <= until => Ok(key),
            Known::Key { .. } => Err(Reason::Certificate("the certificate that it names is not valid now")),
            Known::Nothing { .. } => {
                Err(Reason::Certificate("the certificate that it names cannot be fetched at the moment"))
            }
        }
    }
}

/// The key in a certificate.
pub(super) fn read(pem: &[u8]) -> Option<Known> {
    let (_, pem) = parse_x509_pem(pem).ok()?;
    let certificate: X509Certificate<'_> = pem.parse_x509().ok()?;
    let validity = certificate.validity();
    Some(Known::Key {
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
    fn certificates_are_at_the_provider_and_nowhere_else() {
        for (address, host) in [
            ("https://sns.us-east-1.amazonaws.com/SimpleNotificationService-7ff5.pem", "sns.us-east-1.amazonaws.com"),
            (
                "https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-a.pem",
                "sns.cn-north-1.amazonaws.com.cn",
            ),
        ] {
            assert_eq!(Place::read(address).map(|place| place.host).as_deref(), Some(host));
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
            assert_eq!(Place::read(address), None, "{address}");
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

    fn place() -> Place {
        Place::read("https://sns.us-east-1.amazonaws.com/SimpleNotificationService-a.pem").expect("a place")
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a moment")
    }

    #[tokio::test]
    async fn a_certificate_is_fetched_once_and_counts_while_it_is_valid() {
        let key = rcgen::KeyPair::generate().expect("a key");
        let mut params = rcgen::CertificateParams::new(Vec::new()).expect("parameters");
        params.not_before = rcgen::date_time_ymd(2023, 1, 1);
        params.not_after = rcgen::date_time_ymd(2024, 1, 1);
        let pem = params.self_signed(&key).expect("a certificate").pem();
        let source = Arc::new(Source(AtomicUsize::new(0), Some(pem)));
        let certificates = Certificates::new(source.clone());
        for _ in 0..3 {
            let found = certificates.key(&place(), at(1_690_000_000)).await.expect("a key");
            assert_eq!(&*found, rcgen::PublicKeyData::der_bytes(&key));
        }
        assert_eq!(source.0.load(Ordering::Relaxed), 1);
        for second in [1_600_000_000, 1_710_000_000] {
            assert!(matches!(certificates.key(&place(), at(second)).await, Err(Reason::Certificate(_))), "{second}");
        }
    }

    #[tokio::test]
    async fn what_led_nowhere_is_tried_again_after_a_while() {
        let source = Arc::new(Source(AtomicUsize::new(0), None));
        let certificates = Certificates::new(source.clone());
        for (second, fetched) in [(1000, 1), (1029, 1), (1031, 2)] {
            assert!(certificates.key(&place(), at(second)).await.is_err());
            assert_eq!(source.0.load(Ordering::Relaxed), fetched, "{second}");
        }
    }
}
