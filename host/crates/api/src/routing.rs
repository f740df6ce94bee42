//! The router of a list of routes: which route a request matches, in few comparisons.

use std::collections::BTreeMap;

use salvo::http::header::{ALLOW, HeaderValue};
use salvo::http::{Method, StatusCode};
use salvo::routing::{Filter, MethodFilter, PathState};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, Router, async_trait};

use crate::api_error::ApiError;
use crate::middleware::AroundHandler;
use crate::route::Route;

/// A path segment with the segments below it. Literals sort before `{parameter}`, so `/users/public` wins over
/// `/users/{userId}`.
#[derive(Default)]
struct Node<'a> {
    children: BTreeMap<&'static str, Node<'a>>,
    routes: Vec<&'a Route>,
}

/// Builds the router: a tree whose branches are halved, so that a request is compared with few of them.
pub fn build_router(routes: &[Route]) -> Router {
    let mut root = Node::default();
    for route in routes {
        let parts = route.path.split('/').filter(|part| !part.is_empty());
        let node = parts.fold(&mut root, |node, part| node.children.entry(part).or_default());
        node.routes.push(route);
    }
    root.into_router(Router::new())
}

impl Node<'_> {
    fn into_router(self, mut router: Router) -> Router {
        let branches = self.children.into_iter();
        let branches: Vec<_> = branches
            .map(|(part, child)| (part, child.into_router(Router::with_path(part))))
            .collect();
        if branches.len() > 2 {
            // A path that ends here skips all of them.
            router = router.push(balanced(
                branches,
                Router::with_filter(NextSegment { before: None }),
            ));
        } else {
            router = balanced(branches, router);
        }
        if self.routes.is_empty() {
            return router;
        }
        let mut allowed = vec![Method::OPTIONS];
        for route in &self.routes {
            for method in route.methods() {
                allowed.push(method.clone());
                let leaf = Router::with_filter(MethodFilter::new(method));
                router = router.push(leaf.goal(AroundHandler::new(route)));
            }
        }
        let mut names: Vec<_> = allowed.iter().map(Method::as_str).collect();
        names.sort_unstable();
        // Last, for every other method: without it, the path would be matched against `{parameter}` siblings.
        router.push(Router::new().goal(MethodNotAllowed(names.join(", "))))
    }
}

/// Adds branches, sorted by their segment, to a router: the first half behind a filter, the rest beside it, both halved
/// again.
fn balanced(mut branches: Vec<(&'static str, Router)>, router: Router) -> Router {
    // Parameters are last, and their values may sort anywhere.
    let literals = branches.partition_point(|(part, _)| !part.starts_with('{'));
    let half = literals / 2;
    match branches.get(half) {
        Some(&(before, _)) if half > 1 => {
            let rest = branches.split_off(half);
            let filter = NextSegment { before: Some(before) };
            balanced(rest, router.push(balanced(branches, Router::with_filter(filter))))
        }
        _ => branches
            .into_iter()
            .fold(router, |router, (_, branch)| router.push(branch)),
    }
}

/// Matches when the path continues, with a segment that sorts before this one or with any.
#[derive(Debug)]
struct NextSegment {
    before: Option<&'static str>,
}

impl NextSegment {
    fn fits(&self, state: &PathState<'_>) -> bool {
        let next = state.pick();
        next.is_some_and(|part| self.before.is_none_or(|before| part < before))
    }
}

#[async_trait]
impl Filter for NextSegment {
    async fn filter(&self, _req: &mut Request, state: &mut PathState<'_>) -> bool {
        self.fits(state)
    }

    async fn filter_for_method(
        &self,
        _req: &mut Request,
        state: &mut PathState<'_>,
        _method: &Method,
    ) -> Option<bool> {
        Some(self.fits(state))
    }
}

/// Responds with the methods of a path: 204 to a plain OPTIONS request (CORS preflights are handled before), 405 to any
/// other method.
struct MethodNotAllowed(String);

#[async_trait]
impl Handler for MethodNotAllowed {
    async fn handle(&self, req: &mut Request, _depot: &mut Depot, res: &mut Response, _ctrl: &mut FlowCtrl) {
        if req.method() == Method::OPTIONS {
            res.status_code(StatusCode::NO_CONTENT);
        } else {
            ApiError::of_status(StatusCode::METHOD_NOT_ALLOWED).render(res);
        }
        if let Ok(allowed) = HeaderValue::from_str(&self.0) {
            res.headers_mut().insert(ALLOW, allowed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::Access;
    use crate::router::routes;

    /// The largest number of branches of a node.
    fn widest(router: &Router) -> usize {
        let below = router.routers().iter().map(widest).max().unwrap_or(0);
        below.max(router.routers().len())
    }

    #[test]
    fn request_is_compared_with_few_branches() {
        assert!(widest(&build_router(&routes())) <= 8);
    }

    #[tokio::test]
    async fn each_branch_is_found_among_many() {
        let literals = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
        let paths = literals.map(|literal| format!("/{literal}/x").leak() as &'static str);
        let route = |path| Route::get(path, Access::Public, MethodNotAllowed(String::new()));
        let mut list: Vec<Route> = paths.into_iter().map(route).collect();
        // A parameter matches what no literal does, wherever it would sort.
        list.push(route("/{any}/y"));
        list.push(route("/c"));
        let router = build_router(&list);
        let found = async |path: &str| {
            let mut request = Request::new();
            *request.uri_mut() = path.parse().unwrap();
            let mut state = PathState::from_borrowed_path(path);
            router.detect(&mut request, &mut state).await.is_some()
        };
        for path in paths
            .into_iter()
            .chain(["/c", "/%63/x", "/a/y", "/k/y", "/0/y", "/~/y"])
        {
            assert!(found(path).await, "{path}");
        }
        for path in ["/", "/a", "/0/x", "/zz/x", "/c/z", "/a/x/x"] {
            assert!(!found(path).await, "{path}");
        }
    }
}
