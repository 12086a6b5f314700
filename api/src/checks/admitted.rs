//! Access lists: e-mail addresses, e-mail domains, teams and organizations.

use super::login::{count, refusal, shown};
use crate::{Code, Error, Result, host::HostName, module::ADMITTED_LIMIT};
use std::collections::HashSet;

/// Longest e-mail address in bytes, and longest part before its `@`.
const EMAIL_LENGTH: usize = 254;
const LOCAL_LENGTH: usize = 64;
/// Longest name of a team or organization in bytes.
const SLUG_LENGTH: usize = 100;

/// Validates e-mail addresses and normalizes them for comparison.
///
/// # Errors
/// [`Code::EmailInvalid`] or [`Code::EmailRepeated`], with the `field` detail.
pub fn emails(addresses: &mut [String]) -> Result<()> {
    let field = "email_addresses";
    count(addresses.len(), ADMITTED_LIMIT, field)?;
    for address in addresses.iter_mut() {
        *address = email(address).ok_or_else(|| {
            let sentence = format!("`{}` is not an e-mail address. Write it like `alice@example.com`.", shown(address));
            refusal(Code::EmailInvalid, field, sentence)
        })?;
    }
    each_once(addresses, str::to_owned, |twice| {
        refusal(Code::EmailRepeated, field, format!("`{twice}` is listed twice. Leave one of them."))
    })
}

/// Validates e-mail domains and normalizes them for comparison.
///
/// # Errors
/// [`Code::EmailDomainInvalid`] or [`Code::EmailDomainRepeated`], with the `field` detail.
pub fn domains(domains: &mut [String]) -> Result<()> {
    let field = "email_domains";
    count(domains.len(), ADMITTED_LIMIT, field)?;
    for domain in domains.iter_mut() {
        *domain = plain_host(domain).ok_or_else(|| {
            let sentence = format!(
                "`{}` is not a domain of e-mail addresses. Write what follows the `@`, like `example.com`; a domain does not include those below it.",
                shown(domain)
            );
            refusal(Code::EmailDomainInvalid, field, sentence)
        })?;
    }
    each_once(domains, str::to_owned, |twice| {
        refusal(Code::EmailDomainRepeated, field, format!("`{twice}` is listed twice. Leave one of them."))
    })
}

/// Validates teams: `org/team`, or the number of a team.
///
/// # Errors
/// [`Code::TeamInvalid`] or another code about the list, with the `field` detail.
pub fn teams(teams: &[String]) -> Result<()> {
    let field = "teams";
    count(teams.len(), ADMITTED_LIMIT, field)?;
    for team in teams {
        let numeric = !team.is_empty() && team.len() <= 20 && team.bytes().all(|byte| byte.is_ascii_digit());
        let qualified = team.split_once('/').is_some_and(|(org, team)| organization(org) && slug(team, b"-._"));
        if !numeric && !qualified {
            let sentence = format!("`{}` is not a team. Write it like `acme/developers`.", shown(team));
            return Err(refusal(Code::TeamInvalid, field, sentence));
        }
    }
    each_once(teams, str::to_ascii_lowercase, |twice| {
        refusal(Code::TeamInvalid, field, format!("The team `{twice}` is listed twice. Leave one of them."))
    })
}

/// Validates organizations.
///
/// # Errors
/// [`Code::FieldInvalid`] if a name is not valid, with the `field` detail.
pub fn organizations(organizations: &[String]) -> Result<()> {
    let field = "organizations";
    count(organizations.len(), ADMITTED_LIMIT, field)?;
    for name in organizations {
        if !organization(name) {
            let sentence =
                format!("`{}` is not an organization. Write its name as in the addresses of its pages.", shown(name));
            return Err(refusal(Code::FieldInvalid, field, sentence));
        }
    }
    each_once(organizations, str::to_ascii_lowercase, |twice| {
        refusal(Code::FieldInvalid, field, format!("The organization `{twice}` is listed twice. Leave one of them."))
    })
}

/// Canonical form of an e-mail address: lower case, IDNA applied to the domain.
fn email(text: &str) -> Option<String> {
    let (local, domain) = text.rsplit_once('@')?;
    let fits = |letter: char| !letter.is_control() && !letter.is_whitespace() && !"@\"(),:;<>[\\]".contains(letter);
    if local.is_empty() || local.len() > LOCAL_LENGTH || !local.chars().all(fits) {
        return None;
    }
    let address = format!("{}@{}", local.to_lowercase(), plain_host(domain)?);
    (address.len() <= EMAIL_LENGTH).then_some(address)
}

fn plain_host(text: &str) -> Option<String> {
    let host = HostName::parse(text).ok().filter(|host| host.wildcard_parent().is_none())?;
    Some(host.as_str().to_owned())
}

fn organization(text: &str) -> bool {
    slug(text, b"-")
}

fn slug(text: &str, signs: &[u8]) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || signs.contains(&byte);
    (1..=SLUG_LENGTH).contains(&text.len()) && text.bytes().all(fits)
}

/// Refuses duplicates in a list; `form` is the form in which entries are compared.
fn each_once(entries: &[String], form: impl Fn(&str) -> String, refuse: impl Fn(&str) -> Error) -> Result<()> {
    let mut seen = HashSet::new();
    match entries.iter().find(|entry| !seen.insert(form(entry))) {
        Some(twice) => Err(refuse(twice)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Judge = fn(&mut [String]) -> Result<()>;

    fn judged(judge: Judge, entries: &[&str]) -> Result<Vec<String>, Code> {
        let mut entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
        judge(&mut entries).map(|()| entries).map_err(|error| error.code)
    }

    const TEAMS: Judge = |list| teams(list);
    const ORGANIZATIONS: Judge = |list| organizations(list);

    #[test]
    fn addresses_are_compared_in_one_form() {
        let forms = judged(emails, &["Alice.B+c@Example.COM", "x@bücher.example", "o'neil@example.com"]);
        let expected = ["alice.b+c@example.com", "x@xn--bcher-kva.example", "o'neil@example.com"];
        assert_eq!(forms.as_deref(), Ok(expected.map(str::to_owned).as_slice()));
        let long = format!("{}@example.com", "a".repeat(65));
        for wrong in
            ["", "@", "a", "a@", "@b.c", "a@b@c.d", "a b@c.d", "a@*.b", "a@b..c", "<a>@b.c", "a\r\n@b.c", &long]
        {
            assert_eq!(judged(emails, &[wrong]), Err(Code::EmailInvalid), "{wrong}");
        }
        assert_eq!(judged(emails, &["a@b.c", "A@B.C"]), Err(Code::EmailRepeated));
    }

    #[test]
    fn domains_are_compared_in_one_form() {
        assert_eq!(judged(domains, &["Example.COM"]).as_deref(), Ok(["example.com".to_owned()].as_slice()));
        for wrong in ["", "@example.com", "*.example.com", "a b", "a/b", "a:1"] {
            assert_eq!(judged(domains, &[wrong]), Err(Code::EmailDomainInvalid), "{wrong}");
        }
        assert_eq!(judged(domains, &["bücher.example", "xn--bcher-kva.example"]), Err(Code::EmailDomainRepeated));
    }

    #[test]
    fn teams_are_qualified_or_numbers() {
        assert!(judged(TEAMS, &["acme/developers", "Acme-2/a_b.c", "12345"]).is_ok());
        for wrong in ["", "acme", "acme/", "/x", "a/b/c", "a b/c", "é/b", "-/ ", &"1".repeat(21)] {
            assert_eq!(judged(TEAMS, &[wrong]), Err(Code::TeamInvalid), "{wrong}");
        }
        assert_eq!(judged(TEAMS, &["acme/x", "ACME/X"]), Err(Code::TeamInvalid));
    }

    #[test]
    fn organizations_are_names() {
        assert!(judged(ORGANIZATIONS, &["acme", "Acme-2"]).is_ok());
        for wrong in ["", "a/b", "a b", "é", &"a".repeat(101)] {
            assert_eq!(judged(ORGANIZATIONS, &[wrong]), Err(Code::FieldInvalid), "{wrong}");
        }
        assert_eq!(judged(ORGANIZATIONS, &["acme", "ACME"]), Err(Code::FieldInvalid));
    }

    #[test]
    fn lists_are_bounded() {
        let lists = [(emails as Judge, "a#@b.c"), (domains, "a#.b"), (TEAMS, "a/b#"), (ORGANIZATIONS, "a#")];
        for (judge, form) in lists {
            let many =
                |count: usize| -> Vec<String> { (0..count).map(|n| form.replace('#', &n.to_string())).collect() };
            assert!(judge(&mut many(100)).is_ok());
            assert_eq!(judge(&mut many(101)).expect_err("too many").code, Code::FieldInvalid);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic(text in "\\PC{0,120}") {
            for judge in [emails as Judge, domains, TEAMS, ORGANIZATIONS] {
                let _ = judge(&mut [text.clone()]);
            }
        }

        #[test]
        fn what_was_accepted_is_accepted_again_unchanged(local in "[a-zA-Z.+-]{1,20}", domain in "[a-zA-Zü]{1,10}\\.[a-zA-Z]{2,5}") {
            let mut once = [format!("{local}@{domain}")];
            if emails(&mut once).is_ok() {
                let mut again = once.clone();
                prop_assert!(emails(&mut again).is_ok());
                prop_assert_eq!(once, again);
            }
        }
    }
}
