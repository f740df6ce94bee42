//! NFO sidecars: XML as Kodi writes it, a page's address, or both.
//!
//! [`encoding`] makes text of the bytes, [`walk`] goes over the elements, [`document`] keeps what they say, and
//! [`links`] finds the ids in addresses. Nothing here fails: what cannot be read is a warning.

mod document;
mod encoding;
mod links;
mod walk;

pub use document::{Document, Kind, Person, Role};

/// The most bytes of a sidecar that are read. Kodi's largest, with every actor of a long show, have 200 KiB.
pub const MAX_BYTES: usize = 1024 * 1024;

/// What a sidecar says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Nfo {
    /// One for each root element: a file may hold several episodes.
    pub documents: Vec<Document>,
    /// Ids in addresses outside of the elements, such as `imdb:tt0113277`.
    pub linked_ids: Vec<String>,
    /// What could not be read, for a person.
    pub warnings: Vec<String>,
}

impl Nfo {
    /// Reads a sidecar, [`MAX_BYTES`] of it at most.
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
            nfo.warnings
                .push("neither elements nor an address that is known".to_owned());
        }
        nfo
    }

    /// The first document of this kind.
    pub fn first(&self, kind: Kind) -> Option<&Document> {
        self.documents.iter().find(|document| document.kind == kind)
    }

    /// All documents of this kind.
    pub fn all(&self, kind: Kind) -> impl Iterator<Item = &Document> {
        self.documents
            .iter()
            .filter(move |document| document.kind == kind)
    }
}

#[cfg(test)]
mod tests;
