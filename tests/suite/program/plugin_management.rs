//! `svc plugin install`, `grant`, `preview`, `rollback`, `dev` against a running server.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use svc_test_support::guests;
use svc_tests::program::{PASSWORD, Server, program, wait_for};
use svc_tests::workspace;

/// A plugin for items of the kind `things`, whose titles name its version.
fn plugin(version: &str) -> Vec<u8> {
    let log = "log = \"Says what it finds\"";
    let manifest = guests::kind_manifest("things", "things")
        .replace("1.0.0", version)
        .replace(log, &format!("{log}\nsettings = \"Knows the title\""));
    let setting = format!(
        "[settings.title]\ntype = \"text\"\nlabel = {{ en = \"Title\" }}\ndefault = \"of {version}\"\n"
    );
    guests::with_manifest(
        guests::component(&guests::body("settings")),
        &(manifest + &setting),
    )
}

/// A server with a directory of things.
struct Things {
    dir: tempfile::TempDir,
    server: Server,
}

impl Things {
    fn start(files: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let things = dir.path().join("things");
        fs::create_dir(&things).unwrap();
        for number in 0..files {
            fs::write(things.join(format!("{number:05}.shared")), number.to_string()).unwrap();
        }
        let root = format!("things={}", things.display());
        let server = Server::start_as_owner(&dir.path().join("data"), &["--root", &root]);
        Self { dir, server }
    }

    fn write(&self, version: &str) -> PathBuf {
        let path = self.dir.path().join(format!("things-{version}.wasm"));
        fs::write(&path, plugin(version)).unwrap();
        path
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command
            .args(["plugin", "--json"])
            .args(arguments)
            .args(["--server", &format!("http://{}", self.server.address())])
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("SVC_TOKEN", self.server.token())
            .stdin(Stdio::null());
        command
    }

    /// Runs a verb; returns its exit code and what it printed.
    fn plugin(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let output = self.command(arguments).output().unwrap();
        let json = serde_json::from_slice(&output.stdout);
        let json = json.unwrap_or_else(|error| panic!("{arguments:?}: {error}: {output:?}"));
        (output.status.code(), json)
    }

    fn passes(&self, arguments: &[&str]) -> Value {
        let (code, json) = self.plugin(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {json}");
        json
    }

    fn install(&self, file: &Path, more: &[&str]) -> Value {
        let arguments = [&["install", file.to_str().unwrap()], more].concat();
        self.passes(&arguments)
    }

    /// The titles of all items, and their number.
    fn titles(&self) -> (BTreeSet<String>, u64) {
        let mut titles = BTreeSet::new();
        let mut path = "/api/v1/items?kind=things&take=500".to_owned();
        loop {
            let answer = self.server.get(&path);
            assert_eq!(answer.status, 200, "{answer:?}");
            let page = answer.json();
            let items = page[0].as_array().unwrap().iter();
            titles.extend(items.map(|item| item["title"].as_str().unwrap().to_owned()));
            let next = answer
                .header("link")
                .and_then(|link| link.split(['<', '>']).nth(1));
            match next {
                Some(next) => path = next.to_owned(),
                None => return (titles, page[1].as_u64().unwrap()),
            }
        }
    }

    /// Waits until all items have the title of this version.
    fn wait_for_version(&self, version: &str, items: u64) {
        let expected = (BTreeSet::from([format!("of {version}")]), items);
        wait_for(&format!("version {version}"), || {
            std::thread::sleep(Duration::from_millis(50));
            self.titles() == expected
        });
    }
}

#[test]
fn plugin_is_managed_from_the_command_line_beside_a_running_server() {
    let things = Things::start(3);
    let waiting = things.install(&things.write("1.0.0"), &[]);
    assert_eq!(waiting["state"], "waiting");
    let (code, refused) = things.plugin(&["grant", "things", "source"]);
    assert_eq!((code, &refused["error"]["code"]), (Some(4), &json!("refused")));
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("`settings` is needed as well: Knows the title"),
        "{message}"
    );
    assert_eq!(things.passes(&["grant", "things", "--all"])["state"], "active");
    things.wait_for_version("1.0.0", 3);

    assert_eq!(
        things.install(&things.write("2.0.0"), &[])["candidate"]["version"],
        "2.0.0"
    );
    let preview = things.passes(&["preview", "things", "--files", "2"]);
    assert_eq!(preview["files"].as_array().unwrap().len(), 2);
    assert_eq!(
        preview["files"][0]["changes"],
        json!([{"field": "title", "before": "of 1.0.0", "after": "of 2.0.0"}])
    );
    assert_eq!(things.passes(&["discard", "things"]).get("candidate"), None);
    things.install(&things.write("2.0.0"), &["--grant-all"]);
    things.wait_for_version("2.0.0", 3);
    assert_eq!(things.passes(&["rollback", "things"])["version"], "1.0.0");
    things.wait_for_version("1.0.0", 3);

    assert_eq!(
        things.passes(&["set", "things", "title=mine"])["settings"]["title"],
        "mine"
    );
    wait_for("the setting", || {
        things.titles().0 == BTreeSet::from(["mine".to_owned()])
    });
    assert_eq!(
        things.passes(&["set", "things", "title="])["settings"]["title"],
        "of 1.0.0"
    );
    assert_eq!(things.passes(&["disable", "things"])["state"], "disabled");
    assert_eq!(things.passes(&["enable", "things"])["state"], "active");
    let (code, refused) = things.plugin(&["purge", "things", "--yes"]);
    assert_eq!((code, &refused["error"]["code"]), (Some(4), &json!("refused")));
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("remove or disable it first"), "{message}");
    assert_eq!(things.passes(&["revoke", "things", "log"])["state"], "waiting");
    let listed = things.passes(&["list"]);
    let ids: Vec<_> = listed["plugins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|plugin| &plugin["pluginId"])
        .collect();
    assert!(
        ids.contains(&&json!("things")) && ids.contains(&&json!("music")),
        "{ids:?}"
    );
    assert_eq!(things.passes(&["remove", "things"]), json!({"removed": "things"}));
    assert_eq!(things.titles().1, 3, "the items stay");
    let (code, asked) = things.plugin(&["purge", "things"]);
    assert_eq!((code, &asked["error"]["code"]), (Some(1), &json!("argument")));
    let question = asked["error"]["message"].as_str().unwrap();
    assert!(
        question.contains("now it is no_plugin") && question.contains("nobody can be asked here"),
        "{question}"
    );
    assert_eq!(things.titles().1, 3, "nothing is deleted without a yes");
    let purged = things.passes(&["purge", "things", "--yes"]);
    assert_eq!(
        (&purged["status"], &purged["result"]["items"]),
        (&json!("completed"), &json!(3))
    );
    assert_eq!(things.titles().1, 0);
    things.install(&things.write("1.0.0"), &["--grant-all"]);
    things.wait_for_version("1.0.0", 3);

    let stranger = things
        .command(&["list"])
        .env("SVC_TOKEN", "svc_pat_wrong")
        .output()
        .unwrap();
    let error: Value = serde_json::from_slice(&stranger.stdout).unwrap();
    assert_eq!(
        (stranger.status.code(), &error["error"]["code"]),
        (Some(4), &json!("refused"))
    );
    assert!(
        error["error"]["next"].as_str().unwrap().contains("SVC_TOKEN"),
        "{error}"
    );
    let server = "http://127.0.0.1:1";
    let nobody = Command::new(program())
        .args(["plugin", "--json", "list", "--server", server])
        .output();
    let nobody = nobody.unwrap();
    let error: Value = serde_json::from_slice(&nobody.stdout).unwrap();
    assert_eq!(
        (nobody.status.code(), &error["error"]["code"]),
        (Some(1), &json!("unreachable"))
    );
}

/// The codes of the reasons for which a version waits.
fn wait_codes(plugin: &Value) -> Vec<&str> {
    let reasons = plugin["candidate"]["waitReasons"].as_array().unwrap().iter();
    reasons.map(|reason| reason["code"].as_str().unwrap()).collect()
}

#[test]
fn version_that_waits_says_why_and_what_its_kind_would_lose() {
    let things = Things::start(3);
    let first = things.install(&things.write("1.0.0"), &["--grant-all"]);
    assert_eq!(first["state"], "active");
    things.wait_for_version("1.0.0", 3);
    let same = things.install(&things.write("1.1.0"), &[]);
    assert_eq!(wait_codes(&same), ["not_signed"]);
    assert_eq!(same["candidate"]["changes"]["items"], json!([]));

    let renamed = guests::kind_manifest("things", "others").replace("1.0.0", "2.0.0");
    let renamed = guests::with_manifest(guests::component(&guests::body("good")), &renamed);
    let file = things.dir.path().join("renamed.wasm");
    fs::write(&file, renamed).unwrap();
    let waiting = things.install(&file, &[]);
    assert_eq!(wait_codes(&waiting), ["not_signed", "losses"]);
    let changes = &waiting["candidate"]["changes"];
    assert_eq!(
        (
            &changes["kindsLost"],
            &changes["kindsGained"],
            &changes["permissionsLost"]
        ),
        (&json!(["things"]), &json!(["others"]), &json!(["settings"]))
    );
    assert_eq!(
        changes["items"],
        json!([{"kind": "things", "unavailable": 3, "losingValues": 0}])
    );
    assert_eq!(things.passes(&["preview", "things"])["changes"], *changes);

    let rival = guests::kind_plugin(&guests::body("good"), "aaa", "things");
    fs::write(&file, rival).unwrap();
    let (code, refused) = things.plugin(&["install", file.to_str().unwrap()]);
    assert_eq!((code, &refused["error"]["code"]), (Some(4), &json!("refused")));
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("which belongs to `things` 1.0.0 (uploaded, sha256 "),
        "{message}"
    );
    assert_eq!(
        things.server.get("/api/v1/plugins/things").json()["state"],
        "active"
    );
}

#[test]
fn token_of_the_documentation_may_install_a_plugin() {
    let page = fs::read_to_string(workspace().join("docs/plugins/installing.md")).unwrap();
    let (_, rest) = page.split_once("```sh\n").unwrap();
    let (script, _) = rest.split_once("```").unwrap();
    assert!(script.contains("personal-access-tokens"), "{script}");
    let things = Things::start(0);
    let bin = things.dir.path().join("bin");
    fs::create_dir(&bin).unwrap();
    symlink(program(), bin.join("svc")).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .args(["-euxo", "pipefail", "-c", script])
        .env_clear()
        .env("PATH", path)
        .env("BASE", format!("http://{}", things.server.address()))
        .env("SVC_USER", "owner")
        .env("SVC_PASSWORD", PASSWORD)
        .current_dir(things.dir.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let token = fs::read_to_string(things.dir.path().join("svc-token")).unwrap();
    let file = things.write("1.0.0");
    let installed = things
        .command(&["install", file.to_str().unwrap(), "--grant-all"])
        .env("SVC_TOKEN", token)
        .output()
        .unwrap();
    let installed: Value = serde_json::from_slice(&installed.stdout).unwrap();
    assert_eq!(installed["state"], "active", "{installed}");
}

#[test]
fn list_and_doctor_ask_the_server_of_the_environment() {
    let things = Things::start(0);
    things.install(&things.write("1.0.0"), &[]);
    let ask = |verb: &str| {
        let output = Command::new(program())
            .args(["plugin", "--json", verb])
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("XDG_CACHE_HOME", workspace().join("target/test-plugin-cache/kit"))
            .env("SVC_SERVER", format!("http://{}", things.server.address()))
            .env("SVC_TOKEN", things.server.token())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let listed = ask("list");
    let plugins = listed["plugins"].as_array().unwrap();
    let origins: BTreeSet<&str> = plugins
        .iter()
        .map(|plugin| plugin["origin"].as_str().unwrap())
        .collect();
    assert_eq!(origins, BTreeSet::from(["built-in", "uploaded"]), "{listed}");
    let examined = ask("doctor").to_string();
    assert!(
        examined.contains("things (uploaded) is waiting on the server"),
        "{examined}"
    );
}

#[test]
fn upload_survives_a_restart_of_the_server() {
    let Things { dir, server } = {
        let things = Things::start(2);
        things.install(&things.write("1.0.0"), &["--grant-all"]);
        things.wait_for_version("1.0.0", 2);
        things.install(&things.write("2.0.0"), &[]);
        things
    };
    server.stop();
    let root = format!("things={}", dir.path().join("things").display());
    let server = Server::start_as_owner(&dir.path().join("data"), &["--root", &root]);
    let things = Things { dir, server };
    let plugin = things.server.get("/api/v1/plugins/things").json();
    assert_eq!(
        (&plugin["state"], &plugin["origin"]),
        (&json!("active"), &json!("uploaded"))
    );
    assert_eq!(plugin["candidate"]["version"], "2.0.0", "it still waits");
    things.server.index("quick");
    let plugin = things.server.get("/api/v1/plugins/things").json();
    assert_eq!(plugin["stats"]["calls"], 0, "nothing is read again");
}

#[test]
fn quarantined_plugin_is_listed_released_and_reads_again() {
    let things = Things::start(0);
    let put = |name: &str, content: &str| fs::write(things.dir.path().join("things").join(name), content);
    for number in 0..5 {
        put(&format!("{number}.shared"), "trap").unwrap();
    }
    let file = things.dir.path().join("things.wasm");
    let plugin = guests::kind_plugin(&guests::body("by_first_byte"), "things", "things");
    fs::write(&file, plugin).unwrap();
    things.install(&file, &["--grant-all"]);
    let listed = || {
        let plugins = things.passes(&["list"]);
        let mut plugins = plugins["plugins"].as_array().unwrap().iter();
        plugins
            .find(|plugin| plugin["pluginId"] == "things")
            .unwrap()
            .clone()
    };
    wait_for("the quarantine", || listed()["state"] == "quarantined");
    let reason = listed()["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("5 failures in a row"), "{reason}");

    put("good.shared", "good").unwrap();
    things.server.index("quick");
    assert_eq!(things.titles().1, 0, "a quarantined plugin reads nothing");

    assert_eq!(things.passes(&["release", "things"])["state"], "active");
    assert_eq!(listed()["state"], "active");
    for number in 0..5 {
        put(&format!("{number}.shared"), "good as well").unwrap();
    }
    things.server.index("quick");
    assert_eq!(things.titles(), (BTreeSet::from(["ok".to_owned()]), 6));
    let (code, unknown) = things.plugin(&["release", "nothing"]);
    assert_eq!((code, &unknown["error"]["code"]), (Some(4), &json!("refused")));
}
