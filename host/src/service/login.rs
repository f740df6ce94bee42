//! Signing in with a name and a password.

use std::sync::Arc;
use std::time::Duration;

use super::error::{Result, ServiceError};
use crate::auth::access_token::AccessTokens;
use crate::auth::app::App;
use crate::auth::password::{NewPassword, Passwords, Verdict};
use crate::auth::policy;
use crate::domain::id::UserId;
use crate::domain::text::fold;
use crate::domain::time::Clock;
use crate::domain::user::User;
use crate::random::Random;
use crate::store::Store;

/// One text for every refusal: it must not tell whether there is such an account.
const REFUSED: ServiceError = ServiceError::Refused("login refused");
/// Every answer is held back by a random part of this, so that what is left of a difference in time drowns.
const MAX_JITTER_MS: u8 = 20;

/// What one signs in with.
#[derive(Debug, Default)]
pub struct LoginRequest {
    /// The app; `None` if the client named none that there is.
    pub app: Option<App>,
    /// The name of the account.
    pub username: Option<String>,
    /// Or its id.
    pub user_id: Option<String>,
    /// The password.
    pub password: Option<String>,
}

/// Where the apps keep a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionScope {
    /// For good.
    Local,
    /// For as long as the browser runs.
    Session,
    /// For as long as the page is open.
    Memory,
}

impl SessionScope {
    /// The name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Session => "session",
            Self::Memory => "memory",
        }
    }
}

/// What signing in gives.
#[derive(Debug)]
pub struct Login {
    /// Access token.
    pub token: String,
    /// The account.
    pub user: User,
    /// Names of its roles.
    pub roles: Vec<String>,
    /// Where the app keeps the token.
    pub scope: SessionScope,
}

/// Signs people in.
#[derive(Debug, Clone)]
pub struct Logins {
    store: Store,
    passwords: Passwords,
    tokens: Arc<AccessTokens>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
}

impl Logins {
    /// Over these accounts.
    pub fn new(
        store: Store,
        passwords: Passwords,
        tokens: Arc<AccessTokens>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        Self {
            store,
            passwords,
            tokens,
            clock,
            random,
        }
    }

    /// Signs an account in to an app.
    ///
    /// # Errors
    /// Refused, with one text and after the same work, for an unknown app or account, a wrong or missing password,
    /// a disabled account and one that may not use the app. Unavailable when too many sign in at once.
    pub async fn sign_in(&self, request: LoginRequest) -> Result<Login> {
        let outcome = self.attempt(request).await;
        self.jitter().await?;
        outcome
    }

    async fn attempt(&self, request: LoginRequest) -> Result<Login> {
        let account = self.find(&request).await?;
        let (user, hash) = match account {
            Some((user, hash)) if user.enabled && !user.is_guest && request.app.is_some() => {
                (Some(user), hash)
            }
            _ => (None, None),
        };
        let password = request.password.unwrap_or_default();
        let verdict = self.passwords.verify(password.clone(), hash).await?;
        let (Some(user), Some(app), Verdict::Right { outdated }) = (user, request.app, verdict) else {
            return Err(REFUSED);
        };
        let roles = self.store.roles_of(user.id).await?;
        let capabilities = policy::capabilities_of_names(roles.iter().map(String::as_str));
        if !capabilities.contains(app.login_capability()) {
            return Err(REFUSED);
        }
        if outdated {
            self.rehash(user.id, password).await?;
        }
        let now = self.clock.now();
        self.store.touch_user(user.id, now).await?;
        let token = self
            .tokens
            .issue(user.id, app, None, now, self.random.as_ref())
            .map_err(ServiceError::internal)?;
        Ok(Login {
            token,
            user,
            roles,
            scope: SessionScope::Local,
        })
    }

    async fn find(&self, request: &LoginRequest) -> Result<Option<(User, Option<String>)>> {
        let name = match (&request.username, &request.user_id) {
            (Some(username), _) => Some(username_key(username)),
            (None, Some(id)) => match id.parse::<UserId>() {
                Ok(id) => self
                    .store
                    .user_by_id(id)
                    .await?
                    .map(|user| username_key(&user.username)),
                Err(_) => None,
            },
            (None, None) => None,
        };
        // Asked in any case: an unknown account takes as long as a known one.
        Ok(self.store.user_for_login(&name.unwrap_or_default()).await?)
    }

    async fn rehash(&self, user: UserId, password: String) -> Result<()> {
        if let Some(password) = NewPassword::new(password) {
            let hash = self.passwords.hash(password).await?;
            self.store.set_password_hash(user, &hash).await?;
        }
        Ok(())
    }

    async fn jitter(&self) -> Result<()> {
        let mut byte = [0];
        self.random.fill(&mut byte).map_err(ServiceError::internal)?;
        let [byte] = byte;
        tokio::time::sleep(Duration::from_millis(u64::from(byte % (MAX_JITTER_MS + 1)))).await;
        Ok(())
    }
}

/// What makes two usernames the same: case, diacritics and compatibility forms do not tell accounts apart.
pub fn username_key(username: &str) -> String {
    fold(username)
}
