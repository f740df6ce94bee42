//! Files of movies and episodes and their sidecars, with the data needed to open them.

use sqlx::AssertSqlSafe;

use crate::db::Database;
use crate::files::media_file::{MediaFile, MediaRow, file_columns, file_joins};
use crate::query::access_filter::{AccessFilter, and_in_folder};
use svc_database::Result;
use svc_database::args::{Arg, args};
use svc_domain::id::{MovieId, SubtitleId, TvEpisodeId};
use svc_domain::library::MediaScope;
use svc_domain::video::{Streams, Subtitle, VideoSubject, pictures, subtitle_files};

/// Files examined for one picture: all episodes of a show name the same few.
const CANDIDATES: i64 = 16;

/// Subtitles with their video file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubtitleFile {
    /// The video's file.
    pub media: MediaFile,
    /// The subtitles.
    pub subtitle: Subtitle,
    /// `true` for a movie, `false` for an episode.
    pub of_movie: bool,
}

#[derive(sqlx::FromRow)]
struct SubtitleRow {
    #[sqlx(flatten)]
    media: MediaRow,
    subtitles: String,
    streams: String,
    of_movie: bool,
}

#[derive(sqlx::FromRow)]
struct ArtworkRow {
    #[sqlx(flatten)]
    media: MediaRow,
    artwork: String,
}

macro_rules! files_of {
    ($more:literal, $condition:literal) => {
        concat!(
            "SELECT ",
            file_columns!(),
            $more,
            " FROM video_sources s JOIN files f ON f.file_id = s.source_id ",
            file_joins!(),
            $condition
        )
    };
}

/// The order of [`VideoSource::rank`](svc_domain::video::VideoSource::rank).
const BEST_FIRST: &str = " ORDER BY f.status, coalesce(s.part, 1), f.size DESC, f.file_id";

/// Files of movies and episodes, with their subtitles and pictures.
#[derive(Debug, Clone)]
pub struct VideoFileRepository {
    pub(crate) db: Database,
}

impl VideoFileRepository {
    /// The accessible files of a movie, best first.
    pub async fn movie_files(&self, scope: &MediaScope, id: MovieId) -> Result<Vec<MediaFile>> {
        let select = files_of!("", " WHERE s.movie_id = $1");
        self.video_files(scope, select, id.get()).await
    }

    /// The accessible files of an episode, best first.
    pub async fn episode_files(&self, scope: &MediaScope, id: TvEpisodeId) -> Result<Vec<MediaFile>> {
        let select = files_of!("", " WHERE s.episode_id = $1");
        self.video_files(scope, select, id.get()).await
    }

    async fn video_files(&self, scope: &MediaScope, select: &str, id: i64) -> Result<Vec<MediaFile>> {
        let sql = AssertSqlSafe(format!("{select}{}{BEST_FIRST}", and_in_folder(scope)));
        let rows: Vec<MediaRow> = self.db.pools().fetch_all(sql, &args![id]).await?;
        rows.into_iter().map(MediaFile::try_from).collect()
    }

    /// Subtitles of an accessible file.
    pub async fn subtitle_file(&self, scope: &MediaScope, id: SubtitleId) -> Result<Option<SubtitleFile>> {
        let select = files_of!(
            ", s.subtitles, s.streams, s.movie_id IS NOT NULL AS of_movie",
            " WHERE s.source_id = $1"
        );
        let sql = AssertSqlSafe(select.to_owned() + &and_in_folder(scope));
        let values = args![id.source().get()];
        let row: Option<SubtitleRow> = self.db.pools().fetch_optional(sql, &values).await?;
        let Some(row) = row else { return Ok(None) };
        let mut subtitles = subtitle_files(&row.subtitles, id.source());
        subtitles.extend(Streams::read(&row.streams, id.source()).subtitles);
        let Some(subtitle) = subtitles.into_iter().find(|subtitle| subtitle.id == id) else {
            return Ok(None);
        };
        Ok(Some(SubtitleFile {
            media: row.media.try_into()?,
            subtitle,
            of_movie: row.of_movie,
        }))
    }

    /// Accessible files with the names of their sidecar pictures for this purpose, best first.
    pub async fn video_pictures(
        &self,
        scope: &MediaScope,
        of: VideoSubject,
        purpose: &str,
    ) -> Result<Vec<(MediaFile, Vec<String>)>> {
        let (select, id) = match of {
            VideoSubject::Movie(id) => (files_of!(", s.artwork", " WHERE s.movie_id = $1"), id.get()),
            VideoSubject::Episode(id) => (files_of!(", s.artwork", " WHERE s.episode_id = $1"), id.get()),
            VideoSubject::Season(id) => (
                files_of!(
                    ", s.artwork",
                    " JOIN tv_episodes e ON e.episode_id = s.episode_id WHERE e.season_id = $1"
                ),
                id.get(),
            ),
            VideoSubject::Show(id) => (
                files_of!(
                    ", s.artwork",
                    " JOIN tv_episodes e ON e.episode_id = s.episode_id WHERE e.show_id = $1"
                ),
                id.get(),
            ),
        };
        let sql = AssertSqlSafe(format!(
            "{select} AND s.artwork LIKE $2{}{BEST_FIRST} LIMIT $3",
            and_in_folder(scope)
        ));
        let values = [
            Arg::from(id),
            Arg::from(format!("%\"{purpose}\"%")),
            Arg::from(CANDIDATES),
        ];
        let rows: Vec<ArtworkRow> = self.db.pools().fetch_all(sql, &values).await?;
        let candidate = |row: ArtworkRow| Ok((row.media.try_into()?, pictures(&row.artwork, purpose)));
        rows.into_iter().map(candidate).collect()
    }

    /// Whether the item exists and is accessible.
    pub async fn can_see_video(&self, scope: &MediaScope, of: VideoSubject) -> Result<bool> {
        let (sql, access, key, id) = match of {
            VideoSubject::Movie(id) => (
                "SELECT count(*) FROM movies i WHERE i.movie_id = $1",
                AccessFilter::Movies,
                "i.movie_id",
                id.get(),
            ),
            VideoSubject::Show(id) => (
                "SELECT count(*) FROM tv_shows i WHERE i.show_id = $1",
                AccessFilter::Shows,
                "i.show_id",
                id.get(),
            ),
            VideoSubject::Season(id) => (
                "SELECT count(*) FROM tv_seasons i WHERE i.season_id = $1",
                AccessFilter::Seasons,
                "i.season_id",
                id.get(),
            ),
            VideoSubject::Episode(id) => (
                "SELECT count(*) FROM tv_episodes i WHERE i.episode_id = $1",
                AccessFilter::Episodes,
                "i.episode_id",
                id.get(),
            ),
        };
        let sql = AssertSqlSafe(sql.to_owned() + &access.and(key, scope));
        Ok(self.db.pools().count(sql, &args![id]).await? > 0)
    }
}
