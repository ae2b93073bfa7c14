//! Tables for web pages: written and read in Rust, read in Node.js, and asked in a browser.
//!
//! The tests in JavaScript need Node.js (`node`; made with version 20), that of the page `chromium`
//! and `chromedriver` besides. Where these are not there the tests say so and pass, unless the
//! variable `KALAH_WEB_TESTS` is set, to `all`.

mod export;
mod hostile;
mod page;
mod reader;
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use kalah::rules::Rules;
use kalah::tables::Tablebase;
use tempfile::TempDir;

/// The tables that pages are for, and theirs.
struct Tables {
    twelve: Tablebase<6>,
    bytes: Vec<u8>,
}

/// All positions of up to 12 stones.
fn tables(rules: Rules) -> &'static Tables {
    static TABLES: LazyLock<[Tables; 2]> = LazyLock::new(|| {
        Rules::ALL.map(|rules| {
            let twelve = Tablebase::in_memory(rules, 12).unwrap();
            let bytes = kalah::web::encode(&twelve, 12).unwrap();
            Tables { twelve, bytes }
        })
    });
    &TABLES[rules as usize]
}

/// The folder of an export of this table.
fn exported<const P: usize>(tables: &Tablebase<P>, stones: usize) -> TempDir {
    let folder = TempDir::new().unwrap();
    kalah::web::export(tables, stones, folder.path()).unwrap();
    folder
}

/// Runs a script of this folder, which says what is wrong; `None` when it cannot be run for want of
/// one of the programs it needs.
fn script(name: &str, needs: &[&str], arguments: &[&Path]) -> Option<String> {
    for program in needs {
        let found = Command::new(program).arg("--version").output();
        if found.is_ok_and(|output| output.status.success()) {
            continue;
        }
        let reason = format!("tests/web/{name} needs {program}, which is not there");
        assert!(std::env::var_os("KALAH_WEB_TESTS").is_none(), "{reason}");
        // Past what the harness keeps of a test that passes.
        let _ = writeln!(std::io::stderr(), "skipped: {reason}");
        return None;
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/web").join(name);
    let Output { status, stdout, stderr } =
        Command::new("node").arg(path).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    assert!(status.success(), "{name}: {}{}", text(stdout), text(stderr));
    Some(text(stdout))
}
