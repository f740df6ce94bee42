//! Tags of the content, under the names that the containers use.

use svc_plugin_api::{ExtractionBuilder, PartialDate, parse_date};

/// The most tags without a field of their own.
const MAX_OTHER: usize = 64;

/// Tags of the content. The first value of each is kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tags {
    /// Of the movie or, in most files, of the episode.
    pub title: Option<String>,
    /// Of the release.
    pub date: Option<PartialDate>,
    /// Title of the TV show.
    pub show: Option<String>,
    pub season: Option<u32>,
    /// Within the season.
    pub episode: Option<u32>,
    /// If the file states it separately from the title.
    pub episode_title: Option<String>,
    pub description: Option<String>,
    pub genres: Vec<String>,
    pub comment: Option<String>,
    /// The program that wrote the file.
    pub encoder: Option<String>,
    /// All other tags, with names in upper case.
    pub other: Vec<(String, String)>,
}

impl Tags {
    /// Adds a tag by the container's name for it; any separator between words is accepted.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        let value = value.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        if value.is_empty() {
            return;
        }
        let upper = name.trim().to_ascii_uppercase();
        let joined: String = upper.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        match joined.as_str() {
            "TITLE" => first(&mut self.title, value),
            "DATE" | "DATERELEASED" | "DATERELEASE" | "YEAR" | "DATERECORDED" | "CREATIONDATE" => {
                self.date = self.date.or_else(|| parse_date(value));
            }
            "SHOW" | "TVSHOW" | "SERIES" | "SERIESTITLE" => first(&mut self.show, value),
            "SEASON" | "SEASONNUMBER" | "TVSEASON" => self.season = self.season.or_else(|| number(value)),
            "EPISODE" | "EPISODENUMBER" | "EPISODESORT" | "TVEPISODE" => {
                self.episode = self.episode.or_else(|| number(value));
            }
            "EPISODETITLE" => first(&mut self.episode_title, value),
            // Some programs write a title, others a production code.
            "EPISODEID" | "TVEPISODEID" if is_title(value) => first(&mut self.episode_title, value),
            "DESCRIPTION" | "SYNOPSIS" | "SUMMARY" => first(&mut self.description, value),
            "GENRE" => self.genre(value),
            "COMMENT" | "COMMENTS" => first(&mut self.comment, value),
            "ENCODER" | "SOFTWARE" | "ENCODINGTOOL" => first(&mut self.encoder, value),
            _ if self.other.len() < MAX_OTHER => self.other.push((upper, value.to_owned())),
            _ => {}
        }
    }

    /// Adds a genre, or several in one text.
    fn genre(&mut self, value: &str) {
        for genre in value.split([';', '|']).map(str::trim) {
            if !genre.is_empty() && self.genres.len() < MAX_OTHER && !self.genres.iter().any(|g| g == genre) {
                self.genres.push(genre.to_owned());
            }
        }
    }

    pub(crate) fn write(&self, extraction: &mut ExtractionBuilder) {
        let texts = [
            ("video.title", &self.title),
            ("video.description", &self.description),
            ("video.comment", &self.comment),
            ("video.show", &self.show),
            ("video.episode-title", &self.episode_title),
            ("video.encoder", &self.encoder),
        ];
        for (key, text) in texts {
            if let Some(text) = text {
                extraction.text(key, text);
            }
        }
        if let Some(date) = self.date {
            extraction.date("video.date", date);
        }
        extraction.texts("video.genres", &self.genres);
        // Season 0 is that of specials, and some shows begin with episode 0.
        for (key, number) in [("video.season", self.season), ("video.episode", self.episode)] {
            if let Some(number) = number {
                extraction.integer(key, i64::from(number));
            }
        }
    }
}

fn first(field: &mut Option<String>, value: &str) {
    if field.is_none() {
        *field = Some(value.to_owned());
    }
}

fn is_title(value: &str) -> bool {
    value.contains(' ') || !value.contains(|c: char| c.is_ascii_digit())
}

/// The leading number of `3`, `03`, `3/10`.
fn number(value: &str) -> Option<u32> {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    value.get(..digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_container_reach_their_field() {
        let mut tags = Tags::default();
        for (name, value) in [
            ("title", " Pilot "),
            ("TITLE", "second"),
            ("season_number", "03/10"),
            ("EPISODE_SORT", "x"),
            ("episode_sort", "7"),
            ("GENRE", "Drama; Comedy;Drama"),
            ("DATE_RELEASED", "2003-05-17"),
            ("ARTIST", "Someone"),
            ("COMMENT", "\0"),
        ] {
            tags.add(name, value);
        }
        assert_eq!(tags.title.as_deref(), Some("Pilot"));
        assert_eq!((tags.season, tags.episode), (Some(3), Some(7)));
        assert_eq!(tags.genres, ["Drama", "Comedy"]);
        assert_eq!(tags.date.map(|date| date.year), Some(2003));
        assert_eq!(tags.other, [("ARTIST".to_owned(), "Someone".to_owned())]);
        assert_eq!(tags.comment, None);
    }
}
