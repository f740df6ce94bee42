//! Music: artists, releases, tracks, genres, and their bytes.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::answer::{Answer, ListView, Part};
use crate::extract::{Caller, PathId, State};
use crate::item_query::ItemQuery;
use crate::media_answer::MediaAnswer;
use crate::pagination;
use crate::picture_size::ArtworkQuery;
use crate::problem::Problem;
use crate::query::{FromQuery, Query, QueryReader};
use crate::views::music::{ArtistView, GenreView, ReleaseView, TrackView};
use svc_domain::id::{MusicArtistId, MusicReleaseId, MusicTrackId};
use svc_domain::list::{ListRequest, Order, OrderedPage};
use svc_identity::capability::Capability;
use svc_library::music::{
    ArtistFilter, ArtistOrder, GenreOrder, ItemFilter, ReleaseFilter, ReleaseOrder, TrackFilter, TrackOrder,
};

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
    items: ItemQuery,
    request: ListRequest<TrackOrder>,
}

impl FromQuery for TrackQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let filter = TrackFilter {
            artist: reader.parsed("artistId", "Credited to this artist.", "the id of an artist"),
            release: reader.parsed("releaseId", "On this release.", "the id of a release"),
            genre: reader.text("genre", "Of this genre, by name."),
            year_from: year(reader, "yearFrom", "Of this year or later."),
            year_to: year(reader, "yearTo", "Of this year or earlier."),
            items: ItemFilter::default(),
        };
        Self {
            filter,
            items: ItemQuery::read(reader).with_random(reader),
            request: pagination::list(reader, TRACK_ORDERS, TrackOrder::Title),
        }
    }
}

/// Which releases, in which order.
#[derive(Debug)]
pub struct ReleaseQuery {
    filter: ReleaseFilter,
    items: ItemQuery,
    request: ListRequest<ReleaseOrder>,
}

impl ReleaseQuery {
    fn of_artist(reader: &mut QueryReader<'_>, artist: Option<MusicArtistId>) -> Self {
        let filter = ReleaseFilter {
            artist,
            genre: reader.text("genre", "With a track of this genre, by name."),
            year_from: year(reader, "yearFrom", "Of this year or later."),
            year_to: year(reader, "yearTo", "Of this year or earlier."),
            items: ItemFilter::default(),
        };
        Self {
            filter,
            items: ItemQuery::read(reader).with_random(reader),
            request: pagination::list(reader, RELEASE_ORDERS, ReleaseOrder::Title),
        }
    }
}

impl FromQuery for ReleaseQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let artist = reader.parsed("artistId", "Credited to this artist.", "the id of an artist");
        Self::of_artist(reader, artist)
    }
}

/// Which releases of the artist that the path names, in which order.
#[derive(Debug)]
pub struct ArtistReleasesQuery(ReleaseQuery);

impl FromQuery for ArtistReleasesQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        Self(ReleaseQuery::of_artist(reader, None))
    }
}

/// Which artists, in which order.
#[derive(Debug)]
pub struct ArtistQuery {
    filter: ArtistFilter,
    items: ItemQuery,
    request: ListRequest<ArtistOrder>,
}

impl FromQuery for ArtistQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let filter = ArtistFilter {
            genre: reader.text("genre", "With a track of this genre, by name."),
            year_from: year(reader, "yearFrom", "With a track of this year or later."),
            year_to: year(reader, "yearTo", "With a track of this year or earlier."),
            items: ItemFilter::default(),
        };
        Self {
            filter,
            items: ItemQuery::read(reader).with_random(reader),
            request: pagination::list(reader, ARTIST_ORDERS, ArtistOrder::Name),
        }
    }
}

/// A part of the list of genres, in which order.
#[derive(Debug)]
pub struct GenreQuery(ListRequest<GenreOrder>);

impl FromQuery for GenreQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        Self(pagination::list(reader, GENRE_ORDERS, GenreOrder::Name))
    }
}

/// Which part of the tracks of a release.
#[derive(Debug)]
pub struct ReleaseTracksQuery(OrderedPage);

impl FromQuery for ReleaseTracksQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        Self(pagination::whole(reader, "trackNumber"))
    }
}

/// Artists
///
/// Genre and years are those of one track that they are credited on, or that is on a release of theirs.
#[endpoint]
pub async fn list_artists(
    state: State,
    caller: Caller,
    query: Query<ArtistQuery>,
) -> Result<Part<ArtistView>, Problem> {
    let ArtistQuery {
        mut filter,
        items,
        request,
    } = query.0;
    filter.items = items.of(caller.user.id);
    let artists = state.music.list_artists(&caller, &filter, &request).await?;
    Ok(Part(ListView::new(artists, ArtistView::from)))
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
    query: Query<ArtistReleasesQuery>,
    music_artist_id: PathId<MusicArtistId>,
) -> Result<Part<ReleaseView>, Problem> {
    let ReleaseQuery {
        mut filter,
        items,
        request,
    } = query.0.0;
    filter.items = items.of(caller.user.id);
    let releases = state
        .music
        .artist_releases(&caller, music_artist_id.0, filter, &request)
        .await?;
    Ok(Part(ListView::new(releases, ReleaseView::from)))
}

/// Releases
#[endpoint]
pub async fn list_releases(
    state: State,
    caller: Caller,
    query: Query<ReleaseQuery>,
) -> Result<Part<ReleaseView>, Problem> {
    let ReleaseQuery {
        mut filter,
        items,
        request,
    } = query.0;
    filter.items = items.of(caller.user.id);
    let releases = state.music.list_releases(&caller, &filter, &request).await?;
    Ok(Part(ListView::new(releases, ReleaseView::from)))
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
    query: Query<ReleaseTracksQuery>,
    music_release_id: PathId<MusicReleaseId>,
) -> Result<Part<TrackView>, Problem> {
    let tracks = state
        .music
        .release_tracks(&caller, music_release_id.0, query.0.0)
        .await?;
    Ok(Part(ListView::new(tracks, TrackView::from)))
}

/// The picture of a release
#[endpoint]
pub async fn show_release_artwork(
    state: State,
    caller: Caller,
    query: Query<ArtworkQuery>,
    music_release_id: PathId<MusicReleaseId>,
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
) -> Result<Part<TrackView>, Problem> {
    let TrackQuery {
        mut filter,
        items,
        request,
    } = query.0;
    filter.items = items.of(caller.user.id);
    let tracks = state.music.list_tracks(&caller, &filter, &request).await?;
    Ok(Part(ListView::new(tracks, TrackView::from)))
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
    query: Query<ArtworkQuery>,
    music_track_id: PathId<MusicTrackId>,
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
) -> Result<Part<GenreView>, Problem> {
    let genres = state.music.list_genres(&caller, &query.0.0).await?;
    Ok(Part(ListView::new(genres, GenreView::from)))
}

/// The bytes of a track's file
#[endpoint]
pub async fn stream_track(
    state: State,
    caller: Caller,
    music_track_id: PathId<MusicTrackId>,
) -> Result<MediaAnswer, Problem> {
    let media = state.media.open_track(&caller, music_track_id.0).await?;
    let stream = state
        .open_streams
        .play(&caller, Capability::MusicTracksPlay, media.id)?;
    Ok(MediaAnswer::file(media).as_stream(stream))
}
