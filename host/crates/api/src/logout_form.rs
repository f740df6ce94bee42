//! The body of a back-channel logout: a form with one token.

use salvo::http::StatusCode;
use salvo::oapi::{
    BasicType, Components, Content, EndpointArgRegister, Object, Operation, RequestBody, Required,
};
use url::form_urlencoded;

use crate::api_error::ApiError;
use crate::body::receive;
use crate::extract::extractible;
use crate::request_context::RequestContext;
use svc_identity::error::FieldError;

const FORM: &str = "application/x-www-form-urlencoded";
/// The field of the form.
const LOGOUT_TOKEN: &str = "logout_token";

/// The logout token of a request.
pub struct LogoutForm(pub String);

impl std::fmt::Debug for LogoutForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LogoutForm(…)")
    }
}

extractible!(LogoutForm, req, depot, _arg => {
    let is_form = req.content_type().is_some_and(|mime| mime.essence_str() == FORM);
    let body = receive(req, RequestContext::of(depot)?).await?;
    if !is_form {
        let message = "the body must be a form, with the content type application/x-www-form-urlencoded";
        return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    let mut tokens = form_urlencoded::parse(body).filter(|(name, _)| name == LOGOUT_TOKEN);
    match (tokens.next(), tokens.next()) {
        (Some((_, token)), None) => Ok(Self(token.into_owned())),
        _ => Err(ApiError::invalid(vec![FieldError::new(LOGOUT_TOKEN, "must be given once")])),
    }
});

impl EndpointArgRegister for LogoutForm {
    fn register(_components: &mut Components, operation: &mut Operation, _arg: &str) {
        let token = Object::with_type(BasicType::String).description("The signed token of the provider");
        let form = Object::new().property(LOGOUT_TOKEN, token).required(LOGOUT_TOKEN);
        let body = RequestBody::new()
            .required(Required::True)
            .add_content(FORM, Content::new(form));
        operation.request_body = Some(body);
    }
}
