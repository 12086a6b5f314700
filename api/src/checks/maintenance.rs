//! Validation of the maintenance module.

use crate::{
    Code, Error, Result,
    ip_rules::parse_cidr,
    module::{MAINTENANCE_BODY_LIMIT, MAINTENANCE_NETWORK_LIMIT, Maintenance},
};

/// Validates the module, and writes its networks in canonical form.
///
/// # Errors
/// The code of the first value that is not allowed, with the `field` detail.
pub fn maintenance(module: &mut Maintenance) -> Result<()> {
    let wrong = |code, field: &str, sentence: String| Err(Error::new(code, sentence).with("field", field));
    if !(200..=599).contains(&module.status_code) {
        let sentence =
            format!("{} is not the status of a final response. Take one from 200 to 599.", module.status_code);
        return wrong(Code::MaintenanceStatus, "status_code", sentence);
    }
    if module.body.len() > MAINTENANCE_BODY_LIMIT {
        let sentence =
            format!("The body has {} bytes; at most {MAINTENANCE_BODY_LIMIT} are allowed.", module.body.len());
        return wrong(Code::MaintenanceBody, "body", sentence);
    }
    if !is_media_type(&module.content_type) {
        let sentence = "`content_type` is not a media type. Write it like `text/html; charset=utf-8`.";
        return wrong(Code::MaintenanceType, "content_type", sentence.to_owned());
    }
    if module.allow.len() > MAINTENANCE_NETWORK_LIMIT {
        let many = module.allow.len();
        let sentence = format!("There are {many} networks; at most {MAINTENANCE_NETWORK_LIMIT} are allowed.");
        return wrong(Code::MaintenanceNetworks, "allow", sentence);
    }
    for (place, network) in module.allow.iter_mut().enumerate() {
        let parsed = parse_cidr(network).map_err(|error| error.with("field", format!("allow[{place}]")))?;
        *network = parsed.to_string();
    }
    Ok(())
}

/// A type, a subtype and maybe parameters (RFC 9110, section 8.3.1), in visible ASCII.
fn is_media_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim();
    let is_token = |part: &str| !part.is_empty() && part.bytes().all(crate::headers::is_token_byte);
    let whole = text.len() <= 256 && text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    whole && essence.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_its_code() {
        let usual = Maintenance::default;
        assert_eq!(maintenance(&mut usual()), Ok(()));
        for (wrong, code, field) in [
            (Maintenance { status_code: 199, ..usual() }, Code::MaintenanceStatus, "status_code"),
            (Maintenance { status_code: 600, ..usual() }, Code::MaintenanceStatus, "status_code"),
            (Maintenance { body: "x".repeat(32 * 1024 + 1), ..usual() }, Code::MaintenanceBody, "body"),
            (Maintenance { content_type: "html".into(), ..usual() }, Code::MaintenanceType, "content_type"),
            (
                Maintenance { content_type: "text/html\r\nx: y".into(), ..usual() },
                Code::MaintenanceType,
                "content_type",
            ),
            (Maintenance { allow: vec!["::".into(); 101], ..usual() }, Code::MaintenanceNetworks, "allow"),
            (Maintenance { allow: vec!["::1".into(), "x".into()], ..usual() }, Code::CidrInvalid, "allow[1]"),
            (Maintenance { allow: vec!["10.0.0.1/8".into()], ..usual() }, Code::CidrHostBits, "allow[0]"),
        ] {
            let error = maintenance(&mut wrong.clone()).expect_err("refused");
            assert_eq!((error.code, error.details["field"].as_str()), (code, field), "{wrong:?}");
        }
        let mut module = Maintenance { allow: vec!["203.0.113.9".into()], ..usual() };
        assert_eq!(maintenance(&mut module), Ok(()));
        assert_eq!(module.allow, ["203.0.113.9/32"]);
    }
}
