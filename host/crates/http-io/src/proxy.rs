//! Reverse proxies: which peers are trusted, and the base URL that clients use.

use std::net::IpAddr;

use ipnet::IpNet;
use url::Url;

/// Reverse proxies as the operator configured them.
#[derive(Debug, Clone, Default)]
pub struct ProxyConfig {
    /// Proxies whose forwarding headers are trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// The URL that clients use.
    pub base_url: Option<Url>,
}

impl ProxyConfig {
    /// Whether `address` is a trusted proxy.
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|proxy| proxy.contains(&address))
    }
}
