//! What handlers work with: the services, and what is known of the network around the server.

use std::ops::Deref;

use crate::answer_memory::AnswerMemory;
use crate::services::Services;
use svc_http_io::proxy::Network;

/// What all requests share.
#[derive(Debug)]
pub struct AppState {
    services: Services,
    /// The proxies and the public address.
    pub network: Network,
    /// Answers that may be given again.
    pub answers: AnswerMemory,
}

impl AppState {
    /// These services, behind this network.
    pub fn new(services: Services, network: Network) -> Self {
        Self {
            services,
            network,
            answers: AnswerMemory::default(),
        }
    }
}

impl Deref for AppState {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.services
    }
}
