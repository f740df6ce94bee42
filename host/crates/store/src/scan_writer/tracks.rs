//! Tracks of a batch, with their artists, genres and releases.

use crate::db::search_index::SearchIndex;
use crate::music::{gain_to_stored, peak_to_stored};
use crate::scan_writer::ids::for_ids;
use crate::scan_writer::names::{MissingNames, artist_key};
use crate::scan_writer::{PersistOutcome, ScanWriter, StoredFile, rows};
use crate::text::{bounded_key, bounded_sort, bounded_words};
use svc_database::Result;
use svc_database::Tx;
use svc_database::args::{Arg, args};
use svc_domain::extraction::{PictureData, Span};
use svc_domain::music::{Credit, ReleaseFacts, TrackFacts};
use svc_domain::scan::FileRecord;
use svc_domain::text::fold;
use svc_domain::time::Timestamp;

/// A track with the keys of its artists, genres and release.
struct KeyedTrack<'a> {
    id: i64,
    facts: &'a TrackFacts,
    release: Option<String>,
    artists: Vec<String>,
    genres: Vec<String>,
}

impl<'a> KeyedTrack<'a> {
    fn new(id: i64, facts: &'a TrackFacts) -> Self {
        Self {
            id,
            facts,
            release: facts
                .release
                .as_ref()
                .map(|release| bounded_key(release.key.clone())),
            artists: facts.credits.iter().map(artist_key).collect(),
            genres: facts.genres.iter().map(|name| bounded_key(fold(name))).collect(),
        }
    }
}

/// Removes known tracks from their artists and genres, and marks those and their releases as dirty.
pub(super) async fn unlink(tx: &mut Tx, tracks: &[i64]) -> Result<()> {
    let marks = [
        "UPDATE music_releases SET dirty = TRUE WHERE NOT dirty AND release_id IN \
         (SELECT release_id FROM music_tracks WHERE track_id",
        "UPDATE music_artists SET dirty = TRUE WHERE NOT dirty AND artist_id IN \
         (SELECT artist_id FROM track_artists WHERE track_id",
        "UPDATE music_genres SET dirty = TRUE WHERE NOT dirty AND genre_id IN \
         (SELECT genre_id FROM track_genres WHERE track_id",
    ];
    for head in marks {
        for_ids(tx, head, tracks, ")").await?;
    }
    for head in [
        "DELETE FROM track_artists WHERE track_id",
        "DELETE FROM track_genres WHERE track_id",
    ] {
        for_ids(tx, head, tracks, "").await?;
    }
    for_ids(tx, SearchIndex::Tracks.remove(tx.engine()), tracks, "").await
}

impl ScanWriter {
    pub(super) async fn store_tracks(
        &mut self,
        tx: &mut Tx,
        files: &[&StoredFile],
        now: Timestamp,
        added: &mut PersistOutcome,
    ) -> Result<()> {
        let (mut tracks, mut known) = (Vec::with_capacity(files.len()), Vec::new());
        for StoredFile { file, .. } in files {
            if let FileRecord::Track(facts) = &file.record {
                tracks.push(KeyedTrack::new(file.id.get(), facts));
                known.extend(file.known.then_some(file.id.get()));
            }
        }
        if tracks.is_empty() {
            return Ok(());
        }
        unlink(tx, &known).await?;
        self.store_names(tx, &tracks, now, added).await?;
        self.store_rows(tx, &tracks).await
    }

    async fn store_names(
        &mut self,
        tx: &mut Tx,
        tracks: &[KeyedTrack<'_>],
        now: Timestamp,
        added: &mut PersistOutcome,
    ) -> Result<()> {
        let names = &mut self.names;
        names.evict_if_full();
        let mut artists = MissingNames::<Credit>::default();
        let mut releases = MissingNames::<ReleaseFacts>::default();
        let mut genres = MissingNames::<String>::default();
        for track in tracks {
            for (key, credit) in track.artists.iter().zip(&track.facts.credits) {
                artists.request(&names.artists, key, credit);
            }
            for (key, name) in track.genres.iter().zip(&track.facts.genres) {
                genres.request(&names.genres, key, name);
            }
            if let (Some(key), Some(facts)) = (&track.release, &track.facts.release)
                && releases.request(&names.releases, key, facts)
            {
                for credit in &facts.artists {
                    artists.request(&names.artists, &artist_key(credit), credit);
                }
            }
        }
        names
            .add_artists(tx, &mut self.texts, artists, now, added)
            .await?;
        names.add_genres(tx, &mut self.texts, genres, now).await?;
        names
            .add_releases(tx, &mut self.texts, releases, now, added)
            .await
    }

    async fn store_rows(&mut self, tx: &mut Tx, tracks: &[KeyedTrack<'_>]) -> Result<()> {
        let mut rows_of_tracks = Vec::with_capacity(tracks.len() * rows::TRACKS.columns);
        let (mut artists, mut genres) = (Vec::new(), Vec::new());
        let mut words = Vec::with_capacity(tracks.len() * 2);
        for track in tracks {
            let release = track
                .release
                .as_deref()
                .and_then(|key| self.names.releases.get(key));
            rows_of_tracks.extend(track_values(track.id, release, track.facts));
            words.extend([
                Arg::from(track.id),
                Arg::from(bounded_words(track.facts.search_text())),
            ]);
            self.link(track, &mut artists, &mut genres);
        }
        let texts = &mut self.texts;
        texts.execute(tx, &rows::TRACKS, &rows_of_tracks).await?;
        texts.execute(tx, &rows::TRACK_ARTISTS, &artists).await?;
        texts.execute(tx, &rows::TRACK_GENRES, &genres).await?;
        texts
            .execute(tx, SearchIndex::Tracks.add(tx.engine()), &words)
            .await
    }

    fn link(&self, track: &KeyedTrack<'_>, artists: &mut Vec<Arg<'_>>, genres: &mut Vec<Arg<'_>>) {
        let mut seen = Vec::with_capacity(track.artists.len());
        for (key, credit) in track.artists.iter().zip(&track.facts.credits) {
            let Some(artist) = self.names.artists.get(key) else {
                continue;
            };
            if !seen.contains(&(artist, credit.role)) {
                let position = i16::try_from(seen.len()).unwrap_or(i16::MAX);
                artists.extend(args![track.id, position, artist, credit.role as i16]);
                seen.push((artist, credit.role));
            }
        }
        let mut seen = Vec::with_capacity(track.genres.len());
        for genre in track.genres.iter().filter_map(|key| self.names.genres.get(key)) {
            if !seen.contains(&genre) {
                let position = i16::try_from(seen.len()).unwrap_or(i16::MAX);
                genres.extend(args![track.id, position, genre]);
                seen.push(genre);
            }
        }
    }
}

fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn track_values(id: i64, release: Option<i64>, facts: &TrackFacts) -> [Arg<'_>; 23] {
    let picture = facts.picture.as_ref();
    let span = picture.and_then(|(_, picture)| match picture.data {
        PictureData::At(Span { offset, length }) => Some((stored(offset), stored(length))),
        PictureData::OnRequest => None,
    });
    args![
        id,
        release,
        facts.title.as_str(),
        bounded_sort(&facts.sort_title),
        facts.track_number,
        facts.disc_number,
        facts.duration_ms,
        facts.bitrate,
        facts.sample_rate,
        facts.bit_depth,
        facts.channels,
        facts.codec.as_deref(),
        facts.year,
        facts.isrc.as_deref(),
        facts.mb_recording_id.as_deref(),
        facts.replay_gain.track_gain.map(gain_to_stored),
        facts.replay_gain.track_peak.map(peak_to_stored),
        facts.replay_gain.album_gain.map(gain_to_stored),
        facts.replay_gain.album_peak.map(peak_to_stored),
        picture.map(|(index, _)| i32::try_from(*index).unwrap_or(i32::MAX)),
        span.map(|(offset, _)| offset),
        span.map(|(_, length)| length),
        picture.map(|(_, picture)| picture.mime.as_str()),
    ]
}
