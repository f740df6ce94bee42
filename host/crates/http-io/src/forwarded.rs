//! The client behind proxies, as the forwarding headers of trusted ones report it.

use std::net::IpAddr;

use salvo::http::HeaderMap;
use salvo::http::header::{FORWARDED, HeaderName};

use crate::proxy::ProxyConfig;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Who sent a request to the server or to a proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Its IP address. `None` for a transport without addresses.
    pub address: Option<IpAddr>,
    /// Whether it used https.
    pub https: bool,
}

/// What one proxy reports about the peer that sent it the request.
#[derive(Debug, Default, PartialEq, Eq)]
struct Hop {
    address: Option<IpAddr>,
    https: Option<bool>,
}

impl Peer {
    /// The client that sent the request: this peer, or the one that it and other trusted proxies report. Its address is
    /// never an IPv4-mapped IPv6 address.
    #[must_use]
    pub fn client(self, proxy_config: &ProxyConfig, headers: &HeaderMap) -> Self {
        let mut client = Self {
            address: self.address.map(|address| address.to_canonical()),
            https: self.https,
        };
        // The nearest proxy wrote the last hop. An earlier hop counts only if all proxies after it are trusted.
        for hop in hops(headers).iter().rev() {
            if !client.address.is_some_and(|address| proxy_config.trusts(address)) {
                break;
            }
            client.https = hop.https.unwrap_or(client.https);
            match hop.address {
                Some(address) => client.address = Some(address),
                // The address is hidden or invalid: the proxy that wrote the hop is the best known address.
                None => break,
            }
        }
        client
    }
}

/// The hops in `X-Forwarded-For` and `X-Forwarded-Proto`, or else in `Forwarded`; the nearest last.
fn hops(headers: &HeaderMap) -> Vec<Hop> {
    let addresses = list(headers, &X_FORWARDED_FOR);
    if addresses.is_empty() && headers.contains_key(FORWARDED) {
        return list(headers, &FORWARDED)
            .iter()
            .map(|hop| forwarded(hop))
            .collect();
    }
    let protocols = list(headers, &X_FORWARDED_PROTO);
    let is_https = |protocol: &String| protocol.eq_ignore_ascii_case("https");
    // Both lists end with the nearest hop. If there are fewer protocols than addresses, the first protocol is that of
    // the client.
    let nearest_first = (0..addresses.len().max(1)).map(|back| Hop {
        address: addresses.iter().nth_back(back).and_then(|text| address(text)),
        https: protocols
            .iter()
            .nth_back(back)
            .or(protocols.first())
            .map(is_https),
    });
    let mut hops: Vec<_> = nearest_first.collect();
    hops.reverse();
    hops
}

/// The elements of a list header, over all its lines. Bytes that are not UTF-8 give an invalid element.
fn list(headers: &HeaderMap, name: &HeaderName) -> Vec<String> {
    let lines = headers.get_all(name).iter();
    lines
        .flat_map(|line| split(&String::from_utf8_lossy(line.as_bytes()), ','))
        .collect()
}

/// Splits at the separators outside quotes.
fn split(text: &str, separator: char) -> Vec<String> {
    let (mut quoted, mut escaped) = (false, false);
    let parts = text.split(|letter: char| {
        let ends = letter == separator && !quoted;
        quoted ^= letter == '"' && !escaped;
        escaped = quoted && letter == '\\' && !escaped;
        ends
    });
    parts.map(|part| part.trim().to_owned()).collect()
}

/// Parses an element of `Forwarded` (RFC 7239), such as `for="[2001:db8::1]:80";proto=https`.
fn forwarded(element: &str) -> Hop {
    let mut hop = Hop::default();
    for pair in split(element, ';') {
        let Some((name, value)) = pair.split_once('=') else {
            continue;
        };
        let value = value.trim().trim_matches('"');
        match name.trim().to_ascii_lowercase().as_str() {
            "for" => hop.address = address(value),
            "proto" => hop.https = Some(value.eq_ignore_ascii_case("https")),
            _ => {}
        }
    }
    hop
}

/// Parses an address with or without a port; IPv6 with or without brackets.
fn address(text: &str) -> Option<IpAddr> {
    let socket = || text.parse().map(|socket: std::net::SocketAddr| socket.ip()).ok();
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let found: Option<IpAddr> = text.parse().ok().or_else(socket).or_else(bracketed);
    found.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use salvo::http::HeaderValue;
    use svc_covers::covers;

    const PROXIES: [&str; 3] = ["10.0.0.0/8", "::1/128", "fd00::/8"];

    fn client(peer: &str, https: bool, lines: &[(&'static str, &[u8])]) -> Peer {
        let proxy_config = ProxyConfig {
            trusted_proxies: PROXIES.map(|text| text.parse().unwrap()).to_vec(),
            base_url: None,
        };
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_bytes(value).unwrap());
        }
        let peer = Peer {
            address: Some(peer.parse().unwrap()),
            https,
        };
        peer.client(&proxy_config, &headers)
    }

    #[covers("T21")]
    #[test]
    fn address_is_the_nearest_untrusted_one() {
        for (peer, name, value, expected) in [
            // Headers of untrusted peers are ignored.
            ("203.0.113.9", "x-forwarded-for", "1.2.3.4", "203.0.113.9"),
            (
                "203.0.113.9",
                "forwarded",
                "for=1.2.3.4;proto=https",
                "203.0.113.9",
            ),
            ("2001:db8::9", "x-forwarded-for", "::1", "2001:db8::9"),
            ("11.0.0.1", "x-forwarded-for", "10.0.0.1", "11.0.0.1"),
            // One hop, several hops, and hops that the client invented.
            ("10.0.0.1", "x-forwarded-for", "1.2.3.4", "1.2.3.4"),
            ("10.0.0.1", "x-forwarded-for", "6.6.6.6, 1.2.3.4", "1.2.3.4"),
            (
                "10.0.0.1",
                "x-forwarded-for",
                "6.6.6.6, 1.2.3.4, 10.0.0.2,10.0.0.3",
                "1.2.3.4",
            ),
            (
                "10.0.0.1",
                "x-forwarded-for",
                "127.0.0.1, 10.9.9.9, 1.2.3.4, 10.0.0.2",
                "1.2.3.4",
            ),
            ("10.0.0.1", "x-forwarded-for", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
            // An invalid address ends the search at the proxy that wrote it.
            ("10.0.0.1", "x-forwarded-for", "", "10.0.0.1"),
            ("10.0.0.1", "x-forwarded-for", "unknown", "10.0.0.1"),
            ("10.0.0.1", "x-forwarded-for", "1.2.3.4, , 10.0.0.2", "10.0.0.2"),
            (
                "10.0.0.1",
                "x-forwarded-for",
                "1.2.3.4, x' OR 1=1, 10.0.0.2",
                "10.0.0.2",
            ),
            ("10.0.0.1", "x-forwarded-for", "1.2.3.4 5.6.7.8", "10.0.0.1"),
            ("10.0.0.1", "x-forwarded-for", "1.2.3.400", "10.0.0.1"),
            // Ports and IPv6.
            ("10.0.0.1", "x-forwarded-for", "1.2.3.4:5678", "1.2.3.4"),
            ("::1", "x-forwarded-for", "2001:db8::1", "2001:db8::1"),
            (
                "::1",
                "x-forwarded-for",
                "[2001:db8::1]:443, fd00::7",
                "2001:db8::1",
            ),
            ("::1", "x-forwarded-for", "[2001:db8::1]", "2001:db8::1"),
            ("::ffff:10.0.0.1", "x-forwarded-for", "::ffff:1.2.3.4", "1.2.3.4"),
            ("::ffff:203.0.113.9", "x-forwarded-for", "1.2.3.4", "203.0.113.9"),
            // RFC 7239.
            ("10.0.0.1", "forwarded", "for=1.2.3.4", "1.2.3.4"),
            (
                "10.0.0.1",
                "forwarded",
                "For=\"[2001:db8::1]:4711\";by=10.0.0.1",
                "2001:db8::1",
            ),
            (
                "10.0.0.1",
                "forwarded",
                "for=6.6.6.6, for=1.2.3.4;proto=http, for=10.0.0.2",
                "1.2.3.4",
            ),
            (
                "10.0.0.1",
                "forwarded",
                "for=1.2.3.4;x=\"a, for=6.6.6.6\"",
                "1.2.3.4",
            ),
            (
                "10.0.0.1",
                "forwarded",
                "for=1.2.3.4;x=\"\\\", for=6.6.6.6\"",
                "1.2.3.4",
            ),
            ("10.0.0.1", "forwarded", "for=_hidden", "10.0.0.1"),
            ("10.0.0.1", "forwarded", "proto=https", "10.0.0.1"),
            ("10.0.0.1", "forwarded", ";;=;for", "10.0.0.1"),
        ] {
            let found = client(peer, false, &[(name, value.as_bytes())]).address.unwrap();
            assert_eq!(found.to_string(), expected, "{peer} {name}: {value}");
        }
    }

    #[test]
    fn header_lines_form_one_list_and_x_forwarded_for_takes_precedence() {
        let lines: [(_, &[u8]); 3] = [
            ("x-forwarded-for", b"6.6.6.6, 1.2.3.4"),
            ("x-forwarded-for", b"10.0.0.2"),
            ("forwarded", b"for=7.7.7.7"),
        ];
        assert_eq!(client("10.0.0.1", false, &lines).address, "1.2.3.4".parse().ok());
        let garbage: [(_, &[u8]); 1] = [("x-forwarded-for", b"1.2.3.4, \xff\xfe")];
        assert_eq!(
            client("10.0.0.1", false, &garbage).address,
            "10.0.0.1".parse().ok()
        );
    }

    #[test]
    fn https_is_that_of_the_clients_hop() {
        let forwarded_for = "x-forwarded-for";
        for (peer, addresses, protocols, expected) in [
            ("203.0.113.9", "1.2.3.4", "https", false),
            ("10.0.0.1", "1.2.3.4", "https", true),
            ("10.0.0.1", "1.2.3.4", "HTTPS", true),
            ("10.0.0.1", "1.2.3.4", "http", false),
            ("10.0.0.1", "1.2.3.4", "junk", false),
            ("10.0.0.1", "1.2.3.4", "https, http", false),
            ("10.0.0.1", "1.2.3.4, 10.0.0.2", "https", true),
            ("10.0.0.1", "1.2.3.4, 10.0.0.2", "https, http", true),
            (
                "10.0.0.1",
                "6.6.6.6, 1.2.3.4, 10.0.0.2",
                "https, http, http",
                false,
            ),
        ] {
            let lines = [
                (forwarded_for, addresses.as_bytes()),
                ("x-forwarded-proto", protocols.as_bytes()),
            ];
            assert_eq!(
                client(peer, false, &lines).https,
                expected,
                "{peer} {addresses} {protocols}"
            );
        }
        let one = |name, value: &'static str| client("10.0.0.1", false, &[(name, value.as_bytes())]).https;
        assert!(one("x-forwarded-proto", "https"));
        assert!(one(
            "forwarded",
            "proto=https;for=1.2.3.4, for=10.0.0.2;proto=http"
        ));
        assert!(!one("forwarded", "proto=https, for=1.2.3.4;proto=http"));
        assert!(client("203.0.113.9", true, &[("x-forwarded-proto", b"http")]).https);
        assert!(!client("10.0.0.1", true, &[("x-forwarded-proto", b"http")]).https);
        assert!(client("10.0.0.1", true, &[]).https);
    }

    #[test]
    fn peer_without_an_address_is_not_trusted() {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", HeaderValue::from_static("1.2.3.4"));
        let peer = Peer {
            address: None,
            https: false,
        };
        assert_eq!(peer.client(&ProxyConfig::default(), &headers), peer);
    }
}
