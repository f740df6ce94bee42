//! Things that several clients change at once: their revision goes out as the entity tag, and comes back in `If-Match`.

use data_encoding::HEXLOWER;
use salvo::http::header::{
    CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_MATCH, IF_NONE_MATCH,
};
use salvo::http::{ResBody, StatusCode};
use salvo::oapi::{
    BasicType, Components, EndpointArgRegister, EndpointOutRegister, Object, Operation, Parameter,
    ParameterIn, ToSchema,
};
use salvo::{Depot, Extractible, Request, Response, Writer, async_trait, extract::Metadata};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::api_error::ApiError;
use crate::response::{Created, Json};
use svc_http_io::range::none_match_fails;

/// 200 with JSON. The entity tag begins with the revision; what follows is the answer's own, because some of what it
/// shows changes without a new revision.
#[derive(Debug)]
pub struct Versioned<T>(pub i64, pub T);

/// The same with 201.
#[derive(Debug)]
pub struct CreatedVersioned<T>(pub i64, pub T);

/// The revisions that a change may be made of; `None` for any.
#[derive(Debug)]
pub struct IfMatch(pub Option<Vec<i64>>);

fn entity_tag(revision: i64, body: &[u8]) -> String {
    let digest = HEXLOWER.encode(Sha256::digest(body).get(..8).unwrap_or_default());
    format!("\"{revision}-{digest}\"")
}

/// The revision in an entity tag, strong ones alone: `"7"`, or `"7-…"`.
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
    // Our tags hold no comma; one that does is not ours and matches nothing.
    let mut tags = texts.iter().flat_map(|text| text.split(','));
    if tags.clone().any(|tag| tag.trim() == "*") {
        return None;
    }
    let mut found: Vec<i64> = tags.by_ref().filter_map(revision_in).collect();
    found.dedup();
    Some(found)
}

impl<'ex> Extractible<'ex> for IfMatch {
    fn metadata() -> &'static Metadata {
        static METADATA: Metadata = Metadata::new("IfMatch");
        &METADATA
    }

    #[allow(refining_impl_trait, reason = "the trait hides the error's type")]
    async fn extract(req: &'ex mut Request, _depot: &'ex mut Depot) -> Result<Self, ApiError> {
        Ok(Self(revisions(req.headers())))
    }
}

impl EndpointArgRegister for IfMatch {
    fn register(_components: &mut Components, operation: &mut Operation, _arg: &str) {
        let about = "The change is made only of this revision: `\"7\"`, or an entity tag as it came.";
        let parameter = Parameter::new("If-Match")
            .location(ParameterIn::Header)
            .required(false)
            .description(about)
            .schema(Object::with_type(BasicType::String));
        operation.parameters.insert(parameter);
    }
}

fn write<T: Serialize>(status: StatusCode, revision: i64, value: &T, req: &Request, res: &mut Response) {
    let body = match serde_json::to_vec(value) {
        Ok(body) => body,
        Err(error) => return ApiError::internal(error).render(res),
    };
    let tag = entity_tag(revision, &body);
    let known = req.method().is_safe()
        && req.headers().contains_key(IF_NONE_MATCH)
        && none_match_fails(req.headers(), &tag);
    if let Ok(value) = HeaderValue::try_from(tag) {
        res.headers_mut().insert(ETAG, value);
    }
    if known {
        res.status_code(StatusCode::NOT_MODIFIED);
        return;
    }
    res.status_code(status);
    let json = HeaderValue::from_static("application/json; charset=utf-8");
    res.headers_mut().insert(CONTENT_TYPE, json);
    res.headers_mut()
        .insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    res.replace_body(ResBody::Once(body.into()));
}

#[async_trait]
impl<T: Serialize + Send + Sync> Writer for Versioned<T> {
    async fn write(self, req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        write(StatusCode::OK, self.0, &self.1, req, res);
    }
}

#[async_trait]
impl<T: Serialize + Send + Sync> Writer for CreatedVersioned<T> {
    async fn write(self, req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        write(StatusCode::CREATED, self.0, &self.1, req, res);
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
        assert_eq!(revision_in(&entity_tag(12, b"{}")), Some(12));
    }
}
