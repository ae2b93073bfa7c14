//! Progress on standard error: a bar for a terminal, lines for a file.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::io::{IsTerminal, Write, stderr};

use super::args::OutputArgs;
use super::output::{rounded, seconds};

/// How often a line is written when there is no terminal for a bar.
pub const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Whether progress is shown when nobody watches a terminal.
#[derive(clap::Args)]
pub struct ProgressArgs {
    /// Show progress on standard error even when it is no terminal
    #[arg(long, conflicts_with = "quiet")]
    progress: bool,
}

/// How far some work has come. Threads may report at once.
pub struct Progress {
    shown: Shown,
    begun: Instant,
    /// What is counted, positions for the most part.
    unit: &'static str,
    /// How much the whole work is.
    total: AtomicU64,
    done: AtomicU64,
}

enum Shown {
    Nothing,
    Bar(ProgressBar),
    Lines(Mutex<Lines>),
}

struct Lines {
    stage: String,
    last: Instant,
}

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Display {
    /// Not at all.
    Nothing,
    /// As a line of a terminal that changes.
    Terminal,
    /// A line now and then.
    Lines,
}

impl ProgressArgs {
    /// How progress is to be shown on standard error.
    pub fn display(&self, output: &OutputArgs) -> Display {
        match (output.quiet, stderr().is_terminal(), self.progress) {
            (true, ..) | (_, false, false) => Display::Nothing,
            (_, true, _) => Display::Terminal,
            (_, false, true) => Display::Lines,
        }
    }
}

impl Progress {
    /// Progress of a work of `total` positions, shown as the command line wants it.
    pub fn new(args: &ProgressArgs, output: &OutputArgs, total: u64) -> Self {
        Progress::of(args, output, total, "positions")
    }

    /// Progress of a work of so many of something else.
    pub fn of(args: &ProgressArgs, output: &OutputArgs, total: u64, unit: &'static str) -> Self {
        let begun = Instant::now();
        let shown = match args.display(output) {
            Display::Nothing => Shown::Nothing,
            Display::Terminal => Shown::Bar(bar(total, unit)),
            Display::Lines => Shown::Lines(Mutex::new(Lines { stage: String::new(), last: begun })),
        };
        Progress { shown, begun, unit, total: AtomicU64::new(total), done: AtomicU64::new(0) }
    }

    /// So much need not be done after all.
    pub fn skip(&self, positions: u64) {
        let total = self.total.fetch_sub(positions, Ordering::Relaxed) - positions;
        if let Shown::Bar(bar) = &self.shown {
            bar.set_length(total);
        }
    }

    /// So much more is to be done.
    pub fn lengthen(&self, positions: u64) {
        let total = self.total.fetch_add(positions, Ordering::Relaxed) + positions;
        if let Shown::Bar(bar) = &self.shown {
            bar.set_length(total);
        }
    }

    /// What is being done now, like `layer 12`.
    pub fn stage(&self, stage: String) {
        match &self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar) => bar.set_message(stage),
            Shown::Lines(lines) => {
                if let Ok(mut lines) = lines.lock() {
                    lines.stage = stage;
                }
            }
        }
    }

    /// So much more is done.
    pub fn advance(&self, positions: u64) {
        self.done.fetch_add(positions, Ordering::Relaxed);
        match &self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar) => bar.inc(positions),
            Shown::Lines(lines) => {
                // A thread that finds another one writing has nothing to add.
                if let Ok(mut lines) = lines.try_lock()
                    && lines.last.elapsed() >= BETWEEN_LINES
                {
                    self.write_line(&mut lines);
                }
            }
        }
    }

    /// The stage is finished.
    pub fn stage_finished(&self) {
        if let Shown::Lines(lines) = &self.shown
            && let Ok(mut lines) = lines.lock()
        {
            self.write_line(&mut lines);
        }
    }

    /// Nothing more will be shown.
    pub fn finish(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }

    /// Says something that is no progress, on a line of its own.
    pub fn say(&self, text: &str) {
        let write = || {
            let _ = writeln!(stderr().lock(), "kalah: {text}");
        };
        match &self.shown {
            Shown::Bar(bar) => bar.suspend(write),
            _ => write(),
        }
    }

    /// Whether anybody sees how far it is.
    pub fn is_shown(&self) -> bool {
        !matches!(self.shown, Shown::Nothing)
    }

    fn write_line(&self, lines: &mut Lines) {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        let passed = self.begun.elapsed();
        let speed = done as f64 / passed.as_secs_f64().max(1e-9);
        // What would take longer than anyone can count has hardly begun.
        let left = total.saturating_sub(done) as f64 / speed;
        let left = Duration::try_from_secs_f64(left)
            .map_or(String::new(), |left| format!(", {} left", seconds(left)));
        let _ = writeln!(
            stderr().lock(),
            "kalah: {}: {:.1}%, {} {}/s{left}",
            lines.stage,
            100.0 * done as f64 / total.max(1) as f64,
            rounded(speed),
            self.unit,
        );
        lines.last = Instant::now();
    }
}

fn bar(total: u64, unit: &'static str) -> ProgressBar {
    let speed = move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
        let _ = write!(text, "{} {unit}/s", rounded(state.per_sec()));
    };
    let style =
        ProgressStyle::with_template("{msg}  {wide_bar} {percent:>3}%  {speed}  {eta} left")
            .expect("the template is well-formed")
            .with_key("speed", speed);
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    bar.with_style(style)
}
