//! The report's charts, as SVG.

use std::error::Error;
use std::ops::Range;
use std::time::Duration;

use kalah::judge::{Counts, Score, Tally, Times};
use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Rectangle, Text};
use plotters::style::{Color, RGBColor};

use super::text::short;
use crate::cli::failure::Failure;

const WIDTH: u32 = 720;
const HEIGHT: u32 = 300;

const GOOD: RGBColor = RGBColor(0x2a, 0x78, 0xb5);
const FAIR: RGBColor = RGBColor(0xe0, 0xa0, 0x30);
const BAD: RGBColor = RGBColor(0xc0, 0x39, 0x2b);
const OPEN: RGBColor = RGBColor(0xc8, 0xcc, 0xd0);

const FONT: (&str, u32) = ("sans-serif", 16);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// What a chart has along one of its sides.
struct Axis<'a> {
    name: &'a str,
    range: Range<f64>,
    label: &'a dyn Fn(&f64) -> String,
}

/// A chart's axes.
struct Axes<'a> {
    x: Axis<'a>,
    y: Axis<'a>,
}

/// Points that a settled move gives away, by stones in the pits.
pub fn points(tally: &Tally) -> Result<String, Failure> {
    let rows: Vec<_> = tally.by_stones().collect();
    let most = rows.iter().filter_map(|(_, counts)| counts.points_a_move()).fold(0.0, f64::max);
    let most = if most > 0.0 { most * 1.05 } else { 1.0 };
    let decimals = if most < 0.5 { 3 } else { 1 };
    let number = move |points: &f64| format!("{points:.decimals$}");
    let axes = Axes {
        x: Axis { name: "stones in the pits", range: stones(&rows), label: &whole },
        y: Axis { name: "points lost a move", range: 0.0..most, label: &number },
    };
    drawn(&axes, |chart| {
        for (stones, counts) in &rows {
            let each = counts.points_a_move().unwrap_or_default();
            bar(chart, *stones as f64, 0.0..each, BAD)?;
        }
        Ok(())
    })
}

/// A kind of move, by what it keeps.
struct Kind {
    name: &'static str,
    colour: RGBColor,
    /// How many of some moves are of this kind.
    of: fn(&Counts) -> u64,
}

const KINDS: [Kind; 4] = [
    Kind { name: "keep every point", colour: GOOD, of: |counts| counts.keep_points },
    Kind {
        name: "lose points, keep the outcome",
        colour: FAIR,
        of: |counts| counts.lose_points.saturating_sub(counts.lose_outcome),
    },
    Kind { name: "lose the outcome", colour: BAD, of: |counts| counts.lose_outcome },
    Kind {
        name: "not settled",
        colour: OPEN,
        of: |counts| counts.moves.saturating_sub(counts.keep_points + counts.lose_points),
    },
];

/// What the moves keep, by stones in the pits.
pub fn kept(tally: &Tally) -> Result<String, Failure> {
    let rows: Vec<_> = tally.by_stones().collect();
    let axes = Axes {
        x: Axis { name: "stones in the pits", range: stones(&rows), label: &whole },
        y: Axis { name: "share of moves", range: 0.0..1.0, label: &percent },
    };
    drawn(&axes, |chart| {
        for (stones, counts) in &rows {
            let mut low = 0.0;
            for Kind { colour, of, .. } in KINDS {
                let high = low + of(counts) as f64 / counts.moves as f64;
                bar(chart, *stones as f64, low..high, colour)?;
                low = high;
            }
        }
        Ok(())
    })
}

/// What the colours of [`kept`] mean: names, and colours as HTML has them.
pub fn legend() -> impl Iterator<Item = (&'static str, String)> {
    KINDS.into_iter().map(|Kind { name, colour: RGBColor(r, g, b), .. }| {
        (name, format!("#{r:02x}{g:02x}{b:02x}"))
    })
}

/// Games won, drawn and lost.
pub fn results(score: &Score) -> Result<String, Failure> {
    let results =
        [("won", score.wins, GOOD), ("drawn", score.draws, FAIR), ("lost", score.losses, BAD)];
    let most = results.iter().map(|&(_, games, _)| games).max().unwrap_or_default().max(1) as f64;
    let name = |place: &f64| {
        let result = results.iter().enumerate().find(|(at, _)| (*at as f64 - place).abs() < 0.01);
        result.map_or(String::new(), |(_, (name, ..))| (*name).to_owned())
    };
    let axes = Axes {
        x: Axis { name: "", range: -0.6..2.6, label: &name },
        y: Axis { name: "games", range: 0.0..most * 1.12, label: &whole },
    };
    drawn(&axes, |chart| {
        for (place, (_, games, colour)) in results.into_iter().enumerate() {
            bar(chart, place as f64, 0.0..games as f64, colour)?;
            let place = (place as f64 - 0.05, games as f64 + most * 0.07);
            chart.draw_series([Text::new(games.to_string(), place, FONT)])?;
        }
        Ok(())
    })
}

/// How long moves take. Each column is a fifth longer than the one before.
pub fn times(times: &Times) -> Result<String, Failure> {
    let all = times.count().max(1) as f64;
    // The first bucket begins at nothing, which no logarithm reaches.
    let columns: Vec<_> = times
        .buckets()
        .map(|(begin, end, count)| {
            let begin = if begin > 0.0 { begin } else { end / 1.2 };
            (begin.log10()..end.log10(), count as f64 / all)
        })
        .collect();
    let most = columns.iter().map(|(_, share)| *share).fold(0.0, f64::max).max(0.01);
    let ends = columns.first().zip(columns.last());
    let ends = ends.map_or(-6.0..-5.0, |((first, _), (last, _))| {
        first.start.floor()..last.end.ceil().max(first.start.floor() + 1.0)
    });
    let time = |log: &f64| match (log - log.round()).abs() < 0.01 {
        true => short(Duration::try_from_secs_f64(10f64.powf(log.round())).unwrap_or_default())
            .replace(".0 ", " "),
        false => String::new(),
    };
    let axes = Axes {
        x: Axis { name: "time for a move", range: ends, label: &time },
        y: Axis { name: "share of moves", range: 0.0..most * 1.05, label: &percent },
    };
    drawn(&axes, |chart| {
        for (x, share) in &columns {
            column(chart, x.clone(), 0.0..*share, GOOD)?;
        }
        Ok(())
    })
}

fn stones(rows: &[(usize, Counts)]) -> Range<f64> {
    let first = rows.first().map_or(0, |(stones, _)| *stones);
    let last = rows.last().map_or(1, |(stones, _)| *stones);
    first as f64 - 0.6..last as f64 + 0.6
}

fn whole(number: &f64) -> String {
    match (number - number.round()).abs() < 0.01 {
        true => format!("{:.0}", number.abs()),
        false => String::new(),
    }
}

fn percent(share: &f64) -> String {
    format!("{:.0} %", 100.0 * share.abs())
}

type Drawing = Result<(), Box<dyn Error>>;

fn bar(chart: &mut Chart<'_, '_>, place: f64, y: Range<f64>, colour: RGBColor) -> Drawing {
    column(chart, place - 0.4..place + 0.4, y, colour)
}

fn column(chart: &mut Chart<'_, '_>, x: Range<f64>, y: Range<f64>, colour: RGBColor) -> Drawing {
    if y.start < y.end {
        let corners = [(x.start, y.start), (x.end, y.end)];
        chart.draw_series([Rectangle::new(corners, colour.filled())])?;
    }
    Ok(())
}

/// Draws axes, and what lies between them.
fn drawn(
    axes: &Axes<'_>,
    draw: impl FnOnce(&mut Chart<'_, '_>) -> Drawing,
) -> Result<String, Failure> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT)).into_drawing_area();
    draw_on(&area, axes, draw)
        .map_err(|error| Failure::failed(format!("cannot draw the report's charts: {error}")))?;
    // What is drawn is complete when the area is gone.
    drop(area);
    Ok(svg)
}

fn draw_on(
    area: &Area<'_>,
    axes: &Axes<'_>,
    draw: impl FnOnce(&mut Chart<'_, '_>) -> Drawing,
) -> Drawing {
    let Axes { x, y } = axes;
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(x.range.clone(), y.range.clone())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(plotters::style::TRANSPARENT)
        .x_labels((x.range.end - x.range.start).ceil().clamp(2.0, 20.0) as usize)
        .y_labels(6)
        .x_desc(x.name)
        .y_desc(y.name)
        .label_style(FONT)
        .axis_desc_style(FONT)
        .x_label_formatter(&x.label)
        .y_label_formatter(&y.label)
        .draw()?;
    draw(&mut chart)?;
    area.present()?;
    Ok(())
}
