//! The pages as HTML.

use maud::{DOCTYPE, Markup, html};

use crate::accounts::Account;
use crate::bindings::Binding;

/// The style sheet of all pages.
pub(crate) const STYLE: &str = "\
body { font-family: system-ui, sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem; line-height: 1.5 }
label { display: block; margin-top: 1rem } input { width: 100%; padding: .5rem; box-sizing: border-box }
button { margin-top: 1rem; padding: .5rem 1rem } code { overflow-wrap: anywhere }";

fn page(title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { (title) }
                link rel="stylesheet" href="/style.css";
            }
            body { h1 { (title) } (content) }
        }
    }
}

/// The sign-in form; `failed` says why the last attempt was refused.
pub(crate) fn sign_in(next: &str, failed: Option<&str>) -> Markup {
    page(
        "Sign in",
        &html! {
            @if let Some(failed) = failed { p role="alert" { (failed) } }
            form method="post" action="/sign-in" {
                input type="hidden" name="next" value=(next);
                label { "Name" input name="username" autocomplete="username" required autofocus; }
                label { "Password" input name="password" type="password" autocomplete="current-password" required; }
                button { "Sign in" }
            }
        },
    )
}

/// The first page of an account.
pub(crate) fn home(account: &Account) -> Markup {
    page(
        "Your account",
        &html! {
            p { "Signed in as " strong { (account.display_name.as_ref().unwrap_or(&account.username)) } "." }
            p { "To be invited to a server, give its owner your id: " code { (account.id) } }
            (shortcode_form(""))
            h2 { "Sign in to a server" }
            form method="post" action="/token" {
                label { "Id of the server, empty for all" input name="audience" maxlength="128"; }
                button { "Create a token" }
            }
            form method="post" action="/sign-out" { button { "Sign out" } }
        },
    )
}

/// A new token.
pub(crate) fn token(token: &str) -> Markup {
    page(
        "Your token",
        &html! {
            p { "It signs you in to servers for 30 days, and is shown only once. Keep it like a password." }
            p { code { (token) } }
            p { a href="/" { "Back" } }
        },
    )
}

fn shortcode_form(shortcode: &str) -> Markup {
    html! {
        h2 { "Accept an invitation" }
        form method="post" action="/invite" {
            label { "Code of the invitation" input name="shortcode" value=(shortcode) autocomplete="off" required; }
            button { "Accept" }
        }
    }
}

/// The form for a shortcode.
pub(crate) fn invitation(shortcode: &str) -> Markup {
    page("Invitation", &shortcode_form(shortcode))
}

/// The form of an approval link.
pub(crate) fn approval(code: &str) -> Markup {
    page(
        "Invitation",
        &html! {
            p { "You were invited to a media server." }
            form method="post" action="/approve" {
                input type="hidden" name="code" value=(code);
                button { "Accept" }
            }
        },
    )
}

/// An invitation was accepted.
pub(crate) fn bound(binding: &Binding) -> Markup {
    page(
        "Invitation accepted",
        &html! {
            p { "Sign in to " strong { (binding.server_name) } " with this account to use it. You get the role "
                strong { (binding.role) } "." }
            p { a href="/" { "Your account" } }
        },
    )
}

/// Something was refused.
pub(crate) fn refused(message: &str) -> Markup {
    page(
        "That did not work",
        &html! {
            p role="alert" { (message) }
            p { a href="/" { "Your account" } }
        },
    )
}
