//! Plugins of the world `cloud-client`, which talk to a service that vouches for accounts.
//!
//! Such a plugin implements [`Cloud`] and exports it with [`export_plugin!`](crate::export_plugin) and the ability `cloud`.
//! It reads no files. Its manifest has the table `[cloud]` and the permissions of what it calls: `http` ([`http`]), `clock`
//! ([`clock`]), `state` ([`state`]), `settings` ([`settings`](crate::settings)) and `log` ([`log`](crate::log)), the last
//! one always.
//!
//! Each call runs in an instance of its own: what has to be there at the next one goes to [`state`]. A call has 9.5 s, of
//! which the plugin itself may run for 2 s, and 64 MiB. Outside the sandbox, as in unit tests, [`simulate`] answers
//! requests.
//!
//! ```
//! use svc_plugin_api::cloud::{Cloud, CloudError, ServiceAccount, ServiceFeatures, http};
//!
//! /// A service that knows one token.
//! struct Club;
//!
//! impl Cloud for Club {
//!     fn features() -> ServiceFeatures {
//!         ServiceFeatures::ACCOUNTS
//!     }
//!
//!     fn account(token: String) -> Result<ServiceAccount, CloudError> {
//!         let request = http::Request {
//!             method: "GET".into(),
//!             url: "https://club.example/member".into(),
//!             headers: vec![http::header("Authorization", format!("Bearer {token}"))],
//!             body: None,
//!             flight: None,
//!         };
//!         let response = http::send(&request).map_err(|_| CloudError::Unavailable)?;
//!         match response.status {
//!             200 => Ok(ServiceAccount {
//!                 id: String::from_utf8_lossy(&response.body).into_owned(),
//!                 display_name: None,
//!                 username: None,
//!                 groups: Vec::new(),
//!                 expires_at: None,
//!             }),
//!             401 => Err(CloudError::Rejected),
//!             _ => Err(CloudError::Unavailable),
//!         }
//!     }
//! }
//! # mod with { use super::Club;
//! svc_plugin_api::export_plugin!(Club, manifest = "Cargo.toml", abilities = [cloud]);
//! # }
//! # fn main() {
//! use svc_plugin_api::cloud::simulate;
//!
//! simulate::requests(|_| Ok(http::Response { status: 200, headers: Vec::new(), body: b"m-17".to_vec() }));
//! assert_eq!(Club::account("secret".into()).unwrap().id, "m-17");
//! assert!(matches!(Club::subscription(String::new()), Err(CloudError::Unsupported)));
//! # }
//! ```

pub mod clock;
mod export;
pub mod http;
mod message;
#[cfg(not(target_arch = "wasm32"))]
pub mod simulate;
pub mod state;

#[doc(hidden)]
pub use export::run;

pub use crate::bindings::cloud::exports::svc::plugin::cloud::{
    CloudError, CodeExchange, CreatedInvitation, InvitationRequest, InvitationStatus, Release,
    ReleaseChannel, Server, ServiceAccount, ServiceFeatures, ServiceSession, ServiceSubscription,
    SignInRequest, SignedOut,
};

/// A service that vouches for accounts. A function that the plugin leaves out is [`CloudError::Unsupported`]; the functions
/// and their errors are documented in `wit/v0.1/cloud.wit`.
pub trait Cloud {
    /// What the plugin can do. It is asked once, after loading, and sends no requests for that.
    fn features() -> ServiceFeatures;

    /// The account that a token of the service belongs to.
    ///
    /// # Errors
    /// `Rejected` if the service does not accept the token; as all functions, `Unavailable` if the service cannot be
    /// reached or its answer makes no sense.
    fn account(_token: String) -> Result<ServiceAccount, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// The address that a browser is sent to for a sign-in.
    ///
    /// # Errors
    /// As for [`Self::account`].
    fn sign_in_url(_request: SignInRequest) -> Result<String, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// Exchanges the code of a sign-in for a session with the service, whose tokens are verified.
    ///
    /// # Errors
    /// `Rejected` if the service does not accept the code, or what it returns is not for this sign-in.
    fn exchange(_request: CodeExchange) -> Result<ServiceSession, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// Whether a session still holds; the answer replaces it.
    ///
    /// # Errors
    /// `Rejected` if it does not.
    fn validate(_token: String) -> Result<ServiceSession, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// Ends a session with the service.
    ///
    /// # Errors
    /// As for [`Self::account`].
    fn revoke(_token: String) -> Result<(), CloudError> {
        Err(CloudError::Unsupported)
    }

    /// Verifies the report of a sign-out.
    ///
    /// # Errors
    /// `Rejected` if it does not come from the service.
    fn logout(_token: String) -> Result<SignedOut, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// Registers the server on behalf of its owner, and returns the credential for invitations.
    ///
    /// # Errors
    /// As for [`Self::account`].
    fn credential(_owner_token: String, _server: Server) -> Result<String, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// Creates an invitation on behalf of the account that the token belongs to.
    ///
    /// # Errors
    /// `TargetUnavailable` if the addressed account cannot be invited; `Refused` with the service's code.
    fn create_invitation(
        _credential: String,
        _token: String,
        _request: InvitationRequest,
    ) -> Result<CreatedInvitation, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// Revokes an invitation; `false` if it was no longer active or bound.
    ///
    /// # Errors
    /// As for [`Self::account`].
    fn revoke_invitation(_credential: String, _id: String) -> Result<bool, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// The status of each of the invitations, in the order of the ids; `None` for one that the service does not know.
    ///
    /// # Errors
    /// As for [`Self::account`].
    fn invitation_statuses(
        _credential: String,
        _ids: Vec<String>,
    ) -> Result<Vec<Option<InvitationStatus>>, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// The ids of this server's invitations that the token's account holds.
    ///
    /// # Errors
    /// As for [`Self::account`].
    fn bound_invitations(_credential: String, _token: String) -> Result<Vec<String>, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// Tells the service that the token's account has claimed an invitation; `false` if it does not hold it.
    ///
    /// # Errors
    /// As for [`Self::account`].
    fn claim_invitation(_credential: String, _token: String, _id: String) -> Result<bool, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// The subscription of the server.
    ///
    /// # Errors
    /// As for [`Self::account`].
    fn subscription(_credential: String) -> Result<ServiceSubscription, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// The release channels.
    ///
    /// # Errors
    /// As for [`Self::account`].
    fn release_channels() -> Result<Vec<ReleaseChannel>, CloudError> {
        Err(CloudError::Unsupported)
    }

    /// The newest release of a channel.
    ///
    /// # Errors
    /// As for [`Self::account`].
    fn latest_release(_channel: String) -> Result<Release, CloudError> {
        Err(CloudError::Unsupported)
    }
}
