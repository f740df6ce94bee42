//! Signed links to items.

use std::time::Duration;

use salvo::http::header::HOST;
use salvo::oapi::{ToSchema, endpoint};
use salvo::{Request, Writer as _};
use serde::{Deserialize, Serialize};

use crate::api_error::ApiError;
use crate::client::Client;
use crate::extract::{Body, Caller, Input, State};
use crate::response::Created;
use svc_domain::change::ItemType;
use svc_domain::time::Timestamp;
use svc_identity::capability::Capability;
use svc_identity::error::ServiceError;
use svc_library::items::parse_id;
use svc_library::links::LinkRequest;

/// What can be linked to: the item's type, the purpose, the path with `{}` for the id, what it takes.
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
];

/// What is to be opened.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateLinkInput {
    /// Type of the item, such as `music_track`.
    media_type: String,
    /// Its id.
    media_id: String,
    /// `stream`, `artwork`, `original` or `thumbnail`, as far as the type has it.
    purpose: String,
    /// Seconds, 60 to 86,400.
    expires_in: u64,
}

impl Input for CreateLinkInput {}

/// A link to an item.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Link"))]
#[serde(rename_all = "camelCase")]
pub struct LinkView {
    /// Opens the item for whoever has it: it is a credential.
    url: String,
    #[salvo(schema(value_type = String))]
    expires_at: Timestamp,
}

/// The address by which the client knows the server.
fn own_address(state: &State, client: &Client, req: &Request) -> String {
    if let Some(base) = &state.proxy_config.base_url {
        return base.as_str().trim_end_matches('/').to_owned();
    }
    let host = req.headers().get(HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| req.uri().authority().map(|authority| authority.as_str()));
    let scheme = if client.https { "https" } else { "http" };
    host.map_or_else(String::new, |host| format!("{scheme}://{host}"))
}

/// Makes a URL that opens one item for the caller, without any header, until it expires
#[endpoint(responses(
    (status_code = 403, description = "The caller may not open it themselves"),
    (status_code = 404, description = "There is nothing of what the body names")
))]
pub async fn create_link(
    state: State,
    caller: Caller,
    client: Client,
    body: Body<CreateLinkInput>,
    req: &mut Request,
) -> Result<Created<LinkView>, ApiError> {
    let input = body.0;
    let Some(item) = ItemType::from_name(&input.media_type) else {
        return Err(ServiceError::invalid("mediaType", "is no type of item").into());
    };
    let purpose = PURPOSES
        .iter()
        .find(|(known, purpose, ..)| *known == item && *purpose == input.purpose);
    let Some((_, _, template, capability)) = purpose else {
        return Err(ServiceError::invalid("purpose", "is not available for items of this type").into());
    };
    let id = parse_id("mediaId", &input.media_id);
    let id = id.map_err(|error| ApiError::invalid(vec![error]))?;
    let request = LinkRequest {
        item,
        id: id.get(),
        path: template.replace("{}", &input.media_id),
        capability: *capability,
        lasts: Duration::from_secs(input.expires_in),
    };
    let link = state.links.make(&caller, &request).await;
    let link = link.map_err(|error| error.named_by("mediaId"))?;
    let address = own_address(&state, &client, req);
    Ok(Created(LinkView {
        url: format!("{address}{}?token={}", request.path, link.token),
        expires_at: link.expires_at,
    }))
}
