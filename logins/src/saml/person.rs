//! The person an assertion is about, and whether they may come in.

use super::response::Told;
use crate::attempts::Known;
use postern_api::{Code, Error, published::Person};
use std::collections::BTreeMap;

/// The attribute that lists groups, in exactly this spelling.
const GROUPS: &str = "groups";
/// What local services are told them as.
const TOLD: &str = "user-groups";
const EMAIL_FORMAT: &str = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
/// Names that identity providers give to the same thing; the first that is there counts.
const EMAIL: [&str; 5] = [
    "email",
    "mail",
    "emailAddress",
    "urn:oid:0.9.2342.19200300.100.1.3",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
];
const NAME: [&str; 6] = [
    "displayName",
    "name",
    "cn",
    "urn:oid:2.16.840.1.113730.3.1.241",
    "urn:oid:2.5.4.3",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name",
];
const USERNAME: [&str; 3] = ["uid", "username", "urn:oid:0.9.2342.19200300.100.1.1"];

/// Makes a person of an assertion that has been verified, if they may come in.
pub(super) fn known(told: &Told, entity: &str, authorized: &[String]) -> Result<Known, Error> {
    let groups: Vec<&str> = values(told, GROUPS).filter(|group| !group.is_empty()).collect();
    admit(authorized, &groups)?;
    let mut email = first(told, &EMAIL);
    if email.is_empty() && told.name_id_format == EMAIL_FORMAT {
        email.clone_from(&told.name_id);
    }
    let mut further = BTreeMap::new();
    if !groups.is_empty() {
        further.insert(TOLD.to_owned(), join(&groups));
    }
    let person = Person {
        provider: "saml".to_owned(),
        provider_url: entity.to_owned(),
        id: told.name_id.clone(),
        username: first(told, &USERNAME),
        email,
        name: first(told, &NAME),
        told: further,
    };
    Ok(Known { person, tokens: None, provider_session: told.session.clone() })
}

/// Whether a member of these groups may come in.
pub(super) fn admit<T: AsRef<str>>(authorized: &[String], groups: &[T]) -> Result<(), Error> {
    let named = |group: &T| authorized.iter().any(|authorized| authorized == group.as_ref());
    if authorized.is_empty() || groups.iter().any(named) {
        return Ok(());
    }
    let sentence = "The identity provider knows you, but you are in none of the groups that may come in here. Ask who \
                    runs this address, or log in as somebody else.";
    Err(Error::new(Code::SamlGroups, sentence))
}

/// The groups of somebody who is logged in.
pub(super) fn groups(person: &Person) -> Vec<String> {
    let told = person.told.get(TOLD).map_or("", String::as_str);
    told.split(',')
        .filter(|group| !group.is_empty())
        .map(|group| group.replace("%2C", ",").replace("%25", "%"))
        .collect()
}

/// One line of many groups; names with commas in them, as directories have them, stay what they are.
fn join(groups: &[&str]) -> String {
    let names: Vec<String> = groups.iter().map(|group| group.replace('%', "%25").replace(',', "%2C")).collect();
    names.join(",")
}

fn values<'a>(told: &'a Told, name: &'a str) -> impl Iterator<Item = &'a str> {
    let named = told.attributes.iter().filter(move |(found, _)| found == name);
    named.flat_map(|(_, values)| values.iter().map(String::as_str))
}

fn first(told: &Told, names: &[&str]) -> String {
    let mut found = names.iter().filter_map(|name| values(told, name).find(|value| !value.is_empty()));
    found.next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(attributes: &[(&str, &[&str])]) -> Told {
        let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        Told {
            name_id: "alice@example.test".to_owned(),
            attributes: attributes.iter().map(|(name, values)| ((*name).to_owned(), owned(values))).collect(),
            ..Told::default()
        }
    }

    #[test]
    fn groups_are_the_attribute_of_that_name_and_nothing_like_it() {
        let authorized = ["admins".to_owned()];
        let judged =
            |attributes: &[(&str, &[&str])]| known(&told(attributes), "idp", &authorized).map_err(|error| error.code);
        assert!(judged(&[("groups", &["users", "admins"])]).is_ok());
        assert!(judged(&[("groups", &["users"]), ("groups", &["admins"])]).is_ok());
        for wrong in [
            &[][..],
            &[("groups", &["Admins", "admin", "users,admins", ""][..])],
            &[("Groups", &["admins"][..])],
            &[("memberOf", &["admins"][..])],
        ] {
            assert_eq!(judged(wrong).err(), Some(Code::SamlGroups), "{wrong:?}");
        }
        assert!(known(&told(&[]), "idp", &[]).is_ok(), "no groups are asked for");
    }

    #[test]
    fn groups_are_the_same_after_they_were_kept() {
        let odd = ["CN=admins,OU=it", "a%2Cb", "50%", "%25", "x"];
        let known = known(&told(&[("groups", &odd)]), "idp", &[]).map(|known| known.person);
        let person = known.expect("a person");
        assert_eq!(groups(&person), odd);
        assert!(admit(&["admins".to_owned()], &groups(&person)).is_err());
        assert!(admit(&["CN=admins,OU=it".to_owned()], &groups(&person)).is_ok());
    }

    #[test]
    fn an_address_is_an_attribute_or_a_name_that_says_it_is_one() {
        let email = |told: &Told| known(told, "idp", &[]).map(|known| known.person.email).expect("a person");
        assert_eq!(email(&told(&[])), "");
        assert_eq!(email(&told(&[("mail", &["a@b.test"]), ("email", &["", "c@d.test"])])), "c@d.test");
        let named = Told { name_id_format: EMAIL_FORMAT.to_owned(), ..told(&[]) };
        assert_eq!(email(&named), "alice@example.test");
    }
}
