//! Where a browser goes after a sign-in: a path of this server.

/// In bytes.
const MAX_LENGTH: usize = 2048;

/// A path on this server, with query and fragment. It is never resolved or normalised before a browser does: `/..//host`
/// would become the address of another host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectPath(String);

impl Default for RedirectPath {
    fn default() -> Self {
        Self("/".to_owned())
    }
}

impl RedirectPath {
    /// Parses a path: it begins with one `/`, and has no `//`, no backslash, and visible ASCII characters only.
    pub fn parse(text: &str) -> Option<Self> {
        let is_path = text.starts_with('/') && !text.contains("//") && !text.contains('\\');
        let is_plain = text.len() <= MAX_LENGTH && text.bytes().all(|byte| byte.is_ascii_graphic());
        (is_path && is_plain).then(|| Self(text.to_owned()))
    }

    /// The path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path with a code in the parameter `error` of its query.
    #[must_use]
    pub fn with_error(&self, code: &str) -> String {
        let (path, fragment) = match self.0.split_once('#') {
            Some((path, fragment)) => (path, Some(fragment)),
            None => (self.0.as_str(), None),
        };
        let separator = if path.contains('?') { '&' } else { '?' };
        let fragment = fragment.map_or_else(String::new, |fragment| format!("#{fragment}"));
        format!("{path}{separator}error={code}{fragment}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_server_are_accepted() {
        for good in [
            "/",
            "/app/",
            "/app?tab=1#top",
            "/%2F/evil.example",
            "/..",
            "/a:b@c",
        ] {
            assert!(RedirectPath::parse(good).is_some(), "{good:?}");
        }
        let long = format!("/{}", "x".repeat(MAX_LENGTH));
        for bad in [
            "",
            "app",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/..//evil.example",
            "/.//evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            " //evil.example",
            "/é",
            "/a b",
            "/\u{2028}",
            "/\u{0}",
            "?next=/",
            "@evil.example",
            &long,
        ] {
            assert!(RedirectPath::parse(bad).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn code_is_added_to_the_query() {
        for (path, expected) in [
            ("/", "/?error=x"),
            ("/app?a=1", "/app?a=1&error=x"),
            ("/app#/home?b=2", "/app?error=x#/home?b=2"),
            ("/app?a#b#c", "/app?a&error=x#b#c"),
        ] {
            assert_eq!(RedirectPath::parse(path).unwrap().with_error("x"), expected);
        }
    }
}
