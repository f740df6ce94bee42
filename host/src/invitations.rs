//! Builds the services of invitations.

use std::sync::Arc;

use svc_events::Events;
use svc_identity::Context;
use svc_identity::cloud::Cloud;
use svc_identity::cloud_credential::CloudCredentials;
use svc_identity::invitation_observer::InvitationObserver;
use svc_identity::invitations::Invitations;
use svc_identity::invitations::claims::{Claims, ClaimsDependencies};
use svc_identity::keys::KeyRing;
use svc_identity::password::Passwords;
use svc_identity::refused_sign_ins::RefusedSignIns;
use svc_identity::seats::Seats;
use svc_identity::settings::Settings;
use svc_store::Store;

/// What the services of invitations depend on.
pub(super) struct InvitationDependencies<'a> {
    pub(super) context: &'a Context,
    pub(super) store: &'a Store,
    pub(super) events: &'a Events,
    pub(super) settings: &'a Settings,
    pub(super) keys: &'a KeyRing,
    pub(super) passwords: &'a Passwords,
    pub(super) cloud: &'a Arc<dyn Cloud>,
    pub(super) refusals: &'a RefusedSignIns,
}

/// The services of invitations.
pub(super) struct InvitationServices {
    /// The seats of the subscription.
    pub(super) seats: Seats,
    /// Publishes changes of invitations.
    pub(super) observer: Arc<dyn InvitationObserver>,
    pub(super) invitations: Invitations,
    pub(super) claims: Claims,
}

impl InvitationServices {
    pub(super) fn new(dependencies: InvitationDependencies<'_>) -> Self {
        let InvitationDependencies {
            context,
            store,
            events,
            settings,
            keys,
            passwords,
            cloud,
            refusals,
        } = dependencies;
        let observer: Arc<dyn InvitationObserver> = Arc::new(events.clone());
        let credentials = CloudCredentials::new(
            context.clone(),
            store.invitations.clone(),
            settings.clone(),
            keys.clone(),
            Arc::clone(cloud),
        );
        let seats = Seats::new(Arc::clone(cloud), credentials.clone());
        let invitations = Invitations::new(
            context.clone(),
            store.invitations.clone(),
            keys.clone(),
            Arc::clone(cloud),
            credentials.clone(),
            seats.clone(),
            Arc::clone(&observer),
        );
        let claims = Claims::new(ClaimsDependencies {
            context: context.clone(),
            invitations: store.invitations.clone(),
            users: store.users.clone(),
            roles: store.roles.clone(),
            passwords: passwords.clone(),
            keys: keys.clone(),
            cloud: Arc::clone(cloud),
            credentials,
            seats: seats.clone(),
            refusals: refusals.clone(),
            observer: Arc::clone(&observer),
        });
        Self {
            seats,
            observer,
            invitations,
            claims,
        }
    }
}
