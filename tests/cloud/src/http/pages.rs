//! The pages: sign-in, account, invitations. Forms are accepted from the cloud's own pages only.

use cookie::time::Duration;
use cookie::{Cookie, SameSite};
use salvo::http::StatusCode;
use url::form_urlencoded::byte_serialize;

use crate::bindings::Binding;
use crate::cloud::Cloud;
use crate::error::{Error, Refusal, Result};
use crate::http::call::{Call, PAGE_COOKIE};
use crate::http::reply::Reply;
use crate::http::views;
use crate::sessions::{Purpose, Session, SignIn};
use crate::text;

/// Paths that a sign-in may lead back to.
fn is_own_path(path: &str) -> bool {
    let known =
        path == "/" || path == "/invite" || path.starts_with("/invite/") || path.starts_with("/approve/");
    known
        && path
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_'))
}

fn page_cookie(cloud: &Cloud, value: &str) -> Cookie<'static> {
    Cookie::build((PAGE_COOKIE, value.to_owned()))
        .path("/")
        .http_only(true)
        // An approval link is opened from another site.
        .same_site(SameSite::Lax)
        .secure(cloud.public_url.scheme() == "https")
        .build()
}

fn ask_to_sign_in(next: &str) -> Reply {
    let next: String = byte_serialize(next.as_bytes()).collect();
    Reply::see_other(&format!("/sign-in?next={next}"))
}

/// The page that explains a refusal; other errors stay errors.
fn explain(error: Error) -> Result<Reply> {
    match error {
        Error::Refused(refusal) => {
            let (status, _, message) = refusal.parts();
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
            Ok(Reply::page(status, views::refused(message)))
        }
        other => Err(other),
    }
}

fn refuse_foreign_form() -> Reply {
    let message = "The form was sent by another site.";
    Reply::page(StatusCode::FORBIDDEN, views::refused(message))
}

/// The session of a form that one of the own pages sent; otherwise the response.
async fn form_session(cloud: &Cloud, call: &Call) -> Result<std::result::Result<Session, Reply>> {
    if !call.is_own_form(cloud) {
        return Ok(Err(refuse_foreign_form()));
    }
    Ok(call
        .page_session(cloud)
        .await?
        .ok_or_else(|| Reply::see_other("/sign-in")))
}

pub(crate) async fn show_style(_cloud: &Cloud, _call: &Call) -> Result<Reply> {
    Ok(Reply::css(views::STYLE))
}

pub(crate) async fn show_home(cloud: &Cloud, call: &Call) -> Result<Reply> {
    Ok(match call.page_session(cloud).await? {
        Some(session) => Reply::page(StatusCode::OK, views::home(&session.account)),
        None => Reply::see_other("/sign-in"),
    })
}

/// The path to which a sign-in leads.
fn next_of(call: &Call) -> String {
    call.field("next")
        .filter(|path| is_own_path(path))
        .unwrap_or_else(|| "/".to_owned())
}

pub(crate) async fn show_sign_in(_cloud: &Cloud, call: &Call) -> Result<Reply> {
    Ok(Reply::page(StatusCode::OK, views::sign_in(&next_of(call), None)))
}

pub(crate) async fn sign_in(cloud: &Cloud, call: &Call) -> Result<Reply> {
    if !call.is_own_form(cloud) {
        return Ok(refuse_foreign_form());
    }
    let (username, password) = (call.field("username"), call.field("password"));
    let (username, password) = (username.unwrap_or_default(), password.unwrap_or_default());
    let attempt = SignIn {
        username: &username,
        password: &password,
        network: &call.network,
    };
    let account_id = match cloud.verify(&attempt).await {
        Ok(account_id) => account_id,
        Err(Error::Refused(refusal)) => {
            let (status, _, message) = refusal.parts();
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::UNAUTHORIZED);
            return Ok(Reply::page(status, views::sign_in(&next_of(call), Some(message))));
        }
        Err(error) => return Err(error),
    };
    let session = cloud.start_session(&account_id, Purpose::Page, None).await?;
    Ok(Reply::see_other(&next_of(call)).with_cookie(&page_cookie(cloud, &session.token)))
}

pub(crate) async fn sign_out(cloud: &Cloud, call: &Call) -> Result<Reply> {
    if let Err(reply) = form_session(cloud, call).await? {
        return Ok(reply);
    }
    if let Some(token) = call.page_cookie() {
        cloud.end_session(&token).await?;
    }
    let mut removed = page_cookie(cloud, "");
    removed.set_max_age(Duration::ZERO);
    Ok(Reply::see_other("/sign-in").with_cookie(&removed))
}

pub(crate) async fn create_token(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let session = match form_session(cloud, call).await? {
        Ok(session) => session,
        Err(reply) => return Ok(reply),
    };
    let audience = call.field("audience").filter(|audience| !audience.is_empty());
    if let Some(Err(refusal)) = audience.as_deref().map(text::instance_id) {
        return explain(refusal.into());
    }
    let created = cloud
        .start_session(&session.account.id, Purpose::Token, audience.as_deref())
        .await?;
    Ok(Reply::page(StatusCode::OK, views::token(&created.token)))
}

pub(crate) async fn show_invitation(cloud: &Cloud, call: &Call) -> Result<Reply> {
    Ok(match call.page_session(cloud).await? {
        Some(_) => Reply::page(StatusCode::OK, views::invitation(&call.id)),
        None if call.id.is_empty() => ask_to_sign_in("/invite"),
        None => ask_to_sign_in(&format!("/invite/{}", call.id)),
    })
}

pub(crate) async fn show_approval(cloud: &Cloud, call: &Call) -> Result<Reply> {
    Ok(match call.page_session(cloud).await? {
        Some(_) => Reply::page(StatusCode::OK, views::approval(&call.id)),
        None => ask_to_sign_in(&format!("/approve/{}", call.id)),
    })
}

pub(crate) async fn bind(cloud: &Cloud, call: &Call) -> Result<Reply> {
    match form_session(cloud, call).await? {
        Ok(session) => {
            let typed = call.field("shortcode").ok_or(Refusal::InvitationUnknown)?;
            show_outcome(cloud.bind_by_shortcode(&session, &typed, &call.network).await)
        }
        Err(reply) => Ok(reply),
    }
}

pub(crate) async fn approve(cloud: &Cloud, call: &Call) -> Result<Reply> {
    match form_session(cloud, call).await? {
        Ok(session) => {
            let code = call.field("code").ok_or(Refusal::InvitationUnknown)?;
            show_outcome(cloud.bind_by_approval(&session, &code).await)
        }
        Err(reply) => Ok(reply),
    }
}

fn show_outcome(outcome: Result<Binding>) -> Result<Reply> {
    match outcome {
        Ok(binding) => Ok(Reply::page(StatusCode::OK, views::bound(&binding))),
        Err(error) => explain(error),
    }
}

#[cfg(test)]
mod tests {
    use super::is_own_path;

    #[test]
    fn sign_in_leads_to_own_pages_only() {
        for path in ["/", "/invite", "/invite/7K2M-9RBT-D1HN-C4QX", "/approve/a_b-C"] {
            assert!(is_own_path(path), "{path}");
        }
        for path in [
            "",
            "//evil.example",
            "https://evil.example",
            "/\\evil",
            "/token",
            "/invite/\r\n",
        ] {
            assert!(!is_own_path(path), "{path}");
        }
    }
}
