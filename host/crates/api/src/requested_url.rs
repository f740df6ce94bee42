//! The URL of the server that a request was sent to: its own, a foreign one (DNS rebinding), and the base of links.

use salvo::Request;
use salvo::http::StatusCode;
use salvo::http::header::HOST;
use url::{Host, Url};

use crate::api_error::ApiError;
use crate::client::Client;
use crate::extract::{State, extractible, not_described};
use svc_http_io::headers::single_value;

/// The URL that a request was sent to. `None` if its host is missing, repeated or invalid.
fn requested_url(req: &Request, https: bool) -> Option<Url> {
    // The authority of the target takes precedence over `Host` (RFC 9112, 3.2.2); HTTP/2 requests have no `Host`.
    let authority = match req.uri().authority() {
        Some(authority) => authority.as_str(),
        None => single_value(req.headers(), &HOST)?,
    };
    // Accept only host and port: in a URL, these characters would make another part the host.
    let is_host_and_port = !authority.contains(['/', '\\', '?', '#', '@']);
    let scheme = if https { "https" } else { "http" };
    is_host_and_port.then(|| Url::parse(&format!("{scheme}://{authority}")).ok())?
}

/// The URLs of the server: the one that the request was sent to, and the public one.
pub fn own_urls(req: &Request, https: bool, public: Option<&Url>) -> Vec<Url> {
    requested_url(req, https)
        .into_iter()
        .chain(public.cloned())
        .collect()
}

/// Protects against DNS rebinding: rejects a request unless its host is an IP address, `localhost` or the host of the public
/// URL. Any other name could be an attacker's that resolves to this server. A request without a host is accepted: browsers
/// always send one.
///
/// # Errors
/// 421.
pub fn require_own_host(req: &Request, public: Option<&Url>) -> Result<(), ApiError> {
    if req.uri().authority().is_none() && !req.headers().contains_key(HOST) {
        return Ok(());
    }
    let requested = requested_url(req, false);
    let is_own = match requested.as_ref().and_then(Url::host) {
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            name == "localhost" || public.and_then(Url::host_str) == Some(name)
        }
        None => false,
    };
    if is_own {
        return Ok(());
    }
    Err(ApiError::new(
        StatusCode::MISDIRECTED_REQUEST,
        "before setup, the server answers only at its IP address, at `localhost` and at its base URL (SVC_BASE_URL)",
    ))
}

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

not_described!(ServerUrl);

#[cfg(test)]
mod tests {
    use super::*;
    use salvo::http::HeaderValue;

    #[test]
    fn own_hosts_are_ip_addresses_localhost_and_the_public_host() {
        let public: Url = "https://media.example".parse().unwrap();
        let is_own = |target: &str, hosts: &[&str]| {
            let mut request = Request::new();
            *request.uri_mut() = target.parse().unwrap();
            for host in hosts {
                let value = HeaderValue::from_str(host).unwrap();
                request.headers_mut().append(HOST, value);
            }
            require_own_host(&request, Some(&public)).is_ok()
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
            assert!(is_own("/", &[host]), "{host}");
            assert!(is_own(&format!("http://{host}/"), &[]), "{host}");
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
            assert!(!is_own("/", &[host]), "{host}");
        }
        // The target takes precedence over the header, and a repeated header is invalid.
        assert!(!is_own("http://evil.example/", &["localhost"]));
        assert!(!is_own("/", &["localhost", "localhost"]));
        assert!(is_own("/", &[]));
    }

    #[test]
    fn requested_url_is_read_from_target_or_host() {
        let url = |target: &str, hosts: &[&str], https| {
            let mut request = Request::new();
            *request.uri_mut() = target.parse().unwrap();
            for host in hosts {
                let value = HeaderValue::from_str(host).unwrap();
                request.headers_mut().append(HOST, value);
            }
            requested_url(&request, https).map(|url| url.to_string())
        };
        assert_eq!(url("/", &["svc:81"], false).as_deref(), Some("http://svc:81/"));
        assert_eq!(url("/", &["svc:81"], true).as_deref(), Some("https://svc:81/"));
        assert_eq!(
            url("/", &["[::1]:81"], false).as_deref(),
            Some("http://[::1]:81/")
        );
        assert_eq!(
            url("http://svc/x", &["evil"], false).as_deref(),
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
            assert_eq!(url("/", hosts, false), None, "{hosts:?}");
        }
    }
}
