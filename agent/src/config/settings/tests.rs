//! Reading the agent's settings.

use super::*;

#[test]
fn host_and_port_are_parsed_for_both_families() {
    assert_eq!(ServerAddress::parse("[::1]:4443", false).expect("valid").to_string(), "[::1]:4443");
    assert_eq!(ServerAddress::parse("a.example:1", false).expect("valid").host, "a.example");
    for wrong in ["", "a", ":1", "a:0", "a:x", "::1:1", "[x]:1", "a b:1", "http://a:1"] {
        assert!(ServerAddress::parse(wrong, false).is_none(), "{wrong}");
    }
    assert!(ServerAddress::parse("127.0.0.1:0", true).is_some());
}

#[test]
fn a_token_is_read_from_its_own_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    let parse =
        |more: &str| crate::config::Config::parse(&format!("version: 2\nauthtoken_file: {}\n{more}", file.display()));
    assert!(parse("").expect_err("no file").to_string().contains("2:17: authtoken_file: The file cannot be read"));
    std::fs::write(&file, " \n").expect("written");
    assert!(parse("").expect_err("empty").to_string().contains("is empty"));
    std::fs::write(&file, "of-the-file\n").expect("written");
    let token = |more| parse(more).expect("valid").settings.authtoken.expect("a token");
    assert_eq!(token("").reveal(), "of-the-file");
    assert_eq!(token("authtoken: written\n").reveal(), "written");
}

#[test]
fn several_servers_are_a_list_or_separated_by_commas() {
    for written in ["[a:1, 'b:2']", "a:1,b:2", "'a:1, b:2, a:1'"] {
        let config = crate::config::Config::parse(&format!("version: 2\nserver_addr: {written}\n"));
        let servers = config.expect("valid").settings.servers;
        assert_eq!(servers.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a:1", "b:2"], "{written}");
    }
    let wrong = crate::config::Config::parse("version: 2\nserver_addr: a:1,,b:2\n").expect_err("an empty one");
    assert!(wrong.to_string().contains("2:14: server_addr: Must be host and port"), "{wrong}");
}

#[test]
fn allowed_hosts_are_addresses_networks_names_and_suffixes() {
    assert!(matches!(AllowedHost::parse("10.0.0.0/8"), Some(AllowedHost::Network(_))));
    assert!(matches!(AllowedHost::parse("box.local"), Some(AllowedHost::Name(_))));
    assert!(matches!(AllowedHost::parse(".dev.example"), Some(AllowedHost::Below(_))));
    assert!(AllowedHost::parse("*").is_none());
    assert!(AllowedHost::parse("a/b").is_none());
}
