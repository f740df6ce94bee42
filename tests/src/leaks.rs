//! The search for secrets in what a server writes and answers.

use std::fs;
use std::path::Path;

use data_encoding::{BASE64, HEXLOWER};

/// Bytes below which an encoded secret is found by chance.
const SHORTEST: usize = 8;

/// Secrets with their names, in the encodings in which they may leak.
#[derive(Debug, Default)]
pub struct Secrets(Vec<(String, Vec<String>)>);

impl Secrets {
    /// Adds a secret.
    ///
    /// # Panics
    /// If the secret is so short that other texts contain it.
    pub fn add(&mut self, name: &str, secret: &str) {
        assert!(secret.len() >= SHORTEST, "{name} is too short to be searched");
        let bytes = secret.as_bytes();
        let escaped: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
        let mut forms = vec![secret.to_owned(), escaped, HEXLOWER.encode(bytes)];
        // The debug form of bytes.
        forms.push(format!("{bytes:?}").trim_matches(['[', ']']).to_owned());
        // That of a slice of other bytes depends on the offset.
        for before in ["", "a", "ab"] {
            let text = BASE64.encode(format!("{before}{secret}").as_bytes());
            let inner = text[4..text.len() - 4].to_owned();
            forms.push(inner.replace('+', "-").replace('/', "_"));
            forms.push(inner);
        }
        forms.retain(|form| form.len() >= SHORTEST);
        self.0.push((name.to_owned(), forms));
    }

    /// The names of the secrets in a text.
    pub fn found(&self, text: &[u8]) -> Vec<&str> {
        let text = String::from_utf8_lossy(text);
        let found = self
            .0
            .iter()
            .filter(|(_, forms)| forms.iter().any(|form| text.contains(form)));
        found.map(|(name, _)| name.as_str()).collect()
    }

    /// # Panics
    /// If the text contains a secret.
    pub fn assert_none_in(&self, place: &str, text: &[u8]) {
        let found = self.found(text);
        assert!(found.is_empty(), "{place} contains: {found:?}");
    }

    /// Searches every file below a directory but the keys; returns their number.
    ///
    /// # Panics
    /// If a file contains a secret.
    pub fn assert_none_below(&self, directory: &Path) -> usize {
        let entries = fs::read_dir(directory).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let searched = paths
            .filter(|path| !path.ends_with("keys") && !path.ends_with("plugin-cache"))
            .map(|path| {
                if path.is_dir() {
                    return self.assert_none_below(&path);
                }
                // Files of the database come and go.
                if let Ok(text) = fs::read(&path) {
                    self.assert_none_in(&path.display().to_string(), &text);
                    return 1;
                }
                0
            });
        searched.sum()
    }
}
