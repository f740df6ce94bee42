//! What the caller thinks of items.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::extract::{Body, Caller, Input, PathId, State};
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, Page};
use crate::routes::history::ItemTypeName;
use crate::views::items::RatingView;
use svc_domain::change::ItemType;
use svc_domain::id::MediaId;
use svc_domain::list::{Order, OrderedPagination};

/// What is thought of an item.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatingInput {
    /// `music_track`, `music_release`, `music_artist`, `photo`, `movie`, `tv_show` or `tv_episode`.
    media_type: String,
    /// The item.
    media_id: String,
    /// 0 to 1: with five stars, each is 0.2. From 0.8 on the item is a favorite.
    rating: f64,
}

impl Input for RatingInput {}

/// Which ratings.
#[derive(Debug)]
pub struct RatingsQuery {
    only: Option<ItemType>,
    favorites: bool,
    part: OrderedPagination,
}

impl FromQuery for RatingsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let types = ItemType::ALL.map(|item| (item.as_str(), item));
        Self {
            only: params.choice("mediaType", "Of this type alone.", &types),
            favorites: params
                .boolean("favorites", "Of 0.8 or more alone.")
                .unwrap_or(false),
            part: pagination::ordered(params, "ratedAt", Order::Descending),
        }
    }
}

/// Rates an item, in place of what was thought before
#[endpoint(responses((status_code = 404, description = "There is nothing of what the body names")))]
pub async fn rate_item(
    state: State,
    caller: Caller,
    body: Body<RatingInput>,
) -> Result<Json<RatingView>, ApiError> {
    let RatingInput {
        media_type,
        media_id,
        rating,
    } = body.0;
    let rated = state
        .ratings
        .rate(&caller, &media_type, &media_id, rating)
        .await?;
    Ok(Json(rated.into()))
}

/// What the caller rated, the last first
#[endpoint]
pub async fn list_ratings(
    state: State,
    caller: Caller,
    query: Query<RatingsQuery>,
) -> Result<Json<Page<RatingView>>, ApiError> {
    let RatingsQuery {
        only,
        favorites,
        part,
    } = query.0;
    let ratings = state.ratings.list(&caller, only, favorites, part).await?;
    Ok(Json(Page::new(ratings, RatingView::from)))
}

/// Forgets a rating; `false` if there is none
#[endpoint]
pub async fn delete_rating(
    state: State,
    caller: Caller,
    media_type: PathId<ItemTypeName>,
    media_id: PathId<MediaId>,
) -> Result<Json<bool>, ApiError> {
    let item = media_type.0.0;
    Ok(Json(state.ratings.forget(&caller, item, media_id.0).await?))
}
