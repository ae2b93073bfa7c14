//! Arrays read by Python with numpy, where that is installed.
//!
//! The variable `KALAH_NUMPY_PYTHON` names a Python that has it, and then must.

use std::fmt::Write as _;
use std::process::{Command, Output};
use std::{env, fs};

use super::*;

/// A Python with numpy; `None` where there is none and nobody promised one.
fn python() -> Option<Command> {
    let promised = env::var_os("KALAH_NUMPY_PYTHON");
    let name = promised.clone().unwrap_or_else(|| "python3".into());
    let found = Command::new(&name).args(["-c", "import numpy"]).output();
    if found.is_ok_and(|output| output.status.success()) {
        let mut python = Command::new(name);
        // Nothing is left behind in the folder of the arrays.
        python.arg("-B");
        return Some(python);
    }
    assert!(promised.is_none(), "KALAH_NUMPY_PYTHON has no numpy");
    println!("skipped: python3 has no numpy; name one that has with KALAH_NUMPY_PYTHON");
    None
}

fn printed(output: Output) -> String {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{out}{err}");
    out
}

/// A folder with the arrays.
fn arrays<const P: usize>(truth: &Truth<P>, rules: &str, stones: usize) -> TempDir {
    let folder = TempDir::new().unwrap();
    let (stones, pits) = (stones.to_string(), P.to_string());
    let arguments = ["--format", "npy", "--rules", rules, "--pits", &pits, "--stones", &stones];
    let out = ["--out", folder.path().to_str().unwrap()];
    exported(truth.folder.path(), &[&arguments[..], &out].concat());
    folder
}

fn every_position_is_looked_up<const P: usize>(truth: &Truth<P>, rules: &str, stones: usize) {
    let Some(mut python) = python() else { return };
    let folder = arrays(truth, rules, stones);
    // All positions as text, not by their index: their stones, the index, the margin.
    let mut text = String::new();
    for stones in 0..=stones {
        let layer = kalah::ranking::Layer::<P>::new(stones).unwrap();
        for index in 0..layer.positions() {
            let (mover, opponent) = layer.position(index);
            let margin = truth.values.margin(&mover, &opponent);
            mover.iter().chain(&opponent).for_each(|pit| write!(text, "{pit} ").unwrap());
            writeln!(text, "{index} {margin}").unwrap();
        }
    }
    fs::write(folder.path().join("all.txt"), text).unwrap();
    let script = r#"
import sys
import numpy as np
from kalah_npy import Tables, rank, unrank

rules, pits = sys.argv[1], int(sys.argv[2])
tables = Tables(rules=rules, pits=pits)
every = np.loadtxt("all.txt", dtype=np.int64)
positions, index, margins = every[:, : 2 * pits], every[:, -2], every[:, -1]
stones = positions.sum(axis=1)
assert tables.stones == stones.max()
assert (tables.margins(positions) == margins).all()
assert (tables.margins(positions[::-1].astype(np.uint8).reshape(1, -1, 2 * pits)) == margins[::-1]).all()
assert (tables.index(positions) == index).all()
for n in range(tables.stones + 1):
    here = stones == n
    assert len(tables.layers[n]) == here.sum()
    assert (tables.positions(n, index[here]) == positions[here]).all()
    is_open = positions[here][:, :pits].any(axis=1) & positions[here][:, pits:].any(axis=1)
    assert (np.flatnonzero(is_open) == list(tables.open(n))).all()
    batches = list(tables.batches(n, 100))
    assert sum(len(p) for p, _ in batches) == is_open.sum()
    if batches:
        assert all(1 <= len(p) == len(m) <= 100 for p, m in batches)
        assert (np.concatenate([p for p, _ in batches]) == positions[here][is_open]).all()
        assert (np.concatenate([m for _, m in batches]) == margins[here][is_open]).all()
        drawn, drawn_margins = tables.sample(n, 50, np.random.default_rng(1))
        assert (tables.margins(drawn) == drawn_margins).all() and (drawn.sum(axis=1) == n).all()
        assert drawn[:, :pits].any(axis=1).all() and drawn[:, pits:].any(axis=1).all()
rows = positions[:, :pits]
assert (unrank(rows.sum(axis=1), rank(rows), pits) == rows).all()
boards = np.insert(positions, [pits, 2 * pits], [9, 4], axis=1)
assert (tables.values(boards) == 5 + margins).all()
assert tables.margins(np.zeros((0, 2 * pits), dtype=int)).shape == (0,)
assert tables.margins([0] * (2 * pits)).shape == ()

def refused(function, *arguments):
    try:
        function(*arguments)
    except (ValueError, IndexError, FileNotFoundError) as error:
        return str(error)
    raise AssertionError(arguments)

assert "end at" in refused(tables.margins, [tables.stones + 1] + [0] * (2 * pits - 1))
assert "fewer than 0" in refused(tables.margins, [-1, 1] + [0] * (2 * pits - 2))
assert "numbers on the last axis" in refused(tables.margins, [0, 0, 0])
assert "numbers on the last axis" in refused(tables.values, [0] * 2 * pits)
assert "has the indices 0 to" in refused(tables.positions, 1, 2 * pits)
assert "kalah export" in refused(Tables, "elsewhere")
assert "1 to 6 pits" in refused(Tables, ".", rules, 7)
np.save(f"{rules}-{pits}pits-01stones.npy", np.zeros(3, dtype=np.int8))
assert "export it again" in refused(Tables, ".", rules, pits)
print("checked", len(positions))
"#;
    let output = python.args(["-c", script, rules, &P.to_string()]).current_dir(folder.path());
    let positions: usize = (0..=stones).map(|stones| truth.values.layer(stones).len()).sum();
    assert_eq!(printed(output.output().unwrap()), format!("checked {positions}\n"));
}

#[test]
fn python_looks_up_every_position() {
    every_position_is_looked_up(&SIX, "standard", 6);
    every_position_is_looked_up(&THREE, "empty-capture", 9);
}

#[test]
fn one_pit_and_the_most_stones_are_looked_up_too() {
    let Some(mut python) = python() else { return };
    let tables = Truth::<1>::new(Rules::Standard, 127);
    let folder = arrays(&tables, "standard", 127);
    let script = "
from kalah_npy import Tables
tables = Tables(pits=1)
print([tables.margins([[a, 127 - a] for a in range(128)]).tolist()])
";
    let output = python.args(["-c", script]).current_dir(folder.path()).output().unwrap();
    assert_eq!(printed(output), format!("[{:?}]\n", tables.values.layer(127)));
}

#[test]
fn the_readme_s_example_prints_what_it_says() {
    let Some(mut python) = python() else { return };
    let readme = include_str!("../../README.md");
    let (_, block) = readme.split_once("```python\n").unwrap();
    let (script, _) = block.split_once("```").unwrap();
    let said = script.lines().filter(|line| line.starts_with("print("));
    let said: String =
        said.map(|line| line.split_once("  # ").unwrap().1.to_owned() + "\n").collect();
    let folder = TempDir::new().unwrap();
    let kalah = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::new(program());
        command.env_remove("KALAH_TABLES").current_dir(folder.path()).args(arguments);
        command.assert().success();
    };
    kalah(&["generate", "--stones", "12"]);
    kalah(&["export", "--format", "npy", "--stones", "12", "--out", "arrays"]);
    let output = python.args(["-c", script]).current_dir(folder.path()).output().unwrap();
    assert_eq!(printed(output), said);
}
