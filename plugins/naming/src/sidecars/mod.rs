//! Sidecar files: which files belong to a video, and what they contain.
//!
//! Names are those of [`svc_plugin_api::Source::related`]: relative to the video's folder, with `/` as separator.

mod artwork;
mod nfo_files;
mod subtitle;

pub use artwork::{Artwork, artwork};
pub use nfo_files::{NfoFiles, nfo_files};
pub use subtitle::{Subtitle, subtitles};

use crate::episode::EpisodeName;
use crate::folder::{is_disc_structure, season_folder};
use crate::text::stem;

/// The video that sidecar files are matched with.
#[derive(Debug, Clone, Copy)]
pub struct Video<'a> {
    stem: &'a str,
    folders: &'a [String],
    episode: Option<&'a EpisodeName>,
    is_show: bool,
}

impl<'a> Video<'a> {
    /// A movie: files in its folder without another name belong to it.
    pub fn movie(folders: &'a [String], file_name: &'a str) -> Self {
        Self {
            stem: stem(file_name),
            folders,
            episode: None,
            is_show: false,
        }
    }

    /// An episode: its sidecar files have its name or number, or belong to the season or the show.
    pub fn episode(folders: &'a [String], file_name: &'a str, episode: Option<&'a EpisodeName>) -> Self {
        Self {
            stem: stem(file_name),
            folders,
            episode,
            is_show: true,
        }
    }

    /// The rest of a name after the video's own ("Film.en.srt": ".en"); `None` if it does not begin with it or the
    /// word continues ("Film 2.srt" of "Film").
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

    /// Whether the file is within a copied disc, whose sidecar files are one folder above.
    fn in_disc_structure(&self) -> bool {
        self.folders
            .last()
            .is_some_and(|folder| is_disc_structure(folder))
    }

    fn season(&self) -> Option<u32> {
        self.episode.and_then(|episode| episode.season)
    }
}

/// Folder, name without extension, and extension in lower case. The folder ends with `/` or is empty.
fn parts(name: &str) -> Option<(&str, &str, String)> {
    let at = name.rfind('/').map_or(0, |at| at + 1);
    let (folder, file) = (name.get(..at)?, name.get(at..)?);
    let (front, extension) = file.rsplit_once('.')?;
    (!front.is_empty()).then(|| (folder, front, extension.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests;
