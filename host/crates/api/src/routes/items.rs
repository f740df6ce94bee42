//! Kinds that plugins define, and their items.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, PathId, State};
use crate::list_query::{self, ItemQuery};
use crate::media_response::MediaResponse;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, LinkedPage, Page};
use crate::thumbnail_size::ArtworkQuery;
use crate::views::item_pages::ItemPageView;
use crate::views::kind_items::{FacetView, ItemDetailsView, ItemPartView, ItemView};
use crate::views::kinds::KindView;
use svc_domain::id::{ItemId, UserId};
use svc_domain::text::query_words;
use svc_http_io::limits::SEARCH_WORDS;
use svc_identity::capability::Capability;
use svc_library::item_kinds::{FacetRequest, ItemListRequest, KindFilter};
use svc_library::item_pages::PageRequest;

/// The parameters of lists of items that select items.
#[derive(Debug)]
struct KindFilterQuery {
    filter: KindFilter,
    items: ItemQuery,
}

/// The query of `GET /items`.
#[derive(Debug)]
pub struct ItemsQuery {
    filter: KindFilterQuery,
    request: ItemListRequest,
}

/// The query of `GET /items/facets`.
#[derive(Debug)]
pub struct FacetsQuery {
    filter: KindFilterQuery,
    request: FacetRequest,
}

/// The query of `GET /items/{itemId}/stream`.
#[derive(Debug)]
pub struct PartQuery {
    part: Option<i64>,
}

/// The query of `GET /items/{itemId}/pages/{pageNumber}`.
#[derive(Debug)]
pub struct PageQuery {
    part: PartQuery,
    size: ArtworkQuery,
}

impl FromQuery for KindFilterQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let kind = params.required_text("kind", "A kind of `GET /kinds`.");
        let about = "Only items whose field has this value, as `filter[key]=value`; the field must have `x-facet` in the \
                     kind's schema. Of several values of one key an item must have one; of several keys, a value of each. \
                     Case and diacritics of texts are ignored; a date is filtered by its year.";
        let fields = params.texts_by_key("filter", about);
        let about = "Only items with these words, at most 16. Each must be the beginning of a word of the item; case and \
                     diacritics are ignored.";
        let query = params.text_or_none("q", about);
        if query
            .as_deref()
            .is_some_and(|text| query_words(text).len() > SEARCH_WORDS)
        {
            params.fail("q", format!("must have at most {SEARCH_WORDS} words"));
        }
        Self {
            items: ItemQuery::read(params).with_watched(params),
            filter: KindFilter {
                kind,
                fields,
                query,
                libraries: list_query::libraries(params),
                ..KindFilter::default()
            },
        }
    }
}

impl KindFilterQuery {
    fn for_user(self, user: UserId) -> KindFilter {
        KindFilter {
            items: self.items.for_user(user),
            ..self.filter
        }
    }
}

impl FromQuery for ItemsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let mut filter = KindFilterQuery::read(params);
        filter.items = filter.items.with_random(params);
        let about = "The value to order by: `title`, `createdAt`, or the key of a field with `x-sort` in the kind's schema. \
                     Items without a value come last. Default: `title`.";
        let order_by = params.text("orderBy", about);
        let about = "The direction of the order; default: `DESC` for `createdAt`, otherwise `ASC`.";
        let order = list_query::direction_or_none(params, about);
        let page = list_query::page(params);
        Self {
            filter,
            request: ItemListRequest {
                order_by,
                order,
                after: list_query::cursor(params, page),
                page,
                ..ItemListRequest::default()
            },
        }
    }
}

impl FromQuery for FacetsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let filter = KindFilterQuery::read(params);
        let about =
            "The key of a field with `x-facet` in the kind's schema. A filter on the same field is ignored.";
        Self {
            filter,
            request: FacetRequest {
                key: params.required_text("key", about),
                page: list_query::page(params),
                ..FacetRequest::default()
            },
        }
    }
}

impl FromQuery for PartQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "`number` of one of the item's parts; default: its first file.";
        Self {
            part: params.integer("part", about, 1..=i64::from(i32::MAX)),
        }
    }
}

impl FromQuery for PageQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            part: PartQuery::read(params),
            size: ArtworkQuery::read(params),
        }
    }
}

/// List the kinds that plugins define
///
/// A kind stays in the list, and its items in the index, when its plugin is removed, disabled or quarantined.
#[endpoint]
pub async fn list_kinds(state: State) -> Result<Json<Vec<KindView>>, ApiError> {
    Ok(state.item_kinds.kinds().await?.into())
}

/// List items of a kind
#[endpoint]
pub async fn list_items(
    state: State,
    caller: Caller,
    query: Query<ItemsQuery>,
) -> Result<LinkedPage<ItemView>, ApiError> {
    let ItemsQuery { filter, mut request } = query.0;
    request.filter = filter.for_user(caller.user.id);
    Ok(state.item_kinds.list(&caller, &request).await?.into())
}

/// Count the values of a field
///
/// Returns the values of the field with the number of items that have each, most frequent first.
#[endpoint]
pub async fn list_item_facets(
    state: State,
    caller: Caller,
    query: Query<FacetsQuery>,
) -> Result<Json<Page<FacetView>>, ApiError> {
    let FacetsQuery { filter, mut request } = query.0;
    request.filter = filter.for_user(caller.user.id);
    Ok(state.item_kinds.facets(&caller, &request).await?.into())
}

/// Get an item
#[endpoint]
pub async fn get_item(
    state: State,
    caller: Caller,
    item_id: PathId<ItemId>,
) -> Result<Json<ItemDetailsView>, ApiError> {
    Ok(Json(state.item_kinds.item(&caller, item_id.0).await?.into()))
}

/// List the files of an item
#[endpoint]
pub async fn list_item_parts(
    state: State,
    caller: Caller,
    item_id: PathId<ItemId>,
) -> Result<Json<Vec<ItemPartView>>, ApiError> {
    let parts = state.item_kinds.parts(&caller, item_id.0).await?;
    let view = |part| ItemPartView::new(item_id.0, part);
    Ok(Json(parts.into_iter().map(view).collect()))
}

/// Stream a file of an item
#[endpoint]
pub async fn stream_item(
    state: State,
    caller: Caller,
    query: Query<PartQuery>,
    item_id: PathId<ItemId>,
) -> Result<MediaResponse, ApiError> {
    let opened = state.item_kinds.open(&caller, item_id.0, query.0.part).await?;
    let streams = &state.open_streams;
    let stream = streams.play(&caller, Capability::ItemsPlay, opened.media.id)?;
    Ok(MediaResponse::part(opened).as_stream(stream))
}

/// List the pages of an item
///
/// In reading order. The list is empty if files of the item's kind have no pages.
#[endpoint(responses((status_code = 422, description = "`pages_unavailable`: the pages cannot be read")))]
pub async fn list_item_pages(
    state: State,
    caller: Caller,
    query: Query<PartQuery>,
    item_id: PathId<ItemId>,
) -> Result<Json<Vec<ItemPageView>>, ApiError> {
    let (id, part) = (item_id.0, query.0.part);
    let pages = state.item_pages.list(&caller, id, part).await?;
    let view = |(page, number)| ItemPageView::new(id, part, number, page);
    Ok(Json(pages.iter().zip(1..).map(view).collect()))
}

/// Get a page of an item
///
/// Pages are numbered from 1. A page that is stored unchanged in its file is sent from there.
#[endpoint(responses((
    status_code = 422,
    description = "`pages_unavailable`: the page cannot be read; `thumbnail_unavailable`: it cannot be scaled"
)))]
pub async fn get_item_page(
    state: State,
    caller: Caller,
    query: Query<PageQuery>,
    item_id: PathId<ItemId>,
    page_number: PathId<u32>,
) -> Result<MediaResponse, ApiError> {
    let PageQuery { part, size } = query.0;
    let (pages, request) = (
        &state.item_pages,
        PageRequest {
            item: item_id.0,
            part: part.part,
            page: page_number.0,
        },
    );
    Ok(match size.size {
        Some(size) => MediaResponse::thumbnail(pages.thumbnail(&caller, request, size).await?),
        None => MediaResponse::page(pages.page(&caller, request).await?),
    })
}

/// Get the artwork of an item
///
/// A picture that is embedded in one of its files, or beside one of them.
#[endpoint]
pub async fn get_item_artwork(
    state: State,
    caller: Caller,
    query: Query<ArtworkQuery>,
    item_id: PathId<ItemId>,
) -> Result<MediaResponse, ApiError> {
    let (items, id) = (&state.item_kinds, item_id.0);
    Ok(match query.0.size {
        Some(size) => MediaResponse::thumbnail(items.thumbnail(&caller, id, size).await?),
        None => MediaResponse::picture(items.open_artwork(&caller, id).await?),
    })
}
