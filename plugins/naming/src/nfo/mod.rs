//! NFO sidecars: XML as Kodi writes it, a URL, or both.
//!
//! [`encoding`] decodes the bytes, [`walk`] goes through the elements, [`document`] stores their values, and
//! [`links`] finds ids in URLs. Nothing here fails: unreadable parts become warnings.

mod document;
mod encoding;
mod links;
mod walk;

pub use document::{Document, Kind, Person, Role};

/// The most bytes of a sidecar that are read. The largest of Kodi, with all actors of a long show, have 200 KiB.
pub const MAX_BYTES: usize = 1024 * 1024;

/// A parsed sidecar.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Nfo {
    /// One for each root element; a file may describe several episodes.
    pub documents: Vec<Document>,
    /// Ids in URLs outside the elements, such as `imdb:tt0113277`.
    pub linked_ids: Vec<String>,
    /// The defects of the file.
    pub warnings: Vec<String>,
}

impl Nfo {
    /// Parses at most [`MAX_BYTES`] of a sidecar.
    ///
    /// ```
    /// let nfo = naming::nfo::Nfo::read(b"<movie><title>Heat</title></movie>https://www.imdb.com/title/tt0113277/");
    /// assert_eq!(nfo.documents[0].title.as_deref(), Some("Heat"));
    /// assert_eq!(nfo.linked_ids, ["imdb:tt0113277"]);
    /// ```
    pub fn read(bytes: &[u8]) -> Self {
        let mut nfo = Self::default();
        let within = bytes.get(..MAX_BYTES).unwrap_or(bytes);
        if within.len() < bytes.len() {
            nfo.warnings
                .push(format!("of {} bytes the first {MAX_BYTES} are read", bytes.len()));
        }
        let (text, oddity) = encoding::decode(within);
        nfo.warnings.extend(oddity.map(str::to_owned));
        let outside = if text.contains('<') {
            walk::documents(&text, &mut nfo)
        } else {
            text
        };
        nfo.linked_ids = links::ids(&outside);
        if nfo.documents.is_empty() && nfo.linked_ids.is_empty() {
            nfo.warnings.push("neither elements nor a known URL".to_owned());
        }
        nfo
    }

    pub fn first(&self, kind: Kind) -> Option<&Document> {
        self.documents.iter().find(|document| document.kind == kind)
    }

    pub fn all(&self, kind: Kind) -> impl Iterator<Item = &Document> {
        self.documents
            .iter()
            .filter(move |document| document.kind == kind)
    }
}

#[cfg(test)]
mod tests;
