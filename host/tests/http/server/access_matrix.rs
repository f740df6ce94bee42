//! The authorization matrix: every route by every capability and by every kind of credential.

use std::collections::HashMap;
use std::time::Instant;

use salvo::http::Method;
use svc_covers::covers;

use crate::filled;
use crate::support::TestServer;
use crate::support::databases::{kiosk, on_each_database_with};
use svc_api::route::{Access, Route, UrlCredential};
use svc_api::router::routes;
use svc_domain::id::UserId;
use svc_domain::time::{Clock as _, Timestamp};
use svc_domain::user::CustomRole;
use svc_identity::access_token::AccessTokens;
use svc_identity::app::App;
use svc_identity::capability::{Capability, CapabilitySet};
use svc_identity::policy;
use svc_identity::role::Role;
use svc_platform::random::SystemRandom;
use svc_platform::secret_key::SecretKey;
use svc_store::NewUser;

/// The expected result of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Accepted; the invalid input then leads to the same status for every caller.
    Allowed,
    /// Refused with this status and code.
    Refused(u16, Option<&'static str>),
}

const UNKNOWN: Outcome = Outcome::Refused(401, None);

const FOREIGN: Outcome = Outcome::Refused(410, None);

const BAD_TOKEN: Outcome = Outcome::Refused(401, Some("pat_invalid"));

/// The expected result for a known caller, derived independently of the code under test.
fn outcome(access: Access, capabilities: CapabilitySet, is_token: bool) -> Outcome {
    let needed: &[Capability] = match &access {
        Access::Session(_) if is_token => return Outcome::Refused(403, Some("pat_not_permitted")),
        Access::Public | Access::SignedIn => return Outcome::Allowed,
        Access::Dev => unreachable!("not in the list"),
        Access::Capability(one) | Access::Link(one) | Access::Session(one) => std::slice::from_ref(one),
        Access::AnyCapability(any) => any,
    };
    if needed.iter().any(|needed| capabilities.contains(*needed)) {
        Outcome::Allowed
    } else {
        Outcome::Refused(403, None)
    }
}

struct Matrix {
    server: TestServer,
    cases: usize,
    /// The status of accepted callers, by route.
    let_in: HashMap<(String, &'static str), u16>,
}

impl Matrix {
    async fn check(
        &mut self,
        route: &Route,
        who: &str,
        authorization: &[&str],
        query: &str,
        expected: Outcome,
    ) {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(authorization.iter().map(|value| ("authorization", *value)));
        let target = filled(route.path) + query;
        // The body is cut off, so that no handler acts on it.
        let body = if route.method == Method::GET { "" } else { "{" };
        let reply = self
            .server
            .send(route.method.as_str(), &target, &headers, body)
            .await;
        let at = format!("{route:?} by {who}: {}", reply.status);
        match expected {
            Outcome::Allowed => {
                let route = (route.method.to_string(), route.path);
                let same = *self.let_in.entry(route).or_insert(reply.status);
                assert_eq!(reply.status, same, "{at}");
                for refusal in [401, 403, 410] {
                    assert_ne!(reply.status, refusal, "{at}");
                }
                assert!(reply.status < 500, "{at}");
            }
            Outcome::Refused(status, code) => {
                assert_eq!(reply.status, status, "{at}");
                let problem = reply.json();
                assert_eq!(problem["code"].as_str(), code, "{at}");
                assert!(
                    problem["message"].is_string() && problem.get("errors").is_none(),
                    "{at}"
                );
                assert_eq!(
                    reply.headers.contains_key("www-authenticate"),
                    status == 401,
                    "{at}"
                );
            }
        }
        self.cases += 1;
    }
}

fn word(capability: Capability) -> String {
    capability.as_str().to_lowercase().replace('.', "-")
}

/// Accounts with one capability each, and accounts with all but one.
async fn accounts(server: &TestServer) -> HashMap<String, UserId> {
    let now = server.clock.now();
    let mut change = server.store.identity.change_identity().await.unwrap();
    let mut made = HashMap::new();
    for &capability in Capability::ALL {
        for (prefix, one) in [("only", true), ("but", false)] {
            let name = format!("{prefix}-{}", word(capability));
            let allowed = Capability::ALL
                .iter()
                .filter(|other| (**other == capability) == one);
            let role = CustomRole {
                name: name.clone(),
                capabilities: allowed.map(|allowed| allowed.as_str().to_owned()).collect(),
                created_at: now,
            };
            assert!(change.insert_role(&role).await.unwrap());
            let user = NewUser {
                id: server.id(),
                username: name.clone(),
                username_key: name.clone(),
                display_name: None,
                password_hash: None,
                is_owner: false,
                is_guest: false,
                created_at: now,
            };
            assert!(change.insert_user(&user).await.unwrap());
            change.assign_role(user.id, &name, now).await.unwrap();
            made.insert(name, user.id);
        }
    }
    change.commit().await.unwrap();
    made
}

async fn disabled(server: &TestServer) -> UserId {
    let id = server.user("gone", false, &["administrator"]).await;
    let mut change = server.store.identity.change_identity().await.unwrap();
    let mut user = change.account(id).await.unwrap().unwrap().user;
    user.enabled = false;
    assert!(change.update_user(&user, "gone").await.unwrap());
    change.commit().await.unwrap();
    id
}

/// Credentials that differ in more than their capabilities.
struct Kinds {
    owner: String,
    expired: String,
    foreign: String,
    gone: String,
    disabled: String,
    disabled_token: String,
    owner_token: String,
    nothing_token: String,
    guest: String,
    narrowed: HashMap<Capability, String>,
}

async fn kinds(server: &TestServer, needed: &[Capability]) -> Kinds {
    let owner = server.user("ada", true, &["owner"]).await;
    let disabled = disabled(server).await;
    let keys = server.state.keys.current();
    let past = Timestamp::from_millis(server.clock.now().millis() - 901_000);
    let elsewhere = AccessTokens::new(&"f".repeat(32), &SecretKey::from_bytes([9; 32]));
    let issue = |tokens: &AccessTokens, at| tokens.issue(owner, App::Admin, None, at, &SystemRandom).unwrap();
    let mut narrowed = HashMap::new();
    for &capability in needed {
        narrowed.insert(
            capability,
            server.as_token(owner, Some(&[capability])).await.to_string(),
        );
    }
    Kinds {
        owner: server.client(owner).to_string(),
        expired: issue(&keys.access_tokens, past),
        foreign: issue(&elsewhere, server.clock.now()),
        gone: server.client(server.id()).to_string(),
        disabled: server.client(disabled).to_string(),
        disabled_token: server.as_token(disabled, None).await.to_string(),
        owner_token: server.as_token(owner, None).await.to_string(),
        nothing_token: server.as_token(owner, Some(&[])).await.to_string(),
        guest: server
            .client(server.store.users.guest().await.unwrap().unwrap().id)
            .to_string(),
        narrowed,
    }
}

fn needed_by(access: Access) -> Option<Capability> {
    match access {
        Access::Capability(one) | Access::Link(one) | Access::Session(one) => Some(one),
        Access::AnyCapability(any) => any.first().copied(),
        Access::Public | Access::SignedIn | Access::Dev => None,
    }
}

async fn check_kinds(matrix: &mut Matrix, route: &Route, kinds: &Kinds) {
    let access = route.access;
    let all = CapabilitySet::all();
    let bearer = |token: &str| format!("Bearer {token}");
    let owner = bearer(&kinds.owner);
    let guest = policy::capabilities_of(Role::Guest);
    let by_header = [
        ("no credential", String::new(), UNKNOWN),
        ("an empty bearer", "Bearer ".into(), UNKNOWN),
        ("garbage", "Bearer garbage".into(), UNKNOWN),
        ("a garbage token", "Bearer svc_pat_garbage".into(), BAD_TOKEN),
        ("basic", "Basic YWRhOnh4".into(), UNKNOWN),
        ("a token without scheme", kinds.owner.clone(), UNKNOWN),
        ("an expired token", bearer(&kinds.expired), UNKNOWN),
        ("another server's token", bearer(&kinds.foreign), FOREIGN),
        ("who is gone", bearer(&kinds.gone), FOREIGN),
        ("who is disabled", bearer(&kinds.disabled), FOREIGN),
        (
            "a disabled user's token",
            bearer(&kinds.disabled_token),
            BAD_TOKEN,
        ),
        ("the owner", owner.clone(), outcome(access, all, false)),
        (
            "the owner in lower case",
            format!("bearer {}", kinds.owner),
            outcome(access, all, false),
        ),
        (
            "the owner's token",
            bearer(&kinds.owner_token),
            outcome(access, all, true),
        ),
        (
            "a token for nothing",
            bearer(&kinds.nothing_token),
            outcome(access, CapabilitySet::NONE, true),
        ),
        ("the guest", bearer(&kinds.guest), outcome(access, guest, false)),
    ];
    for (who, header, expected) in &by_header {
        matrix.check(route, who, &[header.as_str()], "", *expected).await;
    }
    matrix
        .check(
            route,
            "two headers",
            &[owner.as_str(), &bearer(&kinds.guest)],
            "",
            UNKNOWN,
        )
        .await;
    if let Some(needed) = needed_by(access) {
        let only: CapabilitySet = [needed].into_iter().collect();
        let header = bearer(&kinds.narrowed[&needed]);
        let expected = outcome(access, only, true);
        matrix
            .check(route, "a token for just this", &[header.as_str()], "", expected)
            .await;
    }
    // A token in the query is accepted for reads only.
    let reads = route.method == Method::GET;
    let let_in = |is_token| {
        if reads {
            outcome(access, all, is_token)
        } else {
            UNKNOWN
        }
    };
    let in_query = format!("?token={}", kinds.owner);
    matrix
        .check(route, "?token=", &[], &in_query, let_in(false))
        .await;
    matrix
        .check(
            route,
            "basic and ?token=",
            &["Basic YWRhOnh4"],
            &in_query,
            let_in(false),
        )
        .await;
    let token_in_query = format!("?token={}", kinds.owner_token);
    matrix
        .check(route, "?token= of a program", &[], &token_in_query, let_in(true))
        .await;
    matrix
        .check(route, "?ToKeN=", &[], &format!("?ToKeN={}", kinds.owner), UNKNOWN)
        .await;
    matrix
        .check(
            route,
            "?authorization=",
            &[],
            &format!("?authorization={}", kinds.owner),
            if route.url_credential == UrlCredential::TokenOrAuthorization {
                Outcome::Allowed
            } else {
                UNKNOWN
            },
        )
        .await;
    let twice = format!("{in_query}&token={}", kinds.owner);
    matrix.check(route, "?token= twice", &[], &twice, UNKNOWN).await;
    let differing = if reads {
        UNKNOWN
    } else {
        outcome(access, all, false)
    };
    let other = format!("?token={}", kinds.guest);
    matrix
        .check(
            route,
            "two different tokens",
            &[owner.as_str()],
            &other,
            differing,
        )
        .await;
}

async fn check_everything(server: TestServer) {
    let started = Instant::now();
    let users = accounts(&server).await;
    let routes: Vec<_> = routes()
        .into_iter()
        .filter(|route| route.access != Access::Public)
        .collect();
    let needed: Vec<_> = routes
        .iter()
        .filter_map(|route| needed_by(route.access))
        .collect();
    let kinds = kinds(&server, &needed).await;
    let mut matrix = Matrix {
        server,
        cases: 0,
        let_in: HashMap::new(),
    };
    for &capability in Capability::ALL {
        let only: CapabilitySet = [capability].into_iter().collect();
        let but = Capability::ALL
            .iter()
            .copied()
            .filter(|other| *other != capability)
            .collect();
        for (prefix, capabilities) in [("only", only), ("but", but)] {
            let name = format!("{prefix}-{}", word(capability));
            let header = format!("Bearer {}", matrix.server.client(users[&name]));
            for route in &routes {
                let expected = outcome(route.access, capabilities, false);
                matrix.check(route, &name, &[header.as_str()], "", expected).await;
            }
        }
    }
    for route in &routes {
        check_kinds(&mut matrix, route, &kinds).await;
    }
    assert!(matrix.cases >= 1_800, "{} cases", matrix.cases);
    eprintln!("{} cases in {:?}", matrix.cases, started.elapsed());
}

#[covers("R5", "T23")]
#[tokio::test]
async fn every_route_accepts_exactly_the_callers_that_its_access_names() {
    // Guest access is on in kiosk mode.
    on_each_database_with(kiosk, check_everything).await;
}
