//! Parses names of movies and episodes, and finds their sidecar files.
//!
//! [`movie`] and [`episode`] parse a file name and the names of its folders, [`nfo`] parses NFO sidecars,
//! [`sidecars`] assigns sidecar files to a video, and [`record`] writes the fields that movies and TV have in common.
//! Names are parsed by tables of rules over a small scanner, without regular expressions or network access.
//!
//! A name is split into words once. Each word has its position, its bracket, and its class in the `vocabulary` with a
//! certainty that it ends the title. `release` goes through the words from last to first to find the end of the
//! title. Add new words to the tables of `vocabulary`, not to rules.
//!
//! # Patterns
//! Each match has a stable pattern name and a confidence:
//!
//! | Movie pattern | Confidence | Matches |
//! |---|---|---|
//! | `folder-and-file` | 0.98, 0.7 | folder and file have the same title: with the same year, without a year |
//! | `title-year` | 0.95, 0.85 | "Heat (1995)", "Heat.1995.1080p": a year in brackets, a bare one |
//! | `folder-year` | 0.93, 0.85 | the folder "Heat (1995)" or "Heat 1995", which states more than the file |
//! | `title-release` | 0.6 | "Heat.1080p.BluRay": a title before words of a release |
//! | `folder-title` | 0.55 | the folder "Heat", which states more than the file |
//! | `title` | 0.4 | the whole name |
//!
//! | Episode pattern | Confidence | Matches |
//! |---|---|---|
//! | `sxxexx` | 0.98 | "S01E02", "s1.e2", "S01xE02", "S3 E9", "S01E01-E03" |
//! | `season-episode` | 0.95 | "Season 3 Episode 9", "Staffel 2 Folge 4", "2 сезон 5 серия" |
//! | `nxnn` | 0.93 | "1x02", "01x02-04" |
//! | `date` | 0.9, 0.5 | "2017.04.20", "20.04.2017", "20170420", "23rd Feb 2024"; "170420", "20.04.17" |
//! | `chapter` | 0.95 | "Cap.408": the season and two digits of the episode |
//! | `sxx-nn` | 0.85 | "S2 - 05", "S21 999" |
//! | `episode-word` | 0.85 | "E03", "Ep 3-5", "Folge 3", "第03話" |
//! | `n-of-n` | 0.83 | "3of5", "(3 of 5)", "Part 3 of 5" |
//! | `folder-season` | 0.82 | "02 - Name", "Name 02" in the folder of a season |
//! | `absolute-group` | 0.81 | "\[Group\] Show - 013", "\[Group\]\[Show\]\[04\]" |
//! | `folder-release` | 0.8 | the number of the folder "Show.S01E02.720p-GRP" |
//! | `special` | 0.65, 0.5 | "OVA 2", "SP1"; "\[Group\] Show - NCOP1", which has no number that counts |
//! | `absolute` | 0.65, 0.6 | "Show - 013"; "Show \[013\]", "Show (13)" |
//! | `part` | 0.55 | "Part 3", "Part III", "Part Three" |
//! | `leading-number` | 0.5 | "02 - Name" outside of a season's folder |
//! | `compact` | 0.45 | "show.203", "show.1013", "show.203.204" |
//! | `n-nn` | 0.45 | "4-12 - Name" |
//! | `trailing-number` | 0.35, 0.3 | "Show 82", "Show #82"; "Show.05.Title" |
//! | `season-only` | 0.25 | a season's folder or "Show.S02.1080p", and no number |

mod cursor;
mod edition;
mod episode;
mod folder;
mod ids;
mod marker;
mod movie;
pub mod nfo;
pub mod record;
mod release;
pub mod sidecars;
mod site;
mod text;
mod token;
mod vocabulary;
mod year;

pub use episode::{EpisodeName, episode, show_of};
pub use folder::{ShowName, season_folder, show_folder};
pub use movie::{MovieName, movie};
pub use text::{display, split_path, stem};
