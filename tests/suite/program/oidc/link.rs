//! Linking an account of this server by signing in at the provider.

use serde_json::json;
use svc_covers::covers;
use svc_tests::program::PASSWORD;

use super::browser::Browser;
use super::{Bed, ProviderOptions};

const LINK: &str = "/api/v1/users/current/cloud-link";

#[covers("POST /api/v1/users/current/cloud-link", "T30")]
#[test]
fn account_is_linked_in_the_browser_that_asked_and_to_one_user() {
    let Some(bed) = Bed::start(ProviderOptions::default(), &[]) else {
        return;
    };
    let (mut browser, mut other) = (Browser::new(), Browser::new());
    let token = bed.login(&mut browser, "owner", "admin");
    bed.login(&mut other, "owner", "admin");
    // The address of a link, opened in a browser with another session, and after that in its own.
    let stolen = bed.link_path(&mut browser, &token);
    for browser in [&mut other, &mut browser] {
        let before = bed.log().len();
        let page = bed.follow(browser, &stolen, "eve");
        bed.assert_refused(
            &page,
            before,
            "the link ticket is not of this browser's session, or was used",
        );
    }
    assert_eq!(bed.current(&token)["localUser"]["cloudLinked"], false);

    let path = bed.link_path(&mut browser, &token);
    let page = bed.follow(&mut browser, &path, "ada");
    assert_eq!((page.status, page.location()), (303, "/app"), "{}", bed.log());
    assert!(page.cookies("svc_refresh_token_").is_empty());
    assert_eq!(bed.current(&token)["localUser"]["cloudLinked"], true);
    // From now on the provider is asked for the session that linked the account.
    let asked = bed.proxy.token_requests();
    assert_eq!(bed.refresh(&mut browser).status, 201, "{}", bed.log());
    assert_eq!(bed.proxy.token_requests(), asked + 1);
    let mut ada = Browser::new();
    assert_eq!(bed.sign_in(&mut ada, "ada").location(), "/app");
    let of_ada = bed.access_token(&mut ada);
    assert_eq!(bed.current(&of_ada)["localUser"]["username"], "owner");

    // One account, one user.
    let bob = json!({ "username": "bob", "password": PASSWORD, "role": "member" });
    assert_eq!(bed.server.post("/api/v1/users", &bob).status, 201);
    let mut browser_of_bob = Browser::new();
    let of_bob = bed.login(&mut browser_of_bob, "bob", "music");
    let taken = "the account, or the provider's account, is linked to another";
    let path = bed.link_path(&mut browser_of_bob, &of_bob);
    let before = bed.log().len();
    let page = bed.follow(&mut browser_of_bob, &path, "ada");
    bed.assert_refused(&page, before, taken);
    let path = bed.link_path(&mut browser, &token);
    let before = bed.log().len();
    let page = bed.follow(&mut Browser::new(), &path, "eve");
    bed.assert_refused(&page, before, "the link ticket is not of this browser's session");
    assert_eq!(bed.current(&of_bob)["localUser"]["cloudLinked"], false);
}

#[covers("DELETE /api/v1/users/current/cloud-link", "T30")]
#[test]
fn unlinked_account_refreshes_without_the_provider_whose_user_is_unknown_again() {
    let Some(bed) = Bed::start(ProviderOptions::default(), &[]) else {
        return;
    };
    let (mut browser, mut other) = (Browser::new(), Browser::new());
    let token = bed.login(&mut browser, "owner", "admin");
    bed.login(&mut other, "owner", "admin");
    let path = bed.link_path(&mut browser, &token);
    assert_eq!(bed.follow(&mut browser, &path, "ada").location(), "/app");
    let mut ada = Browser::new();
    assert_eq!(bed.sign_in(&mut ada, "ada").location(), "/app");
    // The provider knows nothing of a session with a password: another of the account stands in for it.
    let asked = bed.proxy.token_requests();
    assert_eq!(bed.refresh(&mut other).status, 201, "{}", bed.log());
    assert_eq!(bed.proxy.token_requests(), asked + 1);

    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let unlinked = bed.server.request("DELETE", LINK, &headers, None);
    assert_eq!(
        (unlinked.status, &unlinked.json()["cloudLinked"]),
        (200, &json!(false))
    );
    assert_eq!(bed.refresh(&mut ada).status, 401);
    bed.proxy.set_away(true);
    for browser in [&mut browser, &mut other] {
        assert_eq!(bed.refresh(browser).status, 201, "{}", bed.log());
    }
    bed.proxy.set_away(false);
    let before = bed.log().len();
    let page = bed.sign_in(&mut Browser::new(), "ada");
    bed.assert_refused(&page, before, "no account of this server belongs to the user");
}
