//! Builds the services of signing in: sessions, passwords, clouds, a provider, devices, invitations.

use std::sync::Arc;

use svc_events::Events;
use svc_identity::Context;
use svc_identity::cloud::Cloud;
use svc_identity::cloud_accounts::CloudAccounts;
use svc_identity::cloud_links::CloudLinks;
use svc_identity::device_sign_in::DeviceSignIns;
use svc_identity::keys::KeyRing;
use svc_identity::login::Logins;
use svc_identity::oidc::{Oidc, OidcDependencies, OidcPolicy};
use svc_identity::password::Passwords;
use svc_identity::refused_sign_ins::RefusedSignIns;
use svc_identity::sessions::Sessions;
use svc_identity::settings::Settings;
use svc_identity::setup::Setup;
use svc_identity::throttle::LoginThrottle;
use svc_store::Store;

use crate::invitations::{InvitationDependencies, InvitationServices};

/// What the services of signing in depend on.
pub(super) struct SignInDependencies<'a> {
    pub(super) context: &'a Context,
    pub(super) store: &'a Store,
    pub(super) events: &'a Events,
    pub(super) settings: &'a Settings,
    pub(super) setup: &'a Setup,
    pub(super) keys: &'a KeyRing,
    pub(super) passwords: &'a Passwords,
    pub(super) throttle: &'a LoginThrottle,
    pub(super) cloud: &'a Arc<dyn Cloud>,
    pub(super) policy: OidcPolicy,
}

/// The services of signing in.
pub(super) struct SignInServices {
    pub(super) sessions: Sessions,
    pub(super) logins: Logins,
    pub(super) device_sign_ins: DeviceSignIns,
    pub(super) cloud_links: CloudLinks,
    pub(super) oidc: Oidc,
    pub(super) invited: InvitationServices,
}

impl SignInServices {
    pub(super) fn new(dependencies: SignInDependencies<'_>) -> Self {
        let SignInDependencies {
            context,
            store,
            events,
            settings,
            setup,
            keys,
            passwords,
            throttle,
            cloud,
            policy,
        } = dependencies;
        let refusals = RefusedSignIns::new(context.clone(), store.audit.clone(), Arc::clone(cloud));
        let invited = InvitationServices::new(InvitationDependencies {
            context,
            store,
            events,
            settings,
            keys,
            passwords,
            cloud,
            refusals: &refusals,
        });
        let cloud_accounts = CloudAccounts::new(
            Arc::clone(cloud),
            Arc::clone(&context.clock),
            context.tasks.clone(),
        );
        let sessions = Sessions::new(
            context.clone(),
            store.users.clone(),
            store.sessions.clone(),
            keys.clone(),
            settings.clone(),
            cloud_accounts.clone(),
            refusals.clone(),
        );
        let logins = Logins {
            context: context.clone(),
            users: store.users.clone(),
            passwords: passwords.clone(),
            throttle: throttle.clone(),
            refusals: refusals.clone(),
            sessions: sessions.clone(),
            settings: settings.clone(),
            setup: setup.clone(),
            cloud: cloud_accounts.clone(),
            claims: invited.claims.clone(),
        };
        let device_sign_ins = DeviceSignIns::new(
            context.clone(),
            store.device_sign_ins.clone(),
            sessions.clone(),
            keys.clone(),
            setup.clone(),
            refusals.clone(),
        );
        let oidc = Oidc::new(OidcDependencies {
            context: context.clone(),
            sessions: sessions.clone(),
            claims: invited.claims.clone(),
            seats: invited.seats.clone(),
            refusals,
            cloud: Arc::clone(cloud),
            keys: keys.clone(),
            settings: settings.clone(),
            setup: setup.clone(),
            policy,
        });
        Self {
            cloud_links: CloudLinks::new(context.clone(), sessions.clone(), cloud_accounts),
            sessions,
            logins,
            device_sign_ins,
            oidc,
            invited,
        }
    }
}
