//! The connections that a server with a provider makes: only to the provider, whatever its discovery document names.

use std::collections::BTreeSet;
use std::path::Path;

use svc_covers::covers;
use svc_tests::connections::{Trap, addresses};
use svc_tests::program::wait_for;

use super::browser::Browser;
use super::{Bed, ProviderOptions};

const ROLE: [&str; 2] = ["--oidc-default-role", "music_user"];

/// Ends the server, and asserts that it connected to the provider and to nothing else.
fn assert_connected_to_the_provider_alone(bed: &mut Bed, trace: &Path) {
    let expected = bed.proxy.issuer.trim_start_matches("http://").to_owned();
    assert_eq!(addresses(&mut bed.server, trace), BTreeSet::from([expected]));
}

#[covers("T44")]
#[test]
fn server_with_a_provider_connects_to_it_alone() {
    let directory = tempfile::tempdir().unwrap();
    let trace = directory.path().join("trace");
    let Some(mut bed) = Bed::start_traced(ProviderOptions::default(), &ROLE, &trace) else {
        return;
    };
    let mut browser = Browser::new();
    assert_eq!(
        bed.sign_in(&mut browser, "ada").location(),
        "/app",
        "{}",
        bed.log()
    );
    assert_eq!(bed.refresh(&mut browser).status, 201, "{}", bed.log());
    for path in ["/api/v1/updates", "/api/v1/release-channels"] {
        bed.server.open(path);
    }
    assert_connected_to_the_provider_alone(&mut bed, &trace);
}

#[covers("T44")]
#[test]
fn origins_that_a_hostile_discovery_document_names_are_not_reached() {
    let trap = Trap::listen();
    let of_this_machine = format!("http://localhost:{}/keys", trap.port());
    let documents = [
        vec![("token_endpoint", trap.url())],
        vec![("jwks_uri", of_this_machine)],
        vec![("jwks_uri", "https://169.254.169.254/keys".to_owned())],
    ];
    for document in documents {
        let directory = tempfile::tempdir().unwrap();
        let trace = directory.path().join("trace");
        let Some(mut bed) = Bed::start_traced(ProviderOptions::default(), &ROLE, &trace) else {
            return;
        };
        for (member, url) in &document {
            bed.proxy.name(member, url);
        }
        let mut browser = Browser::new();
        let page = bed.sign_in(&mut browser, "ada");
        assert_eq!(
            (page.status, page.location()),
            (303, "/app?error=cloud_unavailable"),
            "{document:?}: {}",
            bed.log()
        );
        assert!(page.cookies("svc_refresh_token_").is_empty(), "{document:?}");
        wait_for("the line of the refusal", || {
            bed.log().contains("is not configured")
        });
        assert_connected_to_the_provider_alone(&mut bed, &trace);
        trap.assert_untouched();
    }
}
