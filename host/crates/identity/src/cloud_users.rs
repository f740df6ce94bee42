//! Accounts of users of a cloud or provider, who have no local name: a valid and free one is made of what is known.

use crate::Context;
use crate::cloud::CloudAccount;
use crate::error::Result;
use crate::names::{check_display_name, check_username, username_key};
use svc_domain::id::UserId;
use svc_store::{IdentityChange, NewUser};

/// Names that are tried before no account is created.
const MAX_NAMES: u32 = 1_000;

/// Adds an account that is linked to a cloud account, without a role; `None` if all names like its own are taken.
pub(crate) async fn add_cloud_user(
    context: &Context,
    change: &mut IdentityChange,
    vouched: &CloudAccount,
) -> Result<Option<UserId>> {
    let now = context.now();
    let display_name = vouched.display_name.as_deref();
    let display_name = display_name.and_then(|name| check_display_name(name).ok());
    let (id, base) = (context.ids.next(now), base_name(vouched));
    for number in 1..=MAX_NAMES {
        let username = numbered(&base, number);
        let user = NewUser {
            id,
            username_key: username_key(&username),
            username,
            display_name: display_name.clone(),
            password_hash: None,
            is_owner: false,
            is_guest: false,
            created_at: now,
        };
        if change.insert_user(&user).await? {
            change.set_cloud_account(id, Some(&vouched.id)).await?;
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// The username that a cloud account proposes, its display name, or a fixed one.
fn base_name(vouched: &CloudAccount) -> String {
    let proposed = [vouched.username.as_deref(), vouched.display_name.as_deref()];
    let short = |name: &str| -> String { name.trim().chars().take(56).collect() };
    let mut names = proposed
        .into_iter()
        .flatten()
        .filter_map(|name| check_username(short(name).trim()).ok());
    names.next().unwrap_or_else(|| "user".to_owned())
}

/// `ada`, `ada-2`, `ada-3`.
fn numbered(base: &str, number: u32) -> String {
    match number {
        1 => base.to_owned(),
        number => format!("{base}-{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usernames_of_cloud_accounts_are_valid() {
        let long = "x".repeat(100);
        for (username, display_name, expected) in [
            (Some("ada"), Some("Ada Lovelace"), "ada"),
            (Some(" ada "), None, "ada"),
            (Some("guest"), Some("Ada"), "Ada"),
            (Some("a\u{202e}b"), None, "user"),
            (Some(""), Some(""), "user"),
            (None, None, "user"),
            (Some(long.as_str()), None, &long[..56]),
        ] {
            let vouched = CloudAccount {
                username: username.map(str::to_owned),
                display_name: display_name.map(str::to_owned),
                ..CloudAccount::default()
            };
            assert_eq!(base_name(&vouched), expected, "{username:?}");
            assert!(check_username(&numbered(expected, MAX_NAMES)).is_ok());
        }
    }
}
