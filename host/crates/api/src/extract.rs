//! Typed input of handlers: state, caller, path, body, and the app that signs in.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use salvo::http::StatusCode;
use salvo::oapi::{
    self, BasicType, Components, Content, EndpointArgRegister, Object, Operation, Parameter, ParameterIn,
    RequestBody, Required, ToSchema,
};
use salvo::{Depot, Extractible, Request, extract::Metadata};
use serde::de::{self, DeserializeOwned, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::api_error::ApiError;
use crate::body::receive;
use crate::client::Client;
use crate::json_body;
use crate::middleware::authenticate::credential;
use crate::request_context::RequestContext;
use crate::state::AppState;
use svc_http_io::connection::Connection;
use svc_http_io::limits;
use svc_identity::AuthContext;
use svc_identity::actor::Actor;
use svc_identity::app::App;

/// The services.
#[derive(Debug)]
pub struct State(Arc<AppState>);

impl Deref for State {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

impl State {
    /// The services of the request at hand, for those who have no [`State`] of their own.
    pub(super) fn of(depot: &Depot) -> Result<&Arc<AppState>, ApiError> {
        RequestContext::of(depot).map(|context| &context.state)
    }
}

/// The known caller of a route that is not public.
#[derive(Debug)]
pub struct Caller(Arc<Actor>);

impl Deref for Caller {
    type Target = Actor;

    fn deref(&self) -> &Actor {
        &self.0
    }
}

/// The caller of a public route, if they can be known.
#[derive(Debug)]
pub struct MaybeCaller(pub Option<Arc<Actor>>);

/// The known caller, with the program that they use: what changes are made by.
#[derive(Debug)]
pub struct Authenticated(pub AuthContext);

/// The token of a cloud account, from the header `Svc-Cloud-Token`.
#[derive(Debug)]
pub struct CloudToken(pub Option<String>);

/// A part of the path, named by the argument: `music_track_id` for `{musicTrackId}`. What is no id is not found.
#[derive(Debug)]
pub struct PathId<T>(pub T);

/// The same, where what is no id is as good as one that nobody has.
#[derive(Debug)]
pub struct AnyPathId<T>(pub Option<T>);

/// Input that comes as JSON.
pub trait Input: DeserializeOwned + ToSchema + Send {}

/// A JSON body.
#[derive(Debug)]
pub struct Body<T>(pub T);

/// A JSON body whose faults come second: the handler has something to refuse before.
#[derive(Debug)]
pub struct DeferredBody<T>(pub Result<T, ApiError>);

/// The app of the header `svc-app`; `None` if there is none, several, or another.
#[derive(Debug)]
pub struct SvcApp(pub Option<App>);

/// The connection that the request came on.
#[derive(Debug)]
pub struct ClientConnection(pub Connection);

macro_rules! extractible {
    ($type:ty $(where [$($generic:tt)*])?, $req:ident, $depot:ident, $arg:ident => $extract:expr) => {
        impl<'ex $(, $($generic)*)?> Extractible<'ex> for $type {
            fn metadata() -> &'static Metadata {
                static METADATA: Metadata = Metadata::new(stringify!($type));
                &METADATA
            }

            #[allow(refining_impl_trait, reason = "the trait hides the error's type")]
            async fn extract(req: &'ex mut Request, depot: &'ex mut Depot) -> Result<Self, ApiError> {
                Self::extract_with_arg(req, depot, "").await
            }

            #[allow(refining_impl_trait, reason = "the trait hides the error's type")]
            async fn extract_with_arg(
                $req: &'ex mut Request,
                $depot: &'ex mut Depot,
                $arg: &str,
            ) -> Result<Self, ApiError> {
                $extract
            }
        }
    };
}

extractible!(ClientConnection, req, _depot, _arg => {
    let connection = req.extensions().get::<Connection>().cloned();
    connection.map(Self).ok_or_else(|| ApiError::internal("a request without a connection"))
});

extractible!(State, _req, depot, _arg => {
    State::of(depot).map(|state| Self(Arc::clone(state)))
});

extractible!(Caller, _req, depot, _arg => {
    // A handler that asks for a caller on a public route is a mistake of ours, and lets nobody in.
    let actor = RequestContext::of(depot)?.actor.clone();
    actor.map(Self).ok_or_else(|| ApiError::of_status(StatusCode::UNAUTHORIZED))
});

extractible!(MaybeCaller, req, depot, _arg => {
    let context = RequestContext::of(depot)?;
    let credential = credential(req, context);
    Ok::<_, ApiError>(Self(context.state.authentication.actor(credential).await.ok()))
});

extractible!(Authenticated, req, depot, _arg => {
    let actor = Arc::clone(&Caller::extract(req, depot).await?.0);
    let client = Client::extract(req, depot).await?.into();
    Ok::<_, ApiError>(Self(AuthContext { actor, client }))
});

extractible!(CloudToken, req, _depot, _arg => {
    let mut values = req.headers().get_all("svc-cloud-token").iter();
    let value = values.next().and_then(|value| value.to_str().ok()).filter(|value| !value.is_empty());
    let value = if values.next().is_some() { None } else { value };
    Ok::<_, ApiError>(Self(value.map(str::to_owned)))
});

extractible!(PathId<T> where [T: FromStr + Send], req, _depot, arg => {
    let value = req.params().get(&camel_case(arg)).and_then(|text| text.parse().ok());
    value.map(Self).ok_or_else(|| ApiError::of_status(StatusCode::NOT_FOUND))
});

extractible!(AnyPathId<T> where [T: FromStr + Send], req, _depot, arg => {
    let value = req.params().get(&camel_case(arg)).and_then(|text| text.parse().ok());
    Ok::<_, ApiError>(Self(value))
});

extractible!(SvcApp, req, _depot, _arg => {
    let mut values = req.headers().get_all("svc-app").iter();
    let value = values.next().and_then(|value| value.to_str().ok());
    let value = if values.next().is_some() { None } else { value };
    Ok::<_, ApiError>(Self(value.and_then(App::from_name)))
});

extractible!(Body<T> where [T: Input], req, depot, _arg => read_body(req, depot).await.map(Self));

extractible!(DeferredBody<T> where [T: Input], req, depot, _arg => {
    Ok::<_, ApiError>(Self(read_body(req, depot).await))
});

pub(super) fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut text, word| {
        let mut letters = word.chars();
        text.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        text.push_str(letters.as_str());
        text
    })
}

async fn read_body<T: Input>(req: &mut Request, depot: &Depot) -> Result<T, ApiError> {
    let is_json = req
        .content_type()
        .is_some_and(|mime| mime.type_() == "application" && mime.subtype() == "json");
    let bytes = receive(req, RequestContext::of(depot)?).await?;
    // Without any body there is nothing that could be of another type.
    if !is_json && !bytes.is_empty() {
        let message = "the body must be JSON, with the content type application/json";
        return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    json_body::parse(bytes).map_err(|error| ApiError::invalid(vec![error]))
}

/// Reads a list of at most [`limits::INPUT_ITEMS`]: for `#[serde(deserialize_with)]` on every list of an input.
///
/// # Errors
/// On the first item too many, and on those of another type.
pub fn short_list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Items<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {} items", limits::INPUT_ITEMS)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = seq.next_element()? {
                if items.len() == limits::INPUT_ITEMS {
                    return Err(de::Error::custom(format!(
                        "may hold {} items",
                        limits::INPUT_ITEMS
                    )));
                }
                items.push(item);
            }
            Ok(items)
        }
    }

    deserializer.deserialize_seq(Items(PhantomData))
}

/// Reads a field that may be left out but is never empty: `null` is an error, not another word for leaving it out. For
/// `#[serde(default, deserialize_with)]`; a field that `null` empties has [`present`](super::routes::users::present).
///
/// # Errors
/// On `null`, and on another type.
pub fn not_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

macro_rules! register_nothing {
    ($($type:ty),+) => {$(
        impl EndpointArgRegister for $type {
            fn register(_components: &mut Components, _operation: &mut Operation, _arg: &str) {}
        }
    )+};
}

register_nothing!(State, Caller, MaybeCaller, Authenticated, ClientConnection);

fn register_path_parameter(operation: &mut Operation, arg: &str) {
    let parameter = Parameter::new(camel_case(arg))
        .location(ParameterIn::Path)
        .required(true);
    operation
        .parameters
        .insert(parameter.schema(Object::with_type(BasicType::String)));
}

impl<T> EndpointArgRegister for PathId<T> {
    fn register(_components: &mut Components, operation: &mut Operation, arg: &str) {
        register_path_parameter(operation, arg);
        let missing = oapi::Response::new("There is no such thing");
        operation.responses.insert("404", missing);
    }
}

impl<T> EndpointArgRegister for AnyPathId<T> {
    fn register(_components: &mut Components, operation: &mut Operation, arg: &str) {
        register_path_parameter(operation, arg);
    }
}

impl EndpointArgRegister for SvcApp {
    fn register(_components: &mut Components, operation: &mut Operation, _arg: &str) {
        let apps = Object::with_type(BasicType::String).enum_values(App::ALL.map(App::as_str));
        let parameter = Parameter::new("svc-app")
            .location(ParameterIn::Header)
            .required(true);
        operation
            .parameters
            .insert(parameter.description("The app that signs in.").schema(apps));
    }
}

impl EndpointArgRegister for CloudToken {
    fn register(_components: &mut Components, operation: &mut Operation, _arg: &str) {
        let parameter = Parameter::new("Svc-Cloud-Token")
            .location(ParameterIn::Header)
            .required(false)
            .description("The token of a cloud account.")
            .schema(Object::with_type(BasicType::String));
        operation.parameters.insert(parameter);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_parameters_are_named_by_their_arguments() {
        assert_eq!(camel_case("music_track_id"), "musicTrackId");
        assert_eq!(camel_case("id"), "id");
    }
}
