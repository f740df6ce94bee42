//! Resources that several clients may change at once: a response holds the revision in its entity tag, and a request
//! names the revision it expects in `If-Match`.

use salvo::http::StatusCode;
use salvo::http::header::{HeaderMap, IF_MATCH};
use salvo::oapi::{Components, EndpointArgRegister, EndpointOutRegister, Operation, ParameterIn, ToSchema};
use salvo::{Depot, Request, Response, Writer, async_trait};
use serde::Serialize;

use crate::api_error::ApiError;
use crate::extract::{extractible, register_text_parameter};
use crate::response::{Created, Json, Payload};

/// 200 with a JSON body. The entity tag is the revision and a digest of the body: parts of the body may change without
/// a new revision.
#[derive(Debug)]
pub struct Versioned<T>(pub i64, pub T);

/// 201 with a JSON body and the entity tag of [`Versioned`].
#[derive(Debug)]
pub struct CreatedVersioned<T>(pub i64, pub T);

/// The revisions that `If-Match` accepts; `None` for any revision.
#[derive(Debug)]
pub struct IfMatch(pub Option<Vec<i64>>);

/// The revision in a strong entity tag: `"7"` or `"7-…"`. `None` for weak and foreign tags.
fn revision_in(tag: &str) -> Option<i64> {
    let text = tag.trim().strip_prefix('"')?.strip_suffix('"')?;
    let number = text.split('-').next()?;
    number
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| number.parse().ok())?
}

fn revisions(headers: &HeaderMap) -> Option<Vec<i64>> {
    let mut values = headers.get_all(IF_MATCH).iter().peekable();
    values.peek()?;
    let texts: Vec<&str> = values.filter_map(|value| value.to_str().ok()).collect();
    // A revision's tag holds no comma, so a tag with a comma matches nothing either way.
    let mut tags = texts.iter().flat_map(|text| text.split(','));
    if tags.clone().any(|tag| tag.trim() == "*") {
        return None;
    }
    let mut found: Vec<i64> = tags.by_ref().filter_map(revision_in).collect();
    found.dedup();
    Some(found)
}

extractible!(IfMatch, req, _depot, _arg => Ok::<_, ApiError>(Self(revisions(req.headers()))));

impl EndpointArgRegister for IfMatch {
    fn register(_components: &mut Components, operation: &mut Operation, _arg: &str) {
        let about = "Revision that the change applies to: `\"7\"`, or an entity tag of the resource.";
        register_text_parameter(operation, "If-Match", ParameterIn::Header, about);
    }
}

fn send<T: Serialize>(status: StatusCode, revision: i64, value: &T, req: &Request, res: &mut Response) {
    match Payload::json(status, value) {
        Ok(payload) => payload.tagged(&format!("{revision}-")).send(req, res),
        Err(error) => error.render(res),
    }
}

#[async_trait]
impl<T: Serialize + Send> Writer for Versioned<T> {
    async fn write(self, req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        send(StatusCode::OK, self.0, &self.1, req, res);
    }
}

#[async_trait]
impl<T: Serialize + Send> Writer for CreatedVersioned<T> {
    async fn write(self, req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        send(StatusCode::CREATED, self.0, &self.1, req, res);
    }
}

impl<T: ToSchema> EndpointOutRegister for Versioned<T> {
    fn register(components: &mut Components, operation: &mut Operation) {
        Json::<T>::register(components, operation);
    }
}

impl<T: ToSchema> EndpointOutRegister for CreatedVersioned<T> {
    fn register(components: &mut Components, operation: &mut Operation) {
        Created::<T>::register(components, operation);
    }
}

#[cfg(test)]
mod tests {
    use salvo::http::HeaderValue;
    use salvo::http::header::ETAG;

    use super::*;

    #[test]
    fn if_match_is_read_as_revisions() {
        // (header values, revisions)
        let cases: &[(&[&str], Option<&[i64]>)] = &[
            (&[], None),
            (&["*"], None),
            (&["\"7\""], Some(&[7])),
            (&["\"7-0123abcd\""], Some(&[7])),
            (&["\"7\", \"9-x\""], Some(&[7, 9])),
            (&["\"7\"", "\"8\""], Some(&[7, 8])),
            (&["W/\"7\""], Some(&[])),
            (&["7"], Some(&[])),
            (&[""], Some(&[])),
            (&["\"\""], Some(&[])),
            (&["\"-7\""], Some(&[])),
            (&["\"+7\""], Some(&[])),
            (&["\"99999999999999999999\""], Some(&[])),
        ];
        for (values, expected) in cases {
            let mut headers = HeaderMap::new();
            for value in *values {
                headers.append(IF_MATCH, HeaderValue::from_static(value));
            }
            assert_eq!(revisions(&headers).as_deref(), *expected, "{values:?}");
        }
        let mut res = Response::new();
        send(StatusCode::OK, 12, &(), &Request::new(), &mut res);
        let tag = res.headers().get(ETAG).unwrap().to_str().unwrap();
        assert_eq!(revision_in(tag), Some(12));
    }
}
