//! Typed input of handlers: services, caller, path parameters and headers.

use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use salvo::Depot;
use salvo::http::StatusCode;
use salvo::http::header::HeaderName;
use salvo::http::uri::Scheme;
use salvo::oapi::{BasicType, Components, EndpointArgRegister, Object, Operation, Parameter, ParameterIn};

use crate::api_error::ApiError;
use crate::client::Client;
use crate::middleware::credential;
use crate::request_context::RequestContext;
use crate::response::register_statuses;
use crate::state::{AppState, SharedState};
use svc_http_io::connection::Connection;
use svc_http_io::headers::single_value;
use svc_identity::AuthContext;
use svc_identity::actor::Actor;
use svc_identity::app::App;

const SVC_APP: HeaderName = HeaderName::from_static("svc-app");
const SVC_CLOUD_TOKEN: HeaderName = HeaderName::from_static("svc-cloud-token");

/// The services.
#[derive(Debug)]
pub struct State(SharedState);

impl Deref for State {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

impl State {
    /// The services, for code that is no handler.
    pub(super) fn of(depot: &Depot) -> Result<&SharedState, ApiError> {
        RequestContext::of(depot).map(|context| &context.state)
    }
}

/// The caller of a route that requires authentication.
#[derive(Debug)]
pub struct Caller(Arc<Actor>);

impl Deref for Caller {
    type Target = Actor;

    fn deref(&self) -> &Actor {
        &self.0
    }
}

/// The caller of a public route; `None` without a valid credential.
#[derive(Debug)]
pub struct MaybeCaller(pub Option<Arc<Actor>>);

/// The caller and their client: the author of a change, for the audit log.
#[derive(Debug)]
pub struct Authenticated(pub AuthContext);

/// The token of a cloud account, from the header `Svc-Cloud-Token`; `None` if the header is absent, empty or repeated.
#[derive(Debug)]
pub struct CloudToken(pub Option<String>);

/// A path parameter. The argument's name in camel case is the parameter's name: `music_track_id` reads
/// `{musicTrackId}`. 404 if the text does not parse.
#[derive(Debug)]
pub struct PathId<T>(pub T);

/// A path parameter like [`PathId`]; `None` if the text does not parse.
#[derive(Debug)]
pub struct AnyPathId<T>(pub Option<T>);

/// The app in the header `svc-app`; `None` if the header is absent, repeated or names no app.
#[derive(Debug)]
pub struct SvcApp(pub Option<App>);

/// Like [`SvcApp`], for a request that can do without.
#[derive(Debug)]
pub struct OptionalSvcApp(pub Option<App>);

/// The connection of the request.
#[derive(Debug)]
pub struct ClientConnection(pub Connection);

/// Implements `Extractible` for a type.
macro_rules! extractible {
    ($type:ty $(where [$($generic:tt)*])?, $req:ident, $depot:ident, $arg:ident => $extract:expr) => {
        impl<'ex $(, $($generic)*)?> salvo::Extractible<'ex> for $type {
            fn metadata() -> &'static salvo::extract::Metadata {
                static METADATA: salvo::extract::Metadata = salvo::extract::Metadata::new(stringify!($type));
                &METADATA
            }

            #[allow(refining_impl_trait, reason = "the trait hides the error's type")]
            async fn extract(
                req: &'ex mut salvo::Request,
                depot: &'ex mut salvo::Depot,
            ) -> Result<Self, crate::api_error::ApiError> {
                Self::extract_with_arg(req, depot, "").await
            }

            #[allow(refining_impl_trait, reason = "the trait hides the error's type")]
            async fn extract_with_arg(
                $req: &'ex mut salvo::Request,
                $depot: &'ex mut salvo::Depot,
                $arg: &str,
            ) -> Result<Self, crate::api_error::ApiError> {
                $extract
            }
        }
    };
}

pub(crate) use extractible;

extractible!(ClientConnection, req, _depot, _arg => {
    let connection = req.extensions().get::<Connection>().cloned();
    connection.map(Self).ok_or_else(|| ApiError::internal("the request has no connection"))
});

extractible!(State, _req, depot, _arg => {
    State::of(depot).map(|state| Self(Arc::clone(state)))
});

extractible!(Caller, _req, depot, _arg => {
    // 401 also if a public route asks for a caller by mistake.
    let actor = RequestContext::of(depot)?.actor.clone();
    actor.map(Self).ok_or_else(|| ApiError::of_status(StatusCode::UNAUTHORIZED))
});

extractible!(MaybeCaller, req, depot, _arg => {
    let context = RequestContext::of(depot)?;
    let credential = credential(req, context);
    Ok::<_, ApiError>(Self(context.state.authentication.actor(credential).await.ok()))
});

extractible!(Client, req, depot, _arg => {
    let proxy_config = &State::of(depot)?.proxy_config;
    let https = *req.scheme() == Scheme::HTTPS;
    Ok(Self::of(proxy_config, req.remote_addr().ip(), https, req.headers()))
});

extractible!(Authenticated, req, depot, _arg => {
    let actor = Arc::clone(&Caller::extract(req, depot).await?.0);
    let client = Client::extract(req, depot).await?.into();
    Ok::<_, ApiError>(Self(AuthContext { actor, client }))
});

extractible!(CloudToken, req, _depot, _arg => {
    let value = single_value(req.headers(), &SVC_CLOUD_TOKEN).filter(|value| !value.is_empty());
    Ok::<_, ApiError>(Self(value.map(str::to_owned)))
});

extractible!(PathId<T> where [T: FromStr + Send], req, depot, arg => {
    let AnyPathId(value) = AnyPathId::<T>::extract_with_arg(req, depot, arg).await?;
    value.map(Self).ok_or_else(|| ApiError::of_status(StatusCode::NOT_FOUND))
});

extractible!(AnyPathId<T> where [T: FromStr + Send], req, _depot, arg => {
    let value = req.params().get(&camel_case(arg)).and_then(|text| text.parse().ok());
    Ok::<_, ApiError>(Self(value))
});

extractible!(SvcApp, req, _depot, _arg => Ok::<_, ApiError>(Self(named_app(req))));

extractible!(OptionalSvcApp, req, _depot, _arg => Ok::<_, ApiError>(Self(named_app(req))));

fn named_app(req: &salvo::Request) -> Option<App> {
    single_value(req.headers(), &SVC_APP).and_then(App::from_name)
}

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

/// Implements `EndpointArgRegister` for inputs that are no part of the API description.
macro_rules! not_described {
    ($($type:ty),+) => {$(
        impl salvo::oapi::EndpointArgRegister for $type {
            fn register(
                _components: &mut salvo::oapi::Components,
                _operation: &mut salvo::oapi::Operation,
                _arg: &str,
            ) {}
        }
    )+};
}

pub(crate) use not_described;

not_described!(
    State,
    Client,
    Caller,
    MaybeCaller,
    Authenticated,
    ClientConnection
);

/// Describes an optional text parameter.
pub(super) fn register_text_parameter(
    operation: &mut Operation,
    name: &str,
    location: ParameterIn,
    about: &str,
) {
    let parameter = Parameter::new(name).location(location).required(false);
    let text = Object::with_type(BasicType::String);
    operation
        .parameters
        .insert(parameter.description(about).schema(text));
}

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
        register_statuses(operation, &[("404", "Not found")]);
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
            .insert(parameter.description("The app to sign in to.").schema(apps));
    }
}

impl EndpointArgRegister for OptionalSvcApp {
    fn register(_components: &mut Components, operation: &mut Operation, _arg: &str) {
        let about = "The app of a session that a cloud token opens: `music`, unless it is the name of another app. The \
                     session of a cookie has one.";
        register_text_parameter(operation, "svc-app", ParameterIn::Header, about);
    }
}

impl EndpointArgRegister for CloudToken {
    fn register(_components: &mut Components, operation: &mut Operation, _arg: &str) {
        let about = "The token of a cloud account.";
        register_text_parameter(operation, "Svc-Cloud-Token", ParameterIn::Header, about);
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
