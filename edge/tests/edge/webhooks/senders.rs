//! Signed requests of every provider, written from its documentation and independent of the product's table.

mod airship;
mod box_com;
mod contentful;
mod docusign;
mod graph_cms;
mod hubspot;
mod keys;
mod mailchimp;
mod mailgun;
mod plivo;
mod sendgrid;
mod signing;
mod sns;
mod stripe;
mod table;
mod twilio;

pub(crate) use keys::{TOPIC, secret_of};
use postern_api::webhooks::Provider;
pub(crate) use signing::{b64, hex};
use table::SENDERS;

pub(crate) const HOST: &str = "hooks.localhost";

/// A request of a provider.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    pub(crate) method: &'static str,
    /// The rest of the target after the path of the route.
    pub(crate) rest: String,
    pub(crate) headers: Vec<(String, String)>,
    /// The headers of the signature.
    pub(crate) signing: Vec<String>,
    pub(crate) body: Vec<u8>,
    /// The part of the body that the signature covers.
    pub(crate) covers: Covers,
    /// Tolerance of the timestamp in seconds.
    pub(crate) tolerance: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Covers {
    /// Every byte.
    All,
    /// The values of some members only.
    Members,
    Nothing,
}

/// The inputs of a request.
pub(crate) struct Sending<'a> {
    /// The path of the route.
    pub(crate) path: &'a str,
    pub(crate) secret: &'a str,
    pub(crate) second: i64,
    /// Different for each request.
    pub(crate) number: u64,
}

const JSON: &str = r#"{"id":"evt_1","object":"event","note":"h\u00e9llo é CHANGE"}"#;
const FORM: &str = "To=%2B18005551212&From=%2B14158675309&Note=CHANGE+me%21&Empty=&%C3%A9=1&From=twice";
/// The fields of the form, sorted and decoded, as some providers sign them.
const FIELDS: &str = "EmptyFrom+14158675309FromtwiceNoteCHANGE me!To+18005551212é1";

impl Hook {
    fn post(body: impl Into<Vec<u8>>) -> Hook {
        let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
        let (rest, signing) = (String::new(), Vec::new());
        Hook { method: "POST", rest, headers, signing, body: body.into(), covers: Covers::All, tolerance: None }
    }

    /// A body of JSON with a header of the signature.
    fn json(header: &str, signature: impl Into<String>) -> Hook {
        Hook::post(JSON).with(header, signature)
    }

    fn form() -> Hook {
        let mut hook = Hook::post(FORM);
        hook.headers[0].1 = "application/x-www-form-urlencoded; charset=utf-8".to_owned();
        hook
    }

    /// Adds a header of the signature.
    fn with(mut self, name: &str, value: impl Into<String>) -> Hook {
        self.headers.push((name.to_owned(), value.into()));
        self.signing.push(name.to_owned());
        self
    }

    fn at(mut self, rest: &str) -> Hook {
        self.rest = rest.to_owned();
        self
    }

    fn within(mut self, tolerance: i64) -> Hook {
        self.tolerance = Some(tolerance);
        self
    }

    fn uncovered(mut self) -> Hook {
        self.covers = Covers::Nothing;
        self
    }
}

/// Every form of a request of one provider.
type Sender = fn(&Sending<'_>) -> Vec<Hook>;

/// The request of a provider in one of its forms, counted from 0; `None` beyond the last form.
pub(crate) fn hook(provider: Provider, form: usize, sending: &Sending<'_>) -> Option<Hook> {
    let (_, sender) = SENDERS.iter().find(|(sender, _)| *sender == provider)?;
    sender(sending).into_iter().nth(form)
}
