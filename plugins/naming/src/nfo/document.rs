//! The data of one root element.

use svc_plugin_api::{PartialDate, parse_date};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `movie`
    Movie,
    /// `tvshow`
    Show,
    /// `episodedetails`
    Episode,
    /// `season`
    Season,
    /// `musicvideo`, `album`, `artist`: read, but of other media.
    Other,
}

impl Kind {
    pub(super) fn of(root: &str) -> Option<Self> {
        Some(match root {
            "movie" | "video" => Self::Movie,
            "tvshow" => Self::Show,
            "episodedetails" => Self::Episode,
            "season" => Self::Season,
            "musicvideo" | "album" | "artist" => Self::Other,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Actor,
    Director,
    Writer,
    Producer,
}

impl Role {
    /// As written to the extraction.
    pub fn word(self) -> &'static str {
        match self {
            Self::Actor => "actor",
            Self::Director => "director",
            Self::Writer => "writer",
            Self::Producer => "producer",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// As written in the sidecar.
    pub name: String,
    pub role: Role,
    /// The character that an actor plays.
    pub character: Option<String>,
}

/// The most people, and the most texts of a list, of one document.
const MAX_LIST: usize = 256;

/// One root element. Absent and empty elements are `None`, and so is -1, which Kodi writes for "none".
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub kind: Kind,
    pub title: Option<String>,
    pub original_title: Option<String>,
    pub sort_title: Option<String>,
    pub show_title: Option<String>,
    pub year: Option<u16>,
    /// Of a movie, a show or an episode.
    pub premiered: Option<PartialDate>,
    /// `releasedate`
    pub released: Option<PartialDate>,
    pub aired: Option<PartialDate>,
    pub plot: Option<String>,
    pub outline: Option<String>,
    pub tagline: Option<String>,
    pub genres: Vec<String>,
    /// In minutes; 0 is `None`.
    pub runtime: Option<u32>,
    /// `mpaa`, else `certification`: as written, often with a country ("DE:FSK 12").
    pub content_rating: Option<String>,
    pub people: Vec<Person>,
    pub studios: Vec<String>,
    pub tags: Vec<String>,
    /// Such as `imdb:tt0113277`, in the order of the file, without duplicates.
    pub external_ids: Vec<String>,
    pub season: Option<u32>,
    pub episode: Option<u32>,
    /// `episodenumberend`
    pub episode_end: Option<u32>,
    pub display_season: Option<u32>,
    pub display_episode: Option<u32>,
    pub edition: Option<String>,
    /// `set`
    pub collection: Option<String>,
}

impl Document {
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            kind,
            title: None,
            original_title: None,
            sort_title: None,
            show_title: None,
            year: None,
            premiered: None,
            released: None,
            aired: None,
            plot: None,
            outline: None,
            tagline: None,
            genres: Vec::new(),
            runtime: None,
            content_rating: None,
            people: Vec::new(),
            studios: Vec::new(),
            tags: Vec::new(),
            external_ids: Vec::new(),
            season: None,
            episode: None,
            episode_end: None,
            display_season: None,
            display_episode: None,
            edition: None,
            collection: None,
        }
    }

    /// Stores the text of a child of the root. Names are in lower case.
    pub(super) fn child(&mut self, name: &str, id_type: Option<&str>, text: &str) {
        match name {
            "title" => keep(&mut self.title, text),
            "originaltitle" => keep(&mut self.original_title, text),
            "sorttitle" => keep(&mut self.sort_title, text),
            "showtitle" => keep(&mut self.show_title, text),
            "plot" => keep(&mut self.plot, text),
            "outline" => keep(&mut self.outline, text),
            "tagline" => keep(&mut self.tagline, text),
            "edition" => keep(&mut self.edition, text),
            "set" | "collection" => keep(&mut self.collection, text),
            "mpaa" => keep(&mut self.content_rating, text),
            "certification" => keep(&mut self.content_rating, text),
            "year" => {
                self.year = self
                    .year
                    .or_else(|| text.get(..4)?.parse().ok().filter(|year| *year > 1800))
            }
            "premiered" => self.premiered = self.premiered.or_else(|| parse_date(text)),
            "releasedate" => self.released = self.released.or_else(|| parse_date(text)),
            "aired" => self.aired = self.aired.or_else(|| parse_date(text)),
            "runtime" => {
                self.runtime = self
                    .runtime
                    .or_else(|| leading_number(text).filter(|minutes| *minutes > 0))
            }
            "season" | "seasonnumber" => self.season = self.season.or_else(|| leading_number(text)),
            "episode" => self.episode = self.episode.or_else(|| leading_number(text)),
            "episodenumberend" => self.episode_end = self.episode_end.or_else(|| leading_number(text)),
            "displayseason" => self.display_season = self.display_season.or_else(|| leading_number(text)),
            "displayepisode" => self.display_episode = self.display_episode.or_else(|| leading_number(text)),
            "genre" => list(&mut self.genres, text),
            "studio" => list(&mut self.studios, text),
            "tag" => list(&mut self.tags, text),
            "director" => self.people(text, Role::Director),
            "credits" | "writer" => self.people(text, Role::Writer),
            "producer" => self.people(text, Role::Producer),
            "uniqueid" => self.id(id_type.unwrap_or_default(), text),
            "imdbid" | "imdb_id" | "imdb" => self.id("imdb", text),
            "tmdbid" | "tmdb" => self.id("tmdb", text),
            "tvdbid" | "tvdb" => self.id("tvdb", text),
            "id" if crate::ids::is_imdb(text) => self.id("imdb", text),
            // In a show the plain `id` is TheTVDB's, from the time when Kodi supported no other database.
            "id" if self.kind == Kind::Show => self.id("tvdb", text),
            _ => {}
        }
    }

    pub(super) fn actor(&mut self, name: &str, character: &str) {
        let character = Some(character).filter(|character| !character.is_empty());
        self.person(name, Role::Actor, character.map(str::to_owned));
    }

    /// Stores an id under the name that the file gives to its database.
    pub(super) fn id(&mut self, provider: &str, value: &str) {
        let provider: String = provider
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(24)
            .collect();
        let provider = provider.to_ascii_lowercase();
        let sound = match provider.as_str() {
            "" => false,
            "imdb" => crate::ids::is_imdb(value),
            "tmdb" | "tvdb" => value.bytes().all(|byte| byte.is_ascii_digit()) && value != "0",
            _ => true,
        };
        let id = format!("{provider}:{value}");
        if sound
            && (1..=64).contains(&value.len())
            && self.external_ids.len() < 32
            && !self.external_ids.contains(&id)
        {
            self.external_ids.push(id);
        }
    }

    fn people(&mut self, text: &str, role: Role) {
        for name in text.split(" / ") {
            self.person(name, role, None);
        }
    }

    fn person(&mut self, name: &str, role: Role, character: Option<String>) {
        let name = name.trim_matches(|c: char| c.is_whitespace() || c == ',');
        let person = Person {
            name: name.to_owned(),
            role,
            character,
        };
        if !name.is_empty() && self.people.len() < MAX_LIST && !self.people.contains(&person) {
            self.people.push(person);
        }
    }
}

fn keep(field: &mut Option<String>, text: &str) {
    if field.is_none() && !text.is_empty() {
        *field = Some(text.to_owned());
    }
}

/// Splits a text at " / ", the list separator of older files.
fn list(field: &mut Vec<String>, text: &str) {
    for part in text.split(" / ").map(str::trim).filter(|part| !part.is_empty()) {
        if field.len() < MAX_LIST && !field.iter().any(|known| known == part) {
            field.push(part.to_owned());
        }
    }
}

/// The leading number of a text, at most 9999 ("42 min").
fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end)?.parse().ok().filter(|number| *number <= 9999)
}
