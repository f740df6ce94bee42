//! The network around the server: which peers are proxies, and by which address clients know the server.

use std::net::IpAddr;

use ipnet::IpNet;
use url::Url;

/// The network around the server, as the operator describes it.
#[derive(Debug, Clone, Default)]
pub struct ProxyConfig {
    /// Proxies whose word about the client counts.
    pub trusted_proxies: Vec<IpNet>,
    /// The address by which clients know the server.
    pub base_url: Option<Url>,
}

impl ProxyConfig {
    /// Whether this peer is a trusted proxy.
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.trusted_proxies
            .iter()
            .any(|proxy_config| proxy_config.contains(&address))
    }
}
