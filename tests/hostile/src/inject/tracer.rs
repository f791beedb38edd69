//! Runs a child, sees its calls that change files below a folder, and lets one of them fail.
//!
//! A filter of the kernel stops the child at those calls alone. The tracer then looks at registers
//! and paths, and may change the call: its number to none and its result to an error, its length to
//! half, or it ends the child. The child dies with its tracer.
#![allow(
    unsafe_code,
    reason = "the filter must be set between fork and exec, which the standard library cannot do"
)]

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::mpsc;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::fault::{Action, Call, Fault};
use crate::child::{Ended, Prints};

/// Calls that are looked at: number, and which arguments (from 0) are a descriptor and a path.
const CALLS: [(i64, Place); 21] = [
    (libc::SYS_open, Place::Path(0)),
    (libc::SYS_openat, Place::At(0, 1)),
    (libc::SYS_creat, Place::Path(0)),
    (libc::SYS_write, Place::Descriptor(0)),
    (libc::SYS_pwrite64, Place::Descriptor(0)),
    (libc::SYS_writev, Place::Descriptor(0)),
    (libc::SYS_pwritev, Place::Descriptor(0)),
    (libc::SYS_fsync, Place::Descriptor(0)),
    (libc::SYS_fdatasync, Place::Descriptor(0)),
    (libc::SYS_rename, Place::Path(0)),
    (libc::SYS_renameat, Place::At(0, 1)),
    (libc::SYS_renameat2, Place::At(0, 1)),
    (libc::SYS_truncate, Place::Path(0)),
    (libc::SYS_ftruncate, Place::Descriptor(0)),
    (libc::SYS_unlink, Place::Path(0)),
    (libc::SYS_unlinkat, Place::At(0, 1)),
    (libc::SYS_rmdir, Place::Path(0)),
    (libc::SYS_mkdir, Place::Path(0)),
    (libc::SYS_mkdirat, Place::At(0, 1)),
    (libc::SYS_link, Place::Path(0)),
    (libc::SYS_linkat, Place::At(0, 1)),
];

/// Which arguments name the file.
#[derive(Clone, Copy)]
enum Place {
    Descriptor(usize),
    Path(usize),
    /// A path from the folder of a descriptor.
    At(usize, usize),
}

/// Longest path that is read of the child.
const LONGEST_PATH: usize = 4096;

/// What a traced child did.
pub struct Traced {
    /// Its calls below the folder, in order.
    pub calls: Vec<Call>,
    /// The call that the fault befell.
    pub hit: Option<Call>,
    /// How it ended.
    pub ended: Ended,
}

/// Runs `command` and sees its calls below `folder`. The fault befalls the call of that number,
/// from 0.
pub fn trace(
    mut command: Command,
    prints: &Path,
    folder: &Path,
    fault: Option<(usize, Fault)>,
    patience: Duration,
) -> Result<Traced, String> {
    let prints = Prints::of(prints, &mut command)?;
    let filter = filter();
    // SAFETY: the closure runs in the child before exec. It makes three calls of the system and
    // neither allocates nor locks: the filter was built before.
    unsafe {
        command.pre_exec(move || set_up(&filter));
    }
    let child = command.spawn().map_err(|e| format!("{command:?}: {e}"))?;
    let pid = Pid::from_raw(child.id() as i32);
    let (done, watch) = mpsc::channel::<()>();
    let guard = std::thread::spawn(move || {
        let late = watch.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout);
        if late {
            let _ = kill(pid, Signal::SIGKILL);
        }
        late
    });
    let mut tracer = Tracer {
        folder,
        fault,
        calls: Vec::new(),
        hit: None,
        known: BTreeSet::from([pid.as_raw()]),
        deadly: None,
    };
    let status = tracer.follow(pid);
    drop(done);
    let too_long = guard.join().unwrap_or(false);
    let status = status.map_err(|e| format!("the child cannot be traced: {e}"))?;
    Ok(Traced {
        ended: prints.ended(ExitStatus::from_raw(status), too_long),
        calls: tracer.calls,
        hit: tracer.hit,
    })
}

/// A program for the kernel's filter: stop at [`CALLS`], let all others pass.
fn filter() -> Vec<libc::sock_filter> {
    let instruction = |code: u32, jt, jf, k| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    // The number of the call is the first word of what the filter sees.
    let mut program = vec![instruction(
        libc::BPF_LD | libc::BPF_W | libc::BPF_ABS,
        0,
        0,
        0,
    )];
    for (k, (number, _)) in CALLS.iter().enumerate() {
        let to_stop = (CALLS.len() - k) as u8;
        let equal = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
        program.push(instruction(equal, to_stop, 0, *number as u32));
    }
    let end = libc::BPF_RET | libc::BPF_K;
    program.push(instruction(end, 0, 0, libc::SECCOMP_RET_ALLOW));
    program.push(instruction(end, 0, 0, libc::SECCOMP_RET_TRACE));
    program
}

/// In the child: be traced, and stop at the calls of the filter.
fn set_up(filter: &[libc::sock_filter]) -> std::io::Result<()> {
    ptrace::traceme()?;
    let program = libc::sock_fprog {
        len: filter.len() as u16,
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: plain numbers.
    let privileges = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    // SAFETY: `program` points to `filter`, which outlives the call; the kernel copies it.
    let set = unsafe {
        libc::prctl(
            libc::PR_SET_SECCOMP,
            libc::SECCOMP_MODE_FILTER,
            std::ptr::from_ref(&program),
        )
    };
    match privileges == 0 && set == 0 {
        true => Ok(()),
        false => Err(std::io::Error::last_os_error()),
    }
}

struct Tracer<'a> {
    folder: &'a Path,
    fault: Option<(usize, Fault)>,
    calls: Vec<Call>,
    hit: Option<Call>,
    /// Threads that have been seen.
    known: BTreeSet<i32>,
    /// A thread to be killed at the end of its call.
    deadly: Option<Pid>,
}

impl Tracer<'_> {
    /// Follows the child to its end; the result is its wait status.
    fn follow(&mut self, pid: Pid) -> nix::Result<i32> {
        // Its threads too, but no children of our other threads.
        let any = Some(WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD);
        // It stops once it has become the program.
        waitpid(pid, Some(WaitPidFlag::__WALL))?;
        ptrace::setoptions(
            pid,
            ptrace::Options::PTRACE_O_TRACESECCOMP
                | ptrace::Options::PTRACE_O_TRACECLONE
                | ptrace::Options::PTRACE_O_TRACESYSGOOD
                | ptrace::Options::PTRACE_O_EXITKILL,
        )?;
        gone_is_fine(ptrace::cont(pid, None))?;
        loop {
            match waitpid(Pid::from_raw(-1), any)? {
                WaitStatus::Exited(who, code) if who == pid => return Ok(code << 8),
                WaitStatus::Signaled(who, signal, _) if who == pid => return Ok(signal as i32),
                WaitStatus::PtraceEvent(who, _, libc::PTRACE_EVENT_SECCOMP) => {
                    gone_is_fine(self.at_call(who))?;
                }
                WaitStatus::PtraceSyscall(who) => {
                    if self.deadly == Some(who) {
                        gone_is_fine(kill(pid, Signal::SIGKILL))?;
                    }
                    gone_is_fine(ptrace::cont(who, None))?;
                }
                WaitStatus::Stopped(who, signal) => {
                    // A new thread begins with a stop that is not meant for it.
                    let first = self.known.insert(who.as_raw());
                    let pass = (!(first && signal == Signal::SIGSTOP)).then_some(signal);
                    gone_is_fine(ptrace::cont(who, pass))?;
                }
                WaitStatus::PtraceEvent(who, _, _) => gone_is_fine(ptrace::cont(who, None))?,
                WaitStatus::Exited(..)
                | WaitStatus::Signaled(..)
                | WaitStatus::Continued(_)
                | WaitStatus::StillAlive => {}
            }
        }
    }

    /// A thread stands before a call of the filter.
    fn at_call(&mut self, who: Pid) -> nix::Result<()> {
        let mut registers = ptrace::getregs(who)?;
        let Some(call) = self.call(who, &registers) else {
            return ptrace::cont(who, None);
        };
        let number = self.calls.len();
        self.calls.push(call.clone());
        let Some((_, fault)) = self.fault.filter(|(at, _)| *at == number) else {
            return ptrace::cont(who, None);
        };
        if !fault.befalls(call.action) {
            return ptrace::cont(who, None);
        }
        self.hit = Some(call);
        let error = match fault {
            Fault::KillBefore => return kill(who, Signal::SIGKILL),
            Fault::KillAfter => {
                self.deadly = Some(who);
                return ptrace::syscall(who, None);
            }
            Fault::Torn | Fault::Short => {
                // Half the bytes; of several pieces half the pieces. Never none.
                registers.rdx = registers.rdx.div_ceil(2);
                ptrace::setregs(who, registers)?;
                if fault == Fault::Short {
                    return ptrace::cont(who, None);
                }
                self.deadly = Some(who);
                return ptrace::syscall(who, None);
            }
            Fault::NoSpace => Errno::ENOSPC,
            Fault::IoError => Errno::EIO,
            Fault::Interrupted => Errno::EINTR,
        };
        // No call is made; what stands in the register is its result.
        registers.orig_rax = u64::MAX;
        registers.rax = -i64::from(error as i32) as u64;
        ptrace::setregs(who, registers)?;
        ptrace::cont(who, None)
    }

    /// The call that a thread stands before, if it is below the folder.
    fn call(&self, who: Pid, registers: &libc::user_regs_struct) -> Option<Call> {
        let number = registers.orig_rax as i64;
        let (_, place) = CALLS.iter().find(|(known, _)| *known == number)?;
        let arguments = [registers.rdi, registers.rsi, registers.rdx];
        let path = match *place {
            Place::Descriptor(at) => descriptor(who, arguments[at])?,
            Place::Path(at) => text(who, arguments[at])?,
            Place::At(folder, at) => {
                let path = text(who, arguments[at])?;
                match path.is_absolute() {
                    true => path,
                    false => descriptor(who, arguments[folder])?.join(path),
                }
            }
        };
        let flags = match number {
            libc::SYS_open => registers.rsi,
            libc::SYS_openat => registers.rdx,
            _ => 0,
        };
        let action = action(number, flags)?;
        path.starts_with(self.folder)
            .then_some(Call { action, path })
    }
}

fn action(number: i64, flags: u64) -> Option<Action> {
    Some(match number {
        libc::SYS_open | libc::SYS_openat => {
            let written = flags & (libc::O_ACCMODE | libc::O_CREAT) as u64;
            match written == libc::O_RDONLY as u64 {
                true => Action::OpenToRead,
                false => Action::OpenToWrite,
            }
        }
        libc::SYS_creat => Action::OpenToWrite,
        libc::SYS_write | libc::SYS_pwrite64 | libc::SYS_writev | libc::SYS_pwritev => {
            Action::Write
        }
        libc::SYS_fsync | libc::SYS_fdatasync => Action::Sync,
        libc::SYS_rename | libc::SYS_renameat | libc::SYS_renameat2 => Action::Rename,
        libc::SYS_truncate | libc::SYS_ftruncate => Action::Truncate,
        libc::SYS_unlink | libc::SYS_unlinkat | libc::SYS_rmdir => Action::Remove,
        libc::SYS_mkdir | libc::SYS_mkdirat | libc::SYS_link | libc::SYS_linkat => Action::Make,
        _ => return None,
    })
}

/// The file of a descriptor; the working folder for none.
fn descriptor(who: Pid, number: u64) -> Option<PathBuf> {
    let link = match number as i32 {
        libc::AT_FDCWD => format!("/proc/{who}/cwd"),
        number => format!("/proc/{who}/fd/{number}"),
    };
    std::fs::read_link(link).ok()
}

/// A path in the child's memory.
fn text(who: Pid, address: u64) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let memory = File::open(format!("/proc/{who}/mem")).ok()?;
    let mut bytes = vec![0; LONGEST_PATH];
    // It may end at the edge of the memory.
    let read = memory.read_at(&mut bytes, address).ok()?;
    let end = bytes[..read].iter().position(|b| *b == 0)?;
    bytes.truncate(end);
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

/// A thread may be gone at any moment: another one ended the process.
fn gone_is_fine(result: nix::Result<()>) -> nix::Result<()> {
    match result {
        Err(Errno::ESRCH) => Ok(()),
        other => other,
    }
}
