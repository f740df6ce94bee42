//! The export of world `cloud-client`.

/// Runs a function as the exported component does: a panic is reported before it traps.
#[doc(hidden)]
pub fn run<T>(function: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "wasm32")]
    crate::panic::report();
    function()
}

/// The guest of a type for [`export_plugin!`](crate::export_plugin).
#[doc(hidden)]
#[macro_export]
macro_rules! cloud_guest {
    ($plugin:ty) => {
        impl $crate::bindings::cloud::exports::svc::plugin::cloud::Guest for Component {
            fn features() -> $crate::cloud::ServiceFeatures {
                $crate::cloud::run(<$plugin as $crate::cloud::Cloud>::features)
            }

            fn account(token: String) -> ::std::result::Result<$crate::cloud::ServiceAccount, $crate::cloud::CloudError> {
                $crate::cloud::run(|| <$plugin as $crate::cloud::Cloud>::account(token))
            }

            fn sign_in_url(
                request: $crate::cloud::SignInRequest,
            ) -> ::std::result::Result<String, $crate::cloud::CloudError> {
                $crate::cloud::run(|| <$plugin as $crate::cloud::Cloud>::sign_in_url(request))
            }

            fn exchange(
                request: $crate::cloud::CodeExchange,
            ) -> ::std::result::Result<$crate::cloud::ServiceSession, $crate::cloud::CloudError> {
                $crate::cloud::run(|| <$plugin as $crate::cloud::Cloud>::exchange(request))
            }

            fn validate(token: String) -> ::std::result::Result<$crate::cloud::ServiceSession, $crate::cloud::CloudError> {
                $crate::cloud::run(|| <$plugin as $crate::cloud::Cloud>::validate(token))
            }

            fn revoke(token: String) -> ::std::result::Result<(), $crate::cloud::CloudError> {
                $crate::cloud::run(|| <$plugin as $crate::cloud::Cloud>::revoke(token))
            }

            fn logout(token: String) -> ::std::result::Result<$crate::cloud::SignedOut, $crate::cloud::CloudError> {
                $crate::cloud::run(|| <$plugin as $crate::cloud::Cloud>::logout(token))
            }

            fn credential(
                owner_token: String,
                server: $crate::cloud::Server,
            ) -> ::std::result::Result<String, $crate::cloud::CloudError> {
                $crate::cloud::run(|| <$plugin as $crate::cloud::Cloud>::credential(owner_token, server))
            }

            fn create_invitation(
                credential: String,
                token: String,
                request: $crate::cloud::InvitationRequest,
            ) -> ::std::result::Result<$crate::cloud::CreatedInvitation, $crate::cloud::CloudError> {
                $crate::cloud::run(|| {
                    <$plugin as $crate::cloud::Cloud>::create_invitation(credential, token, request)
                })
            }

            fn revoke_invitation(credential: String, id: String) -> ::std::result::Result<bool, $crate::cloud::CloudError> {
                $crate::cloud::run(|| <$plugin as $crate::cloud::Cloud>::revoke_invitation(credential, id))
            }

            fn invitation_statuses(
                credential: String,
                ids: Vec<String>,
            ) -> ::std::result::Result<Vec<Option<$crate::cloud::InvitationStatus>>, $crate::cloud::CloudError> {
                $crate::cloud::run(|| <$plugin as $crate::cloud::Cloud>::invitation_statuses(credential, ids))
            }

            fn bound_invitations(
                credential: String,
                token: String,
            ) -> ::std::result::Result<Vec<String>, $crate::cloud::CloudError> {
                $crate::cloud::run(|| <$plugin as $crate::cloud::Cloud>::bound_invitations(credential, token))
            }

            fn claim_invitation(
                credential: String,
                token: String,
                id: String,
            ) -> ::std::result::Result<bool, $crate::cloud::CloudError> {
                $crate::cloud::run(|| {
                    <$plugin as $crate::cloud::Cloud>::claim_invitation(credential, token, id)
                })
            }

            fn subscription(
                credential: String,
            ) -> ::std::result::Result<$crate::cloud::ServiceSubscription, $crate::cloud::CloudError> {
                $crate::cloud::run(|| <$plugin as $crate::cloud::Cloud>::subscription(credential))
            }

            fn release_channels() -> ::std::result::Result<Vec<$crate::cloud::ReleaseChannel>, $crate::cloud::CloudError> {
                $crate::cloud::run(<$plugin as $crate::cloud::Cloud>::release_channels)
            }

            fn latest_release(channel: String) -> ::std::result::Result<$crate::cloud::Release, $crate::cloud::CloudError> {
                $crate::cloud::run(|| <$plugin as $crate::cloud::Cloud>::latest_release(channel))
            }
        }
    };
}
