//! JSON of the methods of sign-in.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_identity::oidc::SignInMethods;

/// The methods of sign-in that the server offers.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "SignInMethods"))]
#[serde(rename_all = "camelCase")]
pub struct SignInMethodsView {
    /// With username and password; always `true`.
    password: bool,
    /// As the guest, without a password.
    guest: bool,
    /// With the token of a cloud account.
    cloud_token: bool,
    /// With a provider; absent if none is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<ProviderView>,
}

/// A provider of single sign-on.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "SignInProvider"))]
#[serde(rename_all = "camelCase")]
pub struct ProviderView {
    /// Text of the button, as the operator chose it.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// The address that the app opens in the browser, with the parameters `app` and `redirect`.
    start_path: &'static str,
}

impl From<SignInMethods> for SignInMethodsView {
    fn from(methods: SignInMethods) -> Self {
        Self {
            password: true,
            guest: methods.guest,
            cloud_token: methods.cloud_token,
            provider: methods.provider.map(|label| ProviderView {
                label,
                start_path: "/api/v1/auth/oidc/start",
            }),
        }
    }
}

/// The response to a report of a sign-out.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "LoggedOut"))]
#[serde(rename_all = "camelCase")]
pub struct LoggedOutView {
    /// The report was accepted.
    pub logged_out: bool,
}
