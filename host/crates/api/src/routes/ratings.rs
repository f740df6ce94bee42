//! Ratings of the caller.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, Input};
use crate::extract::{Caller, PathId, State};
use crate::list_query;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, Page};
use crate::routes::history::ItemTypeName;
use crate::views::items::RatingView;
use svc_domain::change::ItemType;
use svc_domain::id::MediaId;
use svc_domain::list::{Order, OrderedPagination};

/// The rating of an item.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatingInput {
    /// `music_track`, `music_release`, `music_artist`, `photo`, `movie`, `tv_show`,
    /// `tv_episode` or `item`.
    media_type: String,
    /// Id of the item.
    media_id: String,
    /// 0 to 1; one of five stars is 0.2. An item rated 0.8 or more is a favorite.
    rating: f64,
}

impl Input for RatingInput {}

/// The query of `GET /ratings`.
#[derive(Debug)]
pub struct RatingsQuery {
    only: Option<ItemType>,
    favorites: bool,
    page: OrderedPagination,
}

impl FromQuery for RatingsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let types = ItemType::ALL.map(|item| (item.as_str(), item));
        Self {
            only: params.choice("mediaType", "Only items of this type.", &types),
            favorites: params
                .boolean("favorites", "`true`: only items rated 0.8 or more.")
                .unwrap_or(false),
            page: list_query::page_in_order_of(params, "ratedAt", Order::Descending),
        }
    }
}

/// Rate an item
///
/// Replaces the previous rating of the item.
#[endpoint(responses((status_code = 404, description = "The item does not exist")))]
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
    let ratings = &state.ratings;
    let rated = ratings.rate(&caller, &media_type, &media_id, rating);
    Ok(Json(rated.await?.into()))
}

/// List the ratings of the caller, newest first
#[endpoint]
pub async fn list_ratings(
    state: State,
    caller: Caller,
    query: Query<RatingsQuery>,
) -> Result<Json<Page<RatingView>>, ApiError> {
    let RatingsQuery {
        only,
        favorites,
        page,
    } = query.0;
    let ratings = state.ratings.list(&caller, only, favorites, page).await?;
    Ok(ratings.into())
}

/// Delete a rating
///
/// Returns `false` if the caller has not rated the item.
#[endpoint]
pub async fn delete_rating(
    state: State,
    caller: Caller,
    media_type: PathId<ItemTypeName>,
    media_id: PathId<MediaId>,
) -> Result<Json<bool>, ApiError> {
    let item = media_type.0.0;
    Ok(Json(
        state.ratings.delete_for_user(&caller, item, media_id.0).await?,
    ))
}
