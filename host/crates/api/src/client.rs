//! The client of a request: its address and whether it used https, directly or through proxies that the operator trusts.

use std::net::IpAddr;

use salvo::http::HeaderMap;
use salvo::http::header::USER_AGENT;

use svc_http_io::forwarded::Peer;
use svc_http_io::proxy::ProxyConfig;
use svc_identity::ClientInfo;

/// Maximum length of a stored user agent, in characters. It is shown in lists of sessions.
const USER_AGENT_CHARS: usize = 256;

/// The client of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// Its IP address, never an IPv4-mapped IPv6 address. `None` for a transport without addresses.
    pub address: Option<IpAddr>,
    /// Whether it used https to the server or to the first trusted proxy.
    pub https: bool,
    /// The `User-Agent` header: at most 256 characters, without control characters.
    pub user_agent: Option<String>,
}

impl Client {
    /// The client of a request that came from `peer`, over https if `https`.
    pub(super) fn of(
        proxy_config: &ProxyConfig,
        peer: Option<IpAddr>,
        https: bool,
        headers: &HeaderMap,
    ) -> Self {
        let user_agent = headers
            .get(USER_AGENT)
            .and_then(|value| readable(value.as_bytes()));
        let peer = Peer { address: peer, https };
        let Peer { address, https } = peer.client(proxy_config, headers);
        Self {
            address,
            https,
            user_agent,
        }
    }
}

fn readable(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let kept: String = text
        .chars()
        .filter(|letter| !letter.is_control())
        .take(USER_AGENT_CHARS)
        .collect();
    let kept = kept.trim();
    (!kept.is_empty()).then(|| kept.to_owned())
}

impl From<Client> for ClientInfo {
    fn from(client: Client) -> Self {
        Self {
            address: client.address,
            user_agent: client.user_agent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use salvo::http::HeaderValue;

    #[test]
    fn user_agent_is_short_and_printable() {
        let client = |headers: &HeaderMap| Client::of(&ProxyConfig::default(), None, false, headers);
        let agent = |value: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(USER_AGENT, HeaderValue::from_bytes(value).unwrap());
            client(&headers).user_agent
        };
        assert_eq!(agent(b"Player/1.0 (TV)").as_deref(), Some("Player/1.0 (TV)"));
        assert_eq!(agent(b"a\tb").as_deref(), Some("ab"));
        assert_eq!(agent("\u{9b}31mé".as_bytes()).as_deref(), Some("31mé"));
        assert_eq!(agent(b" \t").as_deref(), None);
        assert_eq!(agent(&b"\xc3\xa9".repeat(300)).unwrap().chars().count(), 256);
        assert_eq!(client(&HeaderMap::new()).user_agent, None);
    }
}
