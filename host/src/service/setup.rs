//! The first run: making the owner, once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{FieldError, Result, ServiceError};
use super::login::username_key;
use crate::auth::password::{NewPassword, Passwords};
use crate::domain::id::IdGenerator;
use crate::domain::time::Clock;
use crate::store::{NewUser, Store};

/// Characters of a username, at most.
const MAX_USERNAME: usize = 64;
/// Characters of a server's name, at most.
const MAX_SERVER_NAME: usize = 100;
/// Names that mean something else than an account.
const RESERVED_NAMES: [&str; 3] = ["guest", "public", "current"];

/// What makes an owner.
#[derive(Debug)]
pub struct SetupRequest {
    /// Name of the account.
    pub username: String,
    /// Its password.
    pub password: String,
    /// Name of the server.
    pub server_name: Option<String>,
    /// The operator's secret, if one was set.
    pub setup_token: Option<String>,
}

/// Sets the server up.
#[derive(Debug, Clone)]
pub struct Setup {
    store: Store,
    passwords: Passwords,
    ids: Arc<IdGenerator>,
    clock: Arc<dyn Clock>,
    token: Option<Arc<str>>,
    done: Arc<AtomicBool>,
}

impl Setup {
    /// Over these accounts. With `token`, only who knows it may set the server up.
    ///
    /// # Errors
    /// The store's: it is asked once whether there is an owner.
    pub async fn open(
        store: Store,
        passwords: Passwords,
        ids: Arc<IdGenerator>,
        clock: Arc<dyn Clock>,
        token: Option<String>,
    ) -> Result<Self> {
        let done = Arc::new(AtomicBool::new(store.owner_exists().await?));
        Ok(Self {
            store,
            passwords,
            ids,
            clock,
            token: token.map(Arc::from),
            done,
        })
    }

    /// Whether there was an owner when last asked. Never touches the database: health must always answer.
    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }

    /// Fails once there is an owner, before anyone looks at the input.
    ///
    /// # Errors
    /// Refused; the store's.
    pub async fn require_open(&self) -> Result<()> {
        // Asked even when it is known to be open: another server on the same database may have been faster.
        if !self.is_done() && self.store.owner_exists().await? {
            self.done.store(true, Ordering::Relaxed);
        }
        if self.is_done() {
            Err(already_done())
        } else {
            Ok(())
        }
    }

    /// Makes the owner. Of any number of calls at once, one succeeds.
    ///
    /// # Errors
    /// Invalid input; refused for a wrong setup token or when another call was faster; the store's.
    pub async fn complete(&self, request: SetupRequest) -> Result<()> {
        if let Some(token) = &self.token
            && !same_bytes(
                token.as_bytes(),
                request.setup_token.unwrap_or_default().as_bytes(),
            )
        {
            return Err(ServiceError::Refused("the setup token is missing or wrong"));
        }
        let mut errors = Vec::new();
        let username = check(check_username(&request.username), "username", &mut errors);
        let server_name = match request.server_name.as_deref().map(check_server_name) {
            None => None,
            Some(name) => check(name, "serverName", &mut errors),
        };
        let password = NewPassword::new(request.password);
        if password.is_none() {
            let (min, max) = (NewPassword::MIN_BYTES, NewPassword::MAX_BYTES);
            errors.push(FieldError::new(
                "password",
                format!("must have {min} to {max} bytes"),
            ));
        }
        let (Some(username), Some(password), true) = (username, password, errors.is_empty()) else {
            return Err(ServiceError::Invalid(errors));
        };
        let now = self.clock.now();
        let owner = NewUser {
            id: self.ids.next(now),
            username_key: username_key(&username),
            username,
            display_name: None,
            password_hash: Some(self.passwords.hash(password).await?),
            created_at: now,
        };
        let made = self.store.create_owner(owner, server_name.as_deref()).await?;
        self.done.store(true, Ordering::Relaxed);
        if made { Ok(()) } else { Err(already_done()) }
    }
}

fn already_done() -> ServiceError {
    ServiceError::Refused("the server is set up already")
}

fn check<T>(
    outcome: std::result::Result<T, &'static str>,
    path: &str,
    errors: &mut Vec<FieldError>,
) -> Option<T> {
    outcome
        .map_err(|message| errors.push(FieldError::new(path, message)))
        .ok()
}

/// A username as it may be: visible characters, no space around, no name that means something else.
fn check_username(name: &str) -> std::result::Result<String, &'static str> {
    let key = username_key(name);
    if name.is_empty() || key.is_empty() || name.chars().count() > MAX_USERNAME {
        Err("must have 1 to 64 characters")
    } else if name.trim() != name {
        Err("must not begin or end with a space")
    } else if name.chars().any(|c| c.is_control() || is_invisible(c)) {
        Err("must not contain control or invisible characters")
    } else if RESERVED_NAMES.contains(&key.as_str()) {
        Err("is reserved")
    } else {
        Ok(name.to_owned())
    }
}

fn check_server_name(name: &str) -> std::result::Result<String, &'static str> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_SERVER_NAME {
        Err("must have 1 to 100 characters")
    } else if name.chars().any(char::is_control) {
        Err("must not contain control characters")
    } else {
        Ok(name.to_owned())
    }
}

/// Characters that are not seen or that turn the text around: two names would look the same.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Whether both are the same, in a time that does not tell where they differ.
fn same_bytes(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len()
        && left
            .iter()
            .zip(right)
            .fold(0, |differs, (a, b)| differs | (a ^ b))
            == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usernames_are_visible_and_not_reserved() {
        for good in ["ada", "Ada Lovelace", "użytkownik", "李", "%", "a.b@c"] {
            assert!(check_username(good).is_ok(), "{good:?}");
        }
        let long = "x".repeat(65);
        for bad in [
            "",
            " ",
            " ada",
            "ada\n",
            "a\u{200b}b",
            "a\u{202e}b",
            "Guest",
            "ＧＵＥＳＴ",
            "current",
            &long,
        ] {
            assert!(check_username(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn same_bytes_compares_whole_texts() {
        assert!(same_bytes(b"abc", b"abc") && same_bytes(b"", b""));
        assert!(!same_bytes(b"abc", b"abd") && !same_bytes(b"abc", b"ab") && !same_bytes(b"", b"a"));
    }
}
