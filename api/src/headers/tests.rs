use super::*;
use http::HeaderValue;
use proptest::prelude::*;

fn changes(add: &[(&str, &str)], remove: &[&str]) -> HeaderChanges {
    HeaderChanges {
        enabled: true,
        add: add.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        remove: remove.iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn judged(add: &[(&str, &str)], remove: &[&str]) -> Result<HeaderChanges, Code> {
    canonical(changes(add, remove), Direction::Request).map_err(|error| error.code)
}

#[test]
fn names_become_lower_case_and_values_stay() {
    let result =
        judged(&[("X-Country", "${geo.country}"), ("accept", "")], &["ACCEPT", "Cookie", "Postern-Auth-User-Id"]);
    let expected =
        changes(&[("accept", ""), ("x-country", "${geo.country}")], &["accept", "cookie", "postern-auth-user-id"]);
    assert_eq!(result, Ok(expected));
    assert_eq!(judged(&[], &[]), Ok(changes(&[], &[])));
}

#[test]
fn what_is_wrong_has_its_code() {
    let long = "x".repeat(VALUE_LIMIT + 1);
    for (name, value, code) in [
        ("", "x", Code::HeaderName),
        ("a b", "x", Code::HeaderName),
        (":path", "x", Code::HeaderName),
        ("ä", "x", Code::HeaderName),
        ("a\r\nb", "x", Code::HeaderName),
        (&long[..NAME_LIMIT + 1], "x", Code::HeaderNameLength),
        ("x-a", &long, Code::HeaderValueLength),
        ("x-a", "a\r\nset-cookie: b", Code::HeaderValue),
        ("x-a", "\0", Code::HeaderValue),
        ("x-a", "ä", Code::HeaderValue),
        ("Content-Length", "5", Code::HeaderForbidden),
        ("transfer-encoding", "chunked", Code::HeaderForbidden),
        ("Connection", "close", Code::HeaderForbidden),
        ("user-agent", "x", Code::HeaderForbidden),
        ("Postern-Auth-User-Id", "root", Code::HeaderForbidden),
    ] {
        assert_eq!(judged(&[(name, value)], &[]), Err(code), "{name:.40}: {value:.40}");
    }
    for (name, code) in [
        ("", Code::HeaderName),
        (&long[..NAME_LIMIT + 1], Code::HeaderNameLength),
        ("Upgrade", Code::HeaderForbidden),
        ("User-Agent", Code::HeaderForbidden),
    ] {
        assert_eq!(judged(&[], &[name]), Err(code), "{name:.40}");
    }
    assert!(judged(&[("x-a", &long[..VALUE_LIMIT]), (&long[..NAME_LIMIT], "")], &[]).is_ok(), "the limits themselves");
}

#[test]
fn a_name_is_given_once_in_each_list() {
    assert_eq!(judged(&[("X-A", "1"), ("x-a", "2")], &[]), Err(Code::HeaderTwice));
    assert_eq!(judged(&[], &["X-A", "x-a"]), Err(Code::HeaderTwice));
    assert!(judged(&[("X-A", "1")], &["x-a"]).is_ok(), "in both it is replaced");
}

#[test]
fn the_host_can_be_replaced_and_not_removed() {
    assert_eq!(judged(&[], &["Host"]), Err(Code::HeaderHostRemoved));
    assert!(judged(&[("host", "inner.test")], &["HOST"]).is_ok());
    assert!(judged(&[("HOST", "inner.test")], &[]).is_ok());
}

#[test]
fn lists_and_their_sum_are_bounded() {
    let many = |number: usize| (0..number).map(|n| format!("x-{n}")).collect::<Vec<_>>();
    let judge = |add: Vec<String>, remove: Vec<String>, value: &str| {
        let add = add.into_iter().map(|name| (name, value.to_owned())).collect();
        canonical(HeaderChanges { enabled: true, add, remove }, Direction::Response).map(|_| ()).map_err(|e| e.code)
    };
    assert_eq!(judge(many(COUNT_LIMIT), many(COUNT_LIMIT), "x"), Ok(()));
    assert_eq!(judge(many(COUNT_LIMIT + 1), vec![], "x"), Err(Code::HeaderCount));
    assert_eq!(judge(vec![], many(COUNT_LIMIT + 1), "x"), Err(Code::HeaderCount));
    assert_eq!(judge(many(9), vec![], &"x".repeat(VALUE_LIMIT)), Err(Code::HeaderValueLength));
}

#[test]
fn answers_may_carry_any_user_agent_and_errors_show_no_value() {
    let answer = canonical(changes(&[("user-agent", "x")], &[]), Direction::Response);
    assert!(answer.is_ok());
    for value in ["hunter2\n", &"hunter2".repeat(1000)] {
        let error = canonical(changes(&[("authorization", value)], &[]), Direction::Request).expect_err("refused");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_judged_without_a_panic(name in "\\PC{0,40}", value in "\\PC{0,40}", control in "[\\x00-\\x7f]{0,8}") {
        for (name, value) in [(&name, &value), (&control, &value), (&name, &control)] {
            for direction in [Direction::Request, Direction::Response] {
                let Ok(kept) = canonical(changes(&[(name, value)], &[]), direction) else { continue };
                let fits = |(name, value): (&String, &String)| {
                    HeaderName::from_bytes(name.as_bytes()).is_ok() && HeaderValue::from_str(value).is_ok()
                };
                prop_assert!(kept.add.iter().all(fits));
                prop_assert_eq!(canonical(kept.clone(), direction), Ok(kept), "what is canonical stays as it is");
            }
        }
    }

    #[test]
    fn ordinary_names_are_accepted(name in "x-[a-z0-9-]{1,20}", value in "[ -~]{0,40}") {
        prop_assert!(judged(&[(&name, &value)], &[&name]).is_ok());
    }
}
