//! Extracts the credential of a request and classifies it by its form, without checking it.

use sha2::{Digest, Sha256};

use crate::item_link::ITEM_LINK_PREFIX;
use crate::secret_token::{PERSONAL_ACCESS_TOKEN_PREFIX, TokenHash};

/// The places of a request that may contain a credential.
#[derive(Debug, Clone, Copy, Default)]
pub struct PresentedCredentials<'a> {
    /// The values of the `Authorization` header, which may not be UTF-8.
    pub authorization: &'a [&'a [u8]],
    /// The values of the query parameter `token`, decoded.
    pub token: &'a [&'a str],
    /// The values of the deprecated query parameter `authorization`, on routes that accept it. Only access tokens are
    /// accepted there, with or without the scheme.
    pub authorization_parameter: &'a [&'a str],
}

/// A credential, classified by its form.
#[derive(Clone, PartialEq, Eq)]
pub enum Credential {
    /// Has the prefix of personal access tokens.
    PersonalAccessToken(String),
    /// Has the prefix of item links.
    ItemLink(String),
    /// Any other text.
    AccessToken(String),
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::PersonalAccessToken(_) => "PersonalAccessToken(…)",
            Self::ItemLink(_) => "ItemLink(…)",
            Self::AccessToken(_) => "AccessToken(…)",
        })
    }
}

impl Credential {
    /// SHA-256 of the credential, to recognise it without storing it.
    pub fn digest(&self) -> TokenHash {
        let (Self::PersonalAccessToken(text) | Self::ItemLink(text) | Self::AccessToken(text)) = self;
        Sha256::digest(text.as_bytes()).into()
    }
}

/// Returns the credential of a request. The Bearer header precedes `?token=`, which precedes `?authorization=`; an
/// invalid one never falls back to the next. Returns `None` if header and query differ or one of them is repeated.
pub fn find(presented: PresentedCredentials<'_>) -> Option<Credential> {
    let (query, is_old) = match presented {
        PresentedCredentials { token: [], .. } => (presented.authorization_parameter, true),
        PresentedCredentials { token, .. } => (token, false),
    };
    let mut bearer = presented
        .authorization
        .iter()
        .filter_map(|value| bearer_token(value));
    let in_header = bearer.next();
    if bearer.next().is_some() || query.len() > 1 {
        return None;
    }
    let query: Option<&str> = match query.first() {
        Some(value) if is_old => Some(access_token_alone(value)?),
        other => other.copied(),
    };
    match (in_header, query) {
        (Some(header), Some(query)) if header != query.as_bytes() => None,
        (Some(header), _) => classify(std::str::from_utf8(header).ok()?),
        (None, Some(query)) => classify(query),
        (None, None) => None,
    }
}

/// The access token of the deprecated parameter, which accepts no other kind of credential.
fn access_token_alone(value: &str) -> Option<&str> {
    let token = match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => value,
    };
    match classify(token) {
        Some(Credential::AccessToken(_)) => Some(token),
        _ => None,
    }
}

/// The token of a Bearer header; `None` for another scheme, such as Basic of a proxy, which is ignored.
fn bearer_token(value: &[u8]) -> Option<&[u8]> {
    let value = value.trim_ascii();
    let end = value
        .iter()
        .position(|byte| matches!(byte, b' ' | b'\t'))
        .unwrap_or(value.len());
    let (scheme, token) = value.split_at(end);
    scheme.eq_ignore_ascii_case(b"bearer").then(|| token.trim_ascii())
}

fn classify(token: &str) -> Option<Credential> {
    if token.is_empty() {
        None
    } else if token.starts_with(PERSONAL_ACCESS_TOKEN_PREFIX) {
        Some(Credential::PersonalAccessToken(token.to_owned()))
    } else if token.starts_with(ITEM_LINK_PREFIX) {
        Some(Credential::ItemLink(token.to_owned()))
    } else {
        Some(Credential::AccessToken(token.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use svc_covers::covers;

    use super::*;

    fn shown(authorization: &[&str], token: &[&str]) -> Option<String> {
        let authorization: Vec<_> = authorization.iter().map(|value| value.as_bytes()).collect();
        find(PresentedCredentials {
            authorization: &authorization,
            token,
            ..PresentedCredentials::default()
        })
        .map(|credential| match credential {
            Credential::PersonalAccessToken(token) => format!("pat {token}"),
            Credential::ItemLink(token) => format!("link {token}"),
            Credential::AccessToken(token) => token,
        })
    }

    #[covers("R17")]
    #[test]
    fn credential_is_found_by_the_rules_of_delivery() {
        // (Authorization headers, ?token= values, credential that counts)
        let cases: &[(&[&str], &[&str], Option<&str>)] = &[
            (&[], &[], None),
            (&["Bearer abc"], &[], Some("abc")),
            (&["bearer abc"], &[], Some("abc")),
            (&["BEARER   abc "], &[], Some("abc")),
            (&["Bearer\tabc"], &[], Some("abc")),
            (&["Bearer"], &[], None),
            (&["Bearer "], &[], None),
            (&[""], &[], None),
            (&["abc"], &[], None),
            (&["Bearerabc"], &[], None),
            (&["Basic dXNlcjpwYXNz"], &[], None),
            (&["Basic dXNlcjpwYXNz"], &["abc"], Some("abc")),
            (&[], &["abc"], Some("abc")),
            (&[], &[""], None),
            (&["Bearer abc"], &["abc"], Some("abc")),
            (&["Bearer abc"], &["def"], None),
            (&["Bearer "], &["def"], None),
            (&["Bearer a b"], &["def"], None),
            (&[], &["abc", "abc"], None),
            (&[], &["abc", "def"], None),
            (&["Bearer abc"], &["abc", "abc"], None),
            (&["Bearer abc", "Bearer abc"], &[], None),
            (&["Bearer abc", "Basic x"], &[], Some("abc")),
            (&["Bearer svc_pat_x"], &[], Some("pat svc_pat_x")),
            (&[], &["svc_pat_x"], Some("pat svc_pat_x")),
            (&["Bearer SVC_PAT_x"], &[], Some("SVC_PAT_x")),
        ];
        for (authorization, token, expected) in cases {
            let found = shown(authorization, token);
            assert_eq!(found.as_deref(), *expected, "{authorization:?} {token:?}");
        }
    }

    #[covers("R18")]
    #[test]
    fn deprecated_parameter_accepts_only_access_tokens_and_has_lowest_precedence() {
        // (Authorization header, ?token= values, ?authorization= values, credential that counts)
        let cases: &[(&[&[u8]], &[&str], &[&str], Option<&str>)] = &[
            (&[], &[], &["abc"], Some("abc")),
            (&[], &[], &["Bearer abc"], Some("abc")),
            (&[], &[], &["bearer  abc "], Some("abc")),
            (&[], &[], &[""], None),
            (&[], &[], &["Bearer "], None),
            (&[], &[], &["svc_pat_x"], None),
            (&[], &[], &["Bearer svc_pat_x"], None),
            (&[], &[], &["svc_link_x"], None),
            (&[], &[], &["abc", "abc"], None),
            (&[], &["def"], &["abc"], Some("def")),
            (&[], &["def"], &["svc_pat_x"], Some("def")),
            (&[], &["def"], &["abc", "abc"], Some("def")),
            (&[], &[""], &["abc"], None),
            (&[b"Bearer abc"], &[], &["abc"], Some("abc")),
            (&[b"Bearer abc"], &[], &["Bearer abc"], Some("abc")),
            (&[b"Bearer abc"], &[], &["def"], None),
            (&[b"Bearer "], &[], &["def"], None),
        ];
        for (authorization, token, authorization_parameter, expected) in cases {
            let found = find(PresentedCredentials {
                authorization,
                token,
                authorization_parameter,
            });
            let expected = expected.map(|text| Credential::AccessToken(text.to_owned()));
            assert_eq!(found, expected, "{token:?} {authorization_parameter:?}");
        }
    }

    #[test]
    fn header_that_is_not_utf8_is_no_credential_and_hides_the_query() {
        let presented = PresentedCredentials {
            authorization: &[b"Bearer \xff"],
            token: &["abc"],
            ..PresentedCredentials::default()
        };
        assert_eq!(find(presented), None);
    }

    #[test]
    fn debug_output_of_credentials_is_redacted() {
        assert!(!format!("{:?}", Credential::AccessToken("secret".into())).contains("secret"));
    }
}
