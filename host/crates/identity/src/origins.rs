//! The web origins that may call the API: those of the operator's options, and those that administrators add.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Mutex;
use url::Url;

use crate::error::{Result, ServiceError};
use crate::{AuthContext, Context, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::CorsOriginId;
use svc_domain::origin::CorsOrigin;
use svc_store::SettingsRepository;

/// Characters of an origin, at most: a scheme, a host name of 253, a port.
const MAX_LENGTH: usize = 300;

/// Keeps the list. Clones share it.
#[derive(Debug, Clone)]
pub struct Origins {
    context: Context,
    settings: SettingsRepository,
    built_in: Arc<[String]>,
    allowed: Arc<RwLock<Arc<BTreeSet<String>>>>,
    reading: Arc<Mutex<()>>,
}

impl Origins {
    /// The list of this store, beside the built-in ones.
    ///
    /// # Errors
    /// The store's.
    pub async fn open(
        context: Context,
        settings: SettingsRepository,
        built_in: impl IntoIterator<Item = String>,
    ) -> Result<Self> {
        let origins = Self {
            context,
            settings,
            built_in: built_in.into_iter().collect(),
            allowed: Arc::default(),
            reading: Arc::default(),
        };
        origins.reload().await?;
        Ok(origins)
    }

    /// Reads the list again.
    ///
    /// # Errors
    /// The store's.
    pub async fn reload(&self) -> Result<()> {
        // One at a time: what was read first must not replace what was read later.
        let _reading = self.reading.lock().await;
        let stored = self.settings.cors_origins().await?;
        let stored = stored.into_iter().map(|origin| origin.origin);
        let all = Arc::new(self.built_in.iter().cloned().chain(stored).collect());
        *self.allowed.write().unwrap_or_else(PoisonError::into_inner) = all;
        Ok(())
    }

    /// Whether an origin may call. Compared as a whole: nothing but the exact text is allowed.
    pub fn allows(&self, origin: &str) -> bool {
        self.allowed
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(origin)
    }

    /// Those that were added, oldest first.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(&self) -> Result<Vec<CorsOrigin>> {
        Ok(self.settings.cors_origins().await?)
    }

    /// Allows an origin, from the next request on. One that is allowed already is given as it is.
    ///
    /// # Errors
    /// Invalid unless it is a well-formed origin; the store's.
    pub async fn add(&self, by: AuthContext, text: &str) -> Result<CorsOrigin> {
        let origin = normalised(text).map_err(|message| ServiceError::invalid("origin", message))?;
        let origins = self.clone();
        run_to_completion(&self.context.tasks, "origin-add", async move {
            let context = &origins.context;
            let now = context.now();
            let new = CorsOrigin {
                id: context.ids.next(now),
                origin,
                created_at: now,
            };
            let mut change = context.change_by(&by).await?;
            let (stored, is_new) = change.insert_cors_origin(&new).await?;
            if is_new {
                let details = [("origin", stored.origin.clone())];
                change
                    .audit(&context.audit_of(&by, AuditEvent::OriginAdded, None, &details))
                    .await?;
            }
            // No account is another for it; other processes have to know.
            change.commit_of([]).await?;
            origins.reload().await?;
            Ok(stored)
        })
        .await
    }

    /// No longer allows an origin; false if it was not allowed.
    ///
    /// # Errors
    /// The store's.
    pub async fn remove(&self, by: AuthContext, id: CorsOriginId) -> Result<bool> {
        let origins = self.clone();
        run_to_completion(&self.context.tasks, "origin-remove", async move {
            let context = &origins.context;
            let mut change = context.change_by(&by).await?;
            let removed = change.delete_cors_origin(id).await?;
            let was_there = removed.is_some();
            if let Some(origin) = removed {
                let details = [("origin", origin)];
                change
                    .audit(&context.audit_of(&by, AuditEvent::OriginRemoved, None, &details))
                    .await?;
            }
            change.commit_of([]).await?;
            origins.reload().await?;
            Ok(was_there)
        })
        .await
    }
}

/// An origin as browsers write it.
///
/// # Errors
/// What is wrong with it.
pub fn normalised(text: &str) -> std::result::Result<String, &'static str> {
    const FORM: &str = "must be an origin such as https://app.example, without path, user or query";
    if text.len() > MAX_LENGTH {
        return Err("is too long");
    }
    // The parser passes over these; an origin has none.
    if text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '*')) {
        return Err(FORM);
    }
    let url = Url::parse(text).map_err(|_| FORM)?;
    let scheme = matches!(url.scheme(), "http" | "https");
    // The parser takes any number of slashes, and escapes in the host.
    let Some((_, rest)) = text
        .split_once("://")
        .filter(|(_, rest)| !rest.starts_with('/') && !rest.contains('%'))
    else {
        return Err(FORM);
    };
    let bare = url.username().is_empty()
        && url.password().is_none()
        && !rest.contains('@')
        && url.query().is_none()
        && url.fragment().is_none()
        && url.path() == "/"
        && rest.trim_end_matches('/').len() + 1 >= rest.len();
    match url.host_str() {
        Some(host) if scheme && bare && !host.ends_with('.') => Ok(url.origin().ascii_serialization()),
        _ => Err(FORM),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_normalised_as_browsers_write_them() {
        for (text, expected) in [
            ("https://app.example", "https://app.example"),
            ("https://app.example/", "https://app.example"),
            ("HTTPS://APP.Example:443", "https://app.example"),
            ("http://app.example:80", "http://app.example"),
            ("http://192.168.1.2:3000", "http://192.168.1.2:3000"),
            ("http://[::1]:3000", "http://[::1]:3000"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
            ("http://localhost:5173", "http://localhost:5173"),
        ] {
            assert_eq!(normalised(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        let long = format!("https://{}.example", "a".repeat(300));
        for text in [
            "",
            "*",
            "null",
            "app.example",
            "https://",
            "https:app.example",
            "https:/app.example",
            "https:///app.example",
            "https://%61pp.example",
            "https://*.example",
            "https://user@app.example",
            "https://user:pass@app.example",
            "https://@app.example",
            "https://app.example/path",
            "https://app.example//",
            "https://app.example?x",
            "https://app.example#x",
            "https://app.example:99999",
            "https://app.example.",
            "ftp://app.example",
            "file:///etc",
            "javascript:alert(1)",
            "https://app.example\\evil",
            " https://app.example",
            "https://app.exa\tmple",
            "https://app.example\0",
            &long,
        ] {
            assert!(normalised(text).is_err(), "{text:?}");
        }
    }
}
