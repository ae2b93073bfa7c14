//! The report for people.

use std::fmt::Write;
use std::time::Duration;

use kalah::judge::{Blunder, Conduct, Counts, Failure, Fault, Score, Tally, Times, Wrong};
use kalah::rules::Pit;
use kalah::search::Bounds;
use kalah::tables::analysis::Outcome;

use super::findings::{Examined, Findings, Played, Subject};
use crate::cli::output::{count, pits_a_side, printable, signed};
use crate::cli::wording::capitalised;

/// Failures that are shown; all of them can be had in a file.
pub const SHOWN: usize = 10;

/// Numbers of stones that are one row of the game exam's table.
const BAND: usize = 6;

/// All of it.
pub fn page<const P: usize>(findings: &Findings<P>) -> String {
    let mut page = format!("{}\n", heading(findings));
    if let Some(slips) = slips(&findings.who) {
        let _ = writeln!(page, "{slips}");
    }
    if let Some(exam) = &findings.exam {
        page += &exam_page(exam);
    }
    if let Some(games) = &findings.games {
        page += &games_page(games);
    }
    page
}

/// Who was judged, and by what.
pub fn heading<const P: usize>(findings: &Findings<P>) -> String {
    let Findings { who, rules, table_stones, .. } = findings;
    let way = who.way.as_ref().filter(|&way| *way != who.name);
    let way = way.map_or_else(String::new, |way| format!(" ({})", printable(way)));
    format!(
        "{} {}{way}, {rules} rules, {} a side, judged by tables of {table_stones} stones",
        capitalised(who.kind),
        printable(&who.name),
        pits_a_side(P as u8),
    )
}

/// What an engine did that the protocol forbids, besides what it did instead of answering.
fn slips(who: &Subject) -> Option<String> {
    let faults = who.faults?;
    let slips = [
        (faults.bad_lines, "line that makes no sense", "lines that make no sense"),
        (faults.repeated_ids, "id used twice", "ids used twice"),
        (faults.unasked, "answer to no question", "answers to no question"),
    ];
    let slips = slips.into_iter().filter(|&(number, ..)| number > 0);
    let slips: Vec<_> = slips
        .map(|(number, one, more)| {
            format!("{} {}", count(number), if number == 1 { one } else { more })
        })
        .collect();
    (!slips.is_empty()).then(|| format!("Against the protocol: {}.", slips.join(", ")))
}

fn exam_page<const P: usize>(exam: &Examined<P>) -> String {
    let report = &exam.report;
    let counts = report.tally.total();
    let mut page = format!("\nEndgame exam: {}\n", exam.asked());
    row(&mut page, "positions", &asked_of(report.asked, report.positions));
    row(&mut page, "keep the outcome", &share(counts.keep_outcome, report.asked));
    row(&mut page, "keep every point", &share(counts.keep_points, report.asked));
    if report.could_lose_points > 0 {
        let could = "could lose the outcome";
        row(&mut page, could, &share(report.could_lose_outcome, report.weighed));
        row(&mut page, "could lose points", &share(report.could_lose_points, report.weighed));
    }
    common_rows(&mut page, &counts, &report.conduct, &report.times, report.gave_up.as_deref());
    if counts.lose_points + counts.open > 0 {
        page +=
            &table(report.tally.by_stones().map(|(stones, counts)| (stones.to_string(), counts)));
    }
    page += &failures(&report.failures);
    let _ = writeln!(page, "\n{}", exam_verdict(exam));
    page
}

fn games_page<const P: usize>(games: &Played<P>) -> String {
    let report = &games.report;
    let counts = report.tally.total();
    let mut page = format!("\nGame exam: {}\n", games_title(games));
    row(&mut page, "games", &asked_of(report.played(), report.games));
    match games.against {
        Some(_) => row(&mut page, "score", &score(&report.score)),
        None => row(&mut page, "whoever began", &score(&report.beginner)),
    }
    if let Some(ahead) = per(report.stones, report.played() - report.forfeits) {
        row(&mut page, "stones ahead a game", &format!("{ahead:+.1}"));
    }
    if report.forfeits > 0 {
        row(&mut page, "games given up", &count(report.forfeits));
    }
    row(&mut page, "moves judged", &count(counts.moves));
    if counts.open > 0 {
        let open = format!("{}, beyond the tables", share(counts.open, counts.moves));
        row(&mut page, "  not settled", &open);
    }
    row(&mut page, "keep the outcome", &kept(counts.keep_outcome, counts.lose_outcome));
    row(&mut page, "keep every point", &kept(counts.keep_points, counts.lose_points));
    common_rows(&mut page, &counts, &report.conduct, &report.times, report.gave_up.as_deref());
    if counts.lose_points + counts.open > 0 {
        page += &table(bands(&report.tally).into_iter());
    }
    page += &failures(&report.failures);
    let _ = writeln!(page, "\n{}", games_verdict(games));
    page
}

/// What was played, in words.
pub fn games_title<const P: usize>(games: &Played<P>) -> String {
    let seeds = &games.options.seeds;
    let seeds = match seeds.start() == seeds.end() {
        true => seeds.start().to_string(),
        false => format!("{} to {}", seeds.start(), seeds.end()),
    };
    let stones = if seeds == "1" { "stone" } else { "stones" };
    format!("against {}, {seeds} {stones} a pit", games.opponent())
}

/// Whether the endgame exam is passed, and why not.
pub fn exam_verdict<const P: usize>(exam: &Examined<P>) -> String {
    let report = &exam.report;
    let counts = report.tally.total();
    if report.passed() {
        let all = count(report.positions);
        return format!("Passed: all {all} answers keep the outcome and every point.");
    }
    let mut reasons = reasons(&counts, &report.conduct);
    if report.asked < report.positions {
        reasons
            .push(format!("{} positions were not asked", count(report.positions - report.asked)));
    }
    format!("Not passed: {}.", reasons.join(", "))
}

/// Whether the game exam is passed, and why not.
pub fn games_verdict<const P: usize>(games: &Played<P>) -> String {
    let (report, stones) = (&games.report, games.stones);
    let counts = Counts { open: 0, ..report.tally.up_to(stones) };
    if games.passed() {
        return format!(
            "Passed: no fault, and no point given away with {stones} stones or fewer in the pits."
        );
    }
    let mut reasons = reasons(&counts, &report.conduct);
    if counts.lose_points > 0 {
        reasons[0] = format!("with {stones} stones or fewer in the pits {}", reasons[0]);
    }
    if report.played() < report.games {
        reasons.push(format!("{} games were not played", count(report.games - report.played())));
    }
    format!("Not passed: {}.", reasons.join(", "))
}

/// What is wrong, the points first.
fn reasons(counts: &Counts, conduct: &Conduct) -> Vec<String> {
    let mut reasons = Vec::new();
    if counts.lose_points > 0 {
        reasons.push(format!(
            "{} {} points away, {} of them the outcome",
            plural(counts.lose_points, "answer"),
            if counts.lose_points == 1 { "gives" } else { "give" },
            count(counts.lose_outcome)
        ));
    }
    if counts.open > 0 {
        reasons.push(format!("{} not settled", count(counts.open)));
    }
    if conduct.total() > 0 {
        reasons.push(faults(conduct));
    }
    reasons
}

/// What was no answer, by kind, in words.
pub fn faults(conduct: &Conduct) -> String {
    let kinds = Fault::ALL.into_iter().filter(|&fault| conduct.count(fault) > 0);
    let kinds = kinds.map(|fault| format!("{} {}", count(conduct.count(fault)), in_words(fault)));
    kinds.collect::<Vec<_>>().join(", ")
}

fn in_words(fault: Fault) -> &'static str {
    match fault {
        Fault::Illegal => "illegal",
        Fault::Silent => "without an answer",
        Fault::Resigned => "resigned",
        Fault::Gone => "ended or hung up",
        Fault::Unintelligible => "unintelligible",
        Fault::Declined => "declined",
    }
}

fn common_rows(
    page: &mut String,
    counts: &Counts,
    conduct: &Conduct,
    times: &Times,
    gave_up: Option<&str>,
) {
    row(page, "points given away", &points(counts));
    if counts.lose_outcome > 0 {
        let kinds =
            Blunder::ALL.map(|kind| format!("{} {}", kind.name(), count(counts.blunders(kind))));
        row(page, "blunders", &kinds.join(", "));
    }
    if conduct.total() > 0 {
        row(page, "no legal answer", &faults(conduct));
    }
    if let Some(reason) = gave_up {
        row(page, "asked no more", &printable(reason));
    }
    if let Some(times) = times_in_words(times) {
        row(page, "time a move", &times);
    }
}

/// `92, 0.092 a move`; where moves are open it says more.
pub fn points(counts: &Counts) -> String {
    let mut text = count(counts.points);
    if let Some(each) = counts.points_a_move().filter(|_| counts.points > 0) {
        let _ = write!(text, ", {} a move", figures(each));
    }
    if counts.open > 0 {
        let _ = write!(
            text,
            ", in {} that are settled; {} or more in the others",
            plural(counts.settled(), "move"),
            count(counts.open_points)
        );
    }
    text
}

/// `466 of 496, 93.95 %`: how many of those of which it is known keep something.
pub fn kept(keep: u64, lose: u64) -> String {
    match per(keep as i64, keep + lose) {
        Some(share) => {
            format!("{} of {}, {} %", count(keep), count(keep + lose), hundredths(share))
        }
        None => "not settled for any".to_owned(),
    }
}

/// A share in percent. All and only all are 100.
fn hundredths(share: f64) -> String {
    format!("{:.2}", (share * 10_000.0).floor() / 100.0)
}

/// Three figures of a number below 100.
pub fn figures(number: f64) -> String {
    match number {
        10.0.. => format!("{number:.1}"),
        1.0.. => format!("{number:.2}"),
        0.01.. => format!("{number:.3}"),
        _ => format!("{number:.6}"),
    }
}

/// Median, the most of 95 % and of all.
pub fn times_in_words(times: &Times) -> Option<String> {
    Some(format!(
        "median {}, 95 % within {}, longest {}",
        short(times.quantile(0.5)?),
        short(times.quantile(0.95)?),
        short(times.longest())
    ))
}

/// `3.1 µs`, `12 ms`, `1.5 s`.
pub fn short(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (scaled, unit) = match seconds {
        1.0.. => (seconds, "s"),
        1e-3.. => (seconds * 1e3, "ms"),
        _ => (seconds * 1e6, "µs"),
    };
    let decimals = usize::from(scaled < 10.0);
    format!("{scaled:.decimals$} {unit}")
}

/// `70 won, 4 drawn, 26 lost: 72.0 % of the points, 62.5 to 79.9 with 95 % confidence`.
pub fn score(score: &Score) -> String {
    let Score { wins, draws, losses } = *score;
    let mut text = format!("{} won, {} drawn, {} lost", count(wins), count(draws), count(losses));
    if let Some((share, (low, high))) = score.share().zip(score.interval()) {
        let [share, low, high] = [share, low, high].map(|share| 100.0 * share);
        let _ = write!(
            text,
            ": {share:.1} % of the points, {low:.1} to {high:.1} with 95 % confidence"
        );
    }
    text
}

/// `964, 96.40 %`.
pub fn share(part: u64, whole: u64) -> String {
    match per(part as i64, whole) {
        Some(share) => format!("{}, {} %", count(part), hundredths(share)),
        None => count(part),
    }
}

fn per(part: i64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn asked_of(done: u64, whole: u64) -> String {
    match done == whole {
        true => count(done),
        false => format!("{} of {}", count(done), count(whole)),
    }
}

fn row(page: &mut String, name: &str, value: &str) {
    let _ = writeln!(page, "  {name:<24}{value}");
}

/// The game exam's counts by some numbers of stones at once.
fn bands(tally: &Tally) -> Vec<(String, Counts)> {
    let mut bands: Vec<(usize, Counts)> = Vec::new();
    for (stones, counts) in tally.by_stones() {
        let band = stones.saturating_sub(1) / BAND;
        match bands.last_mut() {
            Some((last, sum)) if *last == band => *sum += counts,
            _ => bands.push((band, counts)),
        }
    }
    let named = |(band, counts)| (format!("{}-{}", band * BAND + 1, (band + 1) * BAND), counts);
    bands.into_iter().map(named).collect()
}

fn table(rows: impl Iterator<Item = (String, Counts)>) -> String {
    let mut table = format!(
        "\n  {:>7} {:>11} {:>13} {:>13} {:>11} {:>7}\n",
        "stones", "moves", "keep outcome", "keep points", "points lost", "open"
    );
    for (stones, counts) in rows {
        let _ = writeln!(
            table,
            "  {stones:>7} {:>11} {:>13} {:>13} {:>11} {:>7}",
            count(counts.moves),
            count(counts.keep_outcome),
            count(counts.keep_points),
            count(counts.points),
            count(counts.open)
        );
    }
    table
}

fn failures<const P: usize>(failures: &[Failure<P>]) -> String {
    let mut text = String::new();
    match failures.len() {
        0 => return text,
        all if all <= SHOWN => text.push_str("\nWhat was wrong:\n"),
        all => {
            let _ = writeln!(text, "\nThe first {SHOWN} of {} wrong answers:", count(all as u64));
        }
    }
    for failure in failures.iter().take(SHOWN) {
        let _ = writeln!(text, "  {}  {}", failure.board, failure_in_words(failure));
    }
    text
}

/// What was wrong, and what would have been right.
pub fn failure_in_words<const P: usize>(failure: &Failure<P>) -> String {
    let right = match failure.right.as_slice() {
        [] => String::new(),
        pits => format!(" {}", either(pits)),
    };
    match &failure.wrong {
        Wrong::Move(pit, verdict) => {
            let (played, best) = (value(verdict.played()), value(verdict.best()));
            match right.is_empty() {
                true => format!("played {pit} ({played}), the best is worth {best}"),
                false => format!("played {pit} ({played}), right is{right} ({best})"),
            }
        }
        Wrong::Fault(_, message) if right.is_empty() => printable(message),
        Wrong::Fault(_, message) => format!("{}; right is{right}", printable(message)),
    }
}

/// `3`, `1 or 4`, `1, 4 or 6`.
fn either<const P: usize>(pits: &[Pit<P>]) -> String {
    let numbers: Vec<_> = pits.iter().map(Pit::to_string).collect();
    match numbers.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} or {last}", first.join(", ")),
        None => String::new(),
    }
}

/// `+4 win`, `-2 to +4`.
fn value(bounds: Bounds) -> String {
    match bounds.exact() {
        Some(value) => format!("{} {}", signed(value), Outcome::of(value).name()),
        None => format!("{} to {}", signed(bounds.low), signed(bounds.high)),
    }
}

fn plural(number: u64, what: &str) -> String {
    format!("{} {what}{}", count(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::judge::Verdict;

    #[test]
    fn only_all_are_a_hundred_percent() {
        assert_eq!(share(1_000, 1_000), "1,000, 100.00 %");
        assert_eq!(share(99_999, 100_000), "99,999, 99.99 %");
        assert_eq!(share(0, 0), "0");
        assert_eq!(kept(466, 30), "466 of 496, 93.95 %");
        assert_eq!(kept(0, 0), "not settled for any");
    }

    #[test]
    fn times_have_the_unit_that_fits() {
        assert_eq!(short(Duration::from_nanos(3_140)), "3.1 µs");
        assert_eq!(short(Duration::from_millis(12)), "12 ms");
        assert_eq!(short(Duration::from_secs_f64(1.52)), "1.5 s");
    }

    #[test]
    fn a_failure_says_what_was_played_and_what_was_right() {
        let board = "1,1,3,2,0,4".parse().unwrap();
        let exactly = |value| Bounds { low: value, high: value };
        let [one, two] = [1, 2].map(|number| Pit::<2>::from_number(number).unwrap());
        let wrong = Wrong::Move(one, Verdict::new(exactly(3), exactly(-1)));
        let failure = Failure { board, wrong, right: vec![two] };
        assert_eq!(failure_in_words(&failure), "played 1 (-1 loss), right is 2 (+3 win)");
        let verdict = Verdict::new(exactly(3), Bounds { low: -3, high: 1 });
        let failure = Failure { wrong: Wrong::Move(one, verdict), right: vec![], ..failure };
        assert_eq!(failure_in_words(&failure), "played 1 (-3 to +1), the best is worth +3 win");
        let wrong = Wrong::Fault(Fault::Illegal, "it\u{7}".to_owned());
        let failure = Failure { wrong, right: vec![one, two], ..failure };
        assert_eq!(failure_in_words(&failure), "it\\u{7}; right is 1 or 2");
    }

    #[test]
    fn bands_begin_after_multiples_of_six() {
        let mut tally = Tally::default();
        for stones in [2, 6, 7, 12, 13] {
            tally.add(stones, &Verdict::of_only_move(), false);
        }
        let bands: Vec<_> = bands(&tally).into_iter().map(|(n, c)| (n, c.moves)).collect();
        assert_eq!(bands, [("1-6", 2), ("7-12", 2), ("13-18", 1)].map(|(n, c)| (n.to_owned(), c)));
    }
}
