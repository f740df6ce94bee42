//! The answer with a waveform: numbers or bytes, whichever the client likes better, or that it is not there yet.

use salvo::http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderValue, RETRY_AFTER, VARY};
use salvo::http::{HeaderMap, ResBody, StatusCode};
use salvo::oapi::{
    self, BasicType, Components, Content, EndpointOutRegister, KnownFormat, Object, Operation,
};
use salvo::oapi::{SchemaFormat, ToSchema};
use salvo::{Depot, Request, Response, Writer, async_trait};

use crate::response::{Json, entity_tag, is_not_modified};
use crate::views::waveform::WaveformView;
use svc_library::waveforms::Waveform;

const BYTES: &str = "application/octet-stream";
/// Seconds until the client should ask again, if it does not wait for the event.
const RETRY_AFTER_SECONDS: u64 = 2;

/// A waveform, or the promise of one.
#[derive(Debug)]
pub struct WaveformResponse(pub Waveform);

/// How much a client likes a media type, in thousandths: by the closest of the ranges that it names.
fn quality(headers: &HeaderMap, wanted: (&str, &str)) -> u16 {
    let ranges = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let ranges = ranges.flat_map(|value| value.split(',')).filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let (kind, name) = parts.next()?.split_once('/')?;
        let closeness = match (kind, name) {
            ("*", "*") => 1,
            (kind, "*") if kind.eq_ignore_ascii_case(wanted.0) => 2,
            (kind, name) if kind.eq_ignore_ascii_case(wanted.0) && name.eq_ignore_ascii_case(wanted.1) => 3,
            _ => return None,
        };
        let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let quality = quality.map_or(Ok(1.0), str::parse::<f32>).unwrap_or(0.0);
        Some((closeness, (quality.clamp(0.0, 1.0) * 1000.0) as u16))
    });
    ranges.max().map_or(0, |(_, quality)| quality)
}

/// Whether bytes are liked better than JSON, which everybody gets who does not say so.
fn prefers_bytes(headers: &HeaderMap) -> bool {
    quality(headers, ("application", "octet-stream")) > quality(headers, ("application", "json"))
}

#[async_trait]
impl Writer for WaveformResponse {
    async fn write(self, req: &mut Request, depot: &mut Depot, res: &mut Response) {
        let Waveform::Ready(summary) = self.0 else {
            res.status_code(StatusCode::ACCEPTED);
            let headers = res.headers_mut();
            headers.insert(RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECONDS));
            headers.insert(CONTENT_LENGTH, HeaderValue::from(0));
            res.replace_body(ResBody::Once(Vec::new().into()));
            return;
        };
        res.headers_mut().insert(VARY, HeaderValue::from_static("accept"));
        let view = WaveformView::from(summary);
        if !prefers_bytes(req.headers()) {
            return Json(view).write(req, depot, res).await;
        }
        let body = view.into_bytes();
        let tag = entity_tag(&body);
        let known = is_not_modified(req.headers(), &tag);
        if let Ok(value) = HeaderValue::try_from(tag) {
            res.headers_mut().insert(ETAG, value);
        }
        if known {
            res.status_code(StatusCode::NOT_MODIFIED);
            return;
        }
        res.status_code(StatusCode::OK);
        res.headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static(BYTES));
        res.headers_mut()
            .insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        res.replace_body(ResBody::Once(body.into()));
    }
}

impl EndpointOutRegister for WaveformResponse {
    fn register(components: &mut Components, operation: &mut Operation) {
        let json = WaveformView::to_schema(components);
        let bytes =
            Object::with_type(BasicType::String).format(SchemaFormat::KnownFormat(KnownFormat::Binary));
        let ready = oapi::Response::new(
            "The waveform; as bytes all peaks and then all root mean squares, where `Accept` prefers them",
        );
        let ready = ready
            .add_content("application/json", Content::new(json))
            .add_content(BYTES, Content::new(bytes));
        operation.responses.insert("200", ready);
        operation.responses.insert(
            "202",
            oapi::Response::new(
                "It is being measured: ask again after `Retry-After` seconds, or wait for `music.waveform_ready`",
            ),
        );
        operation
            .responses
            .insert("304", oapi::Response::new("The client has it already"));
        operation
            .responses
            .insert("422", oapi::Response::new("The sound cannot be decoded"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_for_those_who_like_them_better() {
        for (accept, bytes) in [
            (None, false),
            (Some("*/*"), false),
            (Some("application/*"), false),
            (Some("application/json"), false),
            (Some("application/octet-stream"), true),
            (Some("Application/Octet-Stream"), true),
            (Some("application/octet-stream, */*;q=0.1"), true),
            (Some("application/octet-stream;q=0.5, application/json"), false),
            (
                Some("application/json; q=0.2, application/octet-stream; q=0.3"),
                true,
            ),
            (Some("application/*, application/json;q=0.4"), true),
            (Some("application/octet-stream;q=0"), false),
            (Some("application/octet-stream;q=x"), false),
            (Some("image/png, ;;,/"), false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(ACCEPT, HeaderValue::from_static(accept));
            }
            assert_eq!(prefers_bytes(&headers), bytes, "{accept:?}");
        }
    }
}
