//! What folders and file names say: author, book, disc and track.
//!
//! `Author/Book/CD 2/03 - Title.mp3`, `Author - Book/03.mp3`, `Author/Series/Book/Part 3.mp3`.

/// The parts of a path.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub author: Option<String>,
    /// The folder of the book.
    pub book: Option<String>,
    pub disc: Option<i64>,
    pub track: Option<i64>,
}

/// Words before the number of a disc, and before that of a part.
const DISC_WORDS: [&str; 5] = ["cd", "disc", "disk", "side", "teil"];
const PART_WORDS: [&str; 8] = [
    "part", "track", "chapter", "teil", "kapitel", "partie", "chapitre", "pt",
];

impl Place {
    /// Reads the folders, outermost first, and the file name.
    pub fn parse(folders: &[String], name: &str) -> Self {
        let mut folders: Vec<&str> = folders.iter().map(|folder| folder.trim()).collect();
        let disc = folders
            .last()
            .and_then(|folder| marked_number(folder, &DISC_WORDS));
        if disc.is_some() {
            folders.pop();
        }
        let (author, book) = match folders.as_slice() {
            [] => (None, None),
            [book] => match book.split_once(" - ") {
                Some((author, book)) => (Some(author.trim()), Some(book.trim())),
                None => (None, Some(*book)),
            },
            [author, .., book] => (Some(*author), Some(*book)),
        };
        let own = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        Self {
            author: own(author),
            book: own(book),
            disc,
            track: track(stem(name)),
        }
    }
}

/// The number of a part: `03 - Title`, `03`, `Part 3`, `Book - 03`, `Book 1-03`.
fn track(stem: &str) -> Option<i64> {
    let leading = stem.find(|c: char| !c.is_ascii_digit()).unwrap_or(stem.len());
    let number = |text: &str| text.parse().ok().filter(|number| (1..=9999).contains(number));
    let first = stem
        .get(..leading)
        .filter(|digits| digits.len() <= 3)
        .and_then(number);
    first.or_else(|| marked_number(stem, &PART_WORDS)).or_else(|| {
        let digits = stem.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| {
            at + stem
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .map_or(1, char::len_utf8)
        });
        stem.get(digits..)
            .filter(|digits| digits.len() <= 4)
            .and_then(number)
    })
}

/// The number behind one of the words, as one word or two: `CD2`, `Disc 02`.
fn marked_number(text: &str, words: &[&str]) -> Option<i64> {
    let lower = text.to_lowercase();
    let parts: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    let number = |text: &str| text.parse().ok().filter(|number| (1..=9999).contains(number));
    (0..parts.len()).find_map(|at| {
        let part = parts.get(at)?;
        let joined = words.iter().find_map(|word| number(part.strip_prefix(word)?));
        let next = parts.get(at + 1).and_then(|next| number(next));
        joined.or_else(|| next.filter(|_| words.contains(part)))
    })
}

/// A file name without its extension.
pub fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_by_rules() {
        for (path, author, book, disc, track) in [
            ("Author/Book/03 - Title.mp3", "Author", "Book", 0, 3),
            ("Author/Book/CD 2/03.mp3", "Author", "Book", 2, 3),
            ("Author/Book/Disc02/Part 4.mp3", "Author", "Book", 2, 4),
            ("Author/Series/Book/Book - 012.mp3", "Author", "Book", 0, 12),
            ("Author - Book/Book 1-07.mp3", "Author", "Book", 0, 7),
            ("Book/Kapitel 5 von 9.mp3", "-", "Book", 0, 5),
            ("Book.m4b", "-", "-", 0, 0),
            ("1984/1984.m4b", "-", "1984", 0, 1984),
            ("Book/Book (2019 edition).mp3", "-", "Book", 0, 0),
            ("Book/99999 - x.mp3", "-", "Book", 0, 0),
        ] {
            let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
            let name = parts.pop().unwrap();
            let text = |text: &str| Some(text.to_owned()).filter(|text| text != "-");
            let expected = Place {
                author: text(author),
                book: text(book),
                disc: Some(disc).filter(|number| *number > 0),
                track: Some(track).filter(|number| *number > 0),
            };
            assert_eq!(Place::parse(&parts, &name), expected, "{path}");
        }
    }
}
