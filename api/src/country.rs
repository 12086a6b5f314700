//! Countries by their codes, ISO 3166-1 alpha-2.

use crate::{Code, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The assigned codes, and XK, with which databases of addresses mark Kosovo.
const CODES: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS \
    BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI \
    FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR \
    IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM \
    MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT \
    PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM \
    TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW";

/// A country.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Country([u8; 2]);

impl Country {
    /// Parses an assigned code in upper or lower case.
    ///
    /// # Errors
    /// [`Code::CountryInvalid`], with the code that was probably meant.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let upper = text.to_ascii_uppercase();
        // A rule with a code that no database has would never match.
        if let [first, second] = *upper.as_bytes()
            && CODES.split(' ').any(|code| code == upper)
        {
            return Ok(Country([first, second]));
        }
        let hint = match upper.as_str() {
            "UK" => " The United Kingdom is `GB`.",
            "EL" => " Greece is `GR`.",
            _ => "",
        };
        let shown: String = text.chars().take(40).collect();
        let sentence =
            format!("`{shown}` is not a country. Write its two letters of ISO 3166-1, such as `DE` or `US`.{hint}");
        Err(Error::new(Code::CountryInvalid, sentence))
    }

    /// The country with which a database marks an address: two letters, also those of countries that ISO 3166-1 assigns
    /// in future.
    pub fn from_database(code: &str) -> Option<Self> {
        match *code.as_bytes() {
            [first, second] if first.is_ascii_alphabetic() && second.is_ascii_alphabetic() => {
                Some(Country([first.to_ascii_uppercase(), second.to_ascii_uppercase()]))
            }
            _ => None,
        }
    }

    /// The code, in upper case.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Country {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Country {
    /// Accepts any two letters, so that a record of a newer server can be read.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Country::from_database(&text).ok_or_else(|| serde::de::Error::custom("a country has two letters"))
    }
}

impl JsonSchema for Country {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Country".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[A-Z]{2}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigned_codes_are_countries_in_either_case() {
        assert_eq!(CODES.split(' ').count(), 250);
        assert!(CODES.split(' ').is_sorted(), "a code that is out of place may be listed twice");
        for (text, code) in [("DE", "DE"), ("us", "US"), ("Gb", "GB"), ("xk", "XK")] {
            assert_eq!(Country::parse(text).expect(text).to_string(), code);
        }
        for wrong in ["", "D", "DEU", "Germany", "UK", "ZZ", "D ", " D", "d\u{e9}", "\u{e9}", "1A", "A D"] {
            assert_eq!(Country::parse(wrong).expect_err(wrong).code, Code::CountryInvalid, "{wrong}");
        }
        assert!(Country::parse("uk").expect_err("not assigned").message.contains("`GB`"));
    }

    #[test]
    fn codes_of_databases_have_two_letters() {
        assert_eq!(Country::from_database("de"), Country::parse("DE").ok());
        assert_eq!(Country::from_database("ZZ").map(|country| country.to_string()).as_deref(), Some("ZZ"));
        for wrong in ["", "A1", "DEU", "\u{e9}"] {
            assert_eq!(Country::from_database(wrong), None, "{wrong}");
        }
    }
}
