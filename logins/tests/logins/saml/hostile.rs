//! Hostile responses and the errors they must be refused with. None of them may log in as `mallory`.

use super::{
    SamlFixture,
    idp::{ENTITY, IdpResponse, SP, SignedParts},
};
use postern_api::Code;
use serde_json::{Value, json};

/// Creates the response to a request id at a time.
type Make = fn(&str, i64) -> String;

struct Case {
    name: &'static str,
    make: Make,
    expected: Result<&'static str, Code>,
}

fn valid(request: &str, now: i64) -> IdpResponse {
    IdpResponse::valid(Some(request), now)
}

/// An assertion that an attacker wants to be accepted.
fn forged_assertion(of: &IdpResponse, id: &str) -> String {
    IdpResponse { name_id: "mallory@evil.test".to_owned(), id: id.to_owned(), ..of.clone() }.assertion()
}

/// The parts of a signed assertion: the whole, the assertion without its signature, and the signature.
fn parts(answer: &IdpResponse) -> (String, String, String) {
    let bare = answer.assertion();
    (answer.signed(&bare, &answer.id), bare.clone(), answer.signature(&bare, &answer.id))
}

fn tampered(answer: &IdpResponse, change: impl FnOnce(String) -> String) -> String {
    change(answer.xml())
}

fn insert_after_issuer(element: &str, inserted: &str) -> String {
    element.replacen("</saml:Issuer>", &format!("</saml:Issuer>{inserted}"), 1)
}

/// A forged response that contains the signed one, either inside its signature or next to it.
fn wrapped_response(request: &str, now: i64, inside: bool) -> String {
    let answer = IdpResponse { signed_parts: SignedParts::Response, ..valid(request, now) };
    let id = format!("r{}", answer.id);
    let original = answer.wrap(&answer.assertion());
    let signature = answer.signature(&original, &id);
    let hostile = IdpResponse { id: "_evil".to_owned(), ..answer.clone() }.wrap(&forged_assertion(&answer, "_evil"));
    if inside {
        let signature = signature.replace("</ds:Signature>", &format!("{original}</ds:Signature>"));
        insert_after_issuer(&hostile, &signature)
    } else {
        insert_after_issuer(&hostile, &format!("{original}{signature}"))
    }
}

const CASES: &[Case] = &[
    Case { name: "as it should be", make: |r, n| valid(r, n).xml(), expected: Ok("alice@example.test") },
    Case {
        name: "an unsigned response with a signed assertion",
        make: |r, n| IdpResponse { signed_parts: SignedParts::Assertion, ..valid(r, n) }.xml(),
        expected: Ok("alice@example.test"),
    },
    Case {
        name: "a signed response with an unsigned assertion",
        make: |r, n| IdpResponse { signed_parts: SignedParts::Response, ..valid(r, n) }.xml(),
        expected: Ok("alice@example.test"),
    },
    Case {
        name: "nothing signed",
        make: |r, n| IdpResponse { signed_parts: SignedParts::Nothing, ..valid(r, n) }.xml(),
        expected: Err(Code::SamlSignature),
    },
    Case {
        name: "another name under the signature",
        make: |r, n| tampered(&valid(r, n), |xml| xml.replace(">alice@example.test<", ">mallory@evil.test<")),
        expected: Err(Code::SamlSignature),
    },
    Case {
        name: "another key with its own certificate",
        make: |r, n| IdpResponse { rogue_key: true, ..valid(r, n) }.xml(),
        expected: Err(Code::SamlSignature),
    },
    Case {
        name: "another key around the right one",
        make: |r, n| {
            let answer = valid(r, n);
            let response = answer.wrap(&answer.signed(&answer.assertion(), &answer.id));
            IdpResponse { rogue_key: true, ..answer.clone() }.signed(&response, &format!("r{}", answer.id))
        },
        expected: Err(Code::SamlSignature),
    },
    Case {
        name: "a signature algorithm with SHA-1",
        make: |r, n| IdpResponse { algorithm: "http://www.w3.org/2000/09/xmldsig#rsa-sha1", ..valid(r, n) }.xml(),
        expected: Err(Code::SamlAlgorithm),
    },
    Case {
        name: "a digest with SHA-1",
        make: |r, n| IdpResponse { weak_digest: true, ..valid(r, n) }.xml(),
        expected: Err(Code::SamlAlgorithm),
    },
    Case {
        name: "a signature made with a shared secret",
        make: |r, n| {
            IdpResponse { algorithm: "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256", ..valid(r, n) }.xml()
        },
        expected: Err(Code::SamlAlgorithm),
    },
    Case {
        name: "XSW1: the signed response within its signature",
        make: |r, n| wrapped_response(r, n, true),
        expected: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW2: the signed response beside its signature",
        make: |r, n| wrapped_response(r, n, false),
        expected: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW3: a forged assertion before the signed one",
        make: |r, n| {
            let answer = valid(r, n);
            let (signed, ..) = parts(&answer);
            answer.wrap(&format!("{}{signed}", forged_assertion(&answer, "_evil")))
        },
        expected: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW4: the signed assertion within a forged one",
        make: |r, n| {
            let answer = valid(r, n);
            let (signed, ..) = parts(&answer);
            answer.wrap(
                &forged_assertion(&answer, "_evil").replace("</saml:Assertion>", &format!("{signed}</saml:Assertion>")),
            )
        },
        expected: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW5: a forged assertion with the signature, the signed one behind",
        make: |r, n| {
            let answer = valid(r, n);
            let (_, bare, signature) = parts(&answer);
            answer.wrap(&format!("{}{bare}", insert_after_issuer(&forged_assertion(&answer, "_evil"), &signature)))
        },
        expected: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW6: the signed assertion within the signature of a forged one",
        make: |r, n| {
            let answer = valid(r, n);
            let (_, bare, signature) = parts(&answer);
            let signature = signature.replace("</ds:Signature>", &format!("{bare}</ds:Signature>"));
            answer.wrap(&insert_after_issuer(&forged_assertion(&answer, "_evil"), &signature))
        },
        expected: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW7: a forged assertion in extensions",
        make: |r, n| {
            let answer = valid(r, n);
            let (signed, ..) = parts(&answer);
            let forged = format!("<samlp:Extensions>{}</samlp:Extensions>", forged_assertion(&answer, &answer.id));
            answer.wrap(&signed).replace("<samlp:Status>", &format!("{forged}<samlp:Status>"))
        },
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "XSW8: the signed assertion in an object of the signature",
        make: |r, n| {
            let answer = valid(r, n);
            let (_, bare, signature) = parts(&answer);
            let object = format!("<ds:Object>{bare}</ds:Object></ds:Signature>");
            answer.wrap(&insert_after_issuer(
                &forged_assertion(&answer, "_evil"),
                &signature.replace("</ds:Signature>", &object),
            ))
        },
        expected: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW9: a forged assertion with the id of the signed one",
        make: |r, n| {
            let answer = valid(r, n);
            let (signed, ..) = parts(&answer);
            answer.wrap(&format!("{}{signed}", forged_assertion(&answer, &answer.id)))
        },
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "the signed assertion in the advice of a forged one",
        make: |r, n| {
            let answer = valid(r, n);
            let (signed, ..) = parts(&answer);
            let advice = format!("</saml:Conditions><saml:Advice>{signed}</saml:Advice>");
            answer.wrap(&forged_assertion(&answer, "_evil").replace("</saml:Conditions>", &advice))
        },
        expected: Err(Code::SamlAssertions),
    },
    Case {
        name: "a forged assertion that borrows a signature about another id",
        make: |r, n| {
            let answer = valid(r, n);
            let (.., signature) = parts(&answer);
            answer.wrap(&insert_after_issuer(&forged_assertion(&answer, "_evil"), &signature))
        },
        expected: Err(Code::SamlSignature),
    },
    Case {
        name: "two signatures in one assertion",
        make: |r, n| {
            let answer = valid(r, n);
            let (_, bare, signature) = parts(&answer);
            answer.wrap(&insert_after_issuer(&bare, &signature.repeat(2)))
        },
        expected: Err(Code::SamlSignature),
    },
    Case {
        name: "a signature over the whole document (an empty reference)",
        make: |r, n| {
            tampered(&valid(r, n), |xml| {
                let id =
                    xml.split("URI=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned();
                xml.replace(&format!("URI=\"{id}\""), "URI=\"\"")
            })
        },
        expected: Err(Code::SamlSignature),
    },
    Case {
        name: "two assertions, both signed",
        make: |r, n| {
            let answer = valid(r, n);
            let other = IdpResponse { id: format!("{}x", answer.id), ..answer.clone() };
            answer.wrap(&format!("{}{}", parts(&answer).0, parts(&other).0))
        },
        expected: Err(Code::SamlAssertions),
    },
    Case { name: "no assertion", make: |r, n| valid(r, n).wrap(""), expected: Err(Code::SamlAssertions) },
    Case {
        name: "an encrypted assertion",
        make: |r, n| {
            let encrypted = "<saml:EncryptedAssertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\"></saml:EncryptedAssertion>";
            valid(r, n).wrap(encrypted)
        },
        expected: Err(Code::SamlEncrypted),
    },
    Case {
        name: "a comment in the name",
        make: |r, n| {
            tampered(&IdpResponse { name_id: "admin@example.test.evil.test".to_owned(), ..valid(r, n) }, |xml| {
                xml.replace(">admin@example.test.evil.test<", ">admin@example.test<!---->.evil.test<")
            })
        },
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "a processing instruction in the name",
        make: |r, n| tampered(&valid(r, n), |xml| xml.replace(">alice@", "><?x y?>alice@")),
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "an element in the name",
        make: |r, n| IdpResponse { name_id: "alice<x></x>@example.test".to_owned(), ..valid(r, n) }.xml(),
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "an empty name",
        make: |r, n| IdpResponse { name_id: " ".to_owned(), ..valid(r, n) }.xml(),
        expected: Err(Code::SamlNameId),
    },
    Case {
        name: "a document type",
        make: |r, n| tampered(&valid(r, n), |xml| format!("<!DOCTYPE samlp:Response>{xml}")),
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "an entity for the name",
        make: |r, n| {
            tampered(&valid(r, n), |xml| {
                let xml = xml.replace(">alice@example.test<", ">&a;<");
                format!("<!DOCTYPE x [<!ENTITY a \"mallory@evil.test\">]>{xml}")
            })
        },
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "an entity bomb",
        make: |r, n| {
            tampered(&valid(r, n), |xml| {
                let mut entities = "<!ENTITY a0 \"ha\">".to_owned();
                for level in 1..20 {
                    entities += &format!("<!ENTITY a{level} \"{}\">", format!("&a{};", level - 1).repeat(10));
                }
                format!("<!DOCTYPE x [{entities}]>{}", xml.replace(">alice@example.test<", ">&a19;<"))
            })
        },
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "a file for the name",
        make: |r, n| {
            tampered(&valid(r, n), |xml| {
                let xml = xml.replace(">alice@example.test<", ">&a;<");
                format!("<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>{xml}")
            })
        },
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "cut off",
        make: |r, n| tampered(&valid(r, n), |xml| xml[..xml.len() / 2].to_owned()),
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "endlessly nested elements",
        make: |r, n| {
            tampered(&valid(r, n), |xml| {
                let deep = format!("{}{}", "<x>".repeat(4000), "</x>".repeat(4000));
                xml.replace("<samlp:Status>", &format!("<samlp:Extensions>{deep}</samlp:Extensions><samlp:Status>"))
            })
        },
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "too large",
        make: |r, n| tampered(&valid(r, n), |xml| xml + &" ".repeat(300_000)),
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "the same attribute twice",
        make: |r, n| {
            tampered(&valid(r, n), |xml| xml.replace(" Version=\"2.0\">", " Version=\"2.0\" Version=\"2.0\">"))
        },
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "another namespace",
        make: |r, n| tampered(&valid(r, n), |xml| xml.replace("urn:oasis:names:tc:SAML:2.0:protocol", "urn:other")),
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "no success",
        make: |r, n| IdpResponse { status: "Responder", ..valid(r, n) }.xml(),
        expected: Err(Code::SamlStatus),
    },
    Case {
        name: "another destination",
        make: |r, n| IdpResponse { destination: "https://other.test/acs".to_owned(), ..valid(r, n) }.xml(),
        expected: Err(Code::SamlDestination),
    },
    Case {
        name: "another route's destination",
        make: |r, n| IdpResponse { destination: format!("{SP}2/acs"), ..valid(r, n) }.xml(),
        expected: Err(Code::SamlDestination),
    },
    Case {
        name: "another recipient",
        make: |r, n| IdpResponse { recipient: "https://other.test/acs".to_owned(), ..valid(r, n) }.xml(),
        expected: Err(Code::SamlDestination),
    },
    Case {
        name: "another audience",
        make: |r, n| IdpResponse { audience: "https://other.test".to_owned(), ..valid(r, n) }.xml(),
        expected: Err(Code::SamlAudience),
    },
    Case {
        name: "an audience that begins alike",
        make: |r, n| IdpResponse { audience: format!("{SP}2"), ..valid(r, n) }.xml(),
        expected: Err(Code::SamlAudience),
    },
    Case {
        name: "no audience",
        make: |r, n| {
            let answer = valid(r, n);
            let bare = answer.assertion();
            let (before, rest) = bare.split_once("<saml:AudienceRestriction>").expect("one");
            let (_, after) = rest.split_once("</saml:AudienceRestriction>").expect("its end");
            answer.wrap(&answer.signed(&format!("{before}{after}"), &answer.id))
        },
        expected: Err(Code::SamlAudience),
    },
    Case {
        name: "another issuer",
        make: |r, n| IdpResponse { issuer: format!("{ENTITY}2"), ..valid(r, n) }.xml(),
        expected: Err(Code::SamlIssuer),
    },
    Case { name: "another request", make: |_, n| valid("_other", n).xml(), expected: Err(Code::SamlInResponseTo) },
    Case { name: "no request", make: |_, n| IdpResponse::valid(None, n).xml(), expected: Err(Code::SamlInResponseTo) },
    Case {
        name: "another request in what is signed",
        make: |r, n| IdpResponse { confirmation_request: Some("_other".to_owned()), ..valid(r, n) }.xml(),
        expected: Err(Code::SamlInResponseTo),
    },
    Case { name: "expired", make: |r, n| valid(r, n - 1000).xml(), expected: Err(Code::SamlExpired) },
    Case { name: "not valid yet", make: |r, n| valid(r, n + 1000).xml(), expected: Err(Code::SamlNotYet) },
    Case {
        name: "valid for years",
        make: |r, n| IdpResponse { validity: 100_000_000, ..valid(r, n) }.xml(),
        expected: Err(Code::SamlUnreadable),
    },
    Case {
        name: "no statement",
        make: |r, n| IdpResponse { statements: 0, ..valid(r, n) }.xml(),
        expected: Err(Code::SamlStatements),
    },
    Case {
        name: "two statements",
        make: |r, n| IdpResponse { statements: 2, ..valid(r, n) }.xml(),
        expected: Err(Code::SamlStatements),
    },
    Case {
        name: "the holder of a key instead of the bearer",
        make: |r, n| {
            let answer = valid(r, n);
            let bare = answer.assertion().replace("cm:bearer", "cm:holder-of-key");
            answer.wrap(&answer.signed(&bare, &answer.id))
        },
        expected: Err(Code::SamlUnreadable),
    },
];

#[tokio::test]
async fn every_response_is_judged_correctly() {
    let mut wrong = Vec::new();
    for case in CASES {
        let mut fixture = SamlFixture::new(&json!({}));
        let sent = fixture.begin().await.expect("sent");
        let xml = (case.make)(&sent.id, fixture.now());
        let outcome = match fixture.post_response(&xml, &sent.state).await {
            Ok(response) => match fixture.follow_to_endpoint(&response).await {
                Ok(_) => Ok(fixture.world.store.sessions()[0].person.id.clone()),
                Err(error) => Err(error.code),
            },
            Err(error) => Err(error.code),
        };
        if outcome.as_deref().map_err(|code| *code) != case.expected {
            wrong.push(format!("{}: {outcome:?} instead of {:?}", case.name, case.expected));
        }
        assert!(case.expected.is_ok() || fixture.world.store.sessions().is_empty(), "{}", case.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn malformed_forms_are_refused() {
    let fixture = SamlFixture::new(&json!({}));
    let fine = base64_of("<x/>");
    for (fields, refusal) in [
        (vec![], Code::SamlUnreadable),
        (vec![("SAMLResponse", "")], Code::SamlUnreadable),
        (vec![("SAMLResponse", "!")], Code::SamlUnreadable),
        (vec![("SAMLResponse", "/w==")], Code::SamlUnreadable),
        (vec![("SAMLResponse", fine.as_str())], Code::SamlUnreadable),
        (vec![("SAMLResponse", fine.as_str()), ("SAMLResponse", fine.as_str())], Code::QueryRepeated),
    ] {
        assert_eq!(crate::kit::browser::code(fixture.post("/acs", &fields).await), refusal, "{fields:?}");
    }
    for (method, path, refusal) in [
        (http::Method::GET, "/saml/edghtsrt_1/acs", Code::MethodNotAllowed),
        (http::Method::POST, "/saml/edghtsrt_1", Code::MethodNotAllowed),
        (http::Method::POST, "/saml/edghtsrt_2/acs", Code::LoginAddressUnknown),
        (http::Method::GET, "/saml/edghtsrt_1/", Code::LoginAddressUnknown),
        (http::Method::GET, "/saml/edghtsrt_1/x", Code::LoginAddressUnknown),
        (http::Method::GET, "/saml/", Code::LoginAddressUnknown),
    ] {
        let outcome = fixture.at_login_host(method.clone(), path, None, String::new()).await;
        assert_eq!(crate::kit::browser::code(outcome), refusal, "{method} {path}");
    }
}

fn base64_of(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// Writes the cases with their expected results to the file that `POSTERN_SAML_CORPUS` names, for other SAML
/// implementations.
#[test]
fn the_cases_are_exported_for_other_implementations() {
    let (request, now) = ("_request", postern_api::clock::now().as_second());
    let cases: Vec<Value> = CASES
        .iter()
        .map(|case| json!({"name": case.name, "xml": (case.make)(request, now), "name_id": case.expected.ok()}))
        .collect();
    assert!(cases.iter().all(|case| case["xml"].as_str().is_some_and(|xml| !xml.is_empty())));
    let Some(path) = std::env::var_os("POSTERN_SAML_CORPUS") else { return };
    let certificate = super::idp::TRUSTED.certificate_pem.as_str();
    let corpus = json!({
        "request": request, "entity": SP, "acs": format!("{SP}/acs"), "issuer": ENTITY, "certificate": certificate,
        "cases": cases,
    });
    std::fs::write(path, corpus.to_string()).expect("the corpus is written");
}
