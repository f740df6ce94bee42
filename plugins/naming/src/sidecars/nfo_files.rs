//! Selects the NFO sidecars of a video.

use super::{Video, parts};
use crate::folder::is_generic;

/// The NFO sidecars of a video, relative to its folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NfoFiles {
    /// Of the movie or the episode.
    pub own: Option<String>,
    /// Whether `own` has an unrelated name and was the only candidate: it may be the notes of a release.
    pub own_is_guess: bool,
    pub season: Option<String>,
    pub show: Option<String>,
}

/// Selects the sidecars of a video among these files.
///
/// ```
/// use naming::sidecars::{Video, nfo_files};
/// let found = nfo_files(&Video::movie(&[], "Heat.mkv"), &["movie.nfo", "Heat.nfo", "../tvshow.nfo"]);
/// assert_eq!((found.own.as_deref(), found.show), (Some("Heat.nfo"), None));
/// ```
pub fn nfo_files(video: &Video, names: &[&str]) -> NfoFiles {
    let files: Vec<(&str, &str, &str)> = names
        .iter()
        .filter_map(|name| {
            let (folder, front, extension) = parts(name)?;
            (extension == "nfo").then_some((*name, folder, front))
        })
        .collect();
    let named = |folder: &str, wanted: &str| {
        let mut fitting = files.iter();
        fitting
            .find(|(_, at, front)| *at == folder && front.eq_ignore_ascii_case(wanted))
            .map(|(name, ..)| (*name).to_owned())
    };
    if video.is_show {
        let above = video.in_season_folder().then(|| named("../", "tvshow")).flatten();
        return NfoFiles {
            own: named("", video.stem),
            own_is_guess: false,
            season: named("", "season"),
            show: named("", "tvshow").or(above),
        };
    }
    let above = || video.in_disc_structure().then(|| named("../", "movie")).flatten();
    let own = named("", video.stem)
        .or_else(|| named("", "movie"))
        .or_else(above);
    let guess = own.is_none().then(|| only(video, &files)).flatten();
    NfoFiles {
        own_is_guess: guess.is_some(),
        own: own.or(guess),
        season: None,
        show: None,
    }
}

/// The only sidecar in a movie's own folder, whatever its name.
fn only(video: &Video, files: &[(&str, &str, &str)]) -> Option<String> {
    let mut sidecars = files.iter().filter(|(_, folder, _)| folder.is_empty());
    let (name, _, front) = sidecars.next()?;
    let of_others = ["tvshow", "season"]
        .iter()
        .any(|other| front.eq_ignore_ascii_case(other));
    let own_folder = video.folders.last().is_some_and(|folder| !is_generic(folder));
    (sidecars.next().is_none() && own_folder && !of_others).then(|| (*name).to_owned())
}
