//! Authentication: which account a request acts for.

use std::sync::Arc;

use salvo::http::header::AUTHORIZATION;
use salvo::{Depot, Request};
use svc_identity::actor::Actor;
use svc_identity::credential::{self, Credential, PresentedCredentials};
use url::form_urlencoded;

use crate::api_error::ApiError;
use crate::request_context::RequestContext;
use crate::route::{Access, UrlCredential};

/// Identifies the caller from the credential that the request presents, and notes them in the context: before any input
/// is read, and again when the body has arrived, because the credential may have been revoked meanwhile.
///
/// # Errors
/// 401 without a valid credential, 410 for an access token of another installation.
pub(super) async fn authenticate(req: &Request, depot: &mut Depot) -> Result<(), ApiError> {
    let context = RequestContext::of_mut(depot)?;
    let actor = actor_of(req, context).await?;
    context.actor = Some(actor);
    Ok(())
}

async fn actor_of(req: &Request, context: &RequestContext) -> Result<Arc<Actor>, ApiError> {
    let authentication = &context.state.authentication;
    let access = context.route.as_ref().map(|route| route.access);
    let actor = match (credential(req, context), access) {
        (Some(Credential::ItemLink(token)), Some(Access::Link(capability))) => {
            authentication
                .actor_of_link(&token, req.uri().path(), capability)
                .await
        }
        (credential, _) => authentication.actor(credential).await,
    };
    Ok(actor?)
}

/// The credential that a request presents in its header, or in the query parameters that its route accepts.
pub fn credential(req: &Request, context: &RequestContext) -> Option<Credential> {
    let accepted = context.route.as_ref().map(|route| route.url_credential);
    credential_in(req, accepted.unwrap_or(UrlCredential::Refused))
}

fn credential_in(req: &Request, accepted: UrlCredential) -> Option<Credential> {
    let authorization: Vec<_> = req
        .headers()
        .get_all(AUTHORIZATION)
        .iter()
        .map(|value| value.as_bytes())
        .collect();
    // Parsed here: salvo's table of parameters allocates.
    let query = form_urlencoded::parse(req.uri().query().unwrap_or_default().as_bytes());
    let is_credential = |name: &str| match accepted {
        UrlCredential::Refused => false,
        UrlCredential::Token => name == "token",
        UrlCredential::TokenOrAuthorization => name == "token" || name == "authorization",
    };
    let pairs: Vec<_> = query.filter(|(name, _)| is_credential(name)).collect();
    let values_of = |wanted: &str| -> Vec<&str> {
        let found = pairs.iter().filter(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_ref()).collect()
    };
    credential::find(PresentedCredentials {
        authorization: &authorization,
        token: &values_of("token"),
        authorization_parameter: &values_of("authorization"),
    })
}

#[cfg(test)]
mod tests {
    use svc_covers::covers;

    use super::*;

    #[covers("R17", "R18")]
    #[test]
    fn query_parameters_count_where_the_route_accepts_them() {
        let access_token = |text: &str| Some(Credential::AccessToken(text.to_owned()));
        for (query, accepted, expected) in [
            ("token=abc", UrlCredential::Refused, None),
            ("token=abc", UrlCredential::Token, access_token("abc")),
            (
                "token=abc",
                UrlCredential::TokenOrAuthorization,
                access_token("abc"),
            ),
            ("authorization=abc", UrlCredential::Refused, None),
            ("authorization=abc", UrlCredential::Token, None),
            (
                "authorization=abc",
                UrlCredential::TokenOrAuthorization,
                access_token("abc"),
            ),
            ("token=a%62c", UrlCredential::Token, access_token("abc")),
        ] {
            let mut req = Request::new();
            *req.uri_mut() = format!("/a?{query}").parse().unwrap();
            assert_eq!(credential_in(&req, accepted), expected, "{query} {accepted:?}");
        }
        let mut req = Request::new();
        *req.uri_mut() = "/a?token=abc".parse().unwrap();
        req.headers_mut()
            .insert(AUTHORIZATION, "Bearer def".parse().unwrap());
        assert_eq!(credential_in(&req, UrlCredential::Refused), access_token("def"));
    }
}
