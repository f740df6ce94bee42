//! Hostile names: every rule terminates without a panic, in time proportional to the length.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use naming::sidecars::{Video, artwork, nfo_files, subtitles};
use naming::{episode, movie, season_folder, show_folder};

/// Text that rules match, and text that interrupts it.
const PIECES: &[&str] = &[
    "S01E02",
    "s1",
    "E",
    "e03",
    "1x02",
    "x",
    "2017",
    ".04.20",
    "(2010)",
    "[Group]",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "{edition-",
    "[tmdbid-",
    "tt0113277",
    " - ",
    "-",
    ".",
    "_",
    " ",
    "013",
    "v2",
    "1080p",
    "x264",
    "第",
    "話",
    "½",
    "é",
    "Ä",
    "\u{301}",
    "\u{200b}",
    "İ",
    "ß",
    "결혼",
    "season",
    "Staffel",
    "part",
    "III",
    "cd1",
    "'s",
    "…",
    "\u{10ffff}",
    "0",
    "99999999999999999999",
    "Season 1",
    "folge",
    "年",
    "1920x1080",
    "..",
    "",
];

/// A generator with the same sequence on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn name(&mut self) -> String {
        let count = self.below(12);
        (0..count).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }
}

/// Runs every parser once.
fn all(folders: &[String], file: &str, sidecars: &str) {
    let movie = movie(folders, file);
    assert!((0.0..=1.0).contains(&movie.confidence));
    let found = episode(folders, file);
    if let Some(found) = &found {
        assert!((0.0..=1.0).contains(&found.confidence), "{file}");
        assert!(!found.pattern.is_empty(), "{file}");
        assert!(
            found.episode_end.is_none() || found.episode_end > found.episode,
            "{file}: {found:?}"
        );
    }
    show_folder(file);
    season_folder(file, sidecars);
    for video in [
        Video::movie(folders, file),
        Video::episode(folders, file, found.as_ref()),
    ] {
        let names = [sidecars, "Subs/a.en.srt", "../poster.jpg"];
        assert!(subtitles(&video, &names).len() <= names.len());
        assert!(artwork(&video, &names).len() <= names.len());
        nfo_files(&video, &names);
    }
}

#[test]
fn names_of_any_pieces_end() {
    let mut numbers = Numbers(1);
    for _ in 0..2_000 {
        let folders: Vec<String> = (0..numbers.below(4)).map(|_| numbers.name()).collect();
        let (file, sidecars) = (numbers.name() + ".mkv", numbers.name() + ".srt");
        all(&folders, &file, &sidecars);
        assert_eq!(
            episode(&folders, &file),
            episode(&folders, &file),
            "the result is deterministic"
        );
    }
}

#[test]
fn names_of_any_length_end_soon() {
    for piece in PIECES.iter().filter(|piece| !piece.is_empty()) {
        // Twice the longest name of a file system.
        let name = piece.repeat(512 / piece.len());
        all(
            &[name.clone(), name.clone()],
            &format!("{name}.mkv"),
            &format!("{name}.srt"),
        );
    }
}
