//! The program on a terminal of its own, whose screen can be read.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::{PATIENCE, kalah, wait_until};

/// The program while it runs; it is killed when this is dropped.
pub struct Running(Child);

impl Running {
    /// Waits until it has ended.
    pub fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the program ends", || {
            status = self.0.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A terminal with the program on it.
pub struct Terminal {
    controller: File,
    /// The terminal as the program has it, so that it is there when the program is not any more.
    user: File,
    screen: Arc<Mutex<vt100::Parser>>,
    child: Running,
    closing: Arc<AtomicBool>,
    reader: JoinHandle<()>,
}

impl Terminal {
    /// Starts a game on a terminal of 80 columns and 24 rows.
    pub fn start(data: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let controller =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
        let user = File::options().read(true).write(true).open(name).unwrap();
        resize(&controller, 80, 24);

        let mut command = kalah(data, arguments);
        command.env("TERM", "xterm-256color").envs(environment.iter().copied());
        let end = || Stdio::from(OwnedFd::from(user.try_clone().unwrap()));
        command.stdin(end()).stdout(end()).stderr(end());
        // SAFETY: between fork and exec these are two system calls, which take no lock and no memory.
        unsafe {
            command.pre_exec(|| {
                rustix::process::setsid()?;
                rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
                Ok(())
            })
        };
        let child = Running(command.spawn().unwrap());

        // The terminal ends with the last descriptor of this end of it, the reader's included.
        let (controller, closing) = (File::from(controller), Arc::new(AtomicBool::new(false)));
        let screen = Arc::new(Mutex::new(parser(80, 24)));
        let (mut output, shown) = (controller.try_clone().unwrap(), Arc::clone(&screen));
        let closes = Arc::clone(&closing);
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            let mut waiting = Vec::new();
            while !closes.load(Ordering::SeqCst) {
                let soon = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
                let waited = poll(&mut [PollFd::new(&output, PollFlags::IN)], Some(&soon));
                if !matches!(waited, Ok(1..)) {
                    continue;
                }
                let Ok(count @ 1..) = output.read(&mut bytes) else { return };
                waiting.extend(&bytes[..count]);
                let whole = waiting.drain(..whole_frames(&waiting)).collect::<Vec<_>>();
                shown.lock().unwrap().process(&whole);
            }
        });
        Terminal { controller, user, screen, child, closing, reader }
    }

    /// Looks at the screen.
    pub fn look<T>(&self, at: impl FnOnce(&vt100::Screen) -> T) -> T {
        at(self.screen.lock().unwrap().screen())
    }

    /// What is on the screen.
    pub fn text(&self) -> String {
        self.look(|screen| screen.contents())
    }

    /// Waits until the screen shows this, and gives all that is on it.
    pub fn until(&self, expected: &str) -> String {
        self.until_it(expected, |text| text.contains(expected))
    }

    /// Waits until the screen is so, and gives all that is on it.
    pub fn until_it(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let text = self.text();
            if is_so(&text) {
                return text;
            }
            assert!(begun.elapsed() < PATIENCE, "{what} is not seen:\n{text}");
            sleep(Duration::from_millis(10));
        }
    }

    /// Types.
    pub fn press(&self, keys: &str) {
        (&self.controller).write_all(keys.as_bytes()).unwrap();
    }

    /// Makes the terminal another size.
    pub fn resize(&self, columns: u16, rows: u16) {
        self.screen.lock().unwrap().screen_mut().set_size(size(rows), size(columns));
        resize(&self.controller, columns, rows);
    }

    /// Whether the terminal is as a shell wants it.
    pub fn is_restored(&self) -> bool {
        let modes = tcgetattr(&self.user).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO)
            && self.look(|screen| !screen.alternate_screen() && !screen.hide_cursor())
    }

    /// The program's process.
    pub fn process(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child.0)
    }

    /// Kills the program.
    pub fn kill(self) {
        drop(self.child);
    }

    /// Waits until the program has ended.
    pub fn ended(&mut self) -> ExitStatus {
        self.child.ended()
    }

    /// Takes the terminal away from the program, as when a connection breaks.
    pub fn hang_up(self) -> Running {
        self.closing.store(true, Ordering::SeqCst);
        self.reader.join().unwrap();
        self.child
    }
}

fn resize(terminal: impl std::os::fd::AsFd, columns: u16, rows: u16) {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).unwrap();
}

/// How many of these bytes can be shown so that no frame is seen half drawn.
fn whole_frames(bytes: &[u8]) -> usize {
    let (begin, end) = (b"\x1b[?2026h", b"\x1b[?2026l");
    let last = |marker: &[u8]| bytes.windows(marker.len()).rposition(|found| found == marker);
    match (last(begin), last(end)) {
        (Some(begun), ended) if ended.is_none_or(|ended| ended < begun) => begun,
        // The next frame may have begun with the last bytes.
        _ => {
            let partly = (1..begin.len()).rev().find(|&count| bytes.ends_with(&begin[..count]));
            bytes.len() - partly.unwrap_or(0)
        }
    }
}

fn parser(columns: u16, rows: u16) -> vt100::Parser {
    vt100::Parser::new(size(rows), size(columns), 0)
}

fn size(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).expect("a terminal has a size")
}
