//! The configured cloud: calls its plugin, checks what the plugin answers, and sends what the plugin asks for.
//!
//! May use `svc-domain`, `svc-platform`, `svc-identity` and `svc-plugin-host`.
