//! The TV plugin: metadata of episodes from sidecars, names and containers.
//!
//! [`video`] reads the container, [`naming`] the names and sidecars; [`fields`] decides which source takes
//! precedence.

mod fields;

use fields::Sources;
use naming::record::Record;
use naming::sidecars::{Video, nfo_files};
use svc_plugin_api::{ExtractError, Extraction, Extractor, Source};

pub struct Tv;

impl Extractor for Tv {
    fn extract(source: &mut Source) -> Result<Option<Extraction>, ExtractError> {
        let container = video::read(source)?;
        let (file_name, folders) = (source.name().to_owned(), source.folders());
        let related = source.related();
        let names: Vec<&str> = related.iter().map(|file| file.name.as_str()).collect();
        let name = naming::episode(&folders, &file_name);
        let episode = Video::episode(&folders, &file_name, name.as_ref());
        let chosen = nfo_files(&episode, &names);

        let mut record = Record::new();
        let sources = Sources {
            own: record.read_nfo(source, chosen.own.as_deref(), false),
            season: record.read_nfo(source, chosen.season.as_deref(), false),
            show: record.read_nfo(source, chosen.show.as_deref(), false),
            name: name.as_ref(),
            folder_show: naming::show_of(&folders),
            tags: &container.tags,
            file_name: &file_name,
        };
        sources.write(&mut record);
        record.sidecars(&episode, &names);
        container.write(record.extraction());
        Ok(record.finish())
    }
}

svc_plugin_api::export_plugin!(Tv, manifest = "plugin.toml");
