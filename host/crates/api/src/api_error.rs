//! Errors as clients see them: `{message, code?, errors?}`, and the one map from what services refuse to HTTP.

use std::borrow::Cow;

use salvo::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use salvo::http::{ResBody, StatusCode};
use salvo::oapi::{Components, EndpointOutRegister, Operation, ToSchema};
use salvo::{Depot, Request, Response, Writer, async_trait};
use serde::Serialize;

use svc_identity::authentication::AuthenticationError;
use svc_identity::error::{ErrorCode, FieldError, RetryReason, ServiceError, TryLater};

/// Every machine-readable code: the status it comes with and what it means. Part of the API's description.
pub const CODES: &[(&str, u16, &str)] = &[
    (
        "pat_invalid",
        401,
        "The personal access token is unknown, revoked or has expired.",
    ),
    (
        "cloud_token_required",
        401,
        "A cross-site caller sent no cloud token, or the account is linked to a cloud account, whose token is missing or \
         not accepted. The session is unchanged.",
    ),
    (
        "pat_not_permitted",
        403,
        "This takes a signed-in session; a personal access token does not do.",
    ),
    ("artwork_missing", 404, "The item has no picture."),
    (
        "file_missing",
        404,
        "The item is known, but its file is not there any more.",
    ),
    (
        "subtitle_embedded",
        404,
        "The subtitles are a stream of the video's own file; a player reads them from there.",
    ),
    (
        "index_action_conflict",
        409,
        "The action does not fit the state of the indexer.",
    ),
    ("indexing_in_progress", 409, "A run of the indexer is under way."),
    (
        "too_many_streams",
        409,
        "The user plays as many files as `max_concurrent_streams` permits, or listens to 1,000 streams of events.",
    ),
    (
        "job_action_conflict",
        409,
        "The action does not fit the state of the job.",
    ),
    (
        "library_name_taken",
        409,
        "There is a library of this name for the media kind.",
    ),
    (
        "playback_queue_full",
        409,
        "The queue would hold more items than one may.",
    ),
    (
        "plugin_action_conflict",
        409,
        "The action does not fit the state of the plugin.",
    ),
    ("role_exists", 409, "There is a role of this name."),
    (
        "setting_fixed",
        409,
        "An option of the server holds the setting at its value.",
    ),
    ("too_many_jobs", 409, "As many jobs of this type wait as may."),
    (
        "too_many_photo_albums",
        409,
        "The user has as many albums as one may have.",
    ),
    (
        "too_many_tokens",
        409,
        "The user has as many personal access tokens as one may have.",
    ),
    ("username_taken", 409, "There is an account of this name."),
    (
        "playback_queue_changed",
        412,
        "The queue is not of the revision that `If-Match` names any more.",
    ),
    (
        "thumbnail_unavailable",
        422,
        "No smaller picture can be made of this file: nobody reads its format, it is too large or it is broken.",
    ),
    (
        "waveform_unavailable",
        422,
        "The sound of the file cannot be decoded.",
    ),
    (
        "too_many_attempts",
        429,
        "Tried too often; `Retry-After` says in how many seconds it makes sense again.",
    ),
    (
        "busy",
        503,
        "The server has more of this to do than it takes on, such as sign-ins, pictures or waveforms; `Retry-After` says in \
         how many seconds it makes sense again.",
    ),
    (
        "cloud_unavailable",
        503,
        "The cloud could not be reached, or none is configured. The session is unchanged.",
    ),
    (
        "database_unavailable",
        503,
        "The database does not answer; try again.",
    ),
    ("storage_full", 503, "The server has no space left."),
    (
        "storage_unavailable",
        503,
        "The media directory of the item is not available; try again.",
    ),
];

/// What a client reads for any fault of the server. The reason is in the log.
const SERVER_FAULT: &str = "the server failed to answer; its log has the reason";

/// The body of every error.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ApiError"))]
pub struct ApiErrorView {
    /// For people.
    pub message: String,
    /// Machine-readable, where there is more to tell than the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What is wrong with the input, with status 400; what it names and there is not, with status 404.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<FieldErrorView>>,
}

/// One thing that is wrong with the input.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "FieldError"))]
pub struct FieldErrorView {
    /// The field of the body, such as `items[0].mediaId`, or the parameter of the query; empty for the input as a whole.
    pub path: String,
    /// What is wrong, for people.
    pub message: String,
}

/// An error on its way to a client.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    code: Option<&'static str>,
    message: Cow<'static, str>,
    errors: Vec<FieldError>,
    header: Option<Box<(HeaderName, HeaderValue)>>,
}

impl ApiError {
    /// An error of this status.
    pub fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status,
            code: None,
            message: message.into(),
            errors: Vec::new(),
            header: None,
        }
    }

    /// The usual words for a status, where nobody said more.
    pub fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::NOT_FOUND => Self::new(status, "not found"),
            StatusCode::METHOD_NOT_ALLOWED => Self::new(status, "this method is not allowed here"),
            _ if status.is_server_error() && status != StatusCode::SERVICE_UNAVAILABLE => {
                Self::new(status, SERVER_FAULT)
            }
            _ => Self::new(
                status,
                status.canonical_reason().unwrap_or("error").to_lowercase(),
            ),
        }
    }

    /// With a machine-readable code.
    #[must_use]
    pub fn with_code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// With a header of its own.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.header = Some(Box::new((name, value)));
        self
    }

    /// The input makes no sense.
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        Self {
            errors,
            ..Self::new(StatusCode::BAD_REQUEST, "the request is not valid")
        }
    }

    /// A fault of the server; the text goes to the log alone.
    pub fn internal(error: impl std::fmt::Display) -> Self {
        tracing::error!(target: "svc::http", %error, "a request failed");
        Self::of_status(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// A known caller who may not.
    pub fn forbidden() -> Self {
        Self::new(StatusCode::FORBIDDEN, "your roles do not allow this")
    }

    /// Puts the error into a response, in place of what was there.
    pub fn render(self, res: &mut Response) {
        let errors = self
            .errors
            .into_iter()
            .map(|FieldError { path, message }| FieldErrorView { path, message });
        let errors: Vec<_> = errors.collect();
        let body = ApiErrorView {
            message: self.message.into_owned(),
            code: self.code.map(str::to_owned),
            errors: (!errors.is_empty()).then_some(errors),
        };
        let body = serde_json::to_vec(&body).unwrap_or_default();
        res.status_code(self.status);
        let headers = res.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/json; charset=utf-8"),
        );
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // That of the answer that was not given.
        headers.remove(ETAG);
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(header) = self.header {
            let (name, value) = *header;
            headers.insert(name, value);
        }
        res.replace_body(ResBody::Once(body.into()));
    }
}

/// For `Retry-After`. Rounded up: earlier would be too early.
fn whole_seconds(time: std::time::Duration) -> HeaderValue {
    HeaderValue::from(time.as_secs() + u64::from(time.subsec_nanos() > 0))
}

impl From<ServiceError> for ApiError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::Invalid(errors) => Self::invalid(errors),
            ServiceError::Refused(message) => Self::new(StatusCode::FORBIDDEN, message),
            ServiceError::Unauthorized { code, message } => Self {
                code: code.map(ErrorCode::as_str),
                ..Self::new(StatusCode::UNAUTHORIZED, message)
            },
            ServiceError::Unauthenticated(error) => (*error).into(),
            ServiceError::TokenNotPermitted => {
                Self::new(StatusCode::FORBIDDEN, error.to_string()).with_code("pat_not_permitted")
            }
            ServiceError::NotFound => Self::of_status(StatusCode::NOT_FOUND),
            ServiceError::Unknown(errors) => Self {
                errors,
                ..Self::of_status(StatusCode::NOT_FOUND)
            },
            ServiceError::Absent { code, message } => {
                Self::new(StatusCode::NOT_FOUND, message).with_code(code.as_str())
            }
            ServiceError::Unprocessable { code, message } => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, message).with_code(code.as_str())
            }
            ServiceError::Conflict { code, message } => {
                Self::new(StatusCode::CONFLICT, message).with_code(code.as_str())
            }
            ServiceError::Stale { code, message } => {
                Self::new(StatusCode::PRECONDITION_FAILED, message).with_code(code.as_str())
            }
            ServiceError::TryLater(later) => later.into(),
            ServiceError::Internal(text) => Self::internal(text),
        }
    }
}

impl From<TryLater> for ApiError {
    fn from(later: TryLater) -> Self {
        let status = match later.reason {
            RetryReason::TooManyAttempts => StatusCode::TOO_MANY_REQUESTS,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        let error = Self {
            code: later.reason.code().map(ErrorCode::as_str),
            ..Self::new(status, later.message)
        };
        match later.retry_after {
            Some(time) => error.with_header(RETRY_AFTER, whole_seconds(time)),
            None => error,
        }
    }
}

impl From<AuthenticationError> for ApiError {
    fn from(error: AuthenticationError) -> Self {
        let message = error.to_string();
        // Told of a token that was shown; without one there is no error yet (RFC 6750, 3.1).
        let invalid_token = HeaderValue::from_static("Bearer error=\"invalid_token\"");
        match error {
            AuthenticationError::Missing => Self::new(StatusCode::UNAUTHORIZED, message),
            AuthenticationError::InvalidAccessToken => {
                Self::new(StatusCode::UNAUTHORIZED, message).with_header(WWW_AUTHENTICATE, invalid_token)
            }
            AuthenticationError::ForeignAccessToken => Self::new(StatusCode::GONE, message),
            AuthenticationError::InvalidPersonalAccessToken => Self::new(StatusCode::UNAUTHORIZED, message)
                .with_code("pat_invalid")
                .with_header(WWW_AUTHENTICATE, invalid_token),
            AuthenticationError::Service(error) => error.into(),
        }
    }
}

#[async_trait]
impl Writer for ApiError {
    async fn write(self, _req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        self.render(res);
    }
}

impl EndpointOutRegister for ApiError {
    // The document adds errors to every operation, by its access and input: `openapi.rs`.
    fn register(_components: &mut Components, _operation: &mut Operation) {}
}
