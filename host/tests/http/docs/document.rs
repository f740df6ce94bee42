//! The OpenAPI document.

use serde_json::Value;
use svc_covers::covers;

use crate::support::TestServer;
use svc_api::route::Access;
use svc_api::router::routes;

#[covers("GET /api/docs-json")]
#[tokio::test]
async fn document_describes_every_route_with_its_access() {
    let server = TestServer::start().await;
    let document = server.get("/api/docs-json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    assert!(schemes.contains_key("Local User JWT") && schemes.contains_key("Personal Access Token"));
    assert!(
        document["info"]["description"]
            .as_str()
            .unwrap()
            .contains("| `file_missing` | 404 |")
    );
    for route in routes()
        .iter()
        .filter(|route| !route.path.starts_with("/api/docs"))
    {
        let method = route.method.as_str().to_lowercase();
        let operation = &document["paths"][route.path][&method];
        let responses = operation["responses"]
            .as_object()
            .unwrap_or_else(|| panic!("{route:?} is not described"));
        let public = route.access == Access::Public;
        assert_eq!(
            operation["security"].as_array().unwrap().is_empty(),
            public,
            "{route:?}"
        );
        assert_eq!(responses.contains_key("410"), !public, "{route:?}");
        assert!(public || responses.contains_key("401"), "{route:?}");
        let success = match (method.as_str(), route.path) {
            // Browsers are sent on instead of being answered.
            (_, "/api/v1/auth/oidc/start" | "/api/v1/auth/oidc/callback") => "303",
            // As OpenID Connect Back-Channel Logout says.
            ("post", "/api/v1/auth/oidc/logout") => "200",
            ("post", _) => "201",
            _ => "200",
        };
        assert!(responses.contains_key(success), "{route:?} {responses:?}");
        assert!(operation["summary"].is_string(), "{route:?}");
        assert_eq!(
            path_parameters(operation),
            route.path.matches('{').count(),
            "{route:?}"
        );
    }
}

#[covers("A12")]
#[test]
fn document_declares_actual_defaults_event_types_and_content_types() {
    let document = serde_json::to_value(svc_api::openapi::document(&routes())).unwrap();
    let operation = |path: &str| document["paths"][path]["get"].clone();
    let parameter = |path: &str, name: &str| {
        let parameters = operation(path)["parameters"].as_array().unwrap().clone();
        parameters
            .into_iter()
            .find(|parameter| parameter["name"] == name)
            .unwrap()
    };
    for (path, order_by, order) in [
        ("/api/v1/music/tracks", "title", None),
        ("/api/v1/photos", "takenAt", None),
        ("/api/v1/history", "playedAt", Some("DESC")),
        ("/api/v1/index/runs", "startedAt", Some("DESC")),
        ("/api/v1/jobs", "createdAt", Some("DESC")),
        ("/api/v1/tv/shows/{tvShowId}/seasons", "seasonNumber", Some("ASC")),
    ] {
        assert_eq!(
            parameter(path, "orderBy")["schema"]["default"],
            order_by,
            "{path}"
        );
        let declared = parameter(path, "order");
        assert_eq!(declared["schema"]["default"].as_str(), order, "{path}");
        let reported = declared["description"].as_str().unwrap().contains("default:");
        assert_eq!(reported, order.is_none(), "{path}");
    }
    let events = operation("/api/v1/events/subscribe")["description"]
        .as_str()
        .unwrap()
        .to_owned();
    let source = include_str!("../../../crates/events/src/message.rs");
    let names = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Self::")?.split_once(" => \""));
    let names: Vec<&str> = names.map(|(_, name)| name.trim_end_matches("\",")).collect();
    assert!(
        names.len() >= 20 && names.iter().all(|name| name.contains('.')),
        "{names:?}"
    );
    for name in names {
        assert!(events.contains(&format!("`{name}`")), "{name}");
    }
    let value = &document["components"]["schemas"]["FileField"]["properties"]["value"];
    assert!(value.is_object() && value["type"].is_null(), "{value}");
    let types = |path: &str| {
        let content = operation(path)["responses"]["200"]["content"]
            .as_object()
            .unwrap()
            .clone();
        let mut types: Vec<String> = content.into_iter().map(|(name, _)| name).collect();
        types.sort();
        types
    };
    let bytes = "application/octet-stream";
    let subtitles = [
        bytes,
        "application/x-sami",
        "application/x-subrip",
        "text/vtt",
        "text/x-ssa",
    ];
    assert_eq!(types("/api/v1/subtitles/{subtitleId}"), subtitles);
    assert_eq!(types("/api/v1/music/stream/{musicTrackId}"), [bytes, "audio/*"]);
    assert_eq!(types("/api/v1/movies/{movieId}/stream"), [bytes, "video/*"]);
    assert_eq!(types("/api/v1/movies/{movieId}/artwork"), [bytes, "image/*"]);
}

fn path_parameters(operation: &Value) -> usize {
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    parameters
        .iter()
        .filter(|parameter| parameter["in"] == "path")
        .count()
}

/// Integer query parameters of an operation.
fn numbers_of(operation: &Value) -> Vec<String> {
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    parameters
        .into_iter()
        .filter(|one| one["in"] == "query" && one["schema"]["type"] == "integer")
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

#[covers("T45")]
#[tokio::test]
async fn out_of_range_number_is_refused_by_every_parameter() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let document = server.get("/api/docs-json").await.json();
    let mut cases = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for name in numbers_of(&item["get"]) {
            for number in [
                "1000000000000000000000",
                "-9223372036854775809",
                "1e3",
                "NaN",
                "0x10",
            ] {
                let target = format!("{}?{name}={number}", crate::filled(path));
                let reply = token.get(&target).await;
                assert_eq!(reply.status, 400, "{target}");
                let errors = reply.json()["errors"].as_array().unwrap().clone();
                assert!(
                    errors.iter().any(|error| error["path"] == *name),
                    "{target} {errors:?}"
                );
                cases += 1;
            }
        }
    }
    assert!(cases > 100, "{cases}");
}

#[tokio::test]
async fn references_in_the_document_resolve() {
    let server = TestServer::start().await;
    let document = server.get("/api/docs-json").await.json();
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
}

#[test]
fn document_is_the_same_each_time() {
    assert_eq!(
        svc_api::openapi::document_text(&routes()),
        svc_api::openapi::document_text(&routes())
    );
}
