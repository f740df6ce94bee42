//! A cloud that is slow, flaps and answers nothing, beside local sign-ins on the same server.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use svc_covers::covers;
use svc_tests::cloud::Cloud;
use svc_tests::program::{Answer, PASSWORD, Server, serve};

/// When a client has its answer, however long the cloud takes.
const CLOUD_LOGIN: Duration = Duration::from_secs(10);
/// The first pause of the breaker, and then some.
const RECOVERY: Duration = Duration::from_secs(60);
/// What a busy machine adds to the 95th percentile of local sign-ins.
const NOISE: Duration = Duration::from_millis(100);
/// Local sign-ins whose times are compared.
const LOGINS: usize = 60;

fn login(server: &Server, body: &serde_json::Value) -> (Answer, Duration) {
    let start = Instant::now();
    let headers = [("svc-app", "admin")];
    let answer = server.request("POST", "/api/v1/auth/login", &headers, Some(body));
    (answer, start.elapsed())
}

fn cloud_login(server: &Server, token: &str) -> (u16, String, Duration) {
    let (answer, took) = login(server, &json!({ "cloudToken": token }));
    assert!(took < CLOUD_LOGIN, "a sign-in took {took:?}");
    assert_eq!(answer.header("set-cookie"), None, "{answer:?}");
    let code = answer.json()["code"].as_str().unwrap_or_default().to_owned();
    (answer.status, code, took)
}

/// The cloud knows the account, which is linked to none of this server.
fn assert_reached(server: &Server, token: &str) {
    let (status, code, took) = cloud_login(server, token);
    assert_eq!((status, code.as_str()), (401, ""), "after {took:?}");
}

/// Returns how long it took.
fn assert_away(server: &Server, token: &str) -> Duration {
    let (status, code, took) = cloud_login(server, token);
    assert_eq!(
        (status, code.as_str()),
        (503, "cloud_unavailable"),
        "after {took:?}"
    );
    took
}

/// Signs in locally, one after the other; returns the 95th percentile.
fn local_p95(server: &Server) -> Duration {
    let mut times: Vec<Duration> = (0..LOGINS)
        .map(|_| {
            let (answer, took) = login(server, &json!({ "username": "owner", "password": PASSWORD }));
            assert_eq!(answer.status, 201, "{answer:?}");
            took
        })
        .collect();
    times.sort_unstable();
    times[(LOGINS * 95).div_ceil(100) - 1]
}

/// Cloud sign-ins at once while people sign in locally; returns the p95 of the latter.
fn during(server: &Server, cloud_logins: usize, cloud_login: impl Fn() + Send + Sync) -> Duration {
    std::thread::scope(|scope| {
        for _ in 0..cloud_logins {
            scope.spawn(&cloud_login);
        }
        local_p95(server)
    })
}

fn count(log: &Path, text: &str) -> usize {
    fs::read_to_string(log).unwrap().matches(text).count()
}

/// A server that uses this cloud and writes its log to `log` in the directory.
fn start(cloud: &Cloud, directory: &Path) -> Server {
    let mut command = serve(&directory.join("data"), &["--cloud-url", &cloud.url]);
    command.stderr(File::create(directory.join("log")).unwrap());
    Server::spawn_as_owner(&mut command)
}

#[test]
fn answers_that_are_too_large_are_named_in_the_log_and_are_no_faults_of_the_plugin() {
    let cloud = Cloud::start();
    cloud.add_account("ada");
    let token = cloud.sign_in("ada");
    let dir = tempfile::tempdir().unwrap();
    let server = start(&cloud, dir.path());
    // Beyond what the plugin reads, more often than faults of a plugin are forgiven; beyond what the server receives, less
    // often than the breaker forgives.
    for (bytes, times) in [(300_000, 6), (5_000_000, 4)] {
        let failure = json!({ "kind": "oversize", "bytes": bytes });
        cloud.fail("account", &failure, Some(times));
        for _ in 0..times {
            assert_away(&server, &token);
        }
        assert_reached(&server, &token);
    }
    let log = dir.path().join("log");
    // The plugin's line once a minute; the server says it of those that it did not receive.
    assert_eq!(count(&log, "account: the response of the cloud is too large"), 1);
    assert_eq!(count(&log, "the response of the cloud is too large"), 5);
    let plugins = server.get("/api/v1/plugins").json();
    let plugin = plugins
        .as_array()
        .unwrap()
        .iter()
        .find(|plugin| plugin["pluginId"] == "cloud")
        .unwrap();
    assert_eq!(
        (&plugin["state"], &plugin["stats"]["traps"]),
        (&json!("active"), &json!(0))
    );
}

#[covers("C2", "C3", "T31")]
#[test]
fn cloud_that_fails_is_503_in_time_and_comes_back_without_a_restart() {
    let cloud = Cloud::start();
    cloud.add_account("ada");
    let token = cloud.sign_in("ada");
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let server = start(&cloud, dir.path());
    assert_reached(&server, &token);
    let before = local_p95(&server);

    // Slow: too few for the breaker, so that the cloud is used again at once.
    cloud.fail(
        "account",
        &json!({ "kind": "slow", "milliseconds": 60_000 }),
        None,
    );
    let slow = during(&server, 3, || {
        assert_away(&server, &token);
    });
    cloud.reset();
    assert_reached(&server, &token);

    // Flapping: failures that are not in a row do not open the breaker.
    for _ in 0..12 {
        cloud.fail("account", &json!({ "kind": "down" }), Some(1));
        assert_away(&server, &token);
        assert_reached(&server, &token);
    }
    assert_eq!(count(&log, "cloud requests suspended"), 0);

    // Black hole.
    cloud.fail("*", &json!({ "kind": "blackHole" }), None);
    let black_hole = during(&server, 8, || {
        assert_away(&server, &token);
    });
    assert_eq!(
        count(&log, "cloud requests suspended"),
        1,
        "{}",
        fs::read_to_string(&log).unwrap()
    );
    let refused = assert_away(&server, &token);
    let while_open = local_p95(&server);
    for (state, p95) in [
        ("slow", slow),
        ("a black hole", black_hole),
        ("suspended", while_open),
    ] {
        assert!(
            p95 <= before.mul_f64(1.5) + NOISE,
            "local sign-in p95: {before:?} before, {p95:?} while the cloud is {state}"
        );
    }
    cloud.reset();

    let start = Instant::now();
    while cloud_login(&server, &token).0 != 401 {
        assert!(start.elapsed() < RECOVERY, "the cloud is not used again");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_reached(&server, &token);
    assert_eq!(count(&log, "cloud requests suspended"), 1);
    assert_eq!(count(&log, "testing whether the cloud has recovered"), 1);
    assert_eq!(count(&log, "cloud requests resumed"), 1);
    let lines = fs::read_to_string(&log).unwrap();
    for (level, change) in [
        ("WARN", "cloud requests suspended"),
        ("INFO", "testing whether the cloud has recovered"),
        ("INFO", "cloud requests resumed"),
    ] {
        let line = lines.lines().find(|line| line.contains(change)).unwrap();
        assert!(line.contains(level) && line.contains(&cloud.url), "{line}");
    }
    assert_eq!(count(&log, &token), 0, "the token is in the log");
    eprintln!(
        "local sign-in p95: {before:?} before, {slow:?} with a slow cloud, {black_hole:?} with a black hole, \
         {while_open:?} with the breaker open; a cloud sign-in is refused in {refused:?}, recovery took {:?}",
        start.elapsed()
    );
}
