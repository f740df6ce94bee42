//! What it takes to call a route.

use svc_identity::actor::Actor;
use svc_identity::capability::Capability;

/// Who may call a route. There is no default: a route without one cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone, without a credential.
    Public,
    /// Anyone who is known.
    SignedIn,
    /// Who has this capability.
    Capability(Capability),
    /// Who has this capability, or a signed link to this very path of somebody who has it.
    Link(Capability),
    /// Who has this capability and signed in: a personal access token does not do.
    Session(Capability),
    /// Tests on the same machine, in development mode; for all others there is no such route.
    Dev,
    /// Who has any of these; the handler checks which one its input takes.
    AnyCapability(&'static [Capability]),
}

impl Access {
    /// Whether a known caller may.
    pub fn allows(self, actor: &Actor) -> bool {
        match self {
            Self::Public | Self::SignedIn | Self::Dev => true,
            Self::Capability(capability) | Self::Link(capability) | Self::Session(capability) => {
                actor.may(capability)
            }
            Self::AnyCapability(capabilities) => capabilities.iter().any(|&capability| actor.may(capability)),
        }
    }

    /// Whether only a signed-in session will do.
    pub fn requires_session(self) -> bool {
        matches!(self, Self::Session(_))
    }

    /// In words, for the API's description.
    pub fn describe(self) -> String {
        match self {
            Self::Public => "Public.".to_owned(),
            Self::SignedIn => "Requires a signed-in user.".to_owned(),
            Self::Capability(capability) => format!("Requires the capability `{capability}`."),
            Self::Link(capability) => {
                format!(
                    "Requires the capability `{capability}`, or a signed link to the item (`POST /api/v1/links`)."
                )
            }
            Self::Session(capability) => format!(
                "Requires the capability `{capability}`, and a signed-in session: a personal access token is refused."
            ),
            Self::Dev => "For tests on the same machine, in development mode.".to_owned(),
            Self::AnyCapability(capabilities) => {
                let names: Vec<_> = capabilities
                    .iter()
                    .map(|capability| format!("`{capability}`"))
                    .collect();
                format!("Requires one of the capabilities {}.", names.join(", "))
            }
        }
    }
}
