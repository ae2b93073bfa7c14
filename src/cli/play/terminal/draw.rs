//! The screen.
//!
//! Nothing is told by colour alone: the chosen pit has brackets, words say where its last stone will
//! end and what was sown last, and only pits that can be sown have their numbers.

use kalah::rules::Pit;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Block, Clear, Widget};

use super::app::{App, Overlay, Working};
use super::keys::HELP;
use crate::cli::play::game::{Move, Place, Side};
use crate::cli::play::words;

/// The least columns and rows that the game takes.
pub const LEAST: (u16, u16) = (70, 22);

/// Columns of a pit, without its borders.
const PIT: u16 = 7;
/// Columns of a store with its outer border.
const STORE: u16 = 9;
/// Rows from the top of the board to the end of it, the pits' numbers included.
const BOARD: u16 = 12;

/// The styles of what stands out. Without colours they differ all the same.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    plain: Style,
    legal: Style,
    chosen: Style,
    landing: Style,
    last: Style,
    faint: Style,
    title: Style,
}

impl Palette {
    /// With or without colours.
    pub fn new(colours: bool) -> Self {
        let plain = Style::new();
        let of = |colour| if colours { plain.fg(colour) } else { plain };
        Palette {
            plain,
            legal: of(Color::Green).add_modifier(Modifier::BOLD),
            chosen: of(Color::Green).add_modifier(Modifier::BOLD | Modifier::REVERSED),
            landing: of(Color::Yellow).add_modifier(Modifier::BOLD),
            last: of(Color::Cyan).add_modifier(Modifier::BOLD),
            faint: plain.add_modifier(Modifier::DIM),
            title: plain.add_modifier(Modifier::BOLD),
        }
    }
}

/// Draws all of it.
pub fn draw<const P: usize>(app: &App<'_, P>, palette: &Palette, frame: &mut Frame<'_>) {
    let area = frame.area();
    let (columns, rows) = LEAST;
    let buffer = frame.buffer_mut();
    if area.width < columns || area.height < rows {
        return too_small(area, buffer);
    }
    let width = area.width.min(100);
    let left = (area.width - width) / 2 + 1;
    let text = Rect { x: left, width: width - 2, ..area };
    let line = |row: u16| Rect { y: area.y + row, height: 1, ..text };

    let title = format!("Kalah: {}", app.session().setup());
    put(buffer, line(0), &title, palette.title);
    let view = app.view();
    put(buffer, line(2), &status(app), palette.title);
    let score = words::score(view.store(Side::Person), view.store(Side::Computer));
    right(buffer, line(2), &score, palette.title);

    let board = Board { app, palette };
    let wide = board.width().min(text.width);
    let x = text.x + (text.width - wide) / 2;
    board.render(Rect { x, y: area.y + 4, width: wide, height: BOARD }, buffer);

    let preview = app.preview().map_or(String::new(), |made| previewed(&made));
    put(buffer, line(4 + BOARD), &preview, palette.landing);

    let keys = area.height - 2;
    let from = 4 + BOARD + 1;
    let room = usize::from(keys.saturating_sub(from));
    let wrapped: Vec<String> =
        app.messages().iter().flat_map(|message| wrap(message, text.width.into())).collect();
    let shown = &wrapped[wrapped.len().saturating_sub(room)..];
    for (row, message) in (from..).zip(shown) {
        put(buffer, line(row), message, palette.plain);
    }
    let stones = if app.animates() { "off" } else { "on" };
    let help = format!("a animation {stones}  n new game  ? help  q quit");
    put(
        buffer,
        line(keys),
        "\u{2190} \u{2192} choose  Enter sow  u undo  h hint  e values",
        palette.faint,
    );
    put(buffer, line(keys + 1), &help, palette.faint);

    match app.overlay() {
        Some(Overlay::Help) => {
            let lines: Vec<_> = HELP.iter().map(|(key, what)| format!("{key:<7} {what}")).collect();
            popup(area, buffer, " Keys ", &lines);
        }
        Some(Overlay::NewGame(setup)) => {
            let first = if setup.first == Side::Person { "you" } else { "computer" };
            let mut lines = vec![
                format!("l  level          {}", setup.level),
                format!("s  stones a pit   {}", setup.seeds),
                format!("f  who begins     {first}"),
                String::new(),
                "Begin another game?    y yes    n no".to_owned(),
            ];
            if !app.game().is_over() && app.game().can_undo() {
                lines.push("This one is given up when you first sow.".to_owned());
            }
            popup(area, buffer, " New game ", &lines);
        }
        None => {}
    }
}

/// Who does what.
fn status<const P: usize>(app: &App<'_, P>) -> String {
    if let Some(animation) = app.animation() {
        let in_hand = animation.frame().in_hand;
        let who = if animation.by == Side::Person { "You sow" } else { "The computer sows" };
        return match in_hand {
            0 => who.to_owned(),
            _ => format!("{who} ({in_hand} in hand)"),
        };
    }
    let turn = words::ended(app.session()).unwrap_or_else(|| words::turn(app.game()));
    match app.working() {
        Some(Working::Choice) => "The computer is thinking ..".to_owned(),
        Some(Working::Hint) => format!("{turn}; looking for a hint ..  (Esc stops)"),
        Some(Working::Values) => format!("{turn}; working out values ..  (Esc stops)"),
        None => turn,
    }
}

/// What a pit would do.
fn previewed<const P: usize>(made: &Move<P>) -> String {
    let played = &made.played;
    let mut text = format!("Pit {}: ", made.pit);
    match (played.gained, played.captured) {
        (_, 1..) => text += &format!("captures {} (+{})", played.captured, played.gained),
        (1.., 0) => text += &format!("+{}", played.gained),
        (0, _) => text += "nothing for the store",
    }
    if played.board.is_over() {
        text += ", ends the game";
    } else if played.extra_move {
        text += ", an extra move";
    }
    text
}

/// The two rows of pits and the stores.
struct Board<'a, 's, const P: usize> {
    app: &'a App<'s, P>,
    palette: &'a Palette,
}

impl<const P: usize> Board<'_, '_, P> {
    fn width(&self) -> u16 {
        2 * STORE + P as u16 * (PIT + 1) + 1
    }

    /// The column of a cell of the grid, from the left.
    fn column(area: Rect, cell: usize) -> u16 {
        area.x + STORE + 1 + cell as u16 * (PIT + 1)
    }

    fn borders(&self, area: Rect, buffer: &mut Buffer) {
        let grid = |ends: [&str; 3]| {
            let cells = vec!["\u{2500}".repeat(PIT.into()); P];
            format!("{}{}{}", ends[0], cells.join(ends[1]), ends[2])
        };
        let style = self.palette.plain;
        let x = area.x + STORE;
        for (row, ends) in [(1, ["┌", "┬", "┐"]), (5, ["├", "┼", "┤"]), (9, ["└", "┴", "┘"])]
        {
            buffer.set_string(x, area.y + row, grid(ends), style);
        }
        for row in [2, 3, 4, 6, 7, 8] {
            for cell in 0..=P {
                let x = Self::column(area, cell) - 1;
                buffer.set_string(x, area.y + row, "│", style);
            }
        }
        let side = "\u{2500}".repeat(usize::from(STORE) - 1);
        let end = Self::column(area, P) - 1;
        for (row, left, join, joined, right) in [(3, "┌", "┤", "├", "┐"), (7, "└", "┤", "├", "┘")]
        {
            buffer.set_string(area.x, area.y + row, format!("{left}{side}{join}"), style);
            buffer.set_string(end, area.y + row, format!("{joined}{side}{right}"), style);
        }
        for row in 4..=6 {
            buffer.set_string(area.x, area.y + row, "│", style);
            buffer.set_string(end + STORE, area.y + row, "│", style);
        }
    }

    fn pit(&self, area: Rect, buffer: &mut Buffer, side: Side, index: usize) {
        let Board { app, palette } = *self;
        let (cell, top) = match side {
            Side::Person => (index, 6),
            Side::Computer => (P - 1 - index, 2),
        };
        let area = Rect { x: Self::column(area, cell), y: area.y + top, width: PIT, height: 3 };
        let row = |row: u16| Rect { y: area.y + row, height: 1, ..area };
        let place = Place::Pit(side, index);
        let stones = app.view().row(side)[index];
        let own = side == Side::Person && app.may_sow();
        let pit = Pit::<P>::all().nth(index);
        let chosen = own && app.chosen() == pit;
        let (text, style) = match stones {
            _ if chosen => (format!("[ {stones} ]"), palette.chosen),
            1.. if own => (stones.to_string(), palette.legal),
            _ => (stones.to_string(), palette.plain),
        };
        centre(buffer, row(1), &text, style);
        if app.landing() == Some(place) {
            centre(buffer, row(0), "ends", palette.landing);
        }
        if let Some(happens) = self.happens(place) {
            centre(buffer, row(0), &happens, palette.last);
        }
        if app.last_move().is_some_and(|last| last.by == side && pit == Some(last.pit)) {
            centre(buffer, row(2), "sown", palette.last);
        }
    }

    /// What happens at a place at this moment of a sowing.
    fn happens(&self, place: Place) -> Option<String> {
        let animation = self.app.animation().filter(|shown| shown.frame().place == place)?;
        Some(animation.added().map_or("sown".to_owned(), |stones| format!("+{stones}")))
    }

    fn store(&self, area: Rect, buffer: &mut Buffer, side: Side) {
        let Board { app, palette } = *self;
        let x = match side {
            Side::Person => Self::column(area, P),
            Side::Computer => area.x + 1,
        };
        let row = |row| Rect { x, y: area.y + row, width: STORE - 1, height: 1 };
        centre(buffer, row(5), &app.view().store(side).to_string(), palette.title);
        if app.landing() == Some(Place::Store(side)) {
            centre(buffer, row(4), "ends", palette.landing);
        }
        if let Some(happens) = self.happens(Place::Store(side)) {
            centre(buffer, row(4), &happens, palette.last);
        }
        if let Some(last) = app.last_move().filter(|last| last.by == side && last.played.gained > 0)
        {
            centre(buffer, row(6), &format!("+{}", last.played.gained), palette.last);
        }
    }

    /// The numbers of pits: the person's only where they can be sown.
    fn numbers(&self, area: Rect, buffer: &mut Buffer) {
        let Board { app, palette } = *self;
        for (index, pit) in Pit::<P>::all().enumerate() {
            let cell = |row, cell| Rect {
                x: Self::column(area, cell),
                y: area.y + row,
                width: PIT,
                height: 1,
            };
            centre(buffer, cell(0, P - 1 - index), &pit.to_string(), palette.faint);
            if app.may_sow() && app.view().row(Side::Person)[index] > 0 {
                centre(buffer, cell(10, index), &pit.to_string(), palette.legal);
            }
            if let Some(value) = app.value(pit) {
                centre(buffer, cell(11, index), &words::value(value.value), palette.title);
            }
        }
        let beside = |x, row| Rect { x, y: area.y + row, width: STORE, height: 1 };
        centre(buffer, beside(area.x, 2), "computer", palette.faint);
        centre(buffer, beside(Self::column(area, P), 8), "you", palette.faint);
    }
}

impl<const P: usize> Widget for Board<'_, '_, P> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        self.borders(area, buffer);
        for side in [Side::Person, Side::Computer] {
            (0..P).for_each(|index| self.pit(area, buffer, side, index));
            self.store(area, buffer, side);
        }
        self.numbers(area, buffer);
    }
}

fn too_small(area: Rect, buffer: &mut Buffer) {
    let (columns, rows) = LEAST;
    let text = format!(
        "The terminal is too small: {}x{}, and the game takes {columns}x{rows}. Make it larger, \
         or press q.",
        area.width, area.height
    );
    for (row, line) in (0..area.height).zip(wrap(&text, area.width.into())) {
        put(buffer, Rect { y: area.y + row, height: 1, ..area }, &line, Style::new());
    }
}

fn popup(area: Rect, buffer: &mut Buffer, title: &str, lines: &[String]) {
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as u16 + 4;
    let (width, height) = (width.min(area.width), (lines.len() as u16 + 2).min(area.height));
    let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - height) / 2);
    let area = Rect { x, y, width, height };
    Clear.render(area, buffer);
    Block::bordered().title(title).render(area, buffer);
    for (row, line) in (1..height - 1).zip(lines) {
        let area = Rect { x: x + 2, y: y + row, width: width - 4, height: 1 };
        put(buffer, area, line, Style::new());
    }
}

fn put(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    buffer.set_stringn(area.x, area.y, text, area.width.into(), style);
}

fn centre(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    let free = area.width.saturating_sub(text.chars().count() as u16);
    let x = area.x + free / 2;
    buffer.set_stringn(x, area.y, text, area.width.into(), style);
}

fn right(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    let free = area.width.saturating_sub(text.chars().count() as u16);
    buffer.set_stringn(area.x + free, area.y, text, area.width.into(), style);
}

/// Lines of at most so many characters, broken between words where that can be.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 0 && last + 1 + word.len() > width {
            lines.push(String::new());
        }
        while word.len() > width && width > 0 {
            let rest = word.split_off(width);
            if let Some(line) = lines.last_mut() {
                line.extend(word);
            }
            lines.push(String::new());
            word = rest;
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.extend(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_broken_between_words() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("one", 3), ["one"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("", 3), [""]);
    }
}
