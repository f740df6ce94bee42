//! The first setup: creates the owner, once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use subtle::ConstantTimeEq as _;

use crate::account_input::{check, check_password, name_taken};
use crate::error::{FieldError, Result, ServiceError};
use crate::fair_semaphore::PermitRequest;
use crate::names::{check_username, username_key};
use crate::password::Passwords;
use crate::role::Role;
use crate::settings::registry::SERVER_NAME;
use crate::settings::{Settings, store_setting};
use crate::{ClientInfo, Context, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_store::{NewUser, UserRepository};

/// Username of the guest account.
const GUEST: &str = "guest";

/// Input of [`Setup::complete`].
#[derive(Debug)]
pub struct SetupRequest {
    /// Username of the owner.
    pub username: String,
    /// Password of the owner.
    pub password: String,
    /// Name of the server.
    pub server_name: Option<String>,
    /// Initial values of settings.
    pub settings: serde_json::Map<String, serde_json::Value>,
    /// The operator's setup token, if one is configured.
    pub setup_token: Option<String>,
    /// The client program.
    pub client: ClientInfo,
}

/// The setup service.
#[derive(Debug, Clone)]
pub struct Setup {
    context: Context,
    users: UserRepository,
    passwords: Passwords,
    settings: Settings,
    token: Option<Arc<str>>,
    done: Arc<AtomicBool>,
}

impl Setup {
    /// Creates the service and reads whether an owner exists. With `token`, the setup requires it.
    ///
    /// # Errors
    /// Database errors.
    pub async fn open(
        context: Context,
        users: UserRepository,
        passwords: Passwords,
        settings: Settings,
        token: Option<String>,
    ) -> Result<Self> {
        let done = Arc::new(AtomicBool::new(users.owner_exists().await?));
        let setup = Self {
            context,
            users,
            passwords,
            settings,
            token: token.map(Arc::from),
            done,
        };
        setup.ensure_guest().await?;
        Ok(setup)
    }

    /// Whether an owner existed at the last query. It does not query the database, because health checks must always
    /// respond.
    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }

    /// Queries again whether an owner exists, as after a reset.
    ///
    /// # Errors
    /// Database errors.
    pub async fn refresh_state(&self) -> Result<()> {
        self.done
            .store(self.users.owner_exists().await?, Ordering::Relaxed);
        self.ensure_guest().await
    }

    /// Creates the guest account if it is missing; a setting enables guest access.
    async fn ensure_guest(&self) -> Result<()> {
        if self.users.guest().await?.is_some() {
            return Ok(());
        }
        let now = self.context.now();
        let guest = NewUser {
            id: self.context.ids.next(now),
            username: GUEST.to_owned(),
            username_key: username_key(GUEST),
            display_name: None,
            password_hash: None,
            is_owner: false,
            is_guest: true,
            created_at: now,
        };
        let mut change = self.context.identity.change_identity().await?;
        // Another process may have created it.
        if change.insert_user(&guest).await? {
            change.assign_role(guest.id, Role::Guest.as_str(), now).await?;
            change.commit().await?;
        }
        Ok(())
    }

    /// Fails if an owner exists; called before the input is validated.
    ///
    /// # Errors
    /// Refused; database errors.
    pub async fn require_open(&self) -> Result<()> {
        match self.has_owner().await? {
            true => Err(already_done()),
            false => Ok(()),
        }
    }

    /// Whether an owner exists. Queried until it is true, because another server on the same database may complete the
    /// setup.
    ///
    /// # Errors
    /// Database errors.
    pub async fn has_owner(&self) -> Result<bool> {
        if !self.is_done() && self.users.owner_exists().await? {
            self.done.store(true, Ordering::Relaxed);
        }
        Ok(self.is_done())
    }

    /// Creates the owner. Of concurrent calls exactly one succeeds.
    ///
    /// # Errors
    /// Refused if an owner exists or the setup token is wrong; invalid input; database errors.
    pub async fn complete(&self, mut request: SetupRequest) -> Result<()> {
        self.require_open().await?;
        if let Some(token) = &self.token {
            let given = request.setup_token.take().unwrap_or_default();
            if !bool::from(token.as_bytes().ct_eq(given.as_bytes())) {
                return Err(ServiceError::Refused("the setup token is missing or wrong"));
            }
        }
        let mut errors = Vec::new();
        let username = check(check_username(&request.username), "username", &mut errors);
        let password = check(check_password(request.password), "password", &mut errors);
        let has_name = request.server_name.is_some();
        if let Some(name) = request.server_name {
            request.settings.insert(SERVER_NAME.to_owned(), name.into());
        }
        let settings = match Settings::check(&request.settings) {
            Ok(settings) => settings,
            Err(ServiceError::Invalid(more)) => {
                // The field name of the API.
                let of_name =
                    |error: &FieldError| has_name && error.path == format!("settings.{SERVER_NAME}");
                errors.extend(more.into_iter().map(|error| match of_name(&error) {
                    true => FieldError::new("serverName", error.message),
                    false => error,
                }));
                Vec::new()
            }
            Err(other) => return Err(other),
        };
        self.settings.require_not_fixed(&settings)?;
        let (Some(username), Some(password), true) = (username, password, errors.is_empty()) else {
            return Err(ServiceError::Invalid(errors));
        };
        let client = request.client;
        // No account exists yet.
        let by = PermitRequest {
            network: client.address.into(),
            known: false,
        };
        let password_hash = Some(self.passwords.hash(by, password).await?);
        let setup = self.clone();
        run_to_completion(&self.context.tasks, "setup", async move {
            let context = &setup.context;
            let now = context.now();
            let owner = NewUser {
                id: context.ids.next(now),
                username_key: username_key(&username),
                username,
                display_name: None,
                password_hash,
                is_owner: true,
                is_guest: false,
                created_at: now,
            };
            let mut change = context.identity.change_identity().await?;
            if change.owner().await?.is_some() {
                setup.done.store(true, Ordering::Relaxed);
                return Err(already_done());
            }
            if !change.insert_user(&owner).await? {
                return Err(name_taken());
            }
            change.assign_role(owner.id, Role::Owner.as_str(), now).await?;
            for setting in &settings {
                store_setting(&mut change, setting, None, owner.id).await?;
            }
            let made = change.account(owner.id).await?.map(|account| account.user);
            let event = AuditEvent::SetupCompleted;
            change
                .audit(&context.audit_entry(event, &client, made.as_ref(), None, &[]))
                .await?;
            change.commit().await?;
            setup.done.store(true, Ordering::Relaxed);
            setup.settings.reload().await
        })
        .await
    }
}

fn already_done() -> ServiceError {
    ServiceError::Refused("the server is already set up")
}
