//! The options of the server that concern the provider.

use crate::error::{Outage, Result};

/// Options, as the server passes them.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Exactly as the provider names itself.
    pub issuer: String,
    pub client_id: String,
    /// `None` for a public client.
    pub client_secret: Option<String>,
    /// Path of the claim with the user's groups; `None` if groups are not read.
    pub groups_claim: Option<Vec<String>>,
}

impl Options {
    /// Reads the options with a function that returns the text of a setting.
    ///
    /// # Errors
    /// Issuer or client id are not set.
    pub fn read(setting: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let text = |key| setting(key).filter(|value| !value.is_empty());
        let issuer = text("issuer").ok_or(Outage::NotConfigured("oidc-issuer"))?;
        let client_id = text("client-id").ok_or(Outage::NotConfigured("oidc-client-id"))?;
        Ok(Self {
            issuer,
            client_id,
            client_secret: text("client-secret"),
            groups_claim: text("groups-claim").map(|path| claim_path(&path)),
        })
    }
}

/// The steps of a path such as `realm_access.roles`. A claim whose name contains dots is written with `\.`, as in
/// `https://example\.org/groups`.
fn claim_path(text: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&'.') => {
                letters.next();
                push(&mut steps, '.');
            }
            '.' => steps.push(String::new()),
            other => push(&mut steps, other),
        }
    }
    steps
}

fn push(steps: &mut [String], letter: char) {
    if let Some(last) = steps.last_mut() {
        last.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_of_a_claim_is_split_at_dots_that_are_not_escaped() {
        assert_eq!(claim_path("groups"), ["groups"]);
        assert_eq!(claim_path("realm_access.roles"), ["realm_access", "roles"]);
        assert_eq!(claim_path(r"https://a\.org/x.y"), ["https://a.org/x", "y"]);
    }

    #[test]
    fn options_without_issuer_or_client_are_an_outage() {
        let with =
            |keys: &'static [&'static str]| Options::read(|key| keys.contains(&key).then(|| "x".to_owned()));
        assert_eq!(
            with(&["client-id"]).unwrap_err(),
            Outage::NotConfigured("oidc-issuer").into()
        );
        assert_eq!(
            with(&["issuer"]).unwrap_err(),
            Outage::NotConfigured("oidc-client-id").into()
        );
        assert!(with(&["issuer", "client-id"]).unwrap().client_secret.is_none());
    }
}
