//! `DELETE /invitations/{id}`.

use serde_json::json;
use svc_covers::covers;

use super::{INVITATIONS, WEEK, assert_unavailable, claim, invitation, read, revoke, text};
use crate::UNKNOWN;
use crate::support::databases::on_each_database;
use svc_domain::audit::AuditEvent;

#[covers("DELETE /api/v1/invitations/{id}", "R55")]
#[tokio::test]
async fn open_invitation_is_revoked_once() {
    on_each_database(async |server| {
        let owner = server.as_owner().await;
        let open = invitation(&owner, "member").await;
        assert_eq!(revoke(&owner, &open).await, json!(true));
        assert_eq!(revoke(&owner, &open).await, json!(false));
        assert_eq!(read(&owner, &open).await["status"], "revoked");
        assert_unavailable(&claim(&server, &text(&open, "shortcode"), "bob").await, "revoked");
        assert_eq!(server.audit(AuditEvent::InvitationRevoked).await.len(), 1);

        let claimed = invitation(&owner, "member").await;
        assert_eq!(
            claim(&server, &text(&claimed, "shortcode"), "bob").await.status,
            201
        );
        assert_eq!(revoke(&owner, &claimed).await, json!(false));
        assert_eq!(read(&owner, &claimed).await["status"], "claimed");

        let expired = invitation(&owner, "member").await;
        server.clock.advance(WEEK);
        let owner = super::owner(&server).await;
        assert_eq!(revoke(&owner, &expired).await, json!(false));
        assert_eq!(read(&owner, &expired).await["status"], "expired");
        for id in [UNKNOWN, "junk", "claim"] {
            let reply = owner.delete(&format!("{INVITATIONS}/{id}")).await;
            if id == "claim" {
                assert_eq!(reply.status, 405);
            } else {
                assert_eq!((reply.status, reply.json()), (200, json!(false)), "{id}");
            }
        }
        let member = server.as_user("member", &["member"]).await;
        let target = format!("{INVITATIONS}/{}", text(&expired, "invitationId"));
        assert_eq!(member.delete(&target).await.status, 403);
    })
    .await;
}

#[tokio::test]
async fn deleted_role_revokes_its_invitations() {
    on_each_database(async |server| {
        let owner = server.as_owner().await;
        let role = json!({"name": "helpers", "capabilities": ["MusicApp.Login"]});
        assert_eq!(owner.post("/api/v1/roles", &role).await.status, 201);
        let open = invitation(&owner, "helpers").await;
        let other = invitation(&owner, "member").await;
        assert_eq!(owner.delete("/api/v1/roles/helpers").await.status, 200);
        // A new role of this name gets no accounts.
        let role = json!({"name": "helpers", "capabilities": ["MusicApp.Login", "Users.Read"]});
        assert_eq!(owner.post("/api/v1/roles", &role).await.status, 201);
        assert_unavailable(
            &claim(&server, &text(&open, "shortcode"), "bob").await,
            "deleted role",
        );
        assert_eq!(read(&owner, &open).await["status"], "revoked");
        assert_eq!(read(&owner, &other).await["status"], "active");
    })
    .await;
}
