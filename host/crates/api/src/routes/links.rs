//! Signed links to items.

use std::time::Duration;

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::{Deserialize, Serialize};

use crate::api_error::ApiError;
use crate::body::{Body, Input};
use crate::extract::{Caller, State};
use crate::requested_url::ServerUrl;
use crate::response::Created;
use svc_domain::change::ItemType;
use svc_domain::time::Timestamp;
use svc_identity::capability::Capability;
use svc_identity::error::ServiceError;
use svc_library::items::parse_id;
use svc_library::links::LinkRequest;

/// The endpoints that links can open: type of the item, purpose, path with `{}` in place of the id, required capability.
pub const PURPOSES: &[(ItemType, &str, &str, Capability)] = &[
    (
        ItemType::MusicTrack,
        "stream",
        "/api/v1/music/stream/{}",
        Capability::MusicTracksPlay,
    ),
    (
        ItemType::MusicTrack,
        "artwork",
        "/api/v1/music/tracks/{}/artwork",
        Capability::MusicTracksRead,
    ),
    (
        ItemType::MusicRelease,
        "artwork",
        "/api/v1/music/releases/{}/artwork",
        Capability::MusicReleasesRead,
    ),
    (
        ItemType::Photo,
        "original",
        "/api/v1/photos/{}/original",
        Capability::PhotosRead,
    ),
    (
        ItemType::Photo,
        "thumbnail",
        "/api/v1/photos/{}/thumbnail",
        Capability::PhotosRead,
    ),
    (
        ItemType::Movie,
        "stream",
        "/api/v1/movies/{}/stream",
        Capability::MoviesPlay,
    ),
    (
        ItemType::Movie,
        "artwork",
        "/api/v1/movies/{}/artwork",
        Capability::MoviesRead,
    ),
    (
        ItemType::TvShow,
        "artwork",
        "/api/v1/tv/shows/{}/artwork",
        Capability::TvEpisodesRead,
    ),
    (
        ItemType::TvEpisode,
        "stream",
        "/api/v1/tv/episodes/{}/stream",
        Capability::TvEpisodesPlay,
    ),
    (
        ItemType::TvEpisode,
        "artwork",
        "/api/v1/tv/episodes/{}/artwork",
        Capability::TvEpisodesRead,
    ),
    (
        ItemType::Item,
        "stream",
        "/api/v1/items/{}/stream",
        Capability::ItemsPlay,
    ),
    (
        ItemType::Item,
        "artwork",
        "/api/v1/items/{}/artwork",
        Capability::ItemsRead,
    ),
];

/// The item and purpose of a link.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateLinkInput {
    /// Type of the item, such as `music_track`.
    media_type: String,
    /// Id of the item.
    media_id: String,
    /// `stream`, `artwork`, `original` or `thumbnail`; not every type has every purpose.
    purpose: String,
    /// Lifetime in seconds, 60 to 86,400.
    expires_in: u64,
}

impl Input for CreateLinkInput {}

/// A signed link to an item.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Link"))]
#[serde(rename_all = "camelCase")]
pub struct LinkView {
    /// URL that opens the item without further authentication. Treat it as a credential.
    url: String,
    #[salvo(schema(value_type = String))]
    expires_at: Timestamp,
}

impl TryFrom<CreateLinkInput> for LinkRequest {
    type Error = ServiceError;

    fn try_from(input: CreateLinkInput) -> Result<Self, ServiceError> {
        let unknown_type = || ServiceError::invalid("mediaType", "is not a type of item");
        let item = ItemType::from_name(&input.media_type).ok_or_else(unknown_type)?;
        let purpose = PURPOSES
            .iter()
            .find(|(known, purpose, ..)| *known == item && *purpose == input.purpose);
        let no_purpose = || ServiceError::invalid("purpose", "is not available for items of this type");
        let (_, _, path, capability) = purpose.ok_or_else(no_purpose)?;
        let id = parse_id("mediaId", &input.media_id);
        Ok(Self {
            item,
            id: id.map_err(|error| ServiceError::Invalid(vec![error]))?.get(),
            path: path.replace("{}", &input.media_id),
            capability: *capability,
            lasts: Duration::from_secs(input.expires_in),
        })
    }
}

/// Create a signed link to an item
///
/// The link opens one item on behalf of the caller, without a header, until it expires.
#[endpoint(responses(
    (status_code = 403, description = "The caller lacks the capability to open the item"),
    (status_code = 404, description = "The item does not exist")
))]
pub async fn create_link(
    state: State,
    caller: Caller,
    server: ServerUrl,
    body: Body<CreateLinkInput>,
) -> Result<Created<LinkView>, ApiError> {
    let request = LinkRequest::try_from(body.0)?;
    let link = state.links.make(&caller, &request).await;
    let link = link.map_err(|error| error.at_field("mediaId"))?;
    Ok(Created(LinkView {
        url: format!("{}{}?token={}", server.0, request.path, link.token),
        expires_at: link.expires_at,
    }))
}
