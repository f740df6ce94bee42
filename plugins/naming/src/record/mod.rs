//! The part of a record that the movies and TV plugins share: fields with their sources, NFO data, people, ids, sidecar
//! files, and the rule for which container titles are real titles.

mod container_title;

use serde::Serialize;
use svc_plugin_api::{Extraction, ExtractionBuilder, PartialDate, Source, clean_text};

use crate::nfo::{MAX_BYTES, Nfo, Person};
use crate::sidecars::{self, Video};
pub use container_title::container_title;

/// The source of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Nfo,
    Name,
    Folder,
    /// The tags of the file itself.
    Container,
}

impl Origin {
    fn word(self) -> &'static str {
        match self {
            Self::Nfo => "nfo",
            Self::Name => "name",
            Self::Folder => "folder",
            Self::Container => "container",
        }
    }

    /// The source of a value that is from a folder's name or else from the file's.
    pub fn of_name(from_folder: bool) -> Self {
        if from_folder { Self::Folder } else { Self::Name }
    }
}

/// An extraction that records the source of each field. The first value of a key is kept, so write the better source
/// first.
#[derive(Debug, Default)]
pub struct Record {
    extraction: ExtractionBuilder,
    sources: Vec<String>,
    has_title: bool,
}

impl Record {
    pub fn new() -> Self {
        Self::default()
    }

    /// The extraction, for fields without a recorded source.
    pub fn extraction(&mut self) -> &mut ExtractionBuilder {
        &mut self.extraction
    }

    pub fn title(&mut self, origin: Origin, title: Option<&str>) -> &mut Self {
        if !self.has_title
            && let Some(title) = title.and_then(clean_text)
        {
            self.extraction.title(&title);
            self.has_title = true;
            self.sources.push(format!("title={}", origin.word()));
        }
        self
    }

    pub fn text(&mut self, key: &str, origin: Origin, text: Option<&str>) -> &mut Self {
        self.noted(key, origin, |extraction| {
            extraction.text(key, text.unwrap_or_default());
        })
    }

    pub fn texts<T: AsRef<str>>(&mut self, key: &str, origin: Origin, texts: &[T]) -> &mut Self {
        self.noted(key, origin, |extraction| {
            extraction.texts(key, texts);
        })
    }

    pub fn integer<N: Into<i64>>(&mut self, key: &str, origin: Origin, number: Option<N>) -> &mut Self {
        self.noted(key, origin, |extraction| {
            if let Some(number) = number {
                extraction.integer(key, number.into());
            }
        })
    }

    pub fn date(&mut self, key: &str, origin: Origin, date: Option<PartialDate>) -> &mut Self {
        self.noted(key, origin, |extraction| {
            if let Some(date) = date {
                extraction.date(key, date);
            }
        })
    }

    /// The people of a sidecar, each as JSON.
    pub fn people(&mut self, key: &str, people: &[Person]) -> &mut Self {
        let people: Vec<String> = people.iter().filter_map(person_json).collect();
        self.texts(key, Origin::Nfo, &people)
    }

    /// Ids from several sources, best first: one for each database.
    pub fn external_ids(&mut self, key: &str, places: &[(Origin, &[String])]) -> &mut Self {
        let mut ids: Vec<&str> = Vec::new();
        for id in places.iter().flat_map(|(_, ids)| *ids) {
            let provider = |id: &str| id.split(':').next().unwrap_or_default().to_owned();
            if !ids.iter().any(|known| provider(known) == provider(id)) {
                ids.push(id);
            }
        }
        let origin = places
            .iter()
            .find(|(_, ids)| !ids.is_empty())
            .map(|(origin, _)| *origin);
        self.texts(key, origin.unwrap_or(Origin::Name), &ids)
    }

    /// How the name was parsed. Without a pattern the title is only the cleaned name.
    pub fn name(&mut self, pattern: &str, matched: &str, confidence: f64) -> &mut Self {
        self.extraction
            .text("name.pattern", pattern)
            .text("name.matched", matched)
            .real("name.confidence", confidence);
        self
    }

    /// Reads a sidecar; its defects become warnings. A guessed sidecar may be any text, so its defects are ignored.
    pub fn read_nfo(&mut self, source: &mut Source, name: Option<&str>, is_guess: bool) -> Nfo {
        let Some(name) = name else { return Nfo::default() };
        // One byte more than the limit, to detect longer files.
        match source.read_related(name, MAX_BYTES + 1) {
            Ok(bytes) => {
                let nfo = Nfo::read(&bytes);
                for warning in nfo.warnings.iter().filter(|_| !is_guess) {
                    self.extraction.warn(format!("{name}: {warning}"));
                }
                nfo
            }
            Err(_) => {
                self.extraction.warn(format!("{name}: cannot be read"));
                Nfo::default()
            }
        }
    }

    /// Writes the subtitles and artwork among these files.
    pub fn sidecars(&mut self, video: &Video, names: &[&str]) -> &mut Self {
        self.extraction
            .texts("related.subtitles", json_of(&sidecars::subtitles(video, names)))
            .texts("related.artwork", json_of(&sidecars::artwork(video, names)));
        self
    }

    /// Adds the sources of the fields and returns the extraction.
    pub fn finish(mut self) -> Option<Extraction> {
        self.extraction.texts("field-sources", &self.sources);
        self.extraction.finish()
    }

    fn noted(&mut self, key: &str, origin: Origin, write: impl FnOnce(&mut ExtractionBuilder)) -> &mut Self {
        if !self.extraction.has(key) {
            write(&mut self.extraction);
            if self.extraction.has(key) {
                self.sources.push(format!("{key}={}", origin.word()));
            }
        }
        self
    }
}

fn json_of<T: Serialize>(values: &[T]) -> Vec<String> {
    values
        .iter()
        .filter_map(|value| serde_json::to_string(value).ok())
        .collect()
}

fn person_json(person: &Person) -> Option<String> {
    #[derive(Serialize)]
    struct Json<'a> {
        name: &'a str,
        role: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        character: Option<&'a str>,
    }
    let character = person.character.as_deref();
    serde_json::to_string(&Json {
        name: &person.name,
        role: person.role.word(),
        character,
    })
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nfo::Role;
    use svc_plugin_api::Value;

    #[test]
    fn record_keeps_the_first_value_and_its_source() {
        let mut record = Record::new();
        record
            .title(Origin::Nfo, Some(" "))
            .title(Origin::Name, Some("Heat"))
            .title(Origin::Container, Some("Other"))
            .text("movie.tagline", Origin::Nfo, None)
            .integer("movie.year", Origin::Folder, Some(1995_u16))
            .integer("movie.year", Origin::Container, Some(2010_u16));
        let nfo = ["imdb:tt1".to_owned()];
        let name = ["imdb:tt2".to_owned(), "tmdb:3".to_owned()];
        record.external_ids(
            "movie.external-ids",
            &[(Origin::Nfo, &nfo), (Origin::Name, &name)],
        );
        record.people(
            "movie.people",
            &[Person {
                name: "A \"B\"".into(),
                role: Role::Actor,
                character: Some("C".into()),
            }],
        );
        let extraction = record.finish().unwrap();
        assert_eq!(extraction.title.as_deref(), Some("Heat"));
        let texts = |key: &str| match extraction
            .fields
            .iter()
            .find(|field| field.key == key)
            .map(|f| &f.value)
        {
            Some(Value::Texts(texts)) => texts.join(" "),
            other => panic!("{key}: {other:?}"),
        };
        assert_eq!(texts("movie.external-ids"), "imdb:tt1 tmdb:3");
        assert_eq!(
            texts("movie.people"),
            r#"{"name":"A \"B\"","role":"actor","character":"C"}"#
        );
        assert_eq!(
            texts("field-sources"),
            "title=name movie.year=folder movie.external-ids=nfo movie.people=nfo"
        );
    }
}
