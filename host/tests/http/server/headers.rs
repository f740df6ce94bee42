//! Security headers of every response.

use crate::support::TestServer;

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let server = TestServer::start().await;
    for target in ["/api", "/api/v1/nothing", "/api/v1/versions", "/api/docs"] {
        let reply = server.get(target).await;
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{target}");
        assert_eq!(reply.header("referrer-policy"), "no-referrer");
        assert_eq!(reply.header("cache-control"), "no-store");
        assert_eq!(reply.header("cross-origin-resource-policy"), "same-site");
        assert!(
            reply
                .header("content-security-policy")
                .contains("frame-ancestors 'none'")
        );
        assert!(!reply.headers.contains_key("server"));
    }
}
