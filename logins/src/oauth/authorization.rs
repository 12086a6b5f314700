//! Authorization of users: everyone the provider knows if nothing is listed, otherwise the users on one of the lists.

use postern_api::{Code, Error};

/// The lists of a module; all empty means that everyone is allowed.
#[derive(Clone, Debug, Default)]
pub(super) struct AllowLists {
    pub(super) emails: Vec<String>,
    pub(super) domains: Vec<String>,
    /// Entries are `<org>/<team>` or the number of a team.
    pub(super) teams: Vec<String>,
    pub(super) organizations: Vec<String>,
}

/// The properties of a user that the lists can name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Memberships {
    pub(super) email: String,
    /// Whether the provider has verified the address.
    pub(super) verified: bool,
    /// Pairs of `<org>/<team>` and the team's number.
    pub(super) teams: Vec<(String, String)>,
    pub(super) organizations: Vec<String>,
}

/// The listed team and organization of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MatchedMembership {
    pub(super) team: Option<String>,
    pub(super) organization: Option<String>,
}

impl AllowLists {
    pub(super) fn are_empty(&self) -> bool {
        self.emails.is_empty() && self.domains.is_empty() && self.teams.is_empty() && self.organizations.is_empty()
    }

    /// Whether a user is allowed.
    pub(super) fn authorize(&self, user: &Memberships) -> Result<MatchedMembership, Error> {
        let equals = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let organization =
            user.organizations.iter().find(|own| self.organizations.iter().any(|name| equals(name, own)));
        let listed = |team: &&(String, String)| self.teams.iter().any(|name| equals(name, &team.0) || *name == team.1);
        let matched = MatchedMembership {
            team: user.teams.iter().find(listed).map(|(name, _)| name.clone()),
            organization: organization.cloned(),
        };
        if self.are_empty() || matched.team.is_some() || matched.organization.is_some() {
            return Ok(matched);
        }
        match (self.lists_address(&user.email), user.verified) {
            (true, true) => Ok(matched),
            (true, false) => {
                let message =
                    "Your e-mail address is not verified at the login provider. Verify it there, then log in again.";
                Err(Error::new(Code::EmailUnverified, message))
            }
            (false, _) => {
                let message = "You are logged in, but your account has no access here. Log in with another account, or ask the operator.";
                Err(Error::new(Code::LoginNotAllowed, message))
            }
        }
    }

    fn lists_address(&self, email: &str) -> bool {
        let Some((name, domain)) = email.rsplit_once('@') else { return false };
        let Some(domain) = canonical(domain).filter(|_| !name.is_empty()) else { return false };
        let whole = format!("{}@{domain}", name.to_lowercase());
        let equals = |listed: &String| match listed.rsplit_once('@') {
            Some((name, domain)) => {
                canonical(domain).is_some_and(|domain| format!("{}@{domain}", name.to_lowercase()) == whole)
            }
            None => false,
        };
        // Subdomains are different domains.
        self.emails.iter().any(equals) || self.domains.iter().any(|listed| canonical(listed).as_ref() == Some(&domain))
    }
}

/// A domain in its canonical form, for comparison.
fn canonical(domain: &str) -> Option<String> {
    match url::Host::parse(domain.trim_end_matches('.')) {
        Ok(url::Host::Domain(name)) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    fn authorized(lists: &AllowLists, email: &str, verified: bool) -> Result<(), Code> {
        let user = Memberships { email: email.to_owned(), verified, ..Memberships::default() };
        lists.authorize(&user).map(|_| ()).map_err(|error| error.code)
    }

    #[test]
    fn without_lists_everyone_is_allowed() {
        assert_eq!(authorized(&AllowLists::default(), "", false), Ok(()));
    }

    #[test]
    fn addresses_are_compared_whole_and_must_be_verified() {
        let lists = AllowLists {
            emails: texts(&["Ann@Example.com"]),
            domains: texts(&["bücher.example"]),
            ..AllowLists::default()
        };
        for valid in
            ["ann@example.com", "ANN@EXAMPLE.COM", "x@bücher.example", "x@xn--bcher-kva.example", "X@BÜCHER.EXAMPLE"]
        {
            assert_eq!(authorized(&lists, valid, true), Ok(()), "{valid}");
            assert_eq!(authorized(&lists, valid, false), Err(Code::EmailUnverified), "{valid}");
        }
        for wrong in [
            "",
            "@",
            "@bücher.example",
            "bob@example.com",
            "ann@example.com.evil.test",
            "ann@sub.example.com",
            "x@sub.bücher.example",
            "x@evilbücher.example",
            "ann@example.com@evil.test",
            "ann@example.com ",
            "bücher.example",
        ] {
            assert_eq!(authorized(&lists, wrong, true), Err(Code::LoginNotAllowed), "{wrong}");
        }
        let tricky = AllowLists { domains: texts(&["example.com"]), ..AllowLists::default() };
        assert_eq!(authorized(&tricky, "\"@evil.test\"@example.com", true), Ok(()), "the last part is the domain");
        assert_eq!(authorized(&tricky, "x@example.com\u{ff0e}evil.test", true), Err(Code::LoginNotAllowed));
    }

    #[test]
    fn members_are_allowed_regardless_of_their_address() {
        let lists = AllowLists {
            emails: texts(&["ann@example.com"]),
            teams: texts(&["acme/core", "42"]),
            organizations: texts(&["umbrella"]),
            ..AllowLists::default()
        };
        let member = |teams: &[(&str, &str)], organizations: &[&str]| {
            let teams = teams.iter().map(|(name, number)| ((*name).to_owned(), (*number).to_owned())).collect();
            lists.authorize(&Memberships { teams, organizations: texts(organizations), ..Memberships::default() })
        };
        assert_eq!(member(&[("Acme/Core", "7")], &[]).expect("allowed").team.as_deref(), Some("Acme/Core"));
        assert_eq!(member(&[("other/x", "42")], &[]).expect("allowed").team.as_deref(), Some("other/x"));
        assert_eq!(member(&[], &["x", "Umbrella"]).expect("allowed").organization.as_deref(), Some("Umbrella"));
        assert!(member(&[("acme/core2", "4")], &["acme"]).is_err());
    }
}
