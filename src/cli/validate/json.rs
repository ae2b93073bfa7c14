//! The report for programs: one object.

use std::time::Duration;

use kalah::judge::{Conduct, Counts, Failure, Fault, Score, Selection, Tally, Times, Wrong};
use kalah::protocol;
use kalah::rules::Rules;
use kalah::search::Bounds;
use serde::Serialize;

use super::findings::{Examined, Findings, Played};
use super::text::SHOWN;

/// What is printed with `--json`. The fields are printed in this order.
#[derive(Serialize)]
pub struct Report {
    judged: Judged,
    rules: Rules,
    pits: usize,
    table_stones: usize,
    exam: Option<Exam>,
    games: Option<Games>,
    passed: bool,
    finished: bool,
    seconds: f64,
}

#[derive(Serialize)]
struct Judged {
    kind: &'static str,
    name: String,
    way: Option<String>,
    /// What an engine did that the protocol forbids.
    protocol: Option<Protocol>,
}

#[derive(Serialize)]
struct Protocol {
    silent: u64,
    illegal: u64,
    bad_lines: u64,
    repeated_ids: u64,
    unasked: u64,
}

#[derive(Serialize)]
struct Exam {
    stones: usize,
    selection: &'static str,
    random_seed: u64,
    positions: u64,
    asked: u64,
    weighed: u64,
    could_lose_outcome: u64,
    could_lose_points: u64,
    #[serde(flatten)]
    common: Common,
    passed: bool,
}

#[derive(Serialize)]
struct Games {
    games: u64,
    seeds: [u8; 2],
    against: Option<&'static str>,
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    against_time: Option<f64>,
    random_seed: u64,
    played: u64,
    /// Of the judged player against another.
    score: Option<Points>,
    /// Of whoever began.
    beginner: Points,
    stones_ahead: i64,
    forfeits: u64,
    pits_sown: u64,
    /// The stones up to which nothing may be lost.
    stones: usize,
    #[serde(flatten)]
    common: Common,
    passed: bool,
}

/// What both exams tell.
#[derive(Serialize)]
struct Common {
    #[serde(flatten)]
    counts: Verdicts,
    faults: Faults,
    by_stones: Vec<Row>,
    time: Option<Time>,
    failures: u64,
    first_failures: Vec<Failed>,
    gave_up: Option<String>,
    finished: bool,
}

#[derive(Serialize)]
struct Row {
    stones: usize,
    #[serde(flatten)]
    counts: Verdicts,
}

#[derive(Serialize)]
struct Verdicts {
    moves: u64,
    choices: u64,
    keep_outcome: u64,
    lose_outcome: u64,
    keep_points: u64,
    lose_points: u64,
    open: u64,
    points: u64,
    open_points: u64,
    win_to_draw: u64,
    draw_to_loss: u64,
    win_to_loss: u64,
}

#[derive(Serialize)]
struct Faults {
    illegal: u64,
    silent: u64,
    resigned: u64,
    gone: u64,
    unintelligible: u64,
    declined: u64,
}

#[derive(Serialize)]
struct Points {
    wins: u64,
    draws: u64,
    losses: u64,
    share: Option<f64>,
    /// With 95 % confidence.
    interval: Option<[f64; 2]>,
}

/// Seconds.
#[derive(Serialize)]
struct Time {
    mean: f64,
    median: f64,
    percentile_95: f64,
    longest: f64,
    total: f64,
}

/// Something that was wrong.
#[derive(Serialize)]
struct Failed {
    position: String,
    played: Option<u8>,
    /// Bounds of the value of what was played, and of the best.
    value: Option<[i16; 2]>,
    best: Option<[i16; 2]>,
    fault: Option<&'static str>,
    message: Option<String>,
    right: Vec<u8>,
}

impl Report {
    pub fn new<const P: usize>(findings: &Findings<P>) -> Self {
        let who = &findings.who;
        Report {
            judged: Judged {
                kind: who.kind,
                name: who.name.clone(),
                way: who.way.clone(),
                protocol: who.faults.map(Protocol::from),
            },
            rules: findings.rules,
            pits: P,
            table_stones: findings.table_stones,
            exam: findings.exam.as_ref().map(Exam::new),
            games: findings.games.as_ref().map(Games::new),
            passed: findings.passed(),
            finished: findings.finished(),
            seconds: findings.took.as_secs_f64(),
        }
    }
}

impl From<protocol::Faults> for Protocol {
    fn from(faults: protocol::Faults) -> Self {
        let protocol::Faults { silent, illegal, bad_lines, repeated_ids, unasked } = faults;
        Protocol { silent, illegal, bad_lines, repeated_ids, unasked }
    }
}

impl Exam {
    fn new<const P: usize>(exam: &Examined<P>) -> Self {
        let Examined { options, report } = exam;
        let gave_up = report.gave_up.clone();
        let (times, failures) = (&report.times, &report.failures);
        Exam {
            stones: options.stones,
            selection: match options.selection {
                Selection::Full => "full",
                Selection::Sample(_) => "sample",
            },
            random_seed: options.random_seed,
            positions: report.positions,
            asked: report.asked,
            weighed: report.weighed,
            could_lose_outcome: report.could_lose_outcome,
            could_lose_points: report.could_lose_points,
            common: Common {
                gave_up,
                finished: report.finished,
                ..Common::new(&report.tally, &report.conduct, times, failures)
            },
            passed: report.passed(),
        }
    }
}

impl Games {
    fn new<const P: usize>(games: &Played<P>) -> Self {
        let Played { options, report, .. } = games;
        let gave_up = report.gave_up.clone();
        let (times, failures) = (&report.times, &report.failures);
        Games {
            games: report.games,
            seeds: [*options.seeds.start(), *options.seeds.end()],
            against: games.against.map(|level| level.name()),
            against_time: options.opponent_time.map(|time| time.as_secs_f64()),
            random_seed: options.random_seed,
            played: report.played(),
            score: games.against.map(|_| Points::from(report.score)),
            beginner: report.beginner.into(),
            stones_ahead: report.stones,
            forfeits: report.forfeits,
            pits_sown: report.moves,
            stones: games.stones,
            common: Common {
                gave_up,
                finished: report.finished,
                ..Common::new(&report.tally, &report.conduct, times, failures)
            },
            passed: games.passed(),
        }
    }
}

impl Common {
    fn new<const P: usize>(
        tally: &Tally,
        conduct: &Conduct,
        times: &Times,
        failures: &[Failure<P>],
    ) -> Self {
        let row = |(stones, counts): (usize, Counts)| Row { stones, counts: counts.into() };
        Common {
            counts: tally.total().into(),
            faults: conduct.into(),
            by_stones: tally.by_stones().map(row).collect(),
            time: Time::of(times),
            failures: failures.len() as u64,
            first_failures: failures.iter().take(SHOWN).map(Failed::new).collect(),
            gave_up: None,
            finished: true,
        }
    }
}

impl From<Counts> for Verdicts {
    fn from(counts: Counts) -> Self {
        Verdicts {
            moves: counts.moves,
            choices: counts.choices,
            keep_outcome: counts.keep_outcome,
            lose_outcome: counts.lose_outcome,
            keep_points: counts.keep_points,
            lose_points: counts.lose_points,
            open: counts.open,
            points: counts.points,
            open_points: counts.open_points,
            win_to_draw: counts.win_to_draw,
            draw_to_loss: counts.draw_to_loss,
            win_to_loss: counts.win_to_loss,
        }
    }
}

impl From<&Conduct> for Faults {
    fn from(conduct: &Conduct) -> Self {
        Faults {
            illegal: conduct.count(Fault::Illegal),
            silent: conduct.count(Fault::Silent),
            resigned: conduct.count(Fault::Resigned),
            gone: conduct.count(Fault::Gone),
            unintelligible: conduct.count(Fault::Unintelligible),
            declined: conduct.count(Fault::Declined),
        }
    }
}

impl From<Score> for Points {
    fn from(score: Score) -> Self {
        let Score { wins, draws, losses } = score;
        let interval = score.interval().map(|(low, high)| [low, high]);
        Points { wins, draws, losses, share: score.share(), interval }
    }
}

impl Time {
    fn of(times: &Times) -> Option<Self> {
        let quantile = |share| times.quantile(share).as_ref().map(Duration::as_secs_f64);
        Some(Time {
            mean: times.mean()?.as_secs_f64(),
            median: quantile(0.5)?,
            percentile_95: quantile(0.95)?,
            longest: times.longest().as_secs_f64(),
            total: times.total().as_secs_f64(),
        })
    }
}

impl Failed {
    fn new<const P: usize>(failure: &Failure<P>) -> Self {
        let ends = |bounds: Bounds| Some([bounds.low, bounds.high]);
        let blank = Failed {
            position: failure.board.to_string(),
            played: None,
            value: None,
            best: None,
            fault: None,
            message: None,
            right: failure.right.iter().map(|pit| pit.number()).collect(),
        };
        match &failure.wrong {
            Wrong::Move(pit, verdict) => Failed {
                played: Some(pit.number()),
                value: ends(verdict.played()),
                best: ends(verdict.best()),
                ..blank
            },
            Wrong::Fault(fault, message) => {
                Failed { fault: Some(fault.name()), message: Some(message.clone()), ..blank }
            }
        }
    }
}
