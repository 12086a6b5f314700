//! Answers that must not let anybody in, and what they are refused with. Whatever happens, nobody becomes `mallory`.

use super::{
    Scene,
    idp::{Answer, ENTITY, SP, Signs},
};
use postern_api::Code;
use serde_json::{Value, json};

/// Made of the request's id and the time.
type Make = fn(&str, i64) -> String;

struct Case {
    name: &'static str,
    make: Make,
    verdict: Result<&'static str, Code>,
}

fn fine(request: &str, now: i64) -> Answer {
    Answer::fine(Some(request), now)
}

/// What somebody else would like to be said.
fn evil(of: &Answer, id: &str) -> String {
    Answer { name_id: "mallory@evil.test".to_owned(), id: id.to_owned(), ..of.clone() }.assertion()
}

/// The parts of a response whose assertion is signed: the assertion as it is, without its signature, the signature.
fn parts(answer: &Answer) -> (String, String, String) {
    let bare = answer.assertion();
    (answer.signed(&bare, &answer.id), bare.clone(), answer.signature(&bare, &answer.id))
}

fn whole(answer: &Answer, change: impl FnOnce(String) -> String) -> String {
    change(answer.xml())
}

fn behind_issuer(element: &str, inserted: &str) -> String {
    element.replacen("</saml:Issuer>", &format!("</saml:Issuer>{inserted}"), 1)
}

/// The response itself is signed and wrapped: `place` says where the signed one goes.
fn wrapped_response(request: &str, now: i64, inside: bool) -> String {
    let answer = Answer { signs: Signs::Response, ..fine(request, now) };
    let id = format!("r{}", answer.id);
    let original = answer.around(&answer.assertion());
    let signature = answer.signature(&original, &id);
    let hostile = Answer { id: "_evil".to_owned(), ..answer.clone() }.around(&evil(&answer, "_evil"));
    if inside {
        let signature = signature.replace("</ds:Signature>", &format!("{original}</ds:Signature>"));
        behind_issuer(&hostile, &signature)
    } else {
        behind_issuer(&hostile, &format!("{original}{signature}"))
    }
}

const CASES: &[Case] = &[
    Case { name: "as it should be", make: |r, n| fine(r, n).xml(), verdict: Ok("alice@example.test") },
    Case {
        name: "an unsigned response with a signed assertion",
        make: |r, n| Answer { signs: Signs::Assertion, ..fine(r, n) }.xml(),
        verdict: Ok("alice@example.test"),
    },
    Case {
        name: "a signed response with an unsigned assertion",
        make: |r, n| Answer { signs: Signs::Response, ..fine(r, n) }.xml(),
        verdict: Ok("alice@example.test"),
    },
    Case {
        name: "nothing signed",
        make: |r, n| Answer { signs: Signs::Nothing, ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlSignature),
    },
    Case {
        name: "another name under the signature",
        make: |r, n| whole(&fine(r, n), |xml| xml.replace(">alice@example.test<", ">mallory@evil.test<")),
        verdict: Err(Code::SamlSignature),
    },
    Case {
        name: "another key with its own certificate",
        make: |r, n| Answer { rogue: true, ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlSignature),
    },
    Case {
        name: "another key around the right one",
        make: |r, n| {
            let answer = fine(r, n);
            let response = answer.around(&answer.signed(&answer.assertion(), &answer.id));
            Answer { rogue: true, ..answer.clone() }.signed(&response, &format!("r{}", answer.id))
        },
        verdict: Err(Code::SamlSignature),
    },
    Case {
        name: "a signature algorithm with SHA-1",
        make: |r, n| Answer { algorithm: "http://www.w3.org/2000/09/xmldsig#rsa-sha1", ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlAlgorithm),
    },
    Case {
        name: "a digest with SHA-1",
        make: |r, n| Answer { weak_digest: true, ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlAlgorithm),
    },
    Case {
        name: "a signature made with a shared secret",
        make: |r, n| Answer { algorithm: "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256", ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlAlgorithm),
    },
    Case {
        name: "XSW1: the signed response within its signature",
        make: |r, n| wrapped_response(r, n, true),
        verdict: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW2: the signed response beside its signature",
        make: |r, n| wrapped_response(r, n, false),
        verdict: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW3: a forged assertion before the signed one",
        make: |r, n| {
            let answer = fine(r, n);
            let (signed, ..) = parts(&answer);
            answer.around(&format!("{}{signed}", evil(&answer, "_evil")))
        },
        verdict: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW4: the signed assertion within a forged one",
        make: |r, n| {
            let answer = fine(r, n);
            let (signed, ..) = parts(&answer);
            answer.around(&evil(&answer, "_evil").replace("</saml:Assertion>", &format!("{signed}</saml:Assertion>")))
        },
        verdict: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW5: a forged assertion with the signature, the signed one behind",
        make: |r, n| {
            let answer = fine(r, n);
            let (_, bare, signature) = parts(&answer);
            answer.around(&format!("{}{bare}", behind_issuer(&evil(&answer, "_evil"), &signature)))
        },
        verdict: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW6: the signed assertion within the signature of a forged one",
        make: |r, n| {
            let answer = fine(r, n);
            let (_, bare, signature) = parts(&answer);
            let signature = signature.replace("</ds:Signature>", &format!("{bare}</ds:Signature>"));
            answer.around(&behind_issuer(&evil(&answer, "_evil"), &signature))
        },
        verdict: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW7: a forged assertion in extensions",
        make: |r, n| {
            let answer = fine(r, n);
            let (signed, ..) = parts(&answer);
            let forged = format!("<samlp:Extensions>{}</samlp:Extensions>", evil(&answer, &answer.id));
            answer.around(&signed).replace("<samlp:Status>", &format!("{forged}<samlp:Status>"))
        },
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "XSW8: the signed assertion in an object of the signature",
        make: |r, n| {
            let answer = fine(r, n);
            let (_, bare, signature) = parts(&answer);
            let object = format!("<ds:Object>{bare}</ds:Object></ds:Signature>");
            answer.around(&behind_issuer(&evil(&answer, "_evil"), &signature.replace("</ds:Signature>", &object)))
        },
        verdict: Err(Code::SamlAssertions),
    },
    Case {
        name: "XSW9: a forged assertion with the id of the signed one",
        make: |r, n| {
            let answer = fine(r, n);
            let (signed, ..) = parts(&answer);
            answer.around(&format!("{}{signed}", evil(&answer, &answer.id)))
        },
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "the signed assertion as advice of a forged one",
        make: |r, n| {
            let answer = fine(r, n);
            let (signed, ..) = parts(&answer);
            let advice = format!("</saml:Conditions><saml:Advice>{signed}</saml:Advice>");
            answer.around(&evil(&answer, "_evil").replace("</saml:Conditions>", &advice))
        },
        verdict: Err(Code::SamlAssertions),
    },
    Case {
        name: "a forged assertion that borrows a signature about another id",
        make: |r, n| {
            let answer = fine(r, n);
            let (.., signature) = parts(&answer);
            answer.around(&behind_issuer(&evil(&answer, "_evil"), &signature))
        },
        verdict: Err(Code::SamlSignature),
    },
    Case {
        name: "two signatures in one assertion",
        make: |r, n| {
            let answer = fine(r, n);
            let (_, bare, signature) = parts(&answer);
            answer.around(&behind_issuer(&bare, &signature.repeat(2)))
        },
        verdict: Err(Code::SamlSignature),
    },
    Case {
        name: "a signature of everything (an empty reference)",
        make: |r, n| {
            whole(&fine(r, n), |xml| {
                let id =
                    xml.split("URI=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned();
                xml.replace(&format!("URI=\"{id}\""), "URI=\"\"")
            })
        },
        verdict: Err(Code::SamlSignature),
    },
    Case {
        name: "two assertions, both signed",
        make: |r, n| {
            let answer = fine(r, n);
            let other = Answer { id: format!("{}x", answer.id), ..answer.clone() };
            answer.around(&format!("{}{}", parts(&answer).0, parts(&other).0))
        },
        verdict: Err(Code::SamlAssertions),
    },
    Case { name: "no assertion", make: |r, n| fine(r, n).around(""), verdict: Err(Code::SamlAssertions) },
    Case {
        name: "an encrypted assertion",
        make: |r, n| {
            let encrypted = "<saml:EncryptedAssertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\"></saml:EncryptedAssertion>";
            fine(r, n).around(encrypted)
        },
        verdict: Err(Code::SamlEncrypted),
    },
    Case {
        name: "a comment in the name",
        make: |r, n| {
            whole(&Answer { name_id: "admin@example.test.evil.test".to_owned(), ..fine(r, n) }, |xml| {
                xml.replace(">admin@example.test.evil.test<", ">admin@example.test<!---->.evil.test<")
            })
        },
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "a processing instruction in the name",
        make: |r, n| whole(&fine(r, n), |xml| xml.replace(">alice@", "><?x y?>alice@")),
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "an element in the name",
        make: |r, n| Answer { name_id: "alice<x></x>@example.test".to_owned(), ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "an empty name",
        make: |r, n| Answer { name_id: " ".to_owned(), ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlNameId),
    },
    Case {
        name: "a document type",
        make: |r, n| whole(&fine(r, n), |xml| format!("<!DOCTYPE samlp:Response>{xml}")),
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "an entity for the name",
        make: |r, n| {
            whole(&fine(r, n), |xml| {
                let xml = xml.replace(">alice@example.test<", ">&a;<");
                format!("<!DOCTYPE x [<!ENTITY a \"mallory@evil.test\">]>{xml}")
            })
        },
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "an entity bomb",
        make: |r, n| {
            whole(&fine(r, n), |xml| {
                let mut entities = "<!ENTITY a0 \"ha\">".to_owned();
                for level in 1..20 {
                    entities += &format!("<!ENTITY a{level} \"{}\">", format!("&a{};", level - 1).repeat(10));
                }
                format!("<!DOCTYPE x [{entities}]>{}", xml.replace(">alice@example.test<", ">&a19;<"))
            })
        },
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "a file for the name",
        make: |r, n| {
            whole(&fine(r, n), |xml| {
                let xml = xml.replace(">alice@example.test<", ">&a;<");
                format!("<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>{xml}")
            })
        },
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "cut off",
        make: |r, n| whole(&fine(r, n), |xml| xml[..xml.len() / 2].to_owned()),
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "elements within each other without end",
        make: |r, n| {
            whole(&fine(r, n), |xml| {
                let deep = format!("{}{}", "<x>".repeat(4000), "</x>".repeat(4000));
                xml.replace("<samlp:Status>", &format!("<samlp:Extensions>{deep}</samlp:Extensions><samlp:Status>"))
            })
        },
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "too large",
        make: |r, n| whole(&fine(r, n), |xml| xml + &" ".repeat(300_000)),
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "the same attribute twice",
        make: |r, n| whole(&fine(r, n), |xml| xml.replace(" Version=\"2.0\">", " Version=\"2.0\" Version=\"2.0\">")),
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "another namespace",
        make: |r, n| whole(&fine(r, n), |xml| xml.replace("urn:oasis:names:tc:SAML:2.0:protocol", "urn:other")),
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "no success",
        make: |r, n| Answer { status: "Responder", ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlStatus),
    },
    Case {
        name: "another destination",
        make: |r, n| Answer { destination: "https://other.test/acs".to_owned(), ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlDestination),
    },
    Case {
        name: "another route's destination",
        make: |r, n| Answer { destination: format!("{SP}2/acs"), ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlDestination),
    },
    Case {
        name: "another recipient",
        make: |r, n| Answer { recipient: "https://other.test/acs".to_owned(), ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlDestination),
    },
    Case {
        name: "another audience",
        make: |r, n| Answer { audience: "https://other.test".to_owned(), ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlAudience),
    },
    Case {
        name: "an audience that begins alike",
        make: |r, n| Answer { audience: format!("{SP}2"), ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlAudience),
    },
    Case {
        name: "no audience",
        make: |r, n| {
            let answer = fine(r, n);
            let bare = answer.assertion();
            let (before, rest) = bare.split_once("<saml:AudienceRestriction>").expect("one");
            let (_, after) = rest.split_once("</saml:AudienceRestriction>").expect("its end");
            answer.around(&answer.signed(&format!("{before}{after}"), &answer.id))
        },
        verdict: Err(Code::SamlAudience),
    },
    Case {
        name: "another issuer",
        make: |r, n| Answer { issuer: format!("{ENTITY}2"), ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlIssuer),
    },
    Case { name: "another request", make: |_, n| fine("_other", n).xml(), verdict: Err(Code::SamlInResponseTo) },
    Case { name: "no request", make: |_, n| Answer::fine(None, n).xml(), verdict: Err(Code::SamlInResponseTo) },
    Case {
        name: "another request in what is signed",
        make: |r, n| Answer { confirmed: Some("_other".to_owned()), ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlInResponseTo),
    },
    Case { name: "expired", make: |r, n| fine(r, n - 1000).xml(), verdict: Err(Code::SamlExpired) },
    Case { name: "not valid yet", make: |r, n| fine(r, n + 1000).xml(), verdict: Err(Code::SamlNotYet) },
    Case {
        name: "valid for years",
        make: |r, n| Answer { lasting: 100_000_000, ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlUnreadable),
    },
    Case {
        name: "no statement",
        make: |r, n| Answer { statements: 0, ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlStatements),
    },
    Case {
        name: "two statements",
        make: |r, n| Answer { statements: 2, ..fine(r, n) }.xml(),
        verdict: Err(Code::SamlStatements),
    },
    Case {
        name: "the holder of a key instead of the bearer",
        make: |r, n| {
            let answer = fine(r, n);
            let bare = answer.assertion().replace("cm:bearer", "cm:holder-of-key");
            answer.around(&answer.signed(&bare, &answer.id))
        },
        verdict: Err(Code::SamlUnreadable),
    },
];

#[tokio::test]
async fn each_answer_gets_its_verdict() {
    let mut wrong = Vec::new();
    for case in CASES {
        let mut scene = Scene::new(&json!({}));
        let sent = scene.begins().await.expect("sent");
        let xml = (case.make)(&sent.id, scene.now());
        let verdict = match scene.responds(&xml, &sent.state).await {
            Ok(reply) => match scene.goes_on(&reply).await {
                Ok(_) => Ok(scene.world.books.sessions()[0].person.id.clone()),
                Err(error) => Err(error.code),
            },
            Err(error) => Err(error.code),
        };
        if verdict.as_deref().map_err(|code| *code) != case.verdict {
            wrong.push(format!("{}: {verdict:?} instead of {:?}", case.name, case.verdict));
        }
        assert!(case.verdict.is_ok() || scene.world.books.sessions().is_empty(), "{}", case.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_form_that_is_none_is_refused() {
    let scene = Scene::new(&json!({}));
    let fine = base64_of("<x/>");
    for (fields, refusal) in [
        (vec![], Code::SamlUnreadable),
        (vec![("SAMLResponse", "")], Code::SamlUnreadable),
        (vec![("SAMLResponse", "!")], Code::SamlUnreadable),
        (vec![("SAMLResponse", "/w==")], Code::SamlUnreadable),
        (vec![("SAMLResponse", fine.as_str())], Code::SamlUnreadable),
        (vec![("SAMLResponse", fine.as_str()), ("SAMLResponse", fine.as_str())], Code::QueryRepeated),
    ] {
        assert_eq!(crate::kit::browser::code(scene.brings("/acs", &fields).await), refusal, "{fields:?}");
    }
    for (method, path, refusal) in [
        (http::Method::GET, "/saml/edghtsrt_1/acs", Code::MethodNotAllowed),
        (http::Method::POST, "/saml/edghtsrt_1", Code::MethodNotAllowed),
        (http::Method::POST, "/saml/edghtsrt_2/acs", Code::LoginAddressUnknown),
        (http::Method::GET, "/saml/edghtsrt_1/", Code::LoginAddressUnknown),
        (http::Method::GET, "/saml/edghtsrt_1/x", Code::LoginAddressUnknown),
        (http::Method::GET, "/saml/", Code::LoginAddressUnknown),
    ] {
        let outcome = scene.at_login_host(method.clone(), path, None, String::new()).await;
        assert_eq!(crate::kit::browser::code(outcome), refusal, "{method} {path}");
    }
}

fn base64_of(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// Writes the answers down for programs that others wrote, with our verdicts, when it is told where to.
#[test]
fn others_may_judge_them_too() {
    let (request, now) = ("_request", jiff::Timestamp::now().as_second());
    let cases: Vec<Value> = CASES
        .iter()
        .map(|case| json!({"name": case.name, "xml": (case.make)(request, now), "name_id": case.verdict.ok()}))
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
