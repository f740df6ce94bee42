//! What the names of films and episodes say.

pub mod beside;
mod cursor;
mod edition;
mod episode;
mod folder;
mod ids;
mod junk;
mod marker;
mod movie;
pub mod nfo;
mod text;
mod token;
mod year;

pub use episode::{EpisodeName, episode};
pub use folder::{ShowName, season_folder, show_folder};
pub use movie::{MovieName, movie};
pub use text::{split_path, stem};
