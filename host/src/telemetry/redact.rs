//! Redacts secrets in log lines and escapes control characters.
//!
//! The server's own lines contain no secrets. Those of libraries may contain URLs and headers at the levels debug and
//! trace.

use std::io::{self, Write};

use svc_identity::item_link::ITEM_LINK_PREFIX;
use svc_identity::secret_token::{DEVICE_CODE_PREFIX, PERSONAL_ACCESS_TOKEN_PREFIX};
use tracing::Metadata;
use tracing_subscriber::fmt::MakeWriter;

/// Query parameters whose values are secrets.
const PARAMETERS: [&str; 12] = [
    "token",
    "authorization",
    "access_token",
    "api_key",
    "apikey",
    "password",
    "code",
    "state",
    "nonce",
    "link",
    "invitation",
    "logout_token",
];
/// Headers whose values are secrets. `authorization` and `cookie` also match names that end with them.
const HEADERS: [&str; 3] = ["authorization", "cookie", "svc-cloud-token"];
/// Cookies whose values are secrets, by the start of their names.
const COOKIES: [&str; 2] = ["svc_refresh_token_", "svc_sign_in_"];
/// Prefixes of the server's own tokens. The refresh token is recognized by the name of its cookie.
const TOKEN_PREFIXES: [&str; 3] = [PERSONAL_ACCESS_TOKEN_PREFIX, ITEM_LINK_PREFIX, DEVICE_CODE_PREFIX];
/// Paths that end with a code, and the names in its place that are no codes.
const PATHS: [(&str, &[&str]); 2] = [
    ("/auth/device/", &["approve", "deny", "token"]),
    ("/invitations/claim/", &[]),
];
/// Replacement of a secret.
const REDACTED: char = '…';
/// Minimum length of a token after its prefix.
const TOKEN_LENGTH: usize = 8;
/// Maximum length of a parameter's name in bytes.
const NAME_LENGTH: usize = 64;

/// A writer that redacts secrets in lines.
#[derive(Debug)]
pub(super) struct Redacted<W> {
    inner: W,
    colours: bool,
}

impl<W> Redacted<W> {
    /// Wraps `inner`. With `colours`, the formatter's escape sequences for colours pass.
    pub(super) fn new(inner: W, colours: bool) -> Self {
        Self { inner, colours }
    }
}

impl<'a, W: MakeWriter<'a>> MakeWriter<'a> for Redacted<W> {
    type Writer = Redacted<W::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        Redacted::new(self.inner.make_writer(), self.colours)
    }

    fn make_writer_for(&'a self, meta: &Metadata<'_>) -> Self::Writer {
        Redacted::new(self.inner.make_writer_for(meta), self.colours)
    }
}

impl<W: Write> Write for Redacted<W> {
    /// Writes the whole line; the formatter passes each line in one call.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = redacted(&String::from_utf8_lossy(line), self.colours);
        self.inner.write_all(text.as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Redacts and escapes a line.
fn redacted(line: &str, colours: bool) -> String {
    let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
    let mut shown = String::with_capacity(line.len());
    let mut before = None;
    let mut rest = body;
    while let Some(first) = rest.chars().next() {
        if let Some(secret) = secret_at(rest, before) {
            shown.push_str(secret.kept);
            shown.push(REDACTED);
            before = Some(REDACTED);
            rest = secret.rest;
            continue;
        }
        let colour = if colours { colour_at(rest) } else { 0 };
        let (piece, left) = rest
            .split_at_checked(colour.max(first.len_utf8()))
            .unwrap_or((rest, ""));
        if colour == 0 && must_be_escaped(first) {
            // In the form of JSON, so that a JSON line stays valid.
            let mut units = [0; 2];
            for unit in first.encode_utf16(&mut units) {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            shown.push_str(piece);
        }
        before = Some(first);
        rest = left;
    }
    shown + end
}

/// Length in bytes of the colour escape sequence at the start of `text`; 0 if there is none.
fn colour_at(text: &str) -> usize {
    let Some(codes) = text.strip_prefix("\u{1b}[") else {
        return 0;
    };
    let length = codes
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b';')
        .count();
    let ends = codes.get(length..).is_some_and(|end| end.starts_with('m'));
    if ends { length + 3 } else { 0 }
}

/// Whether a terminal interprets the character or it changes the direction of text.
fn must_be_escaped(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A secret at the start of a text.
struct Secret<'a> {
    /// The part before the secret, which is not redacted.
    kept: &'a str,
    /// The text after the secret.
    rest: &'a str,
}

fn secret_at(text: &str, before: Option<char>) -> Option<Secret<'_>> {
    match text.as_bytes().first()? {
        b'?' | b'&' | b';' => parameter(text),
        b'/' => path(text),
        b's' if text.starts_with("svc_") => token(text).or_else(|| cookie(text)),
        b'e' if text.starts_with("eyJ") => access_token(text),
        byte if byte.is_ascii_alphabetic() && !before.is_some_and(char::is_alphanumeric) => header(text),
        _ => None,
    }
}

fn split(text: &str, at: usize) -> Option<Secret<'_>> {
    let (kept, rest) = text.split_at_checked(at)?;
    Some(Secret { kept, rest })
}

/// A path with the code that it ends with, but not the template of the route.
fn path(text: &str) -> Option<Secret<'_>> {
    let (path, names) = PATHS.into_iter().find(|(path, _)| text.starts_with(*path))?;
    let rest = text.strip_prefix(path)?;
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '?' | '#' | '"' | '\\'));
    let (code, rest) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
    let is_code = !code.is_empty() && !code.starts_with('{') && !names.contains(&code);
    is_code.then_some(Secret { kept: path, rest })
}

/// `svc_pat_`, `svc_link_` or `svc_device_` with the characters of a token.
fn token(text: &str) -> Option<Secret<'_>> {
    let prefix = TOKEN_PREFIXES.iter().find(|prefix| text.starts_with(**prefix))?;
    let Secret { kept, rest } = split(text, prefix.len())?;
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let length = rest.bytes().take_while(is_token).count();
    let rest = rest.get(length..)?;
    (length >= TOKEN_LENGTH).then_some(Secret { kept, rest })
}

/// `svc_refresh_token_…=` or `svc_sign_in_…=` with its value.
fn cookie(text: &str) -> Option<Secret<'_>> {
    let name = COOKIES.into_iter().find_map(|cookie| text.strip_prefix(cookie))?;
    let id = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    name.get(id..)?.strip_prefix('=')?;
    let Secret { kept, rest } = split(text, text.len() - name.len() + id + 1)?;
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ';' | '"' | '\\' | ','));
    Some(Secret {
        kept,
        rest: rest.get(end.unwrap_or(rest.len())..)?,
    })
}

/// `eyJ….….…`: a JWT of this or another server.
fn access_token(text: &str) -> Option<Secret<'_>> {
    let part = |text: &'_ str| {
        text.bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
            .count()
    };
    let dot = |text: &str| match text.get(..3) {
        _ if text.starts_with('.') => Some(1),
        Some(encoded) if encoded.eq_ignore_ascii_case("%2e") => Some(3),
        _ => None,
    };
    let mut at = part(text);
    at += dot(text.get(at..)?)?;
    let payload = part(text.get(at..)?);
    at += payload;
    at += dot(text.get(at..)?)?;
    at += part(text.get(at..)?);
    (payload > 0).then_some(Secret {
        kept: text.get(..3)?,
        rest: text.get(at..)?,
    })
}

/// `?name=` or `&name=` with its value; the name in any case and with percent-encoding.
fn parameter(text: &str) -> Option<Secret<'_>> {
    let name = text.get(1..)?;
    let length = name.bytes().take(NAME_LENGTH).position(|byte| byte == b'=')?;
    let name = name.get(..length)?;
    let (plain, _) = url::form_urlencoded::parse(name.as_bytes()).next()?;
    if !PARAMETERS.iter().any(|secret| plain.eq_ignore_ascii_case(secret)) {
        return None;
    }
    let Secret { kept, rest } = split(text, length + 2)?;
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '&' | '#' | '"' | '\\'));
    Some(Secret {
        kept,
        rest: rest.get(end.unwrap_or(rest.len())..)?,
    })
}

/// A header with its name, as a map of headers is formatted, with or without quotes.
fn header(text: &str) -> Option<Secret<'_>> {
    let name = HEADERS.iter().find(|name| {
        text.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    })?;
    let after = text.get(name.len()..)?;
    let between = after
        .bytes()
        .take_while(|byte| matches!(byte, b'"' | b'\\' | b':' | b'=' | b' '))
        .count();
    let mark = after.get(..between)?;
    if !mark.contains([':', '=']) {
        return None;
    }
    let Secret { kept, rest } = split(text, name.len() + between)?;
    // Without quotes the end is unknown: the rest of the line is redacted.
    let end = mark.contains('"').then(|| rest.find(['"', '\\'])).flatten();
    Some(Secret {
        kept,
        rest: rest.get(end.unwrap_or(rest.len())..)?,
    })
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
