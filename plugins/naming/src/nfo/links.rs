//! Ids in URLs of movie and TV databases.

const MAX_IDS: usize = 16;

/// The text before an id, and its database.
const PLACES: &[(&str, &str)] = &[
    ("themoviedb.org/movie/", "tmdb"),
    ("themoviedb.org/tv/", "tmdb"),
    ("thetvdb.com/series/", "tvdb"),
    ("thetvdb.com/movies/", "tvdb"),
    ("thetvdb.com/dereferrer/series/", "tvdb"),
    ("thetvdb.com/?tab=series&id=", "tvdb"),
    ("thetvdb.com/index.php?tab=series&id=", "tvdb"),
    ("thetvdb.com/?tab=episode&id=", "tvdb"),
    ("anidb.net/anime/", "anidb"),
    ("tvmaze.com/shows/", "tvmaze"),
];

/// The ids in a text without duplicates: `imdb:tt0944947`, `tmdb:30287`, `tvdb:121361`.
pub(super) fn ids(text: &str) -> Vec<String> {
    let mut ids = imdb(text);
    let lower = text.to_ascii_lowercase().replace("&amp;", "&");
    for (place, provider) in PLACES {
        for (at, _) in lower.match_indices(place) {
            let following = lower.get(at + place.len()..).unwrap_or_default();
            let digits: String = following
                .chars()
                .take_while(char::is_ascii_digit)
                .take(11)
                .collect();
            if (1..=10).contains(&digits.len()) {
                ids.push(format!("{provider}:{digits}"));
            }
        }
    }
    let mut kept: Vec<String> = Vec::new();
    for id in ids {
        if kept.len() < MAX_IDS && !kept.contains(&id) {
            kept.push(id);
        }
    }
    kept
}

/// `tt` and digits as a word of their own are always an id of IMDb.
fn imdb(text: &str) -> Vec<String> {
    text.split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| crate::ids::is_imdb(word))
        .map(|word| format!("imdb:{}", word.to_ascii_lowercase()))
        .collect()
}
