//! What a person sees of tables being built.

use std::path::Path;

use indicatif::DecimalBytes;
use kalah::ranking::Layer;
use kalah::tables::TableError;
use kalah::tables::build::{self, Plan};

use super::args::OutputArgs;
use super::output::{rounded, shell_word};
use super::progress::{Progress, ProgressArgs};
use super::search::Limits;

/// Positions from which on a build is long enough for a person to want to know beforehand.
const LONG: u64 = 100_000_000;

/// What a build will take, in a line.
fn planned(plan: &Plan) -> String {
    let layers = plan.missing.len();
    let line = format!(
        "building {layers} layer{}: {} positions, {} on disk, {} of memory",
        if layers == 1 { "" } else { "s" },
        rounded(plan.positions as f64),
        DecimalBytes(plan.disk_bytes),
        DecimalBytes(plan.memory_wanted.min(plan.memory_free)),
    );
    match plan.memory_wanted > plan.memory_free {
        true => format!("{line} ({} would be faster)", DecimalBytes(plan.memory_wanted)),
        false => line,
    }
}

/// Passes on what the generator says, and to it when to stop.
pub struct Watcher<'a, const P: usize> {
    folder: &'a Path,
    /// The stones of the last layer.
    stones: usize,
    quiet: bool,
    limits: &'a Limits,
    progress: Progress,
}

impl<'a, const P: usize> Watcher<'a, P> {
    /// Follows the build of all layers up to so many stones.
    pub fn new(
        folder: &'a Path,
        stones: usize,
        progress: &ProgressArgs,
        output: &OutputArgs,
        limits: &'a Limits,
    ) -> Self {
        // Layers too large to count are refused before anything is done.
        let positions = (0..=stones)
            .filter_map(Layer::<P>::new)
            .fold(0, |sum: u64, layer| sum.saturating_add(layer.positions()));
        let progress = Progress::new(progress, output, positions);
        Watcher { folder, stones, quiet: output.quiet, limits, progress }
    }

    /// Nothing more will be shown.
    pub fn finish(&self) {
        self.progress.finish();
    }
}

impl<const P: usize> build::Progress for Watcher<'_, P> {
    fn waiting_for_lock(&self) {
        if !self.quiet {
            let folder = shell_word(self.folder);
            self.progress.say(&format!("another kalah is writing to {folder}; waiting for it"));
        }
    }

    fn layer_kept(&self, stones: usize) {
        self.progress.skip(Layer::<P>::new(stones).map_or(0, |layer| layer.positions()));
    }

    fn layer_damaged(&self, _stones: usize, damage: &TableError) {
        // Damage has a cause, often a failing disk: it is told even to those who want quiet.
        self.progress.say(&format!("{}; it will be made anew", damage.without_advice()));
    }

    fn planned(&self, plan: &Plan) {
        if self.progress.is_shown() && plan.positions >= LONG {
            self.progress.say(&planned(plan));
        }
    }

    fn layer_started(&self, stones: usize, _positions: u64) {
        self.progress.stage(format!("layer {stones} of {}", self.stones));
    }

    fn positions_done(&self, count: u64) {
        self.progress.advance(count);
    }

    fn layer_finished(&self, _stones: usize) {
        self.progress.stage_finished();
    }

    fn interrupted(&self) -> bool {
        self.limits.reached()
    }
}
