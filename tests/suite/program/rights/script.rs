//! Requests by the served API description, with a record of the operations, and searches in responses.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use svc_tests::program::{Answer, Server};

use super::media::MediaSet;

/// One of the two.
pub struct Person {
    pub media_set: MediaSet,
    pub name: &'static str,
    pub user: String,
    pub token: String,
    /// Ids of their own items, by parameter name.
    pub own: BTreeMap<String, BTreeSet<String>>,
}

impl Person {
    /// Their ids of a kind.
    pub fn ids(&self, parameter: &str) -> Vec<&str> {
        let ids = self.own.get(parameter);
        let ids: Vec<&str> = ids.into_iter().flatten().map(String::as_str).collect();
        assert!(!ids.is_empty(), "{} has no {parameter}", self.name);
        ids
    }

    /// Their first id of a kind.
    pub fn id(&self, parameter: &str) -> &str {
        self.ids(parameter)[0]
    }

    pub fn note(&mut self, parameter: &str, id: &Value) {
        let id = id.as_str().unwrap_or_else(|| panic!("no {parameter}")).to_owned();
        self.own.entry(parameter.to_owned()).or_default().insert(id);
    }

    /// Marker words and ids of a person in a text.
    pub fn is_in<'t>(&'t self, text: &str) -> Option<&'t str> {
        let folded = text.to_lowercase();
        if folded.contains(&self.media_set.word.to_lowercase()) {
            return Some(self.media_set.word);
        }
        let mut ids = self.own.values().flatten().map(String::as_str);
        ids.find(|id| text.contains(id))
    }
}

/// The text of a response; images and videos have none.
pub fn text(answer: &Answer) -> String {
    match answer.header("content-type") {
        Some(kind) if kind.contains("json") || kind.starts_with("text/") => {
            String::from_utf8_lossy(&answer.bytes).into_owned()
        }
        _ => String::new(),
    }
}

/// A parameter of a route.
pub struct Parameter {
    pub name: String,
    pub place: String,
    /// The values of an enum.
    pub choices: Vec<String>,
}

/// A route of the description.
pub struct Route {
    /// Method and path, as `GET /api/v1/movies/{movieId}`.
    pub operation: String,
    pub parameters: Vec<Parameter>,
}

impl Route {
    pub fn is_get(&self) -> bool {
        self.operation.starts_with("GET ")
    }

    /// Names of the ids in the path.
    pub fn path_parameters(&self) -> Vec<&str> {
        let in_path = self
            .parameters
            .iter()
            .filter(|parameter| parameter.place == "path");
        in_path.map(|parameter| parameter.name.as_str()).collect()
    }

    pub fn query_parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters
            .iter()
            .filter(|parameter| parameter.place == "query")
    }

    pub fn takes(&self, name: &str) -> bool {
        self.query_parameters().any(|parameter| parameter.name == name)
    }
}

/// The server and its API description.
pub struct Script {
    pub server: Server,
    pub routes: Vec<Route>,
    asked: RefCell<BTreeSet<String>>,
}

fn parameter(described: &Value) -> Parameter {
    let text = |key: &str| described[key].as_str().unwrap().to_owned();
    let choices = described["schema"]["enum"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    Parameter {
        name: text("name"),
        place: text("in"),
        choices: choices
            .iter()
            .map(|choice| choice.as_str().unwrap().to_owned())
            .collect(),
    }
}

impl Script {
    pub fn new(server: Server) -> Self {
        let document = server.get("/api/docs-json").json();
        let mut routes = Vec::new();
        for (path, operations) in document["paths"].as_object().unwrap() {
            for (method, operation) in operations.as_object().unwrap() {
                let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
                routes.push(Route {
                    operation: format!("{} {path}", method.to_uppercase()),
                    parameters: parameters.iter().map(parameter).collect(),
                });
            }
        }
        assert!(routes.len() > 100, "{}", routes.len());
        Self {
            server,
            routes,
            asked: RefCell::default(),
        }
    }

    /// Sends a request with this token and records the operation.
    pub fn ask(
        &self,
        token: &str,
        operation: &str,
        ids: &[&str],
        query: &str,
        body: Option<&Value>,
    ) -> Answer {
        self.ask_with(token, operation, ids, query, body, &[])
    }

    /// Sends a request with further headers or another method.
    pub fn ask_with(
        &self,
        token: &str,
        operation: &str,
        ids: &[&str],
        query: &str,
        body: Option<&Value>,
        headers: &[(&str, &str)],
    ) -> Answer {
        assert!(
            self.routes.iter().any(|route| route.operation == operation),
            "{operation} is not in the description"
        );
        self.asked.borrow_mut().insert(operation.to_owned());
        let (method, path) = operation.split_once(' ').unwrap();
        let mut ids = ids.iter();
        let parts = path.split('/').map(|part| {
            if part.starts_with('{') {
                ids.next().unwrap_or_else(|| panic!("{operation} takes more ids"))
            } else {
                part
            }
        });
        let mut target = parts.collect::<Vec<_>>().join("/");
        assert!(ids.next().is_none(), "{operation} takes fewer ids");
        if !query.is_empty() {
            target = format!("{target}?{query}");
        }
        let bearer = format!("Bearer {token}");
        let mut headers: Vec<_> = headers.to_vec();
        headers.push(("authorization", &bearer));
        let head = headers.iter().position(|(name, _)| *name == "method");
        let method = head.map_or(method, |at| headers.remove(at).1);
        self.server.request(method, &target, &headers, body)
    }

    /// Sends a request and asserts its status.
    pub fn expect(
        &self,
        status: u16,
        token: &str,
        operation: &str,
        ids: &[&str],
        body: Option<&Value>,
    ) -> Value {
        let answer = self.ask(token, operation, ids, "", body);
        assert_eq!(
            answer.status,
            status,
            "{operation} {ids:?} {body:?}: {}",
            text(&answer)
        );
        answer.json()
    }

    /// All items of a list.
    pub fn list(&self, token: &str, operation: &str, ids: &[&str], query: &str) -> Vec<Value> {
        let answer = self.ask(token, operation, ids, query, None);
        assert_eq!(answer.status, 200, "{operation} {ids:?} {query}: {answer:?}");
        let list = answer.json();
        let items = list[0].as_array().unwrap().clone();
        assert_eq!(list[1], items.len(), "{operation} {ids:?} {query}");
        items
    }

    /// The items of a queue within one window; the total is that of the whole queue.
    pub fn list_of(&self, token: &str, operation: &str, id: &str) -> Vec<Value> {
        let answer = self.ask(token, operation, &[id], "leading=100&trailing=100", None);
        assert_eq!(answer.status, 200, "{operation} {id}: {answer:?}");
        answer.json()[0].as_array().unwrap().clone()
    }

    /// Operations that were never requested.
    pub fn left(&self) -> Vec<&str> {
        let asked = self.asked.borrow();
        let all = self.routes.iter().map(|route| route.operation.as_str());
        all.filter(|operation| !asked.contains(*operation)).collect()
    }
}
