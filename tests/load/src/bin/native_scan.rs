//! The baseline of a scan: walk, lofty linked natively, batched SQLite inserts.
//!
//! `native-scan DIR DATABASE` reads every music file below DIR with lofty on all cores and stores a row for each in
//! DATABASE, in transactions of 500. It does not group tracks, fold names or keep a search index.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a tool for measuring: prints, reads its arguments, and may stop at a fault"
)]

use std::path::PathBuf;
use std::sync::mpsc;

use anyhow::Context as _;
use lofty::config::ParseOptions;
use lofty::file::{AudioFile as _, TaggedFileExt as _};
use lofty::probe::Probe;
use lofty::tag::Accessor as _;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

const EXTENSIONS: [&str; 6] = ["mp3", "flac", "m4a", "ogg", "opus", "wav"];

struct Row {
    path: String,
    size: i64,
    title: Option<String>,
    artist: Option<String>,
    album: Option<String>,
    genre: Option<String>,
    track: Option<u32>,
    disc: Option<u32>,
    duration_ms: i64,
    bitrate: Option<u32>,
    sample_rate: Option<u32>,
    channels: Option<u8>,
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (root, database) = arguments
        .next()
        .zip(arguments.next())
        .context("usage: native-scan DIR DATABASE")?;
    let mut files = Vec::new();
    walk(root, &mut files)?;
    let (sender, rows) = mpsc::sync_channel::<Row>(1024);
    let stored = std::thread::scope(|scope| {
        let writer = scope.spawn(move || store(&database, &rows));
        files.par_iter().for_each_with(sender, |sender, path| {
            if let Ok(row) = read(path) {
                // Fails only after the writer, whose error is reported below.
                let _ = sender.send(row);
            }
        });
        writer
            .join()
            .map_err(|_| anyhow::anyhow!("the writer panicked"))?
    })?;
    println!("{stored} of {} files stored", files.len());
    Ok(())
}

fn walk(folder: PathBuf, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            walk(path, files)?;
        } else if path
            .extension()
            .and_then(|e| e.to_str())
            .is_some_and(|e| EXTENSIONS.contains(&e))
        {
            files.push(path);
        }
    }
    Ok(())
}

fn read(path: &PathBuf) -> anyhow::Result<Row> {
    let size = i64::try_from(std::fs::metadata(path)?.len())?;
    let options = ParseOptions::new().read_cover_art(false);
    let file = Probe::open(path)?.options(options).guess_file_type()?.read()?;
    let (tag, properties) = (file.primary_tag().or_else(|| file.first_tag()), file.properties());
    let text = |value: Option<std::borrow::Cow<'_, str>>| value.map(std::borrow::Cow::into_owned);
    Ok(Row {
        path: path.to_string_lossy().into_owned(),
        size,
        title: text(tag.and_then(lofty::tag::Tag::title)),
        artist: text(tag.and_then(lofty::tag::Tag::artist)),
        album: text(tag.and_then(lofty::tag::Tag::album)),
        genre: text(tag.and_then(lofty::tag::Tag::genre)),
        track: tag.and_then(lofty::tag::Tag::track),
        disc: tag.and_then(lofty::tag::Tag::disk),
        duration_ms: i64::try_from(properties.duration().as_millis())?,
        bitrate: properties.overall_bitrate(),
        sample_rate: properties.sample_rate(),
        channels: properties.channels(),
    })
}

fn store(database: &PathBuf, rows: &mpsc::Receiver<Row>) -> anyhow::Result<usize> {
    let mut connection = rusqlite::Connection::open(database)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
         CREATE TABLE tracks (path TEXT PRIMARY KEY, size, title, artist, album, genre, track, disc, duration, bitrate,
                              sample_rate, channels);
         CREATE INDEX by_artist ON tracks (artist); CREATE INDEX by_album ON tracks (album);",
    )?;
    let mut stored = 0;
    let mut rows = rows.iter().peekable();
    while rows.peek().is_some() {
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction
                .prepare_cached("INSERT INTO tracks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
            for row in rows.by_ref().take(500) {
                insert.execute(rusqlite::params![
                    row.path,
                    row.size,
                    row.title,
                    row.artist,
                    row.album,
                    row.genre,
                    row.track,
                    row.disc,
                    row.duration_ms,
                    row.bitrate,
                    row.sample_rate,
                    row.channels,
                ])?;
                stored += 1;
            }
        }
        transaction.commit()?;
    }
    Ok(stored)
}
