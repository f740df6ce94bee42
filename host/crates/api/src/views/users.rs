//! Accounts, roles and personal access tokens.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::id::{PersonalAccessTokenId, UserId};
use svc_domain::session::PersonalAccessToken;
use svc_domain::time::Timestamp;
use svc_domain::user::{Account, RoleAssignment, User};
use svc_identity::actor::Actor;
use svc_identity::capability::{Capability, CapabilitySet};
use svc_identity::cloud_links::PresentedCloudAccount;
use svc_identity::roles::RoleInfo;
use svc_identity::tokens::CreatedToken;

/// The names of capabilities.
pub fn names(capabilities: CapabilitySet) -> Vec<&'static str> {
    capabilities.iter().map(Capability::as_str).collect()
}

/// An account.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "User"))]
#[serde(rename_all = "camelCase")]
pub struct UserView {
    #[salvo(schema(value_type = String))]
    user_id: UserId,
    username: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
    enabled: bool,
    is_owner: bool,
    is_guest: bool,
    cloud_linked: bool,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    last_active_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    roles: Option<Vec<String>>,
}

impl UserView {
    /// An account, with its roles if `roles`.
    pub fn new(account: Account, roles: bool) -> Self {
        if roles {
            Self::with_roles(account)
        } else {
            account.user.into()
        }
    }

    /// An account with its roles.
    pub fn with_roles(account: Account) -> Self {
        let roles = Some(account.role_names());
        Self {
            roles,
            ..account.user.into()
        }
    }
}

impl From<User> for UserView {
    fn from(user: User) -> Self {
        Self {
            user_id: user.id,
            username: user.username,
            display_name: user.display_name,
            enabled: user.enabled,
            is_owner: user.is_owner,
            is_guest: user.is_guest,
            cloud_linked: user.cloud_account.is_some(),
            created_at: user.created_at,
            last_active_at: user.last_active_at,
            roles: None,
        }
    }
}

/// An account on a sign-in page.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PublicUser"))]
#[serde(rename_all = "camelCase")]
pub struct PublicUserView {
    #[salvo(schema(value_type = String))]
    user_id: UserId,
    username: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
    is_guest: bool,
}

impl PublicUserView {
    /// The accounts, without the guest account unless `guests`.
    pub fn list(users: Vec<User>, guests: bool) -> Vec<Self> {
        let shown = users.into_iter().filter(|user| guests || !user.is_guest);
        shown.map(Self::from).collect()
    }
}

impl From<User> for PublicUserView {
    fn from(user: User) -> Self {
        Self {
            user_id: user.id,
            username: user.username,
            display_name: user.display_name,
            is_guest: user.is_guest,
        }
    }
}

/// The cloud account of the token that the request carries.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "CloudUser"))]
#[serde(rename_all = "camelCase")]
pub struct CloudUserView {
    /// Its id in the cloud.
    public_user_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
    /// When its session with the cloud ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    expires_at: Option<Timestamp>,
    /// Whether the caller's account is linked to it.
    linked: bool,
}

impl From<PresentedCloudAccount> for CloudUserView {
    fn from(presented: PresentedCloudAccount) -> Self {
        Self {
            public_user_id: presented.account.public_id().to_owned(),
            display_name: presented.account.display_name,
            expires_at: presented.account.expires_at,
            linked: presented.linked,
        }
    }
}

/// The caller's own account.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "CurrentUser"))]
#[serde(rename_all = "camelCase")]
pub struct CurrentUserView {
    local_user: UserView,
    /// The cloud account of the token in `Svc-Cloud-Token`; `null` without one, and if the cloud does not confirm it.
    cloud_user: Option<CloudUserView>,
    roles: Vec<String>,
    /// Capabilities of the roles, limited to those of the credential.
    capabilities: Vec<&'static str>,
}

impl CurrentUserView {
    /// The account, roles and capabilities of the caller.
    pub fn new(actor: &Actor, cloud_user: Option<PresentedCloudAccount>) -> Self {
        let user = User::clone(&actor.user);
        Self {
            cloud_user: cloud_user.map(CloudUserView::from),
            local_user: user.into(),
            roles: actor.roles.to_vec(),
            capabilities: names(actor.capabilities),
        }
    }
}

/// A role.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Role"))]
#[serde(rename_all = "camelCase")]
pub struct RoleView {
    role: String,
    /// The role is part of the server and cannot be changed.
    built_in: bool,
    /// The role can be assigned to accounts.
    assignable: bool,
    capabilities: Vec<&'static str>,
}

impl From<RoleInfo> for RoleView {
    fn from(role: RoleInfo) -> Self {
        Self {
            role: role.name,
            built_in: role.built_in,
            assignable: role.assignable,
            capabilities: names(role.capabilities),
        }
    }
}

/// The assignment of a role to an account.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "RoleAssignment"))]
#[serde(rename_all = "camelCase")]
pub struct RoleAssignmentView {
    #[salvo(schema(value_type = String))]
    user_id: UserId,
    role: String,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
}

impl From<RoleAssignment> for RoleAssignmentView {
    fn from(assignment: RoleAssignment) -> Self {
        Self {
            user_id: assignment.user,
            role: assignment.role,
            created_at: assignment.created_at,
        }
    }
}

/// A new personal access token.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "CreatedPersonalAccessToken"))]
#[serde(rename_all = "camelCase")]
pub struct CreatedTokenView {
    #[salvo(schema(value_type = String))]
    personal_access_token_id: PersonalAccessTokenId,
    /// The token. Only this response contains it.
    token: String,
    label: String,
    #[salvo(schema(value_type = Option<String>))]
    expires_at: Option<Timestamp>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Vec<String>>,
}

impl From<CreatedToken> for CreatedTokenView {
    fn from(CreatedToken { token, secret }: CreatedToken) -> Self {
        Self {
            personal_access_token_id: token.id,
            token: secret.secret().to_owned(),
            label: token.label,
            expires_at: token.expires_at,
            created_at: token.created_at,
            capabilities: token.capabilities,
        }
    }
}

/// A personal access token.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PersonalAccessToken"))]
#[serde(rename_all = "camelCase")]
pub struct TokenView {
    #[salvo(schema(value_type = String))]
    personal_access_token_id: PersonalAccessTokenId,
    label: String,
    /// The last four characters of the token.
    hint: String,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    #[salvo(schema(value_type = Option<String>))]
    created_by: Option<UserId>,
    #[salvo(schema(value_type = Option<String>))]
    expires_at: Option<Timestamp>,
    #[salvo(schema(value_type = Option<String>))]
    last_used_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Vec<String>>,
}

impl From<PersonalAccessToken> for TokenView {
    fn from(token: PersonalAccessToken) -> Self {
        Self {
            personal_access_token_id: token.id,
            label: token.label,
            hint: token.hint,
            created_at: token.created_at,
            created_by: token.created_by,
            expires_at: token.expires_at,
            last_used_at: token.last_used_at,
            capabilities: token.capabilities,
        }
    }
}
