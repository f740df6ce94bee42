//! What left the server, and the search for secrets in it.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::support::Reply;

/// The log lines that the server wrote.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// The lines since the last call.
    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Bytes below which an encoded secret is found by chance.
const SHORTEST: usize = 8;

/// A secret with its name.
pub(crate) type Secret = (&'static str, String);

/// Finds secrets in all their encodings in one pass.
pub(crate) struct Search {
    /// Encoded secrets with their names, by their first two bytes.
    needles: Vec<Vec<(&'static str, String)>>,
}

impl Search {
    pub(crate) fn new(secrets: &[Secret]) -> Self {
        let mut needles = vec![Vec::new(); 1 << 16];
        for (name, secret) in secrets {
            for form in forms(secret) {
                let &[first, second, ..] = form.as_bytes() else {
                    panic!("the {name} is too short");
                };
                needles[usize::from(first) << 8 | usize::from(second)].push((*name, form));
            }
        }
        Self { needles }
    }

    /// The names of all secrets in a text, each with the text before it.
    pub(crate) fn found(&self, text: &[u8]) -> Vec<(&'static str, String)> {
        let mut found: Vec<(&'static str, String)> = Vec::new();
        let mut pair = 0;
        for (at, byte) in text.iter().enumerate() {
            pair = (pair << 8 | usize::from(*byte)) & 0xffff;
            for (name, needle) in &self.needles[pair] {
                let start = at.saturating_sub(1);
                if text[start..].starts_with(needle.as_bytes())
                    && found.iter().all(|(known, _)| known != name)
                {
                    let before = &text[start.saturating_sub(300)..start + needle.len()];
                    found.push((name, String::from_utf8_lossy(before).into_owned()));
                }
            }
        }
        found
    }

    pub(crate) fn assert_none(&self, text: &[u8], place: &str) {
        let found = self.found(text);
        assert!(found.is_empty(), "in {place}: {found:#?}");
    }

    /// Searches every file below a directory but the keys; returns their number.
    pub(crate) fn assert_none_below(&self, directory: &Path) -> usize {
        let entries = std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        entries
            .filter(|path| !path.ends_with("keys"))
            .map(|path| {
                if path.is_dir() {
                    return self.assert_none_below(&path);
                }
                self.assert_none(&std::fs::read(&path).unwrap(), &path.display().to_string());
                1
            })
            .sum()
    }
}

/// All responses in sequence.
#[derive(Default)]
pub(crate) struct Answers {
    text: Vec<u8>,
    /// The offset of each response, and its request.
    starts: Vec<(usize, String)>,
}

impl Answers {
    pub(crate) fn add(&mut self, reply: &Reply, request: String) {
        self.starts.push((self.text.len(), request));
        for (name, value) in &reply.headers {
            self.text.extend_from_slice(name.as_str().as_bytes());
            self.text.push(b' ');
            self.text.extend_from_slice(value.as_bytes());
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(&reply.body);
        self.text.push(b'\n');
    }

    pub(crate) fn add_bytes(&mut self, answer: &[u8], request: String) {
        self.starts.push((self.text.len(), request));
        self.text.extend_from_slice(answer);
        self.text.push(b'\n');
    }

    pub(crate) fn assert_no_secret(&self, search: &Search) {
        if search.found(&self.text).is_empty() {
            return;
        }
        // Only a leak is worth the time of a search per response.
        let ends = self.starts.iter().skip(1).map(|(start, _)| *start);
        let answers = self.starts.iter().zip(ends.chain([self.text.len()]));
        let leaks: Vec<_> = answers
            .map(|((start, request), end)| (request, search.found(&self.text[*start..end])))
            .filter(|(_, found)| !found.is_empty())
            .collect();
        panic!("{} answers hold secrets: {leaks:#?}", leaks.len());
    }
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    data_encoding::BASE64.encode(bytes)
}

/// Every byte as `%xx`.
pub(crate) fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

pub(crate) fn form(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The encodings in which a secret may leak.
pub(crate) fn forms(secret: &str) -> Vec<String> {
    // The random part of a token, without prefix and claims.
    let plain = secret.trim_start_matches("svc_pat_").rsplit('.').next().unwrap();
    let mut forms = vec![
        plain.to_owned(),
        escaped(plain),
        escaped(plain).to_uppercase(),
        form(plain),
        form(plain).replace('+', "%20"),
        data_encoding::HEXLOWER.encode(plain.as_bytes()),
        // The debug form of bytes.
        format!("{:?}", plain.as_bytes())
            .trim_matches(['[', ']'])
            .to_owned(),
    ];
    // The base64 form depends on the offset.
    for before in ["", "a", "ab"] {
        let text = base64(format!("{before}{plain}").as_bytes());
        let inner = text[4..text.len() - 4].to_owned();
        forms.push(inner.replace('+', "-").replace('/', "_"));
        forms.push(inner);
    }
    forms.retain(|form| form.len() >= SHORTEST);
    forms
}
