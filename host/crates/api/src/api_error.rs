//! Errors as clients receive them: `{message, code?, errors?}`, and the map from service errors to HTTP statuses.

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

/// The message for every internal error. The reason is in the log only.
const SERVER_FAULT: &str = "the server failed to answer; its log has the reason";

/// The body of every error.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ApiError"))]
pub struct ApiErrorView {
    /// For people.
    pub message: String,
    /// Machine-readable, if the status alone does not identify the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The invalid fields of the input, with status 400; unknown ids in the input, with status 404.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<FieldErrorView>>,
}

/// One thing that is wrong with the input.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "FieldError"))]
pub struct FieldErrorView {
    /// The field of the body, such as `items[0].mediaId`, or the parameter of the query; empty for the input as a
    /// whole.
    pub path: String,
    /// What is wrong, for people.
    pub message: String,
}

/// An error response.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    code: Option<Cow<'static, str>>,
    message: Cow<'static, str>,
    errors: Vec<FieldError>,
    header: Option<Box<(HeaderName, HeaderValue)>>,
    limit: Option<ExceededLimit>,
}

/// The rate limit that a request exceeded: an extension of the response, for the request log.
#[derive(Debug, Clone, Copy)]
pub struct ExceededLimit(pub &'static str);

impl ApiError {
    /// An error of this status.
    pub fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status,
            code: None,
            message: message.into(),
            errors: Vec::new(),
            header: None,
            limit: None,
        }
    }

    /// The default message of a status.
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

    /// Adds a machine-readable code.
    #[must_use]
    pub fn with_code(mut self, code: ErrorCode) -> Self {
        self.code = Some(code.as_str().into());
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.header = Some(Box::new((name, value)));
        self
    }

    /// 400 for invalid input.
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        Self {
            errors,
            ..Self::new(StatusCode::BAD_REQUEST, "the request is not valid")
        }
    }

    /// 500 for an internal error; the text is logged and not sent.
    pub fn internal(error: impl std::fmt::Display) -> Self {
        tracing::error!(target: "svc::http", %error, "a request failed");
        Self::of_status(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Replaces the contents of a response with this error.
    pub fn render(self, res: &mut Response) {
        let errors = self
            .errors
            .into_iter()
            .map(|FieldError { path, message }| FieldErrorView { path, message });
        let errors: Vec<_> = errors.collect();
        let body = ApiErrorView {
            message: self.message.into_owned(),
            code: self.code.map(Cow::into_owned),
            errors: (!errors.is_empty()).then_some(errors),
        };
        let body = serde_json::to_vec(&body).unwrap_or_default();
        res.status_code(self.status);
        if let Some(limit) = self.limit {
            res.extensions.insert(limit);
        }
        let headers = res.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/json; charset=utf-8"),
        );
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // The handler may have set the tag of the response that this error replaces.
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

/// Seconds for `Retry-After`, rounded up so that clients do not retry too early.
fn whole_seconds(time: std::time::Duration) -> HeaderValue {
    HeaderValue::from(time.as_secs() + u64::from(time.subsec_nanos() > 0))
}

impl From<ServiceError> for ApiError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::Invalid(errors) => Self::invalid(errors),
            ServiceError::Refused(message) => Self::new(StatusCode::FORBIDDEN, message),
            ServiceError::Unauthorized { code, message } => Self {
                code: code.map(|code| code.as_str().into()),
                ..Self::new(StatusCode::UNAUTHORIZED, message)
            },
            ServiceError::Unauthenticated(error) => (*error).into(),
            ServiceError::TokenNotPermitted => {
                Self::new(StatusCode::FORBIDDEN, error.to_string()).with_code(ErrorCode::PatNotPermitted)
            }
            ServiceError::ReauthenticationRequired => Self::new(StatusCode::FORBIDDEN, error.to_string())
                .with_code(ErrorCode::ReauthenticationRequired),
            ServiceError::Grant { code, message } => {
                Self::new(StatusCode::BAD_REQUEST, message).with_code(code)
            }
            ServiceError::NotFound => Self::of_status(StatusCode::NOT_FOUND),
            ServiceError::Unknown(errors) => Self {
                errors,
                ..Self::of_status(StatusCode::NOT_FOUND)
            },
            ServiceError::Absent { code, message } => {
                Self::new(StatusCode::NOT_FOUND, message).with_code(code)
            }
            ServiceError::Unprocessable { code, message } => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, message).with_code(code)
            }
            ServiceError::Conflict { code, message } => {
                Self::new(StatusCode::CONFLICT, message).with_code(code)
            }
            ServiceError::CloudRefused { code } => Self {
                code: Some(code.into()),
                ..Self::new(StatusCode::CONFLICT, "the cloud refused this")
            },
            ServiceError::Stale { code, message } => {
                Self::new(StatusCode::PRECONDITION_FAILED, message).with_code(code)
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
            code: later.reason.code().map(|code| code.as_str().into()),
            limit: later.limit.map(ExceededLimit),
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
        // Only if the request has a token: without one, RFC 6750 (3.1) wants no error code.
        let invalid_token = HeaderValue::from_static("Bearer error=\"invalid_token\"");
        match error {
            AuthenticationError::Missing => Self::new(StatusCode::UNAUTHORIZED, message),
            AuthenticationError::InvalidAccessToken => {
                Self::new(StatusCode::UNAUTHORIZED, message).with_header(WWW_AUTHENTICATE, invalid_token)
            }
            AuthenticationError::ForeignAccessToken => Self::new(StatusCode::GONE, message),
            AuthenticationError::InvalidPersonalAccessToken => Self::new(StatusCode::UNAUTHORIZED, message)
                .with_code(ErrorCode::PatInvalid)
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
