//! Writes the fields of a comic: `ComicInfo.xml` first, then the name of the file, then the folder.

use svc_plugin_api::{ExtractionBuilder, Source, date_from_parts};

use crate::book::Book;
use crate::comic_info::ComicInfo;
use crate::file_name::FileName;

/// Elements with one text.
const TEXTS: [(&str, &str); 13] = [
    ("x.comics.publisher", "publisher"),
    ("x.comics.imprint", "imprint"),
    ("x.comics.summary", "summary"),
    ("x.comics.notes", "notes"),
    ("x.comics.format", "format"),
    ("x.comics.age-rating", "agerating"),
    ("x.comics.alternate-series", "alternateseries"),
    ("x.comics.alternate-number", "alternatenumber"),
    ("x.comics.story-arc", "storyarc"),
    ("x.comics.series-group", "seriesgroup"),
    ("x.comics.main-character", "maincharacterorteam"),
    ("x.comics.scan", "scaninformation"),
    ("x.comics.gtin", "gtin"),
];

/// Elements with several texts, separated by commas.
const LISTS: [(&str, &[&str]); 14] = [
    ("x.comics.writers", &["writer"]),
    // Who drew it, whatever the part: what a reader looks for.
    ("x.comics.artists", &["penciller", "inker"]),
    ("x.comics.pencillers", &["penciller"]),
    ("x.comics.inkers", &["inker"]),
    ("x.comics.colorists", &["colorist"]),
    ("x.comics.letterers", &["letterer"]),
    ("x.comics.cover-artists", &["coverartist"]),
    ("x.comics.editors", &["editor"]),
    ("x.comics.translators", &["translator"]),
    ("x.comics.genres", &["genre"]),
    ("x.comics.tags", &["tags"]),
    ("x.comics.characters", &["characters"]),
    ("x.comics.teams", &["teams"]),
    ("x.comics.locations", &["locations"]),
];

/// Writes the fields of this archive.
pub fn write(source: &Source, book: &Book, extraction: &mut ExtractionBuilder) {
    let nothing = ComicInfo::default();
    let info = book.info.as_ref().unwrap_or(&nothing);
    let name = FileName::parse(source.name());
    let series = series(source, info, &name);
    let number = info.get("number").map(str::to_owned).or(name.number.clone());
    let volume = integer(info, "volume").or(name.volume);
    let title = info.get("title").or(name.title.as_deref());

    match (title, &series) {
        (Some(title), _) => extraction.title(title),
        (None, Some(series)) => extraction.title(&designation(series, number.as_deref(), volume)),
        (None, None) => extraction.title(stem(source.name())),
    };
    if let Some(series) = &series {
        let place = number.as_deref().and_then(number_value).unwrap_or(0.0);
        let sort = format!(
            "{series} {:04} {place:08.2} {}",
            volume.unwrap_or(0),
            title.unwrap_or("")
        );
        extraction.text("title-sort", &sort);
        extraction.text("x.comics.series", series);
    }
    if let Some(number) = &number {
        write_number(number, extraction);
    }
    if let Some(volume) = volume {
        extraction.integer("x.comics.volume", volume);
    }
    if let Some(count) = integer(info, "count").or(name.count) {
        extraction.positive("x.comics.count", count);
    }
    write_date(info, &name, extraction);
    for (key, element) in TEXTS {
        extraction.text(key, info.get(element).unwrap_or_default());
    }
    for (key, elements) in LISTS {
        let texts = elements.iter().filter_map(|element| info.get(element));
        extraction.texts(key, texts.flat_map(|text| text.split([',', ';'])));
    }
    // Older files have one address, newer ones several, with spaces between them.
    extraction.texts(
        "x.comics.web",
        info.get("web").unwrap_or_default().split_whitespace(),
    );
    if let Some(language) = info.get("languageiso").and_then(language) {
        extraction.text("x.comics.language", &language);
    }
    if let Some(rating) = info.get("communityrating").and_then(|text| text.parse().ok()) {
        extraction.real("x.comics.rating", rating);
    }
    write_manga(info, extraction);
    let pages = i64::try_from(book.pages.len()).unwrap_or(i64::MAX);
    extraction.integer("item.page-count", pages);
    if pages == 0 {
        extraction.warn("the archive has no pages");
    }
    if let Some(stated) = integer(info, "pagecount")
        && stated != pages
    {
        extraction.warn(format!(
            "ComicInfo.xml states {stated} pages, the archive has {pages}"
        ));
    }
}

/// A name without a series, such as `012.cbz`, has that of its folder.
fn series(source: &Source, info: &ComicInfo, name: &FileName) -> Option<String> {
    let stated = info.get("series").map(str::to_owned).or(name.series.clone());
    stated.or_else(|| {
        let folders = source.folders();
        FileName::parse_stem(folders.last()?).series
    })
}

/// `Saga #12`, `Saga, Vol. 2 #3`, `Saga, Vol. 2`.
fn designation(series: &str, number: Option<&str>, volume: Option<i64>) -> String {
    let volume = volume
        .map(|volume| format!(", Vol. {volume}"))
        .unwrap_or_default();
    let number = number.map(|number| format!(" #{number}")).unwrap_or_default();
    format!("{series}{volume}{number}")
}

/// Lists are ordered by a number; the text is kept where it says more: `12a`, `1.MU`, `½`.
fn write_number(number: &str, extraction: &mut ExtractionBuilder) {
    let value = number_value(number);
    if let Some(value) = value {
        extraction.real("x.comics.number", value);
    }
    if value.is_none_or(|value| value.to_string() != number) {
        extraction.text("x.comics.issue", number);
    }
}

/// The number that a text starts with: `12`, `-1`, `1.5`, `12a`, `1.MU`, `½`, `1½`, `1/2`.
pub fn number_value(text: &str) -> Option<f64> {
    let text = text.trim().trim_start_matches('#');
    let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    let fraction = match rest.chars().next() {
        Some('½') => Some(0.5),
        Some('¼') => Some(0.25),
        Some('¾') => Some(0.75),
        _ => None,
    };
    let whole: Option<f64> = digits.trim_end_matches('.').parse().ok();
    let divisor = rest.strip_prefix('/').and_then(|rest| rest.parse::<f64>().ok());
    let value = match (whole, fraction, divisor) {
        (Some(whole), None, Some(divisor)) if divisor > 0.0 => whole / divisor,
        (None, None, _) => return None,
        (whole, fraction, _) => whole.unwrap_or(0.0) + fraction.unwrap_or(0.0),
    };
    value.is_finite().then_some(sign * value)
}

fn write_date(info: &ComicInfo, name: &FileName, extraction: &mut ExtractionBuilder) {
    let part = |element| info.get(element).and_then(|text| text.parse().ok());
    let year = info.get("year").and_then(|text| text.parse().ok());
    let date = match year {
        Some(year) => date_from_parts(year, part("month"), part("day")),
        None => name.year.and_then(|year| date_from_parts(year, name.month, None)),
    };
    if let Some(date) = date {
        extraction.date("x.comics.date", date);
    }
}

/// `Manga` says both whether it is one and how it is read.
fn write_manga(info: &ComicInfo, extraction: &mut ExtractionBuilder) {
    let manga = info.get("manga").unwrap_or_default().to_ascii_lowercase();
    let (is_manga, direction) = match manga.as_str() {
        "yesandrighttoleft" => (Some(true), "right-to-left"),
        "yes" => (Some(true), ""),
        "no" => (Some(false), "left-to-right"),
        _ => (None, ""),
    };
    if let Some(is_manga) = is_manga {
        extraction.boolean("x.comics.manga", is_manga);
    }
    extraction.text("x.comics.direction", direction);
    match info.get("blackandwhite").map(str::to_ascii_lowercase).as_deref() {
        Some("yes") => extraction.boolean("x.comics.black-and-white", true),
        Some("no") => extraction.boolean("x.comics.black-and-white", false),
        _ => extraction,
    };
}

/// A language tag in its usual case; `None` for other texts, such as the name of a language.
fn language(text: &str) -> Option<String> {
    let mut parts = text.split(['-', '_']);
    let first = parts.next()?.to_ascii_lowercase();
    let is_code = (2..=3).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_lowercase());
    let mut tag = is_code.then_some(first)?;
    for part in parts {
        if !(2..=8).contains(&part.len()) || !part.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        tag.push('-');
        // A region is in upper case, a script has a capital.
        match (part.len(), part.split_at_checked(1)) {
            (2, _) => tag.push_str(&part.to_ascii_uppercase()),
            (4, Some((first, rest))) => {
                tag.push_str(&first.to_ascii_uppercase());
                tag.push_str(&rest.to_ascii_lowercase());
            }
            _ => tag.push_str(&part.to_ascii_lowercase()),
        }
    }
    Some(tag)
}

fn integer(info: &ComicInfo, element: &str) -> Option<i64> {
    // -1 is "unknown".
    info.get(element)?.parse().ok().filter(|number| *number >= 0)
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
