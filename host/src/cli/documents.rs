//! Compares what documents and messages for authors of plugins say with the command line and the API.

use std::collections::BTreeSet;
use std::path::Path;

use clap::{Command, CommandFactory as _};
use svc_identity::capability::Capability;
use svc_plugin_kit::KitError;
use svc_plugin_kit::refusal::Refusal;

use super::Cli;

/// Options of compilers and of curl that the documents name.
const OF_OTHERS: [&str; 9] = [
    "--data",
    "--disable",
    "--fail",
    "--fail-with-body",
    "--header",
    "--release",
    "--silent",
    "--stub-wasi",
    "--target",
];
const DOCUMENTS: [&str; 6] = [
    "plugins.md",
    "plugins/cli.md",
    "plugins/installing.md",
    "plugins/judging.md",
    "plugins/publishing.md",
    "plugins/tutorial.md",
];

fn document(name: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    std::fs::read_to_string(docs.join(name)).unwrap()
}

/// The long options of a command and of those below it.
fn options(command: &Command) -> BTreeSet<String> {
    let own = command.get_arguments().filter_map(|argument| argument.get_long());
    let mut options: BTreeSet<String> = own.map(|name| format!("--{name}")).collect();
    options.extend(command.get_subcommands().flat_map(options_of));
    options
}

fn options_of(command: &Command) -> Vec<String> {
    options(command).into_iter().collect()
}

fn verbs() -> (Command, BTreeSet<String>) {
    let cli = Cli::command();
    let plugin = cli.find_subcommand("plugin").unwrap().clone();
    let verbs = plugin
        .get_subcommands()
        .map(|verb| verb.get_name().to_owned())
        .collect();
    (plugin, verbs)
}

#[test]
fn options_and_verbs_of_the_documents_exist() {
    let (known, verbs) = (options(&Cli::command()), verbs().1);
    for name in DOCUMENTS {
        let text = document(name);
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
        for word in text.split(|c: char| !is_part(c)) {
            let is_option = word
                .strip_prefix("--")
                .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
            assert!(
                !is_option || known.contains(word) || OF_OTHERS.contains(&word),
                "{name}: {word}"
            );
        }
        for rest in text.split("svc plugin ").skip(1) {
            let verb: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
            assert!(verbs.contains(&verb), "{name}: svc plugin {verb}");
        }
    }
}

#[test]
fn verbs_and_their_options_are_documented() {
    let (plugin, verbs) = verbs();
    let pages = ["plugins/cli.md", "plugins/installing.md"].map(document).concat();
    for verb in verbs {
        assert!(pages.contains(&format!("`{verb}")), "svc plugin {verb}");
    }
    for option in options(&plugin) {
        assert!(pages.contains(&option), "{option}");
    }
}

#[test]
fn capability_that_a_token_lacks_is_named_as_in_the_api() {
    for (method, path, capability) in [
        ("GET", "/plugins", Capability::PluginsRead),
        ("POST", "/plugins", Capability::PluginsOperate),
        ("POST", "/jobs", Capability::JobsCreate),
        ("POST", "/jobs", Capability::IndexingDeindex),
        ("GET", "/jobs/7", Capability::JobsRead),
    ] {
        let refused = KitError::Refused(Refusal::of(method, path, 403, b"{}"));
        let name = format!("`{}`", capability.as_str());
        assert!(refused.next().contains(&name), "{}", refused.next());
    }
}
