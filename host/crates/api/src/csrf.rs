//! CSRF and DNS rebinding: whether a request comes from a page of the server's own site, and to which host it was sent.
//!
//! A site is a scheme and a registrable domain, as browsers define it for cookies: `https://app.media.example` and
//! `https://media.example:8443` are the same site, `http://media.example` is another. An IP address or `localhost` is a
//! site of its own.

use salvo::Request;
use salvo::http::header::{HOST, HeaderName, ORIGIN};
use salvo::http::{HeaderMap, StatusCode};
use url::{Host, Url};

use crate::api_error::ApiError;
use crate::client::Client;
use crate::extract::{State, extractible, not_described};
use svc_http_io::headers::single_value;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The origin of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsrfOriginCheck {
    /// Same site, or no browser.
    SameSite,
    /// A page of another site.
    CrossSite,
}

/// Classifies a request by its `Sec-Fetch-Site` header, or else by `Origin`. `own` are the URLs of the server: the one that
/// the request was sent to, and the public one.
pub fn check_csrf_origin(headers: &HeaderMap, own: &[Url]) -> CsrfOriginCheck {
    match single_value(headers, &SEC_FETCH_SITE) {
        Some("same-origin" | "same-site" | "none") => return CsrfOriginCheck::SameSite,
        Some("cross-site") => return CsrfOriginCheck::CrossSite,
        // An old browser, a client that is no browser, or an invalid value.
        _ => {}
    }
    if !headers.contains_key(ORIGIN) {
        // Browsers send `Origin` with every request that changes data, so this client is no browser.
        return CsrfOriginCheck::SameSite;
    }
    let origin = single_value(headers, &ORIGIN).and_then(|text| Url::parse(text).ok());
    match origin {
        Some(origin) if own.iter().any(|own| is_same_site(own, &origin)) => CsrfOriginCheck::SameSite,
        _ => CsrfOriginCheck::CrossSite,
    }
}

fn is_same_site(one: &Url, other: &Url) -> bool {
    one.scheme() == other.scheme()
        && match (one.host(), other.host()) {
            (Some(Host::Domain(one)), Some(Host::Domain(other))) => {
                registrable_domain(one) == registrable_domain(other)
            }
            (Some(one), Some(other)) => one == other,
            _ => false,
        }
}

/// The registrable domain of a host name; the name itself if it has none, such as `localhost` or `co.uk`.
fn registrable_domain(host: &str) -> &str {
    let host = host.strip_suffix('.').unwrap_or(host);
    psl::domain_str(host).unwrap_or(host)
}

/// The URL that a request was sent to. `None` if its host is missing, repeated or invalid.
fn requested(req: &Request, https: bool) -> Option<Url> {
    // The authority of the target takes precedence over `Host` (RFC 9112, 3.2.2); HTTP/2 requests have no `Host`.
    let authority = match req.uri().authority() {
        Some(authority) => authority.as_str(),
        None => single_value(req.headers(), &HOST)?,
    };
    // Accept only host and port: in a URL, these characters would make another part the host.
    let plain = !authority.contains(['/', '\\', '?', '#', '@']);
    let scheme = if https { "https" } else { "http" };
    plain.then(|| Url::parse(&format!("{scheme}://{authority}")).ok())?
}

/// The URLs of the server: the one that the request was sent to, and the public one.
pub fn own_addresses(req: &Request, https: bool, public: Option<&Url>) -> Vec<Url> {
    requested(req, https).into_iter().chain(public.cloned()).collect()
}

/// Protects against DNS rebinding: rejects a request unless its host is an IP address, `localhost` or the host of the public
/// URL. Any other name could be an attacker's that resolves to this server. A request without a host is accepted: browsers
/// always send one.
///
/// # Errors
/// 421.
pub fn require_plain_host(req: &Request, public: Option<&Url>) -> Result<(), ApiError> {
    if req.uri().authority().is_none() && !req.headers().contains_key(HOST) {
        return Ok(());
    }
    let asked = requested(req, false);
    let is_plain = match asked.as_ref().and_then(Url::host) {
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            name == "localhost" || public.and_then(Url::host_str) == Some(name)
        }
        None => false,
    };
    if is_plain {
        return Ok(());
    }
    Err(ApiError::new(
        StatusCode::MISDIRECTED_REQUEST,
        "before setup, the server answers only at its IP address, at `localhost` and at its base URL (SVC_BASE_URL)",
    ))
}

extractible!(CsrfOriginCheck, req, depot, _arg => {
    let public = State::of(depot)?.proxy_config.base_url.clone();
    let client = Client::extract(&mut *req, depot).await?;
    let own = own_addresses(req, client.https, public.as_ref());
    Ok(check_csrf_origin(req.headers(), &own))
});

/// The base of absolute URLs to the server, without a trailing `/`: the configured base URL, or else the address that the
/// client used. Empty if the request has neither.
#[derive(Debug)]
pub struct ServerUrl(pub String);

extractible!(ServerUrl, req, depot, _arg => {
    if let Some(base) = &State::of(depot)?.proxy_config.base_url {
        return Ok(Self(base.as_str().trim_end_matches('/').to_owned()));
    }
    let client = Client::extract(&mut *req, depot).await?;
    let host = single_value(req.headers(), &HOST);
    let host = host.or_else(|| req.uri().authority().map(|authority| authority.as_str()));
    let scheme = if client.https { "https" } else { "http" };
    Ok(Self(host.map_or_else(String::new, |host| format!("{scheme}://{host}"))))
});

not_described!(CsrfOriginCheck, ServerUrl);

#[cfg(test)]
mod tests {
    use super::CsrfOriginCheck::{CrossSite, SameSite};
    use super::*;
    use salvo::http::HeaderValue;
    use svc_covers::covers;

    fn site(own: &[&str], lines: &[(&'static str, &str)]) -> CsrfOriginCheck {
        let own: Vec<Url> = own.iter().map(|text| text.parse().unwrap()).collect();
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        check_csrf_origin(&headers, &own)
    }

    #[covers("T12")]
    #[test]
    fn sec_fetch_site_decides_and_origin_is_the_fallback() {
        let origins = [
            Some("https://media.example.co.uk"),
            Some("https://app.example.co.uk"),
            Some("https://media.example.co.uk:8443"),
            Some("https://evil.co.uk"),
            Some("null"),
            None,
        ];
        let by_origin = [SameSite, SameSite, SameSite, CrossSite, CrossSite, SameSite];
        for (said, expected) in [
            (Some("same-origin"), [SameSite; 6]),
            (Some("same-site"), [SameSite; 6]),
            (Some("none"), [SameSite; 6]),
            (Some("cross-site"), [CrossSite; 6]),
            (None, by_origin),
            (Some("junk"), by_origin),
        ] {
            for (origin, expected) in origins.iter().zip(expected) {
                let lines = [("sec-fetch-site", said), ("origin", *origin)];
                let lines: Vec<_> = lines
                    .iter()
                    .filter_map(|(name, value)| value.map(|value| (*name, value)))
                    .collect();
                let found = site(&["https://media.example.co.uk"], &lines);
                assert_eq!(found, expected, "{said:?} {origin:?}");
            }
        }
    }

    #[test]
    fn site_is_scheme_and_registrable_domain() {
        for (own, origin, expected) in [
            ("https://media.example", "http://media.example", CrossSite),
            ("https://media.example", "https://MEDIA.example", SameSite),
            ("https://media.example", "https://media.example.", SameSite),
            (
                "https://media.example",
                "https://media.example.evil.org",
                CrossSite,
            ),
            ("https://media.example", "https://evilmedia.example", CrossSite),
            (
                "https://media.example",
                "https://media.example@evil.org",
                CrossSite,
            ),
            // Each name below a public suffix is a site of its own.
            ("https://ada.github.io", "https://eve.github.io", CrossSite),
            ("https://ada.github.io", "https://github.io", CrossSite),
            ("https://co.uk", "https://media.co.uk", CrossSite),
            ("http://svc.local", "http://other.local", CrossSite),
            ("http://svc.local", "http://tv.svc.local", SameSite),
            ("http://svc", "http://svc:81", SameSite),
            ("http://svc", "http://other", CrossSite),
            ("http://localhost:8420", "http://localhost:3000", SameSite),
            ("http://localhost:8420", "http://127.0.0.1:8420", CrossSite),
            ("http://localhost:8420", "http://evil.localhost", CrossSite),
            ("http://10.0.0.1:8420", "http://10.0.0.1", SameSite),
            ("http://10.0.0.1", "http://10.0.0.2", CrossSite),
            ("http://10.0.0.1", "http://1.0.0.1", CrossSite),
            ("http://[::1]:8420", "http://[::1]", SameSite),
            ("http://[::1]", "http://[0:0:0:0:0:0:0:1]:1", SameSite),
            ("http://[::1]", "http://[::2]", CrossSite),
            ("http://[::1]", "http://127.0.0.1", CrossSite),
            ("http://svc", "file://svc", CrossSite),
            ("http://svc", "", CrossSite),
            ("http://svc", "svc", CrossSite),
            ("http://svc", "http://", CrossSite),
            ("http://svc", "*", CrossSite),
        ] {
            assert_eq!(site(&[own], &[("origin", origin)]), expected, "{own} {origin}");
        }
    }

    #[test]
    fn repeated_headers_never_make_a_request_same_site() {
        let own = "http://svc";
        let twice = [("sec-fetch-site", "none"), ("sec-fetch-site", "none")];
        assert_eq!(site(&[own], &twice), SameSite);
        let foreign = [twice[0], twice[1], ("origin", "http://evil")];
        assert_eq!(site(&[own], &foreign), CrossSite);
        assert_eq!(site(&[own], &[("origin", own), ("origin", own)]), CrossSite);
        assert_eq!(
            site(&[own], &[("sec-fetch-site", "Same-Origin"), ("origin", "null")]),
            CrossSite
        );
    }

    #[test]
    fn public_url_is_one_of_the_servers_urls() {
        let own = ["http://10.0.0.1:8420", "https://media.example"];
        for (origin, expected) in [
            ("https://media.example", SameSite),
            ("https://www.media.example", SameSite),
            ("http://10.0.0.1", SameSite),
            ("http://media.example", CrossSite),
            ("https://10.0.0.1", CrossSite),
        ] {
            assert_eq!(site(&own, &[("origin", origin)]), expected, "{origin}");
        }
        assert_eq!(site(&[], &[("origin", "http://svc")]), CrossSite);
    }

    #[test]
    fn plain_hosts_are_ip_addresses_localhost_and_the_public_host() {
        let public: Url = "https://media.example".parse().unwrap();
        let is_plain = |target: &str, hosts: &[&str]| {
            let mut request = Request::new();
            *request.uri_mut() = target.parse().unwrap();
            for host in hosts {
                let value = HeaderValue::from_str(host).unwrap();
                request.headers_mut().append(HOST, value);
            }
            require_plain_host(&request, Some(&public)).is_ok()
        };
        for host in [
            "127.0.0.1",
            "192.168.1.7:8420",
            "[::1]:8420",
            "localhost",
            "LOCALHOST:8420",
            "localhost.",
            "media.example",
            "Media.Example:8420",
        ] {
            assert!(is_plain("/", &[host]), "{host}");
            assert!(is_plain(&format!("http://{host}/"), &[]), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "evil.localhost",
            "127.0.0.1.evil.example",
            "media.example.evil.example",
            "www.media.example",
            "nas.local:8420",
            "nas",
            "",
            "localhost@evil.example",
            "evil.example/localhost",
        ] {
            assert!(!is_plain("/", &[host]), "{host}");
        }
        // The target takes precedence over the header, and a repeated header is invalid.
        assert!(!is_plain("http://evil.example/", &["localhost"]));
        assert!(!is_plain("/", &["localhost", "localhost"]));
        assert!(is_plain("/", &[]));
    }

    #[test]
    fn requested_url_is_read_from_target_or_host() {
        let address = |target: &str, hosts: &[&str], https| {
            let mut request = Request::new();
            *request.uri_mut() = target.parse().unwrap();
            for host in hosts {
                let value = HeaderValue::from_str(host).unwrap();
                request.headers_mut().append(HOST, value);
            }
            requested(&request, https).map(|url| url.to_string())
        };
        assert_eq!(
            address("/", &["svc:81"], false).as_deref(),
            Some("http://svc:81/")
        );
        assert_eq!(
            address("/", &["svc:81"], true).as_deref(),
            Some("https://svc:81/")
        );
        assert_eq!(
            address("/", &["[::1]:81"], false).as_deref(),
            Some("http://[::1]:81/")
        );
        assert_eq!(
            address("http://svc/x", &["evil"], false).as_deref(),
            Some("http://svc/")
        );
        for hosts in [
            &[][..],
            &["svc", "svc"],
            &["evil/@svc"],
            &["svc@evil"],
            &["svc#evil"],
            &[""],
            &["a b"],
        ] {
            assert_eq!(address("/", hosts, false), None, "{hosts:?}");
        }
    }
}
