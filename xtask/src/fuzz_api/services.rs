//! Servers with a cloud and with a provider of OpenID Connect: only the operations whose answers depend on it are fuzzed,
//! and none may answer 503.

use std::ffi::OsString;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use super::fuzzer::{Fuzzer, KnownValues, Target};
use super::{Server, new_account};
use crate::server_client::{Client, Credentials};
use crate::server_process::ServerProcess;
use crate::{process, workspace};

/// What a cloud decides.
const OF_CLOUD: [&str; 8] = [
    "POST /api/v1/auth/(login|refresh)",
    "GET /api/v1/auth/methods",
    "[A-Z]+ /api/v1/auth/device.*",
    "[A-Z]+ /api/v1/invitations.*",
    "GET /api/v1/users/current",
    "[A-Z]+ /api/v1/users/current/cloud-link",
    "GET /api/v1/licensing/.*",
    "GET /api/v1/(updates|release-channels)",
];

/// What a provider decides, and no caller of it has an account.
const OF_PROVIDER: [&str; 3] = [
    "[A-Z]+ /api/v1/auth/oidc/.*",
    "GET /api/v1/auth/methods",
    "[A-Z]+ /api/v1/invitations/claim.*",
];

/// Fuzzes a server with the reference cloud, which has a release and knows the owner and a member.
pub(super) fn with_cloud(fuzzer: &Fuzzer, binary: &Path, program: &Path) -> Result<Vec<String>> {
    let directory = tempfile::Builder::new()
        .prefix("cloud-")
        .tempdir_in(&fuzzer.directory)?;
    let cloud = || {
        let mut command = Command::new(program);
        command
            .current_dir(directory.path())
            .args(["--database", "cloud.db"]);
        command
    };
    let (owner, member) = (new_account("owner")?, new_account("member")?);
    for account in [&owner, &member] {
        let email = format!("{}@example.org", account.username);
        let mut add = cloud();
        add.args(["account", "add", &account.username, "--email", &email]);
        run_with_input(&mut add, &account.password)?;
    }
    for arguments in [
        &["release-key", "create", "--key", "key"][..],
        &["channel", "set", "stable", "--description", "For living rooms"],
        &["release", "publish", "stable", "99.0.0", "--key", "key"],
    ] {
        process::output(cloud().args(arguments))?;
    }
    let log = std::fs::File::create(fuzzer.directory.join("cloud.log"))?;
    let mut serve = cloud();
    serve.args(["serve", "--listen", "127.0.0.1:0"]).stderr(log);
    let cloud = ServerProcess::start(&mut serve)?;

    let options: [OsString; 2] = ["--cloud-url".into(), cloud.base().into()];
    let server = Server::start(fuzzer, binary, "cloud", &options)?;
    let client = server.client();
    let (cloud_token, known) = prepare(&client, &Client::new(cloud.base()), &owner, &member)?;
    let target = Target {
        title: "with a cloud",
        base: server.process.base(),
        operations: &OF_CLOUD,
        known,
        cloud_token: Some(cloud_token),
        expects_503: false,
    };
    fuzzer.rounds(&client, &[("nobody", None), ("owner", Some(owner))], &target)
}

/// Links owner and member, both of whom have the same credentials at the cloud, and creates an invitation, which registers
/// the server. Returns the owner's token of the cloud.
fn prepare(
    client: &Client,
    cloud: &Client,
    owner: &Credentials,
    member: &Credentials,
) -> Result<(String, KnownValues)> {
    let (of_owner, of_member) = (cloud.cloud_token(owner)?, cloud.cloud_token(member)?);
    client.set_up(owner)?;
    let session = client.log_in(owner.clone())?;
    if !session.create_member(member)? {
        bail!("the server has no POST /api/v1/users");
    }
    session.link(&of_owner)?;
    client.log_in(member.clone())?.link(&of_member)?;
    let invitation = session.invite(&of_owner, "music_user")?;
    let mut known = KnownValues::default();
    known.add("path.id", &[invitation]);
    known.add("body.role", &["music_user".to_owned(), "member".to_owned()]);
    // Not the owner's: an account has so many sessions, and sign-ins of the fuzzer would end that of its own round.
    known.add("body.cloudToken", &[of_member]);
    Ok((of_owner, known))
}

/// Fuzzes a server with the provider of the tests; `None` if that is not installed.
pub(super) fn with_provider(fuzzer: &Fuzzer, binary: &Path) -> Result<Option<Vec<String>>> {
    let modules = workspace::root().join("target/plugin-tools/oidc/node_modules");
    if !modules.join("oidc-provider").is_dir() {
        return Ok(None);
    }
    let directory = tempfile::Builder::new()
        .prefix("provider-")
        .tempdir_in(&fuzzer.directory)?;
    let at = |name: &str| directory.path().join(name);
    symlink(modules, at("node_modules"))?;
    let program = workspace::root().join("tests/oidc-provider/provider.mjs");
    std::fs::copy(program, at("provider.mjs"))?;
    std::fs::write(at("package.json"), "{\"type\": \"module\"}")?;
    // What the provider knows its only client by.
    std::fs::write(at("secret"), "a secret with : and %\n")?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    // No browser goes there and comes back: the fuzzer sees the redirects only.
    let nowhere = "http://127.0.0.1:1/";
    let arguments = serde_json::json!({
        "port": port,
        "issuer": format!("http://127.0.0.1:{port}"),
        "redirectUri": nowhere,
        "logoutUri": nowhere,
        "idTokenAlg": "RS256",
        "keys": "keys.json",
        "generation": "a",
    });
    let log = std::fs::File::create(fuzzer.directory.join("provider.log"))?;
    let mut node = Command::new("node");
    node.arg("provider.mjs")
        .arg(arguments.to_string())
        .current_dir(directory.path())
        .stderr(log);
    let provider = ServerProcess::start(&mut node)?;

    let options: [OsString; 6] = [
        "--oidc-issuer".into(),
        provider.base().into(),
        "--oidc-client-id".into(),
        "svc".into(),
        "--oidc-client-secret-file".into(),
        at("secret").into_os_string(),
    ];
    let server = Server::start(fuzzer, binary, "provider", &options)?;
    let client = server.client();
    client.set_up(&new_account("owner")?)?;
    let target = Target {
        title: "with a provider",
        base: server.process.base(),
        operations: &OF_PROVIDER,
        known: KnownValues::default(),
        cloud_token: None,
        expects_503: false,
    };
    fuzzer.rounds(&client, &[("nobody", None)], &target).map(Some)
}

fn run_with_input(command: &mut Command, input: &str) -> Result<()> {
    let named = process::named(command);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {named}"))?;
    // Dropped at once, because the program reads to the end.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{named} failed ({status})");
    }
    Ok(())
}
