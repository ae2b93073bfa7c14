//! What a person sees of tables being built.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use indicatif::DecimalBytes;
use kalah::ranking::Layer;
use kalah::tables::build::{self, Plan};
use kalah::tables::{PartialLayer, TableError};

use super::args::OutputArgs;
use super::output::{rounded, shell_word};
use super::progress::{Progress, ProgressArgs};
use super::search::Limits;

/// Positions from which on a build is long enough for a person to want to know beforehand.
const LONG: u64 = 100_000_000;

/// Bytes from which on checking a file takes long enough for a person to see it.
const LARGE: u64 = 1 << 30;

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
    /// How many large files were checked.
    checked: AtomicUsize,
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
        Watcher {
            folder,
            stones,
            quiet: output.quiet,
            limits,
            progress,
            checked: AtomicUsize::new(0),
        }
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

    fn checking(&self, stones: usize, bytes: u64) {
        if bytes >= LARGE {
            self.progress.stage(format!("checking layer {stones}"));
            if self.progress.is_shown() && self.checked.fetch_add(1, Relaxed) == 0 {
                self.progress.say("checking the layers that are there");
            }
        }
    }

    fn layer_kept(&self, stones: usize) {
        self.progress.skip(Layer::<P>::new(stones).map_or(0, |layer| layer.positions()));
    }

    fn layer_damaged(&self, _stones: usize, damage: &TableError) {
        // Damage has a cause, often a failing disk: it is told even to those who want quiet.
        self.progress.say(&format!("{}; it will be made anew", damage.without_advice()));
    }

    fn partial_removed(&self, layer: &PartialLayer) {
        let PartialLayer { id, blocks, bytes, .. } = layer;
        let bytes = DecimalBytes(*bytes);
        self.progress.say(&format!(
            "what there is of layer {} ({blocks} blocks, {bytes}) may have been computed from that; it \
             will be made anew",
            id.stones
        ));
    }

    fn planned(&self, plan: &Plan) {
        if self.progress.is_shown() && plan.positions >= LONG {
            self.progress.say(&planned(plan));
        }
    }

    fn layer_started(&self, stones: usize, _positions: u64) {
        self.progress.stage(format!("layer {stones} of {}", self.stones));
    }

    fn layer_resumed(&self, stones: usize, positions: u64) {
        self.progress.skip(positions);
        if self.progress.is_shown() {
            let all = Layer::<P>::new(stones).map_or(0, |layer| layer.positions());
            let part = 100.0 * positions as f64 / all.max(1) as f64;
            self.progress
                .say(&format!("going on with layer {stones}, of which {part:.0}% is there"));
        }
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
