//! Successful responses: JSON with an entity tag, pages of lists, 201, responses with a cookie.

use bytes::Bytes;
use data_encoding::HEXLOWER;
use salvo::http::header::{
    CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, LINK, SET_COOKIE,
};
use salvo::http::{HeaderMap, ResBody, StatusCode};
use salvo::oapi::{self, Components, Content, EndpointOutRegister, Operation, ToSchema};
use salvo::{Depot, Request, Response, Writer, async_trait};
use serde::Serialize;
use sha2::{Digest, Sha256};
use url::form_urlencoded;

use crate::api_error::ApiError;
use svc_domain::list::{Cursor, Listing};
use svc_http_io::range::none_match_fails;

const JSON: &str = "application/json; charset=utf-8";

/// 200 with a JSON body. A GET has an entity tag and is answered 304 if `If-None-Match` names that tag.
#[derive(Debug)]
pub struct Json<T>(pub T);

/// 201 with a JSON body.
#[derive(Debug)]
pub struct Created<T>(pub T);

/// 201 without a body.
#[derive(Debug)]
pub struct CreatedEmpty;

/// A response with a `Set-Cookie` header, if there is one to send.
#[derive(Debug)]
pub struct WithCookie<T>(pub Option<HeaderValue>, pub T);

/// A page of a list; in JSON `[items, total]`.
#[derive(Debug)]
pub struct Page<T> {
    items: Vec<T>,
    total: u64,
    next: Option<Cursor>,
}

/// 200 with a page of a list. The `Link` header holds the URL of the next page.
#[derive(Debug)]
pub struct LinkedPage<T>(pub Page<T>);

impl<T> Page<T> {
    /// The page of a listing, each item converted by `view`.
    pub fn new<I>(listing: Listing<I>, view: impl FnMut(I) -> T) -> Self {
        Self {
            items: listing.items.into_iter().map(view).collect(),
            total: listing.total,
            next: listing.next,
        }
    }
}

impl<I, T: From<I>> From<Listing<I>> for Page<T> {
    fn from(listing: Listing<I>) -> Self {
        Self::new(listing, T::from)
    }
}

impl<I, T: From<I>> From<Listing<I>> for Json<Page<T>> {
    fn from(listing: Listing<I>) -> Self {
        Self(listing.into())
    }
}

impl<I, T: From<I>> From<Listing<I>> for LinkedPage<T> {
    fn from(listing: Listing<I>) -> Self {
        Self(listing.into())
    }
}

impl<I, T: From<I>> From<Vec<I>> for Json<Vec<T>> {
    fn from(items: Vec<I>) -> Self {
        Self(items.into_iter().map(T::from).collect())
    }
}

impl<I, T: From<I>> From<Vec<I>> for Created<Vec<T>> {
    fn from(items: Vec<I>) -> Self {
        Self(items.into_iter().map(T::from).collect())
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
            .description("The items of the page, and the number of items in the whole list.")
            .into()
    }
}

/// A response body with the headers that describe it.
pub(super) struct Payload {
    status: StatusCode,
    content_type: &'static str,
    body: Bytes,
    tag: Option<String>,
}

impl Payload {
    /// A body without an entity tag.
    pub(super) fn new(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            content_type,
            body: body.into(),
            tag: None,
        }
    }

    /// The JSON of a value.
    ///
    /// # Errors
    /// Internal, if the value cannot be written as JSON.
    pub(super) fn json<T: Serialize>(status: StatusCode, value: &T) -> Result<Self, ApiError> {
        let body = serde_json::to_vec(value).map_err(ApiError::internal)?;
        Ok(Self::new(status, JSON, body))
    }

    /// Adds an entity tag: `prefix`, then the first half of the body's SHA-256 in hexadecimal.
    #[must_use]
    pub(super) fn tagged(mut self, prefix: &str) -> Self {
        let digest = Sha256::digest(&self.body);
        let digest = HEXLOWER.encode(digest.get(..16).unwrap_or_default());
        self.tag = Some(format!("\"{prefix}{digest}\""));
        self
    }

    /// Sends the body; 304 instead, if a GET or HEAD request names its entity tag in `If-None-Match`.
    pub(super) fn send(self, req: &Request, res: &mut Response) {
        let mut status = self.status;
        if let Some(tag) = self.tag {
            if req.method().is_safe() && is_not_modified(req.headers(), &tag) {
                status = StatusCode::NOT_MODIFIED;
            }
            set_header(res.headers_mut(), ETAG, tag);
        }
        res.status_code(status);
        if status == StatusCode::NOT_MODIFIED {
            return;
        }
        let headers = res.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(self.body.len()));
        res.replace_body(ResBody::Once(self.body));
    }
}

/// Sets a header. A text that is no header value is dropped.
pub(super) fn set_header(headers: &mut HeaderMap, name: HeaderName, text: String) {
    if let Ok(value) = HeaderValue::try_from(text) {
        headers.insert(name, value);
    }
}

/// Whether `If-None-Match` names this entity tag.
pub(super) fn is_not_modified(headers: &HeaderMap, tag: &str) -> bool {
    headers.contains_key(IF_NONE_MATCH) && none_match_fails(headers, tag)
}

#[async_trait]
impl<T: Serialize + Send> Writer for Json<T> {
    async fn write(self, req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        // The cache layer has set the tag of a response that is cached by version.
        let tag = res.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
        let tag = tag.map(str::to_owned);
        match Payload::json(StatusCode::OK, &self.0) {
            Ok(payload) if tag.is_some() => Payload { tag, ..payload }.send(req, res),
            Ok(payload) if req.method().is_safe() => payload.tagged("").send(req, res),
            Ok(payload) => payload.send(req, res),
            Err(error) => error.render(res),
        }
    }
}

/// The `Link` header of the next page: the target of this request with another `after`. The link holds no token.
fn next_link(req: &Request, next: &Cursor) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let current = form_urlencoded::parse(req.uri().query().unwrap_or_default().as_bytes());
    for (name, value) in current.filter(|(name, _)| !["after", "skip", "token"].contains(&name.as_ref())) {
        query.append_pair(&name, &value);
    }
    query.append_pair("after", &next.to_string());
    format!("<{}?{}>; rel=\"next\"", req.uri().path(), query.finish())
}

#[async_trait]
impl<T: Serialize + Send> Writer for LinkedPage<T> {
    async fn write(self, req: &mut Request, depot: &mut Depot, res: &mut Response) {
        if let Some(next) = &self.0.next {
            set_header(res.headers_mut(), LINK, next_link(req, next));
        }
        Json(self.0).write(req, depot, res).await;
    }
}

#[async_trait]
impl<T: Serialize + Send> Writer for Created<T> {
    async fn write(self, req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        match Payload::json(StatusCode::CREATED, &self.0) {
            Ok(payload) => payload.send(req, res),
            Err(error) => error.render(res),
        }
    }
}

#[async_trait]
impl Writer for CreatedEmpty {
    async fn write(self, _req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        res.status_code(StatusCode::CREATED);
        res.replace_body(ResBody::Once(Bytes::new()));
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

fn register_json<T: ToSchema>(status: &str, components: &mut Components, operation: &mut Operation) {
    let content = Content::new(T::to_schema(components));
    let response = oapi::Response::new("Success").add_content("application/json", content);
    operation.responses.insert(status, response);
}

/// Adds responses without a body to the description of an operation: pairs of status and description.
pub(super) fn register_statuses(operation: &mut Operation, statuses: &[(&str, &str)]) {
    for (status, description) in statuses {
        let response = oapi::Response::new(*description);
        operation.responses.insert(*status, response);
    }
}

/// Status and description of a 304.
pub(super) const NOT_MODIFIED: (&str, &str) = ("304", "The client's copy is current");

impl<T: ToSchema> EndpointOutRegister for Json<T> {
    fn register(components: &mut Components, operation: &mut Operation) {
        register_json::<T>("200", components, operation);
        // `openapi.rs` removes it from operations other than GET.
        register_statuses(operation, &[NOT_MODIFIED]);
    }
}

impl<T: ToSchema> EndpointOutRegister for LinkedPage<T> {
    fn register(components: &mut Components, operation: &mut Operation) {
        Json::<Page<T>>::register(components, operation);
        let link = oapi::Header::new(oapi::Object::with_type(oapi::BasicType::String))
            .description("`rel=\"next\"`: URL of the next page; absent on the last page.");
        if let Some(oapi::RefOr::Type(response)) = operation.responses.get_mut("200") {
            response.headers.insert("Link".to_owned(), link);
        }
    }
}

impl<T: ToSchema> EndpointOutRegister for Created<T> {
    fn register(components: &mut Components, operation: &mut Operation) {
        register_json::<T>("201", components, operation);
    }
}

impl EndpointOutRegister for CreatedEmpty {
    fn register(_components: &mut Components, operation: &mut Operation) {
        register_statuses(operation, &[("201", "Success, without a body")]);
    }
}
