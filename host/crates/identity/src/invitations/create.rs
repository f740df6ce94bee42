//! Creating invitations.

use crate::account_input::check;
use crate::cloud::CloudError;
use crate::error::{ErrorCode, FieldError, Result, ServiceError};
use crate::invitations::shortcode::Shortcode;
use crate::invitations::{DAILY_LIMIT, Invitations, LIFETIME, LIMIT_WINDOW};
use crate::names::check_role_name;
use crate::roles::{find_role, require_assignable};
use crate::{AuthContext, Context, earlier, later, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::invitation::{Invitation, InvitationStatus};
use svc_domain::time::Timestamp;
use svc_store::{IdentityChange, NewInvitation};

/// Largest length of the id of a cloud account, in bytes.
const MAX_TARGET: usize = 256;

/// Input of [`Invitations::create`].
#[derive(Debug)]
pub struct CreateInvitation {
    /// Name of the role to grant.
    pub role: String,
    /// The cloud account to invite; anyone who has the shortcode if `None`.
    pub target: Option<String>,
    /// The token of the inviter's cloud account.
    pub cloud_token: Option<String>,
}

/// A new invitation with its secrets, which are returned once.
#[derive(Debug)]
pub struct CreatedInvitation {
    /// The invitation.
    pub invitation: Invitation,
    /// Absent from one that is addressed to an account.
    pub shortcode: Option<String>,
    /// The page of the cloud that keeps the invitation.
    pub url: Option<String>,
}

/// An id of a cloud account: visible ASCII characters.
fn check_target(target: String) -> std::result::Result<String, &'static str> {
    let is_id = !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_graphic());
    if is_id && target.len() <= MAX_TARGET {
        Ok(target)
    } else {
        Err("must be the public id of a cloud account")
    }
}

fn check_input(request: &CreateInvitation, needs_token: bool) -> Result<()> {
    let mut errors = Vec::new();
    check(check_role_name(&request.role), "role", &mut errors);
    if let Some(target) = request.target.clone() {
        check(check_target(target), "targetPublicUserId", &mut errors);
    }
    if needs_token && request.cloud_token.is_none() {
        errors.push(FieldError::new("Svc-Cloud-Token", "the header is missing"));
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(ServiceError::Invalid(errors))
    }
}

/// Begins the change that adds an invitation, after all checks that need no cloud.
///
/// # Errors
/// Unknown role; refused for one that the inviter may not give; conflict at the daily limit.
pub(super) async fn begin(context: &Context, by: &AuthContext, role: &str) -> Result<IdentityChange> {
    let mut change = context.change_by(by).await?;
    let found = find_role(&mut change, role).await?;
    let found = found.ok_or_else(|| ServiceError::unknown("role", "there is no such role"))?;
    require_assignable(by, &found)?;
    Ok(change)
}

/// Holds the inviter to the daily limit. The transaction is exclusive, so parallel creations are counted.
pub(super) async fn require_below_limit(
    change: &mut IdentityChange,
    by: &AuthContext,
    now: Timestamp,
) -> Result<()> {
    let user = &by.actor.user;
    let after = earlier(now, LIMIT_WINDOW);
    let created = change
        .count_invitations(user.id, user.cloud_account.as_deref(), after)
        .await?;
    if created < DAILY_LIMIT {
        return Ok(());
    }
    Err(ServiceError::conflict(
        ErrorCode::DailyInvitationLimit,
        format!("an account creates at most {DAILY_LIMIT} invitations in 24 hours"),
    ))
}

impl Invitations {
    /// Creates an invitation.
    ///
    /// # Errors
    /// Invalid input; unknown role; refused for a role that cannot be assigned or that has capabilities the inviter
    /// lacks, or if the server has no credential for the cloud and the inviter is not the owner; conflict at the daily
    /// limit, or if the cloud refuses; absent if the target cannot be invited; try later without the cloud that the
    /// invitation needs.
    pub async fn create(&self, by: AuthContext, request: CreateInvitation) -> Result<CreatedInvitation> {
        let is_at_cloud = self.cloud.features().invitations;
        check_input(&request, is_at_cloud)?;
        let this = self.clone();
        run_to_completion(&self.context.tasks, "invitation-create", async move {
            match request.cloud_token.clone().filter(|_| is_at_cloud) {
                Some(token) => this.create_at_cloud(&by, request, &token).await,
                None => this.create_here(&by, request).await,
            }
        })
        .await
    }

    /// Creates an invitation that this server keeps.
    async fn create_here(&self, by: &AuthContext, request: CreateInvitation) -> Result<CreatedInvitation> {
        let context = &self.context;
        let mut change = begin(context, by, &request.role).await?;
        let now = context.now();
        require_below_limit(&mut change, by, now).await?;
        if request.target.is_some() {
            // Only a cloud knows the account.
            return Err(CloudError::Unavailable.into());
        }
        let invitation = new_invitation(context, by, &request, now);
        let shortcode = Shortcode::generate(context.random.as_ref()).map_err(ServiceError::internal)?;
        let hash = shortcode.hash(self.keys.current().typed_code_key());
        change
            .insert_invitation(&NewInvitation {
                invitation: &invitation,
                shortcode_hash: Some(&hash),
                creator_cloud_account: by.actor.user.cloud_account.as_deref(),
                reserved_for: None,
            })
            .await?;
        audit(context, &mut change, by, &invitation).await?;
        change.commit_without_invalidation().await?;
        self.observer.changed(&invitation);
        Ok(CreatedInvitation {
            invitation,
            shortcode: Some(shortcode.secret().to_owned()),
            url: None,
        })
    }
}

pub(super) fn new_invitation(
    context: &Context,
    by: &AuthContext,
    request: &CreateInvitation,
    now: Timestamp,
) -> Invitation {
    Invitation {
        id: context.ids.next(now),
        role: request.role.clone(),
        status: InvitationStatus::Active,
        target: request.target.clone(),
        cloud: None,
        created_by: by.actor.user.id,
        created_at: now,
        expires_at: later(now, LIFETIME),
        bound_at: None,
        claimed_at: None,
        claimed_by: None,
    }
}

pub(super) async fn audit(
    context: &Context,
    change: &mut IdentityChange,
    by: &AuthContext,
    invitation: &Invitation,
) -> Result<()> {
    let details = [
        ("invitationId", invitation.id.to_string()),
        ("role", invitation.role.clone()),
        ("type", invitation.invitation_type().as_str().to_owned()),
    ];
    let entry = context.audit_of(by, AuditEvent::InvitationCreated, None, &details);
    Ok(change.audit(&entry).await?)
}
