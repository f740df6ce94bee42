//! What is added to clap's messages about arguments.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use svc_domain::kind::MediaKind;

/// Names the option for directories of a kind that has none of its own. For `--comics-dir`, clap alone suggests
/// `--movies-dir`.
pub(super) fn with_tip(mut error: clap::Error) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let kind = argument
        .strip_prefix("--")
        .and_then(|name| name.strip_suffix("-dir").or_else(|| name.strip_suffix("-dirs")))
        .and_then(|name| name.parse::<MediaKind>().ok());
    let Some(kind) = kind.filter(|kind| !MediaKind::BUILT_IN.contains(&kind.as_str())) else {
        return error;
    };
    let mut tip = StyledStr::new();
    tip.push_str(&format!(
        "directories of a kind that a plugin defines are given with '--root {kind}=DIR'"
    ));
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    error
}
