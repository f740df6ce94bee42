//! CSRF: whether a request comes from a page of the server's own site.
//!
//! A site is a scheme and a registrable domain, as browsers define it for cookies: `https://app.media.example` and
//! `https://media.example:8443` are the same site, `http://media.example` is another. An IP address or `localhost` is a
//! site of its own.

use salvo::http::HeaderMap;
use salvo::http::header::{HeaderName, ORIGIN};
use url::{Host, Url};

use crate::client::Client;
use crate::extract::{State, extractible, not_described};
use crate::requested_url::own_urls;
use svc_http_io::headers::single_value;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Where a request comes from.
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

extractible!(CsrfOriginCheck, req, depot, _arg => {
    let public = State::of(depot)?.proxy_config.base_url.clone();
    let client = Client::extract(&mut *req, depot).await?;
    let own = own_urls(req, client.https, public.as_ref());
    Ok(check_csrf_origin(req.headers(), &own))
});

not_described!(CsrfOriginCheck);

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
}
