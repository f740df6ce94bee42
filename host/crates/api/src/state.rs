//! What handlers work with: the services, and what is known of the network around the server.

use std::ops::Deref;

use crate::response_cache::ResponseCache;
use crate::services::Services;
use svc_http_io::proxy::ProxyConfig;

/// What all requests share.
#[derive(Debug)]
pub struct AppState {
    services: Services,
    /// The proxies and the public address.
    pub proxy_config: ProxyConfig,
    /// Answers that may be given again.
    pub response_cache: ResponseCache,
}

impl AppState {
    /// These services, behind this network.
    pub fn new(services: Services, proxy_config: ProxyConfig) -> Self {
        Self {
            services,
            proxy_config,
            response_cache: ResponseCache::default(),
        }
    }
}

impl Deref for AppState {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.services
    }
}
