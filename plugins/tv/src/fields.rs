//! The precedence of the sources for each field of an episode.

use naming::nfo::{Document, Kind, Nfo};
use naming::record::{Origin, Record, container_title};
use naming::{EpisodeName, ShowName};
use video::Tags;

/// The confidence of a name that no rule matches.
const NO_PATTERN: f64 = 0.1;

/// The metadata of one file by source.
pub(crate) struct Sources<'a> {
    pub(crate) own: Nfo,
    pub(crate) season: Nfo,
    pub(crate) show: Nfo,
    pub(crate) name: Option<&'a EpisodeName>,
    /// The show according to the folders, independent of the file name.
    pub(crate) folder_show: ShowName,
    pub(crate) tags: &'a Tags,
    pub(crate) file_name: &'a str,
}

impl Sources<'_> {
    /// Writes the fields of the sidecars first, then those of the name, of the container, and of the folders.
    pub(crate) fn write(&self, record: &mut Record) {
        self.of_sidecars(record);
        self.ids(record);
        if let Some(name) = self.name {
            self.of_name(record, name);
        }
        self.of_container(record);
        record
            .text("tv.show", Origin::Folder, Some(&self.folder_show.title))
            .integer("tv.show-year", Origin::Folder, self.folder_show.year);
        let is_placed = self
            .name
            .is_some_and(|name| name.episode.is_some() || name.absolute.is_some() || name.air_date.is_some());
        if !is_placed {
            // A file without a number has its whole name as the title.
            let name = naming::display(naming::stem(self.file_name));
            record.title(Origin::Name, Some(&name));
        }
        match self.name {
            Some(name) => record.name(name.pattern, &name.matched, name.confidence),
            None => record.name("none", "", NO_PATTERN),
        };
    }

    fn of_sidecars(&self, record: &mut Record) {
        let episodes: Vec<&Document> = self.own.all(Kind::Episode).collect();
        if let Some((first, last)) = episodes.first().zip(episodes.last()) {
            let titles: Vec<&str> = episodes
                .iter()
                .filter_map(|episode| episode.title.as_deref())
                .collect();
            let end = last
                .episode_end
                .or(last.episode)
                .filter(|end| Some(*end) > first.episode);
            record
                .title(Origin::Nfo, Some(&titles.join(" / ")))
                .text("title-sort", Origin::Nfo, first.sort_title.as_deref())
                .text(
                    "tv.overview",
                    Origin::Nfo,
                    first.plot.as_deref().or(first.outline.as_deref()),
                )
                .text("tv.content-rating", Origin::Nfo, first.content_rating.as_deref())
                .integer("tv.season", Origin::Nfo, first.season)
                .integer("tv.episode", Origin::Nfo, first.episode)
                .integer("tv.episode-end", Origin::Nfo, end)
                .date("tv.air-date", Origin::Nfo, first.aired.or(first.premiered))
                .people("tv.people", &first.people);
        }
        if let Some(show) = self.show.first(Kind::Show) {
            let year = show.year.or(show.premiered.map(|date| date.year));
            record
                .text("tv.show", Origin::Nfo, show.title.as_deref())
                .text("tv.show-sort", Origin::Nfo, show.sort_title.as_deref())
                .text(
                    "tv.show-overview",
                    Origin::Nfo,
                    show.plot.as_deref().or(show.outline.as_deref()),
                )
                .text("tv.content-rating", Origin::Nfo, show.content_rating.as_deref())
                .integer("tv.show-year", Origin::Nfo, year)
                .texts("tv.genres", Origin::Nfo, &show.genres)
                .people("tv.people", &show.people);
        }
        if let Some(first) = episodes.first() {
            record
                .text("tv.show", Origin::Nfo, first.show_title.as_deref())
                .texts("tv.genres", Origin::Nfo, &first.genres);
        }
        let season = self.season.first(Kind::Season).and_then(|season| season.season);
        record.integer("tv.season", Origin::Nfo, season);
    }

    fn ids(&self, record: &mut Record) {
        let of = |nfo: &Nfo, kind| {
            nfo.first(kind)
                .map_or_else(Vec::new, |document| document.external_ids.clone())
        };
        let (in_file, in_folder) = self.name.map_or((&[][..], &[][..]), |name| {
            (name.external_ids.as_slice(), name.show_external_ids.as_slice())
        });
        let in_folder = if in_folder.is_empty() {
            &self.folder_show.external_ids
        } else {
            in_folder
        };
        record
            .external_ids(
                "tv.external-ids",
                &[
                    (Origin::Nfo, &of(&self.own, Kind::Episode)),
                    (Origin::Nfo, &self.own.linked_ids),
                ],
            )
            // An id in a file name is the show's: renaming programs put it into the name of every episode.
            .external_ids(
                "tv.show-external-ids",
                &[
                    (Origin::Nfo, &of(&self.show, Kind::Show)),
                    (Origin::Nfo, &self.show.linked_ids),
                    (Origin::Folder, in_folder),
                    (Origin::Name, in_file),
                ],
            );
    }

    fn of_container(&self, record: &mut Record) {
        let tags = self.tags;
        let title = tags.episode_title.as_deref().or(tags.title.as_deref());
        let title =
            container_title(title, self.file_name).filter(|title| tags.show.as_deref() != Some(title));
        record
            .title(Origin::Container, title)
            .text("tv.show", Origin::Container, tags.show.as_deref())
            .date(
                "tv.air-date",
                Origin::Container,
                tags.date.filter(|date| date.day.is_some()),
            )
            .text("tv.overview", Origin::Container, tags.description.as_deref())
            .texts("tv.genres", Origin::Container, &tags.genres);
        // An absolute number or an air date in the name locates the episode.
        if self
            .name
            .is_none_or(|name| name.absolute.is_none() && name.air_date.is_none())
        {
            record
                .integer("tv.season", Origin::Container, tags.season)
                .integer("tv.episode", Origin::Container, tags.episode);
        }
        let season = self
            .name
            .filter(|name| name.season_from_folder)
            .and_then(|name| name.season);
        record.integer("tv.season", Origin::Folder, season);
    }

    /// Fields of the file name; a season that only the folder states is written after the container's.
    fn of_name(&self, record: &mut Record, name: &EpisodeName) {
        let said = name.season.filter(|_| !name.season_from_folder);
        // The end of a range belongs to its start.
        let in_sidecar = self.own.first(Kind::Episode).and_then(|episode| episode.episode);
        let end = name
            .episode_end
            .filter(|_| in_sidecar.is_none() || in_sidecar == name.episode);
        let show_origin = Origin::of_name(name.show_from_folder);
        record
            .title(Origin::Name, name.title.as_deref())
            .integer("tv.season", Origin::Name, said)
            .integer("tv.episode", Origin::Name, name.episode)
            .integer("tv.episode-end", Origin::Name, end)
            .integer("tv.absolute", Origin::Name, name.absolute)
            .date("tv.air-date", Origin::Name, name.air_date)
            .text("tv.show", show_origin, Some(&name.show))
            .integer("tv.show-year", show_origin, name.show_year);
    }
}
