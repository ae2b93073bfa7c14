//! The exam on endgames.

use std::ops::AddAssign;
use std::time::Duration;

use super::conduct::Conduct;
use super::positions::{Positions, Selection};
use super::seat::{Answer, Seat};
use super::tally::Tally;
use super::times::Times;
use super::truth::Truth;
use super::work::in_order;
use super::{Failure, JudgeError, NODES, Progress, Wrong};
use crate::players::Player;
use crate::players::seed_of;
use crate::rules::Board;
use crate::tables::Tablebase;

/// What is asked in an exam.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExamOptions {
    /// The most stones in the pits.
    pub stones: usize,
    /// Which of the positions with so many stones or fewer.
    pub selection: Selection,
    /// Decides which positions are drawn, and what is random about players.
    pub random_seed: u64,
    /// The most time for each choice.
    pub time: Option<Duration>,
    /// The most nodes for each question of the judge's search, beyond the tables.
    pub nodes: u64,
}

impl Default for ExamOptions {
    /// A sample of a thousand positions of at most 12 stones, without a time limit.
    fn default() -> Self {
        let selection = Selection::Sample(1_000);
        ExamOptions { stones: 12, selection, random_seed: 0, time: None, nodes: NODES }
    }
}

/// What came of an exam.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExamReport<const P: usize> {
    /// Positions of the exam.
    pub positions: u64,
    /// Positions that were asked, all of them unless the exam was stopped or the player
    /// [gave up](ExamReport::gave_up).
    pub asked: u64,
    /// Positions answered with a legal pit of which every move's value is known: not those that only
    /// a search judged.
    pub weighed: u64,
    /// Of these, positions in which some pit would have changed who wins for the worse.
    pub could_lose_outcome: u64,
    /// The same for pits that give points away.
    pub could_lose_points: u64,
    /// What the answers with a legal pit are worth.
    pub tally: Tally,
    /// The other answers.
    pub conduct: Conduct,
    /// How long the answers with a legal pit took.
    pub times: Times,
    /// Everything that was wrong, in the order of the positions.
    pub failures: Vec<Failure<P>>,
    /// Why the player was asked no more: what it did [so many times](super::MOST_UNANSWERED) one
    /// after the other instead of answering.
    pub gave_up: Option<String>,
    /// Whether all positions were asked, unless the player gave up.
    pub finished: bool,
}

impl<const P: usize> ExamReport<P> {
    /// Whether every position was answered with a pit that keeps who wins and every point for
    /// certain.
    pub fn passed(&self) -> bool {
        let counts = self.tally.total();
        self.finished
            && counts.keep_points == self.positions
            && counts.keep_outcome == self.positions
    }

    fn of_nothing(positions: u64) -> Self {
        ExamReport {
            positions,
            asked: 0,
            weighed: 0,
            could_lose_outcome: 0,
            could_lose_points: 0,
            tally: Tally::default(),
            conduct: Conduct::default(),
            times: Times::default(),
            failures: Vec::new(),
            gave_up: None,
            finished: true,
        }
    }
}

/// What came of a piece of the exam.
impl<const P: usize> AddAssign for ExamReport<P> {
    fn add_assign(&mut self, other: Self) {
        self.asked += other.asked;
        self.weighed += other.weighed;
        self.could_lose_outcome += other.could_lose_outcome;
        self.could_lose_points += other.could_lose_points;
        self.tally += &other.tally;
        self.conduct += other.conduct;
        self.times += &other.times;
        self.failures.extend(other.failures);
        self.gave_up = self.gave_up.take().or(other.gave_up);
        self.finished &= other.finished;
    }
}

/// Positions that a thread takes at once, where there are many; each is answered in microseconds.
const MANY: u64 = 2048;

/// Positions that a thread takes at once, where each may take long.
const FEW: u64 = 4;

/// Someone who asks a player, and knows what is right.
struct Examiner<'p, 't, const P: usize> {
    seat: Seat<'p, 't, P>,
    truth: Truth<'t, P>,
}

/// Asks a player about positions with few stones, and judges its answers. Each of `players` is the
/// same player for a thread of its own; which of them is asked what makes no difference when they
/// [begin anew](Player::begin_anew) as they should.
///
/// An answer of no legal pit is counted among [`ExamReport::conduct`], and the exam goes on, unless
/// that happens [too often](super::MOST_UNANSWERED) one after the other.
///
/// # Errors
///
/// [`JudgeError`]: what is no fault of the player.
pub fn exam<'t, const P: usize>(
    players: &mut [Box<dyn Player<P> + Send + 't>],
    tables: &'t Tablebase<P>,
    options: &ExamOptions,
    progress: &dyn Progress,
) -> Result<ExamReport<P>, JudgeError> {
    let &ExamOptions { stones, selection, random_seed, time, nodes } = options;
    let stop = || progress.stop();
    let positions = Positions::select(selection, stones, random_seed, tables, &stop)?;
    let mut examiners: Vec<_> = players
        .iter_mut()
        .map(|player| Examiner {
            seat: Seat::new(&mut **player, time),
            truth: Truth::new(tables, nodes),
        })
        .collect();
    let mut report = ExamReport::of_nothing(positions.count());
    // Perhaps not all were drawn.
    report.finished = !stop();
    let chunk = if selection == Selection::Full { MANY } else { FEW };
    let chunks = positions.numbers().div_ceil(chunk);
    let piece = |examiner: &mut Examiner<'_, 't, P>, piece: u64| {
        let numbers = piece * chunk..((piece + 1) * chunk).min(positions.numbers());
        let (mut part, mut goes_on) = (ExamReport::of_nothing(0), true);
        for number in numbers {
            if progress.stop() {
                part.finished = false;
                goes_on = false;
                break;
            }
            let Some(board) = positions.get(number) else { continue };
            if !examiner.ask(&board, seed_of(random_seed, number), &mut part, progress)? {
                goes_on = false;
                break;
            }
        }
        progress.advance(part.asked);
        Ok((part, goes_on))
    };
    in_order(&mut examiners, chunks, piece, |part| report += part)?;
    let last_words = examiners.iter().find_map(|examiner| examiner.seat.gave_up());
    report.gave_up = last_words.map(str::to_owned);
    Ok(report)
}

impl<const P: usize> Examiner<'_, '_, P> {
    /// Asks about a position and judges the answer. Whether to go on.
    fn ask(
        &mut self,
        board: &Board<P>,
        random_seed: u64,
        report: &mut ExamReport<P>,
        progress: &dyn Progress,
    ) -> Result<bool, JudgeError> {
        if !self.seat.begin(random_seed)? {
            return Ok(false);
        }
        match self.seat.ask(board, progress)? {
            Answer::Stopped => {
                report.finished = false;
                return Ok(false);
            }
            Answer::Fault(fault, message) => {
                report.conduct.add(fault);
                let right = self.truth.right(board)?;
                let wrong = Wrong::Fault(fault, message);
                report.failures.push(Failure { board: *board, wrong, right });
            }
            Answer::Pit(pit, took) => {
                self.truth.forget()?;
                let judged = self.truth.judge(board, pit, &|| progress.stop())?;
                let verdict = judged.verdict;
                if let Some(worst) = judged.worst {
                    report.weighed += 1;
                    report.could_lose_outcome += u64::from(worst.keeps_outcome() == Some(false));
                    report.could_lose_points += u64::from(worst.keeps_points() == Some(false));
                }
                let had_choice = board.legal_pits().len() > 1;
                report.tally.add(board.pits().stones(), &verdict, had_choice);
                report.times.add(took);
                if verdict.keeps_points() == Some(false) {
                    let wrong = Wrong::Move(pit, verdict);
                    report.failures.push(Failure { board: *board, wrong, right: judged.right });
                }
            }
        }
        report.asked += 1;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Fault, MOST_UNANSWERED};
    use crate::players::{Choice, Level, Options, PlayerError, Watch, tables};
    use crate::rules::{Pit, Rules};
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    type AnyPlayer<'t> = Box<dyn Player<6> + Send + 't>;

    /// Chooses what a function says.
    struct Says<F>(F);

    impl<F: FnMut(&Board<6>) -> Result<Pit<6>, PlayerError>> Player<6> for Says<F> {
        fn choose(
            &mut self,
            board: &Board<6>,
            _watch: &dyn Watch<6>,
        ) -> Result<Choice<6>, PlayerError> {
            self.0(board).map(Choice::of)
        }
    }

    /// The values of the legal pits.
    fn values(board: &Board<6>, tables: &Tablebase<6>) -> Vec<(Pit<6>, i16)> {
        let value = |pit| {
            let played = board.play(pit, tables.rules()).unwrap();
            let value = tables.value(&played.board).unwrap();
            (pit, if played.extra_move { value } else { -value })
        };
        board.legal_pits().map(value).collect()
    }

    /// The best pit.
    fn best(board: &Board<6>, tables: &Tablebase<6>) -> Pit<6> {
        values(board, tables).into_iter().max_by_key(|&(_, value)| value).unwrap().0
    }

    fn small(stones: usize, selection: Selection) -> ExamOptions {
        ExamOptions { stones, selection, ..ExamOptions::default() }
    }

    #[test]
    fn a_player_that_errs_only_at_so_many_stones_is_found_out_there() {
        let tables = tables::<6>(None, Rules::Standard).unwrap();
        let mut expected = (0, 0);
        let mut player = Says(|board: &Board<6>| {
            if board.pits().stones() < 6 {
                return Ok(best(board, &tables));
            }
            let values = values(board, &tables);
            let highest = values.iter().map(|&(_, value)| value).max().unwrap();
            let worst = *values.iter().min_by_key(|&&(_, value)| value).unwrap();
            expected.0 += u64::from(worst.1 < highest);
            expected.1 += (highest - worst.1) as u64;
            Ok(worst.0)
        });
        let report = {
            let mut players: [AnyPlayer<'_>; 1] = [Box::new(&mut player)];
            exam(&mut players, &tables, &small(6, Selection::Full), &()).unwrap()
        };
        assert!(report.finished && !report.passed());
        assert_eq!(report.positions, report.asked);
        assert_eq!(report.tally.up_to(5).lose_points, 0);
        let six = report.tally.with(6);
        assert_eq!((six.lose_points, six.points), expected);
        assert_eq!(six.lose_points, report.failures.len() as u64);
        assert!(report.failures.iter().all(|failure| failure.board.stones() == 6));
        assert!(report.could_lose_points > six.lose_points);
    }

    #[test]
    fn who_keeps_the_outcome_and_loses_points_has_one_count_without_loss() {
        let tables = tables::<6>(None, Rules::Standard).unwrap();
        let player = Says(|board: &Board<6>| {
            let values = values(board, &tables);
            let highest = values.iter().map(|&(_, value)| value).max().unwrap();
            let same = values.into_iter().filter(|(_, value)| value.signum() == highest.signum());
            Ok(same.min_by_key(|&(_, value)| value).unwrap().0)
        });
        let mut players: [AnyPlayer<'_>; 1] = [Box::new(player)];
        let report = exam(&mut players, &tables, &small(7, Selection::Sample(400)), &()).unwrap();
        let counts = report.tally.total();
        assert_eq!((counts.moves, counts.keep_outcome, counts.lose_outcome), (400, 400, 0));
        assert!(counts.lose_points > 50);
        assert!(!report.passed());
    }

    #[test]
    fn the_report_is_the_same_for_any_number_of_threads() {
        let tables = tables::<6>(None, Rules::Standard).unwrap();
        let reports: Vec<_> = (1..=3)
            .map(|threads| {
                let player = |_| Level::Hard.player(&Options::new(&tables));
                let mut players: Vec<AnyPlayer<'_>> = (0..threads).map(player).collect();
                let options = small(9, Selection::Sample(200));
                let mut report = exam(&mut players, &tables, &options, &()).unwrap();
                report.times = Times::default();
                report
            })
            .collect();
        assert_eq!(reports[0], reports[1]);
        assert_eq!(reports[0], reports[2]);
        assert!(!reports[0].failures.is_empty());
    }

    #[test]
    fn what_is_no_answer_is_counted_as_what_it_is() {
        let tables = tables::<6>(None, Rules::Standard).unwrap();
        let mut asked = 0;
        let player = Says(|board: &Board<6>| {
            asked += 1;
            match asked % 4 {
                0 => Err(PlayerError::Silent { after: Duration::from_secs(1) }),
                1 => Ok(Pit::all().find(|pit| board.pits().mover()[pit.index()] == 0).unwrap()),
                2 => Err(PlayerError::Resigned),
                _ => Ok(best(board, &tables)),
            }
        });
        let mut players: [AnyPlayer<'_>; 1] = [Box::new(player)];
        // With so few stones one of six pits is empty.
        let report = exam(&mut players, &tables, &small(4, Selection::Full), &()).unwrap();
        assert_eq!(report.asked, report.positions);
        let quarter = report.asked / 4;
        for fault in [Fault::Silent, Fault::Illegal, Fault::Resigned] {
            assert!((quarter..=quarter + 1).contains(&report.conduct.count(fault)), "{fault:?}");
        }
        assert_eq!(report.conduct.total(), report.failures.len() as u64);
        assert_eq!(report.tally.total().moves + report.conduct.total(), report.asked);
        assert!(report.failures.iter().all(|failure| !failure.right.is_empty()));
        assert!(!report.passed());
    }

    #[test]
    fn who_never_answers_is_asked_no_more() {
        let tables = tables::<6>(None, Rules::Standard).unwrap();
        let gone = || PlayerError::Gone { how: "it exited with status 1".to_owned() };
        let mut players: [AnyPlayer<'_>; 1] = [Box::new(Says(|_: &Board<6>| Err(gone())))];
        let report = exam(&mut players, &tables, &small(4, Selection::Full), &()).unwrap();
        assert_eq!(report.asked, u64::from(MOST_UNANSWERED));
        assert_eq!(report.conduct.count(Fault::Gone), report.asked);
        assert_eq!(report.gave_up.as_deref(), Some("it is gone: it exited with status 1"));
        assert!(!report.passed());
    }

    /// Stops after so many positions were done.
    struct After(AtomicU64);

    impl Progress for After {
        fn advance(&self, count: u64) {
            let _ = self.0.fetch_update(Relaxed, Relaxed, |left| Some(left.saturating_sub(count)));
        }

        fn stop(&self) -> bool {
            self.0.load(Relaxed) == 0
        }
    }

    #[test]
    fn a_stopped_exam_tells_what_was_found_so_far() {
        let tables = tables::<6>(None, Rules::Standard).unwrap();
        let mut players = [Level::Insane.player(&Options::new(&tables))];
        let options = small(12, Selection::Full);
        let report = exam(&mut players, &tables, &options, &After(AtomicU64::new(5_000))).unwrap();
        assert!(!report.finished && !report.passed());
        assert!(5_000 <= report.asked && report.asked < 10_000, "{}", report.asked);
        assert_eq!(report.tally.total().keep_points, report.asked);
    }

    #[test]
    fn the_highest_levels_pass_by_either_rules() {
        for rules in Rules::ALL {
            let tables = tables::<6>(None, rules).unwrap();
            for level in [Level::Insane, Level::Perfect] {
                let mut players = [level.player(&Options::new(&tables))];
                let report = exam(&mut players, &tables, &small(6, Selection::Full), &()).unwrap();
                assert!(report.passed(), "{level} {rules}");
            }
        }
    }
}
