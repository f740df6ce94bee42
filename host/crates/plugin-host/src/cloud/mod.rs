//! Plugins of the world `cloud-client`, which talk to a service that vouches for accounts.
//!
//! They run on an engine of their own, which exists only if one is configured. A call is a future: the guest waits for
//! `http` without a thread, and gives way to other tasks every 10 ms while it runs. Each call has an instance of its own,
//! so nothing of a call is there in the next but what the plugin keeps in `state`.
//!
//! An instance ends with its call: after its result, a trap, 2 s of its own work, 64 MiB, 100 lines of the log and some,
//! or 9.5 s in all. Faults count towards a quarantine as those of plugins that read files do.

#[allow(clippy::all, reason = "generated")]
mod bindings;
mod call;
mod calls;
mod component;
mod failure_log;
mod host_http;
mod host_settings;
mod host_state;
mod plugin;
mod secrets;

/// The values of the interface `cloud`, as a plugin gives and gets them.
pub mod guest {
    pub use super::bindings::exports::svc::plugin::cloud::{
        CloudError, CodeExchange, CreatedInvitation, InvitationRequest, InvitationStatus, Release,
        ReleaseChannel, Server, ServiceAccount, ServiceFeatures, ServiceSession, ServiceSubscription,
        SignInRequest, SignedOut,
    };
}

pub use crate::limits::{CLOUD_CALL, REQUEST_BYTES, RESPONSE_BYTES};
pub use call::CloudHost;
pub use calls::Answer;
pub use component::{CloudComponent, CloudPluginError, CloudSetting};
pub use host_http::{HostFuture, HttpClient, HttpError, HttpHeader, HttpRequest, HttpResponse};
pub use host_settings::CurrentSettings;
pub use host_state::{StateError, StateStore};
pub use plugin::{CloudFault, CloudPlugin};
