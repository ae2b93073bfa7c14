//! How the games ended, by level and opening.

use kalah::players::Level;
use kalah::rules::{Board, Rules};
use kalah::tables::MAX_TABLE_PITS;
use kalah::tables::analysis::Outcome;
use serde::{Deserialize, Serialize};

use super::folder::Format;
use super::saved::is_id;
use super::setup::Setup;

/// The statistics, as they are written.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// The game that was counted last.
    last: Option<String>,
    records: Vec<Record>,
}

/// The games of one kind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    level: String,
    pits: u8,
    seeds: u8,
    rules: Rules,
    /// Games that the person won.
    pub wins: u32,
    /// Games that the computer won.
    pub losses: u32,
    /// Games that nobody won.
    pub draws: u32,
    /// Games won since the last that was not.
    pub run: u32,
    /// The most games won without one between that was not.
    pub best_run: u32,
}

impl Format for Statistics {
    const NAME: &'static str = "statistics.json";
    const FORMAT: &'static str = "kalah statistics";
}

impl Record {
    fn new(setup: &Setup) -> Self {
        Record {
            level: setup.level.name().to_owned(),
            pits: setup.pits,
            seeds: setup.seeds,
            rules: setup.rules,
            wins: 0,
            losses: 0,
            draws: 0,
            run: 0,
            best_run: 0,
        }
    }

    /// In what order records are told, and what no two of them share.
    fn key(&self) -> (Option<Level>, u8, u8, &'static str) {
        (self.level.parse().ok(), self.pits, self.seeds, self.rules.name())
    }

    /// How many games there were.
    pub fn games(&self) -> u64 {
        u64::from(self.wins) + u64::from(self.losses) + u64::from(self.draws)
    }

    /// The share of games that the person won, in per cent.
    pub fn share_won(&self) -> f64 {
        100.0 * f64::from(self.wins) / (self.games().max(1) as f64)
    }

    fn count(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::Win => &mut self.wins,
            Outcome::Loss => &mut self.losses,
            Outcome::Draw => &mut self.draws,
        };
        *count = count.saturating_add(1);
        self.run = if outcome == Outcome::Win { self.run.saturating_add(1) } else { 0 };
        self.best_run = self.best_run.max(self.run);
    }

    /// `level hard, 4 stones a pit: 3 of 4 games won (75 %), 1 lost, 0 drawn; ..`
    pub fn line(&self) -> String {
        let games = self.games();
        format!(
            "{} of {games} game{} won ({:.0} %), {} lost, {} drawn; {} won in a row, at best {}",
            self.wins,
            if games == 1 { "" } else { "s" },
            self.share_won(),
            self.losses,
            self.draws,
            self.run,
            self.best_run,
        )
    }

    /// Whether games can have ended so.
    fn check(&self) -> Result<(), &'static str> {
        let pits = usize::from(self.pits);
        let fits = |seeds| kalah::with_table_pits!(pits, has_opening(seeds)) == Some(true);
        match () {
            () if self.level.parse::<Level>().is_err() => Err("no level is called so"),
            () if !(1..=MAX_TABLE_PITS).contains(&pits) => Err("no board has so many pits"),
            () if self.seeds == 0 || !fits(self.seeds) => Err("no opening has so many stones"),
            () if self.run > self.best_run || self.best_run > self.wins => {
                Err("its runs are longer than there were games won")
            }
            () => Ok(()),
        }
    }
}

fn has_opening<const P: usize>(seeds: u8) -> bool {
    Board::<P>::opening(seeds).is_ok()
}

impl Statistics {
    /// Every record, by level and opening.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The record that games like this are counted in.
    pub fn record(&self, setup: &Setup) -> Option<&Record> {
        let key = Record::new(setup).key();
        self.records.iter().find(|record| record.key() == key)
    }

    /// Whether this game was counted last.
    pub fn has_counted(&self, id: &str) -> bool {
        self.last.as_deref() == Some(id)
    }

    /// Counts a game that ended so for the person, once.
    pub fn count(&mut self, id: &str, setup: &Setup, outcome: Outcome) {
        if self.has_counted(id) {
            return;
        }
        self.last = Some(id.to_owned());
        let new = Record::new(setup);
        let place = match self.records.binary_search_by_key(&new.key(), Record::key) {
            Ok(place) => place,
            Err(place) => {
                self.records.insert(place, new);
                place
            }
        };
        self.records[place].count(outcome);
    }

    /// Lets nothing through that was not written here.
    ///
    /// # Errors
    ///
    /// Says what is wrong, going on from the file's name.
    pub fn check(mut self) -> Result<Self, String> {
        let damaged = |place: usize, reason| format!("is damaged (record {place}: {reason})");
        if self.last.as_deref().is_some_and(|id| !is_id(id)) {
            return Err("is damaged (the last game's id is none)".to_owned());
        }
        for (record, place) in self.records.iter().zip(1..) {
            record.check().map_err(|reason| damaged(place, reason))?;
        }
        self.records.sort_by_key(Record::key);
        if self.records.windows(2).any(|pair| pair[0].key() == pair[1].key()) {
            return Err("is damaged (two records are of the same games)".to_owned());
        }
        Ok(self)
    }

    /// A table for people.
    pub fn table(&self) -> String {
        if self.records.is_empty() {
            return "No game has ended yet.\n".to_owned();
        }
        let mut table = String::from(
            "level    pits  stones  rules          games   won  lost  drawn  share won  run  best run\n",
        );
        for record in &self.records {
            table += &format!(
                "{:<7}  {:>4}  {:>6}  {:<13}  {:>5}  {:>4}  {:>4}  {:>5}  {:>7.1} %  {:>3}  {:>8}\n",
                record.level,
                record.pits,
                record.seeds,
                record.rules.name(),
                record.games(),
                record.wins,
                record.losses,
                record.draws,
                record.share_won(),
                record.run,
                record.best_run,
            );
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::play::game::Side;

    fn setup(level: Level) -> Setup {
        Setup {
            pits: 6,
            seeds: 4,
            rules: Rules::Standard,
            level,
            first: Side::Person,
            time: None,
            random_seed: 1,
        }
    }

    fn counted(outcomes: &[Outcome]) -> Statistics {
        let mut statistics = Statistics::default();
        for (number, &outcome) in outcomes.iter().enumerate() {
            statistics.count(&format!("game{number}"), &setup(Level::Hard), outcome);
        }
        statistics
    }

    #[test]
    fn runs_end_with_what_is_not_won() {
        use Outcome::{Draw, Loss, Win};
        let statistics = counted(&[Win, Win, Win, Draw, Win, Loss, Win, Win]);
        let record = statistics.record(&setup(Level::Hard)).unwrap();
        assert_eq!((record.wins, record.losses, record.draws), (6, 1, 1));
        assert_eq!((record.run, record.best_run), (2, 3));
        let line = "6 of 8 games won (75 %), 1 lost, 1 drawn; 2 won in a row, at best 3";
        assert_eq!(record.line(), line);
        assert_eq!(statistics.record(&setup(Level::Easy)), None);
    }

    #[test]
    fn a_game_is_counted_once() {
        let mut statistics = counted(&[Outcome::Win]);
        let once = statistics.clone();
        statistics.count("game0", &setup(Level::Hard), Outcome::Win);
        assert_eq!(statistics, once);
        statistics.count("game1", &setup(Level::Easy), Outcome::Loss);
        let levels: Vec<_> = statistics.records().iter().map(|r| r.level.as_str()).collect();
        assert_eq!(levels, ["easy", "hard"]);
        assert!(statistics.check().is_ok());
    }

    #[test]
    fn what_was_not_counted_here_is_told() {
        let good = counted(&[Outcome::Win, Outcome::Loss]);
        let with = |change: &dyn Fn(&mut Record)| {
            let mut statistics = good.clone();
            change(&mut statistics.records[0]);
            statistics.check().unwrap_err()
        };
        let level = with(&|record| record.level = "brutal".to_owned());
        assert_eq!(level, "is damaged (record 1: no level is called so)");
        let pits = with(&|record| record.pits = 9);
        assert_eq!(pits, "is damaged (record 1: no board has so many pits)");
        let seeds = with(&|record| record.seeds = 11);
        assert_eq!(seeds, "is damaged (record 1: no opening has so many stones)");
        let run = with(&|record| record.best_run = 2);
        assert_eq!(run, "is damaged (record 1: its runs are longer than there were games won)");
        let mut twice = good.clone();
        twice.records.push(twice.records[0].clone());
        let reason = "is damaged (two records are of the same games)";
        assert_eq!(twice.check(), Err(reason.to_owned()));
    }
}
