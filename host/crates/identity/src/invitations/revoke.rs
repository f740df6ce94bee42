//! Revoking invitations.

use crate::error::Result;
use crate::invitations::Invitations;
use crate::{AuthContext, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::InvitationId;

impl Invitations {
    /// Revokes an open invitation; `false` if there is none, or it was used or revoked or has expired. The revocation
    /// holds even if the cloud that keeps the invitation cannot be told at once.
    ///
    /// # Errors
    /// Database errors.
    pub async fn revoke(&self, by: AuthContext, id: Option<InvitationId>) -> Result<bool> {
        let this = self.clone();
        run_to_completion(&self.context.tasks, "invitation-revoke", async move {
            let context = &this.context;
            let mut change = context.change_by(&by).await?;
            // A malformed id cannot name an invitation.
            let Some(id) = id else {
                return Ok(false);
            };
            let Some(revoked) = change.revoke_invitation(id, context.now()).await? else {
                return Ok(false);
            };
            let details = [("invitationId", id.to_string()), ("role", revoked.role.clone())];
            let entry = context.audit_of(&by, AuditEvent::InvitationRevoked, None, &details);
            change.audit(&entry).await?;
            change.commit_without_invalidation().await?;
            this.observer.changed(&revoked);
            this.tell_revocation(&revoked).await;
            Ok(true)
        })
        .await
    }
}
