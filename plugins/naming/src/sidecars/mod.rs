//! The files beside a video: which belong to it, and what they are.
//!
//! Names are those of [`svc_plugin_api::Source::related`]: seen from the video's folder, with `/` between.

mod artwork;
mod nfo_files;
mod subtitle;

pub use artwork::{Artwork, artwork};
pub use nfo_files::{NfoFiles, nfo_files};
pub use subtitle::{Subtitle, subtitles};

use crate::episode::EpisodeName;
use crate::folder::{is_disc_structure, season_folder};
use crate::text::stem;

/// The video, as far as its neighbours are concerned.
#[derive(Debug, Clone, Copy)]
pub struct Video<'a> {
    stem: &'a str,
    folders: &'a [String],
    episode: Option<&'a EpisodeName>,
    is_show: bool,
}

impl<'a> Video<'a> {
    /// A film: what lies beside it without another name is its own.
    pub fn movie(folders: &'a [String], file_name: &'a str) -> Self {
        Self {
            stem: stem(file_name),
            folders,
            episode: None,
            is_show: false,
        }
    }

    /// An episode: what lies beside it has its name or its number, or is of the season or the show.
    pub fn episode(folders: &'a [String], file_name: &'a str, episode: Option<&'a EpisodeName>) -> Self {
        Self {
            stem: stem(file_name),
            folders,
            episode,
            is_show: true,
        }
    }

    /// What follows the video's own name in this one ("Film.en.srt": ".en"), or `None` if it does not begin with it.
    /// A longer word is another name ("Film 2.srt" of "Film").
    fn after_own_name<'n>(&self, name: &'n str) -> Option<&'n str> {
        let head = name.get(..self.stem.len()).filter(|_| !self.stem.is_empty())?;
        let rest = name.get(self.stem.len()..)?;
        let same = head == self.stem || head.to_lowercase() == self.stem.to_lowercase();
        let apart = rest
            .chars()
            .next()
            .is_none_or(|next| !next.is_alphanumeric() && next != ' ');
        (same && (apart || rest.starts_with(" ("))).then_some(rest)
    }

    /// Whether the file lies in the folder of a season.
    fn in_season_folder(&self) -> bool {
        let parent = self
            .folders
            .len()
            .checked_sub(2)
            .and_then(|index| self.folders.get(index));
        let parent = parent.map_or("", String::as_str);
        self.folders
            .last()
            .is_some_and(|folder| season_folder(folder, parent).is_some())
    }

    /// Whether the file lies inside of a disc's copy, whose neighbours lie a folder above.
    fn in_disc_structure(&self) -> bool {
        self.folders
            .last()
            .is_some_and(|folder| is_disc_structure(folder))
    }

    /// The season of the episode.
    fn season(&self) -> Option<u32> {
        self.episode.and_then(|episode| episode.season)
    }
}

/// Folder, name without ending, and ending in lower case; the folder ends in `/` or is empty.
fn parts(name: &str) -> Option<(&str, &str, String)> {
    let at = name.rfind('/').map_or(0, |at| at + 1);
    let (folder, file) = (name.get(..at)?, name.get(at..)?);
    let (front, extension) = file.rsplit_once('.')?;
    (!front.is_empty()).then(|| (folder, front, extension.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests;
