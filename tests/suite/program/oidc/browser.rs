//! A browser that keeps cookies, follows no redirect by itself, and fills the provider's login forms.

use serde_json::Value;
use ureq::http::Request;

/// A response.
pub(super) struct Page {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Page {
    /// The target of a redirect.
    pub(super) fn location(&self) -> &str {
        self.header("location")
            .unwrap_or_else(|| panic!("{} {}", self.status, self.body))
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(known, _)| known == name);
        header.map(|(_, value)| value.as_str())
    }

    /// The `Set-Cookie` headers whose cookie has this prefix.
    pub(super) fn cookies(&self, prefix: &str) -> Vec<&str> {
        let cookies = self.headers.iter().filter(|(name, _)| name == "set-cookie");
        let cookies = cookies.map(|(_, value)| value.as_str());
        cookies.filter(|value| value.starts_with(prefix)).collect()
    }

    /// The text between two others.
    fn between(&self, start: &str, end: &str) -> Option<&str> {
        let (_, rest) = self.body.split_once(start)?;
        rest.split_once(end).map(|(found, _)| found)
    }
}

/// The body of a request, with its media type.
type Content = (&'static str, String);

/// Cookies are shared by the ports of a host, as in real browsers.
pub(super) struct Browser {
    agent: ureq::Agent,
    cookies: Vec<(String, String, String)>,
}

impl Browser {
    pub(super) fn new() -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // The provider closes connections that nothing is sent on.
            .max_idle_connections(0)
            .max_redirects(0);
        Self {
            agent: config.max_redirects_will_error(false).build().into(),
            cookies: Vec::new(),
        }
    }

    pub(super) fn get(&mut self, url: &str) -> Page {
        self.send("GET", url, None, None)
    }

    pub(super) fn post(&mut self, url: &str, form: &[(&str, &str)]) -> Page {
        let pairs = form
            .iter()
            .map(|(name, value)| format!("{name}={}", encoded(value)));
        let form = pairs.collect::<Vec<_>>().join("&");
        self.send(
            "POST",
            url,
            None,
            Some(("application/x-www-form-urlencoded", form)),
        )
    }

    /// Sends JSON as a page of the server does, with one more header.
    pub(super) fn post_json(&mut self, url: &str, header: (&str, &str), body: &Value) -> Page {
        let content = ("application/json", body.to_string());
        self.send("POST", url, Some(header), Some(content))
    }

    fn send(
        &mut self,
        method: &str,
        url: &str,
        header: Option<(&str, &str)>,
        content: Option<Content>,
    ) -> Page {
        let path = path_of(url).to_owned();
        let sent = self
            .cookies
            .iter()
            .filter(|(_, _, scope)| path.starts_with(scope.as_str()));
        let sent: Vec<String> = sent.map(|(name, value, _)| format!("{name}={value}")).collect();
        let mut request = Request::builder().method(method).uri(url);
        if !sent.is_empty() {
            request = request.header("cookie", sent.join("; "));
        }
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        let response = match content {
            Some((media_type, content)) => {
                let request = request.header("content-type", media_type);
                self.agent.run(request.body(content).unwrap())
            }
            None => self.agent.run(request.body(()).unwrap()),
        };
        let mut response = response.unwrap_or_else(|error| panic!("{method} {url}: {error}"));
        let headers = response.headers().iter();
        let headers: Vec<_> = headers
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        let page = Page {
            status: response.status().as_u16(),
            headers,
            body: response.body_mut().read_to_string().unwrap(),
        };
        for cookie in page.cookies("") {
            self.keep(cookie);
        }
        page
    }

    fn keep(&mut self, cookie: &str) {
        let mut parts = cookie.split(';').map(str::trim);
        let (name, value) = parts.next().and_then(|pair| pair.split_once('=')).unwrap();
        let (mut scope, mut is_gone) = ("/".to_owned(), value.is_empty());
        for part in parts {
            match part.split_once('=') {
                Some((name, path)) if name.eq_ignore_ascii_case("path") => scope = path.to_owned(),
                Some((name, "0")) if name.eq_ignore_ascii_case("max-age") => is_gone = true,
                _ => {}
            }
        }
        self.cookies
            .retain(|(known, _, path)| (known.as_str(), path.as_str()) != (name, &scope));
        if !is_gone {
            self.cookies.push((name.to_owned(), value.to_owned(), scope));
        }
    }

    /// The value of the first cookie whose name begins so.
    pub(super) fn cookie(&self, prefix: &str) -> Option<String> {
        let found = self.cookies.iter().find(|(name, ..)| name.starts_with(prefix));
        found.map(|(name, value, _)| format!("{name}={value}"))
    }

    /// Sets a cookie of the server's sign-ins, as someone does who has copied it.
    pub(super) fn put_back(&mut self, cookie: &str) {
        self.keep(&format!("{cookie}; Path=/api/v1/auth/oidc"));
    }

    /// Signs in at the provider, from the address that a start redirects to, and returns the address of the callback.
    pub(super) fn through_provider(&mut self, start: &str, user: &str, callback: &str) -> String {
        let mut page = self.get(start);
        let mut base = start.to_owned();
        for _ in 0..12 {
            if (300..400).contains(&page.status) {
                let next = absolute(&base, page.location());
                if next.starts_with(callback) {
                    return next;
                }
                page = self.get(&next);
                base = next;
                continue;
            }
            let action = page.between("action=\"", "\"");
            let action = absolute(&base, action.unwrap_or_else(|| panic!("no form: {}", page.body)));
            let form: &[(&str, &str)] = if page.body.contains("value=\"login\"") {
                &[("prompt", "login"), ("login", user), ("password", "any")]
            } else {
                &[("prompt", "consent")]
            };
            page = self.post(&action, form);
            base = action;
        }
        panic!("the provider did not redirect to {callback}");
    }

    /// Ends the session at the provider, which reports that to its clients.
    pub(super) fn sign_out_at_provider(&mut self, issuer: &str) {
        let page = self.get(&format!("{issuer}/session/end?client_id=svc"));
        let xsrf = page
            .between("name=\"xsrf\" value=\"", "\"")
            .unwrap_or_else(|| panic!("{}", page.body));
        let form = [("xsrf", xsrf), ("logout", "yes")];
        let ended = self.post(&format!("{issuer}/session/end/confirm"), &form);
        assert!(
            (300..400).contains(&ended.status),
            "{} {}",
            ended.status,
            ended.body
        );
    }
}

/// The path of an address, without query.
fn path_of(url: &str) -> &str {
    let (_, rest) = url.split_once("://").unwrap();
    let path = rest.find('/').map_or("/", |at| &rest[at..]);
    path.split(['?', '#']).next().unwrap()
}

/// An address that may be a path on the server of another.
pub(super) fn absolute(base: &str, target: &str) -> String {
    if target.contains("://") {
        return target.replace("&amp;", "&");
    }
    let authority = base.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    format!("{authority}{target}")
}

fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
}
