//! The response of the waveform endpoint: JSON or bytes, by the `Accept` header, or 202 while it is being computed.

use salvo::http::header::{ACCEPT, CONTENT_LENGTH, HeaderValue, RETRY_AFTER, VARY};
use salvo::http::{HeaderMap, ResBody, StatusCode};
use salvo::oapi::{
    self, BasicType, Components, Content, EndpointOutRegister, KnownFormat, Object, Operation, SchemaFormat,
    ToSchema,
};
use salvo::{Depot, Request, Response, Writer, async_trait};

use crate::response::{Json, NOT_MODIFIED, Payload, register_statuses};
use crate::views::waveform::WaveformView;
use svc_library::media_types::PLAIN_BYTES;
use svc_library::waveforms::Waveform;

/// Seconds after which a client that does not wait for the event should retry.
const RETRY_AFTER_SECONDS: u64 = 2;

/// 200 with the waveform, or 202 while it is being computed.
#[derive(Debug)]
pub struct WaveformResponse(pub Waveform);

/// The quality of a media type in `Accept`, 0 to 1000: that of the most specific matching range.
fn quality(headers: &HeaderMap, media_type: (&str, &str)) -> u16 {
    let ranges = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let ranges = ranges.flat_map(|value| value.split(',')).filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let (kind, name) = parts.next()?.split_once('/')?;
        let specificity = match (kind, name) {
            ("*", "*") => 1,
            (kind, "*") if kind.eq_ignore_ascii_case(media_type.0) => 2,
            (kind, name)
                if kind.eq_ignore_ascii_case(media_type.0) && name.eq_ignore_ascii_case(media_type.1) =>
            {
                3
            }
            _ => return None,
        };
        let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let quality = quality.map_or(Ok(1.0), str::parse::<f32>).unwrap_or(0.0);
        Some((specificity, (quality.clamp(0.0, 1.0) * 1000.0) as u16))
    });
    ranges.max().map_or(0, |(_, quality)| quality)
}

/// Whether `Accept` prefers bytes to JSON, which is the default.
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
        let payload = Payload::new(StatusCode::OK, PLAIN_BYTES, view.into_bytes());
        payload.tagged("").send(req, res);
    }
}

impl EndpointOutRegister for WaveformResponse {
    fn register(components: &mut Components, operation: &mut Operation) {
        let json = WaveformView::to_schema(components);
        let bytes =
            Object::with_type(BasicType::String).format(SchemaFormat::KnownFormat(KnownFormat::Binary));
        let about = "The waveform. As bytes, if `Accept` prefers them: the peaks of all bins, then their root mean squares";
        let ready = oapi::Response::new(about)
            .add_content("application/json", Content::new(json))
            .add_content(PLAIN_BYTES, Content::new(bytes));
        operation.responses.insert("200", ready);
        let computing = "The waveform is being computed: retry after `Retry-After` seconds, or wait for the event \
                         `music.waveform_ready`";
        let statuses = [
            ("202", computing),
            NOT_MODIFIED,
            ("422", "The audio cannot be decoded"),
        ];
        register_statuses(operation, &statuses);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_sent_if_accept_prefers_them() {
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
