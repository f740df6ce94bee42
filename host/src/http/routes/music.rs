//! Music: artists, releases, tracks, genres, and their bytes.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::domain::id::{MusicArtistId, MusicReleaseId, MusicTrackId};
use crate::domain::list::{Order, Page};
use crate::http::answer::{Answer, ListView};
use crate::http::extract::{Caller, PathId, State};
use crate::http::media_answer::MediaAnswer;
use crate::http::pagination;
use crate::http::picture_size::ArtworkQuery;
use crate::http::problem::Problem;
use crate::http::query::{FromQuery, Query, QueryReader};
use crate::http::views::music::{ArtistView, GenreView, ReleaseView, TrackView};
use crate::service::music::{ArtistOrder, GenreOrder, ReleaseFilter, ReleaseOrder, TrackFilter, TrackOrder};

const TRACK_ORDERS: &[(&str, TrackOrder, Order)] = &[
    ("title", TrackOrder::Title, Order::Ascending),
    ("createdAt", TrackOrder::CreatedAt, Order::Descending),
    ("year", TrackOrder::Year, Order::Ascending),
    ("duration", TrackOrder::Duration, Order::Ascending),
];
const RELEASE_ORDERS: &[(&str, ReleaseOrder, Order)] = &[
    ("title", ReleaseOrder::Title, Order::Ascending),
    ("createdAt", ReleaseOrder::CreatedAt, Order::Descending),
    ("year", ReleaseOrder::Year, Order::Ascending),
];
const ARTIST_ORDERS: &[(&str, ArtistOrder, Order)] = &[
    ("name", ArtistOrder::Name, Order::Ascending),
    ("createdAt", ArtistOrder::CreatedAt, Order::Descending),
];
const GENRE_ORDERS: &[(&str, GenreOrder, Order)] = &[("name", GenreOrder::Name, Order::Ascending)];

fn year(reader: &mut QueryReader<'_>, name: &str, about: &str) -> Option<i32> {
    reader
        .integer(name, about, 0..=9999)
        .and_then(|year| i32::try_from(year).ok())
}

/// Which tracks, in which order.
#[derive(Debug)]
pub struct TrackQuery {
    filter: TrackFilter,
    by: TrackOrder,
    order: Order,
    page: Page,
}

impl FromQuery for TrackQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let filter = TrackFilter {
            artist: reader.parsed("artistId", "Credited to this artist.", "the id of an artist"),
            release: reader.parsed("releaseId", "On this release.", "the id of a release"),
            genre: reader.text("genre", "Of this genre, by name."),
            year_from: year(reader, "yearFrom", "Of this year or later."),
            year_to: year(reader, "yearTo", "Of this year or earlier."),
            added_since: reader.moment("addedSince", "First indexed then or later."),
        };
        let (by, order) =
            pagination::ordering(reader, TRACK_ORDERS).unwrap_or((TrackOrder::Title, Order::Ascending));
        Self {
            filter,
            by,
            order,
            page: pagination::page(reader),
        }
    }
}

/// Which releases, in which order.
#[derive(Debug)]
pub struct ReleaseQuery {
    filter: ReleaseFilter,
    list: ReleaseListQuery,
}

impl FromQuery for ReleaseQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let filter = ReleaseFilter {
            artist: reader.parsed("artistId", "Credited to this artist.", "the id of an artist"),
            genre: reader.text("genre", "With a track of this genre, by name."),
            year_from: year(reader, "yearFrom", "Of this year or later."),
            year_to: year(reader, "yearTo", "Of this year or earlier."),
            added_since: reader.moment("addedSince", "First indexed then or later."),
        };
        Self {
            filter,
            list: ReleaseListQuery::read(reader),
        }
    }
}

/// A part of a list of releases, in which order.
#[derive(Debug)]
pub struct ReleaseListQuery {
    by: ReleaseOrder,
    order: Order,
    page: Page,
}

impl FromQuery for ReleaseListQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let (by, order) =
            pagination::ordering(reader, RELEASE_ORDERS).unwrap_or((ReleaseOrder::Title, Order::Ascending));
        Self {
            by,
            order,
            page: pagination::page(reader),
        }
    }
}

/// A part of the list of artists, in which order.
#[derive(Debug)]
pub struct ArtistQuery {
    by: ArtistOrder,
    order: Order,
    page: Page,
}

impl FromQuery for ArtistQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let (by, order) =
            pagination::ordering(reader, ARTIST_ORDERS).unwrap_or((ArtistOrder::Name, Order::Ascending));
        Self {
            by,
            order,
            page: pagination::page(reader),
        }
    }
}

/// A part of the list of genres, in which order.
#[derive(Debug)]
pub struct GenreQuery {
    by: GenreOrder,
    order: Order,
    page: Page,
}

impl FromQuery for GenreQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let (by, order) =
            pagination::ordering(reader, GENRE_ORDERS).unwrap_or((GenreOrder::Name, Order::Ascending));
        Self {
            by,
            order,
            page: pagination::page(reader),
        }
    }
}

/// Artists
#[endpoint]
pub async fn list_artists(
    state: State,
    caller: Caller,
    query: Query<ArtistQuery>,
) -> Result<Answer<ListView<ArtistView>>, Problem> {
    let ArtistQuery { by, order, page } = query.0;
    let artists = state.music.list_artists(&caller, by, order, page).await?;
    Ok(Answer(ListView::new(artists, ArtistView::from)))
}

/// An artist
#[endpoint]
pub async fn show_artist(
    state: State,
    caller: Caller,
    music_artist_id: PathId<MusicArtistId>,
) -> Result<Answer<ArtistView>, Problem> {
    Ok(Answer(
        state.music.artist(&caller, music_artist_id.0).await?.into(),
    ))
}

/// The releases of an artist
#[endpoint]
pub async fn list_artist_releases(
    state: State,
    caller: Caller,
    music_artist_id: PathId<MusicArtistId>,
    query: Query<ReleaseListQuery>,
) -> Result<Answer<ListView<ReleaseView>>, Problem> {
    let ReleaseListQuery { by, order, page } = query.0;
    let releases = state
        .music
        .artist_releases(&caller, music_artist_id.0, by, order, page)
        .await?;
    Ok(Answer(ListView::new(releases, ReleaseView::from)))
}

/// Releases
#[endpoint]
pub async fn list_releases(
    state: State,
    caller: Caller,
    query: Query<ReleaseQuery>,
) -> Result<Answer<ListView<ReleaseView>>, Problem> {
    let ReleaseQuery { filter, list } = query.0;
    let releases = state
        .music
        .list_releases(&caller, &filter, list.by, list.order, list.page)
        .await?;
    Ok(Answer(ListView::new(releases, ReleaseView::from)))
}

/// A release
#[endpoint]
pub async fn show_release(
    state: State,
    caller: Caller,
    music_release_id: PathId<MusicReleaseId>,
) -> Result<Answer<ReleaseView>, Problem> {
    Ok(Answer(
        state.music.release(&caller, music_release_id.0).await?.into(),
    ))
}

/// The tracks of a release, by disc and number
#[endpoint]
pub async fn list_release_tracks(
    state: State,
    caller: Caller,
    music_release_id: PathId<MusicReleaseId>,
) -> Result<Answer<ListView<TrackView>>, Problem> {
    let tracks = state.music.release_tracks(&caller, music_release_id.0).await?;
    Ok(Answer(ListView::whole(tracks, TrackView::from)))
}

/// The picture of a release
#[endpoint]
pub async fn show_release_artwork(
    state: State,
    caller: Caller,
    music_release_id: PathId<MusicReleaseId>,
    query: Query<ArtworkQuery>,
) -> Result<MediaAnswer, Problem> {
    let id = music_release_id.0;
    Ok(match query.0.size {
        Some(size) => MediaAnswer::thumbnail(state.pictures.release(&caller, id, size).await?),
        None => MediaAnswer::picture(state.media.open_release_picture(&caller, id).await?),
    })
}

/// Tracks
#[endpoint]
pub async fn list_tracks(
    state: State,
    caller: Caller,
    query: Query<TrackQuery>,
) -> Result<Answer<ListView<TrackView>>, Problem> {
    let TrackQuery {
        filter,
        by,
        order,
        page,
    } = query.0;
    let tracks = state.music.list_tracks(&caller, &filter, by, order, page).await?;
    Ok(Answer(ListView::new(tracks, TrackView::from)))
}

/// A track
#[endpoint]
pub async fn show_track(
    state: State,
    caller: Caller,
    music_track_id: PathId<MusicTrackId>,
) -> Result<Answer<TrackView>, Problem> {
    Ok(Answer(state.music.track(&caller, music_track_id.0).await?.into()))
}

/// The picture in a track's file
#[endpoint]
pub async fn show_track_artwork(
    state: State,
    caller: Caller,
    music_track_id: PathId<MusicTrackId>,
    query: Query<ArtworkQuery>,
) -> Result<MediaAnswer, Problem> {
    let id = music_track_id.0;
    Ok(match query.0.size {
        Some(size) => MediaAnswer::thumbnail(state.pictures.track(&caller, id, size).await?),
        None => MediaAnswer::picture(state.media.open_track_picture(&caller, id).await?),
    })
}

/// Genres
#[endpoint]
pub async fn list_genres(
    state: State,
    caller: Caller,
    query: Query<GenreQuery>,
) -> Result<Answer<ListView<GenreView>>, Problem> {
    let GenreQuery { by, order, page } = query.0;
    let genres = state.music.list_genres(&caller, by, order, page).await?;
    Ok(Answer(ListView::new(genres, GenreView::from)))
}

/// The bytes of a track's file
#[endpoint]
pub async fn stream_track(
    state: State,
    caller: Caller,
    music_track_id: PathId<MusicTrackId>,
) -> Result<MediaAnswer, Problem> {
    Ok(MediaAnswer::file(
        state.media.open_track(&caller, music_track_id.0).await?,
    ))
}
