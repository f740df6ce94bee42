//! Ids of external databases in names: `[tmdbid-949]`, `{imdb-tt0113277}`, `[tvdbid=81189]`.

/// The words for each database.
const PROVIDERS: &[(&str, &str)] = &[
    ("imdb", "imdb"),
    ("imdbid", "imdb"),
    ("tmdb", "tmdb"),
    ("tmdbid", "tmdb"),
    ("tvdb", "tvdb"),
    ("tvdbid", "tvdb"),
    ("anidb", "anidb"),
    ("anidbid", "anidb"),
    ("tvmaze", "tvmaze"),
    ("tvmazeid", "tvmaze"),
];

/// Removes the ids from a name and returns them as `imdb:tt0113277`.
pub(crate) fn take_ids(name: &str) -> (String, Vec<String>) {
    let mut rest = String::with_capacity(name.len());
    let mut ids = Vec::new();
    let mut left = name;
    while let Some(open) = left.find(['[', '{', '(']) {
        let (front, bracket) = left.split_at(open);
        rest.push_str(front);
        let closing = match bracket.chars().next() {
            Some('[') => ']',
            Some('{') => '}',
            _ => ')',
        };
        let Some(close) = bracket.find(closing) else {
            left = bracket;
            break;
        };
        let (inside, following) = bracket.split_at(close);
        match id(inside.get(1..).unwrap_or_default()) {
            Some(id) => {
                ids.push(id);
                // The bracket separated two words; insert a space instead.
                if !rest.ends_with([' ', '.', '_']) && !rest.is_empty() && following.len() > 1 {
                    rest.push(' ');
                }
                left = following.get(1..).unwrap_or_default();
            }
            None => {
                let (one, others) = bracket.split_at(1);
                rest.push_str(one);
                left = others;
            }
        }
    }
    rest.push_str(left);
    if let Some((front, id, following)) = bare(&rest) {
        let id = format!("imdb:{}", id.to_ascii_lowercase());
        let joined = format!("{front}{following}");
        ids.push(id);
        rest = joined;
    }
    (rest, ids)
}

/// The text before a bare `tt0113277`, the id, and the text after it.
fn bare(name: &str) -> Option<(&str, &str, &str)> {
    let parted = |character: Option<char>| character.is_none_or(|character| !character.is_alphanumeric());
    name.match_indices("tt").find_map(|(at, _)| {
        let (front, rest) = name.split_at_checked(at)?;
        let digits = rest.get(2..)?.bytes().take_while(u8::is_ascii_digit).count();
        let (id, following) = rest.split_at_checked(2 + digits)?;
        let whole = parted(front.chars().next_back()) && parted(following.chars().next());
        (whole && is_imdb(id)).then_some((front, id, following))
    })
}

/// `tmdbid-949`, `imdb=tt0113277`, and the bare `tt0113277`.
fn id(inside: &str) -> Option<String> {
    let inside = inside.trim();
    if is_imdb(inside) {
        return Some(format!("imdb:{}", inside.to_ascii_lowercase()));
    }
    let (word, value) = inside.split_once(['-', '=', ':', ' '])?;
    let (_, provider) = PROVIDERS
        .iter()
        .find(|(known, _)| word.eq_ignore_ascii_case(known))?;
    let value = value.trim().to_ascii_lowercase();
    let sound = if *provider == "imdb" {
        is_imdb(&value)
    } else {
        (1..=10).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
    };
    sound.then(|| format!("{provider}:{value}"))
}

/// `tt` and seven digits or more.
pub(crate) fn is_imdb(text: &str) -> bool {
    let digits = text.strip_prefix("tt").or_else(|| text.strip_prefix("TT"));
    digits.is_some_and(|digits| {
        (7..=10).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::take_ids;

    #[test]
    fn ids_in_brackets_are_taken_out_and_other_brackets_stay() {
        for (name, rest, ids) in [
            ("Heat (1995) [tmdbid-949]", "Heat (1995) ", "tmdb:949"),
            (
                "Heat (1995) {imdb-tt0113277} {tmdb-949}",
                "Heat (1995)  ",
                "imdb:tt0113277,tmdb:949",
            ),
            ("Heat[tmdbid=949]1080p", "Heat 1080p", "tmdb:949"),
            ("Heat [tt0113277]", "Heat ", "imdb:tt0113277"),
            ("Heat.tt0113277.1080p", "Heat..1080p", "imdb:tt0113277"),
            ("Heat [tmdbid-x] (a", "Heat [tmdbid-x] (a", ""),
            ("ö[", "ö[", ""),
        ] {
            let (left, found) = take_ids(name);
            assert_eq!(
                (left.trim(), found.join(",").as_str()),
                (rest.trim(), ids),
                "{name}"
            );
        }
    }
}
