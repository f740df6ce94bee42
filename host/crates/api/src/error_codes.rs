//! The error codes of responses: status and meaning of each.

use salvo::http::StatusCode;
use svc_identity::error::ErrorCode;

/// The codes of responses with their status and meaning, as the API description lists them.
pub const CODES: &[(ErrorCode, StatusCode, &str)] = &[
    (
        ErrorCode::AuthorizationPending,
        StatusCode::BAD_REQUEST,
        "Nobody has approved or denied the device yet; poll again after the interval.",
    ),
    (
        ErrorCode::SlowDown,
        StatusCode::BAD_REQUEST,
        "The device polls too often; the interval is five seconds longer from now on.",
    ),
    (
        ErrorCode::AccessDenied,
        StatusCode::BAD_REQUEST,
        "A user denied the device, or the approval no longer holds: its account may not use the app, or its session has \
         ended.",
    ),
    (
        ErrorCode::ExpiredToken,
        StatusCode::BAD_REQUEST,
        "The device code is unknown, has expired or was used; the device starts again.",
    ),
    (
        ErrorCode::PatInvalid,
        StatusCode::UNAUTHORIZED,
        "The personal access token is unknown, revoked or has expired.",
    ),
    (
        ErrorCode::CloudTokenRequired,
        StatusCode::UNAUTHORIZED,
        "A cross-site caller sent no cloud token, or the account is linked to a cloud account, whose token is missing \
         or not accepted. The session is unchanged.",
    ),
    (
        ErrorCode::PatNotPermitted,
        StatusCode::FORBIDDEN,
        "The operation requires a signed-in session; personal access tokens are refused.",
    ),
    (
        ErrorCode::ReauthenticationRequired,
        StatusCode::FORBIDDEN,
        "The session signed in more than five minutes ago: sign in again; a refresh is not enough.",
    ),
    (
        ErrorCode::ArtworkMissing,
        StatusCode::NOT_FOUND,
        "The item has no picture.",
    ),
    (
        ErrorCode::FileMissing,
        StatusCode::NOT_FOUND,
        "The item is known, but its file is gone.",
    ),
    (
        ErrorCode::InvitationUnavailable,
        StatusCode::NOT_FOUND,
        "No invitation has this shortcode, or it was used or revoked, has expired, or its inviter may no longer give \
         its role.",
    ),
    (
        ErrorCode::TargetUnavailable,
        StatusCode::NOT_FOUND,
        "The cloud account that the invitation is addressed to cannot be invited.",
    ),
    (
        ErrorCode::SubtitleEmbedded,
        StatusCode::NOT_FOUND,
        "The subtitles are a stream of the video's own file; a player reads them from there.",
    ),
    (
        ErrorCode::AlreadyLinked,
        StatusCode::CONFLICT,
        "The account is linked to another cloud account.",
    ),
    (
        ErrorCode::CloudAccountTaken,
        StatusCode::CONFLICT,
        "Another account of this server is linked to the cloud account.",
    ),
    (
        ErrorCode::PasswordMissing,
        StatusCode::CONFLICT,
        "The account could not sign in afterwards: it has no password.",
    ),
    (
        ErrorCode::DeviceSignInDecided,
        StatusCode::CONFLICT,
        "The device has been approved or denied already.",
    ),
    (
        ErrorCode::CloudRefused,
        StatusCode::CONFLICT,
        "The cloud refused. Where the cloud names a reason, its own code replaces this one.",
    ),
    (
        ErrorCode::CloudTokenRejected,
        StatusCode::CONFLICT,
        "The cloud rejected the token in `Svc-Cloud-Token`.",
    ),
    (
        ErrorCode::DailyInvitationLimit,
        StatusCode::CONFLICT,
        "The account has created 20 invitations in the last 24 hours.",
    ),
    (
        ErrorCode::SeatsExhausted,
        StatusCode::CONFLICT,
        "All seats of the subscription are used.",
    ),
    (
        ErrorCode::SignInRequired,
        StatusCode::CONFLICT,
        "Invitations of this server are used by signing in at its provider, not with a username and password.",
    ),
    (
        ErrorCode::IndexActionConflict,
        StatusCode::CONFLICT,
        "The action does not fit the state of the indexer.",
    ),
    (
        ErrorCode::IndexingInProgress,
        StatusCode::CONFLICT,
        "A run of the indexer is under way.",
    ),
    (
        ErrorCode::TooManyStreams,
        StatusCode::CONFLICT,
        "The user plays as many files as `max_concurrent_streams` permits, or listens to 1,000 streams of events.",
    ),
    (
        ErrorCode::JobActionConflict,
        StatusCode::CONFLICT,
        "The action does not fit the state of the job.",
    ),
    (
        ErrorCode::LibraryNameTaken,
        StatusCode::CONFLICT,
        "There is a library of this name for the media kind.",
    ),
    (
        ErrorCode::PlaybackQueueFull,
        StatusCode::CONFLICT,
        "The queue would hold more items than a queue may.",
    ),
    (
        ErrorCode::PluginActionConflict,
        StatusCode::CONFLICT,
        "The action does not fit the state of the plugin.",
    ),
    (
        ErrorCode::PluginKindTaken,
        StatusCode::CONFLICT,
        "The plugin defines a media kind that belongs to another plugin, until that one is removed.",
    ),
    (
        ErrorCode::PluginVersionChanged,
        StatusCode::CONFLICT,
        "The version for which permissions are granted is neither in use nor waiting: another was uploaded meanwhile.",
    ),
    (
        ErrorCode::RoleExists,
        StatusCode::CONFLICT,
        "There is a role of this name.",
    ),
    (
        ErrorCode::SettingFixed,
        StatusCode::CONFLICT,
        "An option of the server holds the setting at its value.",
    ),
    (
        ErrorCode::TooManyJobs,
        StatusCode::CONFLICT,
        "The limit of waiting jobs of this type is reached.",
    ),
    (
        ErrorCode::TooManyPhotoAlbums,
        StatusCode::CONFLICT,
        "The user has reached the limit of albums.",
    ),
    (
        ErrorCode::TooManyTokens,
        StatusCode::CONFLICT,
        "The user has reached the limit of personal access tokens.",
    ),
    (
        ErrorCode::UsernameTaken,
        StatusCode::CONFLICT,
        "There is an account of this name.",
    ),
    (
        ErrorCode::PlaybackQueueChanged,
        StatusCode::PRECONDITION_FAILED,
        "The queue no longer has the revision that `If-Match` names.",
    ),
    (
        ErrorCode::PagesUnavailable,
        StatusCode::UNPROCESSABLE_ENTITY,
        "The pages of the file cannot be read: its plugin is not active, or the file is broken.",
    ),
    (
        ErrorCode::ThumbnailUnavailable,
        StatusCode::UNPROCESSABLE_ENTITY,
        "No thumbnail can be made of this file: no plugin reads its format, it is too large, or it is broken.",
    ),
    (
        ErrorCode::WaveformUnavailable,
        StatusCode::UNPROCESSABLE_ENTITY,
        "The audio of the file cannot be decoded.",
    ),
    (
        ErrorCode::TooManyAttempts,
        StatusCode::TOO_MANY_REQUESTS,
        "Too many attempts; retry after the seconds in `Retry-After`.",
    ),
    (
        ErrorCode::Busy,
        StatusCode::SERVICE_UNAVAILABLE,
        "A queue is full, such as that of sign-ins, thumbnails or waveforms; retry after the seconds in `Retry-After`.",
    ),
    (
        ErrorCode::CloudUnavailable,
        StatusCode::SERVICE_UNAVAILABLE,
        "The cloud could not be reached, or none is configured. The session is unchanged.",
    ),
    (
        ErrorCode::DatabaseUnavailable,
        StatusCode::SERVICE_UNAVAILABLE,
        "The database does not answer; try again.",
    ),
    (
        ErrorCode::StorageFull,
        StatusCode::SERVICE_UNAVAILABLE,
        "The server has no space left.",
    ),
    (
        ErrorCode::StorageUnavailable,
        StatusCode::SERVICE_UNAVAILABLE,
        "The media directory of the item is not available; try again.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_a_response_is_listed_once() {
        for code in ErrorCode::ALL {
            // The command line and the list of jobs show these.
            let is_in_responses = !matches!(code, ErrorCode::OwnerExists | ErrorCode::RunStopped);
            let lines = CODES.iter().filter(|(listed, ..)| *listed == code).count();
            assert_eq!(lines, usize::from(is_in_responses), "{code:?}");
        }
    }
}
