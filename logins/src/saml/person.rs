//! The person that an assertion describes, and the check of their groups.

use super::response::ParsedResponse;
use crate::login_attempts::VerifiedIdentity;
use postern_api::{Code, Error, published::Person};
use std::collections::BTreeMap;

/// The attribute that lists groups, spelled exactly like this.
const GROUPS_ATTRIBUTE: &str = "groups";
/// The name under which local services receive the groups.
const GROUPS_CLAIM: &str = "user-groups";
const EMAIL_NAME_ID_FORMAT: &str = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
/// Names that identity providers give to the e-mail address; the first one with a value is used.
const EMAIL_ATTRIBUTES: [&str; 5] = [
    "email",
    "mail",
    "emailAddress",
    "urn:oid:0.9.2342.19200300.100.1.3",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
];
const NAME_ATTRIBUTES: [&str; 6] = [
    "displayName",
    "name",
    "cn",
    "urn:oid:2.16.840.1.113730.3.1.241",
    "urn:oid:2.5.4.3",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name",
];
const USERNAME_ATTRIBUTES: [&str; 3] = ["uid", "username", "urn:oid:0.9.2342.19200300.100.1.1"];

/// The person of a verified response, if their groups are authorized.
pub(super) fn identity_of(
    response: &ParsedResponse,
    entity_id: &str,
    authorized: &[String],
) -> Result<VerifiedIdentity, Error> {
    let groups: Vec<&str> = values(response, GROUPS_ATTRIBUTE).filter(|group| !group.is_empty()).collect();
    check_groups(authorized, &groups)?;
    let mut email = first_value(response, &EMAIL_ATTRIBUTES);
    if email.is_empty() && response.name_id_format == EMAIL_NAME_ID_FORMAT {
        email.clone_from(&response.name_id);
    }
    let mut claims = BTreeMap::new();
    if !groups.is_empty() {
        claims.insert(GROUPS_CLAIM.to_owned(), encode_groups(&groups));
    }
    let person = Person {
        provider: "saml".to_owned(),
        provider_url: entity_id.to_owned(),
        id: response.name_id.clone(),
        username: first_value(response, &USERNAME_ATTRIBUTES),
        email,
        name: first_value(response, &NAME_ATTRIBUTES),
        told: claims,
    };
    Ok(VerifiedIdentity { person, tokens: None, provider_session: response.session.clone() })
}

/// Whether a member of these groups is authorized.
pub(super) fn check_groups<T: AsRef<str>>(authorized: &[String], groups: &[T]) -> Result<(), Error> {
    let is_authorized = |group: &T| authorized.iter().any(|authorized| authorized == group.as_ref());
    if authorized.is_empty() || groups.iter().any(is_authorized) {
        return Ok(());
    }
    let message = "You are logged in at the identity provider, but none of your groups has access here. Ask the \
                   operator, or log in with another account.";
    Err(Error::new(Code::SamlGroups, message))
}

/// The groups of a person, as `encode_groups` wrote them.
pub(super) fn groups(person: &Person) -> Vec<String> {
    let encoded = person.told.get(GROUPS_CLAIM).map_or("", String::as_str);
    encoded
        .split(',')
        .filter(|group| !group.is_empty())
        .map(|group| group.replace("%2C", ",").replace("%25", "%"))
        .collect()
}

/// Joins groups with commas; commas and percent signs in names, which directories allow, are percent-encoded.
fn encode_groups(groups: &[&str]) -> String {
    let names: Vec<String> = groups.iter().map(|group| group.replace('%', "%25").replace(',', "%2C")).collect();
    names.join(",")
}

fn values<'a>(response: &'a ParsedResponse, name: &'a str) -> impl Iterator<Item = &'a str> {
    let matching = response.attributes.iter().filter(move |(found, _)| found == name);
    matching.flat_map(|(_, values)| values.iter().map(String::as_str))
}

fn first_value(response: &ParsedResponse, names: &[&str]) -> String {
    let mut found = names.iter().filter_map(|name| values(response, name).find(|value| !value.is_empty()));
    found.next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(attributes: &[(&str, &[&str])]) -> ParsedResponse {
        let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        ParsedResponse {
            name_id: "alice@example.test".to_owned(),
            attributes: attributes.iter().map(|(name, values)| ((*name).to_owned(), owned(values))).collect(),
            ..ParsedResponse::default()
        }
    }

    #[test]
    fn only_the_attribute_of_exactly_that_name_lists_groups() {
        let authorized = ["admins".to_owned()];
        let result = |attributes: &[(&str, &[&str])]| {
            identity_of(&response(attributes), "idp", &authorized).map_err(|error| error.code)
        };
        assert!(result(&[("groups", &["users", "admins"])]).is_ok());
        assert!(result(&[("groups", &["users"]), ("groups", &["admins"])]).is_ok());
        for wrong in [
            &[][..],
            &[("groups", &["Admins", "admin", "users,admins", ""][..])],
            &[("Groups", &["admins"][..])],
            &[("memberOf", &["admins"][..])],
        ] {
            assert_eq!(result(wrong).err(), Some(Code::SamlGroups), "{wrong:?}");
        }
        assert!(identity_of(&response(&[]), "idp", &[]).is_ok(), "no groups are required");
    }

    #[test]
    fn groups_survive_encoding() {
        let odd = ["CN=admins,OU=it", "a%2Cb", "50%", "%25", "x"];
        let identity = identity_of(&response(&[("groups", &odd)]), "idp", &[]).map(|identity| identity.person);
        let person = identity.expect("a person");
        assert_eq!(groups(&person), odd);
        assert!(check_groups(&["admins".to_owned()], &groups(&person)).is_err());
        assert!(check_groups(&["CN=admins,OU=it".to_owned()], &groups(&person)).is_ok());
    }

    #[test]
    fn the_email_comes_from_an_attribute_or_a_name_id_of_that_format() {
        let email = |response: &ParsedResponse| {
            identity_of(response, "idp", &[]).map(|identity| identity.person.email).expect("a person")
        };
        assert_eq!(email(&response(&[])), "");
        assert_eq!(email(&response(&[("mail", &["a@b.test"]), ("email", &["", "c@d.test"])])), "c@d.test");
        let named = ParsedResponse { name_id_format: EMAIL_NAME_ID_FORMAT.to_owned(), ..response(&[]) };
        assert_eq!(email(&named), "alice@example.test");
    }
}
