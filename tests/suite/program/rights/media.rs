//! The media of two accounts with separate libraries. Every title, name and text of an account's own media contains
//! its word, so a leak into a response of the other account is found by searching for the word. A release, its
//! artist, a genre, a movie, a show and an audiobook are shared: each account has a part of their files.

use std::path::Path;

use svc_fixtures::{Clip, Cover, Format, Photo, PhotoFormat, Sound, Track, VideoFormat};
use svc_test_support::archives::{Packed, zip};

/// Media kinds, which are also the names of the media directories. Plugins define the last two: an item of `comics` is a
/// file, one of `audiobooks` a group of files.
pub const KINDS: [&str; 6] = ["music", "photos", "movies", "tv", "comics", "audiobooks"];
/// Those that plugins define.
pub const PLUGIN_KINDS: [&str; 2] = ["comics", "audiobooks"];

/// The properties by which the media of one account are recognized.
#[derive(Debug, Clone, Copy)]
pub struct MediaSet {
    /// The word in all titles, names and texts.
    pub word: &'static str,
    /// Release year of all media.
    pub year: u16,
    /// Where the photos were taken: latitude and longitude, in degrees.
    pub degrees: f64,
    /// Duration of tracks in seconds, and of videos in units of ten minutes.
    pub seconds: u16,
    /// Whether this account's part of the shared items has artwork.
    pub has_pictures: bool,
}

/// The media of the two accounts.
pub const MEDIA_SETS: [MediaSet; 2] = [
    MediaSet {
        word: "Amberly",
        year: 1991,
        degrees: 10.0,
        seconds: 1,
        has_pictures: false,
    },
    MediaSet {
        word: "Brindle",
        year: 2011,
        degrees: 50.0,
        seconds: 2,
        has_pictures: true,
    },
];

fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

impl MediaSet {
    /// Values of a query parameter that select these media, for the filter of this name; `None` for other parameters.
    pub fn query(self, name: &str, filter: &str) -> Option<Vec<String>> {
        let Self {
            word, year, degrees, ..
        } = self;
        let own = |what: &str| format!("{word}%20{what}");
        Some(match (name, filter) {
            ("genre", _) => vec![own("genre"), "Common%20genre".to_owned()],
            ("camera", _) => vec![own("Optics"), own("model")],
            ("lens", _) => vec![own("lens")],
            ("yearFrom" | "yearTo", _) => vec![year.to_string()],
            ("bucket", "day") => vec![format!("{year}-07-14"), "2020-05-06".to_owned()],
            ("bucket", _) => vec![format!("{year}-07"), "2020-05".to_owned()],
            ("from", _) => vec![format!("{year}-07-14T00:00:00Z")],
            ("to", _) => vec!["2024-01-01T00:00:00Z".to_owned()],
            ("addedSince", _) => vec!["2000-01-01T00:00:00Z".to_owned()],
            ("bbox", _) => {
                let (low, high) = (degrees - 1.0, degrees + 1.0);
                vec![format!("{low},{low},{high},{high}")]
            }
            ("q", _) => vec![word.to_owned(), word[..3].to_owned(), own("genre")],
            _ => return None,
        })
    }

    fn track(self, title: &str, [artist, release, genre]: [&str; 3]) -> Track {
        let sound = Sound {
            milliseconds: u32::from(self.seconds) * 1000,
            ..Sound::default()
        };
        Track::new(&format!("{} {title}", self.word))
            .artist(artist)
            .release_artist(artist)
            .release(release)
            .genre(genre)
            .genre(&format!("{} genre", self.word))
            .date(&self.year.to_string())
            .sound(sound)
    }

    /// Writes a track that only this account has.
    pub fn write_track(self, media: &Path, number: u32, format: Format) {
        let word = self.word;
        let (artist, release) = (format!("{word} band"), format!("{word} album"));
        let cover = Cover::Jpeg {
            side: 64,
            seed: u64::from(number),
        };
        let track = self
            .track(&format!("song {number}"), [&artist, &release, "Common genre"])
            .track(number, 9)
            .cover(cover);
        let path = format!("music/{word}/album/{number}.{}", format.extension());
        write(&media.join(path), track.encode(format).unwrap().0);
    }

    /// Writes a photo that only this account has, taken at this local time.
    pub fn write_photo(self, media: &Path, number: u32, taken: &str) {
        let word = self.word;
        let photo = Photo::new(64, 48)
            .seed(u64::from(number) + u64::from(self.year))
            .camera(&format!("{word} Optics"), &format!("{word} model"))
            .lens(&format!("{word} lens"))
            .gps(self.degrees, self.degrees, None)
            .taken(taken);
        let path = format!("photos/{word}/{number}/{word} {number}.jpg");
        write(&media.join(path), photo.encode(PhotoFormat::Jpeg).unwrap().0);
    }

    /// Writes a video with sidecars.
    fn write_video(self, folder: &Path, name: &str, number: u32) {
        let word = self.word;
        let clip = Clip::new(u32::from(self.seconds) * 600_000)
            .video("h264", 640, 480, 25.0)
            .audio("aac", 2, 48_000, "eng")
            .named(&format!("{word} sound"))
            .chapter(0, &format!("{word} chapter"))
            .tag("COMMENT", &format!("{name} {number}"));
        write(
            &folder.join(format!("{name}.mkv")),
            clip.encode(VideoFormat::Matroska),
        );
        write(
            &folder.join(format!("{name}.en.srt")),
            format!("1\n00:00:01,000 --> 00:00:02,000\n{word}\n"),
        );
    }

    fn write_picture(self, path: &Path) {
        let cover = Cover::Jpeg {
            side: 64,
            seed: u64::from(self.year),
        };
        write(path, cover.bytes().unwrap());
    }

    /// Writes a movie that only this account has.
    pub fn write_movie(self, media: &Path, number: u32) {
        let (word, year) = (self.word, self.year);
        let name = format!("{word} film {number} ({year})");
        let folder = media.join(format!("movies/{word}/{name}"));
        self.write_video(&folder, &name, number);
        write(
            &folder.join("movie.nfo"),
            format!(
                "<movie><title>{word} film {number}</title><year>{year}</year><plot>{word} plot</plot>\
                 <genre>{word} genre</genre><genre>Common genre</genre><studio>{word} studio</studio>\
                 <actor><name>{word} actor</name><role>{word} role</role></actor></movie>"
            ),
        );
        self.write_picture(&folder.join("poster.jpg"));
        self.write_picture(&folder.join("fanart.jpg"));
    }

    /// Writes a comic that only this account has.
    pub fn write_comic(self, media: &Path, number: u32) {
        let (word, year) = (self.word, self.year);
        let info = format!(
            "<?xml version=\"1.0\"?><ComicInfo><Title>{word} comic {number}</Title><Series>{word} series</Series>\
             <Number>{number}</Number><Writer>{word} writer</Writer><Publisher>Common publisher</Publisher>\
             <Genre>Common genre</Genre><Year>{year}</Year></ComicInfo>"
        );
        let page = Cover::Jpeg {
            side: 64,
            seed: u64::from(year) + u64::from(number),
        };
        let page = page.bytes().unwrap();
        let archive = zip(&[
            Packed::deflated("ComicInfo.xml", info.as_bytes()),
            Packed::stored("1.jpg", &page),
            Packed::deflated("2.jpg", &page),
        ]);
        let path = format!("comics/{word}/{word} comic {number}.cbz");
        write(&media.join(path), archive);
    }

    /// Writes a part of an audiobook.
    fn write_part(self, media: &Path, folder: &str, [author, book]: [&str; 2], number: u32) {
        let track = self
            .track(&format!("part {number}"), [author, book, "Common genre"])
            .track(number, 2);
        let path = format!("audiobooks/{}/{folder}/{number}.mp3", self.word);
        write(&media.join(path), track.encode(Format::Mp3).unwrap().0);
    }

    /// Writes an audiobook that only this account has.
    fn write_audiobook(self, media: &Path) {
        let (author, book) = (format!("{} author", self.word), format!("{} book", self.word));
        for number in 1..=2 {
            self.write_part(media, "book", [&author, &book], number);
        }
    }

    fn write_show(self, media: &Path) {
        let (word, year) = (self.word, self.year);
        let folder = media.join(format!("tv/{word}/{word} show ({year})"));
        for number in 1..=2 {
            let name = format!("{word} show S01E0{number} - {word} part {number}");
            self.write_video(&folder.join("Season 01"), &name, number);
            self.write_picture(&folder.join(format!("Season 01/{name}-thumb.jpg")));
        }
        write(
            &folder.join("tvshow.nfo"),
            format!(
                "<tvshow><title>{word} show</title><year>{year}</year><plot>{word} plot</plot>\
                 <genre>{word} genre</genre><genre>Common genre</genre></tvshow>"
            ),
        );
        self.write_picture(&folder.join("poster.jpg"));
        self.write_picture(&folder.join("season01-poster.jpg"));
    }

    /// Writes this account's part of the shared items. Their names do not contain the word.
    fn write_shared(self, media: &Path, season: u32) {
        let word = self.word;
        let mut track = self.track("duet", ["Both", "Together", "Common genre"]);
        if self.has_pictures {
            track = track.cover(Cover::Png { side: 64, seed: 3 });
        }
        write(
            &media.join(format!("music/{word}/both/duet.mp3")),
            track.track(season, 2).encode(Format::Mp3).unwrap().0,
        );
        let folder = media.join(format!("movies/{word}/Common film (2000)"));
        self.write_video(&folder, "Common film (2000)", season);
        let show = media.join(format!("tv/{word}/Common show (2000)"));
        let name = format!("Common show S0{season}E01 - {word} common part");
        self.write_video(&show.join(format!("Season 0{season}")), &name, season);
        if self.has_pictures {
            self.write_picture(&folder.join("poster.jpg"));
            self.write_picture(&show.join("poster.jpg"));
        }
        self.write_part(media, "both", ["Both", "Common book"], season);
    }
}

/// Writes the media of both accounts below `media`.
pub fn write_all(media: &Path) {
    for (season, media_set) in (1..).zip(MEDIA_SETS) {
        media_set.write_track(media, 1, Format::Flac);
        media_set.write_track(media, 2, Format::Mp3);
        media_set.write_photo(media, 1, &format!("{}-07-14T10:00:00", media_set.year));
        media_set.write_photo(media, 2, "2020-05-06T10:00:00");
        media_set.write_movie(media, 1);
        media_set.write_show(media);
        media_set.write_comic(media, 1);
        media_set.write_audiobook(media);
        media_set.write_shared(media, season);
    }
}
