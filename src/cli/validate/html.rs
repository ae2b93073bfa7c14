//! The report as a page that any browser shows, by itself.

use kalah::judge::{Conduct, Counts, Failure as Wrong, Tally, Times};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::findings::{Examined, Findings, Played};
use super::{charts, text};
use crate::cli::failure::Failure;
use crate::cli::output::{count, seconds};

const STYLE: &str = "
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 60rem; margin: 2rem auto; \
padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.25rem; margin-top: 2.5rem }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { padding: .15rem .8rem .15rem 0; text-align: right; vertical-align: top; \
border-top: 1px solid #ddd }
th:first-child, td.text { text-align: left }
code { font-size: .9em }
.passed { color: #1d6b2f } .failed { color: #a32a1d }
figure { margin: 1.5rem 0 } figcaption { font-weight: 600 }
svg { max-width: 100%; height: auto }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .4em 0 1em }
";

/// Failures that the page has; all of them can be had in a file.
const SHOWN: usize = 100;

/// The page. Whatever an engine says of itself is text in it, and nothing else.
pub fn page<const P: usize>(findings: &Findings<P>) -> Result<String, Failure> {
    let heading = text::heading(findings);
    let exam = findings.exam.as_ref().map(exam).transpose()?;
    let games = findings.games.as_ref().map(games).transpose()?;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "kalah validate: " (findings.who.name) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (heading) }
                @if !findings.finished() {
                    p.failed { "Interrupted: this is what was found until then." }
                }
                @if let Some(exam) = exam { (exam) }
                @if let Some(games) = games { (games) }
                @if let Some(faults) = findings.who.faults {
                    h2 { "Protocol" }
                    table {
                        tr { th { "questions without any pit named" } td { (faults.silent) } }
                        tr { th { "illegal pits named" } td { (faults.illegal) } }
                        tr { th { "lines that made no sense" } td { (faults.bad_lines) } }
                        tr { th { "ids used twice" } td { (faults.repeated_ids) } }
                        tr { th { "answers without a question" } td { (faults.unasked) } }
                    }
                }
                p {
                    "Made by kalah " (env!("CARGO_PKG_VERSION")) " in "
                    (seconds(findings.took)) ". "
                    "The value of a position is the mover's final store minus the opponent's under "
                    "perfect play; a move gives away as many points as its value is less than that."
                }
            }
        }
    };
    Ok(page.into_string())
}

fn exam<const P: usize>(exam: &Examined<P>) -> Result<Markup, Failure> {
    let report = &exam.report;
    let counts = report.tally.total();
    let charts = common_charts(&report.tally, &report.times)?;
    Ok(html! {
        h2 { "Endgame exam: " (exam.asked()) }
        (verdict(report.passed(), &text::exam_verdict(exam)))
        table {
            tr { th { "positions asked" } td { (count(report.asked)) " of " (count(report.positions)) } }
            tr { th { "answers that keep the outcome" } td { (text::share(counts.keep_outcome, report.asked)) } }
            tr { th { "answers that keep every point" } td { (text::share(counts.keep_points, report.asked)) } }
            tr { th { "could lose the outcome" } td { (text::share(report.could_lose_outcome, report.weighed)) } }
            tr { th { "could lose points" } td { (text::share(report.could_lose_points, report.weighed)) } }
            (common_rows(&counts, &report.conduct, &report.times, report.gave_up.as_deref()))
        }
        (charts)
        (by_stones(&report.tally))
        (failures(&report.failures))
    })
}

fn games<const P: usize>(games: &Played<P>) -> Result<Markup, Failure> {
    let report = &games.report;
    let counts = report.tally.total();
    let (whose, score) = match games.against {
        Some(_) => ("score", &report.score),
        None => ("whoever began", &report.beginner),
    };
    let results = charts::results(score)?;
    let charts = common_charts(&report.tally, &report.times)?;
    Ok(html! {
        h2 { "Game exam: " (text::games_title(games)) }
        (verdict(games.passed(), &text::games_verdict(games)))
        table {
            tr { th { "games played" } td { (count(report.played())) " of " (count(report.games)) } }
            tr { th { (whose) } td { (text::score(score)) } }
            tr { th { "stones ahead in all" } td { (report.stones) } }
            tr { th { "games given up" } td { (count(report.forfeits)) } }
            tr { th { "moves judged" } td { (count(counts.moves)) } }
            tr { th { "not settled, beyond the tables" } td { (text::share(counts.open, counts.moves)) } }
            tr { th { "moves that keep the outcome" } td { (text::kept(counts.keep_outcome, counts.lose_outcome)) } }
            tr { th { "moves that keep every point" } td { (text::kept(counts.keep_points, counts.lose_points)) } }
            (common_rows(&counts, &report.conduct, &report.times, report.gave_up.as_deref()))
        }
        (figure("Games", &results))
        (charts)
        (by_stones(&report.tally))
        (failures(&report.failures))
    })
}

fn verdict(passed: bool, text: &str) -> Markup {
    html! { p class=(if passed { "passed" } else { "failed" }) { strong { (text) } } }
}

fn common_rows(counts: &Counts, conduct: &Conduct, times: &Times, gave_up: Option<&str>) -> Markup {
    html! {
        tr { th { "points given away" } td { (text::points(counts)) } }
        tr { th { "win to draw" } td { (count(counts.win_to_draw)) } }
        tr { th { "draw to loss" } td { (count(counts.draw_to_loss)) } }
        tr { th { "win to loss" } td { (count(counts.win_to_loss)) } }
        @if conduct.total() > 0 {
            tr { th { "no legal answer" } td { (text::faults(conduct)) } }
        }
        @if let Some(reason) = gave_up {
            tr { th { "asked no more" } td { (reason) } }
        }
        @if let Some(times) = text::times_in_words(times) {
            tr { th { "time a move" } td { (times) } }
        }
    }
}

fn common_charts(tally: &Tally, times: &Times) -> Result<Markup, Failure> {
    if tally.total().moves == 0 {
        return Ok(html! {});
    }
    let [points, kept, times] =
        [charts::points(tally)?, charts::kept(tally)?, charts::times(times)?];
    Ok(html! {
        (figure("Points lost a move, by stones in the pits", &points))
        (figure("What the moves keep, by stones in the pits", &kept))
        p {
            @for (name, colour) in charts::legend() {
                span.key style={ "background:" (colour) } {} (name)
            }
        }
        (figure("Time for a move", &times))
    })
}

fn figure(caption: &str, svg: &str) -> Markup {
    html! { figure { figcaption { (caption) } (PreEscaped(svg)) } }
}

fn by_stones(tally: &Tally) -> Markup {
    html! {
        details {
            summary { "By stones in the pits" }
            table {
                tr {
                    th { "stones" } th { "moves" } th { "keep outcome" } th { "keep points" }
                    th { "points lost" } th { "win to draw" } th { "draw to loss" }
                    th { "win to loss" } th { "not settled" }
                }
                @for (stones, counts) in tally.by_stones() {
                    tr {
                        th { (stones) }
                        td { (count(counts.moves)) }
                        td { (count(counts.keep_outcome)) }
                        td { (count(counts.keep_points)) }
                        td { (count(counts.points)) }
                        td { (count(counts.win_to_draw)) }
                        td { (count(counts.draw_to_loss)) }
                        td { (count(counts.win_to_loss)) }
                        td { (count(counts.open)) }
                    }
                }
            }
        }
    }
}

fn failures<const P: usize>(failures: &[Wrong<P>]) -> Markup {
    html! {
        @if !failures.is_empty() {
            h3 {
                @if failures.len() > SHOWN {
                    "The first " (SHOWN) " of " (count(failures.len() as u64)) " wrong answers"
                } @else { "What was wrong" }
            }
            table {
                @for failure in failures.iter().take(SHOWN) {
                    tr {
                        td.text { code { (failure.board) } }
                        td.text { (text::failure_in_words(failure)) }
                    }
                }
            }
        }
    }
}
