//! The body of an uploaded plugin: the component itself, or a form with the component and its signature.

use futures_util::stream;
use multer::{Multipart, parse_boundary};
use salvo::http::StatusCode;
use salvo::http::header::CONTENT_TYPE;
use salvo::oapi::{
    BasicType, Components, Content, EndpointArgRegister, KnownFormat, Object, Operation, RequestBody,
    Required, SchemaFormat,
};

use crate::api_error::ApiError;
use crate::body::receive;
use crate::extract::extractible;
use crate::request_context::RequestContext;
use svc_identity::error::FieldError;
use svc_library::plugins::PluginSignature;

/// The field of the form with the component.
const PLUGIN: &str = "plugin";
/// The field of the form with the signature file.
const SIGNATURE: &str = "signature";
/// The media type of a component.
const WASM: &str = "application/wasm";

/// An uploaded plugin.
#[derive(Debug)]
pub(crate) struct PluginUpload {
    /// The component.
    pub(crate) component: Vec<u8>,
    /// Its signature.
    pub(crate) signature: Option<PluginSignature>,
}

extractible!(PluginUpload, req, depot, _arg => {
    let content_type = req.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_owned();
    let body = receive(req, RequestContext::of(depot)?).await?.to_vec();
    if let Ok(boundary) = parse_boundary(&content_type) {
        return from_form(body, boundary).await;
    }
    if content_type != WASM {
        let message = "the body must be a plugin, with the content type application/wasm, or a form, with \
                       multipart/form-data";
        return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    Ok(Self { component: body, signature: None })
});

fn invalid(path: &str, message: impl Into<String>) -> ApiError {
    ApiError::invalid(vec![FieldError::new(path, message)])
}

async fn from_form(body: Vec<u8>, boundary: String) -> Result<PluginUpload, ApiError> {
    let whole = stream::iter([Ok::<_, std::convert::Infallible>(body)]);
    let mut form = Multipart::new(whole, boundary);
    let damaged = |error: multer::Error| invalid("", format!("the form cannot be read: {error}"));
    let (mut component, mut signature) = (None, None);
    while let Some(field) = form.next_field().await.map_err(damaged)? {
        let name = field.name().unwrap_or_default().to_owned();
        let content = field.bytes().await.map_err(damaged)?;
        let is_first = match name.as_str() {
            PLUGIN => component.replace(content.to_vec()).is_none(),
            SIGNATURE => signature.replace(read_signature(&content)?).is_none(),
            _ => {
                return Err(invalid(
                    &name,
                    "is not a field of this form: there are `plugin` and `signature`",
                ));
            }
        };
        if !is_first {
            return Err(invalid(&name, "is there twice"));
        }
    }
    Ok(PluginUpload {
        component: component.ok_or_else(|| invalid(PLUGIN, "is missing"))?,
        signature,
    })
}

fn read_signature(content: &[u8]) -> Result<PluginSignature, ApiError> {
    let text = std::str::from_utf8(content).map_err(|_| invalid(SIGNATURE, "is not text"))?;
    PluginSignature::parse(text)
        .map_err(|reason| invalid(SIGNATURE, format!("is not a signature file: {reason}")))
}

impl EndpointArgRegister for PluginUpload {
    fn register(_components: &mut Components, operation: &mut Operation, _arg: &str) {
        let binary =
            Object::with_type(BasicType::String).format(SchemaFormat::KnownFormat(KnownFormat::Binary));
        let signature = Object::with_type(BasicType::String)
            .description("The content of the signature file, as `svc plugin sign` writes it");
        let form = Object::new()
            .property(PLUGIN, binary.clone())
            .property(SIGNATURE, signature)
            .required(PLUGIN);
        let body = RequestBody::new()
            .required(Required::True)
            .add_content(WASM, Content::new(binary))
            .add_content("multipart/form-data", Content::new(form));
        operation.request_body = Some(body);
    }
}
