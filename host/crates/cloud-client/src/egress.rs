//! The rules for requests of plugins: which origins, addresses, methods and headers are allowed. No I/O.
//!
//! A request has to pass [`Rules::check`], which compares its origin with those that the administrator configured, and
//! each address of its host has to pass [`Rules::check_address`]. Redirects are not followed, so that no server chooses
//! the target of a request.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};
use ureq::http::{HeaderMap, HeaderName, HeaderValue, Method};
use url::{Host, Url};

use crate::limits;
use svc_plugin_host::cloud::{HttpError, HttpHeader, HttpRequest};

/// Headers that belong to the connection, to the host or to proxies. The host decompresses nothing, so that no response
/// grows after it has been counted.
const DENIED_HEADERS: [&str; 14] = [
    "accept-encoding",
    "connection",
    "content-length",
    "cookie",
    "cookie2",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
const DENIED_HEADER_PREFIXES: [&str; 2] = ["proxy-", "x-forwarded-"];

/// What the administrator configured.
#[derive(Debug, Clone, Default)]
pub struct EgressOptions {
    /// The URL of the cloud or of the issuer, and further ones. Only their origins count.
    pub urls: Vec<Url>,
    /// The OpenID Connect issuer, whose discovery document may name further origins of its registrable domain.
    pub issuer: Option<Url>,
    /// Names of hosts whose addresses may be private.
    pub private_hosts: Vec<String>,
    /// Certificates of authorities in PEM, in addition to those of the web.
    pub ca_certificates: Option<Vec<u8>>,
}

/// Why the configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EgressError {
    /// No origin can be made of a URL.
    #[error("{0}: expected https://HOST, or http:// with a loopback host, without a user name")]
    Url(Url),
    /// The file holds no certificates.
    #[error("the certificates of authorities cannot be read: {0}")]
    Certificates(String),
}

/// How far an address reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Global,
    Loopback,
    /// This site: private, link-local and carrier-grade NAT.
    Private,
    /// No server of a cloud has such an address: unspecified, multicast, reserved, documentation, an address of the
    /// other family in disguise, and the metadata services of cloud providers, which return credentials.
    Never,
}

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6(start: [u16; 4], length: u8) -> Ipv6Net {
    let [a, b, c, d] = start;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0), length)
}

/// From the IANA registry of special-purpose addresses and the providers' documents. The first that matches counts.
const V4: [(Ipv4Net, Reach); 20] = [
    (v4(169, 254, 169, 254, 32), Reach::Never),
    (v4(169, 254, 170, 0, 24), Reach::Never),
    (v4(100, 100, 100, 200, 32), Reach::Never),
    (v4(168, 63, 129, 16, 32), Reach::Never),
    (v4(0, 0, 0, 0, 8), Reach::Never),
    (v4(192, 0, 0, 0, 24), Reach::Never),
    (v4(192, 0, 2, 0, 24), Reach::Never),
    (v4(192, 88, 99, 0, 24), Reach::Never),
    (v4(198, 18, 0, 0, 15), Reach::Never),
    (v4(198, 51, 100, 0, 24), Reach::Never),
    (v4(203, 0, 113, 0, 24), Reach::Never),
    (v4(224, 0, 0, 0, 4), Reach::Never),
    (v4(240, 0, 0, 0, 4), Reach::Never),
    (v4(127, 0, 0, 0, 8), Reach::Loopback),
    (v4(10, 0, 0, 0, 8), Reach::Private),
    (v4(100, 64, 0, 0, 10), Reach::Private),
    (v4(169, 254, 0, 0, 16), Reach::Private),
    (v4(172, 16, 0, 0, 12), Reach::Private),
    (v4(192, 168, 0, 0, 16), Reach::Private),
    (v4(0, 0, 0, 0, 0), Reach::Global),
];

/// As [`V4`]. What is not listed is not assigned, or hides an address of IPv4: mapped, compatible and translated.
const V6: [(Ipv6Net, Reach); 12] = [
    (v6([0xfd00, 0x0ec2, 0, 0], 32), Reach::Never),
    (v6([0xfd20, 0x00ce, 0, 0], 32), Reach::Never),
    (v6([0xfc00, 0, 0, 0], 7), Reach::Private),
    (v6([0xfe80, 0, 0, 0], 10), Reach::Private),
    (v6([0xfec0, 0, 0, 0], 10), Reach::Private),
    // Teredo, benchmarks and other protocols
    (v6([0x2001, 0, 0, 0], 23), Reach::Never),
    (v6([0x2001, 0x0db8, 0, 0], 32), Reach::Never),
    (v6([0x2002, 0, 0, 0], 16), Reach::Never),
    (v6([0x3ffe, 0, 0, 0], 16), Reach::Never),
    (v6([0x3fff, 0, 0, 0], 20), Reach::Never),
    (v6([0x2000, 0, 0, 0], 3), Reach::Global),
    (v6([0, 0, 0, 0], 0), Reach::Never),
];

/// Addresses that a translator made of those of IPv4 (RFC 6052). On a network without IPv4, every server that has only
/// IPv4 is reached by them.
const NAT64: Ipv6Net = v6([0x0064, 0xff9b, 0, 0], 96);

fn reach_v4(address: Ipv4Addr) -> Reach {
    let listed = V4.iter().find(|(network, _)| network.contains(&address));
    listed.map_or(Reach::Never, |(_, reach)| *reach)
}

fn reach(address: IpAddr) -> Reach {
    let address = match address {
        IpAddr::V4(address) => return reach_v4(address),
        IpAddr::V6(address) => address,
    };
    let [.., a, b, c, d] = address.octets();
    if address == Ipv6Addr::LOCALHOST {
        return Reach::Loopback;
    }
    if NAT64.contains(&address) {
        let is_global = reach_v4(Ipv4Addr::new(a, b, c, d)) == Reach::Global;
        return if is_global { Reach::Global } else { Reach::Never };
    }
    let [.., upper, lower, _, _] = address.segments();
    // ISATAP, which tunnels to the address of IPv4 at the end.
    if upper & 0xfdff == 0 && lower == 0x5efe {
        return Reach::Never;
    }
    let listed = V6.iter().find(|(network, _)| network.contains(&address));
    listed.map_or(Reach::Never, |(_, reach)| *reach)
}

fn denied<T>(reason: impl Into<String>) -> Result<T, HttpError> {
    Err(HttpError::Denied(reason.into()))
}

fn is_localhost(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

/// Why requests to an origin may be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OriginKind {
    /// The administrator configured it.
    Configured,
    /// It has the registrable domain of the issuer: allowed if its discovery document names it.
    Related,
}

/// Where a request goes.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// Without a fragment.
    pub(crate) url: Url,
    pub(crate) host: Host<String>,
    pub(crate) port: u16,
    /// `https://HOST`, with a port if it is not the usual one.
    pub(crate) origin: String,
    pub(crate) origin_kind: OriginKind,
}

/// A request that the rules allow, as far as they can say before its host is looked up.
#[derive(Debug)]
pub(crate) struct CheckedRequest {
    pub(crate) method: Method,
    pub(crate) target: Target,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
}

/// The rules for the requests of one plugin.
#[derive(Debug)]
pub(crate) struct Rules {
    /// Serialized, as [`Target::origin`].
    origins: BTreeSet<String>,
    issuer: Option<Url>,
    private_hosts: BTreeSet<String>,
}

impl Rules {
    pub(crate) fn new(options: &EgressOptions) -> Result<Self, EgressError> {
        let configured = options.urls.iter().chain(&options.issuer);
        let origins =
            configured.map(|url| configured_origin(url).ok_or_else(|| EgressError::Url(url.clone())));
        let lower_case = |name: &String| name.trim_end_matches('.').to_ascii_lowercase();
        Ok(Self {
            origins: origins.collect::<Result<_, _>>()?,
            issuer: options.issuer.clone(),
            private_hosts: options.private_hosts.iter().map(lower_case).collect(),
        })
    }

    /// The issuer whose discovery document may name further origins.
    pub(crate) fn issuer(&self) -> Option<&Url> {
        self.issuer.as_ref()
    }

    /// Checks all of a request but the addresses of its host.
    pub(crate) fn check(&self, request: HttpRequest) -> Result<CheckedRequest, HttpError> {
        let method = match request.method.as_str() {
            "GET" => Method::GET,
            "POST" => Method::POST,
            "PUT" => Method::PUT,
            "PATCH" => Method::PATCH,
            "DELETE" => Method::DELETE,
            _ => return denied("method"),
        };
        let takes_body = !matches!(method, Method::GET | Method::DELETE);
        if request.body.is_some() && !takes_body {
            return denied("GET and DELETE have no body");
        }
        if request
            .body
            .as_ref()
            .is_some_and(|body| body.len() > limits::REQUEST_BYTES)
        {
            return Err(HttpError::TooLarge);
        }
        Ok(CheckedRequest {
            target: self.target(&request.url)?,
            headers: headers(&request.headers)?,
            body: request.body.or(takes_body.then(Vec::new)),
            method,
        })
    }

    /// Checks the text of a URL. The host of the result is normalized: numbers in any notation are addresses.
    pub(crate) fn target(&self, text: &str) -> Result<Target, HttpError> {
        if text.len() > limits::URL {
            return Err(HttpError::TooLarge);
        }
        // The parser removes or replaces these, other parsers may not.
        if text.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
            return denied("the URL contains spaces, control characters or backslashes");
        }
        let Some(rest) = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
        else {
            return denied("the URL does not start with https://");
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.is_empty() || authority.contains('@') {
            return denied("the URL has no host, or a user name");
        }
        let Ok(mut url) = Url::parse(text) else {
            return denied("the URL is invalid");
        };
        url.set_fragment(None);
        let (Some(host), Some(port)) = (
            url.host().map(|host| host.to_owned()),
            url.port_or_known_default(),
        ) else {
            return denied("the URL has no host");
        };
        let origin = url.origin().ascii_serialization();
        let origin_kind = if self.origins.contains(&origin) {
            OriginKind::Configured
        } else if self.is_related(&url) {
            OriginKind::Related
        } else {
            return denied(format!("{origin} is not configured"));
        };
        Ok(Target {
            url,
            host,
            port,
            origin,
            origin_kind,
        })
    }

    /// Whether the discovery document of the issuer may name this origin.
    pub(crate) fn is_related(&self, url: &Url) -> bool {
        let Some(issuer) = &self.issuer else { return false };
        let port = url.port_or_known_default();
        url.scheme() == "https"
            && (port == Some(443) || port == issuer.port_or_known_default())
            && registrable_domain(url).is_some_and(|domain| Some(domain) == registrable_domain(issuer))
    }

    /// Checks one address of the host.
    pub(crate) fn check_address(&self, host: &Host<String>, address: IpAddr) -> Result<(), HttpError> {
        let may_be_private = match host {
            // The administrator configured this address: no other way leads to such an origin.
            Host::Ipv4(_) | Host::Ipv6(_) => true,
            Host::Domain(name) => self.private_hosts.contains(name),
        };
        let is_localhost = matches!(host, Host::Domain(name) if is_localhost(name));
        match reach(address) {
            Reach::Global if !is_localhost => Ok(()),
            Reach::Loopback if is_localhost || may_be_private => Ok(()),
            Reach::Private if may_be_private && !is_localhost => Ok(()),
            _ => denied(format!("{host} has the address {address}, which is not public")),
        }
    }
}

/// Whether the host of a URL is this machine, to which `http` is as private as `https`.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => is_localhost(name),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The origin of a configured URL: https, or http on this machine.
fn configured_origin(url: &Url) -> Option<String> {
    let is_allowed = url.scheme() == "https" || url.scheme() == "http" && is_loopback(url);
    let has_user = !url.username().is_empty() || url.password().is_some();
    let is_allowed = is_allowed && !has_user && url.port() != Some(0);
    is_allowed.then(|| url.origin().ascii_serialization())
}

/// The part of a host's name that was registered, such as `example.co.uk`.
fn registrable_domain(url: &Url) -> Option<&str> {
    match url.host()? {
        Host::Domain(name) if !name.ends_with('.') => psl::domain_str(name),
        _ => None,
    }
}

/// Whether the host or the connection decides about a header. `name` is in lower case.
fn is_denied_header(name: &str) -> bool {
    DENIED_HEADERS.contains(&name)
        || DENIED_HEADER_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

fn headers(given: &[HttpHeader]) -> Result<HeaderMap, HttpError> {
    let size: usize = given
        .iter()
        .map(|header| header.name.len() + header.value.len())
        .sum();
    if given.len() > limits::REQUEST_HEADERS || size > limits::REQUEST_HEADER_BYTES {
        return Err(HttpError::TooLarge);
    }
    let mut headers = HeaderMap::with_capacity(given.len());
    for header in given {
        let Ok(name) = HeaderName::try_from(header.name.as_str()) else {
            return denied("the name of a header is invalid");
        };
        if is_denied_header(name.as_str()) {
            return denied(format!("header {name}"));
        }
        // Neither line breaks nor other control characters, nor bytes of an unknown encoding.
        match HeaderValue::from_str(&header.value) {
            Ok(value) if header.value.is_ascii() => headers.append(name, value),
            _ => return denied(format!("the value of header {name} is invalid")),
        };
    }
    Ok(headers)
}
