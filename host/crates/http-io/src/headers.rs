//! Reading of request headers.

use salvo::http::HeaderMap;
use salvo::http::header::HeaderName;

/// The value of a header that occurs exactly once. `None` if the header is absent, occurs more than once or holds
/// characters other than visible ASCII.
pub fn single_value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use salvo::http::HeaderValue;

    use super::*;

    #[test]
    fn header_that_is_repeated_or_not_ascii_has_no_single_value() {
        let name = HeaderName::from_static("svc-app");
        for (lines, expected) in [
            (&[][..], None),
            (&["music"][..], Some("music")),
            (&[""][..], Some("")),
            (&["music", "music"][..], None),
            (&["é"][..], None),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(&name, HeaderValue::from_bytes(line.as_bytes()).unwrap());
            }
            assert_eq!(single_value(&headers, &name), expected, "{lines:?}");
        }
    }
}
