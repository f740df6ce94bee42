//! The rules, by table: URLs, addresses, headers, methods, configuration.

use std::net::IpAddr;

use svc_covers::covers;
use url::Host;

use crate::egress::{OriginKind, Rules};
use crate::limits;
use crate::tests::*;

fn rules(urls: &[&str], private_hosts: &[&str]) -> Rules {
    let options = EgressOptions {
        urls: urls.iter().map(|url| Url::parse(url).unwrap()).collect(),
        private_hosts: private_hosts.iter().map(|&name| name.to_owned()).collect(),
        ..EgressOptions::default()
    };
    Rules::new(&options).unwrap()
}

fn cloud() -> Rules {
    rules(&["https://cloud.example/base"], &[])
}

/// Hosts that are this machine, this network or a metadata service, in every notation.
const LOCAL_HOSTS: [&str; 44] = [
    "localhost",
    "localhost.",
    "LOCALHOST",
    "a.localhost",
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0x7f.1",
    "0X7F.0X0.0X0.0X1",
    "017700000001",
    "0177.0.0.1",
    "0177.0x0.0.1",
    "00000177.1",
    "%31%32%37.0.0.1",
    "127。0。0。1",
    "①②⑦.0.0.1",
    "0",
    "0.0.0.0",
    "0x0",
    "10.0.0.1",
    "167772161",
    "172.16.0.1",
    "192.168.1.1",
    "3232235777",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "100.100.100.200",
    "metadata.google.internal",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:a9fe:a9fe]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[fd00:ec2::254]",
];

#[covers("T44")]
#[test]
fn no_notation_of_a_local_address_is_an_allowed_origin() {
    let rules = cloud();
    for host in LOCAL_HOSTS {
        for url in [
            format!("https://{host}/"),
            format!("http://{host}/"),
            format!("https://{host}:443/"),
            format!("http://{host}:80/latest/meta-data"),
            format!("https://{host}#.cloud.example"),
            format!("https://{host}?https://cloud.example/"),
        ] {
            let outcome = rules.target(&url);
            assert!(matches!(outcome, Err(HttpError::Denied(_))), "{url}: {outcome:?}");
        }
    }
}

#[covers("T44")]
#[test]
fn urls_that_only_look_allowed_are_denied() {
    let rules = cloud();
    for url in [
        "",
        "/",
        "cloud.example",
        "//cloud.example/",
        "http://cloud.example/",
        "HTTPS://cloud.example/",
        "https:/cloud.example/",
        "https:cloud.example/",
        "https:///cloud.example/",
        "https:///user@cloud.example/",
        "https://///user@cloud.example/",
        "https://",
        "ftp://cloud.example/",
        "file:///etc/passwd",
        "file://cloud.example/etc/passwd",
        "gopher://cloud.example/",
        "data:text/plain,a",
        "unix:/var/run/docker.sock",
        "https+unix://cloud.example/",
        "https://cloud.example:444/",
        "https://cloud.example:80/",
        "https://cloud.example:0/",
        "https://cloud.example:65536/",
        "https://cloud.example:-1/",
        "https://cloud.example:a/",
        "https://cloud.example./",
        "https://cloud.example.evil.example/",
        "https://evil-cloud.example/",
        "https://a.cloud.example/",
        "https://cloud.example.com/",
        "https://cloud-example/",
        "https://cloud.example@evil.example/",
        "https://cloud.example:443@evil.example/",
        "https://evil.example@cloud.example/",
        "https://user:password@cloud.example/",
        "https://user@cloud.example/",
        "https://@cloud.example/",
        "https://:@cloud.example/",
        "https://evil.example#@cloud.example/",
        "https://evil.example?@cloud.example/",
        "https://evil.example/@cloud.example/",
        "https://evil.example\\@cloud.example/",
        "https://cloud.example\\@evil.example/",
        "https:\\\\cloud.example\\",
        "https://cloud.example\\.evil.example/",
        "https://evil.example\t/",
        "https://cloud.example/\r\nHost: evil.example",
        "https://cloud.example/\n",
        "https://cloud.example/ HTTP/1.1",
        " https://cloud.example/",
        "https://cloud.example /",
        "https://cloud\t.example/",
        "https://clo\u{0}ud.example/",
        "https://cloud.example%00.evil.example/",
        "https://cloud.example%2f.evil.example/",
        "https://cloud.example%23.evil.example/",
        "https://cloud.example\u{ff0f}.evil.example/",
        "https://cloud\u{200b}.example.evil.example/",
        "https://cloud.ex\u{e4}mple/",
        "https://xn--cloud-.example/",
        "https://[cloud.example]/",
        "https://[::1/",
        "https://[fe80::1%25eth0]/",
        "https://256.256.256.256/",
        "https://0x100000000/",
        "https://1.2.3.4.5/",
    ] {
        let outcome = rules.target(url);
        assert!(matches!(outcome, Err(HttpError::Denied(_))), "{url}: {outcome:?}");
    }
    let long = format!("https://cloud.example/{}", "a".repeat(limits::URL));
    assert_eq!(rules.target(&long).unwrap_err(), HttpError::TooLarge);
}

#[test]
fn urls_of_configured_origins_are_allowed() {
    let rules = rules(
        &[
            "https://cloud.example/base",
            "https://keys.example:8443",
            "http://127.0.0.1:9000",
        ],
        &[],
    );
    for (url, origin) in [
        ("https://cloud.example", "https://cloud.example"),
        ("https://cloud.example:443/", "https://cloud.example"),
        ("https://CLOUD.example/other?a=b@c", "https://cloud.example"),
        ("https://cloud.example/user@host", "https://cloud.example"),
        ("https://%63loud.example/", "https://cloud.example"),
        (
            "https://keys.example:8443/keys#fragment",
            "https://keys.example:8443",
        ),
        ("http://127.0.0.1:9000/", "http://127.0.0.1:9000"),
        ("http://0x7f.1:9000/", "http://127.0.0.1:9000"),
    ] {
        let target = rules.target(url).unwrap();
        assert_eq!(
            (target.origin.as_str(), target.origin_kind),
            (origin, OriginKind::Configured),
            "{url}"
        );
        assert_eq!(target.url.fragment(), None);
    }
}

/// Refused for every host.
const NEVER: [&str; 56] = [
    "0.0.0.0",
    "0.1.2.3",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.255",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.254",
    "255.255.255.255",
    "::",
    "::2",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::169.254.169.254",
    "64:ff9b::224.0.0.1",
    "64:ff9b:1::1",
    "64:ff9b:1::8.8.8.8",
    "100::1",
    "100:0:0:1::1",
    "2001::1",
    "2001:0:7f00:1::",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002::1",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::1",
    "2002:808:808::1",
    "3ffe::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "ff02::1",
    "ff0e::1",
    "2600::5efe:127.0.0.1",
];

/// Refused unless the administrator named the host.
const PRIVATE: [&str; 22] = [
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.0.0.53",
    "127.255.255.255",
    "169.254.0.1",
    "169.254.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.255.255",
    "::1",
    "fc00::1",
    "fd12:3456:789a::1",
    "fdff::1",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "feff::1",
    "fe80::5054:ff:fe12:3456",
];

const PUBLIC: [&str; 14] = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.167.255.255",
    "198.17.255.255",
    "223.255.255.255",
    "2001:4860:4860::8888",
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "64:ff9b::8.8.8.8",
];

#[covers("T44")]
#[test]
fn addresses_that_are_not_public_are_refused_unless_the_host_was_named() {
    let rules = rules(
        &["https://cloud.example", "https://home.example"],
        &["Home.Example."],
    );
    let host = |name: &str| Host::Domain(name.to_owned());
    let parse = |text: &&str| text.parse::<IpAddr>().unwrap();
    for address in NEVER.iter().map(parse) {
        for name in ["cloud.example", "home.example", "localhost"] {
            assert!(
                rules.check_address(&host(name), address).is_err(),
                "{name} {address}"
            );
        }
        let literal = match address {
            IpAddr::V4(address) => Host::Ipv4(address),
            IpAddr::V6(address) => Host::Ipv6(address),
        };
        assert!(rules.check_address(&literal, address).is_err(), "{literal}");
    }
    for address in PRIVATE.iter().map(parse) {
        assert!(
            rules.check_address(&host("cloud.example"), address).is_err(),
            "{address}"
        );
        assert!(
            rules.check_address(&host("other.home.example"), address).is_err(),
            "{address}"
        );
        assert!(
            rules.check_address(&host("home.example"), address).is_ok(),
            "{address}"
        );
    }
    for address in PUBLIC.iter().map(parse) {
        assert!(
            rules.check_address(&host("cloud.example"), address).is_ok(),
            "{address}"
        );
        assert!(
            rules.check_address(&host("home.example"), address).is_ok(),
            "{address}"
        );
    }
}

#[test]
fn localhost_is_this_machine_only() {
    let rules = rules(&["http://localhost:9000"], &[]);
    let localhost = Host::Domain("localhost".to_owned());
    for (address, is_allowed) in [
        ("127.0.0.1", true),
        ("::1", true),
        ("10.0.0.1", false),
        ("8.8.8.8", false),
    ] {
        let outcome = rules.check_address(&localhost, address.parse().unwrap());
        assert_eq!(outcome.is_ok(), is_allowed, "{address}");
    }
}

#[test]
fn configured_url_is_https_or_loopback() {
    for (url, is_allowed) in [
        ("https://cloud.example", true),
        ("https://cloud.example:8443/path", true),
        ("https://192.168.1.2", true),
        ("http://127.0.0.1:9000", true),
        ("http://127.8.9.10", true),
        ("http://[::1]:9000", true),
        ("http://localhost:9000", true),
        ("http://cloud.localhost", true),
        ("http://cloud.example", false),
        ("http://192.168.1.2", false),
        ("http://localhost.example", false),
        ("https://user@cloud.example", false),
        ("https://:password@cloud.example", false),
        ("https://cloud.example:0", false),
        ("ftp://cloud.example", false),
        ("file:///etc", false),
        ("data:text/plain,a", false),
    ] {
        let outcome = Rules::new(&options(url));
        assert_eq!(outcome.is_ok(), is_allowed, "{url}: {outcome:?}");
    }
}

#[test]
fn origins_of_the_domain_of_the_issuer_may_be_discovered() {
    let issuer = |url: &str| {
        let issuer = Some(Url::parse(url).unwrap());
        Rules::new(&EgressOptions {
            issuer,
            ..EgressOptions::default()
        })
        .unwrap()
    };
    for (at, url, expected) in [
        (
            "https://login.example.co.uk/realm",
            "https://login.example.co.uk/keys",
            Some(OriginKind::Configured),
        ),
        (
            "https://login.example.co.uk",
            "https://keys.example.co.uk/",
            Some(OriginKind::Related),
        ),
        (
            "https://login.example.co.uk",
            "https://example.co.uk/",
            Some(OriginKind::Related),
        ),
        ("https://login.example.co.uk", "https://other.co.uk/", None),
        (
            "https://login.example.co.uk",
            "https://keys.example.co.uk:8443/",
            None,
        ),
        ("https://login.example.co.uk", "http://keys.example.co.uk/", None),
        (
            "https://login.example.co.uk",
            "https://keys.example.co.uk./",
            None,
        ),
        (
            "https://login.example.com:8443",
            "https://keys.example.com:8443/",
            Some(OriginKind::Related),
        ),
        (
            "https://login.example.com:8443",
            "https://keys.example.com/",
            Some(OriginKind::Related),
        ),
        // Everybody can have a name below a public suffix.
        ("https://me.github.io", "https://you.github.io/", None),
        ("https://login.lan", "https://keys.lan/", None),
        ("https://192.168.1.2", "https://192.168.1.3/", None),
        ("http://localhost:9000", "https://localhost:9000/", None),
        ("http://localhost:9000", "http://localhost:9001/", None),
    ] {
        let origin_kind = issuer(at).target(url).ok().map(|target| target.origin_kind);
        assert_eq!(origin_kind, expected, "{url} of {at}");
    }
}

#[test]
fn headers_of_host_and_connection_and_injections_are_refused() {
    let rules = cloud();
    let check = |name: &str, value: &str| {
        let mut request = get("https://cloud.example/");
        request.headers.push(header(name, value));
        rules.check(request).map(drop)
    };
    for name in [
        "Host",
        "hOST",
        "Cookie",
        "Cookie2",
        "Content-Length",
        "Transfer-Encoding",
        "Connection",
        "Keep-Alive",
        "TE",
        "Trailer",
        "Upgrade",
        "HTTP2-Settings",
        "Expect",
        "Accept-Encoding",
        "Forwarded",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "Proxy-Authorization",
        "Proxy-Connection",
        "proxy-anything",
        "",
        " ",
        "A B",
        " Host",
        "Host ",
        "Host:",
        "A:",
        ":authority",
        "A\r\nHost",
        "A\nB",
        "A\0",
        "\u{c4}",
        "A(b)",
    ] {
        assert!(matches!(check(name, "a"), Err(HttpError::Denied(_))), "{name:?}");
    }
    for value in [
        "a\r\nHost: evil.example",
        "a\nb",
        "a\rb",
        "a\0b",
        "\u{7f}",
        "\u{1b}[31m",
        "\u{e4}",
        "a\r\n\r\nGET / HTTP/1.1",
    ] {
        assert!(
            matches!(check("X-Any", value), Err(HttpError::Denied(_))),
            "{value:?}"
        );
    }
    for (name, value) in [
        ("Authorization", "Bearer a"),
        ("Content-Type", "text/plain"),
        ("User-Agent", "me"),
        ("X-Any", ""),
    ] {
        assert_eq!(check(name, value), Ok(()), "{name}");
    }
}

#[test]
fn sizes_and_methods_are_limited() {
    let rules = cloud();
    let with = |change: &dyn Fn(&mut HttpRequest)| {
        let mut request = get("https://cloud.example/");
        change(&mut request);
        rules.check(request).map(drop)
    };
    for method in [
        "",
        "get",
        "HEAD",
        "OPTIONS",
        "CONNECT",
        "TRACE",
        "PROPFIND",
        "GET / HTTP/1.1\r\n",
        "POST ",
    ] {
        let outcome = with(&|request| request.method = method.into());
        assert!(matches!(outcome, Err(HttpError::Denied(_))), "{method:?}");
    }
    for method in ["GET", "DELETE"] {
        let outcome = with(&|request| {
            request.method = method.into();
            request.body = Some(Vec::new());
        });
        assert!(matches!(outcome, Err(HttpError::Denied(_))), "{method}");
    }
    let post = |length| {
        with(&|request| {
            request.method = "POST".into();
            request.body = Some(vec![0; length]);
        })
    };
    assert_eq!(post(limits::REQUEST_BYTES), Ok(()));
    assert_eq!(post(limits::REQUEST_BYTES + 1), Err(HttpError::TooLarge));
    let headers = |count: usize, length: usize| {
        with(&|request| request.headers = vec![header("X-Any", &"a".repeat(length)); count])
    };
    assert_eq!(headers(limits::REQUEST_HEADERS, 10), Ok(()));
    assert_eq!(headers(limits::REQUEST_HEADERS + 1, 10), Err(HttpError::TooLarge));
    assert_eq!(headers(1, limits::REQUEST_HEADER_BYTES), Err(HttpError::TooLarge));
}
