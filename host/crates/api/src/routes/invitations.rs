//! Invitations: what inviters do, and how an invitation is used.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, DeferredBody, Input, non_null};
use crate::client::Client;
use crate::csrf::CsrfOriginCheck;
use crate::extract::{AnyPathId, Authenticated, CloudToken, PathId, State, SvcApp};
use crate::query::{FromQuery, Query, QueryParams};
use crate::refresh_cookie::RefreshCookie;
use crate::requested_url::ServerUrl;
use crate::response::{Created, Json, WithCookie};
use crate::views::auth::LoginView;
use crate::views::invitations::{InvitationOfferView, InvitationView};
use svc_domain::id::InvitationId;
use svc_domain::invitation::InvitationStatus;
use svc_identity::invitations::{CreateInvitation, Shortcode};
use svc_identity::login::ClaimRequest;

/// The invitation to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateInvitationInput {
    /// Role of the account that is created with it.
    role: String,
    /// The cloud account to invite; default: whoever has the shortcode.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    target_public_user_id: Option<String>,
}

/// The shortcode of an invitation, and the account to create with it.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct ClaimInvitationInput {
    /// 10 characters, in any case, with any spaces and hyphens.
    shortcode: String,
    /// 1 to 64 visible characters.
    username: String,
    /// 8 to 256 bytes.
    password: String,
}

impl Input for CreateInvitationInput {}
impl Input for ClaimInvitationInput {}

/// The query of `GET /invitations`.
#[derive(Debug)]
pub struct InvitationsQuery {
    status: Option<InvitationStatus>,
}

impl FromQuery for InvitationsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let statuses = InvitationStatus::ALL.map(|status| (status.as_str(), status));
        Self {
            status: params.choice("status", "Only invitations with this status.", &statuses),
        }
    }
}

/// List invitations
///
/// All of them, the newest first, including those that were used or revoked or have expired.
#[endpoint]
pub async fn list_invitations(
    state: State,
    query: Query<InvitationsQuery>,
) -> Result<Json<Vec<InvitationView>>, ApiError> {
    Ok(state.invitations.list(query.0.status).await?.into())
}

/// Get an invitation
#[endpoint]
pub async fn get_invitation(
    state: State,
    id: PathId<InvitationId>,
) -> Result<Json<InvitationView>, ApiError> {
    Ok(Json(state.invitations.get(id.0).await?.into()))
}

/// Create an invitation
///
/// The invitation creates one account with the role, within 7 days. Without a cloud that keeps invitations, the person
/// chooses a name and password (`POST /invitations/claim`), or signs in at the server's provider. With one, the header
/// `Svc-Cloud-Token` is required, and the first invitation of the server is created by its owner.
///
/// `shortcode` and `url` are returned here only.
#[endpoint(responses(
    (status_code = 404, description = "The role does not exist, or the cloud account cannot be invited: `target_unavailable`"),
    (status_code = 409, description = "The account has created 20 invitations in the last 24 hours, or the cloud refused")
))]
pub async fn create_invitation(
    state: State,
    by: Authenticated,
    cloud_token: CloudToken,
    server: ServerUrl,
    body: Body<CreateInvitationInput>,
) -> Result<Created<InvitationView>, ApiError> {
    let request = CreateInvitation {
        role: body.0.role,
        target: body.0.target_public_user_id,
        cloud_token: cloud_token.0,
    };
    let created = state.invitations.create(by.0, request).await?;
    Ok(Created(InvitationView::created(created, &server.0)))
}

/// Revoke an invitation
///
/// Returns `false` if there is no such invitation, or it was used or revoked or has expired.
#[endpoint]
pub async fn revoke_invitation(
    state: State,
    by: Authenticated,
    id: AnyPathId<InvitationId>,
) -> Result<Json<bool>, ApiError> {
    Ok(Json(state.invitations.revoke(by.0, id.0).await?))
}

/// Get what an invitation offers
///
/// For the page on which a person chooses a name and password.
#[endpoint(responses(
    (status_code = 404, description = "The invitation cannot be used"),
    (status_code = 429, description = "Too many wrong shortcodes")
))]
pub async fn get_invitation_offer(
    state: State,
    client: Client,
    shortcode: AnyPathId<String>,
) -> Result<Json<InvitationOfferView>, ApiError> {
    let shortcode = shortcode.0.as_deref().and_then(Shortcode::parse);
    let offer = state.claims.offer(shortcode.as_ref(), &client.into()).await?;
    let server = state.server.instance();
    Ok(Json(InvitationOfferView::new(offer, server.server_name)))
}

/// Create an account with an invitation, and sign in
///
/// The response sets the refresh cookie, unless the request comes from a page of another site.
#[endpoint(responses(
    (status_code = 403, description = "The role of the invitation does not permit the app"),
    (status_code = 404, description = "The invitation cannot be used"),
    (status_code = 409, description = "The username is taken, no seat is free, or invitations are used by signing in"),
    (status_code = 429, description = "Too many wrong shortcodes")
))]
pub async fn claim_invitation(
    state: State,
    app: SvcApp,
    client: Client,
    csrf_check: CsrfOriginCheck,
    cookie: RefreshCookie,
    body: DeferredBody<ClaimInvitationInput>,
) -> Result<WithCookie<Created<LoginView>>, ApiError> {
    let body = body.for_sign_in(&app)?;
    let request = ClaimRequest {
        app: app.0,
        shortcode: body.shortcode,
        username: body.username,
        password: body.password,
        client: client.into(),
        cross_site: csrf_check == CsrfOriginCheck::CrossSite,
        previous: cookie.replaced_by_sign_in(csrf_check),
    };
    let login = state.logins.claim_invitation(request).await?;
    Ok(cookie.signed_in(login))
}
