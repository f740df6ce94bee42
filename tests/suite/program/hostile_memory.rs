//! The memory of the real process while a hostile plugin reads a file: what it was before, and what the plugin may have.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use svc_test_support::guests;
use svc_tests::program::{Server, memory_of, program};

const MIB: u64 = 1 << 20;
/// `memory-mib` of the manifest. One file is read, and so by one instance.
const LIMIT: u64 = 64 * MIB;
/// What the server itself may need meanwhile: the upload, its machine code, a run.
const OWN: u64 = 32 * MIB;

struct Things {
    dir: tempfile::TempDir,
    server: Server,
}

impl Things {
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let things = dir.path().join("things");
        fs::create_dir(&things).unwrap();
        fs::write(things.join("a.shared"), "good").unwrap();
        let root = format!("things={}", things.display());
        let server = Server::start_as_owner(&dir.path().join("data"), &["--root", &root]);
        Self { dir, server }
    }

    /// Puts a version into use and reads the file with it.
    fn read_with(&self, version: &str, guest: &str) {
        let manifest = guests::kind_manifest("things", "things").replace("1.0.0", version);
        let plugin = guests::with_manifest(guests::component(&guests::body(guest)), &manifest);
        let file = self.dir.path().join("things.wasm");
        fs::write(&file, plugin).unwrap();
        let installed = Command::new(program())
            .args(["plugin", "--json", "install"])
            .arg(&file)
            .args([
                "--grant-all",
                "--server",
                &format!("http://{}", self.server.address()),
            ])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("SVC_TOKEN", self.server.token())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(installed.status.success(), "{guest}: {installed:?}");
        self.server.index("quick");
    }

    fn plugin(&self) -> Value {
        self.server.get("/api/v1/plugins/things").json()
    }

    /// The largest memory of the process since the last call of `forget_peak`, in bytes.
    fn peak(&self) -> u64 {
        memory_of(self.server.pid(), "VmHWM").unwrap()
    }

    fn forget_peak(&self) {
        fs::write(format!("/proc/{}/clear_refs", self.server.pid()), "5").unwrap();
    }
}

#[test]
fn hostile_plugin_costs_the_process_no_more_than_its_limit() {
    let things = Things::start();
    things.read_with("1.0.0", "good");
    let items = things.server.get("/api/v1/items?kind=things").json();
    assert_eq!(items[1], 1);
    for (guest, code) in [
        ("memory_fill", "out_of_memory"),
        ("memory_hog", "out_of_memory"),
        ("table_hog", "out_of_memory"),
        ("endless_fill", "timeout"),
        ("deep_recursion", "trap"),
        ("huge_string", "bad_output"),
        ("long_string", "budget"),
        ("shared_text", "budget"),
        ("million_fields", "budget"),
    ] {
        things.forget_peak();
        let before = things.peak();
        things.read_with("2.0.0", guest);
        let peak = things.peak();
        let plugin = things.plugin();
        assert_eq!(plugin["stats"]["failures"], json!({code: 1}), "{guest}: {plugin}");
        assert!(
            peak <= before + LIMIT + OWN,
            "{guest}: {before} bytes before, {peak} at most"
        );
        if guest == "memory_fill" {
            assert!(
                peak >= before + LIMIT - 16 * MIB,
                "the memory is seen: {before}, {peak}"
            );
        }
        let rolled_back = things.server.post("/api/v1/plugins/things/rollback", &json!({}));
        assert_eq!(rolled_back.status, 201, "{rolled_back:?}");
        things.server.index("quick");
        let after = things.server.get("/api/v1/items?kind=things").json();
        assert_eq!(after, items, "{guest}");
    }
}
