//! The exam of whole games.

use std::ops::{AddAssign, RangeInclusive};
use std::time::Duration;

use super::conduct::{Conduct, Fault};
use super::openings::openings;
use super::score::Score;
use super::seat::{Answer, Seat};
use super::tally::Tally;
use super::times::Times;
use super::truth::Truth;
use super::work::in_order;
use super::{Failure, JudgeError, NODES, Progress, Wrong};
use crate::players::Player;
use crate::players::{Random, seed_of};
use crate::rules::{Board, Pit};
use crate::tables::Tablebase;

/// What is played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GamesOptions {
    /// How many games.
    pub games: u64,
    /// Stones in each pit of the openings, which take turns.
    pub seeds: RangeInclusive<u8>,
    /// Decides the openings, and what is random about players.
    pub random_seed: u64,
    /// The most time for each choice of the judged player.
    pub time: Option<Duration>,
    /// The most time for each choice of its opponent.
    pub opponent_time: Option<Duration>,
    /// The most nodes for each question of the judge's search, beyond the tables.
    pub nodes: u64,
}

impl Default for GamesOptions {
    /// A hundred games with 3 to 6 stones a pit, without a time limit.
    fn default() -> Self {
        GamesOptions {
            games: 100,
            seeds: 3..=6,
            random_seed: 0,
            time: None,
            opponent_time: None,
            nodes: NODES,
        }
    }
}

/// Who plays at one board.
pub struct Pairing<'t, const P: usize> {
    /// The player that is judged.
    pub judged: Box<dyn Player<P> + Send + 't>,
    /// The other; without one the judged player plays both sides.
    pub opponent: Option<Box<dyn Player<P> + Send + 't>>,
}

/// What came of games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GamesReport<const P: usize> {
    /// Games that were to be played.
    pub games: u64,
    /// What the judged player won and lost against another. Without another it is empty.
    pub score: Score,
    /// What the player who began won and lost, whoever it was.
    pub beginner: Score,
    /// Stones that the judged player, or without another the beginner, got more than the other in
    /// all games that were played to their end.
    pub stones: i64,
    /// Games that ended because a judged player resigned, was gone or declined to play. They are
    /// lost.
    pub forfeits: u64,
    /// Pits sown by anyone, the random ones of the openings not counted.
    pub moves: u64,
    /// What the moves of the judged player are worth.
    pub tally: Tally,
    /// What it did instead of choosing a legal pit. Where it named none in time or an illegal one, a
    /// random pit was sown for it, which is not judged.
    pub conduct: Conduct,
    /// How long its choices of a legal pit took.
    pub times: Times,
    /// Everything that was wrong for certain, in the order of the games.
    pub failures: Vec<Failure<P>>,
    /// Why the player was asked no more: what it did [so many times](super::MOST_UNANSWERED) one
    /// after the other instead of answering.
    pub gave_up: Option<String>,
    /// Whether all games were played, unless the player gave up.
    pub finished: bool,
}

impl<const P: usize> GamesReport<P> {
    /// Games that were played.
    pub fn played(&self) -> u64 {
        self.beginner.games()
    }

    /// Whether all games were played without a fault, and without a point given away for certain
    /// where at most so many stones were in the pits.
    pub fn passed(&self, stones: usize) -> bool {
        let endgame = self.tally.up_to(stones);
        self.finished
            && self.gave_up.is_none()
            && self.conduct.total() == 0
            && endgame.lose_points == 0
            && endgame.lose_outcome == 0
    }

    fn of_nothing(games: u64) -> Self {
        GamesReport {
            games,
            score: Score::default(),
            beginner: Score::default(),
            stones: 0,
            forfeits: 0,
            moves: 0,
            tally: Tally::default(),
            conduct: Conduct::default(),
            times: Times::default(),
            failures: Vec::new(),
            gave_up: None,
            finished: true,
        }
    }
}

/// What came of one game.
impl<const P: usize> AddAssign for GamesReport<P> {
    fn add_assign(&mut self, other: Self) {
        self.score += other.score;
        self.beginner += other.beginner;
        self.stones += other.stones;
        self.forfeits += other.forfeits;
        self.moves += other.moves;
        self.tally += &other.tally;
        self.conduct += other.conduct;
        self.times += &other.times;
        self.failures.extend(other.failures);
        self.gave_up = self.gave_up.take().or(other.gave_up);
        self.finished &= other.finished;
    }
}

/// Plays games and judges every move of the judged player. Each of `pairings` is the same two
/// players for a thread of its own; which of them plays what makes no difference when they
/// [begin anew](Player::begin_anew) as they should.
///
/// Games come in pairs, in which each player begins once from the same board: an opening after
/// [some random moves](super::OPENING_MOVES).
///
/// # Errors
///
/// [`JudgeError`]: what is no fault of the judged player.
///
/// ```
/// use kalah::judge::{GamesOptions, Pairing, games};
/// use kalah::players::{Level, Options, tables};
/// use kalah::rules::Rules;
///
/// let tables = tables::<3>(None, Rules::Standard)?;
/// let player = |level: Level| level.player(&Options::new(&tables));
/// let (judged, opponent) = (player(Level::Hard), Some(player(Level::Easy)));
/// let options = GamesOptions { games: 20, seeds: 3..=3, ..GamesOptions::default() };
/// let report = games(&mut [Pairing { judged, opponent }], &tables, &options, &())?;
/// assert_eq!(report.score.games(), 20);
/// assert!(report.score.share() > Some(0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn games<'t, const P: usize>(
    pairings: &mut [Pairing<'t, P>],
    tables: &'t Tablebase<P>,
    options: &GamesOptions,
    progress: &dyn Progress,
) -> Result<GamesReport<P>, JudgeError> {
    let &GamesOptions { games, ref seeds, random_seed, time, opponent_time, nodes } = options;
    let boards = openings(seeds.clone(), games.div_ceil(2), tables.rules(), random_seed)?;
    let mut arbiters: Vec<_> = pairings
        .iter_mut()
        .map(|Pairing { judged, opponent }| Arbiter {
            judged: Seat::new(&mut **judged, time),
            opponent: opponent.as_mut().map(|player| Seat::new(&mut **player, opponent_time)),
            truth: Truth::new(tables, nodes),
            tables,
        })
        .collect();
    let mut report = GamesReport::of_nothing(games);
    let piece = |arbiter: &mut Arbiter<'_, 't, P>, number: u64| {
        let board = boards[(number / 2) as usize];
        let part = arbiter.game(
            board,
            number.is_multiple_of(2),
            seed_of(random_seed, number),
            progress,
        )?;
        progress.advance(1);
        let goes_on = part.finished && arbiter.judged.gave_up().is_none();
        Ok((part, goes_on))
    };
    in_order(&mut arbiters, games, piece, |part| report += part)?;
    let last_words = arbiters.iter().find_map(|arbiter| arbiter.judged.gave_up());
    report.gave_up = last_words.map(str::to_owned);
    Ok(report)
}

/// Someone who watches over games, and knows what is right.
struct Arbiter<'p, 't, const P: usize> {
    judged: Seat<'p, 't, P>,
    opponent: Option<Seat<'p, 't, P>>,
    truth: Truth<'t, P>,
    tables: &'t Tablebase<P>,
}

/// Something that the judged player did in a game.
enum Deed<const P: usize> {
    Sowed(Pit<P>),
    Failed(Fault, String),
}

impl<const P: usize> Arbiter<'_, '_, P> {
    /// Plays a game and judges it.
    fn game(
        &mut self,
        opening: Board<P>,
        judged_begins: bool,
        random_seed: u64,
        progress: &dyn Progress,
    ) -> Result<GamesReport<P>, JudgeError> {
        let mut report = GamesReport::of_nothing(0);
        let stopped = GamesReport { finished: false, ..GamesReport::of_nothing(0) };
        if progress.stop() {
            return Ok(stopped);
        }
        if !self.judged.begin(seed_of(random_seed, 0))? {
            return Ok(report);
        }
        if let Some(opponent) = &mut self.opponent {
            opponent.begin(seed_of(random_seed, 1))?;
        }
        let mut random = Random::of_piece(random_seed, 2);
        let (mut board, mut beginner_moves) = (opening, true);
        let mut deeds = Vec::new();
        let mut forfeited = false;
        while !board.is_over() {
            let (seat, is_judged) = match &mut self.opponent {
                Some(opponent) if beginner_moves != judged_begins => (opponent, false),
                _ => (&mut self.judged, true),
            };
            let pit = match seat.ask(&board, progress)? {
                Answer::Stopped => return Ok(stopped),
                Answer::Pit(pit, took) => {
                    if is_judged {
                        report.times.add(took);
                        deeds.push((board, Deed::Sowed(pit)));
                    }
                    pit
                }
                // A level has no faults.
                Answer::Fault(fault, message) => {
                    deeds.push((board, Deed::Failed(fault, message)));
                    if matches!(fault, Fault::Resigned | Fault::Gone | Fault::Declined) {
                        forfeited = true;
                        break;
                    }
                    let legal: Vec<_> = board.legal_pits().collect();
                    random.one_of(&legal).expect("the game goes on")
                }
            };
            report.moves += 1;
            let played = board.play(pit, self.tables.rules()).expect("the pit is legal");
            beginner_moves ^= !played.extra_move;
            board = played.board;
        }
        // Seen by whoever began; only a judged player forfeits.
        let value = match board.final_value() {
            Some(value) if beginner_moves => value,
            Some(value) => -value,
            None if beginner_moves => -1,
            None => 1,
        };
        report.forfeits = u64::from(forfeited);
        report.beginner.add(value);
        let seen = if judged_begins || self.opponent.is_none() { value } else { -value };
        if self.opponent.is_some() {
            report.score.add(seen);
        }
        if !forfeited {
            report.stones = seen.into();
        }
        self.judge(deeds, &mut report, progress)?;
        Ok(report)
    }

    /// Judges what a player did in a game. From its end to its beginning, so that what a search
    /// finds out about a position serves those before it.
    fn judge(
        &mut self,
        deeds: Vec<(Board<P>, Deed<P>)>,
        report: &mut GamesReport<P>,
        progress: &dyn Progress,
    ) -> Result<(), JudgeError> {
        self.truth.forget()?;
        for (board, deed) in deeds.into_iter().rev() {
            let pit = match deed {
                Deed::Sowed(pit) => pit,
                Deed::Failed(fault, message) => {
                    report.conduct.add(fault);
                    let right = self.truth.right(&board)?;
                    report.failures.push(Failure {
                        board,
                        wrong: Wrong::Fault(fault, message),
                        right,
                    });
                    continue;
                }
            };
            let judged = self.truth.judge(&board, pit, &|| progress.stop())?;
            let had_choice = board.legal_pits().len() > 1;
            report.tally.add(board.pits().stones(), &judged.verdict, had_choice);
            if judged.verdict.keeps_points() == Some(false) {
                let wrong = Wrong::Move(pit, judged.verdict);
                report.failures.push(Failure { board, wrong, right: judged.right });
            }
        }
        report.failures.reverse();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::MOST_UNANSWERED;
    use crate::players::{Choice, Level, Options, PlayerError, Watch, tables};
    use crate::rules::Rules;

    type Judged<'t> = Box<dyn Player<4> + Send + 't>;

    /// Plays at random, and errs one time in so many as a function says.
    struct Errs<F> {
        random: Random,
        one_in: u32,
        error: F,
    }

    impl<F: Fn(&Board<4>) -> PlayerError> Player<4> for Errs<F> {
        fn begin_anew(&mut self, random_seed: u64) -> Result<(), PlayerError> {
            self.random = Random::new(random_seed);
            Ok(())
        }

        fn choose(
            &mut self,
            board: &Board<4>,
            _watch: &dyn Watch<4>,
        ) -> Result<Choice<4>, PlayerError> {
            if self.random.below(self.one_in) == 0 {
                return Err((self.error)(board));
            }
            let legal: Vec<_> = board.legal_pits().collect();
            Ok(Choice::of(self.random.one_of(&legal).unwrap()))
        }
    }

    fn report<'t>(
        threads: usize,
        tables: &'t Tablebase<4>,
        options: &GamesOptions,
        judged: impl Fn() -> Judged<'t>,
        opponent: Option<Level>,
    ) -> GamesReport<4> {
        let pairing = |_| {
            let level = |level: Level| level.player(&Options::new(tables));
            Pairing { judged: judged(), opponent: opponent.map(level) }
        };
        let mut pairings: Vec<_> = (0..threads).map(pairing).collect();
        let mut report = games(&mut pairings, tables, options, &()).unwrap();
        report.times = Times::default();
        report
    }

    fn few(games: u64) -> GamesOptions {
        GamesOptions { games, seeds: 2..=3, nodes: 2_000, ..GamesOptions::default() }
    }

    fn level<'t>(tables: &'t Tablebase<4>, level: Level) -> impl Fn() -> Judged<'t> {
        move || level.player(&Options::new(tables))
    }

    #[test]
    fn stronger_levels_win_and_give_less_away() {
        let tables = tables::<4>(None, Rules::Standard).unwrap();
        let medium = level(&tables, Level::Medium);
        let weak = report(2, &tables, &few(40), medium, Some(Level::Hard));
        let hard = level(&tables, Level::Hard);
        let strong = report(2, &tables, &few(40), hard, Some(Level::Medium));
        for report in [&weak, &strong] {
            assert_eq!((report.played(), report.score.games()), (40, 40));
            assert!(report.finished && report.conduct.total() == 0);
            assert!(report.tally.total().moves > 200);
            assert!(report.failures.len() as u64 == report.tally.total().lose_points);
        }
        assert!(strong.score.share() > weak.score.share());
        assert!(strong.stones > weak.stones);
        let points = |report: &GamesReport<4>| report.tally.total().points_a_move();
        assert!(points(&strong) < points(&weak));
        assert!(!weak.passed(12));
    }

    #[test]
    fn the_report_is_the_same_for_any_number_of_threads() {
        let tables = tables::<4>(None, Rules::EmptyCapture).unwrap();
        for opponent in [Some(Level::Medium), None] {
            let reports = [1, 2, 3].map(|threads| {
                report(threads, &tables, &few(15), level(&tables, Level::Insane), opponent)
            });
            assert_eq!(reports[0], reports[1]);
            assert_eq!(reports[0], reports[2]);
        }
    }

    #[test]
    fn who_plays_itself_is_judged_on_both_sides() {
        let tables = tables::<4>(None, Rules::Standard).unwrap();
        let alone = report(2, &tables, &few(10), level(&tables, Level::Insane), None);
        assert_eq!(alone.tally.total().moves, alone.moves);
        assert_eq!((alone.score.games(), alone.beginner.games()), (0, 10));
        assert!(alone.passed(SMALL));
        let medium = Some(Level::Medium);
        let against = report(2, &tables, &few(10), level(&tables, Level::Insane), medium);
        assert!(against.tally.total().moves < against.moves);
        assert!(against.passed(SMALL));
    }

    const SMALL: usize = crate::players::SMALL_TABLES;

    #[test]
    fn for_faults_a_random_pit_is_sown_or_the_game_is_lost() {
        let tables = tables::<4>(None, Rules::Standard).unwrap();
        let errs = |error: fn() -> PlayerError| {
            let judged = move || -> Judged<'_> {
                Box::new(Errs { random: Random::new(0), one_in: 5, error: move |_: &_| error() })
            };
            report(2, &tables, &few(20), judged, Some(Level::Easy))
        };
        let silent = errs(|| PlayerError::Silent { after: Duration::from_secs(1) });
        assert_eq!((silent.played(), silent.forfeits), (20, 0));
        let faults = silent.conduct.count(Fault::Silent);
        assert!(faults > 10, "{faults}");
        assert_eq!(silent.conduct.total(), faults);
        assert!(!silent.passed(0));

        let resigned = errs(|| PlayerError::Resigned);
        let forfeits = resigned.conduct.count(Fault::Resigned);
        assert!(forfeits > 5 && forfeits == resigned.forfeits, "{forfeits}");
        assert!(resigned.score.losses >= forfeits && resigned.played() == 20);
    }

    #[test]
    fn who_is_gone_for_good_is_asked_no_more() {
        let tables = tables::<4>(None, Rules::Standard).unwrap();
        let judged = || -> Judged<'_> {
            let error = |_: &_| PlayerError::Gone { how: "it hung up".to_owned() };
            Box::new(Errs { random: Random::new(0), one_in: 1, error })
        };
        let report = report(1, &tables, &few(30), judged, Some(Level::Easy));
        assert_eq!(report.forfeits, u64::from(MOST_UNANSWERED));
        assert_eq!(report.played(), report.forfeits);
        assert_eq!(report.gave_up.as_deref(), Some("it is gone: it hung up"));
        assert!(report.finished && !report.passed(12));
    }
}
