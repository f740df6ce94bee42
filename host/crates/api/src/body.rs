//! Request bodies: received once, within limits of size and time, and read as JSON into input types.

use std::fmt;
use std::marker::PhantomData;

use salvo::http::body::Body as _;
use salvo::http::{ParseError, StatusCode};
use salvo::oapi::{Components, Content, EndpointArgRegister, Operation, RequestBody, Required, ToSchema};
use salvo::{Depot, Request};
use serde::de::{self, DeserializeOwned, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::api_error::ApiError;
use crate::extract::{SvcApp, extractible};
use crate::request_context::RequestContext;
use svc_http_io::json_body;
use svc_http_io::limits::INPUT_ITEMS;
use svc_identity::error::FieldError;

/// Input that is read from a JSON body.
pub trait Input: DeserializeOwned + ToSchema + Send {}

/// A JSON body. 400 if it is invalid, before the handler runs.
#[derive(Debug)]
pub struct Body<T>(pub T);

/// A JSON body whose error the handler may return after other errors.
#[derive(Debug)]
pub struct DeferredBody<T>(pub Result<T, ApiError>);

impl<T: Default> DeferredBody<T> {
    /// The body of a sign-in to an app. Without an app the sign-in fails, and an invalid body must not make it fail faster.
    ///
    /// # Errors
    /// Those of the body, if there is an app.
    pub fn for_sign_in(self, app: &SvcApp) -> Result<T, ApiError> {
        match app.0 {
            Some(_) => self.0,
            None => Ok(self.0.unwrap_or_default()),
        }
    }
}

extractible!(Body<T> where [T: Input], req, depot, _arg => read_body(req, depot).await.map(Self));

extractible!(DeferredBody<T> where [T: Input], req, depot, _arg => {
    Ok::<_, ApiError>(Self(read_body(req, depot).await))
});

async fn read_body<T: Input>(req: &mut Request, depot: &Depot) -> Result<T, ApiError> {
    let is_json = req
        .content_type()
        .is_some_and(|mime| mime.type_() == "application" && mime.subtype() == "json");
    let bytes = receive(req, RequestContext::of(depot)?).await?;
    // An empty body is reported as missing, not as a body of another type.
    if !is_json && !bytes.is_empty() {
        let message = "the body must be JSON, with the content type application/json";
        return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    json_body::parse(bytes)
        .map_err(|error| ApiError::invalid(vec![FieldError::new(error.path(), error.to_string())]))
}

fn register_body<T: ToSchema>(components: &mut Components, operation: &mut Operation) {
    let schema = T::to_schema(components);
    let body = RequestBody::new()
        .required(Required::True)
        .add_content("application/json", Content::new(schema));
    operation.request_body = Some(body);
}

impl<T: Input> EndpointArgRegister for Body<T> {
    fn register(components: &mut Components, operation: &mut Operation, _arg: &str) {
        register_body::<T>(components, operation);
    }
}

impl<T: Input> EndpointArgRegister for DeferredBody<T> {
    fn register(components: &mut Components, operation: &mut Operation, _arg: &str) {
        register_body::<T>(components, operation);
    }
}

/// Receives the whole body, unless that is done, and returns it.
///
/// # Errors
/// 413 if the body is larger than the route allows, 408 if it does not arrive in time, 400 if the client aborts it.
pub(super) async fn receive<'a>(
    req: &'a mut Request,
    context: &RequestContext,
) -> Result<&'a [u8], ApiError> {
    let most = context.body_bytes();
    let too_large = || {
        let message = format!("the body must be at most {most} bytes long");
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    // Reject a body by its announced length, before reading it.
    if req.body().size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let body = req.payload_with_max_size(most);
    let bytes = context.deadline.wait_for_client(context.body_time(), body);
    let too_slow = || ApiError::of_status(StatusCode::REQUEST_TIMEOUT);
    let bytes = bytes.await.ok_or_else(too_slow)?.map_err(|error| match error {
        ParseError::PayloadTooLarge => too_large(),
        ParseError::Other(error) if is_timeout(error.as_ref()) => too_slow(),
        _ => ApiError::new(StatusCode::BAD_REQUEST, "the body is incomplete"),
    })?;
    Ok(bytes)
}

/// Whether the connection timed out while it waited for the next part of the body.
fn is_timeout(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut chain = std::iter::successors(Some(error), |error| error.source());
    chain.any(|error| {
        let io = error.downcast_ref::<std::io::Error>();
        io.is_some_and(|error| error.kind() == std::io::ErrorKind::TimedOut)
    })
}

/// Deserializes a list of at most [`INPUT_ITEMS`] items. For `#[serde(deserialize_with)]` on every list of an input.
///
/// # Errors
/// Too many items, or an item of another type.
pub fn bounded_list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Items<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {INPUT_ITEMS} items")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = seq.next_element()? {
                if items.len() == INPUT_ITEMS {
                    return Err(de::Error::custom(format!(
                        "must hold at most {INPUT_ITEMS} items"
                    )));
                }
                items.push(item);
            }
            Ok(items)
        }
    }

    deserializer.deserialize_seq(Items(PhantomData))
}

/// Deserializes an optional field that must not be `null`. For `#[serde(default, deserialize_with)]`.
///
/// # Errors
/// `null`, or a value of another type.
pub fn non_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Deserializes an optional field that may be `null`: `Some(None)` for `null`, `None` for an absent field. For
/// `#[serde(default, deserialize_with)]`.
///
/// # Errors
/// A value of another type.
pub fn nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Deserializes a required field that may be `null`. For `#[serde(deserialize_with)]`.
///
/// # Errors
/// A value of another type.
pub fn required_nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}
