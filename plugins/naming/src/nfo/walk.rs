//! Goes through the elements of a sidecar. Entities that the file declares are not expanded, and the depth is
//! limited.

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::Nfo;
use super::document::{Document, Kind};

/// Deeper elements are skipped; files of Kodi have five levels.
const MAX_DEPTH: usize = 32;

const MAX_DOCUMENTS: usize = 64;

/// An element without its end tag so far.
struct Open {
    name: String,
    text: String,
    id_type: Option<String>,
}

/// Adds the documents to the result and returns the text outside them.
pub(super) fn documents(text: &str, nfo: &mut Nfo) -> String {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    let mut walk = Walk::default();
    let broken = loop {
        match reader.read_event() {
            Ok(Event::Eof) => break None,
            Ok(event) => walk.event(&event),
            Err(error) => break Some((error, reader.error_position())),
        }
    };
    if let Some((error, position)) = broken {
        nfo.warnings.push(format!("broken at byte {position}: {error}"));
        let from = usize::try_from(position).unwrap_or(usize::MAX);
        walk.outside.push_str(text.get(from..).unwrap_or_default());
    } else if !walk.open.is_empty() {
        nfo.warnings.push("ends within an element".to_owned());
    }
    while !walk.open.is_empty() {
        walk.close();
    }
    nfo.documents = walk.done;
    walk.outside
}

#[derive(Default)]
struct Walk {
    open: Vec<Open>,
    /// Open elements below [`MAX_DEPTH`].
    too_deep: usize,
    /// The current document and the level of its root.
    current: Option<(Document, usize)>,
    /// Name and role of the current actor.
    actor: (String, String),
    done: Vec<Document>,
    outside: String,
}

impl Walk {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Start(start) => self.start(start),
            Event::Empty(start) => {
                self.start(start);
                self.end(start.local_name().as_ref());
            }
            Event::End(end) => self.end(end.local_name().as_ref()),
            Event::Text(text) => self.text(text),
            Event::CData(text) => self.text(text),
            Event::GeneralRef(reference) => {
                let name: &str = reference;
                match reference.resolve_char_ref() {
                    Ok(Some(character)) => self.text(character.encode_utf8(&mut [0; 4])),
                    _ => match resolve_predefined_entity(name) {
                        Some(text) => self.text(text),
                        None if name == "nbsp" => self.text(" "),
                        None => self.text(&format!("&{name};")),
                    },
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, start: &BytesStart) {
        if self.open.len() >= MAX_DEPTH {
            self.too_deep += 1;
            return;
        }
        let name = start.local_name().as_ref().to_ascii_lowercase();
        if self.current.is_none()
            && self.done.len() < MAX_DOCUMENTS
            && let Some(kind) = Kind::of(&name)
        {
            self.current = Some((Document::new(kind), self.open.len()));
        }
        let mut id_type = None;
        if name == "uniqueid" || name == "id" {
            for attribute in start.attributes().with_checks(false).flatten() {
                let key = attribute.key.as_ref().to_ascii_lowercase();
                let value = attribute.value.trim().to_owned();
                match (&mut self.current, name.as_str()) {
                    (_, "uniqueid") if key == "type" => id_type = Some(value),
                    (Some((document, _)), "id") if matches!(key.as_str(), "imdb" | "tmdb" | "tvdb") => {
                        document.id(&key, &value);
                    }
                    _ => {}
                }
            }
        }
        self.open.push(Open {
            name,
            text: String::new(),
            id_type,
        });
    }

    /// Closes the innermost element with this name and the elements within it, if there is one.
    fn end(&mut self, name: &str) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        let Some(index) = self
            .open
            .iter()
            .rposition(|open| open.name.eq_ignore_ascii_case(name))
        else {
            return;
        };
        while self.open.len() > index {
            self.close();
        }
    }

    fn close(&mut self) {
        let Some(closed) = self.open.pop() else { return };
        let Some((document, level)) = &mut self.current else {
            return;
        };
        let text = closed.text.trim();
        let parent = self.open.last().map_or("", |open| open.name.as_str());
        match self.open.len().checked_sub(*level) {
            Some(0) => self
                .done
                .extend(self.current.take().map(|(document, _)| document)),
            Some(1) if closed.name == "actor" => {
                let (name, character) = std::mem::take(&mut self.actor);
                // Older files have the name as the text of the element.
                document.actor(if name.is_empty() { text } else { &name }, &character);
            }
            Some(1) => document.child(&closed.name, closed.id_type.as_deref(), text),
            Some(2) => match (parent, closed.name.as_str()) {
                ("actor", "name") => text.clone_into(&mut self.actor.0),
                ("actor", "role") => text.clone_into(&mut self.actor.1),
                ("set", "name") => document.child("set", None, text),
                _ => {}
            },
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        match self.open.last_mut() {
            Some(open) if self.current.is_some() => open.text.push_str(text),
            _ => self.outside.push_str(text),
        }
    }
}
