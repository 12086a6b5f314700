//! Who may come in: everybody the provider knows if nothing is listed, else who is on one of the lists.

use postern_api::{Code, Error};

/// The lists of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    pub(super) emails: Vec<String>,
    pub(super) domains: Vec<String>,
    /// `<org>/<team>` or the number of a team.
    pub(super) teams: Vec<String>,
    pub(super) organizations: Vec<String>,
}

/// What a provider says of somebody, as far as the lists care.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Belongs {
    pub(super) email: String,
    /// Whether the provider vouches for the address.
    pub(super) verified: bool,
    /// `<org>/<team>` and the team's number.
    pub(super) teams: Vec<(String, String)>,
    pub(super) organizations: Vec<String>,
}

/// By what somebody comes in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Grounds {
    pub(super) team: Option<String>,
    pub(super) organization: Option<String>,
}

impl Lists {
    pub(super) fn are_empty(&self) -> bool {
        self.emails.is_empty() && self.domains.is_empty() && self.teams.is_empty() && self.organizations.is_empty()
    }

    /// Judges somebody.
    pub(super) fn judge(&self, who: &Belongs) -> Result<Grounds, Error> {
        let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let organization = who.organizations.iter().find(|own| self.organizations.iter().any(|name| same(name, own)));
        let listed = |own: &&(String, String)| self.teams.iter().any(|name| same(name, &own.0) || *name == own.1);
        let grounds = Grounds {
            team: who.teams.iter().find(listed).map(|(name, _)| name.clone()),
            organization: organization.cloned(),
        };
        if self.are_empty() || grounds.team.is_some() || grounds.organization.is_some() {
            return Ok(grounds);
        }
        match (self.lists_address(&who.email), who.verified) {
            (true, true) => Ok(grounds),
            (true, false) => {
                let sentence =
                    "Your e-mail address is not verified at the login provider. Verify it there, then log in again.";
                Err(Error::new(Code::EmailUnverified, sentence))
            }
            (false, _) => {
                let sentence = "You are logged in, but you are not among those who may come in here. Log in as somebody else, or ask the operator.";
                Err(Error::new(Code::LoginNotAllowed, sentence))
            }
        }
    }

    fn lists_address(&self, email: &str) -> bool {
        let Some((name, domain)) = email.rsplit_once('@') else { return false };
        let Some(domain) = canonical(domain).filter(|_| !name.is_empty()) else { return false };
        let whole = format!("{}@{domain}", name.to_lowercase());
        let same = |listed: &String| match listed.rsplit_once('@') {
            Some((name, domain)) => {
                canonical(domain).is_some_and(|domain| format!("{}@{domain}", name.to_lowercase()) == whole)
            }
            None => false,
        };
        // Sub-domains are other domains.
        self.emails.iter().any(same) || self.domains.iter().any(|listed| canonical(listed).as_ref() == Some(&domain))
    }
}

/// A domain in the one spelling that is compared.
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

    fn judged(lists: &Lists, email: &str, verified: bool) -> Result<(), Code> {
        let who = Belongs { email: email.to_owned(), verified, ..Belongs::default() };
        lists.judge(&who).map(|_| ()).map_err(|error| error.code)
    }

    #[test]
    fn without_lists_everybody_comes_in() {
        assert_eq!(judged(&Lists::default(), "", false), Ok(()));
    }

    #[test]
    fn addresses_are_compared_whole_and_must_be_verified() {
        let lists =
            Lists { emails: texts(&["Ann@Example.com"]), domains: texts(&["bücher.example"]), ..Lists::default() };
        for fine in
            ["ann@example.com", "ANN@EXAMPLE.COM", "x@bücher.example", "x@xn--bcher-kva.example", "X@BÜCHER.EXAMPLE"]
        {
            assert_eq!(judged(&lists, fine, true), Ok(()), "{fine}");
            assert_eq!(judged(&lists, fine, false), Err(Code::EmailUnverified), "{fine}");
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
            assert_eq!(judged(&lists, wrong, true), Err(Code::LoginNotAllowed), "{wrong}");
        }
        let tricky = Lists { domains: texts(&["example.com"]), ..Lists::default() };
        assert_eq!(judged(&tricky, "\"@evil.test\"@example.com", true), Ok(()), "the last part is the domain");
        assert_eq!(judged(&tricky, "x@example.com\u{ff0e}evil.test", true), Err(Code::LoginNotAllowed));
    }

    #[test]
    fn members_come_in_whatever_their_address() {
        let lists = Lists {
            emails: texts(&["ann@example.com"]),
            teams: texts(&["acme/core", "42"]),
            organizations: texts(&["umbrella"]),
            ..Lists::default()
        };
        let member = |teams: &[(&str, &str)], organizations: &[&str]| {
            let teams = teams.iter().map(|(name, number)| ((*name).to_owned(), (*number).to_owned())).collect();
            lists.judge(&Belongs { teams, organizations: texts(organizations), ..Belongs::default() })
        };
        assert_eq!(member(&[("Acme/Core", "7")], &[]).expect("in").team.as_deref(), Some("Acme/Core"));
        assert_eq!(member(&[("other/x", "42")], &[]).expect("in").team.as_deref(), Some("other/x"));
        assert_eq!(member(&[], &["x", "Umbrella"]).expect("in").organization.as_deref(), Some("Umbrella"));
        assert!(member(&[("acme/core2", "4")], &["acme"]).is_err());
    }
}
