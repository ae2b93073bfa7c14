//! Lines in which South moves: the minimum of one finished line for each of South's moves.

use super::kernels::{lower, lower_by_rest, prefetch_line, rest};
use super::lines::{Side, Turn};
use super::pair::{Member, Pair, Setting};
use super::runs::{FILLER, SLACK};
use super::sowing::{Adds, Landing, Packed, facing};
use crate::rules::Rules;

/// Memory that is used again and again.
#[derive(Default)]
pub(super) struct SouthScratch<'a> {
    steps: Vec<Step>,
    sources: Vec<&'a [u8]>,
    line: Vec<u8>,
}

/// What a move of South's contributes to a line, from the next sources of the list.
#[derive(Clone, Copy)]
enum Step {
    /// The turn passes, all elements stay in place.
    Pass,
    /// South moves again: North gets at most this less what South gets.
    Extra(u8),
    /// The turn passes, or not, after stones were added to North's row.
    Adding(Adds, Option<u8>),
    Capture {
        laps: u8,
        facing: usize,
    },
    /// The line is complete.
    Done,
}

/// Steps and sources that are still to be worked off.
#[derive(Clone, Copy)]
struct Agenda<'a> {
    steps: &'a [Step],
    sources: &'a [&'a [u8]],
}

impl<'a> Agenda<'a> {
    #[inline(always)]
    fn step(&mut self) -> Option<Step> {
        self.steps.split_off_first().copied()
    }

    /// The next sources; there are as many as the steps call for.
    #[inline(always)]
    fn sources(&mut self, count: usize) -> &'a [&'a [u8]] {
        let (taken, left) = self.sources.split_at(count);
        self.sources = left;
        taken
    }
}

impl<'a, const P: usize> Pair<'a, P> {
    /// Computes the lines of some rows, South to move.
    ///
    /// # Safety
    ///
    /// No other thread holds these lines, and the lines of all rows of lower potential are final.
    #[inline(always)]
    pub unsafe fn south_lines<'b>(&'b self, members: &[Member], scratch: &mut SouthScratch<'b>) {
        scratch.steps.clear();
        scratch.sources.clear();
        for member in members {
            // SAFETY: the lines of lower potential are final, says the caller.
            unsafe { self.plan(member.row, scratch) };
        }
        let mut ahead = Agenda { steps: &scratch.steps, sources: &scratch.sources };
        let mut agenda = ahead;
        self.prefetch(&mut ahead);
        for member in members {
            self.prefetch(&mut ahead);
            // SAFETY: the lines are ours, says the caller.
            let line = unsafe { self.south_moves.line_mut(member.rank) };
            self.south_line(line, &mut agenda, &mut scratch.line);
        }
    }

    /// Lists what the line of `row` is computed from, South to move.
    ///
    /// # Safety
    ///
    /// The lines of all rows of lower potential are final.
    #[inline(always)]
    unsafe fn plan<'b>(&'b self, row: Packed, scratch: &mut SouthScratch<'b>) {
        let Setting { rules, south, north, lower: lines, maps, sowings, .. } = self.setting;
        let stones = south + north;
        let SouthScratch { steps, sources, .. } = scratch;
        let mut source = |line: &'b [u8]| sources.push(line);
        for pit in 0..P {
            let Some(sowing) = sowings.sow(row, pit) else { continue };
            let added = sowing.adds.stones(P);
            let side = |turn, captor, captured| Side {
                south: south - added - sowing.gain - captor,
                north: north + added - captured,
                turn,
            };
            match sowing.landing {
                Landing::Empty(landing) => {
                    let row = sowing.row.cleared::<P>(landing).rank::<P>();
                    let Adds { laps, .. } = sowing.adds;
                    steps.push(Step::Capture { laps, facing: facing::<P>(landing) });
                    source(FILLER);
                    // By what the facing pit held before: nothing captured is a source of its own.
                    for held in 0..=north {
                        let captured = held + usize::from(laps);
                        source(if captured == 0 && rules == Rules::Standard {
                            // SAFETY: the stone moved within the row, to one of lower potential.
                            unsafe { self.north_moves.line(sowing.row.rank::<P>()) }
                        } else {
                            lines.matrix(side(Turn::North, 1, captured)).line(row)
                        });
                    }
                }
                Landing::Pit if sowing.gain == 0 => {
                    steps.push(Step::Pass);
                    // SAFETY: the stones moved within the row, to one of lower potential.
                    source(unsafe { self.north_moves.line(sowing.row.rank::<P>()) });
                }
                landing => {
                    let (turn, from) = match landing {
                        Landing::Store => (Turn::South, Some((stones - sowing.gain) as u8)),
                        _ => (Turn::North, None),
                    };
                    let line = lines.matrix(side(turn, 0, 0)).line(sowing.row.rank::<P>());
                    let in_place = match sowing.adds {
                        Adds::NONE => Some(line),
                        adds => maps.adding(adds).shifted(line),
                    };
                    match in_place {
                        Some(line) => {
                            steps.push(from.map_or(Step::Pass, Step::Extra));
                            source(line);
                        }
                        None => {
                            steps.push(Step::Adding(sowing.adds, from));
                            source(FILLER);
                            source(line);
                        }
                    }
                }
            }
        }
        steps.push(Step::Done);
    }

    /// Asks for the memory that the next line on the agenda is computed from.
    #[inline(always)]
    fn prefetch(&self, agenda: &mut Agenda<'_>) {
        while let Some(step) = agenda.step() {
            match step {
                Step::Pass | Step::Extra(_) => prefetch_line(agenda.sources(1)[0]),
                Step::Adding(adds, _) => {
                    self.setting.maps.adding(adds).prefetch(agenda.sources(2));
                }
                Step::Capture { laps, facing } => {
                    let sources = agenda.sources(self.setting.north + 2);
                    self.setting.maps.capturing(laps, facing).prefetch(sources);
                }
                Step::Done => break,
            }
        }
    }

    /// Computes the next line on the agenda, South to move: the least that is left for North over
    /// South's moves.
    #[inline(always)]
    fn south_line(&self, line: &mut [u8], agenda: &mut Agenda<'_>, scratch: &mut Vec<u8>) {
        let Setting { south, north, maps, .. } = self.setting;
        line.fill(u8::MAX);
        scratch.resize(line.len() + SLACK, 0);
        while let Some(step) = agenda.step() {
            match step {
                Step::Pass => lower(line, agenda.sources(1)[0]),
                Step::Extra(from) => lower_by_rest(line, from, agenda.sources(1)[0]),
                Step::Adding(adds, from) => {
                    maps.adding(adds).gather(agenda.sources(2), scratch);
                    match from {
                        None => lower(line, scratch),
                        Some(from) => lower_by_rest(line, from, scratch),
                    }
                }
                Step::Capture { laps, facing } => {
                    maps.capturing(laps, facing).gather(agenda.sources(north + 2), scratch);
                    lower(line, scratch);
                }
                Step::Done => break,
            }
        }
        rest(line, (south + north) as u8);
    }
}
