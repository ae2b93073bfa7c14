//! The program on a terminal of its own, whose screen can be read.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::{kalah, wait_until};

/// A terminal with the program on it.
pub struct Terminal {
    controller: File,
    /// The terminal as the program has it, so that it is there when the program is not any more.
    user: File,
    screen: Arc<Mutex<vt100::Parser>>,
    child: Child,
}

impl Terminal {
    /// Starts a game on a terminal of 80 columns and 24 rows.
    pub fn start(data: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
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
        let child = command.spawn().unwrap();

        let controller = File::from(controller);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(24, 80, 0)));
        let (mut output, shown) = (controller.try_clone().unwrap(), Arc::clone(&screen));
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                shown.lock().unwrap().process(&bytes[..count]);
            }
        });
        Terminal { controller, user, screen, child }
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
        let mut text = String::new();
        wait_until(&format!("{what}; the screen was\n{}", self.text()), || {
            text = self.text();
            is_so(&text)
        });
        text
    }

    /// Types.
    pub fn press(&self, keys: &str) {
        (&self.controller).write_all(keys.as_bytes()).unwrap();
    }

    /// Makes the terminal another size.
    pub fn resize(&self, columns: u16, rows: u16) {
        self.screen.lock().unwrap().screen_mut().set_size(rows, columns);
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
        rustix::process::Pid::from_child(&self.child)
    }

    /// Kills the program.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until the program has ended.
    pub fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the program ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    /// Takes the terminal away from the program, as when a connection breaks.
    pub fn hang_up(self) -> Child {
        self.child
    }
}

fn resize(terminal: impl std::os::fd::AsFd, columns: u16, rows: u16) {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).unwrap();
}
