//! Typed ids: `ipp_2gl…` is the id of an IP policy and cannot be used for another kind.
//!
//! An id is the prefix of its kind and a KSUID: 4 bytes of time and 16 more, in base 62. The first four of the 16
//! order ids within a second and the rest is random, so the ids of one process sort by creation.

use crate::{Code, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{
    marker::PhantomData,
    sync::{Mutex, PoisonError},
};

/// KSUID epoch in seconds since 1970.
const KSUID_EPOCH: i64 = 1_400_000_000;
/// Characters of a KSUID.
pub const KSUID_LENGTH: usize = 27;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A kind of object that has ids.
pub trait Kind {
    /// Prefix before the underscore, `ipp` for example.
    const PREFIX: &'static str;
}

/// Id of one kind. Parsing refuses the prefix of another kind.
pub struct Id<K> {
    text: String,
    kind: PhantomData<fn() -> K>,
}

/// Id of any kind, for links and logs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AnyId(String);

impl<K: Kind> Id<K> {
    /// A new id for an object created at `moment`.
    pub fn new(moment: jiff::Timestamp) -> Self {
        Id { text: format!("{}_{}", K::PREFIX, next_ksuid(moment)), kind: PhantomData }
    }

    /// Parses an id of this kind.
    ///
    /// # Errors
    /// [`Code::IdShape`] if the text is not an id of this kind.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let well_formed = text
            .strip_prefix(K::PREFIX)
            .and_then(|rest| rest.strip_prefix('_'))
            .is_some_and(|body| body.len() == KSUID_LENGTH && body.bytes().all(|b| b.is_ascii_alphanumeric()));
        if !well_formed {
            let shown: String = text.chars().take(64).collect();
            return Err(Error::new(
                Code::IdShape,
                format!(
                    "`{shown}` is not an id of this kind: it must be `{}_` and {KSUID_LENGTH} letters or digits.",
                    K::PREFIX
                ),
            ));
        }
        Ok(Id { text: text.to_owned(), kind: PhantomData })
    }
}

impl<K> Id<K> {
    /// Full text, prefix included.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The part after the prefix.
    pub fn ksuid(&self) -> &str {
        self.text.split_once('_').map_or("", |(_, body)| body)
    }

    /// The id without its kind.
    pub fn any(&self) -> AnyId {
        AnyId(self.text.clone())
    }
}

impl AnyId {
    /// Wraps a text that is known to be an id.
    pub fn from_text(text: impl Into<String>) -> Self {
        AnyId(text.into())
    }

    /// Full text, prefix included.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Prefix before the underscore.
    pub fn prefix(&self) -> &str {
        self.0.split_once('_').map_or("", |(prefix, _)| prefix)
    }
}

/// A new KSUID, greater than all that this process created before, unless the clock was set back.
pub fn next_ksuid(moment: jiff::Timestamp) -> String {
    let number = next_number_within_second(moment);
    let mut payload: [u8; 16] = rand::random();
    payload[..4].copy_from_slice(&number.to_be_bytes());
    ksuid(moment.as_second(), payload)
}

/// 128 random bits in hexadecimal.
pub fn random_hex() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Nanoseconds of `moment`, or the next unused number within the second, so that ids keep their order even if many
/// are created at once or the clock has a resolution of seconds.
fn next_number_within_second(moment: jiff::Timestamp) -> u32 {
    static LAST: Mutex<(i64, u32)> = Mutex::new((i64::MIN, 0));
    let own = (moment.as_second(), moment.subsec_nanosecond().unsigned_abs());
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let (second, place) = *last;
    match own.0 {
        now if now < second => own.1,
        now if now == second => {
            last.1 = own.1.max(place.saturating_add(1));
            last.1
        }
        _ => {
            *last = own;
            own.1
        }
    }
}

/// A KSUID with the given time, in seconds since 1970, and 16 bytes.
pub fn ksuid(seconds: i64, random: [u8; 16]) -> String {
    let stamp = u32::try_from(seconds.saturating_sub(KSUID_EPOCH).max(0)).unwrap_or(u32::MAX);
    let mut bytes = [0u8; 20];
    bytes[..4].copy_from_slice(&stamp.to_be_bytes());
    bytes[4..].copy_from_slice(&random);
    base62(bytes)
}

/// Base 62 of a 160-bit number by long division: five limbs, four digits at a time.
fn base62(number: [u8; 20]) -> String {
    const DIGITS: usize = 4;
    const DIVISOR: u64 = 62_u64.pow(DIGITS as u32);
    let mut limbs = [0_u64; 5];
    for (limb, bytes) in limbs.iter_mut().zip(number.chunks_exact(4)) {
        *limb = bytes.iter().fold(0, |limb, byte| (limb << 8) | u64::from(*byte));
    }
    let mut text = [b'0'; KSUID_LENGTH];
    for digits in text.rchunks_mut(DIGITS) {
        let mut remainder = 0;
        for limb in &mut limbs {
            let value = (remainder << 32) | *limb;
            (*limb, remainder) = (value / DIVISOR, value % DIVISOR);
        }
        for digit in digits.iter_mut().rev() {
            *digit = ALPHABET[(remainder % 62) as usize];
            remainder /= 62;
        }
    }
    text.iter().map(|digit| char::from(*digit)).collect()
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        Id { text: self.text.clone(), kind: PhantomData }
    }
}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.cmp(&other.text)
    }
}
impl<K> std::hash::Hash for Id<K> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}
impl<K> std::fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}
impl<K> std::fmt::Display for Id<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}
impl std::fmt::Display for AnyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl<K> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
impl<'de, K: Kind> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Id::parse(&text).map_err(|error| serde::de::Error::custom(error.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Policy;
    impl Kind for Policy {
        const PREFIX: &'static str = "ipp";
    }

    #[test]
    fn the_published_vector_of_ksuid_holds() {
        // 107608047 seconds after the epoch, payload B5A1CD34B5F99D1154FB6853345C9735.
        let random = 0xB5A1_CD34_B5F9_9D11_54FB_6853_345C_9735_u128.to_be_bytes();
        assert_eq!(ksuid(KSUID_EPOCH + 107_608_047, random), "0ujtsYcgvSTl8PAuAdqWYSMnLOv");
    }

    #[test]
    fn the_least_and_the_largest_number_have_their_digits() {
        assert_eq!(base62([0; 20]), "000000000000000000000000000");
        assert_eq!(base62([0xff; 20]), "aWgEPTl1tmebfsQzFP4bxwgy80V");
    }

    #[test]
    fn ids_sort_by_the_moment_they_were_made() {
        let earlier = ksuid(1_700_000_000, [0xff; 16]);
        let later = ksuid(1_700_000_001, [0; 16]);
        assert!(earlier < later);
    }

    #[test]
    fn ids_made_one_after_the_other_sort_so_within_one_second_and_by_a_clock_of_seconds_too() {
        let moment = jiff::Timestamp::from_second(4_000_000_000).expect("a moment");
        let made: Vec<String> = (0..1000).map(|_| next_ksuid(moment)).collect();
        assert!(made.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn another_kind_is_refused() {
        let id = Id::<Policy>::new(jiff::Timestamp::UNIX_EPOCH);
        assert_eq!(Id::<Policy>::parse(id.as_str()).expect("own kind"), id);
        for wrong in ["ipr_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "ipp_", "ipp", "ipp_0ujtsYcgvSTl8PAuAdqWYSMnLO/", ""] {
            assert_eq!(Id::<Policy>::parse(wrong).expect_err("refused").code, Code::IdShape);
        }
    }
}
