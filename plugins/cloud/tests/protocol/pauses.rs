//! The pauses that the cloud asks for with `Retry-After`.

use serde_json::json;
use svc_plugin_api::cloud::http::header;
use svc_plugin_api::cloud::{Cloud, CloudError, simulate};

use super::{NOW, ORIGIN, cloud, document, response};
use ::cloud::CloudClient;

#[test]
fn pause_is_kept() {
    let sent = cloud(document(&json!([])), |_| {
        let mut busy = response(503, &json!({"code": "busy"}));
        busy.headers.push(header("Retry-After", "30"));
        Ok(busy)
    });
    for (time, requests) in [(NOW, 2), (NOW + 29_999, 2), (NOW + 30_000, 3)] {
        simulate::clock(time);
        assert!(CloudClient::account("token".to_owned()).is_err());
        assert_eq!(sent.borrow().len(), requests, "{time}");
    }
}

#[test]
fn pause_is_of_one_endpoint() {
    for status in [429, 503] {
        let sent = cloud(document(&json!([])), move |request| {
            if request.url.ends_with("/invitation-statuses") {
                let mut busy = response(status, &json!({"code": "too_many_requests"}));
                busy.headers.push(header("Retry-After", "30"));
                return Ok(busy);
            }
            Ok(response(200, &json!({"publicUserId": "u_4Q7XK2M9RBTD1HNC"})))
        });
        let statuses = || CloudClient::invitation_statuses("credential".to_owned(), vec!["i_1".to_owned()]);
        for _ in 0..2 {
            assert_eq!(statuses().unwrap_err(), CloudError::Unavailable);
            CloudClient::account("token".to_owned()).unwrap();
        }
        let sent = sent.borrow();
        let paths = sent
            .iter()
            .map(|request| request.url.strip_prefix(ORIGIN).unwrap());
        let expected = [
            "/.well-known/svc-cloud",
            "/api/v1/invitation-statuses",
            "/api/v1/account",
            "/api/v1/account",
        ];
        assert_eq!(paths.collect::<Vec<_>>(), expected, "{status}");
    }
}
