//! `kalah validate`: judges a level or an engine.

mod args;
mod charts;
mod findings;
mod html;
mod json;
mod text;
mod who;

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

use kalah::files::{Reserved, replace};
use kalah::judge::{self, Selection, exam, games};
use kalah::ranking::Layer;
use kalah::tables::Tablebase;

use super::args::{keep_apart, opening};
use super::failure::{Failure, Status};
use super::interrupt::Interrupt;
use super::progress::Progress;
use super::{levels, output, with_pits};
pub use args::Args;
use findings::{Examined, Findings, Played, Subject};
use who::Who;

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    with_pits!(args.tables.pits(), validate(args))
}

fn validate<const P: usize>(args: &Args) -> Result<Status, Failure> {
    for seeds in args.seeds.0.clone().filter(|_| args.games().is_some()) {
        opening::<P>(seeds)?;
    }
    args.threads.apply()?;
    if let (Some(failures), Some(html)) = (&args.failures, &args.html) {
        keep_apart(("--failures", failures), ("--html", html))?;
    }
    let reserve = |file: &Option<_>| file.as_deref().map(Reserved::new).transpose();
    let (failures, html) = (reserve(&args.failures)?, reserve(&args.html)?);
    let tables = levels::open::<P>(&args.tables.folder, args.tables.rules(), &args.output)?;
    let interrupt = Interrupt::listen()?;
    let mut who = Who::find(args, &interrupt)?;

    let begun = Instant::now();
    let examined = hold_exam(args, &tables, &mut who, &interrupt)?;
    let stopped = examined.as_ref().is_some_and(|exam| !exam.report.finished);
    let played = match stopped {
        true => None,
        false => play_games(args, &tables, &mut who, &interrupt)?,
    };
    let findings = Findings {
        who: Subject::from(&who),
        rules: args.tables.rules(),
        table_stones: tables.stones().unwrap_or_default(),
        exam: examined,
        games: played,
        took: begun.elapsed(),
    };
    // What took long to find out is told whatever becomes of the files.
    let told = tell(args, &findings);
    let listed = failures.map(|file| write_file(file.target(), &positions(&findings)));
    let drawn = html.map(|file| write_file(file.target(), &html::page(&findings)?));
    listed.transpose()?;
    drawn.transpose()?;
    told
}

fn hold_exam<const P: usize>(
    args: &Args,
    tables: &Tablebase<P>,
    who: &mut Who,
    interrupt: &Interrupt,
) -> Result<Option<Examined<P>>, Failure> {
    let Some(options) = args.exam() else { return Ok(None) };
    let total = match options.selection {
        Selection::Sample(count) => count,
        Selection::Full => {
            let layers = (1..=options.stones).filter_map(Layer::<P>::new);
            layers.fold(0, |sum: u64, layer| sum.saturating_add(layer.open_positions()))
        }
    };
    let progress = Progress::new(&args.progress, &args.output, total);
    progress.stage("endgame exam".to_owned());
    let watcher = Watcher { progress, interrupt: interrupt.clone() };
    let mut players = who.players(&who::options(args, tables), args.threads.count());
    let report = exam(&mut players, tables, &options, &watcher);
    watcher.progress.finish();
    let report = report?;
    if report.positions == 0 && report.finished {
        let pits = output::pits_a_side(P as u8);
        return Err(Failure::wrong_input(format!(
            "with {pits} a side no position of up to {} stones has a choice; ask for more with \
             --stones, or for all that have a move with --full",
            options.stones
        )));
    }
    Ok(Some(Examined { options, report }))
}

fn play_games<const P: usize>(
    args: &Args,
    tables: &Tablebase<P>,
    who: &mut Who,
    interrupt: &Interrupt,
) -> Result<Option<Played<P>>, Failure> {
    let Some(options) = args.games() else { return Ok(None) };
    let progress = Progress::of(&args.progress, &args.output, options.games, "games");
    progress.stage("game exam".to_owned());
    let watcher = Watcher { progress, interrupt: interrupt.clone() };
    let (level_options, threads) = (who::options(args, tables), args.threads.count());
    let mut pairings = who.pairings(args.against, &level_options, threads);
    let report = games(&mut pairings, tables, &options, &watcher);
    watcher.progress.finish();
    let (against, stones, report) = (args.against, args.stones(), report?);
    Ok(Some(Played { options, against, stones, report }))
}

/// Tells a person or a program, and gives the exit status.
fn tell<const P: usize>(args: &Args, findings: &Findings<P>) -> Result<Status, Failure> {
    let printed = match args.output.json {
        true => output::print_json(&json::Report::new(findings)),
        false if args.output.quiet => Ok(()),
        false => output::print(&text::page(findings)),
    };
    match printed {
        // Who reads no more still sees the exit status.
        Ok(()) | Err(Failure::ReaderGone) => {}
        Err(error) => return Err(error),
    }
    match (findings.finished(), findings.passed()) {
        (false, _) => Err(Failure::Because(
            Status::Interrupted,
            "interrupted; what was found so far is told".to_owned(),
        )),
        (true, true) => Ok(Status::Done),
        (true, false) => Ok(Status::Failed),
    }
}

/// Every position at which something was wrong, a line each.
fn positions<const P: usize>(findings: &Findings<P>) -> String {
    let mut lines = String::new();
    for failure in findings.failures() {
        let _ = writeln!(lines, "{}", failure.board);
    }
    lines
}

fn write_file(file: &Path, text: &str) -> Result<(), Failure> {
    replace(file, |file| {
        let mut file = BufWriter::new(file);
        file.write_all(text.as_bytes())?;
        file.flush().map(Some)
    })?;
    Ok(())
}

/// Passes on how far the judge is, and a Ctrl-C to it.
struct Watcher {
    progress: Progress,
    interrupt: Interrupt,
}

impl judge::Progress for Watcher {
    fn advance(&self, count: u64) {
        self.progress.advance(count);
    }

    fn stop(&self) -> bool {
        self.interrupt.requested()
    }
}
