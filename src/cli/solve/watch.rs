//! A search as it goes on, on standard error.

use std::io::{Write, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use kalah::rules::Board;
use kalah::search::{Searcher, Status, Watch};

use crate::cli::output::{rounded, seconds, signed};
use crate::cli::progress::{BETWEEN_LINES, Display};
use crate::cli::search::Limits;
use crate::cli::wording::line;

/// How often a terminal is written to.
const BETWEEN_FRAMES: Duration = Duration::from_millis(100);

/// Shows how far a search is, and tells it when to stop.
pub struct Follow<'a, 't, const P: usize> {
    searcher: &'a Searcher<'t, P>,
    board: &'a Board<P>,
    limits: &'a Limits,
    begun: Instant,
    shown: Shown,
}

enum Shown {
    Nothing,
    /// As two lines, and when they were last written.
    Terminal([ProgressBar; 2], Mutex<Instant>),
    Lines(Mutex<Instant>),
}

impl<'a, 't, const P: usize> Follow<'a, 't, P> {
    /// Follows the search for the value of a position.
    pub fn new(
        searcher: &'a Searcher<'t, P>,
        board: &'a Board<P>,
        limits: &'a Limits,
        display: Display,
    ) -> Self {
        let begun = Instant::now();
        let shown = match display {
            Display::Nothing => Shown::Nothing,
            Display::Lines => Shown::Lines(Mutex::new(begun)),
            Display::Terminal => {
                let style = ProgressStyle::with_template("{wide_msg}").expect("it is well-formed");
                let both = MultiProgress::new();
                let line = || both.add(ProgressBar::no_length().with_style(style.clone()));
                Shown::Terminal([line(), line()], Mutex::new(begun))
            }
        };
        Follow { searcher, board, limits, begun, shown }
    }

    /// Nothing more will be shown.
    pub fn finish(&self) {
        if let Shown::Terminal(lines, _) = &self.shown {
            lines.iter().for_each(ProgressBar::finish_and_clear);
        }
    }

    /// What is proved and expected, and what it cost: `+2 to +12, asking for +8 9 turns ahead; best
    /// 3 1 / 5` and `34.5 million nodes, 3.1 million/s, 70 million table hits, 11.2 s`. Each fits a
    /// line of 80 columns, but for the end of a long best line.
    fn lines(&self, status: &Status) -> [String; 2] {
        let lead = self.board.lead();
        let bounds = status.bounds.with_lead(lead);
        let passed = self.begun.elapsed();
        let best = self.searcher.line_so_far(self.board.pits());
        let depth = status.depth.map_or(String::new(), |turns| format!(" {turns} turns ahead"));
        let mut expected = match bounds.exact() {
            // The value is known, and what the moves are worth is not.
            Some(value) => format!("{} proved, now the moves", signed(value)),
            None => format!(
                "{} to {}, asking for {}{depth}",
                signed(bounds.low),
                signed(bounds.high),
                signed(status.asked + lead),
            ),
        };
        if !best.is_empty() {
            expected += "; best ";
            expected += &line(self.board, &best, self.searcher.rules());
        }
        let cost = format!(
            "{} nodes, {}/s, {} table hits, {}",
            rounded(status.nodes as f64),
            rounded(status.nodes as f64 / passed.as_secs_f64().max(1e-9)),
            rounded(status.probes as f64),
            seconds(passed),
        );
        [expected, cost]
    }
}

impl<const P: usize> Watch for Follow<'_, '_, P> {
    fn interrupted(&self) -> bool {
        self.limits.reached()
    }

    fn status(&self, status: &Status) {
        let (last, between) = match &self.shown {
            Shown::Nothing => return,
            Shown::Terminal(_, last) => (last, BETWEEN_FRAMES),
            Shown::Lines(last) => (last, BETWEEN_LINES),
        };
        // A thread that finds another one writing has nothing to add.
        let Ok(mut last) = last.try_lock() else { return };
        if last.elapsed() < between {
            return;
        }
        *last = Instant::now();
        match &self.shown {
            Shown::Terminal(shown, _) => {
                shown.iter().zip(self.lines(status)).for_each(|(bar, line)| bar.set_message(line));
            }
            _ => {
                let [expected, cost] = self.lines(status);
                let _ = writeln!(stderr().lock(), "kalah: {expected}; {cost}");
            }
        }
    }
}
