//! What a build needs: disk, memory, and how it shares them out.

use super::super::few::readers;
use super::super::reading::PIECE;
use super::super::{Encoding, Layout, PartialLayer};
use super::calibrate::Speed;
use super::reads::{Reading, Reads};
use super::schedule::{PairOf, Schedule, Step, pairs, size};
use super::stages::{Most, Stages};
use crate::generator::needs;
use crate::ranking::row_count;

/// What a build will need and what there is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// All layers, by stones.
    pub layers: Vec<LayerPlan>,
    /// The layers to build, by stones.
    pub missing: Vec<usize>,
    /// How they will be written.
    pub encoding: Encoding,
    /// The first of them that was begun in another encoding: with that in the folder, they are not
    /// built.
    pub begun_otherwise: Option<PartialLayer>,
    /// Positions of all layers to build.
    pub positions: u64,
    /// Bytes of all files to build, less those that are there of layers that were begun. Of compact
    /// files nobody knows before; this is an estimate then.
    pub disk_bytes: u64,
    /// Bytes that the folder's file system has left.
    pub disk_free: u64,
    /// Bytes of memory without which the build is not begun.
    pub memory_needed: u64,
    /// Bytes of memory with which it is fastest, transposed copies of all layers kept.
    pub memory_wanted: u64,
    /// Bytes of memory it may use.
    pub memory_free: u64,
    /// Whether all layers have room in memory beside that as they are, so that byte files are read
    /// where they are mapped.
    pub(super) plentiful: bool,
    /// What there is for blocks of positions.
    room: Room,
    /// By stones, how the pairs of each layer are solved.
    ways: Vec<Way>,
}

/// What building a layer will take.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Estimate {
    /// Seconds; none for a layer that is there.
    pub seconds: f64,
    /// Bytes that are read from the files of lower layers to have in memory what its pairs are computed
    /// from, again for each pair that does not find it there.
    pub bytes_read: u64,
}

/// What a layer needs, or what is there of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayerPlan {
    /// Stones in the pits.
    pub stones: usize,
    /// How many positions it has.
    pub positions: u64,
    /// Bytes of its file: those that it has, or will have, of a compact one as far as can be said.
    pub bytes: u64,
    /// Bytes of memory that building it takes at least.
    pub memory: u64,
    /// How it is written when it is there.
    pub there: Option<Encoding>,
    /// Positions that are finished of it when it was begun.
    pub begun: u64,
}

/// What is there of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct There {
    /// How its file is written, and how many bytes it has.
    pub file: Option<(Encoding, u64)>,
    /// What is finished of it when it was begun.
    pub begun: Option<PartialLayer>,
}

impl There {
    /// Positions that are finished in an encoding, and the bytes they take.
    fn begun_in(&self, encoding: Encoding) -> (u64, u64) {
        let begun = self.begun.filter(|begun| begun.encoding == encoding);
        begun.map_or((0, 0), |begun| (begun.positions, begun.bytes))
    }
}

/// In which encoding to go on: that of the first layer that was begun, or else of the largest there.
pub(super) fn encoding_of(there: &[There]) -> Encoding {
    let begun = there.iter().find_map(|there| there.begun).map(|begun| begun.encoding);
    let largest = there.iter().rev().find_map(|there| there.file).map(|(encoding, _)| encoding);
    begun.or(largest).unwrap_or(Encoding::Bytes)
}

/// Bits of a position that a compact file of so many stones has where there is none to tell, a
/// twentieth more than was measured with six pits: 2.60 with 24 stones, 2.75 with 30, 2.81 with 37.
fn typical_bits(stones: usize) -> f64 {
    1.05 * (2.85 - 0.25 * ((24.0 - stones as f64) / 6.5).exp()).max(2.25)
}

/// Bits of a position that a compact file of so many stones will have: as many as the one next to it.
fn compact_bits(stones: usize, there: &[There], positions: impl Fn(usize) -> u64) -> f64 {
    let compact = there.iter().enumerate().filter_map(|(other, there)| match there.file {
        // Those that are small consist of other things.
        Some((Encoding::Compact, bytes)) if positions(other) >= 1 << 20 => Some((other, bytes)),
        _ => None,
    });
    let next = compact.min_by_key(|&(other, _)| stones.abs_diff(other));
    next.map_or_else(
        || typical_bits(stones),
        |(other, bytes)| 8.0 * bytes as f64 / positions(other) as f64,
    )
}

/// What there is for a build to use.
#[derive(Clone, Copy)]
pub(super) struct Free {
    /// Bytes that the folder's file system has left.
    pub disk: u64,
    /// Bytes of memory that are free or allowed.
    pub memory: u64,
    /// Bytes of address space that may still be taken, if there is a limit.
    pub address_space: Option<u64>,
}

/// What there is for blocks of positions, besides what is taken whatever is being computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Room {
    memory: u64,
    addresses: u64,
}

impl Room {
    /// Bytes that there are for what takes as much memory as addresses.
    fn of_both(self) -> u64 {
        self.memory.min(self.addresses)
    }

    /// What is left when something has taken its part.
    fn less(self, taken: Most) -> Self {
        Room {
            memory: self.memory.saturating_sub(taken.memory),
            addresses: self.addresses.saturating_sub(taken.addresses),
        }
    }
}

/// How the pairs of a layer are solved, and what the largest takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Way {
    /// Whether in stages, as there is no room for all that a pair is computed from.
    staged: bool,
    most: Most,
    /// What of that is taken by matrices of which few lines are in memory.
    sparse: Most,
    /// Bytes of which there have to be as many as in [`Room::of_both`] for either way to be possible.
    least: u64,
}

impl Way {
    /// The way to take in some room: all at once where there is enough, which is faster.
    fn of<const P: usize>(stones: usize, room: Room) -> Self {
        let pairs: Vec<PairOf> = pairs::<P>(&[stones]).collect();
        let costs = pairs.iter().map(|&pair| Cost::of::<P>(pair));
        let whole = costs.reduce(Cost::max).map_or(0, Cost::all);
        let (mut most, mut sparse) = (Most::default(), Most::default());
        for &pair in &pairs {
            let of_pair = in_stages::<P>(pair);
            sparse = sparse.max(of_pair);
            most = most.max(of_pair.and(Cost::of::<P>(pair).own));
        }
        // Stages take addresses for whole matrices; where these are too few, it is them that must be
        // more.
        let staged = if most.addresses <= room.addresses { most.memory } else { most.addresses };
        let least = whole.min(staged);
        match whole <= room.of_both() {
            true => {
                let (most, sparse) = (Most::default().and(whole), Most::default());
                Way { staged: false, most, sparse, least }
            }
            false => Way { staged: true, most, sparse, least },
        }
    }
}

/// What the matrices take that a pair is computed from in stages.
fn in_stages<const P: usize>(pair: PairOf) -> Most {
    let whole = Cost::of::<P>(pair);
    // Of more, the stages take long to count, and nobody has as much memory.
    let Most { memory, addresses } = match pair.0 + pair.1 > MOST_STAGED {
        true => Most { memory: whole.read / 2, addresses: whole.read },
        false => Stages::new::<P>(pair).most::<P>(),
    };
    // And parts of pages at the ends of what is read.
    let memory = memory.saturating_add(memory / 16);
    Most { memory, addresses: addresses.max(memory) }
}

/// How the memory is used while a layer is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Share {
    /// How many pairs of blocks are solved at once.
    pub workers: usize,
    /// Bytes for lower matrices.
    pub kept: u64,
    /// Bytes that all buffers may take together, what lies idle of them counted.
    pub buffers: u64,
    /// Whether pairs are solved in stages, with part of what they are computed from in memory.
    pub staged: bool,
}

/// Bytes for what buffers take besides themselves where memory is scarce: parts of pages between
/// them.
const GAPS: u64 = 24 << 20;

/// The most stones of pairs whose stages are counted one by one.
const MOST_STAGED: usize = 48;

/// Bytes of files that one block has in memory while it is read: a piece, and the next.
const READING: u64 = 2 * PIECE;

/// Bytes that the program takes for itself.
const ITSELF: u64 = 32 << 20;

/// Bytes that are taken besides blocks to build layers of up to `stones` stones: the program itself,
/// the moves of every row and how they map others, the buffers of each thread, and what is read at a
/// time.
fn besides<const P: usize>(stones: usize) -> u64 {
    let rows = (0..=stones).map(|stones| row_count(P, stones)).fold(0, u64::saturating_add);
    let threads = rayon::current_num_threads() as u64;
    let buffers = row_count(P, stones).saturating_mul(64).saturating_mul(threads);
    let read = READING.saturating_mul(readers() as u64);
    ITSELF.saturating_add(rows.saturating_mul(96)).saturating_add(buffers).saturating_add(read)
}

/// Address space, used or not, that a further thread takes for its stack and allocations.
const THREAD: u64 = 68 << 20;

impl Plan {
    /// What the missing layers need, and what of it there is. `there`: what is there of each layer,
    /// from none on; `in_memory`: the folder itself lies in memory.
    pub(super) fn new<const P: usize>(
        there: &[There],
        encoding: Encoding,
        layout: impl Fn(usize) -> Layout,
        free: Free,
        in_memory: bool,
    ) -> Self {
        let layouts: Vec<Layout> = (0..there.len()).map(&layout).collect();
        let bytes = |stones: usize| match encoding {
            Encoding::Bytes => layouts[stones].file_length(),
            Encoding::Compact => {
                let bits = compact_bits(stones, there, |stones| layouts[stones].positions());
                let begin = layouts[stones].block(0).offset;
                begin.saturating_add((layouts[stones].positions() as f64 * bits / 8.0) as u64)
            }
        };
        let mut layers: Vec<LayerPlan> = there
            .iter()
            .enumerate()
            .map(|(stones, there)| LayerPlan {
                stones,
                positions: layouts[stones].positions(),
                bytes: there.file.map_or_else(|| bytes(stones), |(_, bytes)| bytes),
                memory: besides::<P>(stones).saturating_add(GAPS),
                there: there.file.map(|(encoding, _)| encoding),
                begun: there.begun_in(encoding).0,
            })
            .collect();
        let to_build = layers.iter().filter(|layer| layer.there.is_none());
        let missing: Vec<usize> = to_build.clone().map(|layer| layer.stones).collect();
        let disk_bytes = to_build.clone().map(|layer| layer.bytes).fold(0, u64::saturating_add);
        let begun = there.iter().map(|there| there.begun_in(encoding).1);
        let begun = begun.fold(0, u64::saturating_add);
        let mut begun_otherwise = there.iter().filter_map(|there| there.begun);
        let begun_otherwise = begun_otherwise.find(|begun| begun.encoding != encoding);
        let (files, mapped) = if in_memory { (disk_bytes, 0) } else { (0, disk_bytes) };
        let last = missing.last().copied().unwrap_or(0);
        let lower = (0..last).map(layout);
        let kept = lower.map(|layout| layout.positions()).fold(0, u64::saturating_add);
        let fixed = besides::<P>(last).saturating_add(GAPS).saturating_add(files);
        // Finished files are mapped, which takes no memory and yet address space; and a few threads
        // are started besides those that are there, the committer and what the caller has.
        let addresses = free.address_space.unwrap_or(u64::MAX);
        let addresses = addresses.saturating_sub(mapped.saturating_add(3 * THREAD));
        let room = Room {
            memory: free.memory.saturating_sub(fixed),
            addresses: addresses.saturating_sub(fixed),
        };
        let ways = (0..there.len()).map(|stones| Way::of::<P>(stones, room));
        let ways: Vec<Way> = ways.collect();
        let least = missing.iter().map(|&stones| ways[stones].least).max();
        let needed = fixed.saturating_add(least.unwrap_or(0));
        let wanted = fixed.saturating_add(largest::<P>(&missing, Cost::of_mapped::<P>));
        let wanted = wanted.saturating_add(kept).max(needed);
        let memory_free = free.memory.min(addresses);
        let positions = to_build.map(|layer| layer.positions).fold(0, u64::saturating_add);
        for (layer, way) in layers.iter_mut().zip(&ways) {
            layer.memory = layer.memory.saturating_add(way.least);
        }
        Plan {
            positions,
            layers,
            missing,
            encoding,
            begun_otherwise,
            disk_bytes: disk_bytes.saturating_sub(begun),
            disk_free: free.disk,
            memory_needed: needed,
            memory_wanted: wanted,
            memory_free,
            plentiful: wanted.saturating_add(kept) <= memory_free,
            room,
            ways,
        }
    }

    /// Bytes that all buffers may take together in any layer.
    pub(super) fn buffers(&self) -> u64 {
        if self.plentiful { u64::MAX } else { self.room.of_both() }
    }

    /// How to use the memory there is for the steps of a layer, with so many threads.
    pub(super) fn share<const P: usize>(&self, steps: &[Step], threads: usize) -> Share {
        let way = steps.first().map(|step| self.ways[step.stones()]);
        if let Some(Way { staged: true, most, sparse, .. }) = way.filter(|_| !self.plentiful) {
            let [kept, buffers] = [most, sparse].map(|taken| self.room.less(taken).of_both());
            return Share { workers: 1, kept, buffers, staged: true };
        }
        let costs = steps.iter().map(|step| match self.plentiful {
            true => Cost::of_mapped::<P>((step.south, step.north)),
            false => Cost::of::<P>((step.south, step.north)),
        });
        let Cost { own, read } = costs.reduce(Cost::max).unwrap_or(Cost { own: 0, read: 0 });
        // Compact files come one block after the other: pairs may wait for those before them.
        let waiting = if self.encoding == Encoding::Compact { own } else { 0 };
        let free = self.room.of_both();
        // Each but the first, whose reading is counted already.
        let beside = waiting.saturating_add(READING);
        let each = own.saturating_add(beside).saturating_add(read).max(1);
        let workers = usize::try_from(free / each).unwrap_or(usize::MAX).clamp(1, threads);
        let own = if workers == 1 { own } else { own.saturating_add(beside) };
        let kept = free.saturating_sub((workers as u64).saturating_mul(own));
        Share { workers, kept, buffers: self.buffers(), staged: false }
    }

    /// What each layer of [`Plan::layers`] will take on a machine of this speed.
    ///
    /// The time is that of computing and writing, `speed` a position where it was measured and so
    /// much more for each stone more as it was measured to be; or that of writing alone where the
    /// disk is slower; and that of reading lower layers again as often as memory makes it necessary,
    /// which is counted pair by pair: decoding, or the disk where that is slower, as if the system kept
    /// no copies of files.
    pub fn estimate<const P: usize>(&self, speed: &Speed) -> Vec<Estimate> {
        let (schedule, steps) = Schedule::new::<P>(pairs::<P>(&self.missing));
        let mut estimates = vec![Estimate::default(); self.layers.len()];
        for layer in self.layers.iter().filter(|layer| layer.there.is_none()) {
            let left = layer.positions.saturating_sub(layer.begun) as f64;
            let written = left / layer.positions as f64 * layer.bytes as f64 / speed.written;
            estimates[layer.stones].seconds = (left * speed.at(layer.stones)).max(written);
        }
        if self.plentiful {
            return estimates;
        }
        let mut reads = Reads::<P>::new(schedule);
        for steps in steps.chunk_by(|a, b| a.stones() == b.stones()) {
            let share = self.share::<P>(steps, speed.threads);
            reads.begin_layer(share.kept);
            let estimate = &mut estimates[steps[0].stones()];
            for step in steps {
                for (side, reading) in reads.step(step, share.staged) {
                    let layer = &self.layers[side.south + side.north];
                    let encoding = layer.there.unwrap_or(self.encoding);
                    let Reading { decoded, checked } = reading;
                    // Checks of byte files are read where only parts of blocks are.
                    let read = match encoding {
                        Encoding::Bytes => decoded.saturating_add(checked),
                        Encoding::Compact => {
                            let bytes = layer.bytes as f64 / layer.positions as f64;
                            (decoded as f64 * bytes) as u64
                        }
                    };
                    let seconds = decoded as f64 / speed.decoded;
                    estimate.seconds += seconds.max(read as f64 / speed.read);
                    estimate.bytes_read = estimate.bytes_read.saturating_add(read);
                }
            }
        }
        estimates
    }
}

/// Bytes that the largest pair of some layers takes.
fn largest<const P: usize>(layers: &[usize], cost: fn(PairOf) -> Cost) -> u64 {
    pairs::<P>(layers).map(|pair| cost(pair).all()).max().unwrap_or(0)
}

/// Bytes of memory that a pair of blocks takes.
#[derive(Clone, Copy)]
struct Cost {
    /// While it is solved and written.
    own: u64,
    /// What it is computed from.
    read: u64,
}

impl Cost {
    /// Where all that it is computed from is read into memory.
    fn of<const P: usize>((south, north): PairOf) -> Self {
        let read =
            needs::<P>(south, north).into_iter().map(|side| size::<P>(side.south, side.north));
        let own = size::<P>(south, north).saturating_mul(2);
        Cost { own, read: read.fold(0, u64::saturating_add) }
    }

    /// Where half of that is read as it lies in the files, and memory is plentiful: there is a
    /// transpose then, and as much again for the gaps between buffers.
    fn of_mapped<const P: usize>(pair: PairOf) -> Self {
        let Cost { own, read } = Cost::of::<P>(pair);
        Cost { own: own.saturating_mul(2), read: read / 2 }
    }

    /// What the larger of both takes of each.
    fn max(self, other: Self) -> Self {
        Cost { own: self.own.max(other.own), read: self.read.max(other.read) }
    }

    fn all(self) -> u64 {
        self.own.saturating_add(self.read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tables::LayerId;
    use crate::tables::build::schedule::Schedule;

    const PLENTY: Free = Free { disk: u64::MAX, memory: u64::MAX, address_space: None };

    fn file(stones: usize) -> Layout {
        Layout::new(LayerId { rules: Rules::Standard, pits: 6, stones: stones as u8 }).unwrap()
    }

    /// The plan for these layers, those below them being there.
    fn plan(missing: &[usize], free: Free, in_memory: bool) -> Plan {
        let all = missing.last().map_or(0, |last| last + 1);
        let mut there: Vec<There> = (0..all).map(in_bytes).collect();
        missing.iter().for_each(|&stones| there[stones] = There::default());
        Plan::new::<6>(&there, Encoding::Bytes, file, free, in_memory)
    }

    /// Bytes of memory that layers up to one take where none is solved in stages.
    fn whole(stones: usize) -> u64 {
        besides::<6>(stones) + GAPS + largest::<6>(&[stones], Cost::of::<6>)
    }

    fn in_bytes(stones: usize) -> There {
        There { file: Some((Encoding::Bytes, file(stones).file_length())), begun: None }
    }

    #[test]
    fn compact_files_are_estimated_by_those_that_are_there() {
        let bits = |there: &[There]| {
            let plan = Plan::new::<6>(there, Encoding::Compact, file, PLENTY, false);
            let LayerPlan { bytes, positions, .. } = plan.layers[20];
            assert_eq!(plan.disk_bytes, bytes - there[20].begun.map_or(0, |begun| begun.bytes));
            8.0 * bytes as f64 / positions as f64
        };
        let mut there: Vec<There> = (0..20).map(in_bytes).chain([There::default()]).collect();
        assert!((bits(&there) - typical_bits(20)).abs() < 0.01);
        let quarter = file(17).positions() / 4;
        there[17] = There { file: Some((Encoding::Compact, quarter)), begun: None };
        there[9] = There { file: Some((Encoding::Compact, 1 << 30)), begun: None };
        assert!((bits(&there) - 2.0).abs() < 0.01);
        there[20].begun = Some(begun(20, Encoding::Compact));
        assert!((bits(&there) - 2.0).abs() < 0.01);
    }

    #[test]
    fn less_memory_and_more_stones_take_longer() {
        let speed =
            Speed { threads: 2, stones: 18, position: 2e-9, decoded: 1e9, written: 1e9, read: 1e9 };
        let all: Vec<usize> = (0..=22).collect();
        let plenty = plan(&all, PLENTY, false);
        let seconds = |plan: &Plan| -> Vec<f64> {
            plan.estimate::<6>(&speed).iter().map(|estimate| estimate.seconds).collect()
        };
        let quick = seconds(&plenty);
        assert!(quick.is_sorted() && quick.len() == 23);
        let whole = plan(&all, Free { memory: whole(22), ..PLENTY }, false);
        let staged = plan(&all, Free { memory: plenty.memory_needed, ..PLENTY }, false);
        assert!(!whole.ways[22].staged && staged.ways[22].staged);
        assert!(seconds(&whole)[22] > quick[22] && seconds(&staged)[22] > seconds(&whole)[22]);
        let read = |plan: &Plan| plan.estimate::<6>(&speed)[22].bytes_read;
        assert!(read(&plenty) == 0 && read(&whole) > 0 && read(&staged) > read(&whole));
        assert_eq!(seconds(&plan(&[22], PLENTY, false))[21], 0.0);
        // A slow disk is what it takes then.
        let slow = Speed { read: 1e6, ..speed };
        let disk = staged.estimate::<6>(&slow)[22];
        assert!(disk.seconds > disk.bytes_read as f64 / 1e6);
    }

    #[test]
    fn what_is_needed_is_what_it_is_built_with() {
        let all: Vec<usize> = (0..=20).collect();
        // Stages of little memory take addresses for whole matrices.
        let whole = whole(20);
        let staged = plan(&all, PLENTY, false).memory_needed;
        assert!(staged < whole, "{staged} of {whole}");
        assert_eq!(plan(&all, Free { memory: 0, ..PLENTY }, false).memory_needed, staged);
        let mapped = all.iter().map(|&stones| file(stones).file_length()).sum::<u64>() + 3 * THREAD;
        let mut fitting = [0; 2];
        for memory in [0, staged - 1, staged, whole - 1, whole, 1 << 40] {
            for addresses in (0..40).map(|part| whole / 32 * part) {
                let free = Free { memory, address_space: Some(mapped + addresses), ..PLENTY };
                let plan = plan(&all, free, false);
                let fits = plan.memory_needed <= plan.memory_free;
                if !fits {
                    continue;
                }
                let way = plan.ways[20];
                fitting[usize::from(way.staged)] += 1;
                assert!(way.most.memory <= plan.room.memory, "{memory} {addresses}");
                assert!(way.most.addresses <= plan.room.addresses, "{memory} {addresses}");
                let (_, steps) = Schedule::new::<6>(pairs::<6>(&[20]));
                let share = plan.share::<6>(&steps, 2);
                assert_eq!(share.staged, way.staged);
                if way.staged {
                    // Whatever else buffers have been used for.
                    assert!(share.buffers + way.sparse.memory <= plan.room.memory);
                    assert!(share.buffers + way.sparse.addresses <= plan.room.addresses);
                    assert!(share.kept + Cost::of::<6>((10, 10)).own <= share.buffers);
                }
            }
        }
        assert!(fitting.iter().all(|&fitting| fitting > 2), "{fitting:?}");
    }

    #[test]
    fn only_missing_layers_are_counted() {
        let all: Vec<usize> = (0..=24).collect();
        let plan = |missing: &[usize]| plan(missing, PLENTY, false);
        assert_eq!(plan(&all).positions, 1_251_677_700);
        let bytes: u64 = all.iter().map(|&stones| file(stones).file_length()).sum();
        assert_eq!(plan(&all).disk_bytes, bytes);
        assert_eq!(plan(&[24]).disk_bytes, file(24).file_length());
        // What is there is read all the same, and its transposes are kept.
        assert_eq!(plan(&[24]).memory_wanted, plan(&all).memory_wanted);
        let there: Vec<There> = (0..3).map(in_bytes).collect();
        let nothing = Plan::new::<6>(&there, Encoding::Bytes, file, PLENTY, false);
        assert_eq!((nothing.positions, nothing.disk_bytes), (0, 0));
    }

    fn begun(stones: usize, encoding: Encoding) -> PartialLayer {
        let id = LayerId { rules: Rules::Standard, pits: 6, stones: stones as u8 };
        PartialLayer { id, encoding, blocks: 1, positions: 1000, bytes: 900 }
    }

    #[test]
    fn it_is_gone_on_in_the_encoding_that_was_begun_or_is_there() {
        let mut there: Vec<There> = (0..3).map(in_bytes).chain([There::default(); 3]).collect();
        assert_eq!(encoding_of(&there[3..]), Encoding::Bytes);
        there[2].file = Some((Encoding::Compact, 1000));
        assert_eq!(encoding_of(&there), Encoding::Compact);
        let plan = |there: &[There], encoding| {
            Plan::new::<6>(there, encoding, file, PLENTY, false).begun_otherwise
        };
        there[3].begun = Some(begun(3, Encoding::Bytes));
        assert_eq!(encoding_of(&there), Encoding::Bytes);
        assert_eq!(plan(&there, Encoding::Bytes), None);
        assert_eq!(plan(&there, Encoding::Compact), there[3].begun);
    }

    #[test]
    fn files_in_memory_are_counted_as_memory() {
        let (disk, memory) = (plan(&[20], PLENTY, false), plan(&[20], PLENTY, true));
        assert_eq!(memory.memory_needed - disk.memory_needed, file(20).file_length());
        assert_eq!(memory.memory_wanted - disk.memory_wanted, file(20).file_length());
    }

    #[test]
    fn a_limit_on_addresses_limits_the_memory() {
        let limited = |bytes| Free { memory: 1 << 40, address_space: Some(bytes), ..PLENTY };
        assert_eq!(plan(&[20], limited(1 << 20), false).memory_free, 0);
        assert_eq!(plan(&[20], limited(1 << 50), false).memory_free, 1 << 40);
        let mapped = plan(&[20], limited(1 << 30), false).memory_free;
        let counted = plan(&[20], limited(1 << 30), true).memory_free;
        assert!(0 < mapped && mapped < 1 << 30);
        assert_eq!(counted - mapped, file(20).file_length());
    }

    #[test]
    fn no_more_memory_is_shared_out_than_there_is() {
        let all: Vec<usize> = (0..=20).collect();
        let needed = whole(20);
        let fixed = besides::<6>(20) + GAPS;
        let (_, steps) = Schedule::new::<6>(pairs::<6>(&[20]));
        let Cost { own, read } = Cost::of::<6>((10, 10));
        assert_eq!(needed, fixed + own + read);
        for spare in [0, 1, own + read + READING] {
            let plan = plan(&all, Free { memory: needed + spare, ..PLENTY }, false);
            for threads in [1, 2, 64] {
                let Share { workers, kept, .. } = plan.share::<6>(&steps, threads);
                assert!((1..=threads).contains(&workers));
                let own = if workers == 1 { own } else { own + READING };
                assert_eq!(fixed + workers as u64 * own + kept, needed + spare);
                assert!(kept >= workers as u64 * read);
            }
        }
        let plenty = plan(&all, PLENTY, false);
        assert!(plenty.plentiful);
        assert_eq!(plenty.share::<6>(&steps, 64).workers, 64);
    }

    #[test]
    fn files_are_mapped_where_they_have_room_beside_their_transposes() {
        let Plan { memory_wanted: wanted, .. } = plan(&[20], PLENTY, false);
        let lower: u64 = (0..20).map(|stones| file(stones).positions()).sum();
        for (memory, mapped) in [(wanted + lower, true), (wanted + lower - 1, false)] {
            assert_eq!(plan(&[20], Free { memory, ..PLENTY }, false).plentiful, mapped);
        }
    }

    #[test]
    fn the_largest_tables_can_be_planned() {
        let largest = LayerId { rules: Rules::Standard, pits: 6, stones: 127 };
        let plan = plan(&(0..=127).collect::<Vec<_>>(), PLENTY, true);
        assert!(plan.disk_bytes > Layout::new(largest).unwrap().file_length());
        assert!(plan.memory_needed > plan.disk_bytes);
        let (_, steps) = Schedule::new::<6>(pairs::<6>(&[127]));
        assert_eq!(plan.share::<6>(&steps, 1).workers, 1);
    }
}
