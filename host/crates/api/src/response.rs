//! Successful answers: JSON with an entity tag, created things, nothing.

use data_encoding::HEXLOWER;
use salvo::http::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH, LINK, SET_COOKIE};
use salvo::http::{HeaderMap, ResBody, StatusCode};
use salvo::oapi::{self, Components, Content, EndpointOutRegister, Operation, ToSchema};
use salvo::{Depot, Request, Response, Writer, async_trait};
use serde::Serialize;
use sha2::{Digest, Sha256};
use url::form_urlencoded;

use crate::api_error::ApiError;
use svc_domain::list::{Cursor, Listing};
use svc_http_io::range::none_match_fails;

/// 200 with JSON. Reads get an entity tag, and 304 when the client has that already.
#[derive(Debug)]
pub struct Json<T>(pub T);

/// 201 with JSON.
#[derive(Debug)]
pub struct Created<T>(pub T);

/// 201 without a body.
#[derive(Debug)]
pub struct CreatedEmpty;

/// An answer that sets a cookie, or none.
#[derive(Debug)]
pub struct WithCookie<T>(pub Option<HeaderValue>, pub T);

/// Part of a list, in JSON `[items, total]`.
#[derive(Debug)]
pub struct Page<T> {
    items: Vec<T>,
    total: u64,
    next: Option<Cursor>,
}

/// 200 with a part of a list. Where the next part begins is told by the answer's `Link`.
#[derive(Debug)]
pub struct LinkedPage<T>(pub Page<T>);

impl<T> Page<T> {
    /// The view of a listing, item by item.
    pub fn new<I>(listing: Listing<I>, view: impl FnMut(I) -> T) -> Self {
        Self {
            items: listing.items.into_iter().map(view).collect(),
            total: listing.total,
            next: listing.next,
        }
    }
}

impl<T: Serialize> Serialize for Page<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.items, self.total).serialize(serializer)
    }
}

impl<T: ToSchema> ToSchema for Page<T> {
    fn to_schema(components: &mut Components) -> oapi::RefOr<oapi::Schema> {
        let items: oapi::RefOr<oapi::Schema> = Vec::<T>::to_schema(components);
        let total = u64::to_schema(components);
        oapi::Array::new()
            .items(oapi::schema::ArrayItems::False)
            .prefix_items([items, total])
            .description("The items asked for, and the number of items in the whole list.")
            .into()
    }
}

fn write_json<T: Serialize>(value: &T, status: StatusCode, res: &mut Response) -> Option<Vec<u8>> {
    match serde_json::to_vec(value) {
        Ok(body) => {
            res.status_code(status);
            let headers = res.headers_mut();
            headers.insert(
                CONTENT_TYPE,
                HeaderValue::from_static("application/json; charset=utf-8"),
            );
            headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
            Some(body)
        }
        Err(error) => {
            ApiError::internal(error).render(res);
            None
        }
    }
}

/// The entity tag of a body: the first half of its SHA-256.
pub(super) fn entity_tag(body: &[u8]) -> String {
    format!(
        "\"{}\"",
        HEXLOWER.encode(Sha256::digest(body).get(..16).unwrap_or_default())
    )
}

/// Whether the client has what this tag stands for.
pub(super) fn is_not_modified(headers: &HeaderMap, tag: &str) -> bool {
    headers.contains_key(IF_NONE_MATCH) && none_match_fails(headers, tag)
}

#[async_trait]
impl<T: Serialize + Send> Writer for Json<T> {
    async fn write(self, req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        let Some(body) = write_json(&self.0, StatusCode::OK, res) else {
            return;
        };
        if req.method().is_safe() {
            // The guard gave one already where it knows from what is stored.
            let tag = match res.headers().get(ETAG) {
                Some(tag) => tag.to_str().unwrap_or_default().to_owned(),
                None => entity_tag(&body),
            };
            let known = is_not_modified(req.headers(), &tag);
            if let Ok(value) = HeaderValue::try_from(tag) {
                res.headers_mut().insert(ETAG, value);
            }
            if known {
                res.status_code(StatusCode::NOT_MODIFIED);
                res.headers_mut().remove(CONTENT_LENGTH);
                res.headers_mut().remove(CONTENT_TYPE);
                return;
            }
        }
        res.replace_body(ResBody::Once(body.into()));
    }
}

/// The link to the next part: the request's own target from that place on. The token of a URL stays out of it.
fn next_link(req: &Request, next: &Cursor) -> Option<HeaderValue> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let asked = form_urlencoded::parse(req.uri().query().unwrap_or_default().as_bytes());
    for (name, value) in asked.filter(|(name, _)| !["after", "skip", "token"].contains(&name.as_ref())) {
        query.append_pair(&name, &value);
    }
    query.append_pair("after", &next.to_string());
    let link = format!("<{}?{}>; rel=\"next\"", req.uri().path(), query.finish());
    HeaderValue::try_from(link).ok()
}

#[async_trait]
impl<T: Serialize + Send> Writer for LinkedPage<T> {
    async fn write(self, req: &mut Request, depot: &mut Depot, res: &mut Response) {
        if let Some(link) = self.0.next.as_ref().and_then(|next| next_link(req, next)) {
            res.headers_mut().insert(LINK, link);
        }
        Json(self.0).write(req, depot, res).await;
    }
}

#[async_trait]
impl<T: Serialize + Send> Writer for Created<T> {
    async fn write(self, _req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        if let Some(body) = write_json(&self.0, StatusCode::CREATED, res) {
            res.replace_body(ResBody::Once(body.into()));
        }
    }
}

#[async_trait]
impl Writer for CreatedEmpty {
    async fn write(self, _req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        res.status_code(StatusCode::CREATED);
        res.replace_body(ResBody::Once(Vec::new().into()));
    }
}

#[async_trait]
impl<T: Writer + Send> Writer for WithCookie<T> {
    async fn write(self, req: &mut Request, depot: &mut Depot, res: &mut Response) {
        self.1.write(req, depot, res).await;
        if let Some(cookie) = self.0 {
            res.headers_mut().append(SET_COOKIE, cookie);
        }
    }
}

impl<T: EndpointOutRegister> EndpointOutRegister for WithCookie<T> {
    fn register(components: &mut Components, operation: &mut Operation) {
        T::register(components, operation);
    }
}

fn register_json<T: ToSchema>(
    status: &str,
    description: &str,
    components: &mut Components,
    operation: &mut Operation,
) {
    let schema = T::to_schema(components);
    operation.responses.insert(
        status,
        oapi::Response::new(description).add_content("application/json", Content::new(schema)),
    );
}

impl<T: ToSchema> EndpointOutRegister for Json<T> {
    fn register(components: &mut Components, operation: &mut Operation) {
        register_json::<T>("200", "Success", components, operation);
        // Taken away again from what is no GET.
        let unchanged = oapi::Response::new("The client has it already");
        operation.responses.insert("304", unchanged);
    }
}

impl<T: ToSchema> EndpointOutRegister for LinkedPage<T> {
    fn register(components: &mut Components, operation: &mut Operation) {
        Json::<Page<T>>::register(components, operation);
        let link = oapi::Header::new(oapi::Object::with_type(oapi::BasicType::String))
            .description("`rel=\"next\"`: the next part; absent at the end of the list.");
        if let Some(oapi::RefOr::Type(response)) = operation.responses.get_mut("200") {
            response.headers.insert("Link".to_owned(), link);
        }
    }
}

impl<T: ToSchema> EndpointOutRegister for Created<T> {
    fn register(components: &mut Components, operation: &mut Operation) {
        register_json::<T>("201", "Success", components, operation);
    }
}

impl EndpointOutRegister for CreatedEmpty {
    fn register(_components: &mut Components, operation: &mut Operation) {
        operation
            .responses
            .insert("201", oapi::Response::new("Success, without a body"));
    }
}
