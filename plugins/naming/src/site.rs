//! URLs of sites in names: "www.site.org - Name", "[ site.com ] Name", "Name [www.site.net]".

use crate::text::EDGES;

/// Top-level domains that need no further evidence.
const COMMON: &[&str] = &["com", "net", "org", "info", "ru"];

/// Top-level domains that count only after "www." or in brackets.
const FURTHER: &[&str] = &[
    "ac", "ag", "am", "app", "at", "bar", "best", "biz", "blog", "bz", "ca", "cab", "cc", "ch", "cl",
    "click", "club", "cn", "co", "cx", "cz", "de", "dk", "es", "eu", "fi", "fm", "foo", "fr", "fun", "fyi",
    "gd", "gg", "gr", "gs", "hu", "ie", "il", "im", "in", "ink", "io", "is", "it", "kim", "la", "li", "life",
    "link", "live", "lol", "lt", "ltd", "lv", "me", "mn", "mobi", "ms", "mx", "nl", "no", "nu", "nz", "one",
    "ph", "phd", "pl", "pm", "pro", "pt", "pub", "pw", "re", "red", "rip", "ro", "rocks", "rs", "se", "sh",
    "site", "sk", "so", "space", "st", "store", "su", "sx", "tc", "team", "tech", "to", "top", "tv", "tw",
    "ua", "uk", "us", "vc", "vip", "wf", "wiki", "win", "work", "world", "ws", "wtf", "xyz", "yt",
];

/// The name without URLs at its ends.
pub(crate) fn without_sites(name: &str) -> &str {
    let name = leading(name).unwrap_or(name);
    trailing(name).unwrap_or(name)
}

/// The name after a leading URL.
fn leading(name: &str) -> Option<&str> {
    let name = name.trim_start();
    let closing = name.chars().next().and_then(closing);
    let inside = if closing.is_some() {
        name.get(1..)?.trim_start()
    } else {
        name
    };
    let (is_sure, following) = address(inside)?;
    let following = match closing {
        Some(closing) => following.trim_start().strip_prefix(closing)?,
        // A URL that may be a title ("Despicable.Me") counts only before a dash or another joint.
        None if is_sure && following.starts_with(joins) => following,
        None if following
            .trim_start_matches(['_', ' '])
            .starts_with(['-', '–', '@'])
            || following.starts_with('_') =>
        {
            let certain = is_sure || is_common(inside, following);
            certain.then_some(following)?
        }
        None => return None,
    };
    let rest = following.trim_start_matches(|c: char| joins(c) || c == '@' || EDGES.contains(&c));
    rest.contains(char::is_alphanumeric).then_some(rest)
}

fn joins(character: char) -> bool {
    matches!(character, ' ' | '_' | '-' | '.' | '@')
}

/// The name before a trailing URL.
fn trailing(name: &str) -> Option<&str> {
    let trimmed = name.trim_end();
    if let Some(closing) = trimmed
        .chars()
        .next_back()
        .filter(|c| matches!(c, ']' | ')' | '}'))
    {
        let opening = match closing {
            ']' => '[',
            ')' => '(',
            _ => '{',
        };
        let open = trimmed.rfind(opening).filter(|open| *open > 0)?;
        let inside = trimmed.get(open + 1..trimmed.len() - 1)?.trim();
        let (_, following) = address(inside)?;
        return following.is_empty().then(|| name.get(..open)).flatten();
    }
    let at = trimmed.rfind("www.").or_else(|| trimmed.rfind("WWW."))?;
    let (_, following) = address(trimmed.get(at..)?)?;
    let parted = trimmed.get(..at)?.ends_with([' ', '.', '_', '-', '@']);
    (parted && following.is_empty()).then(|| name.get(..at)).flatten()
}

fn closing(opening: char) -> Option<char> {
    match opening {
        '[' => Some(']'),
        '(' => Some(')'),
        '{' => Some('}'),
        '【' => Some('】'),
        _ => None,
    }
}

/// A leading URL: whether it begins with "www.", and the text after it.
fn address(text: &str) -> Option<(bool, &str)> {
    let is_sure = text
        .get(..4)
        .is_some_and(|head| head.eq_ignore_ascii_case("www."));
    let mut rest = if is_sure { text.get(4..)? } else { text };
    for label in 0..4 {
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            .unwrap_or(rest.len());
        let name = rest.get(..end)?;
        // A dash ends the last label: "www.site.com-Name".
        let last = name.split('-').next().unwrap_or_default();
        if label > 0 && is_end(last) {
            return Some((is_sure, rest.get(last.len()..)?));
        }
        if name.is_empty() {
            return None;
        }
        rest = rest.get(end..)?.strip_prefix('.')?;
    }
    None
}

fn is_end(label: &str) -> bool {
    [COMMON, FURTHER]
        .iter()
        .any(|ends| ends.iter().any(|end| label.eq_ignore_ascii_case(end)))
}

/// Whether the URL before `following` has a common top-level domain.
fn is_common(text: &str, following: &str) -> bool {
    let address = text.strip_suffix(following).unwrap_or(text);
    let last = address.rsplit('.').next().unwrap_or_default();
    COMMON.iter().any(|end| last.eq_ignore_ascii_case(end))
}

#[cfg(test)]
mod tests {
    use super::without_sites;

    #[test]
    fn sites_at_the_ends_are_no_part_of_a_name() {
        for (name, rest) in [
            ("www.Site.org - Movie.2008", "Movie.2008"),
            ("www.1site2.tc_-_Movie", "Movie"),
            ("www.site.com-Movie", "Movie"),
            ("[ www.site.com ] - Movie", "Movie"),
            ("[site.me].Movie", "Movie"),
            ("site.com_grp-movie", "grp-movie"),
            ("{ site.net } Movie", "Movie"),
            ("Movie [site.com]", "Movie "),
            ("Movie-www.site.com", "Movie-"),
            ("Despicable.Me.2010", "Despicable.Me.2010"),
            ("Despicable.Me - 01", "Despicable.Me - 01"),
            ("[REC] 2", "[REC] 2"),
            ("www.site.com", "www.site.com"),
            ("Movie (2010)", "Movie (2010)"),
            ("é(ö.com)", "é(ö.com)"),
        ] {
            assert_eq!(without_sites(name), rest, "{name}");
        }
    }
}
