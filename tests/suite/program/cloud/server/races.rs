//! Races at the reference cloud and the server, on both databases.

use std::sync::Barrier;

use svc_covers::covers;
use svc_tests::postgres::Schema;

use super::Both;

/// Runs on SQLite, and on PostgreSQL if there is a server.
fn on_each_database(test: impl Fn(&[&str])) {
    test(&[]);
    if let Some(schema) = Schema::create() {
        test(&["--database-url", &schema.url]);
    }
}

/// Statuses of parallel requests, begun together.
fn together(count: usize, send: impl Fn(usize) -> u16 + Sync) -> Vec<u16> {
    let start = Barrier::new(count);
    std::thread::scope(|scope| {
        let (start, send) = (&start, &send);
        let sent: Vec<_> = (0..count)
            .map(|number| {
                scope.spawn(move || {
                    start.wait();
                    send(number)
                })
            })
            .collect();
        sent.into_iter().map(|sent| sent.join().unwrap()).collect()
    })
}

fn count(statuses: &[u16], status: u16) -> usize {
    statuses.iter().filter(|found| **found == status).count()
}

#[covers("T32", "R53", "code daily_invitation_limit")]
#[test]
fn twenty_of_thirty_parallel_creations_succeed() {
    on_each_database(|options| {
        let both = Both::start_with(options);
        both.cloud.add_account("ada");
        let token = both.cloud.sign_in("ada");
        // The first one obtains the credential, and counts.
        let first = both.invite(&token, None);
        let statuses = together(29, |_| both.try_invite(&token, None).status);
        assert_eq!(
            (count(&statuses, 201), count(&statuses, 409)),
            (19, 10),
            "{statuses:?}"
        );
        // Revoked ones count.
        assert_eq!(both.revoke(&first), true);
        assert_eq!(both.try_invite(&token, None).status, 409);
    });
}

#[covers("T32")]
#[test]
fn hundred_parallel_claims_of_one_invitation_make_one_account() {
    on_each_database(|options| {
        let both = Both::start_with(options);
        both.cloud.add_account("ada");
        both.cloud.add_account("bob");
        let (token, guest) = (both.cloud.sign_in("ada"), both.cloud.sign_in("bob"));
        let created = both.invite(&token, None);
        assert_eq!(
            both.cloud
                .bind(&guest, created["shortcode"].as_str().unwrap())
                .status,
            200
        );
        let statuses = together(100, |_| both.login_by_cloud(&guest).status);
        assert!(count(&statuses, 201) > 0, "{statuses:?}");
        let mut names = both.usernames();
        names.retain(|name| name.starts_with("bob"));
        assert_eq!(names, ["bob"], "{statuses:?}");
        assert_eq!(both.invitation(&created)["status"], "claimed");
    });
}

#[covers("T32")]
#[test]
fn claims_and_a_revocation_at_once_have_one_outcome() {
    on_each_database(|options| {
        let both = Both::start_with(options);
        both.cloud.add_account("ada");
        both.cloud.add_account("bob");
        let (token, guest) = (both.cloud.sign_in("ada"), both.cloud.sign_in("bob"));
        let created = both.invite(&token, None);
        assert_eq!(
            both.cloud
                .bind(&guest, created["shortcode"].as_str().unwrap())
                .status,
            200
        );
        let path = format!(
            "/api/v1/invitations/{}",
            created["invitationId"].as_str().unwrap()
        );
        let statuses = together(8, |number| match number {
            0 => both.server.request("DELETE", &path, &[], None).status,
            _ => both.login_by_cloud(&guest).status,
        });
        let has_account = both.usernames().contains(&"bob".to_owned());
        let status = both.invitation(&created)["status"].clone();
        let expected = if has_account { "claimed" } else { "revoked" };
        assert_eq!(status, expected, "{statuses:?}");
        assert_eq!(
            both.login_by_cloud(&guest).status,
            if has_account { 201 } else { 401 }
        );
    });
}
