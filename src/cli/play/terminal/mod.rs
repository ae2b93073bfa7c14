//! A game on the whole of a terminal.

mod animation;
mod app;
mod draw;
mod keys;
#[cfg(test)]
mod tests;
mod thinking;

use std::env;
use std::io;
use std::mem::ManuallyDrop;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event as Input};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::layout::Rect;

use super::brain::Brain;
use super::session::Session;
use super::words;
use crate::cli::failure::{Failure, Status};
use crate::cli::interrupt::Interrupt;
use crate::cli::output;
use app::{App, End};
use draw::{LEAST, Palette, draw};
use keys::{Action, action};
use thinking::{Thought, Ticket, office};

/// How often is looked whether somebody sent a signal.
const LOOK: Duration = Duration::from_millis(50);

/// How often the screen is written to at least: a terminal that is gone is found out by that.
const REDRAW: Duration = Duration::from_secs(2);

/// What happens.
enum Event<const P: usize> {
    /// At the terminal.
    Input(Input),
    /// The terminal cannot be read any more.
    Lost(io::Error),
    /// Something was worked out.
    Thought(Ticket, Thought<P>),
}

/// The terminal in the state that the game needs. It is as it was before when this is dropped, and
/// when the program panics.
struct Screen(ManuallyDrop<DefaultTerminal>);

impl Screen {
    fn open() -> io::Result<Self> {
        let screen = ratatui::try_init().map(|terminal| Screen(ManuallyDrop::new(terminal)));
        screen.inspect_err(|_| drop(ratatui::try_restore()))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that is gone needs no restoring. The library's own end would complain to it,
        // and panic when nobody hears that either.
        let _ = self.0.show_cursor();
        let _ = ratatui::try_restore();
    }
}

/// Plays until somebody ends it.
///
/// # Errors
///
/// When the terminal is none any more.
pub fn run<const P: usize>(
    session: &mut Session<P>,
    brain: Brain<'_, P>,
    animate: bool,
) -> Result<Status, Failure> {
    let interrupt = Interrupt::listen()?;
    let (desk, bench) = office();
    let (events, happened) = channel();
    let ended = thread::scope(|scope| {
        let thoughts = events.clone();
        let done = move |ticket, thought| drop(thoughts.send(Event::Thought(ticket, thought)));
        let thinker = thread::Builder::new().name("thinker".to_owned());
        let thinker = thinker.spawn_scoped(scope, move || bench.work(brain, done))?;
        let mut screen = Screen::open()?;
        listen(events)?;
        let mut app = App::new(session, desk, animate, Instant::now());
        let palette = Palette::new(env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()));
        let ended = play(&mut app, &mut screen.0, &palette, &happened, &interrupt, &|| {
            thinker.is_finished()
        });
        // Its desk goes with it, and the thinker ends.
        drop(app);
        drop(screen);
        match thinker.join() {
            Ok(()) => ended,
            Err(_) => {
                Err(Failure::failed("the computer stopped thinking: a fault of this program"))
            }
        }
    })?;
    let told = tell(session);
    match ended {
        End::Quit => told.map(|()| Status::Done),
        // The terminal may be gone, and with it whoever could be told.
        End::Interrupted => Ok(Status::Interrupted),
    }
}

/// Passes on what happens at the terminal. The thread ends with the process: nothing else ends its
/// waiting, and when the terminal is gone it may never end.
fn listen<const P: usize>(events: Sender<Event<P>>) -> io::Result<()> {
    let thread = thread::Builder::new().name("keys".to_owned());
    thread.spawn(move || {
        loop {
            let (event, goes_on) = match event::read() {
                Ok(input) => (Event::Input(input), true),
                Err(error) => (Event::Lost(error), false),
            };
            if events.send(event).is_err() || !goes_on {
                return;
            }
        }
    })?;
    Ok(())
}

fn play<const P: usize>(
    app: &mut App<'_, P>,
    terminal: &mut DefaultTerminal,
    palette: &Palette,
    happened: &Receiver<Event<P>>,
    interrupt: &Interrupt,
    thinker_is_gone: &dyn Fn() -> bool,
) -> Result<End, Failure> {
    let lost = |error: io::Error| Failure::failed(format!("the terminal is gone: {error}"));
    let mut drawn: Option<Instant> = None;
    let mut is_seen = false;
    loop {
        let now = Instant::now();
        let mut changed = app.tick(now);
        if let Some(end) = app.end() {
            return Ok(end);
        }
        changed |= drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW);
        if changed {
            let area = show(app, palette, terminal).map_err(lost)?;
            is_seen = area.width >= LEAST.0 && area.height >= LEAST.1;
            drawn = Some(now);
        }
        let due = app.due().map_or(LOOK, |due| due.saturating_duration_since(now).min(LOOK));
        match happened.recv_timeout(due) {
            Ok(event) => {
                // All that has happened meanwhile, before it is drawn.
                for event in std::iter::once(event).chain(happened.try_iter()) {
                    take(app, event, is_seen)?;
                }
                drawn = None;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(End::Interrupted),
        }
        if interrupt.requested() {
            return Ok(End::Interrupted);
        }
        if thinker_is_gone() {
            return Ok(End::Interrupted);
        }
    }
}

/// Draws the screen, whose size it gives. A terminal that knows how to shows it as a whole.
fn show<const P: usize>(
    app: &App<'_, P>,
    palette: &Palette,
    terminal: &mut DefaultTerminal,
) -> io::Result<Rect> {
    execute!(terminal.backend_mut(), BeginSynchronizedUpdate)?;
    let area = terminal.draw(|frame| draw(app, palette, frame))?.area;
    execute!(terminal.backend_mut(), EndSynchronizedUpdate)?;
    Ok(area)
}

/// Takes what has happened. Where the game is not seen, only its end is asked for.
fn take<const P: usize>(
    app: &mut App<'_, P>,
    event: Event<P>,
    is_seen: bool,
) -> Result<(), Failure> {
    let now = Instant::now();
    match event {
        Event::Input(Input::Key(key)) => match action(&key) {
            Some(action @ (Action::Quit | Action::Interrupt)) => app.act(action, now),
            Some(action) if is_seen => app.act(action, now),
            _ => {}
        },
        // A resize is drawn, and nothing else is asked for.
        Event::Input(_) => {}
        Event::Lost(error) => {
            return Err(Failure::failed(format!("the terminal is gone: {error}")));
        }
        Event::Thought(ticket, thought) => app.take(ticket, thought, now),
    }
    Ok(())
}

/// What is left on the terminal when the game is gone from it.
fn tell<const P: usize>(session: &mut Session<P>) -> Result<(), Failure> {
    for notice in session.take_notices() {
        output::complain(&notice);
    }
    let ended = [words::ended(session), words::record(session)].into_iter().flatten();
    let mut text: String = match session.game().is_over() {
        true => ended.map(|line| line + "\n").collect(),
        false => String::new(),
    };
    if session.is_saved() && !session.game().is_over() {
        text += "The game is saved; kalah play --resume goes on with it.\n";
    }
    output::print(&text)
}
