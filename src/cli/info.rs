//! `kalah info`: what tables there are.

use std::fmt::Write;

use indicatif::DecimalBytes;
use kalah::rules::Rules;
use kalah::tables::{Encoding, Folder, LayerFile};
use serde::Serialize;

use super::args::{OutputArgs, TableArgs};
use super::failure::{Failure, Status, one_line};
use super::output::{self, count, ranges, shell_word};

/// Show what tables there are
///
/// For each number of stones: how many positions there are, how many of them are open (stones on
/// both sides), the size of the file, what share of the open positions the player to move wins,
/// draws and loses when the stores are equal, and by how many stones at best and at worst; and where
/// files are packed, how each is encoded. Only the headers of the files are read; kalah verify
/// checks the rest.
///
/// Shows all rule sets and numbers of pits, or only those given by --rules and --pits.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[command(mut_arg("rules", |rules| rules.help("Rule set, standard or empty-capture [default: both]")))]
#[command(mut_arg("pits", |pits| pits.help("Pits a side, 1 to 6 [default: all that are there]")))]
pub struct Args {
    #[command(flatten)]
    tables: TableArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Everything that is said. The fields are printed in this order.
#[derive(Serialize)]
struct Info {
    tables: String,
    layers: Vec<LayerInfo>,
    positions: u64,
    bytes: u64,
    damaged: Vec<Damage>,
}

#[derive(Serialize)]
struct LayerInfo {
    rules: Rules,
    pits: u8,
    stones: u8,
    positions: u64,
    open_positions: u64,
    bytes: u64,
    encoding: &'static str,
    won: u64,
    drawn: u64,
    lost: u64,
    /// Of the open positions, 0 to 1; `None` when there are none.
    won_share: Option<f64>,
    drawn_share: Option<f64>,
    lost_share: Option<f64>,
    largest_win: Option<i16>,
    largest_loss: Option<i16>,
}

#[derive(Serialize)]
struct Damage {
    file: String,
    error: String,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    let info = Info::read(&args.tables)?;
    for damage in &info.damaged {
        output::complain(&damage.error);
    }
    if args.output.json {
        output::print_json(&info)?;
    } else {
        output::print(&info.page(&args.tables))?;
    }
    Ok(if info.damaged.is_empty() { Status::Done } else { Status::Failed })
}

impl Info {
    fn read(args: &TableArgs) -> Result<Self, Failure> {
        let folder = Folder::open_for_reading(args.tables())?;
        let mut info = Info {
            tables: args.tables().display().to_string(),
            layers: Vec::new(),
            positions: 0,
            bytes: 0,
            damaged: Vec::new(),
        };
        for id in folder.layers()?.into_iter().filter(|id| args.asks_for(id)) {
            match folder.open_layer(&id) {
                Ok(file) => info.layers.extend(file.as_ref().map(LayerInfo::of)),
                Err(error) => {
                    info.damaged.push(Damage { file: id.file_name(), error: one_line(&error) })
                }
            }
        }
        info.positions = info.layers.iter().map(|layer| layer.positions).sum();
        info.bytes = info.layers.iter().map(|layer| layer.bytes).sum();
        Ok(info)
    }

    /// A table for each rule set and number of pits.
    fn page(&self, args: &TableArgs) -> String {
        let folder = shell_word(args.tables());
        if self.layers.is_empty() && !self.damaged.is_empty() {
            return format!("No table in {folder} can be read.\n");
        }
        if self.layers.is_empty() {
            return format!(
                "There are no tables in {folder} yet. Build some: {}\n",
                args.generate_command(12)
            );
        }
        let groups = self.layers.chunk_by(|a, b| (a.rules, a.pits) == (b.rules, b.pits));
        let groups: Vec<_> = groups.map(|layers| group_table(layers, &folder)).collect();
        let mut page = groups.join("\n");
        if groups.len() > 1 {
            let (positions, bytes) = (count(self.positions), DecimalBytes(self.bytes));
            let _ = writeln!(page, "\nAll together: {positions} positions, {bytes}.");
        }
        page
    }
}

impl LayerInfo {
    fn of(file: &LayerFile) -> Self {
        let (id, statistics) = (file.id(), file.header().statistics());
        let open_positions = statistics.open();
        let share = |part: u64| (open_positions > 0).then(|| part as f64 / open_positions as f64);
        let margin = |share: u8| 2 * i16::from(share) - i16::from(id.stones);
        LayerInfo {
            rules: id.rules,
            pits: id.pits,
            stones: id.stones,
            positions: file.header().positions(),
            open_positions,
            bytes: file.bytes().len() as u64,
            encoding: file.encoding().name(),
            won: statistics.won,
            drawn: statistics.drawn,
            lost: statistics.lost,
            won_share: share(statistics.won),
            drawn_share: share(statistics.drawn),
            lost_share: share(statistics.lost),
            largest_win: statistics.shares().map(|(_, highest)| margin(highest)),
            largest_loss: statistics.shares().map(|(lowest, _)| margin(lowest)),
        }
    }

    fn row(&self) -> Row {
        let share = |share: Option<f64>| {
            share.map_or("-".to_owned(), |share| format!("{:.1}%", 100.0 * share))
        };
        let margin = |margin: Option<i16>| margin.map_or("-".to_owned(), output::signed);
        [
            self.stones.to_string(),
            count(self.positions),
            count(self.open_positions),
            DecimalBytes(self.bytes).to_string(),
            share(self.won_share),
            share(self.drawn_share),
            share(self.lost_share),
            margin(self.largest_win),
            margin(self.largest_loss),
            self.encoding.to_owned(),
        ]
    }
}

type Row = [String; 10];

const HEAD: [&str; 10] =
    ["stones", "positions", "open", "size", "won", "drawn", "lost", "best", "worst", "encoding"];

fn group_table(layers: &[LayerInfo], folder: &str) -> String {
    let (rules, pits) = (layers[0].rules, layers[0].pits);
    let sum = |part: fn(&LayerInfo) -> u64| layers.iter().map(part).sum::<u64>();
    let open = sum(|layer| layer.open_positions);
    let share = |part: u64| match open {
        0 => "-".to_owned(),
        open => format!("{:.1}%", 100.0 * part as f64 / open as f64),
    };
    let total: Row = [
        "total".to_owned(),
        count(sum(|layer| layer.positions)),
        count(open),
        DecimalBytes(sum(|layer| layer.bytes)).to_string(),
        share(sum(|layer| layer.won)),
        share(sum(|layer| layer.drawn)),
        share(sum(|layer| layer.lost)),
        String::new(),
        String::new(),
        String::new(),
    ];
    // The last column is about packed files alone.
    let shown = match layers.iter().any(|layer| layer.encoding != Encoding::Bytes.name()) {
        true => HEAD.len(),
        false => HEAD.len() - 1,
    };
    let rows: Vec<Row> = std::iter::once(HEAD.map(str::to_owned))
        .chain(layers.iter().map(LayerInfo::row))
        .chain([total])
        .collect();
    let widths: [usize; 10] = std::array::from_fn(|column| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    });
    let plural = if pits == 1 { "pit" } else { "pits" };
    let mut table = format!("{rules} rules, {pits} {plural} a side, in {folder}\n\n");
    for row in &rows {
        let cells =
            row.iter().zip(widths).take(shown).map(|(cell, width)| format!("{cell:>width$}"));
        let _ = writeln!(table, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    let _ = writeln!(table, "\n{}", reach(layers));
    table
}

/// What can be looked up, and what is in the way of more.
fn reach(layers: &[LayerInfo]) -> String {
    let present: Vec<usize> = layers.iter().map(|layer| usize::from(layer.stones)).collect();
    let complete = present.iter().zip(0..).take_while(|&(&stones, n)| stones == n).count();
    let reach = match complete {
        0 => "No position can be looked up without layer 0.".to_owned(),
        n => format!("Positions of up to {} stones can be looked up.", n - 1),
    };
    let most = present.last().copied().unwrap_or(0);
    let missing: Vec<usize> = (0..most).filter(|stones| !present.contains(stones)).collect();
    match missing.as_slice() {
        [] => reach,
        missing => format!("{reach} Missing: {} stones.", ranges(missing)),
    }
}
