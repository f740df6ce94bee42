//! The OpenAPI 3.1 document, made from the route list and the handlers' types.

use std::fmt::Write as _;
use std::sync::Once;

use salvo::Router;
use salvo::http::Method;
use salvo::oapi::naming::{FlexNamer, set_namer};
use salvo::oapi::security::{Http, HttpAuthScheme, SecurityScheme};
use salvo::oapi::{
    self, Content, Info, OpenApi, Operation, PathItemType, RefOr, Response, SecurityRequirement, ToSchema,
};
use salvo::routing::MethodFilter;

use crate::api_error::ApiErrorView;
use crate::binary_content::{ANY_BYTES, BinaryContent};
use crate::error_codes::CODES;
use crate::route::{Access, Route};
use crate::tag::Tag;

const LOCAL_USER: &str = "Local User JWT";
const PERSONAL_ACCESS_TOKEN: &str = "Personal Access Token";

/// Schemas are named after their types, without the path. salvo has one namer for the process.
static NAMER: Once = Once::new();

/// The document as text, with a line end at its end: what is served and what is pinned.
pub fn document_text(routes: &[Route]) -> String {
    // Serialization cannot fail for this document; an empty text would differ from the pinned one.
    document(routes).to_pretty_json().unwrap_or_default() + "\n"
}

/// The document of these routes.
pub fn document(routes: &[Route]) -> OpenApi {
    NAMER.call_once(|| set_namer(FlexNamer::new().short_mode(true)));
    let flat = routes.iter().fold(Router::new(), |router, route| {
        let mut leaf = Router::with_path(route.path).filter(MethodFilter::new(route.method.clone()));
        leaf.goal = Some(route.handler.clone());
        router.push(leaf)
    });
    let info = Info::new("svc", env!("CARGO_PKG_VERSION")).description(description());
    let mut document = OpenApi::with_info(info)
        .add_security_scheme(
            LOCAL_USER,
            bearer("JWT", "Access token from signing in, valid for 15 minutes."),
        )
        .add_security_scheme(
            PERSONAL_ACCESS_TOKEN,
            bearer("svc_pat_…", "Token that acts for one user."),
        )
        .merge_router(&flat);
    let tags = Tag::ALL.map(|tag| oapi::Tag::new(tag.as_str()).description(tag.description()));
    document.tags = tags.into_iter().collect();
    let error = ApiErrorView::to_schema(&mut document.components);
    for route in routes {
        let operation = item_type(&route.method)
            .and_then(|method| document.paths.get_mut(route.path)?.operations.get_mut(&method));
        if let Some(operation) = operation {
            name_operation(operation, route);
            complete(operation, route, &Content::new(error.clone()));
        }
    }
    document
}

fn bearer(format: &str, description: &str) -> SecurityScheme {
    let scheme = Http::new(HttpAuthScheme::Bearer)
        .bearer_format(format)
        .description(description);
    SecurityScheme::Http(scheme)
}

fn item_type(method: &Method) -> Option<PathItemType> {
    match *method {
        Method::GET => Some(PathItemType::Get),
        Method::POST => Some(PathItemType::Post),
        Method::PUT => Some(PathItemType::Put),
        Method::PATCH => Some(PathItemType::Patch),
        Method::DELETE => Some(PathItemType::Delete),
        _ => None,
    }
}

/// Sets id and tag of an operation. salvo uses the handler's name as id: `get_track` becomes `getTrack`.
fn name_operation(operation: &mut Operation, route: &Route) {
    let handler = operation.operation_id.take().unwrap_or_default();
    let handler = handler.rsplit('.').next().unwrap_or_default();
    operation.operation_id = Some(super::extract::camel_case(handler));
    operation.tags = [route.tag.as_str().to_owned()].into();
}

/// Adds what follows from the route: credentials, and the errors that its access and input can bring.
fn complete(operation: &mut Operation, route: &Route, error: &Content) {
    let mut errors = vec![
        ("500", "Internal server error"),
        ("503", "A dependency of the server is unavailable"),
        (
            "421",
            "Before setup: the host is neither an IP address, `localhost` nor the base URL's",
        ),
    ];
    if route.access == Access::Public {
        operation.securities = Some(Vec::new());
    } else {
        let none: [&str; 0] = [];
        let schemes: &[&str] = if route.access.requires_session() {
            &[LOCAL_USER]
        } else {
            &[LOCAL_USER, PERSONAL_ACCESS_TOKEN]
        };
        let schemes = schemes.iter().map(|name| SecurityRequirement::new(*name, none));
        operation.securities = Some(schemes.collect());
        errors.push(("401", "No credential, or one that is invalid or has expired"));
        if route.access != Access::SignedIn {
            errors.push(("403", "The caller lacks the capability"));
        }
        errors.push((
            "410",
            "The access token is not valid on this server, or its user is gone",
        ));
    }
    if operation.request_body.is_some() {
        errors.extend([
            ("400", "The input is not valid"),
            ("408", "The body took too long"),
        ]);
        errors.extend([("413", "The body is too large"), ("415", "The body is not JSON")]);
    }
    errors.extend(route.binary.and_then(BinaryContent::error));
    for (status, description) in errors {
        operation
            .responses
            .entry(status.to_owned())
            .or_insert_with(|| RefOr::Type(Response::new(description)));
    }
    // Only responses to GET have an entity tag that a request can name.
    if route.method != Method::GET {
        operation.responses.remove("304");
    }
    let types = route.binary.map(BinaryContent::media_types).unwrap_or_default();
    for (status, response) in operation.responses.iter_mut() {
        let RefOr::Type(response) = response else {
            continue;
        };
        if status.starts_with(['4', '5']) {
            response
                .contents
                .insert("application/json".to_owned(), error.clone());
        }
        if let Some(schema) = response.contents.shift_remove(ANY_BYTES) {
            let each = types.iter().map(|name| ((*name).to_owned(), schema.clone()));
            response.contents.extend(each);
        }
    }
    let access = route.access.describe();
    let about = operation
        .description
        .take()
        .map_or(access.clone(), |text| format!("{text}\n\n{access}"));
    operation.description = Some(about);
}

fn description() -> String {
    let mut text = "A self-hosted media server.\n\nErrors are JSON: `message`, for some a `code`, and with status \
                    400, and with 404 for what the input names, `errors`, each with `path` and `message`. Any request \
                    may be answered with 414 where its target is too long, and with 431 where its head is too \
                    large.\n\n| Code | Status | Meaning |\n|---|---|---|\n"
        .to_owned();
    for (code, status, meaning) in CODES {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| `{}` | {} | {meaning} |", code.as_str(), status.as_u16());
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::router::routes;

    /// Schema names have letters only: no Rust path, and no number, which salvo appends to a name that is taken.
    fn is_name(name: &str) -> bool {
        !name.is_empty() && name.chars().all(|character| character.is_ascii_alphabetic())
    }

    #[test]
    fn every_operation_has_an_id_of_its_own_and_a_tag() {
        let document = document(&routes());
        let mut ids = BTreeSet::new();
        for (path, item) in document.paths.iter() {
            for operation in item.operations.values() {
                let id = operation.operation_id.as_deref().unwrap_or_default();
                assert!(
                    is_name(id) && id.starts_with(|first: char| first.is_ascii_lowercase()),
                    "{path} {id}"
                );
                assert!(ids.insert(id), "{id} is the id of two operations");
                assert_eq!(operation.tags.len(), 1, "{id} has no tag");
            }
        }
        assert!(ids.len() > 100, "{}", ids.len());
    }

    #[test]
    fn media_files_have_media_types() {
        let document = document(&routes());
        for route in routes() {
            let method = item_type(&route.method).unwrap();
            let item = document.paths.get(route.path);
            let Some(operation) = item.and_then(|item| item.operations.get(&method)) else {
                // The pages of the documentation are not described.
                assert!(route.binary.is_none(), "{route:?}");
                continue;
            };
            assert_eq!(
                operation.responses.contains_key("206"),
                route.binary.is_some(),
                "{route:?}"
            );
        }
    }

    #[test]
    fn every_tag_has_an_operation() {
        let document = document(&routes());
        let items = document.paths.values();
        let operations = items.flat_map(|item| item.operations.values());
        let used: BTreeSet<&str> = operations
            .flat_map(|operation| operation.tags.iter().map(String::as_str))
            .collect();
        assert_eq!(used, Tag::ALL.map(Tag::as_str).into());
    }

    #[test]
    fn schemas_are_named_without_paths_and_none_twice() {
        let document = document(&routes());
        let names: Vec<&String> = document.components.schemas.keys().collect();
        assert!(names.len() > 100, "{}", names.len());
        for name in names {
            assert!(is_name(name) && !name.ends_with("View"), "{name}");
        }
    }
}
