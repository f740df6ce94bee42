//! The movies plugin: films by their sidecars, names and containers.
//!
//! The container is read by [`video`], names and neighbours by [`naming`]; [`fields`] says which of them is believed.

mod fields;

use naming::beside::{Video, sidecars};
use naming::record::Record;
use svc_plugin_api::{ExtractError, Extraction, Extractor, Source};

/// Reads films.
pub struct Movies;

impl Extractor for Movies {
    fn extract(source: &mut Source) -> Result<Option<Extraction>, ExtractError> {
        let container = video::read(source)?;
        let (file_name, folders) = (source.name().to_owned(), source.folders());
        let related = source.related();
        let neighbours: Vec<&str> = related.iter().map(|file| file.name.as_str()).collect();
        let film = Video::film(&folders, &file_name);
        let chosen = sidecars(&film, &neighbours);

        let mut record = Record::new();
        let nfo = record.sidecar(source, chosen.own.as_deref(), chosen.own_is_guess);
        let name = naming::movie(&folders, &file_name);
        fields::write(&mut record, &nfo, &name, &container.tags, &file_name);
        record.beside(&film, &neighbours);
        container.write(record.extraction());
        Ok(record.finish())
    }
}

svc_plugin_api::export_plugin!(Movies, manifest = "plugin.toml");
