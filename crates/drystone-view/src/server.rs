//! The server: the page and the resources of one run, over HTTP on this machine.
//!
//! It knows the names of [`Resource`](crate::Resource)s and of the page's files, and nothing else:
//! no name in a request reaches the file system. `guard.rs` refuses requests that a foreign page
//! sends. Work is done by few threads however many clients ask, and what they made is kept for the
//! others, within bounds. A client that neither reads nor writes is let go.

mod answer;
mod cache;
mod events;
mod guard;
mod patient;

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener as StdListener};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, watch};

use crate::error::ViewError;
use crate::page::Page;
use crate::run_view::{Progress, RunView};
use cache::{Cache, Turns};
use guard::Guard;
use patient::Patient;

/// Connections at once: some for each of a hundred clients. Others wait.
const MOST_CONNECTIONS: usize = 1024;
/// Threads that talk to clients: they only pass bytes on.
const THREADS: usize = 2;
/// Memory for resources that were made, bytes.
const CACHE_BYTES: usize = 256 << 20;
/// Time between two looks at a run that goes on, and at one that does not.
const LOOKS: [Duration; 2] = [Duration::from_millis(250), Duration::from_millis(1000)];

/// Where a server listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerSettings {
    /// The address. Any but those of this machine itself asks for a secret in the link.
    pub address: IpAddr,
    /// The port; any free one if 0.
    pub port: u16,
    /// How long a client may take to say what it wants, and how long it may read nothing of an
    /// answer that waits for it.
    pub patience: Duration,
}

impl Default for ServerSettings {
    /// A free port of this machine, for itself.
    fn default() -> Self {
        Self {
            address: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            patience: Duration::from_secs(30),
        }
    }
}

/// A server at work, until it is dropped.
pub struct Server {
    link: String,
    address: SocketAddr,
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

/// What a server has to do, and has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLoad {
    /// Connections that are open.
    pub connections: usize,
    /// Resources that were made so far: those that were kept from before do not count.
    pub made: u64,
}

/// What all connections share.
pub(crate) struct Shared {
    view: RunView,
    page: Page,
    guard: Guard,
    cache: Cache,
    /// Bounds how many resources are made at once.
    makers: Semaphore,
    progress: watch::Sender<Progress>,
    /// When the run was last looked at, ms since the start.
    looked: AtomicU64,
    /// Resources that are being made, so that each is made once.
    turns: Turns,
    connections: AtomicUsize,
    made: AtomicU64,
    /// Whether what is sent leaves this machine: then it is worth packing.
    is_remote: bool,
}

impl Server {
    /// Starts to serve a run.
    pub fn start(view: RunView, settings: ServerSettings) -> Result<Self, ViewError> {
        let address = SocketAddr::new(settings.address, settings.port);
        let listen = || {
            let listener = StdListener::bind(address)?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) =
            listen().map_err(|source| ViewError::Listen { address, source })?;
        let guard = Guard::new(address)?;
        let link = guard.link();
        let progress = watch::Sender::new(view.refresh());
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let shared = Arc::new(Shared {
            view,
            page: Page::new(),
            cache: Cache::new(CACHE_BYTES),
            makers: Semaphore::new(workers),
            progress,
            looked: AtomicU64::new(milliseconds()),
            turns: Turns::default(),
            connections: AtomicUsize::new(0),
            made: AtomicU64::new(0),
            is_remote: !settings.address.is_loopback(),
            guard,
        });
        let start = |error: std::io::Error| ViewError::Start(error.to_string());
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("drystone-view")
            .enable_io()
            .enable_time()
            .build()
            .map_err(start)?;
        let listener = {
            let _inside = runtime.enter();
            TcpListener::from_std(listener).map_err(start)?
        };
        let router = answer::router(shared.clone());
        runtime.spawn(accept(listener, router, shared.clone(), settings.patience));
        runtime.spawn(follow(shared.clone()));
        Ok(Self {
            link,
            address,
            shared,
            runtime: Some(runtime),
        })
    }

    /// The link that opens the page.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has to do at the moment, and has done.
    pub fn load(&self) -> ServerLoad {
        ServerLoad {
            connections: self.shared.connections.load(Ordering::Relaxed),
            made: self.shared.made.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A resource that is being made must not hold up the end.
            runtime.shutdown_background();
        }
    }
}

/// Takes connections, each on its own.
async fn accept(listener: TcpListener, router: Router, shared: Arc<Shared>, patience: Duration) {
    let slots = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(slot) = slots.clone().acquire_owned().await else {
            return;
        };
        let Ok((socket, _)) = listener.accept().await else {
            // Too many open files, or a client that left: the next one may do better.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let (router, shared) = (router.clone(), shared.clone());
        shared.connections.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            converse(socket, router, patience).await;
            shared.connections.fetch_sub(1, Ordering::Relaxed);
            drop(slot);
        });
    }
}

async fn converse(socket: TcpStream, router: Router, patience: Duration) {
    // Small answers go out at once.
    let _ = socket.set_nodelay(true);
    let io = TokioIo::new(Patient::new(socket, patience));
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(64 << 10)
        .serve_connection(io, TowerToHyperService::new(router));
    // A client that breaks off is its own affair.
    let _ = connection.await;
}

/// Looks at the run now and then, while somebody listens.
async fn follow(shared: Arc<Shared>) {
    loop {
        let going_on = shared.progress.borrow().state == crate::RunState::Running;
        tokio::time::sleep(LOOKS[usize::from(!going_on)]).await;
        if shared.progress.receiver_count() > 0 {
            shared.look(Duration::ZERO).await;
        }
    }
}

impl Shared {
    /// Looks at the run, unless that was done within `recent`.
    async fn look(self: &Arc<Self>, recent: Duration) {
        let now = milliseconds();
        let before = self.looked.load(Ordering::Relaxed);
        if !recent.is_zero() && now.saturating_sub(before) < recent.as_millis() as u64 {
            return;
        }
        self.looked.store(now, Ordering::Relaxed);
        let shared = self.clone();
        let looked = tokio::task::spawn_blocking(move || shared.view.refresh()).await;
        if let Ok(found) = looked {
            self.progress.send_if_modified(|known| {
                let changed = *known != found;
                *known = found;
                changed
            });
        }
    }
}

/// Since the first call, ms.
fn milliseconds() -> u64 {
    static START: OnceLock<std::time::Instant> = OnceLock::new();
    START
        .get_or_init(std::time::Instant::now)
        .elapsed()
        .as_millis() as u64
}
