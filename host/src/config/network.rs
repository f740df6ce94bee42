//! Options about the network around the server: proxies before it, and its public address.

use std::net::IpAddr;

use ipnet::IpNet;
use url::Url;

use crate::config::ConfigError;

/// Networks from their texts: `10.0.0.0/8`, or one address.
pub(super) fn trusted_proxies(texts: &[String]) -> Result<Vec<IpNet>, ConfigError> {
    let network = |text: &String| {
        let trimmed = text.trim();
        let single = || trimmed.parse::<IpAddr>().map(IpNet::from);
        let parsed = trimmed.parse().or_else(|_| single());
        parsed.map_err(|_| ConfigError::TrustedProxy(text.clone()))
    };
    texts.iter().map(network).collect()
}

/// The public address from its text: scheme, host and port alone, since cookies and routes begin at `/api`.
pub(super) fn base_url(text: &str) -> Result<Url, ConfigError> {
    let wrong = |reason: &str| ConfigError::BaseUrl(format!("`{text}` {reason}"));
    let url = Url::parse(text).map_err(|error| wrong(&format!("is no URL: {error}")))?;
    if !["http", "https"].contains(&url.scheme()) || url.host().is_none() {
        return Err(wrong("is no http or https address"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("must not hold credentials"));
    }
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("must end after host and port"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_are_networks_or_single_addresses() {
        let read = |text: &str| trusted_proxies(&[text.to_owned()]).map(|nets| nets[0].to_string());
        for (text, expected) in [
            ("10.0.0.0/8", "10.0.0.0/8"),
            (" 127.0.0.1 ", "127.0.0.1/32"),
            ("fd00::/8", "fd00::/8"),
            ("::1", "::1/128"),
        ] {
            assert_eq!(read(text).unwrap(), expected);
        }
        for text in ["", "proxy.local", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0"] {
            assert!(
                read(text).unwrap_err().to_string().contains("trusted proxy"),
                "{text}"
            );
        }
    }

    #[test]
    fn base_url_is_scheme_host_and_port() {
        for text in ["https://media.example", "http://10.0.0.1:8420/", "https://[::1]"] {
            assert!(base_url(text).is_ok(), "{text}");
        }
        for text in [
            "media.example",
            "ftp://media.example",
            "https://",
            "https://user@media.example",
            "https://media.example/svc",
            "https://media.example/?a",
            "https://media.example/#a",
        ] {
            assert!(
                base_url(text).unwrap_err().to_string().contains("base URL"),
                "{text}"
            );
        }
    }
}
