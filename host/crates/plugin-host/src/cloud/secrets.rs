//! The secrets of a call, which do not leave it in log lines.
//!
//! The log redacts what looks like a secret, but the token of a cloud may look like any other text: the host knows those
//! that it hands to the plugin. What the plugin disguises, by an encoding of its own, is beyond that.

/// Texts that are removed from lines of the log.
#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<String>);

/// Characters below which a text is no secret: a token of three characters would make other texts unreadable.
const SHORTEST: usize = 4;
/// Stands for a secret.
const REMOVED: &str = "…";

impl Secrets {
    /// Adds a secret.
    pub(super) fn add(&mut self, secret: &str) {
        if secret.chars().count() >= SHORTEST {
            self.0.push(secret.to_owned());
            // One that contains another is removed first.
            self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
    }

    /// The text without the secrets, in any spelling of their letters: names of hosts are written in small ones.
    pub(super) fn removed_from(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, secret| without(&text, secret))
    }
}

fn without(text: &str, secret: &str) -> String {
    // ASCII letters in another case are as long, so positions are the same.
    let (lower, secret) = (text.to_ascii_lowercase(), secret.to_ascii_lowercase());
    let (mut kept, mut end) = (String::with_capacity(text.len()), 0);
    for (start, found) in lower.match_indices(&secret) {
        kept.push_str(text.get(end..start).unwrap_or_default());
        kept.push_str(REMOVED);
        end = start + found.len();
    }
    kept.push_str(text.get(end..).unwrap_or_default());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_removed_the_longest_first() {
        let mut secrets = Secrets::default();
        for secret in ["abcd", "abcdefgh", "abc", ""] {
            secrets.add(secret);
        }
        assert_eq!(
            secrets.removed_from("abc abcd abcdefgh, x=abcdefghi"),
            "abc … …, x=…i"
        );
        assert_eq!(secrets.removed_from("ABCD ä ABC aBcDeFgHä"), "… ä ABC …ä");
    }
}
