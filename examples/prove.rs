//! Proves an opening's value and writes the proof, with tables of 6 pits that are there already.
//!
//! ```sh
//! cargo run --release --example prove -- data/tables standard 4 at-least 1 win.proof
//! ```

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use kalah::rules::Board;
use kalah::search::proof::{Proof, Relation, Statement};
use kalah::search::{Options, Searcher};
use kalah::tables::Tablebase;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [tables, rules, seeds, relation, value, file] = &arguments[..] else {
        return Err("give TABLES RULES SEEDS at-least|at-most|exactly VALUE FILE".into());
    };
    let relation = match relation.as_str() {
        "at-least" => Relation::AtLeast,
        "at-most" => Relation::AtMost,
        "exactly" => Relation::Exactly,
        other => return Err(format!("no relation is called {other}").into()),
    };
    let opening = Board::<6>::opening(seeds.parse()?)?;
    let statement = Statement::new(rules.parse()?, &opening, relation, value.parse()?);
    let tables = Tablebase::<6>::open(tables, statement.rules())?;
    let options = Options { hash: 1 << 30, threads: 2 };
    let searcher = Searcher::new(statement.rules(), Some(&tables), options)?;

    let begun = Instant::now();
    let proof = Proof::find(&searcher, &statement, &())?;
    let bytes = proof.write(Path::new(file))?;
    let (claims, nodes, seconds) = (proof.claims(), searcher.nodes(), begun.elapsed());
    println!("{statement}: {claims} claims, {bytes} bytes; {nodes} nodes, {seconds:.1?}");
    Ok(())
}
