//! The OpenAPI 3.1 document, made from the route list and the handlers' types.

use std::fmt::Write as _;

use salvo::Router;
use salvo::http::Method;
use salvo::oapi::security::{Http, HttpAuthScheme, SecurityScheme};
use salvo::oapi::{
    Content, Info, OpenApi, Operation, PathItemType, RefOr, Response, SecurityRequirement, ToSchema,
};
use salvo::routing::MethodFilter;

use crate::access::Access;
use crate::media_types::{PLAIN_BYTES, SUBTITLE_TYPES};
use crate::problem::{CODES, ProblemView};
use crate::route::Route;
use crate::router::routes;

/// What stands for the media types of bytes until it is known which route answers with them.
pub(super) const ANY_BYTES: &str = "*/*";

const LOCAL_USER: &str = "Local User JWT";
const PERSONAL_ACCESS_TOKEN: &str = "Personal Access Token";

/// The document as text, with a line end at its end: what is served and what is pinned.
pub fn document_text() -> String {
    // The document holds nothing that JSON cannot say; an empty one would show in the comparison with the pinned.
    document().to_pretty_json().unwrap_or_default() + "\n"
}

/// The document.
pub fn document() -> OpenApi {
    let routes = routes();
    let flat = routes.iter().fold(Router::new(), |router, route| {
        let mut leaf = Router::with_path(route.path).filter(MethodFilter::new(route.method.clone()));
        leaf.goal = Some(route.goal.clone());
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
    let problem = ProblemView::to_schema(&mut document.components);
    for route in &routes {
        let operation = item_type(&route.method)
            .and_then(|method| document.paths.get_mut(route.path)?.operations.get_mut(&method));
        if let Some(operation) = operation {
            complete(operation, route, &Content::new(problem.clone()));
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

/// Adds what follows from the route: credentials, and the errors that its access and input can bring.
fn complete(operation: &mut Operation, route: &Route, problem: &Content) {
    let mut errors = vec![
        ("500", "The server failed"),
        ("503", "Something that the server needs is away"),
        (
            "421",
            "Before setup: asked by a name that is neither an IP address, `localhost` nor the base URL's",
        ),
    ];
    if route.access == Access::Public {
        operation.securities = Some(Vec::new());
    } else {
        let none: [&str; 0] = [];
        let schemes: &[&str] = if route.access.takes_session() {
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
    let bytes = Bytes::of(route.path);
    if operation.responses.contains_key("206") {
        errors.extend(bytes.error);
    }
    for (status, description) in errors {
        operation
            .responses
            .entry(status.to_owned())
            .or_insert_with(|| RefOr::Type(Response::new(description)));
    }
    // What reads tells whether the client has it already; what changes has nothing to compare.
    if route.method != Method::GET {
        operation.responses.remove("304");
    }
    let types: Vec<&str> = bytes.types.into_iter().chain([PLAIN_BYTES]).collect();
    for (status, response) in operation.responses.iter_mut() {
        let RefOr::Type(response) = response else {
            continue;
        };
        if status.starts_with(['4', '5']) {
            response
                .contents
                .insert("application/json".to_owned(), problem.clone());
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
    let resource = route
        .path
        .trim_start_matches("/api")
        .trim_start_matches("/v1")
        .split('/')
        .nth(1);
    operation.tags = vec![
        resource
            .filter(|name| !name.is_empty())
            .unwrap_or("general")
            .to_owned(),
    ];
}

/// What answers with an item's bytes.
struct Bytes {
    /// The media types beside plain bytes.
    types: Vec<&'static str>,
    /// Why there may be none, though the item is there.
    error: Option<(&'static str, &'static str)>,
}

impl Bytes {
    /// Of the route with this path.
    fn of(path: &str) -> Self {
        let drawn = Some(("422", "No picture in this size can be made of the file"));
        let played = Some(("409", "The user plays as many files as one may"));
        let (types, error) = match path.rsplit('/').next() {
            Some("artwork" | "thumbnail") => (vec!["image/*"], drawn),
            Some("original") => (vec!["image/*"], None),
            _ if path.starts_with("/api/v1/subtitles/") => {
                (SUBTITLE_TYPES.iter().map(|(_, name)| *name).collect(), None)
            }
            _ if path.starts_with("/api/v1/music/") => (vec!["audio/*"], played),
            _ => (vec!["video/*"], played),
        };
        Self { types, error }
    }
}

fn description() -> String {
    let mut text = "A self-hosted media server.\n\nErrors are JSON: `message`, for some a `code`, and with status \
                    400, and with 404 for what the input names, `errors`, each with `path` and `message`. Any request \
                    may be answered with 414 where its target is too long, and with 431 where its head is too \
                    large.\n\n| Code | Status | Meaning |\n|---|---|---|\n"
        .to_owned();
    for (code, status, meaning) in CODES {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| `{code}` | {status} | {meaning} |");
    }
    text
}
