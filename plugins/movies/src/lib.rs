//! The movies plugin: metadata of movies from sidecars, names and containers.
//!
//! [`video`] reads the container, [`naming`] the names and sidecars; [`fields`] decides which source takes
//! precedence.

mod fields;

use naming::record::Record;
use naming::sidecars::{Video, nfo_files};
use svc_plugin_api::{ExtractError, Extraction, Extractor, Source};

pub struct Movies;

impl Extractor for Movies {
    fn extract(source: &mut Source) -> Result<Option<Extraction>, ExtractError> {
        let container = video::read(source)?;
        let (file_name, folders) = (source.name().to_owned(), source.folders());
        let related = source.related();
        let names: Vec<&str> = related.iter().map(|file| file.name.as_str()).collect();
        let movie = Video::movie(&folders, &file_name);
        let chosen = nfo_files(&movie, &names);

        let mut record = Record::new();
        let nfo = record.read_nfo(source, chosen.own.as_deref(), chosen.own_is_guess);
        let name = naming::movie(&folders, &file_name);
        fields::write(&mut record, &nfo, &name, &container.tags, &file_name);
        record.sidecars(&movie, &names);
        container.write(record.extraction());
        Ok(record.finish())
    }
}

svc_plugin_api::export_plugin!(Movies, manifest = "plugin.toml");
